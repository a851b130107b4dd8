/*-------------------------------------------------------------------------
 *
 * planner.c
 *	  Paths by which queries read a loop's rows in memory.
 *
 * PostgreSQL reads named rows from a tuplestore. If the rows are columns in memory
 * (executor/memory_rows), a path of our own reads them. If they are indexed and a join
 * gives the keys, a path that is parameterised by the joined relations looks up one row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "executor/integer_keys.h"
#include "executor/memory_rows/memory_rows.h"
#include "planner/node_paths.h"
#include "planner/row_paths.h"

static bool
is_column_of(const Node *node, const RelOptInfo *rel, AttrNumber attno)
{
	const Var *var = (const Var *) node;

	return IsA(var, Var) && var->varno == (int) rel->relid && var->varattno == attno &&
		   var->varlevelsup == 0;
}

/*
 * Returns the rows in memory that a relation reads, or NULL. Transition tables of
 * triggers, which may have any name, belong to a table and do not count.
 */
static const MemoryRows *
rows_of_relation(const RangeTblEntry *rte)
{
	return rte->rtekind == RTE_NAMEDTUPLESTORE && !OidIsValid(rte->relid)
			   ? find_memory_rows(rte->enrname)
			   : NULL;
}

/*
 * Returns the expression, without columns of the relation, that a condition says equals a
 * column; or NULL.
 */
static Expr *
equal_expression(PlannerInfo *root, const RelOptInfo *rel, AttrNumber attno,
				 const RestrictInfo *condition)
{
	const OpExpr *equality = (const OpExpr *) condition->clause;
	Node *left;
	Node *right;
	Node *other;

	if (condition->pseudoconstant || !IsA(equality, OpExpr) ||
		list_length(equality->args) != 2 ||
		!is_integer_equality(get_opcode(equality->opno)))
		return NULL;
	left = linitial(equality->args);
	right = lsecond(equality->args);
	if (is_column_of(left, rel, attno))
		other = right;
	else if (is_column_of(right, rel, attno))
		other = left;
	else
		return NULL;
	if (bms_is_member((int) rel->relid, pull_varnos(root, other)) ||
		contain_volatile_functions(other) || contain_subplans(other))
		return NULL;
	return (Expr *) other;
}

/* Paths */

static bool
member_is_column(PlannerInfo *root, RelOptInfo *rel, EquivalenceClass *class,
				 EquivalenceMember *member, void *attno)
{
	return is_column_of((Node *) member->em_expr, rel, *(AttrNumber *) attno);
}

/*
 * Returns, for each condition that says what a column equals, the set of other relations
 * whose rows it needs.
 */
static List *
relations_beside(PlannerInfo *root, RelOptInfo *rel, AttrNumber attno)
{
	List *conditions = NIL;
	List *result = NIL;
	ListCell *lc;

	if (rel->has_eclass_joins)
		conditions = generate_implied_equalities_for_column(
			root, rel, member_is_column, &attno, rel->lateral_referencers);
	foreach (lc, rel->joininfo)
	{
		if (join_clause_is_movable_to(lfirst_node(RestrictInfo, lc), rel))
			conditions = lappend(conditions, lfirst(lc));
	}
	foreach (lc, conditions)
	{
		const RestrictInfo *condition = lfirst_node(RestrictInfo, lc);

		if (equal_expression(root, rel, attno, condition))
			result = lappend(
				result, bms_del_member(bms_copy(condition->clause_relids), rel->relid));
	}
	return result;
}

/*
 * Returns the relations whose rows are needed to look a row up by all its keys, given
 * those for the first key.
 */
static Relids
relations_of_keys(PlannerInfo *root, RelOptInfo *rel, int nkeys, Relids first)
{
	Relids result = bms_union(first, rel->lateral_relids);

	for (int k = 2; k <= nkeys; k++)
	{
		List *beside = relations_beside(root, rel, (AttrNumber) k);
		bool found = false;
		ListCell *lc;

		if (beside == NIL)
			return NULL;
		foreach (lc, beside)
			found = found || bms_is_subset(lfirst(lc), result);
		if (!found)
			result = bms_add_members(result, linitial(beside));
	}
	return result;
}

