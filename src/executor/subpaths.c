/*-------------------------------------------------------------------------
 *
 * subpaths.c
 *	  The path below another one.
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
