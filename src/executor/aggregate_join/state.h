/*-------------------------------------------------------------------------
 *
 * state.h
 *	  A running AggregateJoin.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_AGGREGATE_JOIN_STATE_H
#define EXECUTOR_AGGREGATE_JOIN_STATE_H

#include "postgres.h"

#include "commands/explain.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "storage/dsm.h"
#include "utils/dsa.h"

#include "executor/aggregate_join/aggregate_join.h"
#include "executor/aggregate_join/dictionary.h"
#include "executor/aggregate_join/kept_operands.h"
#include "executor/aggregate_join/part_file.h"
#include "executor/aggregate_join/shared_dictionaries.h"
#include "executor/column_rows.h"
#include "type/tensor.h"

/* A value that kernels take, while the operands are read. */
typedef struct JoinValue
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
} JoinValue;

/* Memory for tensors, which are copied side by side. */
typedef struct ValueMemory
{
	MemoryContext context;
	Size bytes;  /* in all */
	char *piece; /* what is left of the last piece */
	Size left;
} ValueMemory;

/* Rows that operands of several nodes, or of queries which follow each other, read in some columns each. */
typedef struct KeptRows
{
	MemoryContext memory; /* of this and of the tensors */
	List *key;            /* identifies the rows: operand_key.h */
	List *tables;         /* OidList: those they were read from; NIL: rows that stay */
	Oid table;            /* as in OperandKey */
	List *operands;       /* of KeptOperand * */
	bool alone;           /* they have the columns of one operand only */
	bool unexpected;      /* reading columns that were only expected has failed */
	Coordinates *coordinates; /* of all columns that operands need; NULL: not read yet */
	List *columns;            /* of OperandColumn *: those, keys and values mixed */
	List *dictionaries;       /* of Dictionary *: of the keys in the coordinates */
	uint32 null_keys;         /* the keys that were NULL in rows which were left out */
	uint32 unlike_keys; /* the keys that equal others in their dictionary, but are not
						 * identical */
	ValueMemory values;
} KeptRows;

/*
 * Some columns of KeptRows: an operand that several nodes, or queries which follow each
 * other, have in common.
 */
typedef struct KeptOperand
{
	KeptRows *rows;
	List *columns; /* of OperandColumn *: as in OperandKey */
	int64 used;    /* the age at which it was used last */
	int users;     /* nodes that are running */
	int wanted;    /* operands of the query's nodes that may use it */
	int streamed;  /* those of them that stream its rows, without an index */
	bool refused;  /* it does not fit */
	uint32 null_keys;
	uint32 unlike_keys;
	bool differ; /* the tensors of some column in shape */
	Coordinates
		*coordinates; /* NULL: the rows have not been read, or not in these columns */
} KeptOperand;

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

typedef struct JoinOperand
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
	JoinValue *values[NEST_MAX_VALUES];
	Coordinates *coordinates;
	KeptOperand *wanted; /* the rows that it may share; NULL: none */
	int wants;           /* how often it may be read */
	bool streams;        /* it streams its rows */
	KeptOperand *kept;   /* the owner of the coordinates; NULL: the node */
	bool found;          /* its rows had been read before */
	uint32 null_keys;    /* the keys that were NULL in rows which were left out */
	uint32 unlike_keys;  /* see KeptRows */
	int64 rows;          /* rows that its scan has returned */
	int64 joining;       /* the rows of these that may join something */
	bool wide;           /* a key needs eight bytes */
	/*
	 * The operand that this one reads for, with its columns first and those of others
	 * behind them. NULL: it reads for itself.
	 */
	const struct JoinOperand *united;
} JoinOperand;

/* A dictionary of a node's keys. */
typedef struct JoinDictionary
{
	Dictionary *dictionary;
	bool returned; /* rows of the node have keys of it */
} JoinDictionary;

