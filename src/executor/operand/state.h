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

#include "executor/column_rows.h"
#include "executor/operand/dictionary.h"
#include "executor/operand/kept_operands.h"
#include "executor/operand/operand.h"
#include "executor/operand/part_file.h"
#include "executor/operand/shared_dictionaries.h"
#include "type/tensor.h"

/* A value that kernels take, and how it is read. */
typedef struct OperandValue
{
	/* number in the nest; values without columns have an operand of their own */
	int operand;
	int column; /* of the operand's coordinates */
	Oid type;   /* the base type of the value */
	ExprState *expression;
	AttrNumber attribute; /* column of the child's row; 0: the expression is evaluated */
	/* what replaces it if a left join finds no row; NULL: nothing does */
	ExprState *fill;
	/* a tensor has been read; the last one had this shape and its number: */
	bool has_shape;
	TensorView shape;
	int number;
} OperandValue;

/* Memory for tensors, which are copied side by side. */
typedef struct ValueMemory
{
	MemoryContext context;
	Size bytes;  /* in all pieces */
	char *piece; /* what is left of the last piece */
	Size left;
} ValueMemory;

/* A column of an operand's rows: a column of the scanned rows, or an expression. */
typedef struct OperandColumn
{
	Node *expression; /* its Vars have relation number 1 */
	bool key;         /* false: a value */
	KeyKind kind;     /* of keys */
	Oid type;         /* the base type */
} OperandColumn;

/* Rows that several nodes, or queries that follow each other, share. */
typedef struct KeptOperand KeptOperand; /* kept_operands.c */

/* A column of an operand's rows that is a key. */
typedef struct OperandKeyColumn
{
	AttrNumber attribute; /* column of the child's row */
	Oid type;             /* the base type of the key */
	KeyKind kind;
	Dictionary *dictionary; /* NULL: integers */
	uint8 number;           /* the dictionary's number among the node's dictionaries */
	bool joined;            /* rows with a NULL in it join nothing */
	bool returned;          /* rows of the node have keys of it */
} OperandKeyColumn;

typedef struct TensorOperand
{
	OperandReader reader;
	/* NULL: a range of integers, or values that are the same for all tuples */
	Plan *scan;
	PlanState *child; /* runs the scan; NULL in processes that cannot run it */
	bool optional;
	int nkeys;
	OperandKeyColumn keys[NEST_MAX_KEYS];
	uint8 labels[NEST_MAX_KEYS]; /* of the keys */
	/* the key whose label divides rows into parts; -1: all parts need all rows */
	int part_key;
	int64 first; /* of a range: the first integer */
	int64 bound;
	bool range;
	int nvalues;
	OperandValue *values[NEST_MAX_VALUES];
	Coordinates *coordinates;
	/* the kept rows that the operand is registered for; NULL: it shares none */
	KeptOperand *wanted;
	int wants;         /* how often the operand may be read */
	bool streams;      /* its rows are streamed */
	KeptOperand *kept; /* the owner of the coordinates; NULL: the node */
	bool found;        /* another node or query had read the rows before */
	uint32 null_keys;  /* bit set of keys that were NULL in rows that are left out */
	/* bit set of keys that equal others in their dictionary, but are not identical */
	uint32 unlike_keys;
	int64 rows;    /* number of rows that the scan has returned */
	int64 joining; /* number of rows among them that may join something */
	bool wide;     /* a key is too large for four bytes */
	/*
	 * The key whose rows are runs of indices: it has the first one of each, and the last
	 * key, which no column of the child has, the last one. -1: rows have single indices.
	 */
	int run_key;
	/*
	 * The operand for which this one is a reader: it reads the columns of that operand,
	 * then those that others need. NULL: it is not a reader.
	 */
	const struct TensorOperand *united;
} TensorOperand;

/* A dictionary of a node's keys. */
typedef struct OperandDictionary
{
	Dictionary *dictionary;
	bool returned; /* rows of the node return keys of it */
} OperandDictionary;

