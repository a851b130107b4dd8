/*-------------------------------------------------------------------------
 *
 * planner.c
 *	  Parallel aggregates whose groups are divided among the processes.
 *
 *	  HashAggregate over Join(A, B)                       grouped by columns of A
 *
 * becomes, below a Gather,
 *
 *	  HashAggregate over Join(PartitionFilter over A, B)
 *
 * where each process has the filter pass the rows of other groups. What is below
 * the filter, and B, is read in full by each process, all else is divided. The result is a partial path like any
 * other: the processes' rows are disjoint, and together they are all. So
 * query levels above get it too, and may aggregate further before their Gather.
 *
 * It is right if each process, running what is below the filter, finds the same
 * values of the keys: these are columns of tables, and nothing is there that
 * chooses rows at random or by their order. A join above the filter must not ask
 * for an order, nor invent rows without the filtered side.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "utils/selfuncs.h"

#include "executor/batched_projection/batched_projection.h"
#include "executor/estimate_shape.h"
#include "executor/partitioned_aggregate/partitioned_aggregate.h"
#include "executor/row_nodes.h"
#include "executor/subpaths.h"
#include "executor/time_cost.h"
#include "optimizer/settings.h"

/*
 * Costs in cpu_operator_cost, which the costs of kernels take for 10 ns: the
 * frame of the filter takes 20 ns for each row, and hashing a key 10.
 */
#define FILTER_OPERATORS 2.0

/*
 * A state that is combined is serialised, sent, taken from the queue, made a state again and
 * added: 2.1 ns for each byte of all processes' states, where a transfer takes 0.3.
 */
#define TRANSFERS_OF_STATE 7.0

/* What is asked of the query level */

/* Does an expression have an aggregate of this extension? */
static bool
has_own_aggregate(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && extension_has_function(((Aggref *) node)->aggfnoid))
		return true;
	return expression_tree_walker(node, has_own_aggregate, context);
}

/* Paths */

/* True if an expression needs anything of a row but a table's columns. */
static bool
needs_more_than_columns(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varattno < 1 || ((Var *) node)->varlevelsup != 0;
	if (IsA(node, PlaceHolderVar))
		return true;
	return expression_tree_walker(node, needs_more_than_columns, context);
}

/*
 * Has the filter check the conditions of a sequential scan and take the columns
 * out of its rows: the scan then returns the rows of other partitions as
 * they are stored, of which only the keys are looked at. Returns the conditions; none
 * where they keep rows from who may not see them, or the scan is another.
 */
static List *
take_over_scan(PlannerInfo *root, RelOptInfo *rel, Plan *scan)
{
	List *columns;
	List *qual = scan->qual;

	if (!IsA(scan, SeqScan) || root->qual_security_level > 0 ||
		needs_more_than_columns((Node *) scan->targetlist, NULL) ||
		needs_more_than_columns((Node *) qual, NULL))
		return NIL;
	columns = build_physical_tlist(root, rel);
	if (columns == NIL)
		return NIL;
	scan->qual = NIL;
	scan->targetlist = columns;
	scan->plan_rows = Max(rel->tuples, scan->plan_rows);
	return qual;
}

static Plan *
plan_partition_filter(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
					  List *clauses, List *custom_plans)
{
	/* first, since it changes the child's columns */
	List *qual = take_over_scan(root, rel, linitial(custom_plans));
	CustomScan *scan =
		row_scan(path, tlist, custom_plans, &partition_filter_scan_methods);

	scan->scan.plan.qual = qual;
	scan->custom_exprs = copyObject(linitial(path->custom_private));
	scan->custom_private = list_copy_tail(path->custom_private, 1);
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "PartitionFilter",
	.PlanCustomPath = plan_partition_filter,
};

bool
is_partition_filter_path(const CustomPath *path)
{
	return path->methods == &path_methods;
}

static bool
delivers_keys(const PartitionedGroups *groups, const Path *path)
{
	return list_difference(groups->keys, path->pathtarget->exprs) == NIL;
}