/* Rows with some hashes of the parts' label, in a file. */
typedef struct JoinPart
{
	uint32 from; /* hashes from */
	uint32 to;   /* to this one, exclusive */
	PartFile *file;
	int64 rows[NEST_MAX_OPERANDS];
	Size value_bytes; /* of tensors that are copied when they are read */
} JoinPart;

/* Files that rows are divided into at a time, at the most. */
#define MOST_DIVIDED 64

/*
 * Data that does not fit in memory is divided by the hash of one label of the groups. One
 * part at a time is in memory.
 */
typedef struct JoinParts
{
	int label; /* -1: there can be no parts */
	ResourceOwner owner;
	PartFiles *files; /* NULL: no files */
	RowLayout layouts[NEST_MAX_OPERANDS];
	uint32 from; /* hashes of the rows that are being read, or are in memory */
	uint32 to;
	bool resident; /* those of the first range, or all, are or will be in memory */
	bool
		scattering; /* rows go to parts that processes share; what all parts need is one behind the ranges */
	int count; /* ranges that rows are divided into while they are read; 0: they are not */
	JoinPart *divided[MOST_DIVIDED + 1]; /* those ranges; NULL: has no rows in a file */
	List *waiting;                       /* of JoinPart: the next one last */
	bool last_resort; /* rows of one index that do not fit take more memory */
} JoinParts;

/* A column of the scan tuple. */
typedef struct JoinOutput
{
	int key;                      /* of the groups' keys, or -1 */
	const Dictionary *dictionary; /* of the key, or NULL */
	int aggregate;                /* of the nest; -1: the number of tuples */
	Oid type;
} JoinOutput;

/* Groups that have been copied. */
typedef struct JoinBatch
{
	NestGroups groups;
	struct JoinBatch *next;
} JoinBatch;

/* What a process has done, for EXPLAIN. */
typedef struct JoinCounts
{
	int64 parts; /* that it has run */
	int64 bytes; /* written to files */
	int64 tuples;
} JoinCounts;

/* What becomes of the joined tuples: groups and aggregates, or rows. */
typedef struct JoinGrouping
{
	bool grouped;    /* there is no group if nothing is joined */
	bool each_tuple; /* is a row: nothing is aggregated */
	int nlabels;
	int ngroups; /* labels of the groups */
	uint8 groups[NEST_MAX_LABELS];
	int naggregates; /* of the nest */
	ExprState
		*stack_fills[NEST_MAX_AGGREGATES]; /* by aggregate of the plan; NULL: none */
} JoinGrouping;

/* Memory of a node, from when it begins to read. */
typedef struct JoinMemory
{
	MemoryContext context; /* of all below; NULL: nothing has been read */
	NestMemory accounts;   /* coordinates, indexes and accumulators */
	ValueMemory values_of_all;
	ValueMemory values_of_part; /* its context has the nest, too */
	ValueMemory values_of_rows; /* that are streamed: until they have been joined */
} JoinMemory;

/* The groups of a part, and which of them have been returned. */
typedef struct JoinResults
{
	int noutputs;
	JoinOutput *outputs;
	NestGroups batch;
	int64 next;     /* group of the batch */
	bool has_batch; /* that is the first, and has not been looked at */
	bool empty;     /* nothing is joined, in this part */
	bool exhausted; /* there are no more groups */
	bool returned;  /* a row */
	/* where all groups are computed before the first is returned */
	bool keeps_groups;
	JoinBatch *batches;
	JoinBatch *kept; /* the current one; NULL: before the first */
} JoinResults;

/* The dictionaries of a node's keys. */
typedef struct JoinKeys
{
	int ndictionaries; /* 0: keys are integers, or the relational plan runs */
	JoinDictionary dictionaries[NEST_MAX_LABELS];
	bool forbidden; /* the user may not compare the keys */
} JoinKeys;

