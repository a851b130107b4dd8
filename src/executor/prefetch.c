/*-------------------------------------------------------------------------
 *
 * prefetch.c
 *	  How many rows a node may prefetch from its child.
 *
 * An error cannot be caught and rethrown later: after an error no node of the plan may
 * run, not even to end, and workers have no subtransactions.
 *
 * The nodes above tell whether all rows will be read. A sort, hash or aggregate reads
 * its input to completion. A join reads to completion if it is itself read to
 * completion. A LIMIT, an EXISTS and a scalar subquery may stop early. At the top of the
 * plan it depends on the run: a cursor or a portal may fetch some of the rows only.
 *
 * No node below can raise an error if all its functions are leakproof, as PostgreSQL
 * defines that: comparisons of integers are; arithmetic and this extension's checks are
 * not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "recursion.h"
#include "executor/aggregate_join/aggregate_join.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/children.h"
#include "executor/plan_readers.h"
#include "executor/prefetch.h"
#include "executor/repeatable.h"
#include "executor/entries/entries.h"
#include "executor/shared_rows/shared_rows.h"

static ExecutorRun_hook_type prev_ExecutorRun = NULL;

/* The plan that is being run to completion, or NULL. */
static const EState *running_to_completion = NULL;

/* Errors below */

static bool may_fail(const Plan *plan);

static bool
is_leaky(Oid function, void *context)
{
	return !get_func_leakproof(function);
}

/*
 * May evaluating an expression raise an error that depends on the row? It may not if all
 * its functions are leakproof; the kinds of nodes are those of PostgreSQL's
 * contain_leaked_vars.
 */
static bool
may_fail_by_row(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Const:
		case T_Param:
		case T_ArrayExpr:
		case T_FieldSelect:
		case T_FieldStore:
		case T_NamedArgExpr:
		case T_BoolExpr:
		case T_RelabelType:
		case T_CollateExpr:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
		case T_RowExpr:
		case T_SQLValueFunction:
		case T_NullTest:
		case T_BooleanTest:
		case T_NextValueExpr:
		case T_List:
			break;
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_CoerceViaIO:
			if (check_functions_in_node(node, is_leaky, NULL) && contain_var_clause(node))
				return true;
			break;
		case T_MinMaxExpr:
			if (is_leaky(lookup_type_cache(((MinMaxExpr *) node)->minmaxtype,
										   TYPECACHE_CMP_PROC)
							 ->cmp_proc,
						 NULL) &&
				contain_var_clause(node))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, may_fail_by_row, context);
}

static bool
expressions_may_fail(const void *expressions)
{
	return may_fail_by_row((Node *) expressions, NULL) ||
		   calls_volatile((Node *) expressions);
}

static bool
one_may_fail(const List *plans)
{
	const ListCell *lc;

	foreach (lc, plans)
		if (may_fail(lfirst(lc)))
			return true;
	return false;
}

/* May reading another row of a plan raise an error, after its first row has been read? */
static bool
may_fail(const Plan *plan)
{
	ListCell *lc;

	enter_recursion();
	foreach (lc, plan->targetlist)
		if (expressions_may_fail(lfirst_node(TargetEntry, lc)->expr))
			return true;
	if (expressions_may_fail(plan->qual))
		return true;
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_FunctionScan: /* computes all rows before it returns the first */
		case T_Sort:         /* reads all its input before it returns the first row */
			return false;
		case T_IndexScan:
			return expressions_may_fail(((const IndexScan *) plan)->indexqualorig) ||
				   expressions_may_fail(((const IndexScan *) plan)->indexorderbyorig);
		case T_IndexOnlyScan:
			return expressions_may_fail(((const IndexOnlyScan *) plan)->indexqual) ||
				   expressions_may_fail(((const IndexOnlyScan *) plan)->indexorderby);
		case T_BitmapHeapScan:
			return expressions_may_fail(((const BitmapHeapScan *) plan)->bitmapqualorig);
		case T_Result:
		case T_Material:
		case T_Limit:
		case T_Gather:
		case T_GatherMerge:
		case T_SubqueryScan:
		case T_Append:
		case T_MergeAppend:
			return one_may_fail(plan_children((Plan *) plan));
		case T_NestLoop:
			return expressions_may_fail(((const Join *) plan)->joinqual) ||
				   one_may_fail(plan_children((Plan *) plan));
		case T_HashJoin:
			/* its hash table has all rows before its first row is returned */
			return expressions_may_fail(((const Join *) plan)->joinqual) ||
				   expressions_may_fail(((const HashJoin *) plan)->hashclauses) ||
				   may_fail(outerPlan(plan));
		default:
			return true;
	}
}

/* Readers above */

/*
 * Returns whether a node reads all rows of the child before it returns one (ALWAYS), all
 * rows if it is itself read to completion (TO_COMPLETION), or perhaps fewer (NEVER).
 */
