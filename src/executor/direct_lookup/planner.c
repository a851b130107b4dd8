/*-------------------------------------------------------------------------
 *
 * planner.c
 *	  Where joins and groups are looked up directly.
 *
 *	  HashAggregate over HashJoin(A, B)
 *
 * becomes
 *
 *	  HashAggregate over DirectGroups over DirectJoin over HashJoin(A, B)
 *
 * DirectJoin runs the hash join with an array in place of its hash table. DirectGroups
 * advances known groups of the aggregate without a lookup. Neither changes the rows, and
 * both leave to PostgreSQL's nodes what they cannot do. So there are no alternatives to
 * choose from: the paths are changed in place when a query level has been planned.
 * Subqueries have been planned, and changed, before.
 *
 * Their costs stay those of hash tables, which are too high for them: about
 * 0.1 us for each row. It is a tenth of what a row costs in all, and counting it
 * would need paths for joins that are made with costs of their own, in competition
 * with all others. Over a table that processes share, the array comes on top of it,
 * in each of them: 0.15 to 0.3 us for each row of the table, so there have to be
 * more rows to join with it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "executor/all_gather/all_gather.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/direct_lookup/direct_lookup.h"
#include "executor/estimate_shape.h"
#include "executor/integer_keys.h"
#include "executor/kept_results/kept_results.h"
#include "executor/partitioned_aggregate/partitioned_aggregate.h"
#include "executor/query_level.h"
#include "executor/row_nodes.h"
#include "executor/subpaths.h"
#include "optimizer/settings.h"

/*
 * Fewer rows than this are not worth a node, whose state and slots take some
 * microseconds to make. A group that has one row only is looked up once anyhow, and
 * so many rows have to be joined with each of a shared table to pay for its array.
 */
#define LEAST_ROWS 1000.0
#define LEAST_ROWS_OF_GROUP 2.0
#define LEAST_ROWS_OF_SHARED 2.0

typedef struct DirectSearch
{
	PlannerInfo *root;
	bool asked;     /* whether the level is one to look for nodes in, */
	bool qualifies; /* and whether it is */
} DirectSearch;

/*
 * True if the query level computes with this extension, and its rows are the same when
 * they are read again. Both walk through all of it, which waits until there is a
 * join or an aggregate to change.
 */
static bool
level_qualifies(DirectSearch *search)
{
	if (!search->asked)
	{
		search->asked = true;
		search->qualifies =
			level_computes(search->root) && is_repeatable(search->root->parse);
	}
	return search->qualifies;
}

/* Joins */

/*
 * True if a hash join's rows can be found in an array. Its sides may have to be read
 * a second time, or a row be joined so (see join.c), which was asked of the whole
 * level.
 */
static bool
can_join_directly(DirectSearch *search, const HashPath *path)
{
	const JoinPath *join = &path->jpath;
	const OpExpr *clause;

	/* pseudoconstant quals would come between the node and the join */
	if (search->root->hasPseudoConstantQuals || join->path.param_info ||
		join->outerjoinpath->param_info || join->innerjoinpath->param_info ||
		list_length(path->path_hashclauses) != 1)
		return false;
	if (join->jointype != JOIN_INNER && join->jointype != JOIN_LEFT &&
		join->jointype != JOIN_SEMI && join->jointype != JOIN_ANTI)
		return false;
	clause = (const OpExpr *) linitial_node(RestrictInfo, path->path_hashclauses)->clause;
	if (!IsA(clause, OpExpr) || !is_integer_equality(get_opcode(clause->opno)) ||
		!IsA(linitial(clause->args), Var) || !IsA(lsecond(clause->args), Var))
		return false;
	if (enable_direct_lookup == NODES_FORCE)
		return true;
	/* a reader that stops early does not make up for an array beside the table */
	if (join->path.parallel_aware &&
		(search->root->limit_tuples >= 0 ||
		 join->outerjoinpath->rows < LEAST_ROWS_OF_SHARED * path->inner_rows_total))
		return false;
	return path->num_batches == 1 && join->outerjoinpath->rows >= LEAST_ROWS;
}

