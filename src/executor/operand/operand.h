/*-------------------------------------------------------------------------
 *
 * operand.h
 *	  The operands of a loop nest: rows of scans, as coordinates in memory.
 *
 * A node has a set of operands. Here they are read, their keys are numbered, rows that do
 * not fit go to parts in files, processes share them, and other nodes and later queries
 * find them. The node joins what is there.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_OPERAND_H
#define EXECUTOR_OPERAND_OPERAND_H

#include "postgres.h"

#include "commands/explain.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "storage/dsm.h"

#include "executor/operand/dictionary.h"
#include "executor/operand/operand_plan.h"
#include "kernels/nest/nest.h"

/*
 * All operands of a node. Functions that return a reason return NULL, or why the
 * relational plan has to run.
 */
typedef struct TensorOperands TensorOperands;

/* What the plan of the operands' node says about them. */
typedef struct OperandsPlan
{
	List *operands; /* a List for each operand: operand_plan.h */
	List *values;   /* a List for each value: operand_plan.h */
	/* IntList: the labels whose keys the node returns; other numbers are negative */
	List *returned;
	int part_label; /* the label whose hash divides rows into parts, or -1 */
	int parts;      /* the expected number of parts */
	int stream;     /* the operand whose rows are joined as they are read, or -1 */
	/* each joined tuple is a row, which may return an operand's tensor unchanged */
	bool each_tuple;
	bool parallel;  /* each process of a parallel query returns its share of the rows */
	bool by_leader; /* only the leader can run the relational plan of a parallel query */
	/*
	 * Joins the streamed rows that have been read, and returns a reason. *enough: there
	 * are groups that can be returned before further rows are read.
	 */
	const char *(*join_streamed)(CustomScanState *node, bool *enough);
} OperandsPlan;

/* What a process has done, for EXPLAIN. */
typedef struct WorkCounts
{
	int64 parts; /* parts that have been run */
	int64 bytes; /* written to files */
	int64 tuples;
} WorkCounts;

/*
 * Reasons: dividing rows into parts may avoid TOO_LARGE, nothing avoids FORBIDDEN_KEYS.
 */
#define TOO_LARGE "operands do not fit in memory"
#define FORBIDDEN_KEYS "keys may not be compared"

/*
 * Begins the operands of a node and their scans, which become the node's children
 * (custom_ps) in the order of its plan. Registers the operands, so that other nodes of
 * the query can share their rows.
 */
extern TensorOperands *begin_operands(CustomScanState *node, const OperandsPlan *plan,
									  int eflags);

/* Releases the rows that have been read; the operands will not be read again. */
extern void give_up_operands(TensorOperands *state);

/* Ends the operands, but not their scans, which the node ends as its children. */
extern void end_operands(TensorOperands *state);

/*
 * Frees all rows that have been read and their memory, so that reading can begin again.
 */
extern void forget_operands(TensorOperands *state);

/* Begins to read: makes memory for rows, and as many parts as are expected. */
extern void begin_reading(TensorOperands *state);

/* The context of that memory, which exists until forget_operands; else NULL. */
extern MemoryContext operands_memory(const TensorOperands *state);

/*
 * part_memory: a context that is reset when the current part is left. operands_account:
 * the account of memory for rows, indexes and accumulators.
 */
extern MemoryContext part_memory(const TensorOperands *state);
extern NestMemory *operands_account(TensorOperands *state);

/*
 * Reads the operands that have not been read, but stops as soon as it is known that no
 * tuple is joined. Returns a reason.
 */
extern const char *read_operands(TensorOperands *state);

/*
 * Has reading of the streamed operand been interrupted, since groups can be returned?
 * continue_stream reads on until there are further groups; returns a reason.
 */
extern bool stream_is_open(const TensorOperands *state);
extern const char *continue_stream(TensorOperands *state);

/*
 * Does an inner-joined operand have no rows, in all that was read, or in the current
 * part?
 */
extern bool operands_join_nothing(const TensorOperands *state);
extern bool part_joins_nothing(const TensorOperands *state);

/*
 * Evaluates the values without columns; to be called when there are rows to join them
 * with. Returns a reason.
 */
extern const char *read_all_constants(TensorOperands *state);

/*
 * Adds the operands to a nest's description, with the values that left joins use for
 * missing rows. Returns a reason.
 */
extern const char *describe_operands(TensorOperands *state, NestDescription *description);

/*
 * Finds the operand of the nest that has a value, and the value's column in the operand.
 */