/* The rows of a range of hashes of the parts' label, in a file. */
typedef struct OperandPart
{
	uint32 from; /* the first hash */
	uint32 to;   /* behind the last hash */
	PartFile *file;
	int64 rows[NEST_MAX_OPERANDS];
	Size value_bytes; /* of tensors that will be copied when the rows are read */
} OperandPart;

/* The most files that rows are divided into at a time. */
#define MOST_DIVIDED 64

/*
 * How rows that do not fit in memory are divided, by the hash of one label of the groups.
 * One part at a time is in memory.
 */
typedef struct OperandParts
{
	ResourceOwner owner;
	PartFiles *files; /* NULL: there are no files */
	RowLayout layouts[NEST_MAX_OPERANDS];
	uint32 from; /* from, to: the range of hashes that is being read, or is in memory */
	uint32 to;
	/*
	 * the rows of the first range (or all rows, if they are not divided) stay in memory
	 */
	bool resident;
	/*
	 * rows go to shared parts: one for each range, then one for rows that all parts need
	 */
	bool scattering;
	/* number of ranges that rows are divided into while they are read; 0: not divided */
	int count;
	/* by range: its rows in a file; NULL: it has none there */
	OperandPart *divided[MOST_DIVIDED + 1];
	List *waiting; /* of OperandPart *: parts to run, the next one last */
	/* rows that cannot be divided further may take more memory than the limit */
	bool last_resort;
} OperandParts;

/* Memory of a node's operands, from when they begin to be read. */
typedef struct OperandMemory
{
	MemoryContext context; /* parent of the contexts below; NULL: nothing has been read */
	NestMemory accounts;   /* of coordinates, indexes and accumulators */
	ValueMemory values_of_all;
	ValueMemory values_of_part; /* its context also has the nest */
	ValueMemory values_of_rows; /* of streamed rows: until they have been joined */
} OperandMemory;

/* The dictionaries of a node's keys. */
typedef struct OperandKeys
{
	int ndictionaries; /* 0: keys are integers, or the relational plan runs */
	OperandDictionary dictionaries[NEST_MAX_LABELS];
	bool forbidden; /* the user may not compare the keys of some dictionary */
} OperandKeys;

typedef struct OperandSharing OperandSharing; /* sharing.c */

/* The columns of an operand's child that are its keys and values. */
typedef struct ChildColumns
{
	ColumnSource source;
	int keys[NEST_MAX_KEYS];
	int values[NEST_MAX_VALUES];
	ColumnRows rows; /* the last ones that were read */
	int64 next;      /* the first one among them that has not been put into coordinates */
} ChildColumns;

struct TensorOperands
{
	CustomScanState *node;
	OperandsPlan plan;
	EState *estate;
	ExprContext *econtext;
	int eflags;
	/* of PlanState *: scans that have been replaced by scans with more columns */
	List *replaced;
	int noperands;
	TensorOperand operands[NEST_MAX_OPERANDS];
	int nvalues;
	OperandValue *values;
	KeptOperands *kept_operands; /* the store of the loop, or of the query */
	OperandKeys keys;
	OperandMemory memory;
	/*
	 * The operand whose rows are streamed in the order in which they are read, or -1. Its
	 * rows are joined as they are read and not kept, unless other operands share them or
	 * each tuple is a row. Nothing is written to files then.
	 */
	int stream;
	ChildColumns *open; /* where reading the streamed operand continues; NULL: nowhere */
	OperandParts parts;
	bool nothing;            /* no tuple is joined in any part */
	bool differ;             /* the tensors of some column differ in shape */
	bool committed;          /* the relational plan can no longer run */
	OperandSharing *sharing; /* what the processes of a parallel query share */
};

/* Fills in operands and values from the plan, and begins their scans. */
extern void begin_each_operand(TensorOperands *state);

/* Find and release the dictionaries of the operands' keys. */
extern void begin_keys(TensorOperands *state);
extern void end_keys(TensorOperands *state);

