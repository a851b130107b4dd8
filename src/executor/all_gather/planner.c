/*-------------------------------------------------------------------------
 *
 * planner.c
 *	  Paths that broadcast rows to all processes of a parallel query.
 *
 * PostgreSQL has two kinds of paths for a process of a parallel query: partial ones, which
 * divide their rows, and parallel-safe ones, which each process runs in full. Rows that
 * are expensive to compute, and that all processes need, fit neither. Parallel Hash
 * computes them once for the table of a join. But with several batches another process
 * than its reader may join an outer row, which rules out dividing groups among processes.
 *
 * And only the leader can scan a CTE, so that all joins with it are the leader's too.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/value.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/restrictinfo.h"

#include "executor/all_gather/all_gather.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/row_nodes.h"
#include "executor/time_cost.h"

static Plan *
plan_all_gather(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
				List *clauses, List *custom_plans)
{
	CustomScan *scan = row_scan(path, tlist, custom_plans, &all_gather_scan_methods);

	scan->custom_private = path->custom_private;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "AllGather",
	.PlanCustomPath = plan_all_gather,
};

bool
is_all_gather_path(const CustomPath *path)
{
	return path->methods == &path_methods;
}

/* The node over a path, whose rows in all processes are so many. */
static CustomPath *
gather_for_all(Path *child, double rows, bool of_leader, bool fetches)
{
	CustomPath *path = row_path(child, child, &path_methods);
	Cost cost = rows * cpu_tuple_cost + cost_of_transfer(rows * child->pathtarget->width);

	path->path.parallel_aware = true;
	path->path.parallel_safe = true;
	path->path.parallel_workers = 0;
	path->path.pathkeys = NIL;
	path->path.rows = rows;
	path->path.total_cost += cost;
	path->custom_private = list_make2(makeInteger(of_leader), makeInteger(fetches));
	return path;
}

Path *
all_gather_path(Path *partial, bool fetches)
{
	CustomPath *path = gather_for_all(partial, partial->parent->rows, false, fetches);

	/* it has its first row after the child has had its last */
	path->path.startup_cost = partial->total_cost;
	return &path->path;
}

/* CTEs */

void
allow_cte_broadcast(PlannerInfo *root, RelOptInfo *rel, Query *with)
{
	if (rel->reloptkind == RELOPT_BASEREL && root->glob->parallelModeOK &&
		max_parallel_workers_per_gather > 0 && !rel->lateral_relids &&
		!calls_volatile((Node *) with) &&
		is_parallel_safe(root, (Node *) rel->baserestrictinfo) &&
		is_parallel_safe(root, (Node *) rel->reltarget->exprs))
		rel->consider_parallel = true;
}

bool
is_broadcast_cte(const RelOptInfo *rel)
{
	/* PostgreSQL itself never sets it for a CTE */
	return rel->rtekind == RTE_CTE && rel->consider_parallel;
}

Path *
all_gather_cte(const RelOptInfo *rel)
{
	Path *scan = rel->cheapest_total_path;

	return &gather_for_all(scan, scan->rows, true, false)->path;
}

/* The conditions of a join that a hash table serves, as joinpath.c has them. */
static List *
hash_clauses(RelOptInfo *joinrel, RelOptInfo *outer, RelOptInfo *inner, JoinType jointype,
			 const JoinPathExtraData *extra)
{
	List *clauses = NIL;
	ListCell *lc;

	foreach (lc, extra->restrictlist)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);

		if (!clause->can_join || !OidIsValid(clause->hashjoinoperator) ||
			(IS_OUTER_JOIN(jointype) && RINFO_IS_PUSHED_DOWN(clause, joinrel->relids)))
			continue;
		if (bms_is_subset(clause->left_relids, outer->relids) &&
			bms_is_subset(clause->right_relids, inner->relids))
			clause->outer_is_left = true;
		else if (bms_is_subset(clause->left_relids, inner->relids) &&
				 bms_is_subset(clause->right_relids, outer->relids))
			clause->outer_is_left = false;
		else
			continue;
		clauses = lappend(clauses, clause);
	}
	return clauses;
}