/* The filter over a path. */
static Path *
filter_path(const PartitionedGroups *groups, Path *path)
{
	CustomPath *filter = row_path(path, path, &path_methods);
	int nkeys = list_length(groups->keys);
	double rows = path->rows;

	filter->path.pathkeys = NIL;
	filter->path.parallel_aware = true;
	filter->path.parallel_workers = groups->workers;
	filter->path.rows = clamp_row_est(path->rows * groups->share);
	if (IsA(path, Path) && path->pathtype == T_SeqScan &&
		groups->root->qual_security_level == 0)
	{
		RelOptInfo *rel = path->parent;

		/* see take_over_scan */
		rows = rel->tuples;
		filter->path.total_cost -=
			rows * rel->baserestrictcost.per_tuple * (1.0 - groups->share);
	}
	filter->path.total_cost += rows * (FILTER_OPERATORS + nkeys) * cpu_operator_cost;
	filter->path.total_cost = Max(filter->path.total_cost, filter->path.startup_cost);
	filter->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	filter->custom_private =
		list_make4(groups->keys, groups->operators, groups->collations,
				   makeInteger(groups->npartitions));
	return &filter->path;
}

static Path *partition_path(const PartitionedGroups *groups, Path *path);

/* Copies a join whose outer side is divided. */
static Path *
partition_join(const PartitionedGroups *groups, JoinPath *join)
{
	Path *outer = join->outerjoinpath;
	Path *inner = join->innerjoinpath;
	Path *whole = alike_path(groups->root, inner);
	Path *divided;
	Cost run;
	JoinPath *copy;

	if (whole == NULL)
		return NULL;
	divided = partition_path(groups, outer);
	if (divided == NULL)
		return NULL;
	if (IsA(join, HashPath))
	{
		copy = (JoinPath *) makeNode(HashPath);
		*(HashPath *) copy = *(HashPath *) join;
	}
	else
	{
		copy = (JoinPath *) makeNode(NestPath);
		*(NestPath *) copy = *(NestPath *) join;
	}
	run = (join->path.total_cost - join->path.startup_cost) -
		  (outer->total_cost - outer->startup_cost);
	copy->outerjoinpath = divided;
	copy->innerjoinpath = whole;
	copy->path.pathkeys = NIL;
	copy->path.parallel_safe = true;
	copy->path.parallel_workers = groups->workers;
	copy->path.rows = clamp_row_est(join->path.rows * groups->share);
	copy->path.startup_cost += divided->startup_cost - outer->startup_cost +
							   whole->total_cost - inner->total_cost;
	copy->path.startup_cost = Max(copy->path.startup_cost, 0);
	copy->path.total_cost = copy->path.startup_cost +
							(divided->total_cost - divided->startup_cost) +
							Max(run, 0) * groups->share;
	return &copy->path;
}

/* Is every row of the join one of its outer side, perhaps with one of the other? */
static bool
keeps_to_outer(const JoinPath *join)
{
	return (IsA(join, HashPath) || IsA(join, NestPath)) &&
		   (join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT ||
			join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI);
}

/*
 * The path with the filter as far down as its keys go, on the side that the
 * executor reads once; NULL if it does not deliver them.
 */
static Path *
partition_path(const PartitionedGroups *groups, Path *path)
{
	PartitionedGroups outer;
	Path *divided = NULL;

	check_stack_depth();
	if (IsA(path, ProjectionPath))
	{
		divided = partition_path(groups, ((ProjectionPath *) path)->subpath);
		if (divided)
			return (Path *) create_projection_path(groups->root, path->parent, divided,
												   path->pathtarget);
	}
	else if ((IsA(path, HashPath) || IsA(path, NestPath)) &&
			 keeps_to_outer((JoinPath *) path) &&
			 find_equal_keys(groups, ((JoinPath *) path)->outerjoinpath->parent->relids,
							 &outer))
		divided = partition_join(&outer, (JoinPath *) path);
	if (divided)
		return divided;
	if (path->parent->reloptkind == RELOPT_BASEREL)
		path = alike_path(groups->root, path);
	return path && runs_alike(path) && !has_records(path) && delivers_keys(groups, path)
			   ? filter_path(groups, path)
			   : NULL;
}

/*
 * What it costs to send rows from the workers to the leader beyond what PostgreSQL
 * counts, which does not ask how wide they are.
 */
static Cost
transfer_cost_of(const PartitionedGroups *groups, const Path *path)
{
	return cost_of_transfer(path->rows * groups->workers * path->pathtarget->width);
}

