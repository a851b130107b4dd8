/*-------------------------------------------------------------------------
 *
 * join.c
 *	  DirectJoin: runs a hash join with an array in place of the hash table.
 *
 * A probe of PostgreSQL's hash table computes a hash, reads a bucket and a row's header,
 * and compares the keys by a function: 0.15 to 0.2 us where the table is no longer in the
 * first caches. Indices of tensors are integers without wide gaps. So an array by key
 * finds the row at once.
 *
 * The node is over the hash join and does its work: it reads the inner side, then the
 * outer one row by row, and evaluates the join's own quals and target list. If the rows or
 * the array exceed the memory of a hash table, or there are many more array entries than
 * rows, the inner side is rescanned by the hash join, which has batches for that.
 *
 * In a parallel hash join, the hash join itself builds the shared table: it is executed
 * for its first row. Then each process deforms all rows of the table, for itself, while
 * values stay where they are, and joins as above. It continues with the outer row that the
 * hash join has reached.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "executor/hashjoin.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"

#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/direct_lookup/direct_lookup.h"
#include "executor/direct_lookup/inner_rows.h"
#include "executor/direct_lookup/outer_rows.h"
#include "executor/prefetch.h"
#include "executor/row_nodes.h"

/* Where a column of the result comes from. */
typedef struct TargetColumn
{
	bool is_inner;
	int column; /* of those that are kept of that side */
} TargetColumn;

typedef struct DirectJoinState
{
	CustomScanState css;
	HashJoinState *join;
	bool direct; /* false: the hash join runs by itself */
	PrefetchRule prefetch_rule;
	bool built; /* the inner side has been read */

	InnerRows inner;
	OuterRows outer;
	TupleTableSlot *inner_slot; /* what expressions read */
	TupleTableSlot *outer_slot;
	int ntargets;
	TargetColumn *targets; /* NULL: there is more to be evaluated than columns */

	bool joining;        /* a row of the outer side is being joined, */
	InnerRow *inner_row; /* next with this, */
	bool matched;        /* and has been with others */
} DirectJoinState;

static const CustomExecMethods exec_methods;

/* Beginning */

/* Finds the columns of the keys; false if they are none. */
static bool
find_keys(DirectJoinState *state)
{
	const HashJoin *plan = (const HashJoin *) state->join->js.ps.plan;
	const OpExpr *clause = linitial(plan->hashclauses);
	const Var *outer = linitial(clause->args);
	const Var *inner = lsecond(clause->args);

	if (!IsA(outer, Var) || !IsA(inner, Var) || outer->varno != OUTER_VAR ||
		inner->varno != INNER_VAR || !is_integer_type(outer->vartype) ||
		!is_integer_type(inner->vartype))
		return false;
	state->outer.key = outer->varattno;
	state->outer.key_type = outer->vartype;
	state->inner.key = inner->varattno;
	state->inner.key_type = inner->vartype;
	return true;
}

/* The columns of one side that the join evaluates something of, in their order. */
static AttrNumber *
needed_columns(const HashJoin *plan, int varno, int *count)
{
	Bitmapset *needed = NULL;
	AttrNumber *columns;
	int member = -1;

	pull_varattnos((Node *) plan->join.plan.targetlist, varno, &needed);
	pull_varattnos((Node *) plan->join.plan.qual, varno, &needed);
	pull_varattnos((Node *) plan->join.joinqual, varno, &needed);
	columns = palloc(sizeof(AttrNumber) * Max(bms_num_members(needed), 1));
	*count = 0;
	while ((member = bms_next_member(needed, member)) >= 0)
		columns[(*count)++] = (AttrNumber) (member + FirstLowInvalidHeapAttributeNumber);
	return columns;
}

static int
position_of(AttrNumber column, const AttrNumber *columns, int count)
{
	int position = 0;

	while (position < count && columns[position] != column)
		position++;
	return position;
}

/* Where the columns of the result come from, if all are just columns of the sides. */
static void
find_targets(DirectJoinState *state)
{
	const Join *plan = (const Join *) state->join->js.ps.plan;
	TargetColumn *targets;
	ListCell *lc;

	if (plan->joinqual || plan->plan.qual || !state->outer.prefetches)
		return;
	targets = palloc(sizeof(TargetColumn) * Max(list_length(plan->plan.targetlist), 1));
	state->ntargets = 0;
	foreach (lc, plan->plan.targetlist)
	{
		const Var *var = (const Var *) lfirst_node(TargetEntry, lc)->expr;
		TargetColumn *target = &targets[state->ntargets++];

		if (!IsA(var, Var))
			return;
		target->is_inner = var->varno == INNER_VAR;
		target->column =
			target->is_inner
				? position_of(var->varattno, state->inner.columns, state->inner.ncolumns)
				: position_of(var->varattno, state->outer.columns, state->outer.ncolumns);
	}
	state->targets = targets;
}

