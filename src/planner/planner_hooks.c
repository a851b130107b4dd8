/*-------------------------------------------------------------------------
 *
 * planner_hooks.c
 *	  What the planner is told that no support function can tell it.
 *
 * Four things decide the plans of views over views and have no place in SQL:
 *
 * - Widths. A value that a subquery computes is taken for 32 bytes; that it has
 *	 some kB decides which side of a join is hashed and whether in batches.
 *
 * - Distinct keys. PostgreSQL (up to 17) knows nothing of the columns of a
 *	 subquery with GROUP BY, or of a materialized CTE, and assumes 200
 *	 distinct keys: hash tables that look crowded, aggregates that look small.
 *	 The keys of a stage come from a table's column, and one grouped by a single
 *	 key has each of them once. Those of a loop's rows have been counted, and slices of a
 *	 tensor are numbered.
 *
 * - Filters that keep all rows. Every stage tests whether values are NULL,
 *	 for a NULL is not an entry. Of a column that is NOT NULL, PostgreSQL drops
 *	 the condition since version 17; before, it took a fortieth of a graph
 *	 convolution.
 *
 * - Parallel scans. A table whose values lie out of line has few pages of its
 *	 own, too few for a parallel scan, however long it takes to compute with what
 *	 they point to. So its TOAST table counts in its size.
 *
 * The hooks act only on query levels that compute with this extension, on
 * subqueries that deliver what it computes, and on tables of which a tensor is read;
 * costs stay the planner's own. They need no preloading: support functions in the query's
 * expressions load the library before the planner looks at relations.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "catalog/estimate.h"
#include "catalog/with_query.h"
#include "compat.h"
#include "executor/memory_rows/memory_rows.h"
#include "planner/estimate_shape.h"
#include "planner/join_search.h"
#include "planner/loop_planning.h"
#include "planner/node_paths.h"
#include "planner/planner_hooks.h"
#include "planner/query_level.h"
#include "recursion.h"
#include "type/extension.h"

static set_rel_pathlist_hook_type prev_set_rel_pathlist = NULL;
static set_join_pathlist_hook_type prev_set_join_pathlist = NULL;
static build_simple_rel_hook_type prev_build_simple_rel = NULL;
static get_relation_stats_hook_type prev_get_relation_stats = NULL;

/*
 * Does a query return results of this extension? Then the widths and keys of its columns
 * are corrected for its readers.
 */
static bool
is_stage(const Query *query)
{
	ListCell *lc;

	foreach (lc, query->targetList)
	{
		Node *node = (Node *) ((TargetEntry *) lfirst(lc))->expr;

		if (IsA(node, CoalesceExpr))
			node = linitial(((CoalesceExpr *) node)->args);
		if (is_tensor_type(exprType(node)) ||
			(IsA(node, FuncExpr) &&
			 extension_has_function(((FuncExpr *) node)->funcid)) ||
			(IsA(node, Aggref) && extension_has_function(((Aggref *) node)->aggfnoid)))
			return true;
	}
	return false;
}

/* Widths */

/* Corrects the widths of tensor columns that a subquery or function returns. */
static void
correct_widths(PlannerInfo *root, RelOptInfo *rel)
{
	ListCell *lc;

	foreach (lc, rel->reltarget->exprs)
	{
		Var *var = lfirst(lc);
		ShapeEstimate shape;
		int32 *width;
		int32 correct;

		if (!IsA(var, Var) || var->varno != (int) rel->relid || var->varattno < 1 ||
			!is_tensor_type(var->vartype) || !estimate_shape(root, (Node *) var, &shape))
			continue;
		width = &rel->attr_widths[var->varattno - rel->min_attr];
		correct = (int32) Min(shape.width, (double) MaxAllocSize);
		rel->reltarget->width += correct - *width;
		*width = correct;
	}
}

/*
 * Restores the partial paths of a subquery that PostgreSQL before 17 drops because the
 * subquery has scalar subqueries of its own, such as one that reads a one-row operand.
 * Workers can run those. Only for a subquery that computes row by row: others have no
 * partial paths after their joins.
 */