/*
 * A RIGHT join as the LEFT join that it is with its sides exchanged: PostgreSQL
 * weighs hash tables by their rows, and would keep vectors that are joined with
 * numbers. NULL if that is no such join, or the other side is no smaller.
 */
static HashPath *
exchange_sides(const HashPath *path)
{
	const JoinPath *join = &path->jpath;
	const Path *outer = join->outerjoinpath;
	const Path *inner = join->innerjoinpath;
	double bytes = outer->rows * (outer->pathtarget->width + sizeof(Datum));
	HashPath *exchanged;

	/* workers share the table of a RIGHT join that they run */
	if (join->jointype != JOIN_RIGHT || join->path.parallel_aware ||
		bytes > inner->rows * (inner->pathtarget->width + sizeof(Datum)) ||
		bytes > get_hash_memory_limit())
		return NULL;
	exchanged = makeNode(HashPath);
	*exchanged = *path;
	exchanged->jpath.jointype = JOIN_LEFT;
	exchanged->jpath.inner_unique = false;
	exchanged->jpath.outerjoinpath = join->innerjoinpath;
	exchanged->jpath.innerjoinpath = join->outerjoinpath;
	exchanged->num_batches = 1;
	exchanged->inner_rows_total = outer->rows;
	return exchanged;
}

static Plan *
plan_direct_join(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
				 List *clauses, List *custom_plans)
{
	return &row_scan(path, tlist, custom_plans, &direct_join_scan_methods)->scan.plan;
}

static const CustomPathMethods join_path_methods = {
	.CustomName = "DirectJoin",
	.PlanCustomPath = plan_direct_join,
};

/* Where a path has its hash join: below projections, which become the join's own. */
static Path **
place_of_join(Path **place)
{
	while (IsA(*place, ProjectionPath))
		place = &((ProjectionPath *) *place)->subpath;
	return IsA(*place, HashPath) ? place : NULL;
}

/* Groups */

static Plan *
plan_direct_groups(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
				   List *clauses, List *custom_plans)
{
	return &row_scan(path, tlist, custom_plans, &direct_groups_scan_methods)->scan.plan;
}

static const CustomPathMethods groups_path_methods = {
	.CustomName = "DirectGroups",
	.PlanCustomPath = plan_direct_groups,
};

/* True if the groups of a hashed aggregate can be found in an array. */
static bool
can_group_directly(const AggPath *path)
{
	const SortGroupClause *clause;

	if (has_records(path->subpath))
		return false;
	/* without aggregates, as for a DISTINCT, a group has no place */
	if (path->aggstrategy != AGG_HASHED || list_length(path->groupClause) != 1 ||
		!(contain_agg_clause((Node *) path->path.pathtarget->exprs) ||
		  contain_agg_clause((Node *) path->qual)))
		return false;
	/* an aggregate may be below several paths */
	if (IsA(path->subpath, CustomPath) &&
		((CustomPath *) path->subpath)->methods == &groups_path_methods)
		return false;
	clause = linitial_node(SortGroupClause, path->groupClause);
	if (!is_integer_equality(get_opcode(clause->eqop)))
		return false;
	if (enable_direct_lookup == NODES_FORCE)
		return true;
	return path->subpath->rows >= LEAST_ROWS &&
		   path->subpath->rows >= LEAST_ROWS_OF_GROUP * path->numGroups;
}

/* Paths */

/* A node over a path that passes its rows. */
static Path *
pass_rows(PlannerInfo *root, Path *child, const CustomPathMethods *methods)
{
	CustomPath *path = final_row_path(root, child, child, methods);

	path->path.parallel_aware = false;
	return &path->path;
}

static Path *direct_path(DirectSearch *search, Path *path);

static void
change_subpath(DirectSearch *search, Path **subpath)
{
	*subpath = direct_path(search, *subpath);
}

static void
change_subpaths(DirectSearch *search, List *subpaths)
{
	ListCell *lc;

	foreach (lc, subpaths)
		lfirst(lc) = direct_path(search, lfirst(lc));
}