/* The partial join with such a CTE; NULL if there is none. */
static Path *
cte_join_path(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer,
			  RelOptInfo *inner, JoinType jointype, JoinPathExtraData *extra)
{
	JoinCostWorkspace workspace;
	Path *partial;
	Path *rows;
	List *clauses;

	if (!is_broadcast_cte(inner) || !joinrel->consider_parallel ||
		outer->partial_pathlist == NIL || !bms_is_empty(joinrel->lateral_relids) ||
		has_records(inner->cheapest_total_path) ||
		(jointype != JOIN_INNER && jointype != JOIN_LEFT && jointype != JOIN_SEMI &&
		 jointype != JOIN_ANTI))
		return NULL;
	clauses = hash_clauses(joinrel, outer, inner, jointype, extra);
	if (clauses == NIL)
		return NULL;
	partial = linitial(outer->partial_pathlist);
	rows = all_gather_cte(inner);
	initial_cost_hashjoin(root, &workspace, jointype, clauses, partial, rows, extra,
						  false);
	return (Path *) create_hashjoin_path(root, joinrel, jointype, &workspace, extra,
										 partial, rows, false, extra->restrictlist, NULL,
										 clauses);
}

/*
 * Only joins of what workers divide have the node, and it is of no use but in a worker
 * and its leader. As a path of the relation it would get into plans that have no Gather:
 * of two paths that cost about the same PostgreSQL takes the one that workers can run.
 */
void
add_cte_join(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer, RelOptInfo *inner,
			 JoinType jointype, JoinPathExtraData *extra)
{
	Path *path = cte_join_path(root, joinrel, outer, inner, jointype, extra);

	if (path)
		add_partial_path(joinrel, path);
}

#if PG_VERSION_NUM < 170000
/*
 * The same for a path of PostgreSQL's, whichever side the CTE is on. The costs of SEMI and ANTI
 * joins need factors that the path does not have.
 */
static Path *
join_again(PlannerInfo *root, const JoinPath *join)
{
	RelOptInfo *joinrel = join->path.parent;
	PathTarget *computed = joinrel->reltarget;
	RelOptInfo *outer = relation_of(join->outerjoinpath);
	RelOptInfo *inner = relation_of(join->innerjoinpath);
	JoinType jointype = join->jointype;
	JoinPathExtraData extra = {.restrictlist = join->joinrestrictinfo};
	Path *path;

	/*
	 * What is not all of a side may be made unique, for an INNER join instead of a SEMI
	 * join, or check conditions itself that the join then does not have.
	 */
	if (outer == NULL || inner == NULL)
		return NULL;
	if (is_broadcast_cte(outer) && (jointype == JOIN_INNER || jointype == JOIN_RIGHT))
	{
		RelOptInfo *with = outer;

		outer = inner;
		inner = with;
		if (jointype == JOIN_RIGHT)
			jointype = JOIN_LEFT;
	}
	if (jointype != JOIN_INNER && jointype != JOIN_LEFT)
		return NULL;
	/* the relation has what its level computes by now, the join not */
	joinrel->reltarget = join->path.pathtarget;
	path = cte_join_path(root, joinrel, outer, inner, jointype, &extra);
	joinrel->reltarget = computed;
	return path;
}

void
add_cte_join_late(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *joinrel,
				  RelOptInfo *output)
{
	ListCell *lc;

	if (!root->hasPseudoConstantQuals || joinrel->reloptkind != RELOPT_JOINREL ||
		joinrel->partial_pathlist != NIL)
		return;
	foreach (lc, joinrel->pathlist)
	{
		Path *path = lfirst(lc);
		Path *below =
			IsA(path, ProjectionPath) ? ((ProjectionPath *) path)->subpath : path;

		if (path->param_info ||
			(!IsA(below, HashPath) && !IsA(below, MergePath) && !IsA(below, NestPath)))
			continue;
		below = join_again(root, (const JoinPath *) below);
		if (below == NULL)
			continue;
		if (IsA(path, ProjectionPath))
			below =
				(Path *) create_projection_path(root, joinrel, below, path->pathtarget);
		add_partial_path(joinrel, below);
	}
	/* as grouping_planner has done before there was one */
	if (stage == UPPERREL_FINAL && output->consider_parallel && root->query_level > 1 &&
		!limit_needed(root->parse))
		foreach (lc, joinrel->partial_pathlist)
			add_partial_path(output, lfirst(lc));
}
#endif
