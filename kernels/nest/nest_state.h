/*-------------------------------------------------------------------------
 *
 * nest_state.h
 *	  What a nest consists of while it runs.
 *
 * Joined tuples go to a buffer: of each operand whose values are used the
 * position, and the group. When it is full, the kernels run over all of it
 * (aggregate.c). So groups of few tuples cost no more than one of many. Only inner products are added
 * up without it (inner_product.c).
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_NEST_NEST_STATE_H
#define KERNELS_NEST_NEST_STATE_H

#include "kernels/nest/index.h"
#include "kernels/prepared.h"
#include "kernels/path.h"

/* Indices that the innermost loop looks at together. */
#define STRIP 256
/* Tuples in the buffer: it is emptied when a strip might not fit. */
#define BUFFER (2 * STRIP)

/* Groups that are returned together, or a few more. */
#define GROUPS_AT_ONCE 1024
/* Bytes of their results that are tensors, and the part of the memory that these may take. */
#define RESULTS_AT_ONCE (1024.0 * 1024.0)
#define SHARE_OF_RESULTS 16.0

/* ---- loops ---- */

/* An operand in a loop. */
typedef struct LoopPart
{
	int operand;
	int depth; /* of the level in the operand's */
	Level *level;
	/*
	 * The positions of one fiber by index, if it is spread: spread[index - least].
	 * What other fibers have left there is told by its position. NULL: never is.
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
	/* where it is */
	int iterator; /* the part that iterates; -1: one iteration without any */
	int64_t next;
	int64_t end;
	int64_t iterations; /* of all, for statistics */
} NestLoop;

/* What finds the group of a tuple. */
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
 * Groups of a prefix that have room whatever the limit is, once groups have been
 * returned.
 */
#define GROUPS_AT_LEAST 8192
/* Passes that are made rather than to leave all to the caller, as long as nothing was returned. */
#define MOST_FIRST_PASSES 16

/* A place of a hash table of groups. */
typedef struct GroupEntry
{
	uint32_t code;   /* of the keys: their number, or bits of a hash */
	uint32_t number; /* of the group, as in a table */
} GroupEntry;

/* The groups that are being accumulated or returned. */
typedef struct Groups
{
	SlotKind kind;
	bool vary;  /* the innermost loop is over one of the labels that find the group */
	int prefix; /* loops whose labels are output, outermost */
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
	/* the labels that find a group within a prefix: places in the output */
	int ninner;
	int nouter; /* those that vary with the innermost loop are behind these */
	int inner[NEST_MAX_LABELS];
	/* if their combinations are numbered: the least index of each, and what it counts */
	bool numbered;
	int64_t least[NEST_MAX_LABELS];
	int64_t stride[NEST_MAX_LABELS];
	uint32_t *table; /* numbers of groups; those of before the prefix mean nothing */
	GroupEntry *hash;
	int64_t table_size; /* of either */
	int hash_shift;
	/*
	 * Where the groups of a prefix do not fit in memory, its loops run several times, each
	 * time for the groups whose codes' hashes are from .. to - 1 of PASS_HASHES.
	 */
	uint32_t pass_from;
	uint32_t pass_to;
	uint32_t pass_width;
	bool full; /* groups_reserve has failed for groups, and a shorter pass may help */
} Groups;

/* ---- aggregates ---- */

/* Blocks for elements of tensors. */
typedef struct Arena
{
	NestMemory *memory;
	bool lasting;
	struct ArenaBlock *blocks;
	char *next;
	size_t left;
} Arena;

/* How a kernel of tensors is run for operands of certain shapes. */
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
	/* Of more than two operands all but one have the same labels: room for their product, or NULL. */
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
	 * In which they are accumulated: that of double precision for sums and products. Groups that are complete are
	 * rounded where they are.
	 */
	ElementType sum_type;
	size_t size; /* of a result in the groups' column, while it is accumulated */
	/* kernels: which arguments are numbers that become a factor, which operands */
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

/* Several short fibers of the innermost loop's operand that iterates; see fibers.c. */
typedef struct FiberStrip
{
	int iterator;   /* the part of the innermost loop that iterates */
	bool completes; /* the groups of a strip: no later one adds to them */
	int nfibers;
	int count;             /* tuples */
	int64_t values[STRIP]; /* by fiber: of the outer loop's label */
	int iterators
		[NEST_MAX_OPERANDS]; /* by part of the outer loop that iterates: the inner one's, or -1 */
	int32_t *
		outer[NEST_MAX_OPERANDS]; /* by part of the outer loop, and fiber: its position */
	int32_t fibers[STRIP];        /* by tuple: its fiber */
	int32_t narrow
		[STRIP]; /* the innermost label's index, if the level is narrow; else in nest->index */
} FiberStrip;

/* Rows of an operand that are read in the order in which they came. */
typedef struct Stream
{
	int operand;  /* -1: there are loops */
	int64_t next; /* row; those that are streamed begin with 0 again */
	bool given;   /* the groups that were accumulated have been returned */
	Index index;  /* of the rows, as if positions were places in their chunk */
	/* of a strip of rows that join: */
	int32_t places[STRIP];             /* in the chunk */
	int64_t *indices[NEST_MAX_LABELS]; /* of each label */
} Stream;

