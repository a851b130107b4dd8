/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  AggregateJoin: the node's methods.
 *
 * Nothing is returned before all operands are read and the first groups are
 * computed. If these turn out to be irregular, or do not fit in memory, what there is is
 * dropped, and the relational plan is initialised and run in place of the nest: its rows, or
 * its errors, are the node's.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "executor/aggregate_join/state.h"
#include "executor/integer_keys.h"
#include "executor/row_nodes.h"

static Node *create_state(CustomScan *scan);

const CustomScanMethods aggregate_join_scan_methods = {
	.CustomName = "AggregateJoin",
	.CreateCustomScanState = create_state,
};

/* Memory */

static void *
allocate(void *context, size_t bytes)
{
	return MemoryContextAllocHuge(context, bytes);
}

static void
release(void *context, void *block)
{
	pfree(block);
}

static void
begin_memory(AggregateJoinState *state)
{
	state->memory = AllocSetContextCreate(state->css.ss.ps.state->es_query_cxt,
										  "AggregateJoin", ALLOCSET_DEFAULT_SIZES);
	state->accounts = (NestMemory){.allocate = allocate,
								   .release = release,
								   .context = state->memory,
								   .limit = get_hash_memory_limit()};
}

/* Forgets all that was read and computed. */
static void
forget(AggregateJoinState *state)
{
	if (state->memory)
		MemoryContextDelete(state->memory);
	state->memory = NULL;
	state->value_bytes = state->piece_left = 0;
	state->nest = NULL;
	state->batches = state->kept = NULL;
	state->batch.count = state->next = 0;
	state->empty = state->exhausted = state->returned = state->has_batch = false;
	state->differ = false;
	for (int o = 0; o < state->noperands; o++)
	{
		state->operands[o].coordinates = NULL;
		state->operands[o].rows = 0;
	}
	for (int v = 0; v < state->nvalues; v++)
		state->values[v].has_shape = false;
}

/* The relational plan */

/*
 * The operands' scans and the relational plan have the subplans of the same subqueries, which
 * are read from the start again by the latter.
 */
static bool
rescan_subplans(PlanState *node, void *context)
{
	ListCell *lc;

	if (node == NULL)
		return false;
	foreach (lc, node->initPlan)
	{
		SubPlanState *subplan = lfirst_node(SubPlanState, lc);

		if (subplan->subplan->subLinkType != CTE_SUBLINK)
			ExecReScan(subplan->planstate);
	}
	return planstate_tree_walker(node, rescan_subplans, context);
}

static void
begin_relational(AggregateJoinState *state, const char *reason)
{
	CustomScanState *node = &state->css;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	EState *estate = node->ss.ps.state;
	MemoryContext old;
	ListCell *lc;

	forget(state);
	state->reason = reason;
	/* workers of scans that have not been read to the end */
	foreach (lc, node->custom_ps)
		(void) ExecShutdownNode(lfirst(lc));
	old = MemoryContextSwitchTo(estate->es_query_cxt);
	state->relational = ExecInitNode(llast(scan->custom_plans), estate, state->eflags);
	node->custom_ps = lappend(node->custom_ps, state->relational);
	MemoryContextSwitchTo(old);
	(void) rescan_subplans(state->relational, NULL);
}

/* Methods */

static void
begin_node(CustomScanState *node, EState *estate, int eflags)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	PlanState *ps = &node->ss.ps;
	int nchildren = list_length(scan->custom_plans) - 1;

	state->eflags = eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	for (int i = 0; i < nchildren; i++)
		node->custom_ps =
			lappend(node->custom_ps,
					ExecInitNode(list_nth(scan->custom_plans, i), estate, state->eflags));
	state->gates = ExecInitQual(scan->custom_exprs, ps);
	begin_description(state);
	/* rows are the node's own, or the relational plan's */
	ps->resultops = &TTSOpsVirtual;
	ps->resultopsfixed = false;
	ps->resultopsset = true;
}

/* Reads the operands and computes the first groups. */
static void
start(AggregateJoinState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext old;
	const char *reason = NULL;

	begin_memory(state);
	ResetExprContext(econtext);
	if (state->gates && !ExecQual(state->gates, econtext))
		state->empty = true;
	/* not in the node's memory: scans allocate what they need until their end */
	if (!state->empty)
		reason = read_operands(state);
	old = MemoryContextSwitchTo(state->memory);
	if (reason == NULL && !state->empty)
		reason = make_nest(state);
	if (reason == NULL && !state->empty)
		reason = run_nest(state);
	MemoryContextSwitchTo(old);
	state->exhausted = state->empty;
	if (reason)
		begin_relational(state, reason);
}

static TupleTableSlot *
execute_node(CustomScanState *node)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	MemoryContext old;
	bool found;

	if (state->memory == NULL && state->relational == NULL)
		start(state);
	if (state->relational)
		return ExecProcNode(state->relational);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		old = MemoryContextSwitchTo(state->memory);
		found = next_group(state, slot);
		MemoryContextSwitchTo(old);
		if (!found)
			return NULL;
		econtext->ecxt_scantuple = slot;
		if (node->ss.ps.qual && !ExecQual(node->ss.ps.qual, econtext))
		{
			InstrCountFiltered1(node, 1);
			continue;
		}
		return node->ss.ps.ps_ProjInfo ? ExecProject(node->ss.ps.ps_ProjInfo) : slot;
	}
}

static void
end_node(CustomScanState *node)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	ListCell *lc;

	forget(state);
	foreach (lc, node->custom_ps)
		ExecEndNode(lfirst(lc));
}

static void
rescan_node(CustomScanState *node)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	ListCell *lc;

	/* the same groups again */
	if (node->ss.ps.chgParam == NULL && state->memory)
	{
		rewind_groups(state);
		return;
	}
	if (state->relational == NULL)
		forget(state);
	foreach (lc, node->custom_ps)
	{
		PlanState *child = lfirst(lc);

		if (node->ss.ps.chgParam)
			UpdateChangedParamSet(child, node->ss.ps.chgParam);
		if (child->chgParam == NULL)
			ExecReScan(child);
	}
}

static const CustomExecMethods exec_methods = {
	.CustomName = "AggregateJoin",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = execute_node,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
	.ExplainCustomScan = explain_aggregate_join,
};

static Node *
create_state(CustomScan *scan)
{
	return row_node_state(sizeof(AggregateJoinState), &exec_methods);
}
