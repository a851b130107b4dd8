/*-------------------------------------------------------------------------
 *
 * alike.c
 *	  What every process that aggregates groups of its own has in full.
 *
 * Each process reads or computes that by itself, or computes a part of it, and all parts
 * are broadcast (executor/all_gather/).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"

#include "executor/all_gather/all_gather.h"
#include "executor/all_gather/shared_rows.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/estimate_shape.h"
#include "executor/partitioned_aggregate/partitioned_aggregate.h"
#include "executor/row_nodes.h"
#include "executor/subpaths.h"
#include "executor/time_cost.h"
#include "optimizer/settings.h"
#include "type/tensor.h"
#include "type/toast_read.h"

/*
 * Fetching a stored value takes 0.6 ns for each byte. Processes fetch values for all of them
 * if each joins so many rows with every one.
 */
#define FETCHING_TRANSFERS 2.0
#define LEAST_USES 2.0

bool
runs_alike(const Path *path)
{
	ListCell *lc;

	check_stack_depth();
	/* all get the same rows in the same order */
	if (IsA(path, CustomPath) && is_all_gather_path((const CustomPath *) path))
		return true;
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
	if (is_broadcast_cte(rel))
		return !has_records(path) ? all_gather_cte(rel) : NULL;
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

/* Bytes of the tensors that each row of a relation has out of line. */
static double
stored_bytes(PlannerInfo *root, const RelOptInfo *rel)
{
	double bytes = 0.0;
	ListCell *lc;

	foreach (lc, rel->reltarget->exprs)
	{
		Node *column = lfirst(lc);
		ShapeEstimate shape;

		if (IsA(column, Var) && is_tensor_type(((Var *) column)->vartype) &&
			estimate_shape(root, column, &shape) &&
			shape.width < estimated_bytes(shape.elements) &&
			estimated_bytes(shape.elements) <= PREFETCH_BYTES)
			bytes += estimated_bytes(shape.elements);
	}
	return bytes;
}

/*
 * What fetching the stored values of a join's inner side costs each process, if it will
 * need nearly all of them; else 0. No more of them are shared than there is memory for.
 */
static Cost
fetching_cost(const PartitionedGroups *groups, const JoinPath *join)
{
	const Path *inner = join->innerjoinpath;
	double shared =
		(double) shared_values_limit(groups->npartitions) * groups->npartitions;
	double bytes;

	if (join->outerjoinpath->rows * groups->share < LEAST_USES * inner->rows)
		return 0;
	bytes = inner->rows * stored_bytes(groups->root, inner->parent);
	return FETCHING_TRANSFERS * cost_of_transfer(Min(bytes, shared));
}

Path *
whole_path(const PartitionedGroups *groups, const JoinPath *join)
{
	Path *path = join->innerjoinpath;
	RelOptInfo *rel;
	Path *alike = alike_path(groups->root, path);
	bool is_forced = enable_partitioning == NODES_FORCE;
	Cost fetching;
	Path *gathered;

	rel = relation_of(path);
	if (rel == NULL || rel->partial_pathlist == NIL || has_records(path))
		return alike;
	fetching = fetching_cost(groups, join);
	gathered =
		all_gather_path(linitial(rel->partial_pathlist), is_forced || fetching > 0);
	/* each value is also copied once */
	if (alike && !is_forced &&
		alike->total_cost + fetching <=
			gathered->total_cost +
				fetching * (1.0 + 1.0 / FETCHING_TRANSFERS) / groups->npartitions)
		return alike;
	return gathered;
}