struct Nest
{
	NestMemory *memory;
	NestDescription description;
	Index *indexes[NEST_MAX_OPERANDS]; /* NULL: a range */
	Level ranges[NEST_MAX_OPERANDS];
	int nloops;
	NestLoop *loops; /* outermost first */
	uint8_t order[NEST_MAX_LABELS];
	/* positions[o][k]: that of operand o at its first k levels; -1: it has none */
	int64_t *positions[NEST_MAX_OPERANDS];
	int depths[NEST_MAX_OPERANDS];   /* levels, that of rows included */
	int64_t values[NEST_MAX_LABELS]; /* of the labels */
	Buffer *buffer;
	bool counts_only;    /* no values are needed */
	bool inner_products; /* see has_inner_products */
	/* of a strip */
	int64_t index[STRIP];
	int32_t selected[STRIP];
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
	int64_t work; /* until the next check for interrupts */
};

/* ---- groups.c ---- */

/* Chooses how groups are found; the loops are there. False if memory does not allow it. */
extern bool groups_begin(Nest *nest);
/* Makes room for n more. False: the limit does not allow it. */
extern bool groups_reserve(Nest *nest, int64_t n);
/* Fills slots[0..n) with the groups of tuples with these values of the innermost label. */
extern void groups_find(Nest *nest, int n, const int64_t *index, int32_t *slots);
/* Adds n tuples, at least one, to the current group, which does not vary in the innermost loop. False: see groups_reserve. */
extern bool groups_add_tuples(Nest *nest, int64_t n, int32_t *slot);
/* Finds the groups of rows that vary in all labels: index by label. */
extern void groups_find_rows(Nest *nest, int n, int64_t *const *index, int32_t *slots);
/* One pass is for all groups. */
static inline void
groups_all_passes(Groups *groups)
{
	groups->pass_from = 0;
	groups->pass_to = groups->pass_width = PASS_HASHES;
}
/* Is not every group of the current prefix in this pass? */
static inline bool
groups_divided(const Groups *groups)
{
	return groups->pass_to - groups->pass_from < PASS_HASHES;
}
/* Which of n tuples with these values of the innermost label have groups of this pass. */
extern int groups_in_pass(const Nest *nest, int n, const int64_t *index, int32_t *which);
/* After groups_reserve has failed: a shorter pass of the current prefix, or false. */
extern bool groups_divide(Nest *nest);
/* The pass is complete: begins the next one of the prefix, or returns false. */
extern bool groups_next_pass(Nest *nest);
/*
 * Finds the groups of n tuples of several fibers, where all loops but the innermost one are over output labels, so that no
 * tuples come to these groups later. values: of the label around the innermost one, by fiber.
 */
extern void groups_find_complete(Nest *nest, int n, const int32_t *fibers,
								 const int64_t *values, const int64_t *index,
								 int32_t *slots);
/* An outer loop over an output label advances: fills in its keys. */
extern void groups_close(Nest *nest);
/* Forgets the groups, which have been returned. */
extern void groups_clear(Nest *nest);
extern void groups_free(Nest *nest);

/* ---- fibers.c ---- */

/* Makes room for a strip of fibers, if the nest may have one. */
extern void fibers_begin(Nest *nest);
extern void fibers_free(Nest *nest);
/*
 * Gathers the next fibers of the loop around the innermost one, and advances it behind them. False, and nothing is changed, if the next ones
 * are not short, or not contiguous.
 */
extern bool fibers_gather(Nest *nest);
/* Joins the tuples of the strip, and puts them into the buffer. */
extern NestStatus fibers_run(Nest *nest);

/* ---- stream.c ---- */

/* As nest_next, where rows are streamed. */
extern NestStatus stream_next(Nest *nest, NestGroups *out);
extern void stream_rewind(Nest *nest);
extern void stream_free(Nest *nest);
/* The level of a label of an operand that is located; NULL if it has none. */
extern const Level *stream_level(const Nest *nest, int operand, int label);
/* How such an operand is indexed. */
extern void stream_statistics(const Nest *nest, int operand, NestStatistics *statistics);

/* ---- locate.c ---- */

static inline int64_t
part_parent(const Nest *nest, const LoopPart *part)
{
	return nest->positions[part->operand][part->depth];
}

static inline int64_t
fiber_length(const Nest *nest, const LoopPart *part)
{
	int64_t parent = part_parent(nest, part);

	return level_end(part->level, parent) - level_begin(part->level, parent);
}

/* The indices of a strip: where a level has them, or copies. */
typedef struct StripIndices
{
	const int32_t *narrow; /* or NULL: */
	const int64_t *wide;
} StripIndices;