/* A node that the processes of a parallel query run together (sharing.c). */
typedef struct JoinSharing
{
	bool parallel;  /* each process returns its share of the rows */
	bool by_leader; /* who alone can run the relational plan, then */
	struct SharedJoin
		*shared;       /* what the processes share; NULL: there is only this one */
	dsa_area *area;    /* of that */
	int nranges;       /* parts of it */
	JoinCounts counts; /* of all processes, once they have ended */
	int ntranslations; /* of the keys of all writers, writer by writer; 0: none have been read */
	KeyTranslation *translations;
	bool agreed;    /* among the processes, that the relational plan does not run */
	int nclaimable; /* of its parts, */
	uint8 claimable[MOST_DIVIDED]; /* the largest first */
} JoinSharing;

typedef struct AggregateJoinState
{
	union
	{
		CustomScanState css;
		ColumnNode columns;
	};
	int eflags;
	List *
		replaced; /* of PlanState *: scans that others have taken the place of, with more columns */
	ExprState *gates;
	JoinGrouping grouping;
	int noperands;
	JoinOperand operands[NEST_MAX_OPERANDS];
	int nvalues;
	JoinValue *values;
	KeptOperands *kept_operands; /* of the loop, or of the query */
	JoinKeys keys;
	JoinMemory memory;
	/*
	 * An operand whose rows are streamed in the order in which they are read, or -1: as
	 * they are read, and not kept, unless others want them or each tuple is a row. There
	 * are no files then.
	 */
	int stream;
	JoinParts parts;
	JoinCounts done; /* in parts before this one; the bytes are those of parts.files */
	bool nothing;    /* is joined in any part */
	bool differ;     /* the tensors of some column in shape */
	Nest *nest;
	NestStatus status;
	JoinResults results;
	JoinSharing sharing;
	PlanState *relational; /* NULL: not needed yet */
	const char *reason;    /* for it */
} AggregateJoinState;

/* Fills in operands, values and outputs from the plan. */
extern void begin_description(AggregateJoinState *state);

/* Finds, and releases, the dictionaries of the operands' keys. */
extern void begin_keys(AggregateJoinState *state);
extern void end_keys(AggregateJoinState *state);

/* The type of a value in its column of coordinates. */
extern NestValueType nest_value_type(const JoinValue *value);

/* Makes coordinates without rows for an operand. */
extern void begin_coordinates(AggregateJoinState *state, JoinOperand *operand);

/*
 * Reads the operands that have not been read. Returns NULL, or the reason for the
 * relational plan to run. Sets state->nothing if an operand that every tuple needs has no
 * rows; then the others are not read.
 */
extern const char *read_operands(AggregateJoinState *state);

/* Reads all rows of an operand's scan. Returns as read_operands. */
extern const char *read_operand(AggregateJoinState *state, JoinOperand *operand);

/*
 * Reads the rows of a part's file and closes it; divides the rows if they do not fit.
 * Returns as read_operands.
 */
extern const char *read_part(AggregateJoinState *state, JoinPart *part);

/*
 * Does every tuple need this operand, and has it no rows? For use after all operands have
 * been read.
 */
extern bool operand_joins_nothing(const JoinOperand *operand);

/*
 * Notes the shape that a column's values have in another process. Returns as
 * read_operands.
 */
extern const char *note_shape(AggregateJoinState *state, JoinValue *value,
							  const TensorView *shape);

/* Frees what was read of an operand. refuse: it is not kept again. */
extern void forget_operand(AggregateJoinState *state, JoinOperand *operand, bool refuse);

/*
 * united_reader.c: makes, and ends, a copy of the operand whose scan also has the columns
 * that other operands need (columns_to_read).
 */
extern JoinOperand *begin_reader(AggregateJoinState *state, JoinOperand *operand,
								 const List *columns);
extern void end_reader(AggregateJoinState *state, JoinOperand *reader,
					   JoinOperand *operand);

/* exec.c */

/*
 * Bytes of a nest's buffers. Like those of PostgreSQL's nodes they are in addition to the
 * memory for rows, so that parts may be as small as they have to be.
 */
