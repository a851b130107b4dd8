/*-------------------------------------------------------------------------
 *
 * parallel_plan.c
 *	  Paths of a loop nest that the processes of a parallel query run together.
 *
 *	  Gather
 *	  AggregateJoin             each process computes some of the groups
 *	  partial scans           of operands that have them
 *	  scans                   of other operands, each run by one process
 *	  the relational plan     run by one process for all
 *
 * A path without the Gather is a partial path of the level, which the level above may
 * aggregate or join in workers. There is no such path if only the leader can scan an
 * operand, such as a temporary table. The leader reads that operand before workers are
 * launched, and would have to run the relational plan; but the leader is sure to run a
 * node only if it is right below a Gather.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "utils/lsyscache.h"

#include "executor/children.h"
#include "optimizer/settings.h"
#include "planner/aggregate_join/proposal.h"
#include "planner/node_paths.h"
#include "recursion.h"

static Path *for_one_process(PlannerInfo *root, Path *path, bool of_leader);

/*
 * May workers compare and hash the keys of a level? If the operators are restricted, only
 * the leader may run its joins.
 */
static bool
keys_are_parallel_safe(const Level *level)
{
	for (int i = 0; i < level->ncolumns; i++)
	{
		const LevelColumn *column = &level->columns[i];
		Oid hash;
		Oid other;

		if (!has_dictionary(column))
			continue;
		if (!get_op_hash_functions(column->kind.equality, &hash, &other) ||
			func_parallel(hash) != PROPARALLEL_SAFE ||
			func_parallel(get_opcode(column->kind.equality)) != PROPARALLEL_SAFE)
			return false;
	}
	return true;
}

/*
 * Returns the cheapest path to all rows of an operand, with the same columns, that any
 * process can run; NULL if no path is one.
 */
static Path *
safe_path(const LevelOperand *operand)
{
	Path *best = operand->path->parallel_safe ? operand->path : NULL;
	ListCell *lc;

	if (best)
		return best;
	foreach (lc, operand->rel->pathlist)
	{
		Path *path = lfirst(lc);

		if (path->parallel_safe && path->param_info == NULL &&
			(best == NULL || path->total_cost < best->total_cost) &&
			equal(path->pathtarget->exprs, operand->path->pathtarget->exprs))
			best = path;
	}
	return best;
}

/*
 * Decides which processes scan the operands. Returns the number of workers that pays; 0
 * if the operands cannot be read in parallel.
 */
static int
divide_scans(Proposal *proposal)
{
	const Level *level = proposal->level;
	int workers = 0;

	if (!keys_are_parallel_safe(level))
		return 0;
	for (int o = 0; o < level->noperands; o++)
	{
		const LevelOperand *operand = &level->operands[o];

		if (operand->range)
			continue;
		if (operand->partial)
		{
			proposal->scans[o] = operand->partial;
			workers = Max(workers, operand->partial->parallel_workers);
			continue;
		}
		proposal->readers[o] = READ_BY_ONE;
		proposal->scans[o] = safe_path(operand);
		if (proposal->scans[o])
			continue;
		proposal->readers[o] = READ_BY_LEADER;
		proposal->by_leader = true;
		proposal->scans[o] = for_one_process(level->root, operand->path, true);
		if (proposal->scans[o] == NULL)
			return 0;
	}
	return Min(workers, max_parallel_workers_per_gather);
}

/*
 * Replaces the path below another one by a variant for one process, and adds the
 * difference to the costs above. False if there is no variant.
 */
static bool
use_for_one_process(PlannerInfo *root, Path *above, Path **path, bool of_leader)
{
	Path *own = for_one_process(root, *path, of_leader);

	if (own == NULL)
		return false;
	above->startup_cost += own->startup_cost - (*path)->startup_cost;
	above->total_cost += own->total_cost - (*path)->total_cost;
	*path = own;
	return true;
}

/*
 * Can one process alone run a path without children? Only the leader has CTEs and rows by
 * name.
 */
static bool
can_run(const Path *path, bool of_leader)
{
	if (path->parallel_safe || !of_leader)
		return path->parallel_safe;
	switch (nodeTag(path))
	{
		case T_Path:
			return path->pathtype != T_WorkTableScan;
		case T_IndexPath:
		case T_BitmapHeapPath:
		case T_TidPath:
		case T_TidRangePath:
		case T_GroupResultPath:
		case T_AppendPath:
		case T_CustomPath:
			return true;
		default:
			return false;
	}
}

/*
 * Sets the rows and costs of a path that several processes would have run below a Gather,
 * and that one process runs alone: the work of one of them, times the divisor by which
 * PostgreSQL's planner shares a scan among them.
 */
static void
cost_for_one_process(Path *path, const Path *gather, int workers)
{
	double divisor =
		workers + (parallel_leader_participation ? Max(1.0 - 0.3 * workers, 0.0) : 0.0);

	path->startup_cost *= divisor;
	path->total_cost *= divisor;
	path->rows = gather->rows;
}

/*
 * Returns a path by which any one process, or only the leader, gets all rows alone; NULL
 * if that is impossible. It contains no Gather, and no scan that processes share: then a
 * path from below a Gather returns all rows. The rows of a CTE are in a file (SharedRows)
 * by the time that the path runs, since an operand has the same scan.
 */
