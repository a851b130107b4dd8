/*-------------------------------------------------------------------------
 *
 * row_nodes.c
 *	  What plan nodes of our own have in common that read the rows of one child.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "executor/row_nodes.h"

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
	/* EXPLAIN gets the names of these; a relation of groups has none */
	path->path.parent = fetch_upper_rel(
		root, UPPERREL_FINAL, bms_is_empty(relids) ? root->all_baserels : relids);
	return path;
}

CustomScan *
row_scan(const CustomPath *path, List *tlist, List *custom_plans,
		 const CustomScanMethods *methods)
{
	CustomScan *scan = makeNode(CustomScan);
	Plan *child = linitial(custom_plans);
	AttrNumber resno = 1;
	ListCell *lc;

	foreach (lc, child->targetlist)
		scan->custom_scan_tlist =
			lappend(scan->custom_scan_tlist,
					makeTargetEntry(copyObject(lfirst_node(TargetEntry, lc)->expr),
									resno++, NULL, false));
	scan->scan.plan.targetlist = tlist;
	scan->scan.scanrelid = 0;
	scan->flags = path->flags;
	scan->custom_plans = custom_plans;
	scan->methods = methods;
	return scan;
}

Node *
row_node_state(Size bytes, const CustomExecMethods *methods)
{
	CustomScanState *state = palloc0(bytes);

	NodeSetTag(state, T_CustomScanState);
	state->methods = methods;
	return (Node *) state;
}

PlanState *
begin_child(CustomScanState *node, EState *estate, int eflags)
{
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	PlanState *child;

	eflags &= ~EXEC_FLAG_MARK;
	if ((scan->flags & CUSTOMPATH_SUPPORT_BACKWARD_SCAN) == 0)
		eflags &= ~EXEC_FLAG_BACKWARD;
	child = ExecInitNode(linitial(scan->custom_plans), estate, eflags);

	node->custom_ps = list_make1(child);
	return child;
}

/* Rows are not locked. */
static bool
recheck_row(ScanState *node, TupleTableSlot *slot)
{
	return true;
}

TupleTableSlot *
scan_rows(CustomScanState *node, ExecScanAccessMtd next_row)
{
	return ExecScan(&node->ss, next_row, recheck_row);
}

bool
may_execute(Oid function)
{
	if (function_aclcheck(function, GetUserId(), ACL_EXECUTE) != ACLCHECK_OK)
		return false;
	InvokeFunctionExecuteHook(function);
	return true;
}

void
check_execute_permission(Oid function)
{
	if (!may_execute(function))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION, get_func_name(function));
}

void
rescan_child(CustomScanState *node)
{
	PlanState *child = linitial(node->custom_ps);

	if (node->ss.ps.chgParam)
		UpdateChangedParamSet(child, node->ss.ps.chgParam);
	if (child->chgParam == NULL)
		ExecReScan(child);
}

void
end_child(CustomScanState *node)
{
	ExecEndNode(linitial(node->custom_ps));
}