static void
restore_partial_paths(PlannerInfo *root, RelOptInfo *rel)
{
	PlannerInfo *subroot = rel->subroot;
	Query *query;
	RelOptInfo *joined;
	ListCell *lc;

	if (!rel->consider_parallel || rel->partial_pathlist != NIL || rel->lateral_relids ||
		subroot == NULL || subroot->init_plans == NIL || IS_DUMMY_REL(rel))
		return;
	query = subroot->parse;
	if (query->commandType != CMD_SELECT || query->groupClause || query->groupingSets ||
		query->hasAggs || query->havingQual || query->hasWindowFuncs ||
		query->hasTargetSRFs || query->distinctClause || query->sortClause ||
		query->limitCount || query->limitOffset || query->rowMarks ||
		query->setOperations || query->cteList || ALL_RELIDS(subroot) == NULL)
		return;
	foreach (lc, subroot->init_plans)
	{
		if (!((SubPlan *) lfirst(lc))->parallel_safe)
			return;
	}
	joined = bms_membership(ALL_RELIDS(subroot)) == BMS_SINGLETON
				 ? find_base_rel(subroot, bms_singleton_member(ALL_RELIDS(subroot)))
				 : find_join_rel(subroot, ALL_RELIDS(subroot));
	if (joined == NULL || !joined->consider_parallel)
		return;
	foreach (lc, joined->partial_pathlist)
	{
		SubqueryScanPath *path =
			create_subqueryscan_path(root, rel, (Path *) lfirst(lc), false, NIL, NULL);

		path->path.parallel_safe = true;
		add_partial_path(rel, &path->path);
	}
}

bool
never_null(const RangeTblEntry *rte, AttrNumber attno)
{
	Relation relation;
	bool result;

	if (rte->rtekind != RTE_RELATION || rte->relkind != RELKIND_RELATION || rte->inh ||
		attno <= 0 || IsolationUsesXactSnapshot())
		return false;
	/* the planner holds a lock */
	relation = table_open(rte->relid, NoLock);
	result = COLUMN_IS_NOT_NULL(RelationGetDescr(relation), attno - 1);
	table_close(relation, NoLock);
	return result;
}

/* Does a condition test a column IS NOT NULL that the table declares NOT NULL? */
static bool
is_always_true(const RestrictInfo *condition, const RangeTblEntry *rte)
{
	const NullTest *test = (const NullTest *) condition->clause;
	const Var *var;

	if (!IsA(test, NullTest) || test->nulltesttype != IS_NOT_NULL || test->argisrow)
		return false;
	var = (const Var *) test->arg;
	return IsA(var, Var) && var->varlevelsup == 0 && never_null(rte, var->varattno);
}

/*
 * Is one of the conditions a test for NULL? Queries without this extension mostly have
 * none.
 */
static bool
has_null_test(const List *conditions)
{
	const ListCell *lc;

	foreach (lc, conditions)
		if (IsA(lfirst_node(RestrictInfo, lc)->clause, NullTest))
			return true;
	return false;
}

/*
 * Removes tests for NULL that are always true from the conditions of a table's scans.
 */
static void
drop_null_tests(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *rte)
{
	List *conditions = NIL;
	ListCell *lc;

	if (!has_null_test(rel->baserestrictinfo) || !level_computes(root))
		return;
	foreach (lc, rel->baserestrictinfo)
	{
		if (!is_always_true(lfirst_node(RestrictInfo, lc), rte))
			conditions = lappend(conditions, lfirst(lc));
	}
	/* stores a new list of conditions, since indexes may share the old one */
	rel->baserestrictinfo = conditions;
}

/* CTEs */

/*
 * Finds the CTE that an item of a query refers to. queries are the item's query and those
 * around it, innermost first; *owners becomes those around the CTE. NULL for a recursive
 * CTE: estimates for others do not hold for it, and it may end only because its reader
 * stops.
 */
static Query *
cte_subquery(List *queries, const RangeTblEntry *rte, List **owners)
{
	if (rte->self_reference || (int) rte->ctelevelsup >= list_length(queries))
		return NULL;
	*owners = list_copy_tail(queries, rte->ctelevelsup);
	return with_query(linitial(*owners), rte);
}

/* Returns the query of this level and those around it, innermost first. */
static List *
queries_around(PlannerInfo *root)
{
	List *queries = NIL;

	for (; root; root = root->parent_root)
		queries = lappend(queries, root->parse);
	return queries;
}

/* Does a CTE return results of this extension? */
static bool
reads_stage(PlannerInfo *root, const RangeTblEntry *rte)
{
	List *owners;
	const Query *query = cte_subquery(queries_around(root), rte, &owners);

	return query && is_stage(query);
}

static void
sparseeinsum_set_join_pathlist(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer,
							   RelOptInfo *inner, JoinType jointype,
							   JoinPathExtraData *extra)
{
	if (prev_set_join_pathlist)
		prev_set_join_pathlist(root, joinrel, outer, inner, jointype, extra);
	add_joined_entries(root, joinrel, outer, inner, jointype, extra);
}

