/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  AggregateJoin: the node's methods.
 *
 * Nothing is returned before all operands are read and the first groups are computed. If
 * these turn out to be irregular, or do not fit in memory, what there is is dropped, and
 * the relational plan is initialised and run in place of the nest: its rows, or its
 * errors, are the node's.
 *
 * In a parallel query, each process returns the rows of some parts, or one of them those
 * of the relational plan (sharing.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
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

static void
free_nest(AggregateJoinState *state)
{
	if (state->nest)
		nest_free(state->nest);
	state->nest = NULL;
}

/* Forgets all that was read and computed. */
static void
forget(AggregateJoinState *state)
{
	forget_operands(state->operands);
	/* it was in their memory */
	state->nest = NULL;
	state->results.batches = state->results.kept = NULL;
	state->results.batch.count = state->results.next = 0;
	state->results.empty = state->results.exhausted = state->results.returned =
		state->results.has_batch = false;
	state->nothing = false;
	state->done.tuples = state->done.parts = 0;
}

/* Ends the node's use of what it has read; it will not be read again. */
static void
give_up(AggregateJoinState *state)
{
	forget(state);
	give_up_operands(state->operands);
}

/* The relational plan */

/*
 * The operands' scans and the relational plan have the subplans of the same subqueries,
 * which are read from the start again by the latter.
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

/*
 * Stops workers of scans that have not been read to the end. Not those of CTEs, as
 * ExecShutdownNode would: the relational plan reads on in these.
 */
static bool
stop_workers(PlanState *node, void *context)
{
	List **subplans = context;
	ListCell *lc;

	if (list_member_ptr(*subplans, node))
		return false;
	foreach (lc, node->initPlan)
		*subplans = lappend(*subplans, lfirst_node(SubPlanState, lc)->planstate);
	if (IsA(node, GatherState) || IsA(node, GatherMergeState))
		(void) ExecShutdownNode(node);
	return planstate_tree_walker(node, stop_workers, context);
}

static void
begin_relational(AggregateJoinState *state, const char *reason)
{
	CustomScanState *node = &state->css;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	EState *estate = node->ss.ps.state;
	List *subplans = NIL;
	MemoryContext old;
	ListCell *lc;

	give_up(state);
	state->reason = reason;
	/* below a node that processes share are none */
	if (!state->parallel)
		foreach (lc, node->custom_ps)
			(void) stop_workers(lfirst(lc), &subplans);
	old = MemoryContextSwitchTo(estate->es_query_cxt);
	state->relational = ExecInitNode(llast(scan->custom_plans), estate, state->eflags);
	/* what processes say of their nodes is of those that all have */
	if (!state->parallel)
		node->custom_ps = lappend(node->custom_ps, state->relational);
	MemoryContextSwitchTo(old);
	(void) rescan_subplans(state->relational, NULL);
}

/* Methods */

static bool begin_columns(ColumnNode *node);
static bool next_rows(ColumnNode *node, ColumnRows *rows);

/* The dictionaries of keys that are returned, which end with the use of what was read. */
static void
find_dictionaries(AggregateJoinState *state)
{
	for (int i = 0; i < state->results.noutputs; i++)
	{
		JoinOutput *output = &state->results.outputs[i];

		if (output->key >= 0)
			output->dictionary =
				label_dictionary(state->operands, state->grouping.groups[output->key]);
	}
}

static void
begin_node(CustomScanState *node, EState *estate, int eflags)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	PlanState *ps = &node->ss.ps;
	OperandsPlan operands = {
		.operands = list_nth(scan->custom_private, JOIN_PRIVATE_OPERANDS),
		.values = list_nth(scan->custom_private, JOIN_PRIVATE_VALUES),
		.returned = list_nth(scan->custom_private, JOIN_PRIVATE_OUTPUTS),
		.part_label = intVal(list_nth(scan->custom_private, JOIN_PRIVATE_PARTED)),
		.parts = intVal(list_nth(scan->custom_private, JOIN_PRIVATE_PARTS)),
		.stream = intVal(list_nth(scan->custom_private, JOIN_PRIVATE_STREAM)),
		.join_streamed = join_streamed_rows};

	state->eflags = eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	state->gates = ExecInitQual(scan->custom_exprs, ps);
	begin_description(state);
	operands.each_tuple = state->grouping.each_tuple;
	operands.parallel = state->parallel;
	operands.by_leader = state->by_leader;
	state->operands = begin_operands(node, &operands, eflags);
	find_dictionaries(state);
	if (groups_are_columns(state))
	{
		state->columns.begin_columns = begin_columns;
		state->columns.next_rows = next_rows;
	}
	/* rows are the node's own, or the relational plan's */
	ps->resultops = &TTSOpsVirtual;
	ps->resultopsfixed = false;
	ps->resultopsset = true;
}

