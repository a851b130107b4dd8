/*-------------------------------------------------------------------------
 *
 * row_nodes.c
 *	  What this extension's plan nodes have in common.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "executor/row_nodes.h"

Node *
row_node_state(CustomScan *scan)
{
	const RowNode *node = (const RowNode *) scan->methods;
	CustomScanState *state = palloc0(node->state_bytes);

	NodeSetTag(state, T_CustomScanState);
	state->methods = node->exec;
	return (Node *) state;
}

const RowNode *
row_node_of(const Plan *plan)
{
	const CustomScanMethods *methods =
		IsA(plan, CustomScan) ? ((const CustomScan *) plan)->methods : NULL;

	return methods && methods->CreateCustomScanState == row_node_state
			   ? (const RowNode *) methods
			   : NULL;
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

/* Always true: rows of these nodes are not locked, so there is nothing to check again. */
static bool
recheck_row(ScanState *node, TupleTableSlot *slot)
{
	return true;
}

TupleTableSlot *
execute_row_node(CustomScanState *node)
{
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;

	return ExecScan(&node->ss, ((const RowNode *) scan->methods)->next_row, recheck_row);
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