static PrefetchRule
reads_of_child(const Plan *node, const Plan *child)
{
	const CustomScan *scan = (const CustomScan *) node;
	const Join *join = (const Join *) node;

	switch (nodeTag(node))
	{
		case T_Sort:
		case T_Hash:
			return PREFETCH_ALWAYS;
		case T_Agg:
			return ((const Agg *) node)->chain == NIL &&
						   (((const Agg *) node)->aggstrategy == AGG_PLAIN ||
							((const Agg *) node)->aggstrategy == AGG_HASHED)
					   ? PREFETCH_ALWAYS
					   : PREFETCH_TO_COMPLETION;
		case T_ModifyTable:
			return ((const ModifyTable *) node)->returningLists == NIL
					   ? PREFETCH_ALWAYS
					   : PREFETCH_TO_COMPLETION;
		case T_Result:
		case T_ProjectSet:
		case T_SubqueryScan:
		case T_Append:
		case T_MergeAppend:
		case T_Gather:
		case T_GatherMerge:
		case T_Material:
		case T_IncrementalSort:
		case T_Group:
		case T_Unique:
		case T_SetOp:
			return PREFETCH_TO_COMPLETION;
		case T_WindowAgg:
			return WINDOW_MAY_STOP((const WindowAgg *) node) ? PREFETCH_NEVER
															 : PREFETCH_TO_COMPLETION;
		case T_Limit:
			return ((const Limit *) node)->limitCount ? PREFETCH_NEVER
													  : PREFETCH_TO_COMPLETION;
		case T_HashJoin:
			return PREFETCH_TO_COMPLETION;
		case T_NestLoop:
			return child == outerPlan(node) ||
						   (!join->inner_unique &&
							(join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT))
					   ? PREFETCH_TO_COMPLETION
					   : PREFETCH_NEVER;
		case T_CustomScan:
			/*
			 * operands are read before the first row; the relational plan's rows are
			 * passed on
			 */
			if (is_plan_of(node, &aggregate_join_node))
				return child == llast(scan->custom_plans) ? PREFETCH_TO_COMPLETION
														  : PREFETCH_ALWAYS;
			return is_plan_of(node, &batched_projection_node) ||
						   is_plan_of(node, &entries_node) ||
						   is_plan_of(node, &shared_rows_node)
					   ? PREFETCH_TO_COMPLETION
					   : PREFETCH_NEVER;
		default:
			return PREFETCH_NEVER;
	}
}

/*
 * Returns the prefetch rule of a node, from what reads its rows. The nearest node above
 * that does not just read as much as is read of itself decides; at the top of a CTE, the
 * most restrictive rule of the CTE's scans.
 */
static PrefetchRule
rule_of_readers(const PlanReaders *readers, const Plan *node)
{
	const PlanPlace *place = plan_place(readers, node);
	PrefetchRule rule = PREFETCH_ALWAYS;
	ListCell *lc;

	enter_recursion();
	/* below a node whose children we do not know */
	if (place == NULL)
		return PREFETCH_NEVER;
	for (; place->above; place = plan_place(readers, place->above))
	{
		PrefetchRule reads = reads_of_child(place->above, place->node);

		if (reads != PREFETCH_TO_COMPLETION)
			return reads;
	}
	if (place->tree == 0)
		return PREFETCH_TO_COMPLETION;
	/* only CTEs have scans that may read all rows; other subplans have no such scans */
	if (readers->cte_scans[place->tree] == NIL)
		return PREFETCH_NEVER;
	if (readers->prefetch_rules[place->tree] < 0)
	{
		foreach (lc, readers->cte_scans[place->tree])
			rule = Min(rule, rule_of_readers(readers, lfirst(lc)));
		readers->prefetch_rules[place->tree] = (int) rule;
	}
	return (PrefetchRule) readers->prefetch_rules[place->tree];
}

PrefetchRule
prefetch_rule_for(const CustomScanState *node, const Plan *child)
{
	if (!may_fail(child))
		return PREFETCH_ALWAYS;
	return rule_of_readers(plan_readers(node->ss.ps.state), node->ss.ps.plan);
}

/* Runs */

static void
sparseeinsum_ExecutorRun(EXECUTOR_RUN_PARAMETERS)
{
	const EState *before = running_to_completion;

	running_to_completion =
		count == 0 && ScanDirectionIsForward(direction) ? query->estate : NULL;
	PG_TRY();
	{
		if (prev_ExecutorRun)
			prev_ExecutorRun(EXECUTOR_RUN_ARGUMENTS);
		else
			standard_ExecutorRun(EXECUTOR_RUN_ARGUMENTS);
	}
	PG_FINALLY();
	{
		running_to_completion = before;
	}
	PG_END_TRY();
}

bool
may_prefetch(const CustomScanState *node, PrefetchRule rule)
{
	return rule == PREFETCH_ALWAYS ||
		   (rule == PREFETCH_TO_COMPLETION && running_to_completion == node->ss.ps.state);
}

void
prefetch_init(void)
{
	prev_ExecutorRun = ExecutorRun_hook;
	ExecutorRun_hook = sparseeinsum_ExecutorRun;
}