/*
 * Reads what is to be in memory and computes the first groups. NULL, or why that cannot
 * be done.
 */
static const char *
run_part(AggregateJoinState *state)
{
	MemoryContext old;
	/* not in the node's memory: scans allocate what they need until their end */
	const char *reason = read_operands(state->operands);

	state->nothing = operands_join_nothing(state->operands);
	/* of a run that has not come to the end */
	state->results.batches = state->results.kept = NULL;
	if (reason == NULL && !state->nothing)
		reason = load_part(state->operands);
	state->results.empty =
		state->nothing || (reason == NULL && part_joins_nothing(state->operands));
	if (reason == NULL && !state->results.empty)
	{
		old = MemoryContextSwitchTo(part_memory(state->operands));
		/* that of streamed rows has been made when the first were there */
		if (state->nest == NULL)
			reason = make_nest(state);
		if (reason == NULL)
			reason = run_nest(state);
		MemoryContextSwitchTo(old);
	}
	state->results.exhausted = state->results.empty;
	return reason;
}

/* May there be another way? */
static bool
can_be_mended(const char *reason)
{
	return reason && (strcmp(reason, TOO_LARGE) == 0 || strcmp(reason, NO_MEMORY) == 0 ||
					  strcmp(reason, SEVERAL_ROWS) == 0);
}

/* Runs a part, or as much of it as fits in memory. NULL, or why that cannot be done. */
static const char *
try_part(AggregateJoinState *state)
{
	const char *reason = run_part(state);

	/* their indexes may be what does not fit */
	while (can_be_mended(reason))
	{
		/* before its operands' coordinates */
		free_nest(state);
		if (!make_room(state->operands, !state->results.keeps_groups))
			break;
		reason = run_part(state);
	}
	state->done.parts++;
	return reason;
}

/* Runs a part, and begins the relational plan if that is not possible. */
static void
start_part(AggregateJoinState *state)
{
	const char *reason = try_part(state);

	if (reason == NULL)
		return;
	if (state->results.returned || is_committed(state->operands))
		elog(ERROR, "a part of regular values stopped: %s", reason);
	begin_relational(state, reason);
}

/* Goes to the next part, before it is run; false behind the last. */
static bool
go_to_next_part(AggregateJoinState *state)
{
	NestStatistics statistics;

	if (state->nothing || !find_part(state->operands))
		return false;
	if (state->nest)
	{
		nest_statistics(state->nest, &statistics);
		state->done.tuples += statistics.tuples;
	}
	free_nest(state);
	leave_part(state->operands, state->results.returned);
	state->results.batch.count = state->results.next = 0;
	state->results.empty = state->results.exhausted = state->results.has_batch = false;
	return true;
}

/* Begins the next part; false behind the last. */
static bool
next_part(AggregateJoinState *state)
{
	if (!go_to_next_part(state))
		return false;
	start_part(state);
	return true;
}

/*
 * Runs shared parts until there are groups: values that no kernel takes are found where
 * something is joined.
 */
static const char *
find_first_groups(AggregateJoinState *state)
{
	const char *reason = NULL;

	do
	{
		CHECK_FOR_INTERRUPTS();
		if (!go_to_next_part(state))
			break;
		reason = try_part(state);
	} while (reason == NULL && (state->results.empty || state->status != NEST_GROUPS));
	return reason;
}

