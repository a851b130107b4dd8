/*-------------------------------------------------------------------------
 *
 * row_paths.c
 *	  What paths and plans of our own have in common.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"

#include "planner/row_paths.h"

static bool
has_record_column(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->vartype == RECORDOID)
		return true;
	return expression_tree_walker(node, has_record_column, context);
}

bool
has_records(const Path *path)
{
	return has_record_column((Node *) path->pathtarget->exprs, NULL);
}

CustomPath *
final_row_path(PlannerInfo *root, const Path *like, Path *child,
			   const CustomPathMethods *methods)
{
	CustomPath *path = makeNode(CustomPath);
	Relids relids = like->parent->relids;

	path->path = *like;
	path->path.type = T_CustomPath;
	path->path.pathtype = T_CustomScan;
	path->custom_paths = list_make1(child);
	path->methods = methods;
	/* EXPLAIN names the relations of this parent; a relation of groups has none */
	path->path.parent = fetch_upper_rel(
		root, UPPERREL_FINAL, bms_is_empty(relids) ? root->all_baserels : relids);
	return path;
}

CustomScan *
row_scan(const RowNode *node, const CustomPath *path, List *tlist, List *custom_plans,
		 const List *expressions)
{
	CustomScan *scan = makeNode(CustomScan);
	ListCell *lc;

	foreach (lc, expressions)
		scan->custom_scan_tlist = lappend(
			scan->custom_scan_tlist,
			makeTargetEntry(copyObject(lfirst(lc)),
							(AttrNumber) (foreach_current_index(lc) + 1), NULL, false));
	scan->scan.plan.targetlist = tlist;
	scan->scan.scanrelid = 0;
	scan->flags = path->flags;
	scan->custom_plans = custom_plans;
	scan->methods = &node->scan;
	return scan;
}
