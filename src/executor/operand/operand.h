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
#ifndef EXECUTOR_OPERAND_H
#define EXECUTOR_OPERAND_H

#include "postgres.h"

#include "commands/explain.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "storage/dsm.h"

#include "executor/operand/dictionary.h"
#include "executor/operand/operand_plan.h"
#include "kernels/nest/nest.h"

/* All operands of a node. Functions that return a reason return NULL if all is well. */
typedef struct TensorOperands TensorOperands;

/* What the plan of their node says. */
typedef struct OperandsPlan
{
	List *operands;  /* a List for each: operand_plan.h */
	List *values;    /* a List for each: operand_plan.h */
	List *returned;  /* IntList: the labels in rows of the node; others are negative */
	int part_label;  /* by whose hash there may be parts, or -1 */
	int parts;       /* expected */
	int stream;      /* the operand whose rows are joined as they are read, or -1 */
	bool each_tuple; /* is a row, which may have an operand's tensor as it is */
	bool parallel;   /* each process returns its share of the rows */
	bool by_leader;  /* who alone can run the relational plan, then */
	/* Joins the streamed rows that have been read, and returns a reason. */
	const char *(*join_streamed)(CustomScanState *node);
} OperandsPlan;

/* What a process has done, for EXPLAIN. */
typedef struct WorkCounts
{
	int64 parts; /* that it has run */
	int64 bytes; /* written to files */
	int64 tuples;
} WorkCounts;

/* Reasons that parts may avoid, and one that nothing can. */
#define TOO_LARGE "operands do not fit in memory"
#define FORBIDDEN_KEYS "keys may not be compared"

/*
 * Begins the operands of a node, and their scans, which become its children (custom_ps)
 * in the order of its plan. Other nodes of the query learn which rows are wanted.
 */
extern TensorOperands *begin_operands(CustomScanState *node, const OperandsPlan *plan,
									  int eflags);

/* Ends the use of what was read; it will not be read again. */
extern void give_up_operands(TensorOperands *state);

/* Ends what is not a child of the node. */
extern void end_operands(TensorOperands *state);

/* Forgets all that was read, and the memory with it. */
extern void forget_operands(TensorOperands *state);

/* Makes memory for rows, and as many parts as are expected. */
extern void begin_reading(TensorOperands *state);

/* The memory from then on, until all is forgotten; else NULL. */
extern MemoryContext operands_memory(const TensorOperands *state);

/*
 * Memory until the part is forgotten; and the account of rows, indexes and accumulators.
 */
extern MemoryContext part_memory(const TensorOperands *state);
extern NestMemory *operands_account(TensorOperands *state);

/*
 * Reads the operands that have not been read, or as many as it takes to know that nothing
 * is joined. Returns a reason.
 */
extern const char *read_operands(TensorOperands *state);

/*
 * Has an operand that every tuple needs no rows: in all that was read, or in this part?
 */
extern bool operands_join_nothing(const TensorOperands *state);
extern bool part_joins_nothing(const TensorOperands *state);

/*
 * Evaluates the values without columns, once there are rows to join with. Returns a
 * reason.
 */
extern const char *read_all_constants(TensorOperands *state);

/*
 * Adds the operands to a nest's description, with the values that left joins use for
 * missing rows. Returns a reason.
 */
extern const char *describe_operands(TensorOperands *state, NestDescription *description);

/* The operand of the nest that a value is of, and its column there. */
extern void find_value(const TensorOperands *state, int value, int *operand, int *column);

/* Do the tensors of some column differ in shape? */
extern bool values_differ(const TensorOperands *state);

/* The dictionary of a label's keys; NULL if they are integers. */
extern const Dictionary *label_dictionary(const TensorOperands *state, int label);

/* May the user not compare some of the keys? */
extern bool keys_are_forbidden(const TensorOperands *state);

/* Are rows joined as they are read, and then forgotten? */
extern bool rows_are_streamed(const TensorOperands *state);

/*
 * The operand whose rows the nest may take in their order, without an index; -1: no
 * operand.
 */
extern int operand_to_stream(const TensorOperands *state);

/* Parts */

/* Reads the next part, if there is one, to run in memory. Returns a reason. */
extern const char *load_part(TensorOperands *state);

/* Claims a part if none waits; false if there are no more. */
extern bool find_part(TensorOperands *state);

/*
 * Forgets the rows of the current part, after its nest has been freed. If rows of the
 * node have been returned, the relational plan can no longer run.
 */
extern void leave_part(TensorOperands *state, bool returned);

/*
 * Makes what a part takes of memory less, or takes it elsewhere, and rescans what has to
 * be read again then. False if there is no way. divisible: the part may become shorter.
 */
extern bool make_room(TensorOperands *state, bool divisible);

/* Can the relational plan no longer run, here or in another process? */
extern bool is_committed(const TensorOperands *state);

/* Are rows written to files, now or before? */
extern bool is_divided(const TensorOperands *state);

/* Bytes written to files; -1 if there are none. */
extern int64 spilled_bytes(const TensorOperands *state);

/* The processes of a parallel query (sharing.c) */

/*
 * The size of shared memory with nworkers workers; then its initialisation, without rows.
 */
extern Size sharing_size(TensorOperands *state, int nworkers);
extern void begin_sharing(TensorOperands *state, int nworkers, dsm_segment *segment,
						  void *memory);
extern void attach_sharing(TensorOperands *state, void *memory);

/* Is there shared memory? */
extern bool is_shared(const TensorOperands *state);

/* Empties what is shared, while no process reads or writes. */
extern void clear_sharing(TensorOperands *state);

/* The shared memory is about to go. */
extern void end_sharing(TensorOperands *state);

/*
 * May rows that only the leader can read depend on parameters? Those that they depend on
 * now may not have come down to here.
 */
extern bool leaders_vary(const TensorOperands *state);
extern void rescan_leaders(TensorOperands *state);

/*
 * Writes what only the leader can read, before workers are launched. Otherwise the leader
 * would read that while others wait.
 */
extern void write_for_workers(TensorOperands *state);

/*
 * Gives the executor the memory of this query's processes again, after a parallel query
 * in it has run.
 */
extern void restore_area(TensorOperands *state);

/*
 * Writes this process's share of the operands, and waits for the others. False if they
 * have already agreed, since it came too late.
 */
extern bool share_operands(TensorOperands *state);

/* Then reads what all parts need. Returns a reason. */
extern const char *read_shared(TensorOperands *state);

/*
 * Publishes this process's reason for the relational plan, or NULL, and waits for the
 * others.
 */
extern void agree(TensorOperands *state, const char *reason);

/* Why the relational plan has to run, or NULL. */
extern const char *shared_reason(const TensorOperands *state);

/* Claims to run the relational plan; false if another process has. */
extern bool claim_relational(const TensorOperands *state);

/*
 * Publishes what this process has done, for EXPLAIN; and adds up what all processes have
 * published.
 */
extern void publish_counts(TensorOperands *state, WorkCounts counts);
extern WorkCounts all_counts(const TensorOperands *state);

/*
 * EXPLAIN (explain.c): the labels whose keys have dictionaries, of all names of labels;
 * and what is shared with others.
 */
extern void explain_dictionaries(const TensorOperands *state, const List *labels,
								 ExplainState *es);
extern void explain_kept(const TensorOperands *state, ExplainState *es);

#endif
