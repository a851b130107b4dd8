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
 * workers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "optimizer/clauses.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"

#include "executor/aggregate_join/proposal.h"
#include "executor/subpaths.h"
#include "optimizer/settings.h"

OperandReader
operand_reader(const Proposal *proposal, const LevelOperand *operand)
{
	return proposal->nprocesses > 1 && operand->partial == NULL ? READ_BY_ONE
																: READ_BY_ALL;
}

Path *
operand_path(const Proposal *proposal, const LevelOperand *operand)
{
	return proposal->nprocesses > 1 && operand->partial ? operand->partial
														: operand->path;
}

/* The workers that a level's operands are worth; 0 if they cannot be read in parallel. Dictionaries are a process's own. */
static int
count_workers(const Level *level)
{
	int workers = 0;

	for (int i = 0; i < level->ncolumns; i++)
		if (level->columns[i].key && is_dictionary_kind(&level->columns[i].kind))
			return 0;
	for (int o = 0; o < level->noperands; o++)
	{
		const LevelOperand *operand = &level->operands[o];

		if (operand->range)
			continue;
		if (operand->partial)
			workers = Max(workers, operand->partial->parallel_workers);
		else if (!operand->path->parallel_safe)
			return 0;
	}
	return Min(workers, max_parallel_workers_per_gather);
}

static Path *for_one_process(PlannerInfo *root, Path *path);

static bool
use_for_one_process(PlannerInfo *root, Path **path)
{
	*path = for_one_process(root, *path);
	return *path != NULL;
}

/* The same for those of a list. */
static bool
use_all_for_one_process(PlannerInfo *root, List **paths)
{
	ListCell *lc;

	*paths = list_copy(*paths);
	foreach (lc, *paths)
		if (!use_for_one_process(root, (Path **) &lfirst(lc)))
			return false;
	return true;
}

/*
 * A path by which any one of the processes has all rows, without the others; NULL if there is none. What is below a Gather
 * returns all if nobody shares it. CTEs are the leader's.
 */
static Path *
for_one_process(PlannerInfo *root, Path *path)
{
	Path *below;
	Path *copy;
	bool done;

	check_stack_depth();
	if (IsA(path, GatherPath) || IsA(path, GatherMergePath))
	{
		below = for_one_process(root, *only_subpath(path));
		if (below == NULL || equal(below->pathtarget->exprs, path->pathtarget->exprs))
			return below;
		return (Path *) create_projection_path(root, path->parent, below,
											   path->pathtarget);
	}
	copy = copy_path(path);
	if (copy == NULL)
		return path->parallel_safe ? path : NULL;
	switch (nodeTag(path))
	{
		case T_GroupResultPath:
		case T_MinMaxAggPath:
			return path->parallel_safe ? path : NULL;
		case T_HashPath:
		case T_NestPath:
		case T_MergePath:
			done = use_for_one_process(root, &((JoinPath *) copy)->outerjoinpath) &&
				   use_for_one_process(root, &((JoinPath *) copy)->innerjoinpath);
			break;
		case T_AppendPath:
			done = use_all_for_one_process(root, &((AppendPath *) copy)->subpaths);
			break;
		case T_MergeAppendPath:
			done = use_all_for_one_process(root, &((MergeAppendPath *) copy)->subpaths);
			break;
		case T_CustomPath:
			done = use_all_for_one_process(root, &((CustomPath *) copy)->custom_paths);
			break;
		default:
			done = use_for_one_process(root, only_subpath(copy));
	}
	copy->parallel_safe = true;
	return done ? copy : NULL;
}

CustomPath *
parallel_nest(const Proposal *proposal, PathTarget *target, double tuples,
			  Path *relational)
{
	PlannerInfo *root = proposal->level->root;
	int workers = count_workers(proposal->level);
	Proposal parallel = *proposal;
	Path *whole;
	CustomPath *path;

	parallel.nprocesses = workers + (parallel_leader_participation ? 1 : 0);
	if (parallel.nprocesses < 2 || !is_parallel_safe(root, (Node *) target->exprs) ||
		!is_parallel_safe(root, (Node *) proposal->level->gates))
		return NULL;
	whole = for_one_process(root, relational);
	path = whole ? nest_path(&parallel, target, tuples, whole) : NULL;
	if (path == NULL || parallel.parts.label < 0)
		return NULL;
	path->path.parallel_workers = workers;
	return path;
}

Path *
gathered_nest(PlannerInfo *root, RelOptInfo *rel, CustomPath *nest, double rows)
{
	GatherPath *gather =
		create_gather_path(root, rel, &nest->path, nest->path.pathtarget, NULL, &rows);

	if (enable_aggregate_join == NODES_FORCE)
		gather->path.startup_cost = gather->path.total_cost = 0.0;
	return &gather->path;
}

bool
add_parallel_nest(const Proposal *proposal, RelOptInfo *output, double tuples,
				  Path *relational)
{
	PathTarget *target = output->reltarget;
	CustomPath *gathered = NULL;

	if (output->consider_parallel)
		gathered = parallel_nest(proposal, target, tuples, relational);
	if (gathered == NULL)
		return false;
	/* two: paths are changed in place later, and freed */
	add_partial_path(output, &parallel_nest(proposal, target, tuples, relational)->path);
	add_path(output,
			 gathered_nest(proposal->level->root, output, gathered, relational->rows));
	return true;
}