extern void find_value(const TensorOperands *state, int value, int *operand, int *column);

/* Do the tensors in one of the columns differ in shape? */
extern bool values_differ(const TensorOperands *state);

/* The dictionary of a label's keys; NULL if they are integers. */
extern const Dictionary *label_dictionary(const TensorOperands *state, int label);

/* Is the user not allowed to call the equality of some keys? */
extern bool keys_are_forbidden(const TensorOperands *state);

/* Are rows of an operand joined as they are read, and then freed? */
extern bool rows_are_streamed(const TensorOperands *state);

/*
 * The operand whose rows the nest may take in the order in which they were read, without
 * an index; -1: no operand.
 */
extern int operand_to_stream(const TensorOperands *state);

/* Parts */

/*
 * Reads the rows of the next waiting part into memory, if there is one. Returns a reason.
 */
extern const char *load_part(TensorOperands *state);

/*
 * Makes sure that a part is waiting, if need be by claiming a shared one; false if there
 * are no more parts.
 */
extern bool find_part(TensorOperands *state);

/*
 * Forgets the rows of the current part; its nest has been freed before. If rows of the
 * node have been returned, the relational plan can no longer run.
 */
extern void leave_part(TensorOperands *state, bool returned);

/*
 * Frees memory when a part does not fit: divides the part or moves rows elsewhere, and
 * rescans what has to be read again. False if nothing can be done. divisible: the part
 * may become shorter.
 */
extern bool make_room(TensorOperands *state, bool divisible);

/* Can the relational plan no longer run, here or in another process? */
extern bool is_committed(const TensorOperands *state);

/* Have rows been written to files, or will they be? */
extern bool is_divided(const TensorOperands *state);

/* The number of bytes written to files; -1 if there are no files. */
extern int64 spilled_bytes(const TensorOperands *state);

/* The processes of a parallel query (sharing.c) */

/*
 * Returns the bytes of shared memory for nworkers workers. begin_sharing initialises it
 * in the leader, without rows; attach_sharing attaches a worker to it.
 */
extern Size sharing_size(TensorOperands *state, int nworkers);
extern void begin_sharing(TensorOperands *state, int nworkers, dsm_segment *segment,
						  void *memory);
extern void attach_sharing(TensorOperands *state, void *memory);

/* Do processes share these operands? */
extern bool is_shared(const TensorOperands *state);

/* Empties the shared memory, while no process reads or writes. */
extern void clear_sharing(TensorOperands *state);

/* Ends the use of shared memory, before it is freed. */
extern void end_sharing(TensorOperands *state);

/*
 * Does an operand that only the leader reads depend on parameters? Before workers are
 * launched, the executor may not have set these yet. rescan_leaders rescans such
 * operands.
 */
extern bool leaders_vary(const TensorOperands *state);
extern void rescan_leaders(TensorOperands *state);

/*
 * Reads in the leader, before workers are launched, the operands that only the leader can
 * read, and writes them to shared parts. So no worker has to wait for them.
 */
extern void write_for_workers(TensorOperands *state);

/*
 * Makes this query's DSA area the executor's again, after a parallel query inside this
 * query has replaced it.
 */
extern void restore_area(TensorOperands *state);

/*
 * Reads this process's share of the operands into shared parts, and waits for the other
 * processes. False if this process came too late: the others have already agreed (see
 * agree).
 */
extern bool share_operands(TensorOperands *state);

/* Reads the rows that all parts need, after share_operands. Returns a reason. */
extern const char *read_shared(TensorOperands *state);

/*
 * Publishes why the relational plan has to run in this process's view, or NULL, and waits
 * for the other processes.
 */
extern void agree(TensorOperands *state, const char *reason);

/* Why one of the processes has published that the relational plan has to run, or NULL. */
extern const char *shared_reason(const TensorOperands *state);

/* Claims to run the relational plan; false if another process has claimed it. */
extern bool claim_relational(const TensorOperands *state);

/*
 * publish_counts publishes what this process has done; all_counts returns the sum of what
 * all processes have published, for EXPLAIN.
 */
extern void publish_counts(TensorOperands *state, WorkCounts counts);
extern WorkCounts all_counts(const TensorOperands *state);

/*
 * Show in EXPLAIN (explain.c) the labels whose keys have dictionaries, and the operands
 * that are shared with other nodes or queries. labels: the names of all labels.
 */
extern void explain_dictionaries(const TensorOperands *state, const List *labels,
								 ExplainState *es);
extern void explain_kept(const TensorOperands *state, ExplainState *es);

#endif