/* A slot for rows of which some columns are there; nobody looks at the others. */
static TupleTableSlot *
make_slot(EState *estate, TupleDesc descriptor)
{
	TupleTableSlot *slot = ExecInitExtraTupleSlot(estate, descriptor, &TTSOpsVirtual);

	memset(slot->tts_isnull, true, sizeof(bool) * descriptor->natts);
	return slot;
}

static void
begin_direct_join(CustomScanState *node, EState *estate, int eflags)
{
	DirectJoinState *state = (DirectJoinState *) node;
	PlanState *child;
	const HashJoin *plan;

	child = begin_child(node, estate, eflags);
	pass_child_rows(node, child);

	/* a node of ours knows what it was planned over, but not what others made of it */
	if (!IsA(child, HashJoinState))
		return;
	state->join = (HashJoinState *) child;
	state->direct = find_keys(state);
	if (!state->direct)
		return;
	plan = (const HashJoin *) child->plan;

	state->inner.descriptor = ExecGetResultType(innerPlanState(child));
	state->inner.columns = needed_columns(plan, INNER_VAR, &state->inner.ncolumns);
	state->inner_slot = make_slot(estate, state->inner.descriptor);
	direct_table_begin(&state->inner.table,
					   AllocSetContextCreate(estate->es_query_cxt, "DirectJoin",
											 ALLOCSET_DEFAULT_SIZES));

	state->outer.node = outerPlanState(child);
	state->outer.inner = &state->inner;
	state->outer.columns = needed_columns(plan, OUTER_VAR, &state->outer.ncolumns);
	outer_rows_begin(&state->outer, ExecGetResultType(outerPlanState(child)));
	state->prefetch_rule = prefetch_rule_for(node, outerPlan(plan));
	state->outer_slot = make_slot(estate, ExecGetResultType(outerPlanState(child)));
	find_targets(state);
}

void
direct_join_prefetch(PlanState *node, AttrNumber column, const DirectTable *table)
{
	DirectJoinState *state = (DirectJoinState *) node;
	TargetColumn target;
	Oid type;

	if (!IsA(node, CustomScanState) ||
		((CustomScanState *) node)->methods != &exec_methods || state->targets == NULL ||
		node->ps_ProjInfo)
		return;
	target = state->targets[column - 1];
	type = TupleDescAttr(ExecGetResultType(node), column - 1)->atttypid;
	if (target.is_inner || !is_integer_type(type))
		return;
	state->outer.group_table = table;
	state->outer.group_column = target.column;
	state->outer.group_type = type;
}

/* The inner side */

/* Do processes divide what is below a node? */
static bool
is_divided(PlanState *node, void *context)
{
	return node->plan->parallel_aware || planstate_tree_walker(node, is_divided, context);
}

/*
 * True if it is worth looking whether the outer side has rows before the inner one
 * is read, as the hash join would find it. The outer side begins anew if the hash
 * join takes over, which a part that a process has claimed cannot.
 */
static bool
looks_at_outer(DirectJoinState *state)
{
	const JoinState *join = &state->join->js;
	const Plan *outer = state->outer.node->plan;
	const Plan *hash = innerPlanState(&join->ps)->plan;

	if (is_divided(state->outer.node, NULL))
		return false;
	return join->jointype == JOIN_LEFT || join->jointype == JOIN_ANTI ||
		   outer->startup_cost < hash->total_cost;
}

/* Goes on with the rows that were found, or leaves all to the hash join. */
static void
settle(DirectJoinState *state, bool found)
{
	state->built = found;
	state->direct = found;
	if (found)
	{
		InstrCountFiltered1(state, 1);
		InstrCountFiltered2(state, state->inner.count);
		return;
	}
	inner_rows_forget(&state->inner);
	InstrCountTuples2(state, 1);
}

/*
 * Reads the inner side if the outer one has rows. Leaves both to the hash join if
 * it does not fit.
 */
static void
begin_joining(DirectJoinState *state)
{
	PlanState *hash = innerPlanState(&state->join->js.ps);

	if (looks_at_outer(state) && !outer_rows_are_there(&state->outer))
		return;
	/* its child is asked past the node that would have done this */
	if (hash->chgParam)
		ExecReScan(hash);
	settle(state, inner_rows_read(&state->inner, outerPlanState(hash)));
	if (state->built)
		return;
	ExecReScan(outerPlanState(hash));
	if (state->outer.first)
		ExecReScan(state->outer.node);
	outer_rows_rescan(&state->outer);
}

/* True if the hash join builds its table together with other processes. */
static bool
is_shared(const DirectJoinState *state)
{
	return ((const HashState *) innerPlanState(&state->join->js.ps))->parallel_state !=
		   NULL;
}