/* The type that a value has in its column of coordinates. */
extern NestValueType nest_value_type(const OperandValue *value);

/* Makes empty coordinates for an operand. */
extern void begin_coordinates(TensorOperands *state, TensorOperand *operand);

/*
 * Reads all rows of an operand's scan. Returns NULL or a reason, as read_operands does.
 */
extern const char *read_operand(TensorOperands *state, TensorOperand *operand);

/*
 * Reads the rows of a part's file and closes the file. Divides the rows if they do not
 * fit. Returns NULL or a reason.
 */
extern const char *read_part(TensorOperands *state, OperandPart *part);

/*
 * Is this operand inner-joined and without rows? For use after all operands have been
 * read.
 */
extern bool operand_joins_nothing(const TensorOperand *operand);

/* Notes the shape that a value has in another process. Returns NULL or a reason. */
extern const char *note_shape(TensorOperands *state, OperandValue *value,
							  const TensorView *shape);

/* Frees or releases the rows of an operand. refuse: they will not be kept again. */
extern void forget_operand(TensorOperands *state, TensorOperand *operand, bool refuse);

/*
 * united_reader.c: begin_reader makes a copy of an operand whose scan returns further
 * columns, which other operands need (columns_to_read); NULL if the scan cannot return
 * them. end_reader ends it.
 */
extern TensorOperand *begin_reader(TensorOperands *state, TensorOperand *operand,
								   const List *columns);
extern void end_reader(TensorOperands *state, TensorOperand *reader,
					   TensorOperand *operand);

/* operands.c */

/* An account that limits what nests allocate in a context. */
extern NestMemory nest_memory_of(MemoryContext context, Size limit);

/* kept_operands.c */

/* The store of the loop that runs this query; else the store of this query. */
extern KeptOperands *find_kept_operands(const EState *estate);

/* What the plan says of the rows that an operand shares (OPERAND_ROWS), or NIL. */
static inline List *
plan_of_rows(const TensorOperands *state, const TensorOperand *operand)
{
	return list_nth(list_nth(state->plan.operands, operand - state->operands),
					OPERAND_ROWS);
}

/* Is this the store of one query, rather than of a loop? */
extern bool end_with_query(const KeptOperands *kept);

/*
 * Registers an operand of a node that will run as one that may share rows. To be called
 * for all operands before the first one is read. give_up_operand ends the registration,
 * after the operand has released its rows.
 */
extern void want_operand(const TensorOperands *state, TensorOperand *operand);
extern void give_up_operand(KeptOperands *kept, TensorOperand *operand);

/*
 * Finds where the rows of an operand are kept, or will be; NULL if they cannot be kept,
 * or no other operand needs them. The result is valid until release_kept_operand. refuse:
 * the rows do not fit, and are not kept again.
 */
extern KeptOperand *find_kept_operand(const TensorOperands *state,
									  const TensorOperand *operand);
extern void release_kept_operand(KeptOperands *kept, KeptOperand *operand, bool refuse);

/*
 * The coordinates of a kept operand; NULL: its rows have not been read, or not in its
 * columns.
 */
extern Coordinates *kept_coordinates(const KeptOperand *operand);

/* Have the rows of a kept operand been read, in its own columns or others? */
extern bool has_kept_rows(const KeptOperand *operand);

/*
 * Returns what is irregular in kept coordinates: bit sets of keys that were NULL in rows
 * that are left out, and of keys that equal others and are not identical; and whether
 * tensors of a column differ in shape.
 */
extern void kept_irregularities(const KeptOperand *operand, uint32 *null_keys,
								uint32 *unlike_keys, bool *differ);

/* Do other operands use the indexes of this one? */
extern bool shares_indexes(const TensorOperands *state, const TensorOperand *operand);

/* The dictionaries of keys in kept operands. */
extern Dictionaries *kept_dictionaries(KeptOperands *kept);

