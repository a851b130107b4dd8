/*-------------------------------------------------------------------------
 *
 * nest_state.h
 *	  The state of a nest while it runs.
 *
 * Joined tuples are collected in a buffer: for each operand whose values are
 * used the position of its row, and the group of the tuple. When the buffer is
 * full, the kernels run over all its tuples (aggregate.c), so that many small
 * groups cost no more than one large group. Only inner products are added up
 * without the buffer (inner_product.c).
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_NEST_NEST_STATE_H
#define KERNELS_NEST_NEST_STATE_H

#include "kernels/nest/index.h"
#include "kernels/prepared.h"
#include "kernels/path.h"

/* The most indices that the innermost loop processes together: a strip. */
#define STRIP 256
/* Tuples that the buffer can hold: it is emptied when another strip might not fit. */
#define BUFFER (2 * STRIP)

/* Groups that nest_next returns at a time, or a few more. */
#define GROUPS_AT_ONCE 1024
/*
 * Bytes of result tensors after which groups are returned; and the part of the memory
 * limit, 1 / SHARE_OF_RESULTS, that they may take.
 */
#define RESULTS_AT_ONCE (1024.0 * 1024.0)
#define SHARE_OF_RESULTS 16.0

/* ---- loops ---- */

/* An operand that has the label of a loop: its part in that loop. */
typedef struct LoopPart
{
	int operand;
	int depth; /* of the level in the operand's */
	IndexLevel *level;
	/*
	 * An array in which the positions of one fiber stand by index, spread[index - least],
	 * once that fiber is spread. Entries left by other fibers are recognised by their
	 * positions. NULL: fibers of this part are never spread.
	 */
	int32_t *spread;
	int64_t spread_parent; /* -1: none yet */
} LoopPart;

typedef struct NestLoop
{
	int label; /* -1: the rows of one key of an operand, or a loop of one iteration */
	int nrequired;
	int nparts; /* those that are required first */
	LoopPart *parts;
	/* where the loop is: */
	int iterator; /* the part that iterates; -1: one iteration without any */
	int64_t next;
	int64_t end;
	int64_t index;      /* the next one of the run at next, if runs iterate */
	int64_t iterations; /* of all, for statistics */
} NestLoop;

/* How the group of a tuple is found. */
typedef enum SlotKind
{
	SLOT_NEW,    /* each is a group of its own */
	SLOT_PREFIX, /* one, until an outer loop over an output label advances */
	SLOT_DENSE,  /* a table over the output's inner labels */
	SLOT_HASH,   /* or a hash table */
} SlotKind;

#define PASS_BITS 16
#define PASS_HASHES (UINT32_C(1) << PASS_BITS)
/*
 * Groups of a prefix that always have room, whatever the memory limit, once groups have
 * been returned.
 */
#define GROUPS_AT_LEAST 8192
/*
 * Passes over a prefix, at the most, as long as no groups were returned; if more were
 * needed, the caller gets NEST_NO_MEMORY.
 */
#define MOST_FIRST_PASSES 16

/* An entry of the hash table that finds groups. */
typedef struct GroupEntry
{
	uint32_t code;   /* of the keys: their number, or bits of a hash */
	uint32_t number; /* of the group, as in a table */
} GroupEntry;

