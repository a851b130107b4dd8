/*-------------------------------------------------------------------------
 *
 * planner.c
 *	  Rows joined with the elements of a vector in them.
 *
 *	  VectorEntries
 *	  scan of x
 *
 * computes FROM x, einsum_unstack_scalar(x.value, fill), which PostgreSQL would run as a
 * nested loop over a function scan, with a tuplestore that has a row for each element.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "executor/vector_entries/vector_entries.h"
#include "planner/node_paths.h"
#include "planner/time_cost.h"
#include "type/kernel_spec.h"

/* Microseconds for a row of an element (AMD EPYC, 2026-11; make bench-iterate). */
#define ENTRY_TIME 0.015

/* Returns the call whose result is all rows of a relation; NULL for another relation. */
static const FuncExpr *
unstack_call(PlannerInfo *root, const RelOptInfo *rel)
{
	const RangeTblEntry *rte;
	const FuncExpr *call;
	const KernelSpec *spec;

	if (rel->reloptkind != RELOPT_BASEREL || rel->rtekind != RTE_FUNCTION ||
		rel->baserestrictinfo != NIL || bms_is_empty(rel->lateral_relids))
		return NULL;
	rte = planner_rt_fetch(rel->relid, root);
	if (rte->funcordinality || list_length(rte->functions) != 1)
		return NULL;
	call = (const FuncExpr *) linitial_node(RangeTblFunction, rte->functions)->funcexpr;
	if (!IsA(call, FuncExpr) || list_length(call->args) != 2)
		return NULL;
	spec = kernel_spec(call->funcid);
	return spec && spec->form == FORM_UNSTACK && spec->scalar ? call : NULL;
}

/*
 * Returns the number, from 1, of the column of a path's rows that equals an expression; 0
 * for another expression.
 */
static int
column_of(const Path *path, const Node *expression)
{
	ListCell *lc;

	foreach (lc, path->pathtarget->exprs)
		if (equal(lfirst(lc), expression))
			return foreach_current_index(lc) + 1;
	return 0;
}

/*
 * Returns ENTRIES_COLUMNS for a target; NIL if one of its columns belongs to neither the
 * child nor the entries.
 */
static List *
find_columns(const PathTarget *target, const Path *child, Index entries)
{
	List *columns = NIL;
	ListCell *lc;

	foreach (lc, target->exprs)
	{
		const Var *var = lfirst(lc);
		int column = column_of(child, (const Node *) var);

		if (column == 0 && IsA(var, Var) && var->varno == (int) entries &&
			(var->varattno == 1 || var->varattno == 2))
			column = var->varattno == 1 ? ENTRY_INDEX : ENTRY_VALUE;
		if (column == 0)
			return NIL;
		columns = lappend_int(columns, column);
	}
	return columns;
}

static Plan *
plan_vector_entries(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
					List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	ListCell *lc;

	foreach (lc, path->path.pathtarget->exprs)
		scan->custom_scan_tlist = lappend(
			scan->custom_scan_tlist,
			makeTargetEntry(copyObject(lfirst(lc)),
							(AttrNumber) (foreach_current_index(lc) + 1), NULL, false));
	scan->scan.plan.targetlist = tlist;
	scan->scan.scanrelid = 0;
	scan->flags = path->flags;
	scan->custom_plans = custom_plans;
	scan->custom_private = copyObject(path->custom_private);
	scan->methods = &vector_entries_scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "VectorEntries",
	.PlanCustomPath = plan_vector_entries,
};

/*
 * Returns a path that joins the rows of child with the elements of their vectors; NULL if
 * child lacks a column that is needed.
 */
static CustomPath *
entries_path(RelOptInfo *joinrel, const RelOptInfo *entries, const FuncExpr *call,
			 Path *child)
{
	Const *fill = lsecond(call->args);
	int vector = column_of(child, linitial(call->args));
	List *columns = find_columns(joinrel->reltarget, child, entries->relid);
	CustomPath *path;

	if (vector == 0 || columns == NIL || child->param_info || !IsA(fill, Const) ||
		fill->constisnull)
		return NULL;
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = joinrel;
	path->path.pathtarget = joinrel->reltarget;
	path->path.rows = child->rows * entries->rows;
	path->path.parallel_safe = joinrel->consider_parallel && child->parallel_safe;
	path->path.parallel_workers = child->parallel_workers;
	path->path.startup_cost = child->startup_cost;
	path->path.total_cost =
		child->total_cost + cost_of_time(path->path.rows * ENTRY_TIME);
	set_disabled_nodes(&path->path, disabled_nodes_of(child));
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(child);
	path->custom_private =
		list_make4(makeInteger(vector), fill, columns, list_make1_oid(call->funcid));
	path->methods = &path_methods;
	return path;
}

void
add_vector_entries(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer,
				   RelOptInfo *inner, JoinType jointype, const JoinPathExtraData *extra)
{
	const FuncExpr *call = unstack_call(root, inner);
	CustomPath *path;

	/* the node cannot lock rows, or check them again */
	if (call == NULL || jointype != JOIN_INNER || extra->restrictlist != NIL ||
		root->parse->rowMarks != NIL || root->parse->commandType != CMD_SELECT ||
		!bms_is_subset(inner->lateral_relids, outer->relids) ||
		!bms_is_empty(joinrel->lateral_relids))
		return;
	path = outer->cheapest_total_path
			   ? entries_path(joinrel, inner, call, outer->cheapest_total_path)
			   : NULL;
	if (path)
		add_path(joinrel, &path->path);
	if (!joinrel->consider_parallel || outer->partial_pathlist == NIL)
		return;
	path = entries_path(joinrel, inner, call, linitial(outer->partial_pathlist));
	if (path)
		add_partial_path(joinrel, &path->path);
}
