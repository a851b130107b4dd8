/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  AggregateJoin: the node's methods.
 *
 * Nothing is returned before all operands are read and the first groups are computed. If
 * these are irregular, or do not fit in memory, they are dropped, and the relational
 * plan is initialised and run in place of the nest: the node returns its rows, or raises
 * its errors.
 *
 * In a parallel query each process returns the groups of some parts, or one process
 * returns the rows of the relational plan (operand/sharing.c).
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

static void
free_nest(AggregateJoinState *state)
{
	if (state->nest)
		nest_free(state->nest);
	state->nest = NULL;
}

/* Frees all that was read and computed, so that the node can begin again. */
static void
forget(AggregateJoinState *state)
{
	/* rows that others read know the nests that stream them */
	free_nest(state);
	forget_operands(state->operands);
	/* these were in the operands' memory */
	state->results.batches = state->results.kept = NULL;
	state->results.batch.count = state->results.next = 0;
	state->results.empty = state->results.exhausted = state->results.returned =
		state->results.has_batch = false;
	state->nothing = false;
	state->done.tuples = state->done.parts = 0;
}

/* Releases the rows that the node has read; the node will not read them again. */
static void
give_up(AggregateJoinState *state)
{
	forget(state);
	give_up_operands(state->operands);
}

/* The relational plan */

/*
 * Rescans subplans of a part of the plan. The operands' scans and the relational plan
 * share the subplans of subqueries, and the relational plan has to read these from the
 * start.
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
 * Stops the workers of scans that have not been read to the end. ExecShutdownNode would
 * also stop those of CTEs, which the relational plan reads further.
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
	/* a node that several processes run has no Gather below it */
	if (!state->parallel)
		foreach (lc, node->custom_ps)
			(void) stop_workers(lfirst(lc), &subplans);
	old = MemoryContextSwitchTo(estate->es_query_cxt);
	state->relational = ExecInitNode(llast(scan->custom_plans), estate, state->eflags);
	/*
	 * all processes have to report the same nodes for EXPLAIN, and only one runs this
	 * plan
	 */
	if (!state->parallel)
		node->custom_ps = lappend(node->custom_ps, state->relational);
	MemoryContextSwitchTo(old);
	(void) rescan_subplans(state->relational, NULL);
}

/* Methods */

static bool begin_columns(ColumnNode *node);
static bool next_rows(ColumnNode *node, ColumnRows *rows);

/*
 * Finds the dictionaries of keys that the node returns. They are valid until the node
 * gives up what it has read.
 */
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
	/* the rows are the node's own or the relational plan's, whose slots differ */
	ps->resultops = &TTSOpsVirtual;
	ps->resultopsfixed = false;
	ps->resultopsset = true;
}

/*
 * Reads what has to be in memory for the current part, and computes its first groups.
 * Returns NULL, or why that cannot be done.
 */
static const char *
run_part(AggregateJoinState *state)
{
	MemoryContext old;
	/*
	 * in the query's memory, not the node's: scans allocate what they need until their
	 * end
	 */
	const char *reason = read_operands(state->operands);

	state->nothing = operands_join_nothing(state->operands);
	/* forget the groups of an earlier attempt that ran out of memory */
	state->results.batches = state->results.kept = NULL;
	if (reason == NULL && !state->nothing)
		reason = load_part(state->operands);
	state->results.empty =
		state->nothing || (reason == NULL && part_joins_nothing(state->operands));
	if (reason == NULL && !state->results.empty)
	{
		old = MemoryContextSwitchTo(part_memory(state->operands));
		/* for streamed rows, join_streamed_rows has made the nest */
		if (state->nest == NULL)
			reason = make_nest(state);
		if (reason == NULL)
			reason = run_nest(state);
		MemoryContextSwitchTo(old);
	}
	state->results.exhausted = state->results.empty;
	return reason;
}

/* May make_room help against a reason? */
static bool
can_be_mended(const char *reason)
{
	return reason && (strcmp(reason, TOO_LARGE) == 0 || strcmp(reason, NO_MEMORY) == 0 ||
					  strcmp(reason, SEVERAL_ROWS) == 0);
}

/*
 * Runs the current part, or a shorter part that fits in memory. Returns NULL, or why that
 * cannot be done.
 */
static const char *
try_part(AggregateJoinState *state)
{
	const char *reason = run_part(state);

	/* it may be the indexes that do not fit */
	while (can_be_mended(reason))
	{
		/* the nest points into the coordinates that make_room may free */
		free_nest(state);
		if (!make_room(state->operands, !state->results.keeps_groups))
			break;
		reason = run_part(state);
	}
	state->done.parts++;
	return reason;
}