static Plan *plan_memory_rows(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
							  List *tlist, List *clauses, List *custom_plans);

static const CustomPathMethods memory_rows_path_methods = {
	.CustomName = "MemoryRows",
	.PlanCustomPath = plan_memory_rows,
};

static CustomPath *
new_path(RelOptInfo *rel)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->methods = &memory_rows_path_methods;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	return path;
}

static void
add_lookup(PlannerInfo *root, RelOptInfo *rel, int nkeys, Relids outer)
{
	CustomPath *path = new_path(rel);

	path->path.param_info = get_baserel_parampathinfo(root, rel, outer);
	/* a key is in one row, which PostgreSQL does not know */
	path->path.rows = 1;
	path->path.total_cost =
		cpu_tuple_cost + nkeys * cpu_operator_cost +
		list_length(path->path.param_info->ppi_clauses) * cpu_operator_cost +
		rel->baserestrictcost.per_tuple;
	path->path.total_cost += path->path.startup_cost = rel->baserestrictcost.startup;
	add_path(rel, &path->path);
}

void
add_memory_rows(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *rte)
{
	const MemoryRows *rows = rows_of_relation(rte);
	const Path *scan;
	CustomPath *path;
	List *done = NIL;
	ListCell *lc;

	if (rows == NULL || IS_DUMMY_REL(rel) || rel->pathlist == NIL)
		return;
	scan = linitial(rel->pathlist);
	path = new_path(rel);
	path->path.param_info = scan->param_info;
	path->path.rows = scan->rows;
	path->path.startup_cost = scan->startup_cost;
	path->path.total_cost = scan->total_cost;
	rel->pathlist = NIL;
	add_path(rel, &path->path);
	if (!rows_are_indexed(rows))
		return;
	foreach (lc, relations_beside(root, rel, 1))
	{
		Relids outer = relations_of_keys(root, rel, rows->nkeys, lfirst(lc));
		bool known = bms_is_empty(outer);
		ListCell *other;

		foreach (other, done)
			known = known || bms_equal(outer, lfirst(other));
		if (known)
			continue;
		done = lappend(done, outer);
		add_lookup(root, rel, rows->nkeys, outer);
	}
}

bool
is_key_of_rows(const RangeTblEntry *rte, AttrNumber attno)
{
	const MemoryRows *rows = rows_of_relation(rte);

	return rows && rows_are_indexed(rows) && rows->nkeys == 1 && attno == 1;
}

/* Plans */

/*
 * Returns the expression that each key equals by these conditions, and removes those
 * conditions from the list; NIL unless all keys have one.
 */
static List *
find_key_values(PlannerInfo *root, const RelOptInfo *rel, int nkeys, List **conditions)
{
	List *keys = NIL;
	List *others = *conditions;

	for (int k = 1; k <= nkeys; k++)
	{
		Expr *key = NULL;
		ListCell *lc;

		foreach (lc, *conditions)
		{
			key = equal_expression(root, rel, (AttrNumber) k,
								   lfirst_node(RestrictInfo, lc));
			if (key)
				break;
		}
		if (key == NULL)
			return NIL;
		others = list_delete_ptr(list_copy(others), lfirst(lc));
		keys = lappend(keys, key);
	}
	*conditions = others;
	return keys;
}

static Plan *
plan_memory_rows(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
				 List *clauses, List *custom_plans)
{
	const RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	int ncolumns = list_length(rte->coltypes);
	List *columns = NIL;
	CustomScan *scan;

	for (int c = 1; c <= ncolumns; c++)
		columns = lappend(columns,
						  makeVar(rel->relid, (AttrNumber) c,
								  list_nth_oid(rte->coltypes, c - 1), -1, InvalidOid, 0));
	scan = row_scan(&memory_rows_node, path, tlist, custom_plans, columns);
	if (rows_are_indexed(rows_of_relation(rte)))
		scan->custom_exprs = find_key_values(root, rel, ncolumns - 1, &clauses);
	/* a row that was looked up is still checked by the other conditions */
	scan->scan.plan.qual = extract_actual_clauses(clauses, false);
	scan->custom_private = list_make1(makeString(pstrdup(rte->enrname)));
	return &scan->scan.plan;
}
