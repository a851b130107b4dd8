/*-------------------------------------------------------------------------
 *
 * query_level.c
 *	  What a query level has of this extension.
 *
 * The answer is computed each time: PlannerInfo has no place for it (up to PostgreSQL
 * 18), and hooks make cheaper checks first.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "planner/query_level.h"
#include "type/extension.h"

/* Is this IS NULL of a column, which reads no value? */
static bool
is_null_test_of_column(const Node *node)
{
	return IsA(node, NullTest) && IsA(((const NullTest *) node)->arg, Var);
}

static bool
has_function(Oid function, void *context)
{
	return extension_has_function(function);
}

bool
calls_extension(Node *node)
{
	return check_functions_in_node(node, has_function, NULL);
}

static bool
computes(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query) || is_null_test_of_column(node))
		return false;
	if (IsA(node, Var))
		return is_tensor_type(((Var *) node)->vartype);
	return calls_extension(node) || expression_tree_walker(node, computes, context);
}

/* Calls the walker on the expressions of one query level. */
static bool
walk_level(const PlannerInfo *root, bool (*walker)(Node *, void *), void *context)
{
	return query_tree_walker(root->parse, walker, context,
							 QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES |
								 QTW_IGNORE_JOINALIASES);
}

bool
level_computes(const PlannerInfo *root)
{
	return extension_installed() && walk_level(root, computes, NULL);
}

static bool
reads_tensor_of(Node *node, void *context)
{
	const Index *relid = context;

	if (node == NULL || IsA(node, Query) || is_null_test_of_column(node))
		return false;
	if (IsA(node, Var))
	{
		const Var *var = (const Var *) node;

		return var->varlevelsup == 0 && var->varno == (int) *relid &&
			   (var->varattno == 0 || is_tensor_type(var->vartype));
	}
	return expression_tree_walker(node, reads_tensor_of, context);
}

bool
level_reads_tensors_of(const PlannerInfo *root, Index relid)
{
	/* expressions name the parent, as the query does */
	while (root->append_rel_array && root->append_rel_array[relid])
		relid = root->append_rel_array[relid]->parent_relid;
	return extension_installed() && walk_level(root, reads_tensor_of, &relid);
}