/* Begins together with other processes. */
static void
start_shared(AggregateJoinState *state)
{
	bool in_time = share_operands(state->operands);
	const char *reason = NULL;

	/* others have come through, and take parts that this one cannot */
	state->results.empty = state->results.exhausted = true;
	if (!shared_reason(state->operands))
		reason = read_shared(state->operands);
	state->nothing = operands_join_nothing(state->operands);
	if (in_time)
	{
		if (reason == NULL && !shared_reason(state->operands))
			reason = find_first_groups(state);
		agree(state->operands, reason);
	}
	else if (reason)
		/*
		 * this process has no room for the others' keys, because of keys of its other
		 * nodes
		 */
		state->nothing = true;
	if (shared_reason(state->operands) == NULL)
		return;
	state->reason = MemoryContextStrdup(state->css.ss.ps.state->es_query_cxt,
										shared_reason(state->operands));
	if (claim_relational(state->operands))
		begin_relational(state, state->reason);
	else
		state->results.empty = state->results.exhausted = state->nothing = true;
}

/* Begins to read operands; false if none is to be read. */
static bool
begin_to_read(AggregateJoinState *state)
{
	begin_reading(state->operands);
	find_dictionaries(state);
	return state->gates == NULL ||
		   ExecQual(state->gates, state->css.ss.ps.ps_ExprContext);
}

/* Begins with the first part. */
static void
start(AggregateJoinState *state)
{
	/* of several processes one runs it */
	if (keys_are_forbidden(state->operands) && !is_shared(state->operands))
	{
		begin_relational(state, FORBIDDEN_KEYS);
		return;
	}
	if (!begin_to_read(state))
	{
		state->results.empty = state->results.exhausted = state->nothing = true;
		return;
	}
	if (is_shared(state->operands))
		start_shared(state);
	else
		start_part(state);
}

static TupleTableSlot *
execute_node(CustomScanState *node)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	MemoryContext old;
	bool found;

	if (operands_memory(state->operands) == NULL && state->relational == NULL)
		start(state);
	if (state->relational)
		return ExecProcNode(state->relational);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		old = MemoryContextSwitchTo(operands_memory(state->operands));
		found = next_group(state, slot);
		MemoryContextSwitchTo(old);
		if (!found && !next_part(state))
			return NULL;
		if (state->relational)
			return ExecProcNode(state->relational);
		if (!found)
			continue;
		econtext->ecxt_scantuple = slot;
		if (node->ss.ps.qual && !ExecQual(node->ss.ps.qual, econtext))
		{
			InstrCountFiltered1(node, 1);
			continue;
		}
		return node->ss.ps.ps_ProjInfo ? ExecProject(node->ss.ps.ps_ProjInfo) : slot;
	}
}

/*
 * Goes on to groups that have not been returned, of another part if need be; false if
 * there are none.
 */
static bool
find_groups(AggregateJoinState *state)
{
	bool found;

	do
	{
		MemoryContext old = MemoryContextSwitchTo(operands_memory(state->operands));

		CHECK_FOR_INTERRUPTS();
		found = go_to_groups(state);
		MemoryContextSwitchTo(old);
	} while (!found && next_part(state) && state->relational == NULL);
	return found;
}

/* The first groups show whether the relational plan has to run. */
static bool
begin_columns(ColumnNode *node)
{
	AggregateJoinState *state = (AggregateJoinState *) node;

	if (operands_memory(state->operands) == NULL && state->relational == NULL)
		start(state);
	if (state->relational == NULL)
		(void) find_groups(state);
	return state->relational == NULL;
}

/* Groups are columns, and numbers, too. */
static bool
next_rows(ColumnNode *node, ColumnRows *rows)
{
	AggregateJoinState *state = (AggregateJoinState *) node;

	if (!find_groups(state))
		return false;
	take_groups(state, rows);
	return true;
}

