/*-------------------------------------------------------------------------
 *
 * subpaths.c
 *	  The path below another one, the plans below a plan.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/subpaths.h"

Path **
only_subpath(Path *path)
{
	switch (nodeTag(path))
	{
		case T_SubqueryScanPath:
			return &((SubqueryScanPath *) path)->subpath;
		case T_ProjectionPath:
			return &((ProjectionPath *) path)->subpath;
		case T_ProjectSetPath:
			return &((ProjectSetPath *) path)->subpath;
		case T_SortPath:
			return &((SortPath *) path)->subpath;
		case T_IncrementalSortPath:
			return &((IncrementalSortPath *) path)->spath.subpath;
		case T_MaterialPath:
			return &((MaterialPath *) path)->subpath;
		case T_MemoizePath:
			return &((MemoizePath *) path)->subpath;
		case T_UniquePath:
			return &((UniquePath *) path)->subpath;
		case T_UpperUniquePath:
			return &((UpperUniquePath *) path)->subpath;
		case T_GroupPath:
			return &((GroupPath *) path)->subpath;
		case T_AggPath:
			return &((AggPath *) path)->subpath;
		case T_GroupingSetsPath:
			return &((GroupingSetsPath *) path)->subpath;
		case T_WindowAggPath:
			return &((WindowAggPath *) path)->subpath;
		case T_LimitPath:
			return &((LimitPath *) path)->subpath;
		case T_GatherPath:
			return &((GatherPath *) path)->subpath;
		case T_GatherMergePath:
			return &((GatherMergePath *) path)->subpath;
		case T_ModifyTablePath:
			return &((ModifyTablePath *) path)->subpath;
		default:
			elog(ERROR, "path of type %d has not just one child", (int) nodeTag(path));
	}
}

List *
plans_below(Plan *node)
{
	List *result = NIL;

	if (outerPlan(node))
		result = lappend(result, outerPlan(node));
	if (innerPlan(node))
		result = lappend(result, innerPlan(node));
	if (IsA(node, SubqueryScan))
		result = lappend(result, ((SubqueryScan *) node)->subplan);
	else if (IsA(node, CustomScan))
		result = list_concat(result, ((CustomScan *) node)->custom_plans);
	else if (IsA(node, Append))
		result = list_concat(result, ((Append *) node)->appendplans);
	else if (IsA(node, MergeAppend))
		result = list_concat(result, ((MergeAppend *) node)->mergeplans);
	return result;
}