static Path *
for_one_process(PlannerInfo *root, Path *path, bool of_leader)
{
	Path *below;
	Path *copy;
	List *children;
	ListCell *lc;

	enter_recursion();
	if (IsA(path, GatherPath) || IsA(path, GatherMergePath))
	{
		below = for_one_process(root, *only_subpath(path), of_leader);
		/* otherwise no process has only a part of the rows */
		if (below && below != *only_subpath(path))
			cost_for_one_process(below, path,
								 Max((*only_subpath(path))->parallel_workers, 1));
		if (below == NULL || equal(below->pathtarget->exprs, path->pathtarget->exprs))
			return below;
		return (Path *) create_projection_path(root, path->parent, below,
											   path->pathtarget);
	}
	if (path->pathtype == T_CteScan && !of_leader)
		return shared_rows_path(path->parent);
	if (path == shared_rows_path(path->parent))
		return path;
	copy = copy_path(path);
	children = copy ? path_children(copy) : NIL;
	if (children == NIL)
	{
		if (!can_run(path, of_leader))
			return NULL;
		if (!path->parallel_aware)
			return path;
	}
	foreach (lc, children)
		if (!use_for_one_process(root, copy, lfirst(lc), of_leader))
			return NULL;
	if (copy)
	{
		copy->parallel_safe = true;
		copy->parallel_aware = false;
	}
	return copy;
}

static bool
has_gather(Plan *plan)
{
	ListCell *lc;

	enter_recursion();
	if (IsA(plan, Gather) || IsA(plan, GatherMerge))
		return true;
	foreach (lc, plan_children(plan))
		if (has_gather(lfirst(lc)))
			return true;
	return false;
}

/*
 * Does a subplan belong to an item or expression below a level's rows? Those that run
 * above the rows do not.
 */
static bool
runs_below(const PlannerInfo *root, const PlannerInfo *query)
{
	ListCell *lc;

	while (query && query->parent_root != root)
		query = query->parent_root;
	if (query == NULL)
		return false;
	foreach (lc, root->init_plans)
		if (list_nth(root->glob->subroots, lfirst_node(SubPlan, lc)->plan_id - 1) ==
			query)
			return false;
	return true;
}

/*
 * Have subqueries below the level CTEs or the like with a Gather? It would run below the
 * node, and so among the work that the processes of the node's own Gather share.
 */
static bool
gathers_below(const PlannerInfo *root)
{
	const PlannerGlobal *glob = root->glob;
	ListCell *plan;
	ListCell *query;

	forboth (plan, glob->subplans, query, glob->subroots)
		if (runs_below(root, lfirst(query)) && has_gather(lfirst(plan)))
			return true;
	return false;
}

Proposal *
parallel_proposal(const Proposal *proposal, PathTarget *target, bool anywhere)
{
	PlannerInfo *root = proposal->level->root;
	Proposal *parallel;
	int workers;

	if (!root->glob->parallelModeOK || max_parallel_workers_per_gather == 0 ||
		!is_parallel_safe(root, (Node *) target->exprs) ||
		!is_parallel_safe(root, (Node *) proposal->having) ||
		!is_parallel_safe(root, (Node *) proposal->level->gates))
		return NULL;
	parallel = palloc(sizeof(Proposal));
	*parallel = *proposal;
	parallel->by_leader = !anywhere;
	workers = divide_scans(parallel);
	parallel->nprocesses = workers + (parallel_leader_participation ? 1 : 0);
	if (parallel->nprocesses < 2 ||
		(parallel->by_leader && (!parallel_leader_participation || gathers_below(root))))
		return NULL;
	return parallel;
}

CustomPath *
parallel_nest(Proposal *parallel, PathTarget *target, double tuples, Path *relational)
{
	Path *whole = for_one_process(parallel->level->root, relational, parallel->by_leader);
	CustomPath *path = whole ? nest_path(parallel, target, tuples, whole) : NULL;

	if (path == NULL || parallel->parts.label < 0)
		return NULL;
	path->path.parallel_workers =
		parallel->nprocesses - (parallel_leader_participation ? 1 : 0);
	return path;
}

Path *
gathered_nest(PlannerInfo *root, RelOptInfo *rel, const CustomPath *nest, double rows)
{
	/* copied, since paths are changed in place later, and freed */
	Path *own = copy_path(&nest->path);
	GatherPath *gather = create_gather_path(root, rel, own, own->pathtarget, NULL, &rows);

	if (enable_aggregate_join == NODES_FORCE)
		gather->path.startup_cost = gather->path.total_cost = 0.0;
	return &gather->path;
}

bool
add_parallel_nest(const Proposal *proposal, RelOptInfo *output, double tuples,
				  Path *relational)
{
	PathTarget *target = output->reltarget;
	Proposal *parallel = parallel_proposal(proposal, target, output->consider_parallel);
	CustomPath *nest =
		parallel ? parallel_nest(parallel, target, tuples, relational) : NULL;

	if (nest == NULL)
		return false;
	add_path(output,
			 gathered_nest(proposal->level->root, output, nest, relational->rows));
	/* the level above may use the partial path if workers need nothing from the leader */
	if (!parallel->by_leader)
		add_partial_path(output, &nest->path);
	return true;
}