/*
 * Returns the columns to read for a kept operand and all others that need its rows, its
 * own first: a list of OperandColumn *. NIL if there are too many.
 */
extern List *columns_to_read(const KeptOperand *operand);

/*
 * To be called if reading columns_to_read has failed: leaves out those that are only
 * expected; false if no column is.
 */
extern bool leave_expected_columns(KeptOperand *operand);

/* Keeps the rows that a reader has read, with these columns. */
extern void keep_rows(KeptOperands *kept, const TensorOperand *reader,
					  const List *columns);

/* Makes a kept operand, which is not in use, read its own columns only from now on. */
extern void read_alone(KeptOperands *kept, KeptOperand *operand);

/* The account of memory for kept coordinates. */
extern NestMemory *kept_accounts(KeptOperands *kept);

/*
 * Returns memory for bytes more bytes of kept tensors; NULL if all kept tensors together
 * would then exceed the limit.
 */
extern ValueMemory *kept_value_memory(KeptOperands *kept, const KeptOperand *operand,
									  Size bytes, Size limit);

/* Reasons to run the relational plan. */
#define UNLIKE_KEYS "equal keys are not identical"
#define MANY_KEYS "dictionaries of keys do not fit in memory"

/* parts.c */

/* Divides rows into about count parts, before operands are read. */
extern void begin_parts(TensorOperands *state, int count);

/* Closes all files of parts. */
extern void end_parts(TensorOperands *state);

/* Do all rows of an operand stay in memory, as far as is known until now? */
extern bool all_in_memory(const TensorOperands *state, const TensorOperand *operand);

/* Returns the range whose file a row is written to, or IN_MEMORY. */
#define IN_MEMORY (-1)
extern int range_of_row(const TensorOperands *state, const TensorOperand *operand,
						const int64 *keys);

/* Writes a row to the file of a range. */
extern void write_row(TensorOperands *state, TensorOperand *operand, int range,
					  const int64 *keys, const NestValue *values);

/*
 * Divides rows into count shared parts and one part of rows that all parts need; the
 * files are already shared. new_part makes the part of a range, with its file.
 */
extern void begin_scattering(TensorOperands *state, int count);
extern OperandPart *new_part(TensorOperands *state, int range, PartFile *file);

/*
 * Returns about the wanted number of shared parts, as many as the memory for files
 * allows.
 */
extern int count_shared_ranges(double wanted);

/* Does an inner-joined operand have no rows in a part? */
extern bool rows_join_nothing(const TensorOperands *state, const OperandPart *part);

/*
 * Allows rows that cannot be divided to take more memory than the limit, if the
 * relational plan can no longer run; false if it still can.
 */
extern bool take_more_memory(TensorOperands *state);

/*
 * Moves the rows of the current part to files of shorter parts; false if that is
 * impossible.
 */
extern bool spill_part(TensorOperands *state);

/* Ends dividing rows, after the last one: the files become waiting parts. */
extern void end_dividing(TensorOperands *state);

/*
 * Ends dividing rows, after the operands' scans have been read, and divides parts that
 * are still too large. Returns NULL or a reason.
 */
extern const char *end_scattering(TensorOperands *state);

/* Are the rows of this operand forgotten once they have been joined? */
static inline bool
is_streamed(const TensorOperands *state, const TensorOperand *operand)
{
	return state->stream >= 0 && operand == &state->operands[state->stream] &&
		   operand->kept == NULL && !state->plan.each_tuple;
}

/* sharing.c */

/* Makes the sharing of a node that shares no memory yet. */
extern OperandSharing *new_sharing(void);

/*
 * Replaces the numbers of a row's keys in the process that wrote it by this process's
 * numbers.
 */
extern void translate_keys(const TensorOperands *state, const TensorOperand *operand,
						   int writer, int64 *keys);

/* Frees the translations of other processes' keys. */
extern void forget_translations(TensorOperands *state);

/* Claims the next unclaimed part for this process; false if all are claimed. */
extern bool claim_part(TensorOperands *state);

#endif
