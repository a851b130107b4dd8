/*-------------------------------------------------------------------------
 *
 * state.h
 *	  The operands of a running node, for the files of this folder.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_STATE_H
#define EXECUTOR_OPERAND_STATE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "utils/dsa.h"

#include "executor/operand/dictionary.h"
#include "executor/operand/kept_operands.h"
#include "executor/operand/operand.h"
#include "executor/operand/part_file.h"
#include "executor/operand/shared_dictionaries.h"
#include "type/tensor.h"

/* A value that kernels take, while the operands are read. */
typedef struct OperandValue
{
	int operand; /* of the nest; values without columns have an operand of their own */
	int column;  /* of its coordinates */
	Oid type;    /* the base type */
	ExprState *expression;
	AttrNumber attribute; /* of the child's row; 0: the expression is evaluated */
	ExprState *fill;      /* NULL: none */
	bool has_shape;       /* the last one seen: */
	TensorView shape;
	int number;
} OperandValue;

/* Memory for tensors, which are copied side by side. */
typedef struct ValueMemory
{
	MemoryContext context;
	Size bytes;  /* in all */
	char *piece; /* what is left of the last piece */
	Size left;
} ValueMemory;

/* What nodes, or queries that follow each other, read of the same rows. */
typedef struct KeptOperand KeptOperand; /* kept_operands.c */

/* A column of an operand's rows that is a key. */
typedef struct OperandKeyColumn
{
	AttrNumber attribute; /* of the child's row */
	Oid type;             /* the base type */
	KeyKind kind;
	Dictionary *dictionary; /* NULL: integers */
	uint8 number;           /* the dictionary's place among the node's */
	bool joined;            /* rows with a NULL in it join nothing */
	bool returned;          /* in rows of the node */
} OperandKeyColumn;

typedef struct TensorOperand
{
	OperandReader reader;
	Plan *scan;       /* NULL: a range, or values that are the same for all tuples */
	PlanState *child; /* runs the scan; NULL in processes that cannot */
	bool optional;
	int nkeys;
	OperandKeyColumn keys[NEST_MAX_KEYS];
	uint8 labels[NEST_MAX_KEYS]; /* of the keys */
	int part_key; /* the key with the label of the parts; -1: all parts need all rows */
	int64 first;  /* of a range */
	int64 bound;
	bool range;
	int nvalues;
	OperandValue *values[NEST_MAX_VALUES];
	Coordinates *coordinates;
	KeptOperand *wanted; /* the rows that it may share; NULL: none */
	int wants;           /* how often it may be read */
	bool streams;        /* it streams its rows */
	KeptOperand *kept;   /* the owner of the coordinates; NULL: the node */
	bool found;          /* its rows had been read before */
	uint32 null_keys;    /* the keys that were NULL in rows which were left out */
	uint32 unlike_keys;  /* equal to others in their dictionary, not identical */
	int64 rows;          /* rows that its scan has returned */
	int64 joining;       /* the rows of these that may join something */
	bool wide;           /* a key needs eight bytes */
	/*
	 * The operand that this one reads for, with its columns first and those of others
	 * behind them. NULL: it reads for itself.
	 */
	const struct TensorOperand *united;
} TensorOperand;

/* A dictionary of a node's keys. */
typedef struct OperandDictionary
{
	Dictionary *dictionary;
	bool returned; /* rows of the node have keys of it */
} OperandDictionary;

/* Rows with some hashes of the parts' label, in a file. */
typedef struct OperandPart
{
	uint32 from; /* hashes from */
	uint32 to;   /* to this one, exclusive */
	PartFile *file;
	int64 rows[NEST_MAX_OPERANDS];
	Size value_bytes; /* of tensors that are copied when they are read */
} OperandPart;

/* Files that rows are divided into at a time, at the most. */
#define MOST_DIVIDED 64

/*
 * Data that does not fit in memory is divided by the hash of one label of the groups. One
 * part at a time is in memory.
 */
typedef struct OperandParts
{
	ResourceOwner owner;
	PartFiles *files; /* NULL: no files */
	RowLayout layouts[NEST_MAX_OPERANDS];
	uint32 from; /* hashes of the rows that are being read, or are in memory */
	uint32 to;
	bool resident; /* those of the first range, or all, are or will be in memory */
	bool
		scattering; /* rows go to parts that processes share; what all parts need is one behind the ranges */
	int count; /* ranges that rows are divided into while they are read; 0: they are not */
	OperandPart
		*divided[MOST_DIVIDED + 1]; /* those ranges; NULL: has no rows in a file */
	List *waiting;                  /* of OperandPart: the next one last */
	bool last_resort; /* rows of one index that do not fit take more memory */
} OperandParts;