#define NEST_BYTES ((Size) 128 * 1024)

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
extern void want_operand(const AggregateJoinState *state, JoinOperand *operand);
extern void give_up_operand(KeptOperands *kept, JoinOperand *operand);

/*
 * Finds where the rows of an operand are kept, or will be; NULL if they cannot be, or if
 * no other operand needs them. Each caller has to release it; until then it stays.
 * refuse: the rows do not fit.
 */
extern KeptOperand *find_kept_operand(const AggregateJoinState *state,
									  const JoinOperand *operand);
extern void release_kept_operand(KeptOperands *kept, KeptOperand *operand, bool refuse);

/* May others use the indexes of an operand that has been found there? */
extern bool shares_indexes(const AggregateJoinState *state, const JoinOperand *operand);

/* The dictionaries for keys of operands that may be kept. */
extern Dictionaries *kept_dictionaries(KeptOperands *kept);

/*
 * The columns to read for an operand and all others that need its rows, its own first: a
 * list of OperandColumn *. NIL if there are too many.
 */
extern List *columns_to_read(const KeptOperands *kept, const KeptOperand *operand);

/*
 * After reading these columns has failed: leaves out those that are only expected; false if
 * no column is.
 */
extern bool leave_expected_columns(const KeptOperands *kept, KeptOperand *operand);

/* Keeps the rows that a reader has read in these columns. */
extern void keep_rows(KeptOperands *kept, const JoinOperand *reader, const List *columns);

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

/* A reason for the relational plan that loops over all operands cannot avoid. */
#define SEVERAL_ROWS "an operand has a key several times"

/* Such reasons that concern keys. */
#define UNLIKE_KEYS "equal keys are not identical"
#define MANY_KEYS "dictionaries of keys do not fit in memory"
#define FORBIDDEN_KEYS "keys may not be compared"

/* Reasons that parts may avoid. */
#define TOO_LARGE "operands do not fit in memory"
#define NO_MEMORY "groups do not fit in memory"

/* parts.c */

/* Begins with about count parts, before operands are read. */
extern void begin_parts(AggregateJoinState *state, int count);

/* Closes all files of parts. */
extern void end_parts(AggregateJoinState *state);

/* Do all rows of an operand stay in memory, as far as that is known now? */
extern bool all_in_memory(const AggregateJoinState *state, const JoinOperand *operand);

/* The range whose file gets a row, or IN_MEMORY. */
#define IN_MEMORY (-1)
extern int range_of_row(const AggregateJoinState *state, const JoinOperand *operand,
						const int64 *keys);

/* Writes a row to the file of a range. */
extern void write_row(AggregateJoinState *state, JoinOperand *operand, int range,
					  const int64 *keys, const NestValue *values);

/*
 * Begins with count parts that processes share, in files that are shared by now; and with
 * one that all have written.
 */
extern void begin_scattering(AggregateJoinState *state, int count);
extern JoinPart *new_part(AggregateJoinState *state, int range, PartFile *file);

/* About the wanted number of parts, within what processes may share with this memory. */
extern int count_shared_ranges(double wanted);

/* Does some operand that every tuple needs have no rows in a part? */
extern bool part_joins_nothing(const AggregateJoinState *state, const JoinPart *part);

/*
 * Lets the rows of a single hash take more memory, if the relational plan can no longer
 * run. False otherwise.
 */
extern bool take_more_memory(AggregateJoinState *state);

/* Moves the rows of this part to files of shorter ones; false if that cannot be done. */
extern bool spill_part(AggregateJoinState *state);

/* Ends dividing, after the last row: the files become waiting parts. */
extern void end_dividing(AggregateJoinState *state);

/* Ends scattering, after the operands' scans have been read. Returns as read_operands. */
extern const char *end_scattering(AggregateJoinState *state);

/* Reads the next part, if there is one, to run in memory. */
extern const char *load_part(AggregateJoinState *state);

/* Are rows written to files, now or before? */
static inline bool
is_divided(const AggregateJoinState *state)
{
	return state->parts.count > 1 || state->parts.files;
}