/*
 * Has the hash join build the table that is shared, and finds its rows. Returns the
 * hash join's first row if the hash join continues by itself; else NULL, or if it has
 * none. It may also continue after the slot of the inner rows has been used: it stores its next one
 * there, and the row that it has returned points to the table.
 */
static TupleTableSlot *
begin_sharing(DirectJoinState *state)
{
	HashJoinState *join = state->join;
	TupleTableSlot *slot = ExecProcNode(&join->js.ps);
	HashJoinTable table = join->hj_HashTable;

	if (TupIsNull(slot))
		return NULL;
	/* with several batches, outer rows have been spilled */
	settle(state, table->nbatch == 1 &&
					  inner_rows_find(&state->inner, table, join->hj_HashTupleSlot));
	if (!state->built)
		return slot;
	/* joined anew; for EXPLAIN, rows that filters keep out of it count twice */
	outer_rows_begin_with(&state->outer, join->js.ps.ps_ExprContext->ecxt_outertuple);
	if (join->js.ps.instrument)
		join->js.ps.instrument->tuplecount -= 1.0;
	return NULL;
}

/* Rows */

/* The values of a row in the slot that the join's expressions read. */
static TupleTableSlot *
show_row(TupleTableSlot *slot, int ncolumns, const AttrNumber *columns,
		 const Datum *values, const bool *nulls)
{
	ExecClearTuple(slot);
	for (int i = 0; i < ncolumns; i++)
	{
		slot->tts_values[columns[i] - 1] = values[i];
		slot->tts_isnull[columns[i] - 1] = nulls[i];
	}
	return ExecStoreVirtualTuple(slot);
}

static TupleTableSlot *
show_inner(DirectJoinState *state, const InnerRow *row)
{
	const InnerRows *inner = &state->inner;

	return show_row(state->inner_slot, inner->ncolumns, inner->columns, row->values,
					inner_row_nulls(inner, row));
}

static TupleTableSlot *
show_outer(DirectJoinState *state)
{
	const OuterRows *outer = &state->outer;
	int row = (outer->next - 1) * outer->ncolumns;

	if (!outer->prefetches)
		return outer->slot;
	return show_row(state->outer_slot, outer->ncolumns, outer->columns,
					outer->values + row, outer->nulls + row);
}

/* The row of the join of what its expressions read, unless its filter keeps it out. */
static TupleTableSlot *
evaluate_row(DirectJoinState *state)
{
	PlanState *join = &state->join->js.ps;

	if (join->qual == NULL || ExecQual(join->qual, join->ps_ExprContext))
		return ExecProject(join->ps_ProjInfo);
	InstrCountFiltered2(join, 1);
	return NULL;
}

/* The row of the join that has just columns of both sides; no inner row is all NULL. */
static TupleTableSlot *
copy_row(DirectJoinState *state, const InnerRow *inner)
{
	TupleTableSlot *slot = state->join->js.ps.ps_ResultTupleSlot;
	const OuterRows *outer = &state->outer;
	const Datum *outer_values = outer->values + (outer->next - 1) * outer->ncolumns;
	const bool *outer_nulls = outer->nulls + (outer->next - 1) * outer->ncolumns;
	const bool *inner_nulls = inner ? inner_row_nulls(&state->inner, inner) : NULL;

	ExecClearTuple(slot);
	for (int i = 0; i < state->ntargets; i++)
	{
		int column = state->targets[i].column;

		if (!state->targets[i].is_inner)
		{
			slot->tts_values[i] = outer_values[column];
			slot->tts_isnull[i] = outer_nulls[column];
		}
		else
		{
			slot->tts_values[i] = inner ? inner->values[column] : (Datum) 0;
			slot->tts_isnull[i] = inner ? inner_nulls[column] : true;
		}
	}
	return ExecStoreVirtualTuple(slot);
}

/* The next row of the outer side, with the first of those with its key. */
static bool
begin_outer_row(DirectJoinState *state)
{
	if (!outer_rows_next(&state->outer))
		return false;
	state->joining = true;
	state->matched = false;
	state->inner_row = state->outer.matches[state->outer.next - 1];
	if (state->targets == NULL)
		state->join->js.ps.ps_ExprContext->ecxt_outertuple = show_outer(state);
	return true;
}

/* The row of the join with the next inner row; NULL if a condition keeps it out. */
static TupleTableSlot *
join_inner_row(DirectJoinState *state)
{
	JoinState *join = &state->join->js;
	const InnerRow *row = state->inner_row;

	state->inner_row = row->next;
	if (state->targets == NULL)
	{
		join->ps.ps_ExprContext->ecxt_innertuple = show_inner(state, row);
		if (join->joinqual && !ExecQual(join->joinqual, join->ps.ps_ExprContext))
		{
			InstrCountFiltered1(join, 1);
			return NULL;
		}
	}
	state->matched = true;
	if (join->single_match || join->jointype == JOIN_ANTI)
		state->inner_row = NULL;
	if (join->jointype == JOIN_ANTI)
		return NULL;
	return state->targets ? copy_row(state, row) : evaluate_row(state);
}