/* Memory of a node, from when it begins to read. */
typedef struct OperandMemory
{
	MemoryContext context; /* of all below; NULL: nothing has been read */
	NestMemory accounts;   /* coordinates, indexes and accumulators */
	ValueMemory values_of_all;
	ValueMemory values_of_part; /* its context has the nest, too */
	ValueMemory values_of_rows; /* that are streamed: until they have been joined */
} OperandMemory;

/* The dictionaries of a node's keys. */
typedef struct OperandKeys
{
	int ndictionaries; /* 0: keys are integers, or the relational plan runs */
	OperandDictionary dictionaries[NEST_MAX_LABELS];
	bool forbidden; /* the user may not compare the keys */
} OperandKeys;

typedef struct OperandSharing OperandSharing; /* sharing.c */

struct TensorOperands
{
	CustomScanState *node;
	OperandsPlan plan;
	EState *estate;
	ExprContext *econtext;
	int eflags;
	/* of PlanState *: scans that others have taken the place of, with more columns */
	List *replaced;
	int noperands;
	TensorOperand operands[NEST_MAX_OPERANDS];
	int nvalues;
	OperandValue *values;
	KeptOperands *kept_operands; /* of the loop, or of the query */
	OperandKeys keys;
	OperandMemory memory;
	/*
	 * An operand whose rows are streamed in the order in which they are read, or -1: as
	 * they are read, and not kept, unless others want them or each tuple is a row. There
	 * are no files then.
	 */
	int stream;
	OperandParts parts;
	bool nothing;            /* is joined in any part */
	bool differ;             /* the tensors of some column in shape */
	bool committed;          /* the relational plan can no longer run */
	OperandSharing *sharing; /* by the processes of a parallel query */
};

/* Fills in operands and values from the plan, and begins their scans. */
extern void begin_each_operand(TensorOperands *state);

/* Finds, and releases, the dictionaries of the operands' keys. */
extern void begin_keys(TensorOperands *state);
extern void end_keys(TensorOperands *state);

/* The type of a value in its column of coordinates. */
extern NestValueType nest_value_type(const OperandValue *value);

/* Makes coordinates without rows for an operand. */
extern void begin_coordinates(TensorOperands *state, TensorOperand *operand);

/* Reads all rows of an operand's scan. Returns as read_operands. */
extern const char *read_operand(TensorOperands *state, TensorOperand *operand);

/*
 * Reads the rows of a part's file and closes it; divides the rows if they do not fit.
 * Returns as read_operands.
 */
extern const char *read_part(TensorOperands *state, OperandPart *part);

/*
 * Does every tuple need this operand, and has it no rows? For use after all operands have
 * been read.
 */
extern bool operand_joins_nothing(const TensorOperand *operand);

/*
 * Notes the shape that a column's values have in another process. Returns as
 * read_operands.
 */
extern const char *note_shape(TensorOperands *state, OperandValue *value,
							  const TensorView *shape);

/* Frees what was read of an operand. refuse: it is not kept again. */
extern void forget_operand(TensorOperands *state, TensorOperand *operand, bool refuse);

/*
 * united_reader.c: makes, and ends, a copy of the operand whose scan also has the columns
 * that other operands need (columns_to_read).
 */
extern TensorOperand *begin_reader(TensorOperands *state, TensorOperand *operand,
								   const List *columns);
extern void end_reader(TensorOperands *state, TensorOperand *reader,
					   TensorOperand *operand);

/* operands.c */

/* Memory in a context, with a limit, for nests to allocate in. */
extern NestMemory nest_memory_of(MemoryContext context, Size limit);

/* kept_operands.c */

/* The store of the loop that runs this query; otherwise one for this query only. */
extern KeptOperands *find_kept_operands(const EState *estate);

/* Is a store for one query only? */
extern bool end_with_query(const KeptOperands *kept);

/*
 * Registers an operand of a node that will run as one that may share rows: to be called
 * for all operands before the first is read. give_up_operand ends that, after the operand
 * has been released.
 */
extern void want_operand(const TensorOperands *state, TensorOperand *operand);
extern void give_up_operand(KeptOperands *kept, TensorOperand *operand);

/*
 * Finds where the rows of an operand are kept, or will be; NULL if they cannot be, or if
 * no other operand needs them. Each caller has to release it; until then it stays.
 * refuse: the rows do not fit.
 */
extern KeptOperand *find_kept_operand(const TensorOperands *state,
									  const TensorOperand *operand);
extern void release_kept_operand(KeptOperands *kept, KeptOperand *operand, bool refuse);

