/*-------------------------------------------------------------------------
 *
 * tuples.c
 *	  Joined rows of a query level by a loop nest that aggregates nothing.
 *
 *	  what the level does with its rows: sort, insert, aggregate
 *	  AggregateJoin
 *	  scan of each operand
 *	  the relational plan, if it is needed
 *
 * A row of the node's scan tuple has keys, numbers that kernels compute of one tuple, and
 * unchanged values. PostgreSQL evaluates the target list over it. Above the node is a
 * copy of the paths that PostgreSQL has made for the level. If one of them is an
 * aggregate, kernels in its arguments become columns of the node.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/children.h"
#include "optimizer/settings.h"
#include "planner/aggregate_join/proposal.h"
#include "planner/node_paths.h"
#include "recursion.h"
#include "type/extension.h"

/* The proposal */

/*
 * May expressions below this node not be evaluated for some rows? An error in them would
 * then not be raised.
 */
static bool
is_guard(const Node *node)
{
	return IsA(node, CaseExpr) || IsA(node, CoalesceExpr) || IsA(node, BoolExpr) ||
		   (IsA(node, Aggref) && ((const Aggref *) node)->aggfilter);
}

/*
 * Should a column be returned as a key? A number that is not a key is a value of each row
 * of its operand.
 */
static bool
is_key_output(const Level *level, int column, Node *node)
{
	Oid type = getBaseType(exprType(node));

	return level->columns[column].key || is_integer_type(type) ||
		   (type != FLOAT8OID && type != FLOAT4OID && !is_tensor_type(type));
}

/*
 * Collects the keys, kernels and values that an expression is made of. True, to end the
 * walk, if some part is something else.
 */
static bool
find_tuple_outputs(Node *node, void *context)
{
	Proposal *proposal = context;
	int column;

	if (node == NULL || list_member(proposal->outputs, node))
		return false;
	column =
		find_column(proposal->level, without_nulling_joins(proposal->level->root, node));
	if (column >= 0 && is_key_output(proposal->level, column, node))
	{
		if (proposal->level->operands[proposal->level->columns[column].operand]
				.optional ||
			!make_default_key(proposal->level, column))
			return true;
		proposal->places = lappend_int(proposal->places, column);
		proposal->groups = lappend_int(proposal->groups, column);
	}
	else if (IsA(node, FuncExpr)
				 ? !proposal->guarded && add_call(&proposal->kernels, (FuncExpr *) node)
				 : (column >= 0 || IsA(node, CoalesceExpr)) &&
					   add_value(&proposal->kernels, node))
		proposal->places =
			lappend_int(proposal->places, -list_length(proposal->kernels.aggregates));
	else if (column >= 0 || IsA(node, Var) || IsA(node, PlaceHolderVar))
		return true;
	else
	{
		bool guarded = proposal->guarded;
		bool result;

		proposal->guarded = guarded || (proposal->aggregated && is_guard(node));
		result = expression_tree_walker(node, find_tuple_outputs, context);
		proposal->guarded = guarded;
		return result;
	}
	proposal->outputs = lappend(proposal->outputs, node);
	return false;
}

/*
 * Is a tensor among the outputs passed on unchanged? PostgreSQL's joins keep a value out
 * of line as a pointer; a nest would copy the value into every row.
 */
static bool
passes_tensor(const List *expressions)
{
	ListCell *lc;

	foreach (lc, expressions)
	{
		Node *node = lfirst(lc);

		if (!IsA(node, FuncExpr) && !IsA(node, OpExpr) && !IsA(node, Const) &&
			!IsA(node, Aggref) && is_tensor_type(getBaseType(exprType(node))))
			return true;
	}
	return false;
}

/*
 * Proposes a nest that returns each joined tuple as a row; NULL if these expressions
 * cannot be computed from it.
 */
static Proposal *
make_tuple_proposal(PlannerInfo *root, const List *expressions, bool aggregated)
{
	Proposal *proposal;
	Level *level = find_level(root);
	Bitmapset *labels = NULL;

	/* the scan of a single operand returns the expressions already */
	if (level == NULL || level->noperands < 2)
		return NULL;
	proposal = new_proposal(level);
	proposal->each_tuple = true;
	proposal->aggregated = aggregated;
	if (find_tuple_outputs((Node *) expressions, proposal) ||
		!number_join_labels(level) || !values_fit(proposal))
		return NULL;
	for (int i = 0; i < level->ncolumns; i++)
	{
		const LevelColumn *column = &level->columns[i];

		if (!column->key || level->operands[column->operand].optional ||
			bms_is_member(column->label, labels))
			continue;
		labels = bms_add_member(labels, column->label);
		proposal->divided = lappend_int(proposal->divided, i);
	}
	return proposal;
}

/* Paths */

