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
 * In a parallel query, each process returns the rows of some parts, or one of them those of the relational plan (sharing.c).
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

NestMemory
nest_memory_of(MemoryContext context, Size limit)
{
	return (NestMemory){
		.allocate = allocate, .release = release, .context = context, .limit = limit};
}

static void
begin_memory(AggregateJoinState *state)
{
	state->memory.context = AllocSetContextCreate(
		state->css.ss.ps.state->es_query_cxt, "AggregateJoin", ALLOCSET_DEFAULT_SIZES);
	state->memory.accounts =
		nest_memory_of(state->memory.context, get_hash_memory_limit() + NEST_BYTES);
	state->memory.values_of_all.context = state->memory.context;
	state->memory.values_of_part.context = AllocSetContextCreate(
		state->memory.context, "AggregateJoin part", ALLOCSET_DEFAULT_SIZES);
	state->memory.values_of_rows.context = AllocSetContextCreate(
		state->memory.context, "AggregateJoin rows", ALLOCSET_DEFAULT_SIZES);
}

static void
free_nest(AggregateJoinState *state)
{
	if (state->nest)
		nest_free(state->nest);
	state->nest = NULL;
}

/* Forgets the nest, and the rows of this part. */
static void
forget_part(AggregateJoinState *state)
{
	free_nest(state);
	for (int o = 0; o < state->noperands; o++)
		if (state->operands[o].part_key >= 0 && state->operands[o].coordinates)
			coordinates_clear(state->operands[o].coordinates);
	MemoryContextReset(state->memory.values_of_part.context);
	state->memory.values_of_part =
		(ValueMemory){.context = state->memory.values_of_part.context};
	state->parts.resident = false;
	state->results.batch.count = state->results.next = 0;
	state->results.empty = state->results.exhausted = state->results.has_batch = false;
}

/* Forgets all that was read and computed. */
static void
forget(AggregateJoinState *state)
{
	for (int o = 0; o < state->noperands; o++)
		if (state->operands[o].kept)
			forget_operand(state, &state->operands[o], false);
	end_parts(state);
	forget_translations(state);
	if (state->memory.context)
		MemoryContextDelete(state->memory.context);
	state->memory.context = NULL;
	state->memory.values_of_all = state->memory.values_of_part =
		state->memory.values_of_rows = (ValueMemory){0};
	state->nest = NULL;
	state->results.batches = state->results.kept = NULL;
	state->results.batch.count = state->results.next = 0;
	state->results.empty = state->results.exhausted = state->results.returned =
		state->results.has_batch = false;
	state->differ = state->nothing = state->parts.last_resort = state->sharing.agreed =
		false;
	state->done.tuples = state->done.parts = 0;
	for (int o = 0; o < state->noperands; o++)
	{
		state->operands[o].coordinates = NULL;
		state->operands[o].rows = 0;
	}
	for (int v = 0; v < state->nvalues; v++)
		state->values[v].has_shape = false;
}

/* Ends the node's use of what it has read; it will not be read again. */
static void
give_up(AggregateJoinState *state)
{
	forget(state);
	for (int o = 0; o < state->noperands; o++)
		give_up_operand(state->kept_operands, &state->operands[o]);
	end_keys(state);
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

/*
 * Stops workers of scans that have not been read to the end. Not those of CTEs, as ExecShutdownNode would: the relational plan
 * reads on in these.
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
	if (!state->sharing.parallel)
		foreach (lc, node->custom_ps)
			(void) stop_workers(lfirst(lc), &subplans);
	old = MemoryContextSwitchTo(estate->es_query_cxt);
	state->relational = ExecInitNode(llast(scan->custom_plans), estate, state->eflags);
	/* what processes say of their nodes is of those that all have */
	if (!state->sharing.parallel)
		node->custom_ps = lappend(node->custom_ps, state->relational);
	MemoryContextSwitchTo(old);
	(void) rescan_subplans(state->relational, NULL);
}