/* The groups that are being accumulated, or that are about to be returned. */
typedef struct Groups
{
	SlotKind kind;
	bool vary;    /* the innermost loop is over one of the labels that find the group */
	int nstreaks; /* of one group in a strip of streamed rows; 0: not known */
	int prefix;   /* loops whose labels are output, outermost */
	int64_t count;
	bool rounded; /* their results are: they may be returned again after a rewind */
	int64_t capacity;
	int64_t first;   /* of the groups since an outer loop went on */
	uint32_t base;   /* number of the first group among all that have been */
	int64_t current; /* SLOT_PREFIX: the group, or -1 */
	int64_t *keys[NEST_MAX_LABELS]; /* by place in the output */
	int64_t *tuples;
	void *results[NEST_MAX_AGGREGATES];
	int32_t *shapes[NEST_MAX_AGGREGATES]; /* of tensors; -1: none yet */
	/* the labels that find a group within a prefix, as places in the output */
	int ninner;
	int nouter; /* those that vary with the innermost loop are behind these */
	int inner[NEST_MAX_LABELS];
	/*
	 * if the combinations of their indices are numbered: each label's least index, and
	 * its stride
	 */
	bool numbered;
	int64_t least[NEST_MAX_LABELS];
	int64_t stride[NEST_MAX_LABELS];
	uint32_t *table; /* numbers of groups; those of before the prefix mean nothing */
	GroupEntry *hash;
	int64_t table_size; /* of either */
	int hash_shift;
	bool ascend; /* the keys of streamed rows until now: the workspace has no entries */
	bool widens; /* the table becomes wider where keys are beyond it */
	/*
	 * Where the groups of a prefix do not fit in memory, its loops run several times.
	 * Each pass is for the groups whose codes have hashes pass_from .. pass_to - 1, of
	 * PASS_HASHES.
	 */
	uint32_t pass_from;
	uint32_t pass_to;
	uint32_t pass_width;
	bool full; /* groups_reserve has failed for groups, and a shorter pass may help */
} Groups;

/* ---- aggregates ---- */

/* Blocks of memory from which the elements of result tensors are allocated. */
typedef struct Arena
{
	NestMemory *memory;
	bool lasting;
	struct ArenaBlock *blocks;
	char *next;
	size_t left;
} Arena;

/* How a kernel of tensors runs for operands of certain shapes. */
typedef enum TensorKernel
{
	TENSORS_ROWS,   /* a number times a tensor, added up element by element */
	TENSORS_DOT,    /* the inner product of two tensors */
	TENSORS_OUTER,  /* outer products of two: a rank-k update */
	TENSORS_EINSUM, /* any other product */
	TENSORS_MAP,    /* a program */
	TENSORS_FOLD,   /* a tensor as it is */
} TensorKernel;

typedef struct Combination
{
	struct Combination *next;
	TensorKernel kernel;
	int *shapes;       /* by operand */
	TensorView *views; /* by operand; data is set for each tuple */
	void **converted;  /* by operand: room for it in the type of the product, or NULL */
	TensorView out;    /* of the kernel */
	int result;        /* number of the shape of the aggregate's result */
	int64_t count;     /* elements of the first operand */
	bool prepares;     /* prepared is to be used for single tuples */
	PreparedEinsum prepared;
	bool has_path;
	EinsumPath path;
	bool swapped; /* TENSORS_OUTER: the output has the second's labels first */
	/*
	 * with three or more operands of which all but one have the same labels: room for the
	 * product of those; else NULL
	 */
	void *product;
	int alone; /* the other one */
} Combination;

typedef enum AggregateRun
{
	RUN_COUNT, /* the sum of ones */
	RUN_TAKE,
	RUN_NUMBERS, /* the kernel is of numbers */
	RUN_TENSORS,
} AggregateRun;

typedef struct AggregateState
{
	const NestAggregate *spec;
	AggregateRun run;
	bool tensors;     /* the results are */
	ElementType type; /* of the results */
	/*
	 * The type of the accumulators: double precision for sums and products. The results
	 * of complete groups are rounded to type in place.
	 */
	ElementType sum_type;
	size_t size; /* of a result in the groups' column, while it is accumulated */
	/*
	 * which arguments of the kernel are numbers, multiplied to a factor, and which are
	 * operands
	 */
	int nfactors;
	int factors[EQUATION_MAX_OPERANDS];
	MapProgram *factor;       /* of them; NULL: their product */
	Equation factor_equation; /* of them over the buffer */
	int noperands;
	int operands[EQUATION_MAX_OPERANDS];
	bool converts;             /* operands to the type */
	bool typed;                /* the program's steps differ in type */
	bool product;              /* of numbers: the kernel is the arguments' product */
	const MapProgram *program; /* of a map: the kernel's, or the product */
	Equation equation;         /* of the operands; for numbers over the buffer */
	ElementType value_type;    /* of the kernel */
	int nshapes;
	int shape_capacity;
	TensorView *shapes;        /* of results */
	Combination *combinations; /* the last one used first */
	double *computed;          /* NEST_COMPUTE: of each tuple of the buffer */
	void *temporary;           /* for a value that is stacked */
	size_t temporary_bytes;
	void *outer[2]; /* operands of outer products, row by row */
	size_t outer_bytes[2];
} AggregateState;