/* The path with nodes wherever they belong; what is below it is changed in place. */
static Path *
direct_path(DirectSearch *search, Path *path)
{
	Path **place;
	HashPath *join;
	HashPath *exchanged;

	check_stack_depth();
	switch (nodeTag(path))
	{
		case T_ProjectionPath:
		case T_HashPath:
			place = place_of_join(&path);
			if (place == NULL)
			{
				change_subpath(search, &((ProjectionPath *) path)->subpath);
				break;
			}
			join = (HashPath *) *place;
			change_subpath(search, &join->jpath.outerjoinpath);
			change_subpath(search, &join->jpath.innerjoinpath);
			if (!level_qualifies(search))
				break;
			/* also for the hash join by itself */
			exchanged = exchange_sides(join);
			if (exchanged)
				*place = &exchanged->jpath.path;
			if (!has_records(path) && can_join_directly(search, (HashPath *) *place))
				return pass_rows(search->root, path, &join_path_methods);
			break;
		case T_NestPath:
		case T_MergePath:
			change_subpath(search, &((JoinPath *) path)->outerjoinpath);
			change_subpath(search, &((JoinPath *) path)->innerjoinpath);
			break;
		case T_AggPath:
			change_subpath(search, &((AggPath *) path)->subpath);
			if (can_group_directly((AggPath *) path) && level_qualifies(search))
				((AggPath *) path)->subpath = pass_rows(
					search->root, ((AggPath *) path)->subpath, &groups_path_methods);
			break;
		case T_GroupPath:
		case T_GroupingSetsPath:
		case T_SortPath:
		case T_IncrementalSortPath:
		case T_MaterialPath:
		case T_MemoizePath:
		case T_ProjectSetPath:
		case T_LimitPath:
		case T_GatherPath:
		case T_GatherMergePath:
		case T_UniquePath:
		case T_UpperUniquePath:
		case T_WindowAggPath:
		case T_ModifyTablePath:
			change_subpath(search, only_subpath(path));
			break;
		case T_AppendPath:
			change_subpaths(search, ((AppendPath *) path)->subpaths);
			break;
		case T_MergeAppendPath:
			change_subpaths(search, ((MergeAppendPath *) path)->subpaths);
			break;
		case T_CustomPath:
			/* below a direct join all is changed already; others' nodes may rely on theirs */
			if (is_batched_projection((CustomPath *) path) ||
				is_all_gather_path((CustomPath *) path) ||
				is_kept_results((CustomPath *) path) ||
				is_sent_results((CustomPath *) path) ||
				is_partition_filter_path((CustomPath *) path))
				change_subpaths(search, ((CustomPath *) path)->custom_paths);
			break;
		default:
			break;
	}
	return path;
}

bool
is_direct_path(const CustomPath *path)
{
	return path->methods == &join_path_methods || path->methods == &groups_path_methods;
}

bool
is_direct_node(const CustomScan *scan)
{
	return scan->methods == &direct_join_scan_methods ||
		   scan->methods == &direct_groups_scan_methods;
}

void
register_direct_lookup(void)
{
	RegisterCustomScanMethods(&direct_join_scan_methods);
	RegisterCustomScanMethods(&direct_groups_scan_methods);
	direct_groups_init();
}

void
add_direct_lookups(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output)
{
	DirectSearch search = {root};

	/*
	 * Rows that are locked or updated are checked again one by one. The columns of
	 * a UNION are of no relation, and EXPLAIN would not find the names of those
	 * that a node passes.
	 */
	if ((root->parse->commandType != CMD_SELECT &&
		 root->parse->commandType != CMD_INSERT) ||
		root->parse->rowMarks != NIL || root->parse->setOperations != NULL)
		return;
	change_subpaths(&search, output->pathlist);
	change_subpaths(&search, output->partial_pathlist);
	/* planner_hooks.c takes them from there where PostgreSQL does not pass them on */
	change_subpaths(&search, input->partial_pathlist);
}