static void
sparseeinsum_set_rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti,
							  RangeTblEntry *rte)
{
	if (prev_set_rel_pathlist)
		prev_set_rel_pathlist(root, rel, rti, rte);
	if (rte->rtekind == RTE_RELATION && extension_installed())
		look_up_ranges(root, rel, rte);
	if (!PLANNER_DROPS_NULL_TESTS && rte->rtekind == RTE_RELATION &&
		extension_installed())
		drop_null_tests(root, rel, rte);
	add_memory_rows(root, rel, rte);
	if (rte->rtekind == RTE_FUNCTION)
		add_entries(root, rel);
	if ((rte->rtekind == RTE_SUBQUERY || rte->rtekind == RTE_CTE ||
		 rte->rtekind == RTE_FUNCTION) &&
		extension_installed())
	{
		correct_widths(root, rel);
		if (rte->rtekind == RTE_CTE && reads_stage(root, rte))
			add_shared_rows(root, rel, rte);
		if (!PLANNER_KEEPS_PARTIAL_PATHS && rte->rtekind == RTE_SUBQUERY &&
			is_stage(rte->subquery))
			restore_partial_paths(root, rel);
	}
}

/* Distinct keys */

/* What is known of the distinct values of an output column. */
typedef struct KeyEstimate
{
	bool is_unique;  /* each value occurs once */
	bool is_hidden;  /* PostgreSQL does not see the estimate, because of a GROUP BY or a
					  * CTE */
	double distinct; /* of the table's column that it comes from; -1: not known */
} KeyEstimate;

/*
 * Follows an item's column to the table column from which it comes, and sets *key.
 * queries are the item's query and those around it, innermost first. False if the column
 * is computed.
 */
static bool
follow_key(List *queries, const RangeTblEntry *rte, AttrNumber attno, KeyEstimate *key)
{
	Query *inner;
	TargetEntry *entry;
	Node *node;

	enter_recursion();
	if (rte->rtekind == RTE_RELATION)
	{
		key->is_unique = false;
		key->distinct = analyzed_distinct(rte->relid, attno);
		return true;
	}
	if (rte->rtekind == RTE_SUBQUERY)
		inner = rte->subquery;
	else if (rte->rtekind == RTE_CTE)
	{
		inner = cte_subquery(queries, rte, &queries);
		key->is_hidden = true;
	}
	else
		return false;
	if (inner == NULL || inner->commandType != CMD_SELECT || inner->setOperations ||
		inner->groupingSets || attno < 1 || attno > list_length(inner->targetList))
		return false;
	entry = list_nth(inner->targetList, attno - 1);
	node = (Node *) entry->expr;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
	{
		const RangeTblEntry *scanned = rt_fetch(((Var *) node)->varno, inner->rtable);

		if (group_expressions(scanned))
			node = list_nth(group_expressions(scanned), ((Var *) node)->varattno - 1);
	}
	if (!IsA(node, Var) || ((Var *) node)->varlevelsup != 0)
		return false;
	if (!follow_key(lcons(inner, queries), rt_fetch(((Var *) node)->varno, inner->rtable),
					((Var *) node)->varattno, key))
		return false;
	if (inner->groupClause)
	{
		key->is_hidden = true;
		key->is_unique =
			list_length(inner->groupClause) == 1 &&
			entry->ressortgroupref ==
				linitial_node(SortGroupClause, inner->groupClause)->tleSortGroupRef;
	}
	else if (list_length(inner->jointree->fromlist) != 1 ||
			 !IsA(linitial(inner->jointree->fromlist), RangeTblRef))
		key->is_unique = false; /* a join may repeat a value */
	return true;
}

/* Makes a row of pg_statistic that only tells the number of distinct values. */
static HeapTuple
distinct_statistics(Oid relid, AttrNumber attno, double distinct)
{
	Relation statistics = table_open(StatisticRelationId, AccessShareLock);
	Datum values[Natts_pg_statistic] = {0};
	bool nulls[Natts_pg_statistic];
	HeapTuple tuple;

	memset(nulls, true, sizeof(nulls));
	/* other fields are 0, and the arrays and values of the slots are NULL */
	memset(nulls, false, sizeof(bool) * (Anum_pg_statistic_stanumbers1 - 1));
	values[Anum_pg_statistic_starelid - 1] = ObjectIdGetDatum(relid);
	values[Anum_pg_statistic_staattnum - 1] = Int16GetDatum(attno);
	values[Anum_pg_statistic_stawidth - 1] = Int32GetDatum(8);
	values[Anum_pg_statistic_stadistinct - 1] = Float4GetDatum((float4) distinct);
	tuple = heap_form_tuple(RelationGetDescr(statistics), values, nulls);
	table_close(statistics, AccessShareLock);
	return tuple;
}