/* Methods */

static bool begin_columns(ColumnNode *node);
static bool next_rows(ColumnNode *node, ColumnRows *rows);

/* Says which operands may be shared: not what is to be divided. */
static void
want_operands(AggregateJoinState *state)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	bool divided = intVal(list_nth(scan->custom_private, JOIN_PRIVATE_PARTS)) > 1;

	for (int o = 0; o < state->noperands; o++)
	{
		JoinOperand *operand = &state->operands[o];

		if (operand->child && !(divided && operand->part_key >= 0))
			want_operand(state, operand);
	}
}

static void
begin_node(CustomScanState *node, EState *estate, int eflags)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	PlanState *ps = &node->ss.ps;

	state->eflags = eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	state->gates = ExecInitQual(scan->custom_exprs, ps);
	begin_description(state);
	state->parts.owner = CurrentResourceOwner;
	state->kept_operands = find_kept_operands(estate);
	if (!(eflags & EXEC_FLAG_EXPLAIN_ONLY))
		begin_keys(state);
	if (groups_are_columns(state))
	{
		state->columns.begin_columns = begin_columns;
		state->columns.next_rows = next_rows;
	}
	/* a process has not all rows of an operand that others might want */
	if (!(eflags & EXEC_FLAG_EXPLAIN_ONLY) && !state->sharing.parallel &&
		!state->keys.forbidden)
		want_operands(state);
	/* rows are the node's own, or the relational plan's */
	ps->resultops = &TTSOpsVirtual;
	ps->resultopsfixed = false;
	ps->resultopsset = true;
}

/* Has an operand that every tuple needs no rows in this part? */
static bool
joins_nothing(const AggregateJoinState *state)
{
	for (int o = 0; o < state->noperands; o++)
	{
		const JoinOperand *operand = &state->operands[o];

		/* streamed rows that were joined are not there */
		if (operand->scan && !operand->optional && !is_streamed(state, operand) &&
			coordinates_count(operand->coordinates) == 0)
			return true;
	}
	return false;
}

