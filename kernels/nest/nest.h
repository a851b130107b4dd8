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
 * An operand that has all labels may be streamed row by row, in the order in which it was
 * read, if each row meets one of each other operand at the most: nest_prepare_stream in
 * place of nest_prepare. Then its rows need not be kept, either: see nest_stream_rows.
 *
 * Joins are of bags, as in SQL: an operand may have a key twice. The order of
 * the groups is not defined.
 *
 * All memory comes from the caller's allocator, whose functions may leave by
 * longjmp, as kernel_host.check_interrupts may: nothing is held anywhere else,
 * and freeing the allocator's memory frees all.
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

/* What a column of values holds. */
typedef struct NestValueType
{
	bool tensors;     /* pointers to the elements of tensors; else numbers */
	ElementType type; /* of the numbers; of tensors their shapes say it */
} NestValueType;

/* A value as it is appended: a number of the column's type, or a tensor. */
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

/* An operand of nkeys key columns and nvalues (maybe 0) value columns, without rows. */
extern Coordinates *coordinates_new(NestMemory *memory, int nkeys, int nvalues,
									const NestValueType *values);

/* Rows that are streamed at a time. */
#define NEST_STREAMED_ROWS 256

/*
 * Coordinates for rows that are not kept: with room for those that are streamed at a
 * time.
 */
extern Coordinates *coordinates_new_streamed(NestMemory *memory, int nkeys, int nvalues,
											 const NestValueType *values);

/*
 * The number of a shape (type and bounds; strides and data do not matter) of the
 * tensors of a value column: the same for the same shape, 0 for the first. -1 if
 * there are too many (65,536), or if its type is not that of the others.
 */
extern int coordinates_shape(Coordinates *coordinates, int column,
							 const TensorView *shape);

/* The shape of a number, as given. */
extern const TensorView *coordinates_get_shape(const Coordinates *coordinates, int column,
											   int shape);

/*
 * Appends a row. False, and nothing is appended, if the memory's limit does not
 * allow it or there are 2^31 - 1 rows.
 */
extern bool coordinates_append(Coordinates *coordinates, const int64_t *keys,
							   const NestValue *values);

/*
 * Appends n rows, given by columns, whose values are float8; returns how many were
 * appended.
 */
extern int64_t coordinates_append_columns(Coordinates *coordinates, int64_t n,
										  const int64_t *const *keys,
										  const double *const *numbers);

extern int64_t coordinates_count(const Coordinates *coordinates);

/*
 * Reads rows from number first on, in the order in which they were appended: up to n
 * of them into keys[column][i] and values[column][i]; returns how many. For what
 * writes parts to files. Not after coordinates_release_rows.
 */
extern int64_t coordinates_read(const Coordinates *coordinates, int64_t first, int64_t n,
								int64_t *const *keys, NestValue *const *values);

/*
 * Frees the rows and keeps the indexes that were built of them: for after
 * nest_prepare, if no other nest will read them in another order.
 */
extern void coordinates_release_rows(Coordinates *coordinates);

/* Frees the rows and indexes, so that others can be appended. Shapes keep their numbers. */
extern void coordinates_clear(Coordinates *coordinates);

/*
 * Bytes that a row takes at the most, with an index and while that is built, but for what makes
 * locating fast, which is done without where there is no room. wide: keys have eight bytes.
 */
extern double coordinates_row_bytes(const Coordinates *coordinates, bool wide);

/*
 * Some columns of the rows that others have, in an order of its own, and with indexes of its own. The rows stay where they are: they must
 * outlive it, and no more are appended to either. Shapes have the numbers that they have there.
 */
extern Coordinates *coordinates_select(const Coordinates *coordinates, int nkeys,
									   const int *keys, int nvalues, const int *values);

/* How many shapes the tensors of a value column have. */
extern int coordinates_shape_count(const Coordinates *coordinates, int column);