/* The path to joined rows below another path, and what is between the two. */
typedef struct RowsBelow
{
	Path *rows;
	const AggPath *aggregate; /* the lowest one above the rows, or NULL */
	bool divided; /* processes have some rows each, aggregated below a Gather */
} RowsBelow;

/*
 * Finds the path to the joined rows below other paths, which could read them from
 * elsewhere. False if one of these paths relies on their order, or stops early.
 */
static bool
find_joined_rows(Path *path, RowsBelow *below)
{
	/* readers of the level may rely on the order that the path promises */
	bool ordered = true;
	bool stops = false;

	below->aggregate = NULL;
	below->divided = false;
	while (!IS_JOIN_REL(path->parent))
	{
		switch (nodeTag(path))
		{
			case T_GatherPath:
			case T_GatherMergePath:
				below->divided = true;
				ordered = IsA(path, GatherMergePath);
				break;
			case T_AggPath:
				below->aggregate = (const AggPath *) path;
				/*
				 * complete groups below a Gather would be wrong: other processes have
				 * rows of them, too
				 */
				if (below->aggregate->aggsplit !=
						(below->divided ? AGGSPLIT_INITIAL_SERIAL : AGGSPLIT_SIMPLE) &&
					(below->divided ||
					 below->aggregate->aggsplit != AGGSPLIT_FINAL_DESERIAL))
					return false;
				ordered = below->aggregate->aggstrategy == AGG_SORTED ||
						  (PLAIN_AGGREGATES_MAY_SORT &&
						   below->aggregate->aggstrategy == AGG_PLAIN);
				stops = false;
				break;
			case T_SortPath:
				ordered = stops = false;
				break;
			case T_LimitPath:
				stops = true;
				break;
			case T_GroupPath:
			case T_UpperUniquePath:
			case T_WindowAggPath:
				ordered = true;
				break;
			case T_ProjectionPath:
			case T_ModifyTablePath:
				break;
			default:
				return false;
		}
		path = *only_subpath(path);
	}
	below->rows = path;
	if (below->aggregate && below->aggregate->aggsplit == AGGSPLIT_FINAL_DESERIAL)
		return false;
	return !stops && path->param_info == NULL && (!ordered || path->pathkeys == NIL);
}

/* Does a path read all rows before it returns the first? */
static bool
reads_all_first(const Path *path)
{
	return IsA(path, SortPath) ||
		   (IsA(path, AggPath) && ((const AggPath *) path)->aggstrategy != AGG_SORTED);
}

/*
 * Returns a copy of a path, and of all paths between it and some rows, that reads other
 * rows instead.
 */
static Path *
with_rows(Path *path, const Path *rows, Path *others)
{
	PathTarget *passed = (*only_subpath(path))->pathtarget;
	Path *copy = copy_path(path);
	Path *before = *only_subpath(path);
	Path *child = before == rows ? others : with_rows(before, rows, others);

	*only_subpath(copy) = child;
	copy->parallel_safe = copy->parallel_safe && child->parallel_safe;
	/* a sort passes on the columns that it reads */
	if (path->pathtarget == passed)
		copy->pathtarget = child->pathtarget;
	copy->startup_cost += reads_all_first(path)
							  ? child->total_cost - before->total_cost
							  : child->startup_cost - before->startup_cost;
	copy->total_cost += child->total_cost - before->total_cost;
	set_disabled_nodes(copy, disabled_nodes_of(copy) + disabled_nodes_of(child) -
								 disabled_nodes_of(before));
	return copy;
}

/*
 * Returns the columns that an aggregate needs: its group keys, and the outputs of the
 * proposal.
 */
static PathTarget *
aggregate_input(PlannerInfo *root, const PathTarget *rows, const Proposal *proposal)
{
	PathTarget *target = create_empty_pathtarget();
	ListCell *lc;

	foreach (lc, rows->exprs)
	{
		Index ref = get_pathtarget_sortgroupref(rows, foreach_current_index(lc));

		if (ref)
			add_column_to_pathtarget(target, lfirst(lc), ref);
	}
	add_new_columns_to_pathtarget(target, proposal->outputs);
	set_pathtarget_cost_width(root, target);
	/* the costs of the aggregate include those of its arguments */
	MemSet(&target->cost, 0, sizeof(target->cost));
	return target;
}

/* Returns the expressions that an aggregate evaluates for each row. */
static List *
aggregate_expressions(const AggPath *aggregate, const PathTarget *rows)
{
	List *expressions =
		list_concat_copy(aggregate->path.pathtarget->exprs, aggregate->qual);
	ListCell *lc;

	foreach (lc, rows->exprs)
		if (get_pathtarget_sortgroupref(rows, foreach_current_index(lc)))
			expressions = lappend(expressions, lfirst(lc));
	return expressions;
}