/* ---- the nest ---- */

typedef struct Buffer
{
	int count;
	int32_t slots[BUFFER];
	int32_t *positions[NEST_MAX_OPERANDS]; /* of operands whose values are used */
	int64_t *indices[NEST_MAX_LABELS];     /* of labels whose values are used */
} Buffer;

/* Several short fibers of the innermost loop, which run together; see fibers.c. */
typedef struct FiberStrip
{
	int iterator;   /* the part of the innermost loop that iterates */
	bool completes; /* the groups of a strip: no later one adds to them */
	int nfibers;
	int count;             /* tuples */
	int64_t values[STRIP]; /* by fiber: of the outer loop's label */
	int iterators
		[NEST_MAX_OPERANDS]; /* by part of the outer loop: the inner part that iterates, or -1 */
	int32_t *
		outer[NEST_MAX_OPERANDS]; /* by part of the outer loop, and fiber: its position */
	int32_t fibers[STRIP];        /* by tuple: its fiber */
	int32_t narrow
		[STRIP]; /* by tuple: its innermost index if the level is narrow; else in nest->index */
} FiberStrip;

/*
 * The rows of an operand that are joined in the order in which they came; see stream.c.
 */
typedef struct Stream
{
	int operand;  /* -1: there are loops */
	int64_t next; /* row; those that are streamed begin with 0 again */
	bool given;   /* the groups that were accumulated have been returned */
	bool ordered; /* a group is complete when a row of another one comes */
	bool ended;   /* no rows will come */
	Index index;  /* of the rows, as if positions were places in their chunk */
	/* of the rows of the current strip that join: */
	int32_t places[STRIP];             /* in the chunk */
	int64_t *indices[NEST_MAX_LABELS]; /* of each label */
} Stream;

struct Nest
{
	NestMemory *memory;
	NestDescription description;
	Index *indexes[NEST_MAX_OPERANDS]; /* NULL: a range */
	IndexLevel ranges[NEST_MAX_OPERANDS];
	int nloops;
	NestLoop *loops; /* outermost first */
	uint8_t order[NEST_MAX_LABELS];
	/* positions[o][k]: position of operand o at level k - 1; -1: it has no row there */
	int64_t *positions[NEST_MAX_OPERANDS];
	int depths[NEST_MAX_OPERANDS];   /* levels, that of rows included */
	int64_t values[NEST_MAX_LABELS]; /* of the labels */
	Buffer *buffer;
	bool counts_only;    /* no values are needed */
	bool inner_products; /* see has_inner_products */
	/* of the current strip: */
	int64_t index[STRIP];
	int32_t selected[STRIP];
	int32_t runs[STRIP]; /* positions of the iterating part, if that has runs */
	int32_t *located[NEST_MAX_OPERANDS]; /* by part of the innermost loop, or operand */
	FiberStrip *fibers;                  /* NULL: each fiber runs by itself */
	Stream stream;
	Groups groups;
	AggregateState *aggregates;
	Arena arena;
	size_t result_bytes; /* of the largest result that is a tensor */
	void *blocks;        /* work space of kernels of numbers */
	int depth;           /* the loop that advances next; -1: at the end */
	bool started;
	bool returned; /* some groups have been */
	NestMismatch mismatch;
	TensorView mismatch_state;
	int64_t ntuples;
	int64_t ngroups;
	int64_t enumerated; /* indices of runs that iterate */
	int64_t work;       /* until the next check for interrupts */
};