WorkCounts
count_work(const AggregateJoinState *state)
{
	WorkCounts counts = {.parts = state->done.parts,
						 .bytes = Max(spilled_bytes(state->operands), 0),
						 .tuples = state->done.tuples};
	NestStatistics statistics;

	if (state->nest)
	{
		nest_statistics(state->nest, &statistics);
		counts.tuples += statistics.tuples;
	}
	return counts;
}

/* In a parallel query it is not one of the children. */
static void
end_relational(AggregateJoinState *state)
{
	if (state->relational)
		ExecEndNode(state->relational);
	state->relational = NULL;
}

static void
end_node(CustomScanState *node)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	ListCell *lc;

	give_up(state);
	foreach (lc, node->custom_ps)
		ExecEndNode(lfirst(lc));
	end_operands(state->operands);
	if (state->parallel)
		end_relational(state);
}

static void
rescan_node(CustomScanState *node)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	ListCell *lc;

	/* the same groups again */
	if (node->ss.ps.chgParam == NULL && operands_memory(state->operands) &&
		!is_divided(state->operands) && !state->parallel)
	{
		rewind_groups(state);
		return;
	}
	/* another process may run it then */
	if (state->parallel)
		end_relational(state);
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

/* Sharing */

static Size
estimate_shared(CustomScanState *node, ParallelContext *context)
{
	return sharing_size(((AggregateJoinState *) node)->operands, context->nworkers);
}

/*
 * Has workers find what only the leader can read, or launches none: where the leader
 * would not run the node beside them, no process could run the relational plan. The query
 * of a CTE may be a parallel one itself, which leaves the executor without the memory of
 * this one.
 */
static void
read_for_workers(AggregateJoinState *state, ParallelContext *context)
{
	if (!parallel_leader_participation || leaders_vary(state->operands))
	{
		ReinitializeParallelWorkers(context, 0);
		return;
	}
	/* it may have been left to begin again later */
	rescan_leaders(state->operands);
	if (begin_to_read(state))
		write_for_workers(state->operands);
	forget(state);
	rescan_leaders(state->operands);
	restore_area(state->operands);
}

/* In the leader, before workers are launched. */
static void
initialize_shared(CustomScanState *node, ParallelContext *context, void *memory)
{
	AggregateJoinState *state = (AggregateJoinState *) node;

	/* there are no workers where there is no memory to share */
	if (context->seg == NULL)
		return;
	begin_sharing(state->operands, context->nworkers, context->seg, memory);
	if (state->by_leader)
		read_for_workers(state, context);
}

/* In the leader, before they are launched again. */
static void
reinitialize_shared(CustomScanState *node, ParallelContext *context, void *memory)
{
	AggregateJoinState *state = (AggregateJoinState *) node;

	if (!is_shared(state->operands))
		return;
	clear_sharing(state->operands);
	if (state->by_leader)
		read_for_workers(state, context);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *memory)
{
	attach_sharing(((AggregateJoinState *) node)->operands, memory);
}

/* The shared memory is about to go. */
static void
shutdown_shared(CustomScanState *node)
{
	AggregateJoinState *state = (AggregateJoinState *) node;

	if (!is_shared(state->operands))
		return;
	/* EXPLAIN shows it, whichever process has run that plan */
	if (shared_reason(state->operands) && state->reason == NULL)
		state->reason = MemoryContextStrdup(node->ss.ps.state->es_query_cxt,
											shared_reason(state->operands));
	publish_counts(state->operands, count_work(state));
	if (!IsParallelWorker())
		state->done_by_all = all_counts(state->operands);
	end_sharing(state->operands);
}

const CustomExecMethods aggregate_join_exec_methods = {
	.CustomName = "AggregateJoin",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = execute_node,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = initialize_worker,
	.ShutdownCustomScan = shutdown_shared,
	.ExplainCustomScan = explain_aggregate_join,
};

static Node *
create_state(CustomScan *scan)
{
	return row_node_state(sizeof(AggregateJoinState), &aggregate_join_exec_methods);
}
