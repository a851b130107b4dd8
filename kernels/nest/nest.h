/*-------------------------------------------------------------------------
 *
 * nest.h
 *	  Join, kernel and aggregate in one loop nest.
 *
 *	  result[output labels] = fold over all other labels of kernel(operands)
 *
 * An operand is a relation of integer keys and values, read once into
 * Coordinates. A nest joins operands by their labels, computes for each joined
 * tuple the kernels of its aggregates, and folds them into groups:
 *
 *	1. coordinates_new, coordinates_append: read the operands;
 *	2. nest_new: say what to compute;
 *	3. nest_prepare: choose the order of the loops by what was counted, and
 *	   build the indexes;
 *	4. nest_next, again and again: run, and get the groups in batches.
 *
 * An operand that has all labels may be streamed: its rows are joined one by
 * one, in the order in which they were read, if each row meets at most one row
 * of each other operand. nest_prepare_stream then takes the place of
 * nest_prepare, and the streamed rows need not be kept either: see
 * nest_stream_rows.
 *
 * Joins are of bags, as in SQL: an operand may have a key twice. The order of
 * the groups is not defined.
 *
 * All memory comes from the caller's allocator, whose functions may leave by
 * longjmp, as kernel_host.check_interrupts may: the nest holds no other
 * resources, and freeing the allocator's memory frees everything.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_NEST_NEST_H
#define KERNELS_NEST_NEST_H

#include "kernels/function_type.h"
#include "kernels/kernels.h"

#define NEST_MAX_LABELS 64
#define NEST_MAX_OPERANDS 64
#define NEST_MAX_KEYS 32  /* of an operand */
#define NEST_MAX_VALUES 8 /* columns of an operand */
#define NEST_MAX_AGGREGATES 16

/* ---- memory ---- */

typedef struct NestMemory
{
	void *(*allocate)(void *context, size_t bytes); /* never returns NULL; 8-byte
													 * aligned; any size */
	void (*release)(void *context, void *block);
	void *context; /* for both */
	size_t limit;  /* bytes that may be in use */
	size_t used;   /* and are, in blocks of the library's */
} NestMemory;

/* ---- operands ---- */

/* What a column of values holds: numbers, or tensors. */
typedef struct NestValueType
{
	bool tensors;     /* pointers to the elements of tensors; else numbers */
	ElementType type; /* of the numbers; of tensors their shapes say it */
} NestValueType;

/* A value of a row to be appended: a number of the column's type, or a tensor. */
typedef union NestValue
{
	float float4;
	double float8;
	float complex8[2];
	double complex16[2];
	struct
	{
		const void *elements; /* contiguous, row-major, aligned as an element; stays
							   * where it is as long as the nest is used */
		int shape;            /* of coordinates_shape */
	} tensor;
} NestValue;

typedef struct Coordinates Coordinates;

/*
 * Makes an operand without rows, of nkeys key columns and nvalues (maybe 0) value
 * columns.
 */
extern Coordinates *coordinates_new(NestMemory *memory, int nkeys, int nvalues,
									const NestValueType *values);

/* The number of rows of a streamed operand that are held at a time. */
#define NEST_STREAMED_ROWS 256

/*
 * Makes coordinates for an operand whose rows are streamed and not kept: with room for
 * NEST_STREAMED_ROWS rows.
 */
extern Coordinates *coordinates_new_streamed(NestMemory *memory, int nkeys, int nvalues,
											 const NestValueType *values);

/*
 * Makes each row stand for a run of indices, before the first row is appended: its key in
 * column key is the first one, that in the last column the last one, which is not less.
 * Both columns have the same label. Runs that overlap, or whose label is not the operand's
 * innermost one, become rows of single indices when an index is built.
 */
extern void coordinates_set_runs(Coordinates *coordinates, int key);

/*
 * Says that the keys of a column never descend from row to row, whichever rows are still
 * to come.
 */
extern void coordinates_set_ascending(Coordinates *coordinates, int key);

/*
 * Returns the number of a shape (type and bounds; strides and data do not matter) among
 * those of a value column: equal shapes have the same number, the first shape has 0. -1
 * if there are too many shapes (65,536), or if its type is not that of the column's other
 * shapes.
 */
extern int coordinates_shape(Coordinates *coordinates, int column,
							 const TensorView *shape);

/* Returns the shape that coordinates_shape gave this number. */
extern const TensorView *coordinates_get_shape(const Coordinates *coordinates, int column,
											   int shape);

/*
 * Appends a row. Returns false and appends nothing if the memory limit does not allow it
 * or there are 2^31 - 1 rows already.
 */
