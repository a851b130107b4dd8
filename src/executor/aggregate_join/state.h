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
	bool parallel;  /* each process returns its share of the rows */
	bool by_leader; /* who alone can run the relational plan, then */
	WorkCounts
		done; /* in parts before this one; the bytes are those of the operands' files */
	WorkCounts done_by_all; /* processes, once they have ended */
	bool nothing;           /* is joined in any part */
	Nest *nest;
	NestStatus status;
	JoinResults results;
	PlanState *relational; /* NULL: not needed yet */
	const char *reason;    /* for it */
} AggregateJoinState;

/* Fills in grouping and outputs from the plan. */
extern void begin_description(AggregateJoinState *state);

/*
 * Reasons for the relational plan; that of loops is unavoidable, parts may avoid the
 * other.
 */
#define SEVERAL_ROWS "an operand has a key several times"
#define NO_MEMORY "groups do not fit in memory"

/*
 * Makes the nest of the rows that were read. Returns NULL, or the reason for the
 * relational plan to run.
 */
extern const char *make_nest(AggregateJoinState *state);

/* Joins the streamed rows that have been read. Returns as make_nest. */
extern const char *join_streamed_rows(CustomScanState *node);

/*
 * Makes the first groups. Returns as make_nest. Afterwards the nest's status is that
 * there are groups, or that it is done.
 */
extern const char *run_nest(AggregateJoinState *state);

/*
 * Finds groups of the current part that have not been returned; false if all have been.
 */
extern bool go_to_groups(AggregateJoinState *state);

/*
 * Are the columns of the scan tuple integers and numbers, none of them NULL, as the nest
 * has them?
 */
extern bool groups_are_columns(const AggregateJoinState *state);

/* Returns the groups of the current batch as columns. */
extern void take_groups(AggregateJoinState *state, ColumnRows *rows);

/* Puts the next group into the slot; false behind the last. */
extern bool next_group(AggregateJoinState *state, TupleTableSlot *slot);

/* Starts again from the first group. */
extern void rewind_groups(AggregateJoinState *state);

/* exec.c: what this process has done since it has begun to read. */
extern WorkCounts count_work(const AggregateJoinState *state);

extern void explain_aggregate_join(CustomScanState *node, List *ancestors,
								   ExplainState *es);

#endif