/* Tells the planner the number of distinct values; false if it is not known. */
static bool
set_distinct(VariableStatData *vardata, AttrNumber attno, double distinct)
{
	if (distinct < 1.0)
		return false;
	vardata->statsTuple = distinct_statistics(InvalidOid, attno, rint(distinct));
	vardata->freefunc = heap_freetuple;
	vardata->acl_ok = true; /* the number of distinct values reveals none of them */
	return true;
}

static bool
sparseeinsum_get_relation_stats(PlannerInfo *root, RangeTblEntry *rte, AttrNumber attno,
								VariableStatData *vardata)
{
	KeyEstimate key = {0};
	List *queries;
	List *owners;
	Query *query;

	if (prev_get_relation_stats && prev_get_relation_stats(root, rte, attno, vardata))
		return true;
	if (is_key_of_rows(rte, attno))
	{
		vardata->isunique = true;
		return true;
	}
	if (rte->rtekind == RTE_NAMEDTUPLESTORE)
		return set_distinct(vardata, attno, distinct_in_loop(rte, attno));
	if (rte->rtekind == RTE_FUNCTION && is_number_of_slice(rte, attno))
	{
		vardata->isunique = true;
		return true;
	}
	if ((rte->rtekind != RTE_SUBQUERY && rte->rtekind != RTE_CTE) || rte->inh ||
		!extension_installed())
		return false;
	queries = queries_around(root);
	query = rte->rtekind == RTE_SUBQUERY ? rte->subquery
										 : cte_subquery(queries, rte, &owners);
	if (query == NULL || !is_stage(query) || !follow_key(queries, rte, attno, &key) ||
		!key.is_hidden)
		return false;
	if (key.is_unique)
		vardata->isunique = true;
	else
		return set_distinct(vardata, attno, key.distinct);
	return true;
}

/* Parallel scans */

static bool
has_tensor_column(TupleDesc columns)
{
	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (!column->attisdropped && is_tensor_type(column->atttypid))
			return true;
	}
	return false;
}

/* Returns the pages of a relation by its last ANALYZE or VACUUM. */
static double
analyzed_pages(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	double pages = 0.0;

	if (HeapTupleIsValid(tuple))
	{
		pages = Max(((Form_pg_class) GETSTRUCT(tuple))->relpages, 0);
		ReleaseSysCache(tuple);
	}
	return pages;
}

/*
 * Sets the number of parallel workers for a table whose own pages are too few for any,
 * but whose TOAST table has many, if its tensors are read. As in compute_parallel_worker,
 * there is one more worker each time the pages exceed min_parallel_table_scan_size
 * threefold.
 */
static void
sparseeinsum_build_simple_rel(BUILD_SIMPLE_REL_PARAMETERS)
{
	const RangeTblEntry *entry = planner_rt_fetch(rel->relid, root);
	Relation relation;
	double pages = 0.0;

	if (prev_build_simple_rel)
		prev_build_simple_rel(BUILD_SIMPLE_REL_ARGUMENTS);
	if (entry->rtekind != RTE_RELATION || entry->inh || rel->rel_parallel_workers >= 0 ||
		max_parallel_workers_per_gather == 0 ||
		rel->pages >= (BlockNumber) min_parallel_table_scan_size ||
		!extension_installed())
		return;
	/* the planner still holds its lock */
	relation = table_open(entry->relid, NoLock);
	if (OidIsValid(relation->rd_rel->reltoastrelid) &&
		has_tensor_column(RelationGetDescr(relation)) &&
		level_reads_tensors_of(root, rel->relid))
		pages = rel->pages + analyzed_pages(relation->rd_rel->reltoastrelid);
	table_close(relation, NoLock);
	if (pages > 0.0 && pages >= min_parallel_table_scan_size)
		rel->rel_parallel_workers =
			1 + (int) (log(pages / Max(min_parallel_table_scan_size, 1)) / log(3.0));
}

void
planner_hooks_init(void)
{
	prev_set_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = sparseeinsum_set_rel_pathlist;
	prev_set_join_pathlist = set_join_pathlist_hook;
	set_join_pathlist_hook = sparseeinsum_set_join_pathlist;
	prev_build_simple_rel = build_simple_rel_hook;
	build_simple_rel_hook = sparseeinsum_build_simple_rel;
	prev_get_relation_stats = get_relation_stats_hook;
	get_relation_stats_hook = sparseeinsum_get_relation_stats;
	join_search_init();
	loop_planning_init();
}
