/*-------------------------------------------------------------------------
 *
 * view_column.c
 *	  Whether a column of a view may be computed of rows that the view leaves out.
 *
 * PostgreSQL evaluates a condition on a column of a view beside the view's own
 * conditions, or below its joins. For a column of a table that is harmless; the
 * cast of a text to a number fails for the texts that the view leaves out. As
 * for security_barrier views, what may go below is what is leakproof: a
 * function that may raise an error is not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/lsyscache.h"

#include "catalog/view_column.h"
#include "catalog/with_query.h"
#include "compat.h"
#include "recursion.h"

/*
 * attgenerated of a virtual generated column, which is computed when it is read
 * (PostgreSQL 18).
 */
#define GENERATED_VIRTUAL 'v'

static bool expression_may_fail(Query *query, Node *expression);

static bool
relation_column_may_fail(Oid relid, AttrNumber attno)
{
	Relation relation;
	bool may_fail;

	if (get_rel_relkind(relid) != RELKIND_VIEW)
		return get_attgenerated(relid, attno) == GENERATED_VIRTUAL;
	relation = relation_open(relid, AccessShareLock);
	may_fail = view_column_may_fail(relation, attno);
	relation_close(relation, NoLock);
	return may_fail;
}

/*
 * May a column of a UNION or its kind raise an error? Its branches must have the same
 * type, since others are cast.
 */
static bool
branch_may_fail(Query *query, Node *branch, AttrNumber attno, Oid type)
{
	SetOperationStmt *operation = (SetOperationStmt *) branch;
	Query *subquery;
	TargetEntry *entry;

	enter_recursion();
	if (IsA(branch, SetOperationStmt))
		return list_nth_oid(operation->colTypes, attno - 1) != type ||
			   branch_may_fail(query, operation->larg, attno, type) ||
			   branch_may_fail(query, operation->rarg, attno, type);
	if (!IsA(branch, RangeTblRef))
		return true;
	subquery = rt_fetch(((RangeTblRef *) branch)->rtindex, query->rtable)->subquery;
	if (subquery == NULL || attno > list_length(subquery->targetList))
		return true;
	entry = list_nth(subquery->targetList, attno - 1);
	if (exprType((Node *) entry->expr) != type)
		return true;
	return expression_may_fail(subquery, (Node *) entry->expr);
}

static bool
output_may_fail(Query *query, AttrNumber attno)
{
	Node *expression;

	enter_recursion();
	if (attno < 1 || attno > list_length(query->targetList))
		return true;
	expression = (Node *) ((TargetEntry *) list_nth(query->targetList, attno - 1))->expr;
	if (query->setOperations)
		return branch_may_fail(query, query->setOperations, attno, exprType(expression));
	return expression_may_fail(query, expression);
}

static bool
with_column_may_fail(Query *query, const RangeTblEntry *rte, AttrNumber attno)
{
	Query *with = rte->ctelevelsup == 0 ? with_query(query, rte) : NULL;

	return with == NULL || output_may_fail(with, attno);
}

static bool
variable_may_fail(Query *query, const Var *var)
{
	RangeTblEntry *rte;

	if (var->varlevelsup > 0 || var->varno < 1 || var->varno > list_length(query->rtable))
		return true;
	rte = rt_fetch(var->varno, query->rtable);
	if (var->varattno < 1)
		return var->varattno == 0 || rte->rtekind != RTE_RELATION;
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return relation_column_may_fail(rte->relid, var->varattno);
		case RTE_SUBQUERY:
			return output_may_fail(rte->subquery, var->varattno);
		case RTE_JOIN:
			return expression_may_fail(query,
									   list_nth(rte->joinaliasvars, var->varattno - 1));
		case RTE_CTE:
			return with_column_may_fail(query, rte, var->varattno);
		default:
			return group_expressions(rte) == NIL ||
				   expression_may_fail(
					   query, list_nth(group_expressions(rte), var->varattno - 1));
	}
}

static bool
may_fail_walker(Node *node, Query *query)
{
	enter_recursion();
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return variable_may_fail(query, (Var *) node);
	return expression_tree_walker(node, may_fail_walker, (void *) query);
}

static bool
expression_may_fail(Query *query, Node *expression)
{
	return contain_subplans(expression) || contain_leaked_vars(expression) ||
		   may_fail_walker(expression, query);
}

bool
view_column_may_fail(Relation view, AttrNumber attno)
{
	return output_may_fail(get_view_query(view), attno);
}
