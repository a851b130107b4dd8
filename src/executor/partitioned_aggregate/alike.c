/*-------------------------------------------------------------------------
 *
 * alike.c
 *	  What every process that aggregates groups of its own has in full.
 *
 * Each process reads or computes that by itself.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"

#include "executor/batched_projection/batched_projection.h"
#include "executor/partitioned_aggregate/partitioned_aggregate.h"
#include "executor/row_nodes.h"
#include "executor/subpaths.h"

bool
runs_alike(const Path *path)
{
	ListCell *lc;

	check_stack_depth();
	if (path->parallel_aware || !path->parallel_safe)
		return false;
	switch (nodeTag(path))
	{
		case T_Path:
			return path->pathtype == T_SeqScan;
		case T_IndexPath:
		case T_BitmapHeapPath:
			return true;
		case T_NestPath:
		case T_HashPath:
		case T_MergePath:
			return runs_alike(((const JoinPath *) path)->outerjoinpath) &&
				   runs_alike(((const JoinPath *) path)->innerjoinpath);
		case T_SubqueryScanPath:
		case T_MaterialPath:
		case T_MemoizePath:
		case T_SortPath:
		case T_IncrementalSortPath:
		case T_ProjectionPath:
		case T_AggPath:
			return runs_alike(*only_subpath((Path *) path));
		case T_AppendPath:
			foreach (lc, ((const AppendPath *) path)->subpaths)
				if (!runs_alike(lfirst(lc)))
					return false;
			return true;
		case T_CustomPath:
			return is_batched_projection((const CustomPath *) path) &&
				   runs_alike(linitial(((const CustomPath *) path)->custom_paths));
		default:
			return false;
	}
}

/* The sequential scan of a relation, if it is a table that workers may read; else NULL. */
static Path *
scan_of_table(PlannerInfo *root, RelOptInfo *rel)
{
	const RangeTblEntry *rte;

	if (rel->reloptkind != RELOPT_BASEREL || rel->rtekind != RTE_RELATION ||
		!rel->consider_parallel)
		return NULL;
	rte = planner_rt_fetch(rel->relid, root);
	if (rte->inh || rte->tablesample ||
		(rte->relkind != RELKIND_RELATION && rte->relkind != RELKIND_MATVIEW))
		return NULL;
	return create_seqscan_path(root, rel, rel->lateral_relids, 0);
}

Path *
alike_path(PlannerInfo *root, Path *path)
{
	RelOptInfo *rel;
	Path *best = NULL;
	ListCell *lc;

	if (runs_alike(path))
		return path;
	rel = relation_of(path);
	if (rel == NULL)
		return NULL;
	foreach (lc, rel->pathlist)
	{
		Path *other = lfirst(lc);

		if ((best == NULL || other->total_cost < best->total_cost) &&
			other->param_info == NULL && runs_alike(other))
			best = other;
	}
	if (best == NULL)
		best = scan_of_table(root, rel);
	/* what was kept for many rows of an outer side still is */
	return best && IsA(path, MaterialPath) ? (Path *) create_material_path(rel, best)
										   : best;
}