/* The row of the join for a row of the outer side that has no other; or NULL. */
static TupleTableSlot *
join_nothing(DirectJoinState *state)
{
	JoinState *join = &state->join->js;

	if (state->matched || (join->jointype != JOIN_LEFT && join->jointype != JOIN_ANTI))
		return NULL;
	if (state->targets)
		return copy_row(state, NULL);
	join->ps.ps_ExprContext->ecxt_innertuple = state->join->hj_NullInnerTupleSlot;
	return evaluate_row(state);
}

/* What the hash join would return next; NULL at its end. */
static TupleTableSlot *
join_row(DirectJoinState *state)
{
	JoinType type = state->join->js.jointype;

	/* the outer side need not be read */
	if (state->inner.count == 0 && (type == JOIN_INNER || type == JOIN_SEMI))
		return NULL;
	for (;;)
	{
		TupleTableSlot *result = NULL;

		CHECK_FOR_INTERRUPTS();
		if (!state->joining && !begin_outer_row(state))
			return NULL;
		if (state->targets == NULL)
			ResetExprContext(state->join->js.ps.ps_ExprContext);
		while (result == NULL && state->inner_row)
			result = join_inner_row(state);
		state->joining = state->inner_row != NULL;
		if (result == NULL)
			result = join_nothing(state);
		if (result)
			return result;
	}
}

static TupleTableSlot *
exec_direct_join(CustomScanState *node)
{
	DirectJoinState *state = (DirectJoinState *) node;
	Instrumentation *instrument;
	TupleTableSlot *slot;

	if (state->direct && !state->built)
	{
		if (!is_shared(state))
			begin_joining(state);
		else
		{
			slot = begin_sharing(state);
			if (!state->built)
				return pass_row(node, slot);
		}
	}
	if (!state->direct)
		return pass_row(node, ExecProcNode(linitial(node->custom_ps)));
	state->outer.most = may_prefetch(node, state->prefetch_rule) ? PREFETCH_MAXIMUM : 1;
	instrument = state->join->js.ps.instrument;
	if (instrument)
		InstrStartNode(instrument);
	slot = join_row(state);
	if (instrument)
		InstrStopNode(instrument, slot ? 1.0 : 0.0);
	/* as the hash join, which is not executed again: the last process frees the table */
	if (slot == NULL && is_shared(state))
		ExecHashTableDetachBatch(state->join->hj_HashTable);
	return pass_row(node, slot);
}

/* Rescanning, ending */

static void
rescan_direct_join(CustomScanState *node)
{
	DirectJoinState *state = (DirectJoinState *) node;
	PlanState *join = linitial(node->custom_ps);

	state->joining = false;
	state->inner_row = NULL;
	if (!state->direct)
	{
		rescan_child(node);
		return;
	}
	/* not left to its first row: it is not asked for rows */
	if (node->ss.ps.chgParam)
		UpdateChangedParamSet(join, node->ss.ps.chgParam);
	ExecReScan(join);
	outer_rows_rescan(&state->outer);
	/*
	 * Having no table, it has not looked whether the inner side is the same. One that
	 * is shared is always built again.
	 */
	if (state->built && (innerPlanState(join)->chgParam || is_shared(state)))
	{
		inner_rows_forget(&state->inner);
		state->built = false;
	}
}

static void
explain_direct_join(CustomScanState *node, List *ancestors, ExplainState *es)
{
	const Instrumentation *instrument = node->ss.ps.instrument;

	if (!es->analyze || instrument == NULL || instrument->nloops == 0)
		return;
	/* of the tables that were made, in all processes */
	if (instrument->nfiltered1 > 0)
		ExplainPropertyFloat("Direct Rows", NULL,
							 instrument->nfiltered2 / instrument->nfiltered1, 0, es);
	if (instrument->ntuples2 > 0)
		ExplainPropertyText("Lookup", "hash", es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "DirectJoin",
	.BeginCustomScan = begin_direct_join,
	.ExecCustomScan = exec_direct_join,
	.EndCustomScan = end_child,
	.ReScanCustomScan = rescan_direct_join,
	.ExplainCustomScan = explain_direct_join,
};

static Node *
create_direct_join_state(CustomScan *scan)
{
	return row_node_state(sizeof(DirectJoinState), &exec_methods);
}

const CustomScanMethods direct_join_scan_methods = {
	.CustomName = "DirectJoin",
	.CreateCustomScanState = create_direct_join_state,
};