/* The part of a loop that iterates: -1 if one has nothing. */
extern int choose_iterator(const Nest *nest, const NestLoop *loop);
/*
 * The positions, or -1, of n indices in the current fiber of a part: of the selected ones, or of all if selected is NULL.
 * expected: how many indices this fiber is expected to have, in all.
 */
extern void locate_strip(Nest *nest, LoopPart *part, int n, const StripIndices *indices,
						 const int32_t *selected, int64_t expected, int32_t *to);

/* ---- inner_product.c ---- */

/* Are all aggregates of the loops sums of products, or counts, of two operands in the innermost one? */
extern bool has_inner_products(const Nest *nest);
/* Adds those of a strip, that begins at a position of the operand that iterates, to the current group. */
extern NestStatus add_inner_products(Nest *nest, const NestLoop *loop, int64_t first,
									 int n, const StripIndices *indices,
									 int64_t expected);

/* ---- nest.c, run.c ---- */

/*
 * The index of an operand that is not a range, or the range; false if memory does not
 * allow it.
 */
extern bool nest_make_index(Nest *nest, int operand);
/* Room for what kernels need of a tuple. */
extern void nest_make_buffer(Nest *nest);
/*
 * Makes what goes through the tuples, between the aggregates and the groups. NEST_DONE; else all that was made is freed again,
 * also indexes that operands have not had before.
 */
typedef NestStatus (*NestMaker)(Nest *nest, const uint8_t *order);
extern NestStatus nest_prepare_by(Nest *nest, NestMaker make, const uint8_t *order);
/* What the levels of an operand are accounted for in. */
extern NestMemory *level_memory(const Nest *nest, int operand);
/* Are there as many groups as are returned together, or as large ones? */
extern bool enough_groups(const Nest *nest);
/* The groups that are there, to be returned. */
extern NestStatus return_groups(Nest *nest, NestGroups *out);

/* Iterations between checks for interrupts. */
#define WORK_PER_CHECK (INT64_C(1) << 20)

/* Counts what has been done, in iterations, and checks for interrupts if that is enough. */
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

/* NEST_DONE, or NEST_MISMATCH. */
extern NestStatus aggregates_begin(Nest *nest);
extern void aggregates_free(Nest *nest);
/* Runs the kernels of what is in the buffer, and empties it. */
extern NestStatus aggregates_flush(Nest *nest);
/* Results of groups from .. to - 1 become those of no tuples. */
extern void aggregates_clear(Nest *nest, int64_t from, int64_t to);
/* The groups are complete. */
extern void aggregates_finish(Nest *nest);

extern NestStatus tensors_begin(Nest *nest, int number);
/*
 * Makes a product's program of numbers and tensors a factor and operands of the aggregate, in any order; false, and
 * nothing, if it is another one.
 */
extern bool split_number_factor(Nest *nest, AggregateState *aggregate);
extern NestStatus tensors_flush(Nest *nest, int number);
extern void tensors_free(Nest *nest, int number);

/*
 * The numbers of an argument for all tuples of the buffer, gathered into block; of its
 * own type.
 */
extern void argument_numbers(const Nest *nest, const NestArgument *argument, void *block);
extern ElementType argument_type(const Nest *nest, const NestArgument *argument);
extern bool argument_is_tensor(const Nest *nest, const NestArgument *argument);
/* Converts n numbers from one type to another. */
extern void convert_numbers(int64_t n, ElementType from, const void *numbers,
							ElementType to, void *converted);
/*
 * The results of a program of numbers for all tuples of the buffer, into block out; its n parameters are
 * arguments of the aggregate's kernel, and are gathered into as many blocks from the one behind it on.
 */
extern const void *map_numbers(const Nest *nest, const AggregateState *aggregate,
							   const MapProgram *program, const Equation *equation, int n,
							   const int *arguments, int out);
/* "a,a->a" for a map of numbers over the buffer. */
extern void buffer_equation(int noperands, Equation *equation);
/* Folds numbers of a type, the kernel's or the one that sums have, one for each tuple of the buffer, into the results of
 * their groups; keeps those of NEST_COMPUTE. */
extern void fold_numbers(Nest *nest, int number, ElementType type, const void *values);
/* Blocks of the work space for kernels of narguments arguments. */
#define WORK_BLOCKS(narguments) (4 + 2 * (narguments))
/* Block number i of the work space: of BUFFER numbers of any type. */
extern void *work_block(const Nest *nest, int i);
/* What an aggregate's fold starts from: n elements. */
extern void fill_identity(Reduction reduction, ElementType type, int64_t n,
						  void *elements);
/* The position at which a stack puts tuple t of the buffer; -1 if outside of its bound. */
extern int64_t stack_position(const Nest *nest, const NestAggregate *spec, int t);

/* Memory for the elements of a result, with its header before and a bitmap of that many bits
 * behind them. */
extern void *result_allocate(Nest *nest, const NestAggregate *spec,
							 const TensorView *shape, int64_t bits);
/* What is in it has been read; nothing, if it lasts. */
extern void arena_clear(Arena *arena);
/* Frees the blocks of one that does not last. */
extern void arena_free(Arena *arena);

#endif