/* ---- groups.c ---- */

/*
 * Chooses how groups are found, after the loops were made. False if memory does not allow
 * it.
 */
extern bool groups_begin(Nest *nest);
/* Makes room for n more groups. False if the memory limit does not allow it. */
extern bool groups_reserve(Nest *nest, int64_t n);
/*
 * Sets slots[0..n) to the groups of n tuples with these indices of the innermost label.
 */
extern void groups_find(Nest *nest, int n, const int64_t *index, int32_t *slots);
/*
 * Counts n > 0 tuples in the current group, where the innermost loop does not vary the
 * group. False if groups_reserve fails.
 */
extern bool groups_add_tuples(Nest *nest, int64_t n, int32_t *slot);
/*
 * Finds the groups of n streamed rows; index[label] has the rows' indices of a label.
 * False if a workspace for them does not fit in memory, or if the keys of an ordered
 * stream do not ascend.
 */
extern bool groups_find_rows(Nest *nest, int n, int64_t *const *index, int32_t *slots);
/* Makes one pass cover all groups. */
static inline void
groups_all_passes(Groups *groups)
{
	groups->pass_from = 0;
	groups->pass_to = groups->pass_width = PASS_HASHES;
}
/* Does the current pass leave out some groups of the prefix? */
static inline bool
groups_divided(const Groups *groups)
{
	return groups->pass_to - groups->pass_from < PASS_HASHES;
}
/*
 * Sets which to the tuples, of n with these indices of the innermost label, whose groups
 * belong to the current pass. Returns how many there are.
 */
extern int groups_in_pass(const Nest *nest, int n, const int64_t *index, int32_t *which);
/*
 * After groups_reserve has failed: drops the groups of the current prefix, whose loops
 * start again; with a shorter pass, unless complete groups can be returned first. False
 * if neither would help.
 */
extern bool groups_divide(Nest *nest);
/*
 * After a pass is complete: begins the next pass over the prefix. False if it was the
 * last.
 */
extern bool groups_next_pass(Nest *nest);
/*
 * Finds the groups of n tuples of several fibers where all loops but the innermost one
 * are over output labels, so that the groups are complete afterwards. values[fiber] is
 * the index of the label around the innermost one.
 */
extern void groups_find_complete(Nest *nest, int n, const int32_t *fibers,
								 const int64_t *values, const int64_t *index,
								 int32_t *slots);
/*
 * Completes the current groups when an outer loop over an output label advances: sets the
 * keys of their outer labels.
 */
extern void groups_close(Nest *nest);
/* Drops the groups, which have been returned. */
extern void groups_clear(Nest *nest);
/* Drops the groups but the last one, which becomes the first. */
extern void groups_keep_last(Nest *nest);
extern void groups_free(Nest *nest);

/* ---- fibers.c ---- */

/* Allocates the strip of short fibers, if this nest can use one. */
extern void fibers_begin(Nest *nest);
extern void fibers_free(Nest *nest);
/*
 * Gathers the next short fibers of the innermost loop into a strip, and advances the loop
 * around it past them. False, and nothing is changed, if the next fibers are not short or
 * not contiguous.
 */
extern bool fibers_gather(Nest *nest);
/* Joins the tuples of the strip of fibers, and puts them into the buffer. */
extern NestStatus fibers_run(Nest *nest);

/* ---- stream.c ---- */

/* Does what nest_next does, for a nest whose rows are streamed. */
extern NestStatus stream_next(Nest *nest, NestGroups *out);
extern void stream_rewind(Nest *nest);
extern void stream_free(Nest *nest);
/*
 * Returns the level of a located operand that has the label; NULL if it lacks the label.
 */