extern bool coordinates_append(Coordinates *coordinates, const int64_t *keys,
							   const NestValue *values);

/*
 * Appends n rows, given by columns, whose values are float8. Returns how many were
 * appended.
 */
extern int64_t coordinates_append_columns(Coordinates *coordinates, int64_t n,
										  const int64_t *const *keys,
										  const double *const *numbers);

/*
 * Gives streamed coordinates n rows in columns as above, which are not copied: they are
 * read until the rows have been joined. Coordinates have either such rows or others.
 */
extern void coordinates_lend_columns(Coordinates *coordinates, int64_t n,
									 const int64_t *const *keys,
									 const double *const *numbers);

/* Has a key needed eight bytes? */
extern bool coordinates_are_wide(const Coordinates *coordinates);

extern int64_t coordinates_count(const Coordinates *coordinates);

/*
 * Reads up to n rows, beginning with row number first in the order in which they were
 * appended, into keys[column][i] and values[column][i]. Returns how many were read. Used
 * to write parts to files; not allowed after coordinates_release_rows.
 */
extern int64_t coordinates_read(const Coordinates *coordinates, int64_t first, int64_t n,
								int64_t *const *keys, NestValue *const *values);

/*
 * Frees the rows and keeps the indexes built from them: after nest_prepare, if no other
 * nest will need the rows in another order.
 */
extern void coordinates_release_rows(Coordinates *coordinates);

/* Frees rows and indexes, so that new rows can be appended. Shapes keep their numbers. */
extern void coordinates_clear(Coordinates *coordinates);

/*
 * Returns the most bytes that a row takes, including its index and what building that
 * needs. Tables and hash tables for fast lookup are not counted: without room, they are
 * left out. wide: keys have eight bytes.
 */
extern double coordinates_row_bytes(const Coordinates *coordinates, bool wide);

/*
 * Makes coordinates of some columns of others, in an order of their own and with their
 * own indexes. The rows are shared: the source must outlive the result, and neither may
 * get more rows. Shapes have the same numbers as in the source.
 */
extern Coordinates *coordinates_select(Coordinates *coordinates, int nkeys,
									   const int *keys, int nvalues, const int *values);

/* Returns how many different shapes the tensors of a value column have. */
extern int coordinates_shape_count(const Coordinates *coordinates, int column);

/*
 * Frees rows, indexes and shapes. No nest that reads these coordinates may be used
 * afterwards.
 */
extern void coordinates_free(Coordinates *coordinates);

/* An operand in a nest. */
typedef struct NestOperand
{
	Coordinates *coordinates; /* NULL: a range, all of first .. bound - 1 */
	int64_t first;            /* of a range */
	int64_t bound;
	uint8_t labels[NEST_MAX_KEYS]; /* of each key column (a range has one); one may
									* repeat: the diagonal */
	/*
	 * Left-joined: a tuple for which the operand has no row takes the fill. All its
	 * labels must be labels of operands that are not optional. A range is never optional.
	 */
	bool optional;
	NestValue fill[NEST_MAX_VALUES]; /* of each value column */
} NestOperand;

/* ---- kernels and aggregates ---- */

typedef enum NestArgumentKind
{
	NEST_ARGUMENT_VALUE,    /* of a column of an operand */
	NEST_ARGUMENT_INDEX,    /* the value of a label, as float8 */
	NEST_ARGUMENT_FOUND,    /* float8 1 if an optional operand has a row, else 0 */
	NEST_ARGUMENT_COMPUTED, /* float8, of a NEST_COMPUTE aggregate before this one */
} NestArgumentKind;

typedef struct NestArgument
{
	NestArgumentKind kind;
	int operand; /* or the label of an index, or the aggregate that computes it */
	int column;  /* of the operand */
} NestArgument;

/*
 * A function of the values of a joined tuple. Numbers are operands of rank 0.
 *
 * Without a program the kernel is the product of its arguments, as in einsum_accumulate:
 * they are converted to the type that all promote to. With a program it is as in
 * map_accumulate_typed, and labels that the output lacks are folded as the aggregate
 * folds tuples. Equation and program must live as long as the nest.
 */
typedef struct NestKernel
{
	int narguments; /* 0 for count(*), whose kernel is the number 1 */
	NestArgument arguments[EQUATION_MAX_OPERANDS];
	const Equation *equation;  /* without "..."; NULL if all arguments are numbers, or
								* one tensor as it is */
	bool strict;               /* bounds of 1 are not broadcast */
	const MapProgram *program; /* NULL: the product; then at most MAP_MAX_OPERANDS
								* arguments */
} NestKernel;

