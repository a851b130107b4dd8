/*-------------------------------------------------------------------------
 *
 * shared_rows.c
 *	  Paths by which all processes of a parallel query read a CTE.
 *
 * Only the leader can run a CTE Scan, so that PostgreSQL runs all that is joined with a
 * CTE in one process. In levels that compute with this extension a CTE has a second path,
 * SharedRows, which each process can run. It costs more than the CTE Scan, and so is only
 * chosen below a Gather.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "executor/shared_rows/shared_rows.h"
#include "planner/node_paths.h"
#include "planner/query_level.h"
#include "planner/row_paths.h"

static Plan *plan_shared_rows(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
							  List *tlist, List *clauses, List *custom_plans);

static const CustomPathMethods shared_rows_path_methods = {
	.CustomName = "SharedRows",
	.PlanCustomPath = plan_shared_rows,
};

/* May workers check a CTE's conditions and compute the columns that are read? */
static bool
is_safe_for_workers(PlannerInfo *root, const RelOptInfo *rel)
{
	ListCell *lc;

	foreach (lc, rel->baserestrictinfo)
	{
		const RestrictInfo *condition = lfirst_node(RestrictInfo, lc);

		if (condition->pseudoconstant ||
			!is_parallel_safe(root, (Node *) condition->clause))
			return false;
	}
	return is_parallel_safe(root, (Node *) rel->reltarget->exprs);
}

void
add_shared_rows(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *rte)
{
	const Path *scan;
	Path *child;
	CustomPath *path;

	if (!root->glob->parallelModeOK || max_parallel_workers_per_gather == 0 ||
		rte->self_reference || IS_DUMMY_REL(rel) || list_length(rel->pathlist) != 1 ||
		!level_computes(root))
		return;
	scan = linitial(rel->pathlist);
	if (scan->pathtype != T_CteScan || scan->param_info || has_records(scan) ||
		!is_safe_for_workers(root, rel))
		return;
	path = makeNode(CustomPath);
	path->path = *scan;
	path->path.type = T_CustomPath;
	path->path.pathtype = T_CustomScan;
	path->path.parallel_safe = true;
	/* a copy: add_path frees a path that is not cheaper, as of a CTE without rows */
	child = makeNode(Path);
	*child = *scan;
	/* the leader has written all rows before a process reads the first one */
	path->path.startup_cost = scan->total_cost + cpu_tuple_cost * Max(rel->tuples, 1);
	path->path.total_cost = path->path.startup_cost + scan->total_cost;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(child);
	path->methods = &shared_rows_path_methods;
	rel->consider_parallel = true;
	add_path(rel, &path->path);
}

Path *
shared_rows_path(const RelOptInfo *rel)
{
	ListCell *lc;

	foreach (lc, rel->pathlist)
	{
		const CustomPath *path = lfirst(lc);

		if (IsA(path, CustomPath) && path->methods == &shared_rows_path_methods)
			return lfirst(lc);
	}
	return NULL;
}

/*
 * The child returns all columns of all rows, so that nodes of one CTE can share a file;
 * the node checks its own conditions.
 */
static Plan *
plan_shared_rows(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
				 List *clauses, List *custom_plans)
{
	const RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	CteScan *child = linitial_node(CteScan, custom_plans);
	List *columns = NIL;
	CustomScan *scan;
	ListCell *lc;

	child->scan.plan.targetlist = child->scan.plan.qual = NIL;
	foreach (lc, rte->coltypes)
	{
		int c = foreach_current_index(lc);
		Var *column = makeVar(rel->relid, (AttrNumber) (c + 1), lfirst_oid(lc),
							  list_nth_int(rte->coltypmods, c),
							  list_nth_oid(rte->colcollations, c), 0);

		columns = lappend(columns, column);
		child->scan.plan.targetlist =
			lappend(child->scan.plan.targetlist,
					makeTargetEntry((Expr *) copyObject(column), (AttrNumber) (c + 1),
									NULL, false));
	}
	scan = row_scan(&shared_rows_node, path, tlist, custom_plans, columns);
	scan->scan.plan.qual = extract_actual_clauses(clauses, false);
	return &scan->scan.plan;
}