extern const IndexLevel *stream_level(const Nest *nest, int operand, int label);
/* Reports the levels of a located operand. */
extern void stream_statistics(const Nest *nest, int operand, NestStatistics *statistics);

/* ---- locate.c ---- */

static inline int64_t
part_parent(const Nest *nest, const LoopPart *part)
{
	return nest->positions[part->operand][part->depth];
}

/* Does a part of a loop have runs? */
static inline bool
is_of_runs(const LoopPart *part)
{
	return part->level->format == LEVEL_RUNS;
}

static inline bool
runs_iterate(const NestLoop *loop)
{
	return loop->iterator >= 0 && is_of_runs(&loop->parts[loop->iterator]);
}

/* Returns the number of positions in the current fiber. */
static inline int64_t
fiber_positions(const Nest *nest, const LoopPart *part)
{
	int64_t parent = part_parent(nest, part);

	return level_end(part->level, parent) - level_begin(part->level, parent);
}

/* Returns the number of indices, of which a run has several. */
static inline int64_t
fiber_length(const Nest *nest, const LoopPart *part)
{
	int64_t parent = part_parent(nest, part);
	const int64_t *before = part->level->before;

	return is_of_runs(part) ? before[level_end(part->level, parent)] -
								  before[level_begin(part->level, parent)]
							: fiber_positions(nest, part);
}

/* The indices of a strip: in the level's own array if narrow, else copied. */
typedef struct StripIndices
{
	const int32_t *narrow; /* or NULL: */
	const int64_t *wide;
} StripIndices;

/*
 * Returns the part of a loop that iterates: the cheapest; -1 if a required fiber is
 * empty.
 */
extern int choose_iterator(const Nest *nest, const NestLoop *loop);
/*
 * Sets to[] to the positions, or -1, of n indices in the current fiber of a part: of the
 * selected indices, or of the first n if selected is NULL. expected: the number of
 * indices to be located in this fiber, in all.
 */
extern void locate_strip(Nest *nest, LoopPart *part, int n, const StripIndices *indices,
						 const int32_t *selected, int64_t expected, int32_t *to);

/* ---- inner_product.c ---- */

/*
 * Can every aggregate be added up without the buffer: a count, or a sum of products of
 * both operands of the innermost loop?
 */
extern bool has_inner_products(const Nest *nest);
/*
 * Adds the products of a strip to the current group; the strip begins at position first
 * of the operand that iterates.
 */
extern NestStatus add_inner_products(Nest *nest, const NestLoop *loop, int64_t first,
									 int n, const StripIndices *indices,
									 int64_t expected);

/* ---- nest.c, run.c ---- */

/* Makes the index of an operand, or its range. False if memory does not allow it. */
extern bool nest_make_index(Nest *nest, int operand);
/* Sets an order of the labels in which those of runs are behind the others. */
extern void nest_order_runs(Nest *nest);
/* Allocates the buffer: columns for the positions and indices that the kernels read. */
extern void nest_make_buffer(Nest *nest);
/*
 * Prepares a nest; make builds its loops or its stream, between the aggregates and the
 * groups. Unless NEST_DONE is returned, all that was made is freed again, also indexes
 * that operands did not have before.
 */
typedef NestStatus (*NestMaker)(Nest *nest, const uint8_t *order);
extern NestStatus nest_prepare_by(Nest *nest, NestMaker make, const uint8_t *order);
/* Returns the memory account of an operand's levels. */
extern NestMemory *level_memory(const Nest *nest, int operand);
/* Are there enough groups, or enough bytes of results, to return them? */
extern bool enough_groups(const Nest *nest);
/* Returns the most elements that a result can have, by the shapes of its arguments. */
extern double nest_most_elements(const NestDescription *description,
								 const NestAggregate *aggregate);
/* Finishes the current groups and describes them in *out, for nest_next to return. */
extern NestStatus return_groups(Nest *nest, NestGroups *out);