/*
 * The coordinates of an operand that has been found; NULL: the rows have not been read, or
 * not in these columns.
 */
extern Coordinates *kept_coordinates(const KeptOperand *operand);

/* Have the rows been read, in whatever columns? */
extern bool has_kept_rows(const KeptOperand *operand);

/*
 * What is irregular in such coordinates: keys that were NULL in rows that are left out, keys
 * that equal others and are not identical, and whether tensors of a column differ in shape.
 */
extern void kept_irregularities(const KeptOperand *operand, uint32 *null_keys,
								uint32 *unlike_keys, bool *differ);

/* May others use the indexes of an operand that has been found there? */
extern bool shares_indexes(const TensorOperands *state, const TensorOperand *operand);

/* The dictionaries for keys of operands that may be kept. */
extern Dictionaries *kept_dictionaries(KeptOperands *kept);

/*
 * The columns to read for an operand and all others that need its rows, its own first: a
 * list of OperandColumn *. NIL if there are too many.
 */
extern List *columns_to_read(const KeptOperands *kept, const KeptOperand *operand);

/*
 * After reading these columns has failed: leaves out those that are only expected; false
 * if no column is.
 */
extern bool leave_expected_columns(const KeptOperands *kept, KeptOperand *operand);

/* Keeps the rows that a reader has read in these columns. */
extern void keep_rows(KeptOperands *kept, const TensorOperand *reader,
					  const List *columns);

/*
 * Makes an operand, which is not in use, read its rows without the columns of others from
 * now on.
 */
extern void read_alone(KeptOperands *kept, KeptOperand *operand);

/* The account of memory for kept coordinates. */
extern NestMemory *kept_accounts(KeptOperands *kept);

/*
 * The memory for that many more bytes of kept tensors; NULL if all together would exceed
 * the limit.
 */
extern ValueMemory *kept_value_memory(KeptOperands *kept, const KeptOperand *operand,
									  Size bytes, Size limit);

/* Reasons for the relational plan. */
#define UNLIKE_KEYS "equal keys are not identical"
#define MANY_KEYS "dictionaries of keys do not fit in memory"

/* parts.c */

/* Begins with about count parts, before operands are read. */
extern void begin_parts(TensorOperands *state, int count);

/* Closes all files of parts. */
extern void end_parts(TensorOperands *state);

/* Do all rows of an operand stay in memory, as far as that is known now? */
extern bool all_in_memory(const TensorOperands *state, const TensorOperand *operand);

/* The range whose file gets a row, or IN_MEMORY. */
#define IN_MEMORY (-1)
extern int range_of_row(const TensorOperands *state, const TensorOperand *operand,
						const int64 *keys);

/* Writes a row to the file of a range. */
extern void write_row(TensorOperands *state, TensorOperand *operand, int range,
					  const int64 *keys, const NestValue *values);

/*
 * Begins with count parts that processes share, in files that are shared by now; and with
 * one that all have written.
 */
extern void begin_scattering(TensorOperands *state, int count);
extern OperandPart *new_part(TensorOperands *state, int range, PartFile *file);

/* About the wanted number of parts, within what processes may share with this memory. */
extern int count_shared_ranges(double wanted);

/* Does some operand that every tuple needs have no rows in a part? */
extern bool rows_join_nothing(const TensorOperands *state, const OperandPart *part);

/*
 * Lets the rows of a single hash take more memory, if the relational plan can no longer
 * run. False otherwise.
 */
extern bool take_more_memory(TensorOperands *state);

/* Moves the rows of this part to files of shorter ones; false if that cannot be done. */
extern bool spill_part(TensorOperands *state);

/* Ends dividing, after the last row: the files become waiting parts. */
extern void end_dividing(TensorOperands *state);

/* Ends scattering, after the operands' scans have been read. Returns as read_operands. */
extern const char *end_scattering(TensorOperands *state);

/* Does no row of the streamed operand stay once it has been joined? */
static inline bool
is_streamed(const TensorOperands *state, const TensorOperand *operand)
{
	return state->stream >= 0 && operand == &state->operands[state->stream] &&
		   operand->kept == NULL && !state->plan.each_tuple;
}

/* sharing.c */

/* No memory is shared yet. */
extern OperandSharing *new_sharing(void);

/*
 * Translates the keys of a row from the process that wrote it to this process's numbers.
 */
extern void translate_keys(const TensorOperands *state, const TensorOperand *operand,
						   int writer, int64 *keys);

/* Frees the translations of other processes' keys. */
extern void forget_translations(TensorOperands *state);

/* Claims the next unclaimed part for this process; false if all are claimed. */
extern bool claim_part(TensorOperands *state);

#endif
