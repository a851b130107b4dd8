/*-------------------------------------------------------------------------
 *
 * repeatable.c
 *	  What may be computed for more rows than are returned, and again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "executor/repeatable.h"
#include "type/kernel_spec.h"

/* einsum_barrier is gone when what calls it has been planned. */
static bool
is_volatile(Oid function, void *context)
{
	return func_volatile(function) == PROVOLATILE_VOLATILE &&
		   !function_has_form(function, FORM_ONCE) &&
		   !function_has_form(function, FORM_BARRIER);
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

static bool
has_subplan(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan))
		return true;
	return expression_tree_walker(node, has_subplan, context);
}

bool
is_repeatable(Query *query)
{
	return !calls_volatile((Node *) query) &&
		   !query_tree_walker(query, has_subplan, NULL, QTW_IGNORE_RT_SUBQUERIES);
}
