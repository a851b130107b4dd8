/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  PartitionFilter: a partition exchange. Passes the rows of the partitions that its
 *	  process has claimed.
 *
 * Processes claim partitions from a counter in shared memory, one each. The leader claims
 * more if fewer workers were launched than planned. A process that has read its child to
 * completion claims all remaining partitions, and rescans. So exactly one process reads
 * each partition, however many processes there are, and whether or not each of them runs
 * the node: one that comes late has nothing to do, and a node without shared memory
 * passes every row.
 *
 * The order of the child is lost where it is rescanned.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "commands/explain.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "nodes/value.h"
#include "optimizer/optimizer.h"
#include "port/atomics.h"
#include "port/pg_bitutils.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "executor/partitioned_aggregate/partitioned_aggregate.h"
#include "executor/row_nodes.h"

/* What the processes share. */
typedef struct SharedPartitions
{
	uint32 npartitions;
	pg_atomic_uint32 claimed; /* the next to be claimed; may pass npartitions */
} SharedPartitions;

typedef struct PartitionFilterState
{
	CustomScanState css;
	int nkeys;
	AttrNumber *columns; /* of the keys in the child's rows */
	FmgrInfo *functions; /* that hash them */
	Oid *collations;
	bool by_value; /* all of them: hashing leaves nothing in memory */

	SharedPartitions *shared;  /* NULL: no other process */
	ParallelContext *parallel; /* in the leader, if there is shared memory */

	bool scanning; /* the child is being read, for partitions first to last */
	bool scanned;  /* it has been read to its end before */
	bool finished; /* nothing is left to be claimed */
	uint32 npartitions;
	uint32 first;
	uint32 last;
} PartitionFilterState;

static void
begin_partition_filter(CustomScanState *node, EState *estate, int eflags)
{
	PartitionFilterState *state = (PartitionFilterState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	List *operators = list_nth(scan->custom_private, PARTITION_PRIVATE_OPERATORS);
	List *collations = list_nth(scan->custom_private, PARTITION_PRIVATE_COLLATIONS);
	PlanState *child;
	Oid *equality;
	Oid *equality_functions;

	child = begin_child(node, estate, eflags);

	state->nkeys = list_length(scan->custom_exprs);
	state->columns = palloc(sizeof(AttrNumber) * state->nkeys);
	state->collations = palloc(sizeof(Oid) * state->nkeys);
	equality = palloc(sizeof(Oid) * state->nkeys);
	for (int i = 0; i < state->nkeys; i++)
	{
		state->columns[i] = list_nth_node(Var, scan->custom_exprs, i)->varattno;
		state->collations[i] = list_nth_oid(collations, i);
		equality[i] = list_nth_oid(operators, i);
	}
	execTuplesHashPrepare(state->nkeys, equality, &equality_functions, &state->functions);

	state->by_value = true;
	for (int i = 0; i < state->nkeys; i++)
		state->by_value &= get_typbyval(exprType(list_nth(scan->custom_exprs, i)));

	pass_child_rows(node, child);
}

/* Claims partitions for the next scan of the child; false if none is left. */
static bool
claim_partitions(PartitionFilterState *state)
{
	uint32 wanted = 1;

	if (state->shared == NULL)
	{
		state->npartitions = 1;
		state->first = 0;
		state->last = 0;
		return !state->scanned;
	}
	state->npartitions = state->shared->npartitions;
	if (state->scanned)
		wanted = state->npartitions;
	else if (state->parallel)
	{
		uint32 processes = (uint32) state->parallel->nworkers_launched + 1;

		wanted = Max((state->npartitions + processes - 1) / processes, 1);
	}
	state->first = pg_atomic_fetch_add_u32(&state->shared->claimed, wanted);
	state->last = Min(state->first + wanted, state->npartitions) - 1;
	return state->first < state->npartitions;
}

/* Is the row of a partition that this scan is for? */
static bool
is_claimed(PartitionFilterState *state, TupleTableSlot *slot)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext old = CurrentMemoryContext;
	uint32 hash = 0;
	uint32 partition;

	if (state->first == 0 && state->last == state->npartitions - 1)
		return true;
	if (!state->by_value)
	{
		ResetExprContext(econtext);
		MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	}
	for (int i = 0; i < state->nkeys; i++)
	{
		bool isnull;
		Datum key = slot_getattr(slot, state->columns[i], &isnull);

		hash = pg_rotate_right32(hash, 31);
		if (!isnull)
			hash ^= DatumGetUInt32(
				FunctionCall1Coll(&state->functions[i], state->collations[i], key));
	}
	MemoryContextSwitchTo(old);
	/* the hash table of the groups, and its batches, use bits of the plain hash */
	hash = murmurhash32(hash ^ 0x9e3779b9);
	partition = (uint32) (((uint64) hash * state->npartitions) >> 32);
	return partition >= state->first && partition <= state->last;
}

