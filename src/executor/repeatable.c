/*-------------------------------------------------------------------------
 *
 * repeatable.c
 *	  Which expressions and queries may be computed again, or for more rows than are
 *	  returned.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "utils/lsyscache.h"

#include "catalog/citus.h"
#include "executor/repeatable.h"
#include "type/kernel_spec.h"

/*
 * Leaves out einsum_barrier too: the planner removes its call; and what Citus has gathered
 * for a query, which stays the same while it runs.
 */
static bool
is_volatile(Oid function, void *context)
{
	return func_volatile(function) == PROVOLATILE_VOLATILE &&
		   !function_has_form(function, FORM_ONCE) &&
		   !function_has_form(function, FORM_BARRIER) &&
		   !is_intermediate_result(function);
}

static bool
volatile_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (check_functions_in_node(node, is_volatile, context) || IsA(node, NextValueExpr))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, volatile_walker, context, 0);
	return expression_tree_walker(node, volatile_walker, context);
}

bool
calls_volatile(Node *node)
{
	return volatile_walker(node, NULL);
}

/*
 * Does an expression have a subplan that is volatile? Expression nodes only name the plan
 * of a subplan, so that expression_tree_walker does not visit it.
 */
static bool
has_volatile_subplan(Node *node, void *context)
{
	const PlannerGlobal *glob = context;

	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, SubPlan))
	{
		Query *query =
			list_nth_node(PlannerInfo, glob->subroots, ((SubPlan *) node)->plan_id - 1)
				->parse;

		if (calls_volatile((Node *) query) ||
			query_tree_walker(query, has_volatile_subplan, context, 0))
			return true;
	}
	return expression_tree_walker(node, has_volatile_subplan, context);
}

bool
is_repeatable(const PlannerInfo *root)
{
	return !calls_volatile((Node *) root->parse) &&
		   !query_tree_walker(root->parse, has_volatile_subplan, root->glob,
							  QTW_IGNORE_RT_SUBQUERIES);
}