typedef enum NestAggregateKind
{
	NEST_REDUCE,  /* folds the kernel's results */
	NEST_STACK,   /* puts them side by side along a new dimension */
	NEST_TAKE,    /* the value of the first argument, as it is, of any one tuple of the
				  * group: for joins that aggregate nothing */
	NEST_COMPUTE, /* no result: its real number of each tuple is an argument of later
				   * aggregates */
} NestAggregateKind;

typedef struct NestAggregate
{
	NestAggregateKind kind;
	NestKernel kernel;
	/* for NEST_REDUCE, and the sum of NEST_COMPUTE; complex results: sum and prod only */
	Reduction reduction;
	/* for NEST_STACK only: */
	int dimension;                        /* of the new one in the result */
	int64_t bound;                        /* its bound */
	int64_t position;                     /* in it: this, plus the sum of */
	int64_t multipliers[NEST_MAX_LABELS]; /* these times the labels' values */
	Number fill;                          /* where no tuple has put anything */
	ElementType fill_type; /* promotes with the values; 0: the values' own type */
	/*
	 * Bytes (a multiple of 8) that are reserved before the elements of a result that is a
	 * tensor, for the caller's header.
	 */
	size_t header;
} NestAggregate;

/* ---- the nest ---- */

typedef struct NestDescription
{
	int nlabels; /* each is a label of an operand that is not optional */
	int noperands;
	NestOperand operands[NEST_MAX_OPERANDS];
	int noutput; /* labels of the groups, in the order of the result's columns */
	uint8_t output[NEST_MAX_LABELS];
	bool each_tuple; /* aggregates nothing: each joined tuple is a group */
	int naggregates; /* 0: the groups only */
	NestAggregate aggregates[NEST_MAX_AGGREGATES];
	/*
	 * The bytes that the elements of a result may have, 0: any number. There is no memory
	 * for a result that would have more.
	 */
	double most_bytes;
	/*
	 * Where the results that are tensors are allocated if they outlive the next call of
	 * nest_next; NULL: they do not.
	 */
	NestMemory *results;
} NestDescription;

typedef struct Nest Nest;

typedef enum NestStatus
{
	NEST_DONE,      /* no groups are left; or nest_prepare is through */
	NEST_GROUPS,    /* some groups */
	NEST_NO_MEMORY, /* the limit does not allow it; see nest_next */
	NEST_MISMATCH,  /* values that no kernel takes together; see nest_mismatch */
	NEST_REPEATED,  /* a stack has a second value at a position, or one outside its
					 * bound */
} NestStatus;

/*
 * Proves from the rows of the operands that nest_next does not return NEST_MISMATCH after
 * it has returned groups, nor meets a result of more than most_bytes: the values of each
 * tuple have shapes that its kernel takes together, and all tuples of a group have results
 * of one shape. True also if each column has values of one shape, since then no tuple fits
 * if the first does not. False if that is not so, or not proved. Stacks are not looked at.
 */
extern bool nest_shapes_are_regular(const NestDescription *description);

/* Makes a nest of the description, which is copied, but not what it points to. */
extern Nest *nest_new(NestMemory *memory, const NestDescription *description);

/*
 * Chooses the order of the loops by the operands' counts, and builds their indexes; an
 * index that an operand has already is reused. order, of nlabels labels, prescribes the
 * order; NULL: the cheapest one. Returns NEST_DONE; NEST_NO_MEMORY (new indexes have been
 * freed again); or NEST_MISMATCH if a kernel is not defined for the types of its
 * arguments.
 */
extern NestStatus nest_prepare(Nest *nest, const uint8_t *order);

/*
 * As nest_prepare, but streams the rows of one operand in the order in which they were
 * appended, and builds indexes of the others only, to locate their rows. Returns
 * NEST_REPEATED if that is impossible: the operand lacks a label, or another operand has
 * a key twice. If the operand was made by coordinates_new_streamed, it must have its
 * first rows already, unless it has no rows at all.
 */
extern NestStatus nest_prepare_stream(Nest *nest, int operand);

/*
 * Joins the streamed operand's current rows, folds them into their groups, and drops
 * them. Call it whenever the operand is full, and once at the end, before nest_next.
 * Returns NEST_DONE; after NEST_NO_MEMORY, NEST_MISMATCH or NEST_REPEATED the nest cannot
 * be continued. NEST_GROUPS: there are enough complete groups for nest_next to return
 * them before further rows are streamed (nest_stream_is_ordered). Groups that nest_next
 * has returned are no longer valid.
 */
extern NestStatus nest_stream_rows(Nest *nest);

/*
 * After nest_prepare_stream: are groups complete before all rows have been streamed, since
 * the keys of the only output label never descend? Such a nest cannot be rewound.
 */
