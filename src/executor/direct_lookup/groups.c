/*-------------------------------------------------------------------------
 *
 * groups.c
 *	  DirectGroups: advances the known groups of the aggregate above.
 *
 * For each row, PostgreSQL's hashed aggregate hashes the key, reads a bucket and the first
 * row of the group, compares the keys by a function, and only then advances the group's
 * states: 0.1 us and more. Where keys are integers without wide gaps, an array by key can
 * hold the address of the states. This node is below the aggregate. It returns the first
 * row of each group, so that the aggregate creates the group, and remembers its address.
 * It does not return further rows of the group: it advances the states itself, by the
 * transition expression of the aggregate. So PostgreSQL creates, counts and spills groups
 * as ever, and rows whose key has no array entry take the usual way.
 *
 * A plan node does not know its parent. An ExecutorStart hook attaches the aggregate.
 * Where no aggregate is attached, as in EvalPlanQual, the node returns all rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/direct_lookup/direct_lookup.h"
#include "executor/direct_lookup/direct_table.h"
#include "executor/row_nodes.h"

/* Further places of the array for each row that was passed on, at most. */
#define PLACES_OF_ROW 8

typedef struct DirectGroupsState
{
	CustomScanState css;
	AggState *aggregate; /* NULL: none attached */
	AttrNumber column;   /* of the key */
	Oid type;

	MemoryContext memory; /* of the table */
	DirectTable table;    /* AggStatePerGroup of each key */
	uint64 most_places;   /* half the memory of a hash table */
	uint64 nrows;         /* passed on */
	uint64 misfits;       /* of these, since the table was begun, without a place */

	bool has_passed; /* the last row was passed on, and its key was: */
	int64 passed;
} DirectGroupsState;

/* How many such nodes the executor has begun. */
static int nodes_begun = 0;

static ExecutorStart_hook_type prev_ExecutorStart = NULL;

static void
begin_direct_groups(CustomScanState *node, EState *estate, int eflags)
{
	DirectGroupsState *state = (DirectGroupsState *) node;
	PlanState *child;

	child = begin_child(node, estate, eflags);
	pass_child_rows(node, child);
	state->memory = AllocSetContextCreate(estate->es_query_cxt, "DirectGroups",
										  ALLOCSET_DEFAULT_SIZES);
	direct_table_begin(&state->table, state->memory);
	nodes_begun++;
}

/* Attaches an aggregate to the DirectGroups below it, if it is of a kind that is supported. */
static void
attach_aggregate(AggState *aggregate)
{
	const Agg *plan = (const Agg *) aggregate->ss.ps.plan;
	PlanState *child = outerPlanState(&aggregate->ss.ps);
	DirectGroupsState *state = (DirectGroupsState *) child;
	Oid type;

	if (!IsA(child, CustomScanState) || !IsA(child->plan, CustomScan) ||
		((CustomScan *) child->plan)->methods != &direct_groups_scan_methods)
		return;
	if (plan->aggstrategy != AGG_HASHED || plan->numCols != 1 || plan->groupingSets ||
		plan->chain || aggregate->numtrans == 0)
		return;
	type = TupleDescAttr(ExecGetResultType(child), plan->grpColIdx[0] - 1)->atttypid;
	if (!is_integer_type(type))
		return;
	state->aggregate = aggregate;
	state->column = plan->grpColIdx[0];
	state->type = type;
	/* only a projection changes the order of columns */
	if (child->ps_ProjInfo == NULL)
		direct_join_prefetch(linitial(state->css.custom_ps), state->column,
							 &state->table);
	state->most_places = get_hash_memory_limit() / 2 / sizeof(void *);
}

static bool
attach_aggregates_walker(PlanState *node, void *context)
{
	if (IsA(node, AggState))
		attach_aggregate((AggState *) node);
	return planstate_tree_walker(node, attach_aggregates_walker, context);
}

static void
sparseeinsum_ExecutorStart(QueryDesc *query, int eflags)
{
	int before = nodes_begun;

	if (prev_ExecutorStart)
		prev_ExecutorStart(query, eflags);
	else
		standard_ExecutorStart(query, eflags);
	if (nodes_begun != before && query->planstate)
		attach_aggregates_walker(query->planstate, NULL);
}