/* Frees all. No nest that reads it may be used then. */
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
	 * Left-joined: a tuple without a row of it takes the fill. Its labels are
	 * labels of other operands that are not optional. A range is never optional.
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
 * Without a program it is the product, as einsum_accumulate has it: operands are
 * converted to the type that all promote to. With one it is as
 * map_accumulate_typed has it, labels that the output lacks being folded as the
 * aggregate folds tuples. Equation and program must live as long as the nest.
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
	/* of NEST_REDUCE, and the sum of NEST_COMPUTE; complex results: sum and prod only */
	Reduction reduction;
	/* of NEST_STACK */
	int dimension;                        /* of the new one in the result */
	int64_t bound;                        /* its bound */
	int64_t position;                     /* in it: this, plus the sum of */
	int64_t multipliers[NEST_MAX_LABELS]; /* these times the labels' values */
	Number fill;                          /* where no tuple has put anything */
	ElementType fill_type; /* promotes with the values; 0: the values' own type */
	/*
	 * The bytes (a multiple of 8) that results which are tensors have before their
	 * elements for the caller to write a header to.
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
	 * Where results that are tensors go, if they shall last; NULL: each lasts until
	 * the next call of nest_next.
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

/* The description is copied, but not what it points to. */
extern Nest *nest_new(NestMemory *memory, const NestDescription *description);

/*
 * Chooses the order of the loops by the operands' counts, and builds indexes of them;
 * an index that an operand has already is used again. order, of nlabels labels,
 * prescribes one; NULL: the cheapest. NEST_DONE, NEST_NO_MEMORY (the operands
 * have no more indexes than before), or NEST_MISMATCH if types are such that a kernel is not
 * defined for them.
 */
extern NestStatus nest_prepare(Nest *nest, const uint8_t *order);

/*
 * As nest_prepare, but streams the rows of an operand in the order in which they were
 * appended and locates the others: only these get indexes. NEST_REPEATED if that cannot
 * be done, since the operand lacks a label, or another one has a key twice. If the
 * operand's rows are streamed, some of them have to be there, unless there are none.
 */
extern NestStatus nest_prepare_stream(Nest *nest, int operand);

/*
 * Joins the streamed rows that are there, folds them into their groups, and drops them. To be called when
 * there is no room for more, and at the end, before nest_next. NEST_DONE; NEST_NO_MEMORY, NEST_MISMATCH or
 * NEST_REPEATED, and the nest cannot go on.
 */
extern NestStatus nest_stream_rows(Nest *nest);

/* Groups, valid until the next call of nest_next. */
typedef struct NestGroups
{
	int64_t count;
	const int64_t *keys[NEST_MAX_LABELS]; /* by output label, in its order */
	const int64_t *tuples;                /* how many joined tuples a group has */
	/*
	 * By aggregate: an array of numbers of the aggregate's type (nest_result_type), or of
	 * pointers to the elements of tensors; NULL of NEST_COMPUTE.
	 */
	const void *results[NEST_MAX_AGGREGATES];
	/* The shape of each tensor, for nest_result_shape; NULL: all have number 0. */
	const int32_t *shapes[NEST_MAX_AGGREGATES];
} NestGroups;

/*
 * Runs until there are some groups (about a thousand) or no more. All of a group's
 * tuples are in it. Without output labels there is no group if no tuple is
 * joined. Where accumulators do not fit, the loops run several times for some of the groups each.
 * NEST_NO_MEMORY is returned only before the first groups: that would be too often, or groups are to
 * last; the nest cannot go on. NEST_MISMATCH and NEST_REPEATED may come after
 * groups have been returned.
 */
extern NestStatus nest_next(Nest *nest, NestGroups *groups);

/* Starts again from the first group. Results of before are gone. */
extern void nest_rewind(Nest *nest);

/* Frees the nest, but not the indexes, which are the operands'. */
extern void nest_free(Nest *nest);

/*
 * After nest_prepare: what an aggregate's results are. True for tensors. *type is the type of
 * their elements, or of the numbers.
 */
extern bool nest_result_type(const Nest *nest, int aggregate, ElementType *type);

/* The shape of a tensor, contiguous and without data. */
extern const TensorView *nest_result_shape(const Nest *nest, int aggregate, int shape);

/*
 * After NEST_MISMATCH: the aggregate, and the arguments of its kernel as views (which are of
 * rank 0 for numbers), for the message of an error. function is -1, or what
 * complex numbers lack. If the group had another shape before, *state is it,
 * else NULL.
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
	int64_t tuples; /* that were joined */
	int64_t groups; /* that were returned */
	int nlevels[NEST_MAX_OPERANDS];
	NestLevelStatistics levels[NEST_MAX_OPERANDS][NEST_MAX_KEYS + 1];
} NestStatistics;

extern void nest_statistics(const Nest *nest, NestStatistics *statistics);

#endif
