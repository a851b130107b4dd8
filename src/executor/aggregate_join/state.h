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

#include "executor/aggregate_join/aggregate_join.h"
#include "executor/column_rows.h"
#include "executor/operand/operand.h"

/* A column of the scan tuple. */
typedef struct JoinOutput
{
	int key;                      /* number among the keys of the groups, or -1 */
	const Dictionary *dictionary; /* of the key; NULL: integers */
	int aggregate; /* number among the aggregates of the nest; -1: the number of tuples */
	Oid type;
} JoinOutput;

/* A batch of groups, copied so that the nest can compute further ones. */
typedef struct JoinBatch
{
	NestGroups groups;
	struct JoinBatch *next;
} JoinBatch;

/* What the node makes of joined tuples: groups with aggregates, or a row of each. */
typedef struct JoinGrouping
{
	bool grouped;    /* no tuples make no group, rather than one */
	bool each_tuple; /* nothing is aggregated: each tuple is a row */
	int nlabels;
	int ngroups; /* number of labels that are group keys */
	uint8 groups[NEST_MAX_LABELS];
	int naggregates; /* aggregates that the nest computes */
	/* by aggregate of the plan; NULL: it has no fill */
	ExprState *stack_fills[NEST_MAX_AGGREGATES];
} JoinGrouping;

/* The groups of a part, and which of them have been returned. */
typedef struct JoinResults
{
	int noutputs;
	JoinOutput *outputs;
	NestGroups batch;
	int64 next; /* the group of the batch to return next */
	/* the batch is the first one of the part, and none of its groups has been returned */
	bool has_batch;
	bool empty;     /* no tuple is joined in this part */
	bool exhausted; /* this part has no more groups */
	bool returned;  /* a row has been returned, of any part */
	/* all groups of a part are computed before the first is returned */
	bool keeps_groups;
	JoinBatch *batches;
	/* the batch whose groups are being returned; NULL: before the first */
	JoinBatch *kept;
} JoinResults;

typedef struct AggregateJoinState
{
	union
	{
		CustomScanState css;
		ColumnNode columns;
	};
	int eflags;
	ExprState *gates;
	JoinGrouping grouping;
	TensorOperands *operands;
	bool parallel;   /* each process of a parallel query returns its share of the rows */
	bool by_leader;  /* only the leader can run the relational plan of a parallel query */
	WorkCounts done; /* in the parts before this one; bytes is not counted here */
	/* by all processes of a parallel query, once they have ended */
	WorkCounts done_by_all;
	bool nothing; /* no tuple is joined in any part */
	Nest *nest;
	NestStatus status;
	JoinResults results;
	PlanState *relational; /* runs the relational plan; NULL: not needed until now */
	const char *reason;    /* why the relational plan runs; NULL: it does not */
} AggregateJoinState;

/* Fills in the state's grouping and outputs from the plan. */
extern void begin_description(AggregateJoinState *state);

/*
 * Reasons to run the relational plan. Dividing rows into parts may avoid NO_MEMORY, but
 * not SEVERAL_ROWS if the nest loops over indexes.
 */
#define SEVERAL_ROWS "an operand has a key several times"
#define NO_MEMORY "groups do not fit in memory"

/*
 * Makes the nest of the operands that have been read. Returns NULL, or why the relational
 * plan has to run.
 */
extern const char *make_nest(AggregateJoinState *state);

/*
 * Joins the streamed rows that have been read. Returns NULL or a reason, as make_nest
 * does. *enough: there are groups to return before further rows are read.
 */
extern const char *join_streamed_rows(CustomScanState *node, bool *enough);

/*
 * Computes the first groups; then the nest's status is NEST_GROUPS, or NEST_DONE if it
 * has no more groups. Returns NULL or a reason, as make_nest does.
 */
extern const char *run_nest(AggregateJoinState *state);

/*
 * Moves to the next groups of the current part that have not been returned; false if all
 * have.
 */
extern bool go_to_groups(AggregateJoinState *state);

/*
 * Can groups be returned as columns: is each column of the scan tuple an integer or a
 * float8, never NULL, that the nest has as an array?
 */
extern bool groups_are_columns(const AggregateJoinState *state);

/* Returns the groups of the current batch as columns. */
extern void take_groups(AggregateJoinState *state, ColumnRows *rows);

/* Stores the next group in the slot; false behind the last. */
extern bool next_group(AggregateJoinState *state, TupleTableSlot *slot);

/* Moves back to the first group of the part in memory. */
extern void rewind_groups(AggregateJoinState *state);

/* exec.c: returns what this process has done since it began to read. */
extern WorkCounts count_work(const AggregateJoinState *state);

extern void explain_aggregate_join(CustomScanState *node, List *ancestors,
								   ExplainState *es);

#endif
