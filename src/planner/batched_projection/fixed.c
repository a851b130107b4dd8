/*-------------------------------------------------------------------------
 *
 * fixed.c
 *	  Which operands have one value in all rows that a query level delivers.
 *
 * When the query runs, an operand that is read from a table is compared between rows: a
 * value out of line by its pointer, a short value by its bytes. A matrix that the query
 * computes has no pointer, and comparing its megabytes for every row would cost as much
 * as the product. But such a matrix mostly comes from an aggregate without GROUP BY,
 * which is one row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "catalog/with_query.h"
#include "executor/repeatable.h"
#include "planner/batched_projection/fixed.h"
#include "recursion.h"

/* Does a query return at most one row, and the same one whenever it runs again? */
static bool
is_one_row(Query *query)
{
	ListCell *lc;

	enter_recursion();
	if (query->commandType != CMD_SELECT || query->setOperations ||
		query->hasTargetSRFs || query->groupingSets || query->groupClause)
		return false;
	if (query->hasAggs)
		return true;
	foreach (lc, query->jointree->fromlist)
	{
		RangeTblEntry *rte;

		if (!IsA(lfirst(lc), RangeTblRef))
			return false;
		rte = rt_fetch(((RangeTblRef *) lfirst(lc))->rtindex, query->rtable);
		if (rte->rtekind == RTE_RESULT)
			continue;
		if (rte->rtekind != RTE_SUBQUERY || rte->lateral || !is_one_row(rte->subquery))
			return false;
	}
	return true;
}

/* Returns the query of the WITH item that a range table entry reads; NULL if unknown. */
static Query *
cte_subquery(PlannerInfo *root, RangeTblEntry *rte)
{
	for (Index up = rte->ctelevelsup; up > 0 && root; up--)
		root = root->parent_root;
	return root ? with_query(root->parse, rte) : NULL;
}

/* May an outer join put NULLs in place of the relation's columns? */
static bool
is_nullable(PlannerInfo *root, Index relid)
{
	ListCell *lc;

	foreach (lc, root->join_info_list)
	{
		SpecialJoinInfo *join = lfirst_node(SpecialJoinInfo, lc);

		if (bms_is_member(relid, join->syn_righthand) ||
			(join->jointype == JOIN_FULL && bms_is_member(relid, join->syn_lefthand)))
			return true;
	}
	return false;
}

static bool
is_fixed_relation(PlannerInfo *root, Index relid)
{
	RangeTblEntry *rte = planner_rt_fetch(relid, root);
	Query *query = NULL;

	if (rte->rtekind == RTE_SUBQUERY && !rte->lateral)
		query = rte->subquery;
	else if (rte->rtekind == RTE_CTE && !rte->self_reference)
		query = cte_subquery(root, rte);
	return query != NULL && is_one_row(query) && !is_nullable(root, relid) &&
		   !calls_volatile((Node *) query);
}

/*
 * Finds an expression that depends on a row. If a root is given, columns of relations
 * with only one row do not count.
 */
static bool
varying_walker(Node *node, void *context)
{
	PlannerInfo *root = context;

	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
			return root == NULL || ((Var *) node)->varlevelsup != 0 ||
				   IS_SPECIAL_VARNO(((Var *) node)->varno) ||
				   !is_fixed_relation(root, ((Var *) node)->varno);
		case T_Aggref:
		case T_GroupingFunc:
		case T_WindowFunc:
		case T_PlaceHolderVar:
		case T_SubPlan:
		case T_AlternativeSubPlan:
			return true;
		default:
			return expression_tree_walker(node, varying_walker, context);
	}
}

bool
is_fixed(PlannerInfo *root, Node *expression)
{
	return !varying_walker(expression, root);
}

bool
needs_no_row(Node *expression)
{
	return !varying_walker(expression, NULL);
}