/*
 * The aggregate of the groups of one process over the cheapest path for that;
 * NULL if there is none. Made anew for each use: paths are changed in place later.
 */
static Path *
aggregate_path(const PartitionedGroups *groups, RelOptInfo *input, RelOptInfo *output,
			   const GroupPathExtraData *extra)
{
	PlannerInfo *root = groups->root;
	AggClauseCosts costs;
	Path *best = NULL;
	Path *aggregate;
	ListCell *lc;

	foreach (lc, input->pathlist)
	{
		Path *path = lfirst(lc);

		if (path->param_info)
			continue;
		path = partition_path(groups, path);
		if (path && (best == NULL || path->total_cost < best->total_cost))
			best = path;
	}
	if (best == NULL)
		return NULL;
	MemSet(&costs, 0, sizeof(costs));
	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	aggregate = (Path *) create_agg_path(
		root, output, best, output->reltarget, AGG_HASHED, AGGSPLIT_SIMPLE,
		groups->clauses, (List *) extra->havingQual, &costs,
		clamp_row_est(groups->ngroups / groups->npartitions));
	/* nobody above will count it, who may not have them sent, however */
	aggregate->total_cost += transfer_cost_of(groups, aggregate);
	return aggregate;
}

/*
 * Counts the bytes of states that a path of PostgreSQL's sends to be combined.
 */
static void
count_states(const PartitionedGroups *groups, Path *path)
{
	Path *below = path;
	Cost cost;

	if (!IsA(path, AggPath) || !DO_AGGSPLIT_COMBINE(((AggPath *) path)->aggsplit))
		return;
	below = ((AggPath *) path)->subpath;
	if (IsA(below, SortPath))
		below = ((SortPath *) below)->subpath;
	if (IsA(below, GatherPath))
		below = ((GatherPath *) below)->subpath;
	else if (IsA(below, GatherMergePath))
		below = ((GatherMergePath *) below)->subpath;
	else
		return;
	cost = TRANSFERS_OF_STATE *
		   cost_of_transfer(below->rows * groups->npartitions * below->pathtarget->width);
	path->total_cost += cost;
	if (((AggPath *) path)->aggstrategy != AGG_SORTED)
		path->startup_cost += cost;
}

double
largest_share(double npartitions, double ngroups)
{
	double mean = 1.0 / npartitions;

	return Min(mean + sqrt(mean * (1.0 - mean) / Max(ngroups, 1.0)), 1.0);
}

void
partition_aggregates(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
					 const GroupPathExtraData *extra)
{
	Query *query = root->parse;
	PartitionedGroups groups = {root};
	Path *aggregate;
	Path *gather;
	double rows;
	ListCell *lc;

	if (!output->consider_parallel || !input->consider_parallel ||
		query->groupingSets != NIL || (extra->flags & GROUPING_CAN_USE_HASH) == 0 ||
		input->partial_pathlist == NIL || max_parallel_workers_per_gather < 1 ||
		!(has_own_aggregate((Node *) root->processed_tlist, NULL) ||
		  has_own_aggregate(extra->havingQual, NULL)))
		return;
	groups.workers = ((Path *) linitial(input->partial_pathlist))->parallel_workers;
	groups.npartitions = groups.workers + (parallel_leader_participation ? 1 : 0);
	if (groups.npartitions < 2 || !find_partition_keys(&groups) || !is_repeatable(query))
		return;
	groups.ngroups = estimate_num_groups(root, groups.keys, input->rows, NULL, NULL);
	groups.share = largest_share(groups.npartitions, groups.ngroups);

	aggregate = aggregate_path(&groups, input, output, extra);
	if (aggregate == NULL)
		return;
	if (enable_partitioning == NODES_FORCE)
	{
		output->pathlist = NIL;
		output->partial_pathlist = NIL;
	}
	else
	{
		List *paths = output->pathlist;

		/* costs that have changed are compared again */
		output->pathlist = NIL;
		foreach (lc, paths)
		{
			count_states(&groups, lfirst(lc));
			add_path(output, lfirst(lc));
		}
	}
	rows = aggregate->rows * groups.npartitions;
	gather = (Path *) create_gather_path(root, output, aggregate, output->reltarget, NULL,
										 &rows);
	add_path(output, gather);
	add_partial_path(output, aggregate_path(&groups, input, output, extra));
}