/* The next row of the child that is passed; NULL if there is none. */
static TupleTableSlot *
next_row(PartitionFilterState *state)
{
	PlanState *child = linitial(state->css.custom_ps);
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	while (!state->finished)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		if (!state->scanning)
		{
			if (!claim_partitions(state))
			{
				state->finished = true;
				break;
			}
			if (state->scanned)
				ExecReScan(child);
			state->scanning = true;
		}
		slot = ExecProcNode(child);
		if (TupIsNull(slot))
		{
			state->scanning = false;
			state->scanned = true;
			continue;
		}
		if (!is_claimed(state, slot))
		{
			InstrCountFiltered2(&state->css, 1);
			continue;
		}
		ResetExprContext(econtext);
		econtext->ecxt_scantuple = slot;
		if (ExecQual(state->css.ss.ps.qual, econtext))
			return slot;
		InstrCountFiltered1(&state->css, 1);
	}
	return NULL;
}

static TupleTableSlot *
exec_partition_filter(CustomScanState *node)
{
	return pass_row(node, next_row((PartitionFilterState *) node));
}

static void
rescan_partition_filter(CustomScanState *node)
{
	PartitionFilterState *state = (PartitionFilterState *) node;

	/* the counter has been set back before, where there is one */
	state->scanning = false;
	state->scanned = false;
	state->finished = false;
	rescan_child(node);
}

static Size
estimate_shared(CustomScanState *node, ParallelContext *parallel)
{
	return sizeof(SharedPartitions);
}

/* In the leader, before workers are launched. */
static void
initialize_shared(CustomScanState *node, ParallelContext *parallel, void *memory)
{
	PartitionFilterState *state = (PartitionFilterState *) node;
	SharedPartitions *shared = memory;

	shared->npartitions =
		(uint32) Max(parallel->nworkers + (parallel_leader_participation ? 1 : 0), 1);
	pg_atomic_init_u32(&shared->claimed, 0);
	state->shared = shared;
	state->parallel = parallel;
}

/* In the leader, before they are launched again. */
static void
reinitialize_shared(CustomScanState *node, ParallelContext *parallel, void *memory)
{
	SharedPartitions *shared = memory;

	pg_atomic_write_u32(&shared->claimed, 0);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *memory)
{
	((PartitionFilterState *) node)->shared = memory;
}

static void
explain_partition_filter(CustomScanState *node, List *ancestors, ExplainState *es)
{
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	Instrumentation *instrument = node->ss.ps.instrument;
	List *context =
		set_deparse_context_plan(es->deparse_cxt, &scan->scan.plan, ancestors);
	bool prefix = list_length(es->rtable) > 1 || es->verbose;
	List *keys = NIL;
	ListCell *lc;

	foreach (lc, scan->custom_exprs)
		keys = lappend(keys, deparse_expression(lfirst(lc), context, prefix, false));
	ExplainPropertyList("Partition Key", keys, es);
	ExplainPropertyInteger(
		"Partitions", NULL,
		intVal(list_nth(scan->custom_private, PARTITION_PRIVATE_PLANNED)), es);
	if (es->analyze && instrument && instrument->nloops > 0)
		ExplainPropertyFloat("Rows of Other Partitions", NULL,
							 instrument->nfiltered2 / instrument->nloops, 0, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "PartitionFilter",
	.BeginCustomScan = begin_partition_filter,
	.ExecCustomScan = exec_partition_filter,
	.EndCustomScan = end_child,
	.ReScanCustomScan = rescan_partition_filter,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = initialize_worker,
	.ExplainCustomScan = explain_partition_filter,
};

static Node *
create_partition_filter_state(CustomScan *scan)
{
	return row_node_state(sizeof(PartitionFilterState), &exec_methods);
}

const CustomScanMethods partition_filter_scan_methods = {
	.CustomName = "PartitionFilter",
	.CreateCustomScanState = create_partition_filter_state,
};

void
register_partition_filter(void)
{
	RegisterCustomScanMethods(&partition_filter_scan_methods);
}