/* Iterations between two checks for interrupts. */
#define WORK_PER_CHECK (INT64_C(1) << 20)

/* Counts iterations of work, and checks for interrupts after every WORK_PER_CHECK. */
static inline void
count_work(Nest *nest, int64_t work)
{
	nest->work -= work;
	if (nest->work < 0)
	{
		kernel_host.check_interrupts();
		nest->work = WORK_PER_CHECK;
	}
}

/* ---- aggregate.c, kernel_tensors.c, number_factor.c ---- */

/* Prepares the aggregates; NEST_DONE or NEST_MISMATCH. */
extern NestStatus aggregates_begin(Nest *nest);
extern void aggregates_free(Nest *nest);
/* Runs the kernels over the tuples in the buffer, and empties it. */
extern NestStatus aggregates_flush(Nest *nest);
/* Sets the results of groups from .. to - 1 to those of groups without tuples. */
extern void aggregates_clear(Nest *nest, int64_t from, int64_t to);
/* Rounds the results of the groups, which are complete, and sets the counts. */
extern void aggregates_finish(Nest *nest);

extern NestStatus tensors_begin(Nest *nest, int number);
/*
 * Splits a program that is a product of numbers and tensors into a factor, computed from
 * the numbers, and the tensor operands. False, with the aggregate unchanged, if the
 * program is no such product.
 */
extern bool split_number_factor(Nest *nest, AggregateState *aggregate);
extern NestStatus tensors_flush(Nest *nest, int number);
extern void tensors_free(Nest *nest, int number);

/*
 * Gathers the numbers of an argument for all tuples of the buffer into block, in the
 * argument's own type.
 */
extern void argument_numbers(const Nest *nest, const NestArgument *argument, void *block);
extern ElementType argument_type(const Nest *nest, const NestArgument *argument);
extern bool argument_is_tensor(const Nest *nest, const NestArgument *argument);
/* Converts n numbers from one element type to another. */
extern void convert_numbers(int64_t n, ElementType from, const void *numbers,
							ElementType to, void *converted);
/*
 * Runs a program of numbers for all tuples of the buffer. Its n parameters are arguments
 * of the aggregate's kernel. The results are in work block out, the arguments in the n
 * blocks after it.
 */
extern const void *map_numbers(const Nest *nest, const AggregateState *aggregate,
							   const MapProgram *program, const Equation *equation, int n,
							   const int *arguments, int out);
/* Makes the equation "a,a->a" of a map of noperands numbers over the buffer. */
extern void buffer_equation(int noperands, Equation *equation);
/*
 * Folds numbers, one for each tuple of the buffer, into the results of their groups; for
 * NEST_COMPUTE stores them. type: the kernel's type, or that of sums.
 */
extern void fold_numbers(Nest *nest, int number, ElementType type, const void *values);
/* Number of work space blocks for kernels of narguments arguments. */
#define WORK_BLOCKS(narguments) (4 + 2 * (narguments))
/* Returns block i of the work space, which holds BUFFER numbers of any type. */
extern void *work_block(const Nest *nest, int i);
/* Sets n elements to the value from which a reduction starts. */
extern void fill_identity(Reduction reduction, ElementType type, int64_t n,
						  void *elements);
/*
 * Returns the position at which a stack puts tuple t of the buffer; -1 if out of bounds.
 */
extern int64_t stack_position(const Nest *nest, const NestAggregate *spec, int t);

/*
 * Allocates the elements of a result tensor, with its header before them and a bitmap of
 * bits bits behind them; NULL if the memory limit does not allow it.
 */
extern void *result_allocate(Nest *nest, const NestAggregate *spec,
							 const TensorView *shape, int64_t bits);
/* Makes the arena's memory free for new results, unless its results are lasting. */
extern void arena_clear(Arena *arena);
/* Frees the blocks of an arena, unless its results are lasting. */
extern void arena_free(Arena *arena);

#endif