/* Makes the nest of the rows that were read. Returns as read_operands. */
extern const char *make_nest(AggregateJoinState *state);

/* Does no row of the streamed operand stay once it has been joined? */
static inline bool
is_streamed(const AggregateJoinState *state, const JoinOperand *operand)
{
	return state->stream >= 0 && operand == &state->operands[state->stream] &&
		   operand->kept == NULL && !state->grouping.each_tuple;
}

/* Joins the streamed rows that have been read. Returns as read_operands. */
extern const char *join_streamed_rows(AggregateJoinState *state);

/*
 * Evaluates the values without columns, once there are rows to join with. Returns as
 * read_operands.
 */
extern const char *read_all_constants(AggregateJoinState *state);

/*
 * Adds the operands to a nest's description, with the values that left joins use for
 * missing rows.
 */
extern const char *describe_operands(AggregateJoinState *state,
									 NestDescription *description);

/*
 * Makes the first groups. Returns as read_operands. Afterwards the nest's status is that
 * there are groups, or that it is done.
 */
extern const char *run_nest(AggregateJoinState *state);

/* Finds groups of the current part that have not been returned; false if all have been. */
extern bool go_to_groups(AggregateJoinState *state);

/* Are the columns of the scan tuple integers and numbers, none of them NULL, as the nest has them? */
extern bool groups_are_columns(const AggregateJoinState *state);

/* Returns the groups of the current batch as columns. */
extern void take_groups(AggregateJoinState *state, ColumnRows *rows);

/* Puts the next group into the slot; false behind the last. */
extern bool next_group(AggregateJoinState *state, TupleTableSlot *slot);

/* Starts again from the first group. */
extern void rewind_groups(AggregateJoinState *state);

/* sharing.c: the processes of a parallel query */

/*
 * The size of shared memory with nworkers workers; then its initialisation, without rows.
 */
extern Size sharing_size(AggregateJoinState *state, int nworkers);
extern void begin_sharing(AggregateJoinState *state, int nworkers, dsm_segment *segment,
						  void *memory);
extern void attach_sharing(AggregateJoinState *state, void *memory);

/* Empties what is shared, while no process reads or writes. */
extern void clear_sharing(AggregateJoinState *state);

/*
 * Writes what only the leader can read, before workers are launched. Otherwise the leader
 * would read that while others wait.
 */
extern void write_for_workers(AggregateJoinState *state);

/*
 * Publishes what this process has done, for EXPLAIN; and adds up what all processes have
 * published.
 */
extern void publish_counts(AggregateJoinState *state);
extern JoinCounts all_counts(const AggregateJoinState *state);

/*
 * Writes this process's share of the operands, and waits for the others. False if they
 * have already agreed, since it came too late.
 */
extern bool share_operands(AggregateJoinState *state);

/* Then reads what all parts need. Returns as read_operands. */
extern const char *read_shared(AggregateJoinState *state);

/* Translates the keys of a row from the process that wrote it to this process's numbers. */
extern void translate_keys(const AggregateJoinState *state, const JoinOperand *operand,
						   int writer, int64 *keys);

/* Frees the translations of other processes' keys. */
extern void forget_translations(AggregateJoinState *state);

/* Claims the next unclaimed part for this process; false if all are claimed. */
extern bool claim_part(AggregateJoinState *state);

/*
 * Publishes this process's reason for the relational plan, or NULL, and waits for the
 * others.
 */
extern void agree(AggregateJoinState *state, const char *reason);

/* Why the relational plan has to run, or NULL. */
extern const char *shared_reason(const AggregateJoinState *state);
/* Claims to run the relational plan; false if another process has. */
extern bool claim_relational(const AggregateJoinState *state);

/* exec.c: what this process has done since it has begun to read. */
extern JoinCounts count_work(const AggregateJoinState *state);

extern void explain_aggregate_join(CustomScanState *node, List *ancestors,
								   ExplainState *es);

#endif