/* Runs the current part, and begins the relational plan if the part cannot be run. */
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

/* Moves to the next part, without running it; false behind the last. */
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

/* Moves to the next part and runs it; false behind the last. */
static bool
next_part(AggregateJoinState *state)
{
	if (!go_to_next_part(state))
		return false;
	start_part(state);
	return true;
}

/*
 * Runs shared parts until one has groups: only when tuples are joined does the nest find
 * values that no kernel takes. Returns NULL, or the reason.
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

/* Begins the node together with the other processes of a parallel query. */
static void
start_shared(AggregateJoinState *state)
{
	bool in_time = share_operands(state->operands);
	const char *reason = NULL;

	/*
	 * this process has no groups until it has run a part; if it cannot, others run all
	 * parts
	 */
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
		 * keys of this process's other nodes leave no memory for those of other processes
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

/*
 * Makes memory to read operands; false if the level's pseudoconstant quals say that there
 * are no rows.
 */
static bool
begin_to_read(AggregateJoinState *state)
{
	begin_reading(state->operands);
	find_dictionaries(state);
	return state->gates == NULL ||
		   ExecQual(state->gates, state->css.ss.ps.ps_ExprContext);
}

/* Begins the node: runs its first part, or begins the relational plan. */
static void
start(AggregateJoinState *state)
{
	/*
	 * in a parallel query the processes have to agree which one runs the relational plan
	 */
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
 * Moves to groups that have not been returned, in a further part if need be; false if
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

/*
 * Computes the first groups, which shows whether the relational plan has to run; false if
 * so.
 */
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

/* Returns the next groups as columns; false behind the last. */
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

/*
 * Ends the relational plan, which is not one of the node's children in a parallel query.
 */
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

	/* the groups are in memory, and are the same again */
	if (node->ss.ps.chgParam == NULL && operands_memory(state->operands) &&
		!is_divided(state->operands) && !state->parallel &&
		!(state->nest && nest_stream_is_ordered(state->nest)))
	{
		rewind_groups(state);
		return;
	}
	/* after a rescan another process may run the relational plan */
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
 * Reads for the workers what only the leader can read. Launches no workers if the leader
 * does not run the node itself: no process could then run the relational plan. If the
 * query of a CTE is itself parallel, it leaves the executor with another DSA area, so
 * this one is restored.
 */
static void
read_for_workers(AggregateJoinState *state, ParallelContext *context)
{
	if (!parallel_leader_participation || leaders_vary(state->operands))
	{
		ReinitializeParallelWorkers(context, 0);
		return;
	}
	/* the operands' scans may have been read before, and their rescan put off */
	rescan_leaders(state->operands);
	if (begin_to_read(state))
		write_for_workers(state->operands);
	forget(state);
	rescan_leaders(state->operands);
	restore_area(state->operands);
}

/* Makes the shared state, in the leader, before workers are launched. */
static void
initialize_shared(CustomScanState *node, ParallelContext *context, void *memory)
{
	AggregateJoinState *state = (AggregateJoinState *) node;

	/* without dynamic shared memory there are no workers */
	if (context->seg == NULL)
		return;
	begin_sharing(state->operands, context->nworkers, context->seg, memory);
	if (state->by_leader)
		read_for_workers(state, context);
}

/* Empties the shared state, in the leader, before workers are launched again. */
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

/* Publishes this process's counts before the shared memory is freed. */
static void
shutdown_shared(CustomScanState *node)
{
	AggregateJoinState *state = (AggregateJoinState *) node;

	if (!is_shared(state->operands))
		return;
	/* EXPLAIN of each process shows why the relational plan ran, in whichever process */
	if (shared_reason(state->operands) && state->reason == NULL)
		state->reason = MemoryContextStrdup(node->ss.ps.state->es_query_cxt,
											shared_reason(state->operands));
	publish_counts(state->operands, count_work(state));
	if (!IsParallelWorker())
		state->done_by_all = all_counts(state->operands);
	end_sharing(state->operands);
}

static const CustomExecMethods exec_methods = {
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

const RowNode aggregate_join_node = {
	.scan = {.CustomName = "AggregateJoin", .CreateCustomScanState = row_node_state},
	.exec = &exec_methods,
	.state_bytes = sizeof(AggregateJoinState),
	.has_columns = true,
};