static void
reset_groups(DirectGroupsState *state)
{
	MemoryContextReset(state->memory);
	direct_table_begin(&state->table, state->memory);
	state->misfits = 0;
}

/* Remembers where the aggregate has the group of the last row that was returned. */
static void
remember_group(DirectGroupsState *state)
{
	AggStatePerGroup group = state->aggregate->hash_pergroup[0];
	uint64 limit = Min(PLACES_ANYHOW + state->nrows * PLACES_OF_ROW, state->most_places);

	/* its row may have been spilled */
	if (group == NULL)
		return;
	if (direct_table_place(&state->table, state->passed) == NULL &&
		!direct_table_cover(&state->table, state->passed, state->passed, limit))
	{
		/* the table may lie around a key that is far from all others */
		if (++state->misfits <= state->table.size)
			return;
		reset_groups(state);
		if (!direct_table_cover(&state->table, state->passed, state->passed, limit))
			return;
	}
	*direct_table_place(&state->table, state->passed) = group;
}

/*
 * Advances the states of a group by a row. Reads the transition expression anew for each
 * row, as the aggregate does: it changes when the aggregate begins to spill.
 */
static void
advance_group(DirectGroupsState *state, TupleTableSlot *slot, AggStatePerGroup group)
{
	AggState *aggregate = state->aggregate;
	ExprContext *econtext = aggregate->tmpcontext;
	bool isnull;

	aggregate->hash_pergroup[0] = group;
	econtext->ecxt_outertuple = slot;
	ExecEvalExprSwitchContext(aggregate->phase->evaltrans, econtext, &isnull);
	ResetExprContext(econtext);
}

static TupleTableSlot *
exec_direct_groups(CustomScanState *node)
{
	DirectGroupsState *state = (DirectGroupsState *) node;
	PlanState *child = linitial(node->custom_ps);
	int64 advanced = 0;
	TupleTableSlot *slot;

	if (state->has_passed)
		remember_group(state);
	state->has_passed = false;
	for (;;)
	{
		void **place;
		bool isnull;
		int64 key;

		CHECK_FOR_INTERRUPTS();
		slot = pass_row(node, ExecProcNode(child));
		if (state->aggregate == NULL || TupIsNull(slot))
			break;
		key = integer_key(slot_getattr(slot, state->column, &isnull), state->type);
		/* NULLs are a group of their own */
		if (isnull)
			break;
		place = direct_table_place(&state->table, key);
		if (place == NULL || *place == NULL)
		{
			state->has_passed = true;
			state->passed = key;
			state->nrows++;
			break;
		}
		advance_group(state, slot, *place);
		advanced++;
	}
	/* EXPLAIN counts the rows that are returned */
	if (node->ss.ps.instrument)
		node->ss.ps.instrument->tuplecount += advanced;
	InstrCountFiltered2(node, advanced);
	return slot;
}

static void
rescan_direct_groups(CustomScanState *node)
{
	DirectGroupsState *state = (DirectGroupsState *) node;

	/* the aggregate has dropped its groups, as it reads anew */
	reset_groups(state);
	state->nrows = 0;
	state->has_passed = false;
	rescan_child(node);
}

static void
explain_direct_groups(CustomScanState *node, List *ancestors, ExplainState *es)
{
	const Instrumentation *instrument = node->ss.ps.instrument;

	/* of all processes */
	if (es->analyze && instrument && instrument->nloops > 0)
		ExplainPropertyFloat("Rows of Known Groups", NULL,
							 instrument->nfiltered2 / instrument->nloops, 0, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "DirectGroups",
	.BeginCustomScan = begin_direct_groups,
	.ExecCustomScan = exec_direct_groups,
	.EndCustomScan = end_child,
	.ReScanCustomScan = rescan_direct_groups,
	.ExplainCustomScan = explain_direct_groups,
};

static Node *
create_direct_groups_state(CustomScan *scan)
{
	return row_node_state(sizeof(DirectGroupsState), &exec_methods);
}

const CustomScanMethods direct_groups_scan_methods = {
	.CustomName = "DirectGroups",
	.CreateCustomScanState = create_direct_groups_state,
};

void
direct_groups_init(void)
{
	prev_ExecutorStart = ExecutorStart_hook;
	ExecutorStart_hook = sparseeinsum_ExecutorStart;
}
