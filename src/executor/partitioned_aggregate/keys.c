/*-------------------------------------------------------------------------
 *
 * keys.c
 *	  The keys by which groups are divided among processes.
 *
 * A row may be read by several processes, which all must take it for a row of the
 * same partition. So keys are columns of tables, as they are stored, and not what
 * a process computes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "executor/partitioned_aggregate/partitioned_aggregate.h"

/* True if a column of an item of a query is a table's. */
static bool
is_stored_column(const RangeTblEntry *rte, AttrNumber attno)
{
	Query *inner = rte->subquery;
	Node *node;

	check_stack_depth();
	if (attno < 1)
		return false;
	if (rte->rtekind == RTE_RELATION)
		return rte->relkind != RELKIND_FOREIGN_TABLE && rte->tablesample == NULL;
	if (rte->rtekind != RTE_SUBQUERY || inner == NULL || inner->setOperations ||
		inner->groupingSets || attno > list_length(inner->targetList))
		return false;
	node = (Node *) list_nth_node(TargetEntry, inner->targetList, attno - 1)->expr;
	if (!IsA(node, Var) || ((Var *) node)->varlevelsup != 0)
		return false;
	rte = rt_fetch(((Var *) node)->varno, inner->rtable);
#if PG_VERSION_NUM >= 180000
	if (rte->rtekind == RTE_GROUP)
	{
		node = list_nth(rte->groupexprs, ((Var *) node)->varattno - 1);
		if (!IsA(node, Var) || ((Var *) node)->varlevelsup != 0)
			return false;
		rte = rt_fetch(((Var *) node)->varno, inner->rtable);
	}
#endif
	return is_stored_column(rte, ((Var *) node)->varattno);
}

bool
find_partition_keys(PartitionedGroups *groups)
{
	PlannerInfo *root = groups->root;
	ListCell *lc;

#if PG_VERSION_NUM >= 160000
	groups->clauses = root->processed_groupClause;
#else
	groups->clauses = root->parse->groupClause;
#endif
	foreach (lc, groups->clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Var *key = (Var *) get_sortgroupclause_expr(clause, root->processed_tlist);

		if (!clause->hashable || !IsA(key, Var) || key->varlevelsup != 0 ||
			!is_stored_column(planner_rt_fetch(key->varno, root), key->varattno))
			return false;
		groups->keys = lappend(groups->keys, key);
		groups->relids = bms_add_member(groups->relids, key->varno);
		groups->operators = lappend_oid(groups->operators, clause->eqop);
		groups->collations = lappend_oid(groups->collations, exprCollation((Node *) key));
	}
	return groups->keys != NIL;
}

/*
 * The operator that compares a column's values as another compares a key's, and
 * with it the function that hashes equal values of both types alike.
 */
static Oid
equality_of_type(Oid equality, Oid key_type, Oid type)
{
	TypeCacheEntry *key =
		lookup_type_cache(key_type, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);
	TypeCacheEntry *other =
		lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);

	if (type == key_type)
		return equality;
	/* integers of different sizes are of one family */
	if (key->eq_opr != equality || !OidIsValid(key->hash_proc) ||
		!OidIsValid(other->hash_proc) || key->hash_opf != other->hash_opf)
		return InvalidOid;
	return other->eq_opr;
}

/* A column of the relations that is joined with the key, and how it is compared. */
static Var *
find_equal_column(PlannerInfo *root, const Var *key, Relids relids, Oid *equality)
{
	List *families = get_mergejoin_opfamilies(*equality);
	ListCell *lc;

	foreach (lc, root->eq_classes)
	{
		EquivalenceClass *class = lfirst_node(EquivalenceClass, lc);
		bool has_key = false;
		ListCell *cell;

		if (class->ec_has_volatile || !bms_is_member(key->varno, class->ec_relids) ||
			!equal(class->ec_opfamilies, families))
			continue;
		foreach (cell, class->ec_members)
			has_key |= equal(lfirst_node(EquivalenceMember, cell)->em_expr, key);
		if (!has_key)
			continue;
		foreach (cell, class->ec_members)
		{
			EquivalenceMember *member = lfirst_node(EquivalenceMember, cell);
			Var *column = (Var *) member->em_expr;
			Oid other;

			if (member->em_is_child || !IsA(column, Var) || column->varlevelsup != 0 ||
				!bms_is_member(column->varno, relids) ||
				column->varcollid != key->varcollid ||
				!is_stored_column(planner_rt_fetch(column->varno, root),
								  column->varattno))
				continue;
			other = equality_of_type(*equality, key->vartype, column->vartype);
			if (!OidIsValid(other))
				continue;
			*equality = other;
			return column;
		}
	}
	return NULL;
}

bool
find_equal_keys(const PartitionedGroups *groups, Relids relids,
				PartitionedGroups *equal_groups)
{
	PlannerInfo *root = groups->root;
	ListCell *key;
	ListCell *operator;

	*equal_groups = *groups;
	if (bms_is_subset(groups->relids, relids))
		return true;
	/* an outer join may let a row pass in which the columns are not equal */
	if (root->join_info_list != NIL)
		return false;
	equal_groups->keys = NIL;
	equal_groups->operators = NIL;
	equal_groups->relids = NULL;
	forboth (key, groups->keys, operator, groups->operators)
	{
		Var *column = lfirst_node(Var, key);
		Oid equality = lfirst_oid(operator);

		if (!bms_is_member(column->varno, relids))
			column = find_equal_column(root, column, relids, &equality);
		if (column == NULL)
			return false;
		equal_groups->keys = lappend(equal_groups->keys, column);
		equal_groups->operators = lappend_oid(equal_groups->operators, equality);
		equal_groups->relids = bms_add_member(equal_groups->relids, column->varno);
	}
	return true;
}