/*
 * Returns a path to the joined rows with other columns, which workers compute if it is
 * below a Gather; NULL if the path is not a join and so cannot compute them.
 */
static Path *
joined_rows(PlannerInfo *root, Path *rows, PathTarget *target)
{
	Path *computed = IsA(rows, ProjectionPath) ? *only_subpath(rows) : rows;

	enter_recursion();
	if (IsA(computed, GatherPath))
	{
		Path *partial = joined_rows(root, *only_subpath(computed), target);
		Path *gather;

		if (partial == NULL || !partial->parallel_safe)
			return NULL;
		gather = copy_path(computed);
		*only_subpath(gather) = partial;
		gather->pathtarget = target;
		return gather;
	}
	if (!IsA(computed, NestPath) && !IsA(computed, MergePath) && !IsA(computed, HashPath))
		return NULL;
	return (Path *) create_projection_path(root, rows->parent, copy_path(computed),
										   target);
}

/*
 * Subtracts from the costs of an aggregate above some rows the share of its kernels that
 * other processes compute: the node below computes them, though the aggregate's costs
 * include those of its arguments.
 */
static void
divide_kernels(PlannerInfo *root, Path *path, const Path *rows, const Proposal *proposal,
			   int nprocesses)
{
	QualCost kernels;
	Cost saved;

	cost_qual_eval(&kernels, proposal->outputs, root);
	saved = kernels.per_tuple * rows->rows * (1.0 - 1.0 / nprocesses);
	path->total_cost = Max(path->total_cost - saved, rows->total_cost);
	path->startup_cost = Min(path->startup_cost, path->total_cost);
}

/* Adds a copy of the path with a nest in place of the joins below it. */
static void
add_over_nest(PlannerInfo *root, RelOptInfo *output, Path *path, const RowsBelow *below)
{
	PathTarget *target = below->rows->pathtarget;
	Path *relational;
	List *expressions = target->exprs;
	Proposal *proposal;
	Proposal *parallel;
	CustomPath *nest;
	Path *gathered = NULL;
	Path *serial = NULL;

	if (below->aggregate)
		expressions = aggregate_expressions(below->aggregate, target);
	if (passes_tensor(expressions))
		return;
	proposal = make_tuple_proposal(root, expressions, below->aggregate != NULL);
	if (proposal == NULL)
		return;
	if (below->aggregate)
	{
		target = aggregate_input(root, target, proposal);
		relational = joined_rows(root, below->rows, target);
	}
	else
		relational = copy_path(below->rows);
	if (relational == NULL)
		return;
	/* as one process returns all rows */
	relational->rows = below->rows->parent->rows;
	parallel =
		parallel_proposal(proposal, target, below->rows->parent->consider_parallel);
	nest =
		parallel ? parallel_nest(parallel, target, relational->rows, relational) : NULL;
	if (below->divided)
	{
		if (nest && !parallel->by_leader)
			add_path(output, with_rows(path, below->rows, &nest->path));
		return;
	}
	if (nest)
	{
		Path *gather = gathered_nest(root, nest->path.parent, nest, relational->rows);

		gathered = path == below->rows ? gather : with_rows(path, below->rows, gather);
		if (below->aggregate)
			divide_kernels(root, gathered, gather, proposal, parallel->nprocesses);
	}
	if (nest == NULL || enable_aggregate_join != NODES_FORCE)
	{
		nest = nest_path(proposal, target, relational->rows, relational);
		if (nest)
			serial = path == below->rows ? &nest->path
										 : with_rows(path, below->rows, &nest->path);
	}
	/* added last, since add_path may free the path that they were made of */
	if (gathered)
		add_path(output, gathered);
	if (serial)
		add_path(output, serial);
}

/*
 * Finds the cheapest path with joined rows that are divided among processes, or not
 * divided, and adds a path with a nest below it.
 */
static void
add_over_cheapest(PlannerInfo *root, RelOptInfo *output, bool divided)
{
	RowsBelow below;
	RowsBelow cheapest = {NULL};
	Path *best = NULL;
	ListCell *lc;

	foreach (lc, output->pathlist)
	{
		Path *path = lfirst(lc);

		if ((best && best->total_cost <= path->total_cost) ||
			!find_joined_rows(path, &below) || below.divided != divided)
			continue;
		best = path;
		cheapest = below;
	}
	if (best && !is_cheaper_than_nest(cheapest.rows))
		add_over_nest(root, output, best, &cheapest);
}

void
add_tuple_join(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output)
{
	if ((root->parse->commandType != CMD_SELECT &&
		 root->parse->commandType != CMD_INSERT) ||
		!may_be_nest(root, input, output))
		return;
	add_over_cheapest(root, output, true);
	add_over_cheapest(root, output, false);
}
