/*-------------------------------------------------------------------------
 *
 * prefetch.c
 *	  How many rows a node may prefetch from its child.
 *
 * An error cannot be caught and rethrown later: after an error the plan may not run any
 * further, not even its end, and workers have no subtransactions.
 *
 * The nodes above tell whether all rows will be read. A sort, hash or aggregate reads its
 * input to completion. A join reads as much as is read of it. A LIMIT, an EXISTS and a
 * scalar subquery may stop early. At the top of the plan it depends on the run: a cursor
 * or a portal may fetch some of the rows only.
 *
 * Nothing below can raise an error if all functions are leakproof, as PostgreSQL defines
 * that: comparisons of integers are, arithmetic and our checks are not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/plannodes.h"
#include "optimizer/clauses.h"

#include "compat.h"
#include "executor/all_gather/all_gather.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/direct_lookup/direct_lookup.h"
#include "executor/kept_results/kept_results.h"
#include "executor/kept_results/sent_results.h"
#include "executor/partitioned_aggregate/partitioned_aggregate.h"
#include "executor/prefetch.h"
#include "executor/subpaths.h"

static ExecutorRun_hook_type prev_ExecutorRun = NULL;

/* The plan that is being run to completion, or NULL. */
static const EState *running_to_completion = NULL;

/* Errors below */

static bool may_fail(const Plan *plan);

static bool
expressions_may_fail(const void *expressions)
{
	return contain_leaked_vars((Node *) expressions) ||
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

/* May reading a further row of a plan, after its first, raise an error? */
static bool
may_fail(const Plan *plan)
{
	ListCell *lc;

	check_stack_depth();
	if (plan == NULL)
		return false;
	foreach (lc, plan->targetlist)
		if (expressions_may_fail(lfirst_node(TargetEntry, lc)->expr))
			return true;
	if (expressions_may_fail(plan->qual))
		return true;
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_FunctionScan: /* all of it is computed before the first row */
		case T_Sort:         /* so is what is below these */
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
			return may_fail(outerPlan(plan));
		case T_SubqueryScan:
			return may_fail(((const SubqueryScan *) plan)->subplan);
		case T_Append:
			return one_may_fail(((const Append *) plan)->appendplans);
		case T_MergeAppend:
			return one_may_fail(((const MergeAppend *) plan)->mergeplans);
		case T_NestLoop:
			return expressions_may_fail(((const Join *) plan)->joinqual) ||
				   may_fail(outerPlan(plan)) || may_fail(innerPlan(plan));
		case T_HashJoin:
			/* its table has all rows before its first */
			return expressions_may_fail(((const Join *) plan)->joinqual) ||
				   expressions_may_fail(((const HashJoin *) plan)->hashclauses) ||
				   may_fail(outerPlan(plan));
		default:
			return true;
	}
}

/* Readers above */

/*
 * Does a node read all rows of the child before it returns one (ALWAYS), all rows if it
 * is itself read to completion (TO_COMPLETION), or perhaps fewer (NEVER)?
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
			if (scan->methods == &all_gather_scan_methods)
				return PREFETCH_ALWAYS;
			return is_direct_node(scan) ||
						   scan->methods == &batched_projection_scan_methods ||
						   scan->methods == &partition_filter_scan_methods ||
						   scan->methods == &kept_results_scan_methods ||
						   scan->methods == &sent_results_scan_methods
					   ? PREFETCH_TO_COMPLETION
					   : PREFETCH_NEVER;
		default:
			return PREFETCH_NEVER;
	}
}

typedef struct Readers
{
	const PlannedStmt *statement;
	Bitmapset *ctes;   /* whose readers have been searched */
	PrefetchRule rule; /* of the weakest of all that were found */
} Readers;

static bool find_readers(Readers *readers, const Plan *wanted, int cte);

/* Takes a node into account that is below others in a tree, 0 for the main one. */
static void
add_reader(Readers *readers, const Plan *child, List *above, int tree)
{
	ListCell *lc;

	foreach (lc, above)
	{
		PrefetchRule reads = reads_of_child(lfirst(lc), child);

		if (reads == PREFETCH_ALWAYS)
			return;
		if (reads == PREFETCH_NEVER)
		{
			readers->rule = PREFETCH_NEVER;
			return;
		}
		child = lfirst(lc);
	}
	if (tree == 0)
		readers->rule = Min(readers->rule, PREFETCH_TO_COMPLETION);
	/* only a CTE has scans that may read all of it */
	else if (!bms_is_member(tree, readers->ctes))
	{
		readers->ctes = bms_add_member(readers->ctes, tree);
		if (!find_readers(readers, NULL, tree))
			readers->rule = PREFETCH_NEVER;
	}
}

/* Finds the node, or the scans of the CTE with this number, in a tree; false if none is there. */
static bool
find_in_tree(Readers *readers, Plan *node, List *above, int tree, const Plan *wanted,
			 int cte)
{
	bool found;
	ListCell *lc;

	check_stack_depth();
	found = wanted ? node == wanted
				   : IsA(node, CteScan) && ((CteScan *) node)->ctePlanId == cte;
	if (found)
		add_reader(readers, node, above, tree);
	above = lcons(node, list_copy(above));
	foreach (lc, plans_below(node))
		found |= find_in_tree(readers, lfirst(lc), above, tree, wanted, cte);
	return found;
}

/* The same in all trees of the statement. */
static bool
find_readers(Readers *readers, const Plan *wanted, int cte)
{
	bool found = find_in_tree(readers, readers->statement->planTree, NIL, 0, wanted, cte);
	int tree = 1;
	ListCell *lc;

	foreach (lc, readers->statement->subplans)
	{
		if (lfirst(lc))
			found |= find_in_tree(readers, lfirst(lc), NIL, tree, wanted, cte);
		tree++;
	}
	return found;
}

PrefetchRule
prefetch_rule_for(const CustomScanState *node, const Plan *child)
{
	Readers readers = {.statement = node->ss.ps.state->es_plannedstmt,
					   .rule = PREFETCH_ALWAYS};

	if (may_fail(child) && !find_readers(&readers, node->ss.ps.plan, 0))
		return PREFETCH_NEVER;
	return readers.rule;
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