/* Reads what is to be in memory and computes the first groups. NULL, or why that cannot be done. */
static const char *
run_part(AggregateJoinState *state)
{
	MemoryContext old;
	/* not in the node's memory: scans allocate what they need until their end */
	const char *reason = read_operands(state);

	/* of a run that has not come to the end */
	state->results.batches = state->results.kept = NULL;
	if (reason == NULL && !state->nothing)
		reason = load_part(state);
	state->results.empty = state->nothing || (reason == NULL && joins_nothing(state));
	if (reason == NULL && !state->results.empty)
	{
		old = MemoryContextSwitchTo(state->memory.values_of_part.context);
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

/* Makes the part shorter, after its indexes or groups have turned out not to fit; false if that does not help. */
static bool
divide_part(AggregateJoinState *state)
{
	if (state->results.keeps_groups)
		return false;
	if (!spill_part(state))
		return take_more_memory(state);
	end_dividing(state);
	return true;
}

/* Reads operands that were kept for the node alone; false if there are none. */
static bool
refuse_kept(AggregateJoinState *state)
{
	bool refused = false;

	for (int o = 0; o < state->noperands; o++)
	{
		JoinOperand *operand = &state->operands[o];

		if (operand->kept == NULL)
			continue;
		forget_operand(state, operand, true);
		refused = true;
	}
	return refused;
}

/* What is to be read again, from the start. */
static void
rescan_unread(AggregateJoinState *state)
{
	for (int o = 0; o < state->noperands; o++)
		if (state->operands[o].child && state->operands[o].coordinates == NULL)
			ExecReScan(state->operands[o].child);
}

/* May there be another way? */
static bool
can_be_mended(const char *reason)
{
	return reason && (strcmp(reason, TOO_LARGE) == 0 || strcmp(reason, NO_MEMORY) == 0 ||
					  strcmp(reason, SEVERAL_ROWS) == 0);
}

/* Has the rows of all operands kept; false if they are. */
static bool
stop_streaming(AggregateJoinState *state)
{
	JoinOperand *operand;

	if (state->stream < 0)
		return false;
	operand = &state->operands[state->stream];
	/* those that have been joined are not there */
	if (is_streamed(state, operand))
		forget_operand(state, operand, false);
	MemoryContextReset(state->memory.values_of_rows.context);
	state->memory.values_of_rows =
		(ValueMemory){.context = state->memory.values_of_rows.context};
	state->stream = -1;
	return true;
}

/* Makes what a part takes of memory less, or takes it elsewhere; false if there is no way. */
static bool
make_room(AggregateJoinState *state)
{
	/* before its operands' coordinates */
	free_nest(state);
	/* loops need not have all groups at once */
	if (stop_streaming(state))
		return true;
	/* what is shared takes less than if each operand had its own */
	if (end_with_query(state->kept_operands))
		return divide_part(state) || refuse_kept(state);
	return refuse_kept(state) || divide_part(state);
}

/* Runs a part, or as much of it as fits in memory. NULL, or why that cannot be done. */
static const char *
try_part(AggregateJoinState *state)
{
	const char *reason = run_part(state);

	/* their indexes may be what does not fit */
	while (can_be_mended(reason) && make_room(state))
	{
		CHECK_FOR_INTERRUPTS();
		rescan_unread(state);
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
	if (state->results.returned || state->sharing.agreed)
		elog(ERROR, "a part of regular values stopped: %s", reason);
	begin_relational(state, reason);
}

/* Goes to the next part, before it is run; false behind the last. */
static bool
go_to_next_part(AggregateJoinState *state)
{
	NestStatistics statistics;

	if (state->nothing || (state->parts.waiting == NIL && !claim_part(state)))
		return false;
	if (state->nest)
	{
		nest_statistics(state->nest, &statistics);
		state->done.tuples += statistics.tuples;
	}
	state->parts.last_resort = false;
	state->memory.accounts.limit = get_hash_memory_limit() + NEST_BYTES;
	forget_part(state);
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

/* Runs shared parts until there are groups: values that no kernel takes are found where something is joined. */
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
	bool in_time = share_operands(state);
	const char *reason = NULL;

	/* others have come through, and take parts that this one cannot */
	state->sharing.agreed = !in_time;
	state->results.empty = state->results.exhausted = true;
	if (!shared_reason(state))
		reason = read_shared(state);
	if (in_time)
	{
		if (reason == NULL && !shared_reason(state))
			reason = find_first_groups(state);
		agree(state, reason);
		state->sharing.agreed = true;
	}
	else if (reason)
		/* this process has no room for the others' keys, because of keys of its other nodes */
		state->nothing = true;
	if (shared_reason(state) == NULL)
		return;
	state->reason =
		MemoryContextStrdup(state->css.ss.ps.state->es_query_cxt, shared_reason(state));
	if (claim_relational(state))
		begin_relational(state, state->reason);
	else
		state->results.empty = state->results.exhausted = state->nothing = true;
}

/* Begins to read operands; false if none is to be read. */
static bool
begin_reading(AggregateJoinState *state)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	/* the relational plan may have run before */
	if (state->keys.ndictionaries == 0)
		begin_keys(state);
	begin_memory(state);
	begin_parts(state, intVal(list_nth(scan->custom_private, JOIN_PRIVATE_PARTS)));
	ResetExprContext(econtext);
	return state->gates == NULL || ExecQual(state->gates, econtext);
}

/* Begins with the first part. */
static void
start(AggregateJoinState *state)
{
	/* of several processes one runs it */
	if (state->keys.forbidden && state->sharing.shared == NULL)
	{
		begin_relational(state, FORBIDDEN_KEYS);
		return;
	}
	if (!begin_reading(state))
	{
		state->results.empty = state->results.exhausted = state->nothing = true;
		return;
	}
	if (state->sharing.shared)
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

	if (state->memory.context == NULL && state->relational == NULL)
		start(state);
	if (state->relational)
		return ExecProcNode(state->relational);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		old = MemoryContextSwitchTo(state->memory.context);
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

/* Goes on to groups that have not been returned, of another part if need be; false if there are none. */
static bool
find_groups(AggregateJoinState *state)
{
	bool found;

	do
	{
		MemoryContext old = MemoryContextSwitchTo(state->memory.context);

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

	if (state->memory.context == NULL && state->relational == NULL)
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

JoinCounts
count_work(const AggregateJoinState *state)
{
	JoinCounts counts = {.parts = state->done.parts, .tuples = state->done.tuples};
	NestStatistics statistics;

	if (state->parts.files)
		counts.bytes = part_files_bytes(state->parts.files);
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
	foreach (lc, state->replaced)
		ExecEndNode(lfirst(lc));
	if (state->sharing.parallel)
		end_relational(state);
}

static void
rescan_node(CustomScanState *node)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	ListCell *lc;

	/* the same groups again */
	if (node->ss.ps.chgParam == NULL && state->memory.context && !is_divided(state) &&
		!state->sharing.parallel)
	{
		rewind_groups(state);
		return;
	}
	/* another process may run it then */
	if (state->sharing.parallel)
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
	return sharing_size((AggregateJoinState *) node, context->nworkers);
}

static void
rescan_leaders(AggregateJoinState *state)
{
	for (int o = 0; o < state->noperands; o++)
		if (state->operands[o].scan && state->operands[o].reader == READ_BY_LEADER)
			ExecReScan(state->operands[o].child);
}

/* May rows that only the leader can read depend on parameters? Those that they depend on now may not have come down to here. */
static bool
leaders_vary(const AggregateJoinState *state)
{
	for (int o = 0; o < state->noperands; o++)
		if (state->operands[o].scan && state->operands[o].reader == READ_BY_LEADER &&
			!bms_is_empty(state->operands[o].scan->extParam))
			return true;
	return false;
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
	if (!parallel_leader_participation || leaders_vary(state))
	{
		ReinitializeParallelWorkers(context, 0);
		return;
	}
	/* it may have been left to begin again later */
	rescan_leaders(state);
	if (begin_reading(state))
		write_for_workers(state);
	forget(state);
	rescan_leaders(state);
	state->css.ss.ps.state->es_query_dsa = state->sharing.area;
}

/* In the leader, before workers are launched. */
static void
initialize_shared(CustomScanState *node, ParallelContext *context, void *memory)
{
	AggregateJoinState *state = (AggregateJoinState *) node;

	/* there are no workers where there is no memory to share */
	if (context->seg == NULL)
		return;
	begin_sharing(state, context->nworkers, context->seg, memory);
	if (state->sharing.by_leader)
		read_for_workers(state, context);
}

/* In the leader, before they are launched again. */
static void
reinitialize_shared(CustomScanState *node, ParallelContext *context, void *memory)
{
	AggregateJoinState *state = (AggregateJoinState *) node;

	if (state->sharing.shared == NULL)
		return;
	clear_sharing(state);
	if (state->sharing.by_leader)
		read_for_workers(state, context);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *memory)
{
	attach_sharing((AggregateJoinState *) node, memory);
}

/* The shared memory is about to go. */
static void
shutdown_shared(CustomScanState *node)
{
	AggregateJoinState *state = (AggregateJoinState *) node;

	if (state->sharing.shared == NULL)
		return;
	/* EXPLAIN shows it, whichever process has run that plan */
	if (shared_reason(state) && state->reason == NULL)
		state->reason =
			MemoryContextStrdup(node->ss.ps.state->es_query_cxt, shared_reason(state));
	publish_counts(state);
	if (!IsParallelWorker())
		state->sharing.counts = all_counts(state);
	state->sharing.shared = NULL;
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