extern bool nest_stream_is_ordered(const Nest *nest);

/* Ends the rows of an ordered stream: all groups are complete. */
extern void nest_end_stream(Nest *nest);

/* Groups that nest_next returns; valid until it is called again. */
typedef struct NestGroups
{
	int64_t count;
	const int64_t *keys[NEST_MAX_LABELS]; /* by output label, in its order */
	const int64_t *tuples;                /* how many joined tuples a group has */
	/*
	 * For each aggregate: an array of numbers of its type (nest_result_type), or of
	 * pointers to the elements of tensors; NULL for NEST_COMPUTE.
	 */
	const void *results[NEST_MAX_AGGREGATES];
	/* The shape of each tensor, for nest_result_shape; NULL: all have number 0. */
	const int32_t *shapes[NEST_MAX_AGGREGATES];
} NestGroups;

/*
 * Runs until there are some groups (about a thousand) or no more. Each group is complete:
 * no later call adds tuples to it. Without output labels there is no group if no tuple is
 * joined. Where accumulators do not fit in memory, the loops run several times, each time
 * for some of the groups. NEST_NO_MEMORY is returned only before the first groups, if too
 * many runs would be needed or groups must outlive the call; the nest cannot be continued
 * then. NEST_MISMATCH and NEST_REPEATED may come after groups have been returned.
 */
extern NestStatus nest_next(Nest *nest, NestGroups *groups);

/* Starts again from the first group. Groups returned before are no longer valid. */
extern void nest_rewind(Nest *nest);

/* Frees the nest, but not the indexes, which belong to the operands. */
extern void nest_free(Nest *nest);

/*
 * After nest_prepare: returns true if the results of an aggregate are tensors; *type
 * becomes the type of their elements, or of the numbers.
 */
extern bool nest_result_type(const Nest *nest, int aggregate, ElementType *type);

/*
 * Returns the shape of a result tensor by the shape's number: contiguous, without data.
 */
extern const TensorView *nest_result_shape(const Nest *nest, int aggregate, int shape);

/*
 * After NEST_MISMATCH: the aggregate and the arguments of its kernel, for an error
 * message. Arguments are views, of rank 0 for numbers. function is the function that
 * complex numbers lack, or -1. state is the shape that the group had before, if it had
 * another one, else NULL.
 */
typedef struct NestMismatch
{
	int aggregate;
	int function;
	int narguments;
	TensorView arguments[EQUATION_MAX_OPERANDS];
	const TensorView *state;
} NestMismatch;

extern const NestMismatch *nest_mismatch(const Nest *nest);

/* ---- what EXPLAIN shows ---- */

typedef enum LevelFormat
{
	LEVEL_COMPRESSED, /* sorted indices; located by search */
	LEVEL_DENSE,      /* and a table of all indices of the level below each position */
	LEVEL_HASH,       /* and a hash table */
	LEVEL_RANGE,      /* all indices, nothing is stored */
	LEVEL_ROWS,       /* the rows of one key, where a key has several */
	LEVEL_RUNS,       /* runs of indices, in their order; located by search */
} LevelFormat;

extern const char *level_format_name(LevelFormat format);

typedef enum AccumulatorKind
{
	ACCUMULATOR_SINGLE, /* the output's labels are the outer loops */
	ACCUMULATOR_DENSE,  /* a workspace over one label, an array */
	ACCUMULATOR_HASH,   /* or over some, hashed */
} AccumulatorKind;

extern const char *accumulator_kind_name(AccumulatorKind kind);

typedef struct NestLevelStatistics
{
	int label; /* -1: LEVEL_ROWS */
	LevelFormat format;
	int64_t entries;
} NestLevelStatistics;

typedef struct NestStatistics
{
	int streamed; /* the operand whose rows were streamed; -1: there are loops */
	int nloops;
	int labels[NEST_MAX_LABELS + NEST_MAX_OPERANDS]; /* outermost first; -1 - operand: the
													  * rows of a key of an operand */
	int64_t iterations[NEST_MAX_LABELS + NEST_MAX_OPERANDS]; /* of each loop, until now */
	AccumulatorKind accumulators;
	int64_t tuples;     /* that were joined */
	int64_t groups;     /* that were returned */
	int64_t enumerated; /* indices of runs that have become rows, or been looped over */
	int nlevels[NEST_MAX_OPERANDS];
	NestLevelStatistics levels[NEST_MAX_OPERANDS][NEST_MAX_KEYS + 1];
} NestStatistics;

extern void nest_statistics(const Nest *nest, NestStatistics *statistics);

#endif
