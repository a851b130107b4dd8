/*-------------------------------------------------------------------------
 *
 * parallel_plan.c
 *	  Paths of a loop nest that the processes of a parallel query run together.
 *
 *	  Gather
 *	    AggregateJoin              of each process some of the groups
 *	      partial scans            of operands, where there are any
 *	      scans                    of others, that one process runs
 *	      the relational plan      one process runs it for all
 *
 * A path without the Gather is one of the level's partial paths, which the level above may aggregate or join in
 * workers. There is no such path where only the leader can scan an operand, such as a
 * CTE: it reads that before workers are launched, and would have to run the relational
 * plan; and that the leader runs a node at all is sure only of what is right below a
 * Gather.
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
#include "recursion.h"

static Path *for_one_process(PlannerInfo *root, Path *path, bool of_leader);

/*
 * May workers compare and hash the keys of a level? Its conditions are those of joins that only the leader may run, if
 * they are restricted.
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

/* Finds who scans the operands, and the workers that they are worth; 0 if they cannot be read in parallel. */
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
		if (operand->path->parallel_safe)
			continue;
		proposal->readers[o] = READ_BY_LEADER;
		proposal->by_leader = true;
		proposal->scans[o] = for_one_process(level->root, operand->path, true);
		if (proposal->scans[o] == NULL)
			return 0;
	}
	return Min(workers, max_parallel_workers_per_gather);
}

/* Takes the place of a path below another one, whose cost changes with it. */
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

/* Can one of the processes run a path that has no other below? Only the leader has CTEs and rows by names. */
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
 * The rows and the cost of what several processes would have run, below a Gather, as one runs it alone: about as many times
 * what one of them was to do as PostgreSQL's planner divides a scan among them.
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
 * A path by which any one of the processes, or only the leader, has all rows, without the
 * others; NULL if not found. What is below a Gather returns all if it is not shared: it
 * depends on no other Gather, which would have it begin again, or share it.
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
		/* else no process has a part of it */
		if (below && below != *only_subpath(path))
			cost_for_one_process(below, path,
								 Max((*only_subpath(path))->parallel_workers, 1));
		if (below == NULL || equal(below->pathtarget->exprs, path->pathtarget->exprs))
			return below;
		return (Path *) create_projection_path(root, path->parent, below,
											   path->pathtarget);
	}
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

/* Is a subplan's query, or one around it, that of an item or expression of a level? Not those that run above the level's rows. */
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
 * Have subqueries of a level CTEs or such with a Gather? It would be below the node, among what the processes of its own Gather
 * share.
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
	/* paths are changed in place later, and freed */
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
	/* what is above need not ask the leader for rows */
	if (!parallel->by_leader)
		add_partial_path(output, &nest->path);
	return true;
}
