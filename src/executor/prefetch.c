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

/* A scan of a CTE, and how many of its rows are read if the tree that it is in is read to completion. */
typedef struct CteReader
{
	int cte;
	int tree; /* number of the subplan, 0 for the main tree */
	PrefetchRule rule;
} CteReader;

typedef struct Search
{
	const Plan *wanted;
	CteReader *found;  /* what is known of that node, or NULL */
	List *cte_readers; /* of CteReader: all of the statement */
} Search;

static CteReader *
make_reader(int cte, int tree, PrefetchRule rule)
{
	CteReader *reader = palloc(sizeof(CteReader));

	*reader = (CteReader){.cte = cte, .tree = tree, .rule = rule};
	return reader;
}

/* Visits a tree once, whatever is asked of it: statements have thousands of nodes. */
static void
search_tree(Search *search, Plan *node, int tree, PrefetchRule rule)
{
	List *below;
	ListCell *lc;

	check_stack_depth();
	if (node == search->wanted)
		search->found = make_reader(0, tree, rule);
	if (IsA(node, CteScan))
		search->cte_readers = lappend(
			search->cte_readers, make_reader(((CteScan *) node)->ctePlanId, tree, rule));
	below = plans_below(node);
	foreach (lc, below)
	{
		PrefetchRule reads = reads_of_child(node, lfirst(lc));

		search_tree(search, lfirst(lc), tree,
					reads == PREFETCH_TO_COMPLETION ? rule : reads);
	}
	list_free(below);
}

/* The rule of a reader, given that of the readers of the tree that it is in. */
static PrefetchRule
rule_of_reader(const Search *search, const CteReader *reader, Bitmapset **ctes)
{
	PrefetchRule rule = PREFETCH_NEVER;
	bool any = false;
	ListCell *lc;

	check_stack_depth();
	if (reader->rule != PREFETCH_TO_COMPLETION || reader->tree == 0)
		return reader->rule;
	/* what its readers do is in the result already */
	if (bms_is_member(reader->tree, *ctes))
		return PREFETCH_ALWAYS;
	*ctes = bms_add_member(*ctes, reader->tree);
	/* only a CTE has scans that may read all of it, a subquery has none */
	foreach (lc, search->cte_readers)
	{
		const CteReader *above = lfirst(lc);

		if (above->cte == reader->tree)
		{
			PrefetchRule of_above = rule_of_reader(search, above, ctes);

			rule = any ? Min(rule, of_above) : of_above;
			any = true;
		}
	}
	return rule;
}

PrefetchRule
prefetch_rule_for(const CustomScanState *node, const Plan *child)
{
	const PlannedStmt *statement = node->ss.ps.state->es_plannedstmt;
	Search search = {.wanted = node->ss.ps.plan};
	PrefetchRule rule = PREFETCH_NEVER;
	Bitmapset *ctes = NULL;
	int tree = 1;
	ListCell *lc;

	if (!may_fail(child))
		return PREFETCH_ALWAYS;
	search_tree(&search, statement->planTree, 0, PREFETCH_TO_COMPLETION);
	foreach (lc, statement->subplans)
	{
		if (lfirst(lc))
			search_tree(&search, lfirst(lc), tree, PREFETCH_TO_COMPLETION);
		tree++;
	}
	if (search.found)
	{
		rule = rule_of_reader(&search, search.found, &ctes);
		pfree(search.found);
	}
	bms_free(ctes);
	list_free_deep(search.cte_readers);
	return rule;
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
