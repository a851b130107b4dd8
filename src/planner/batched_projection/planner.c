/*-------------------------------------------------------------------------
 *
 * planner.c
 *	  Batched projections among the paths of a query level.
 *
 *	  Projection(f(kernel(x, y)), z) over P
 *
 * becomes
 *
 *	  Batched(f(kernel), z) over Projection(x, y, z) over P
 *
 * where the lower projection is an ordinary one, which computes the operands
 * and is batched in turn if they contain kernels. Both deliver the same rows in
 * the same order, so that any path may stand above or below.
 *
 * Costs: the calls of the kernels, as PostgreSQL counts them, become
 * cheaper where a matrix that stays the same is read once for a batch instead of
 * once for a row; keeping a row until its batch is complete costs something.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/shape_proof.h"
#include "compat.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/repeatable.h"
#include "executor/children.h"
#include "optimizer/settings.h"
#include "planner/batched_projection/fixed.h"
#include "planner/custom_nodes.h"
#include "planner/node_paths.h"
#include "planner/planned_call.h"
#include "planner/row_paths.h"
#include "recursion.h"

/*
 * Costs in units of cpu_operator_cost, which stands for 10 ns. Keeping a row until its
 * batch is complete takes some 50 ns; batching saves about 100 ns for the frame of a call
 * and the allocation of its result. A product with a matrix that stays the same takes
 * half the time if it is small, and a third if large. Elementwise functions gain only the
 * frame, and lose since the elements of a batch leave the first-level caches.
 */
#define KEEPING_OPERATORS 5.0
#define FRAME_OPERATORS 10.0
#define SAVED_OF_PRODUCT 0.6
#define LOST_OF_ELEMENTS 0.1

static Path *batch_path(PlannerInfo *root, Path *path);

typedef struct CallSearch
{
	PlannerInfo *root;
	List *computed; /* expressions that the path below returns */
	List *calls;
	double saving; /* saved cost per row */
} CallSearch;

/* Is this a table whose number of rows is not known? */
static bool
is_unknown_table(RangeTblEntry *rte)
{
	HeapTuple tuple;
	bool unknown;

	if (rte->rtekind != RTE_RELATION)
		return false;
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(rte->relid));
	if (!HeapTupleIsValid(tuple))
		return false;
	unknown = ((Form_pg_class) GETSTRUCT(tuple))->reltuples < 0;
	ReleaseSysCache(tuple);
	return unknown;
}

/* May an operand well be the same from row to row? */
static bool
may_stay(PlannerInfo *root, Node *operand, Relids relids)
{
	int relid = -1;

	if (is_fixed(root, operand))
		return true;
	while ((relid = bms_next_member(relids, relid)) >= 0)
	{
		RelOptInfo *rel =
			relid < root->simple_rel_array_size ? root->simple_rel_array[relid] : NULL;

		if (rel == NULL ||
			(rel->rows > 1 && !is_unknown_table(planner_rt_fetch(relid, root))))
			return false;
	}
	return true;
}

/* Returns the number of the next tensor operand that may stay the same, or -1. */
static int
staying_operand(PlannerInfo *root, List *operands, int from)
{
	for (int i = from; i < list_length(operands); i++)
	{
		Node *operand = list_nth(operands, i);

		/* reusing a number saves nothing: it is not read from memory for each row */
		if (is_tensor_type(exprType(operand)) &&
			may_stay(root, operand, pull_varnos(root, operand)))
			return i;
	}
	return -1;
}

/*
 * Can the rows of a batch be a dimension of a matrix product with an operand that stays
 * the same? That operand needs a label that is summed with one of the others, and one
 * that only it brings into the result.
 */
static bool
multiplies_rows(PlannerInfo *root, const PlannedCall *call, List *operands)
{
	Equation equation;
	uint64 output;

	if (call->spec->form == FORM_MAP || !call_equation(call, &equation) ||
		equation.has_ellipsis)
		return false;
	output = term_labels(&equation.output);
	for (int i = -1; (i = staying_operand(root, operands, i + 1)) >= 0;)
	{
		Relids relids = pull_varnos(root, list_nth(operands, i));
		uint64 labels = term_labels(&equation.operands[i]);
		uint64 others = 0;
		ListCell *lc;

		foreach (lc, operands)
		{
			int j = foreach_current_index(lc);

			if (j != i && !is_fixed(root, lfirst(lc)) &&
				!bms_is_subset(pull_varnos(root, lfirst(lc)), relids))
				others |= term_labels(&equation.operands[j]);
		}
		if ((labels & others & ~output) != 0 && (labels & output & ~others) != 0)
			return true;
	}
	return false;
}

/* Returns the cost per row that computing the call in batches saves. */
static Cost
saving_of_call(PlannerInfo *root, const PlannedCall *call, FuncExpr *function)
{
	QualCost cost = {0, 0};
	Cost frame = FRAME_OPERATORS * cpu_operator_cost;
	List *operands = call_operands(call);

	add_function_cost(root, function->funcid, (Node *) function, &cost);
	if (multiplies_rows(root, call, operands))
		return cost.per_tuple * SAVED_OF_PRODUCT;
	if (call->spec->scalar || staying_operand(root, operands, 0) < 0)
		return 0;
	return Max(frame - LOST_OF_ELEMENTS * cost.per_tuple, 0);
}

/* Reads a call that can be batched; false if the node is something else. */
static bool
read_batchable_call(PlannerInfo *root, Node *node, PlannedCall *call)
{
	const FuncExpr *function = (const FuncExpr *) node;
	int first;
	bool varies = false;
	ListCell *lc;

	if (!IsA(node, FuncExpr) || function->funcretset || function->funcvariadic ||
		!read_call(function->funcid, function->args, call) || !call->spec->batched)
		return false;
	first = first_operand(call->spec);
	if (list_length(call->args) < first + 2)
		return false;
	foreach (lc, call->args)
	{
		if (foreach_current_index(lc) < first)
		{
			if (constant_text(lfirst(lc)) == NULL)
				return false;
		}
		else if (!is_fixed(root, lfirst(lc)))
			varies = true;
	}
	return varies;
}

/*
 * Collects the outermost calls that are evaluated for every row. Calls inside a CASE do
 * not count, for they may have to stay unevaluated.
 */
static bool
find_calls(Node *node, void *context)
{
	CallSearch *search = context;
	PlannedCall call;

	if (node == NULL || list_member(search->computed, node))
		return false;
	if (read_batchable_call(search->root, node, &call))
	{
		Cost saving;

		if (list_member(search->calls, node))
			return false;
		saving = saving_of_call(search->root, &call, (FuncExpr *) node);
		if (saving <= 0 && enable_batching != NODES_FORCE)
			return expression_tree_walker(node, find_calls, context);
		search->saving += saving;
		search->calls = lappend(search->calls, node);
		return false;
	}
	switch (nodeTag(node))
	{
		case T_FuncExpr:
		case T_OpExpr:
		case T_RelabelType:
		case T_NullTest:
		case T_CoerceViaIO:
		case T_RowExpr:
		case T_ArrayExpr:
		case T_List:
			return expression_tree_walker(node, find_calls, context);
		case T_CoalesceExpr:
			return find_calls(linitial(((CoalesceExpr *) node)->args), context);
		default:
			return false;
	}
}

typedef struct ColumnSearch
{
	List *computed;
	List *calls;
	PathTarget *target;
} ColumnSearch;

/*
 * Adds to the target the columns that an expression needs besides the results of calls.
 */
static bool
find_plain_columns(Node *node, void *context)
{
	ColumnSearch *search = context;

	if (node == NULL || IsA(node, Const) || list_member(search->calls, node))
		return false;
	if (IsA(node, Var) || IsA(node, PlaceHolderVar) || IsA(node, Aggref) ||
		IsA(node, GroupingFunc) || IsA(node, WindowFunc) ||
		list_member(search->computed, node))
	{
		add_new_column_to_pathtarget(search->target, (Expr *) node);
		return false;
	}
	return expression_tree_walker(node, find_plain_columns, context);
}

/* Does the expression contain the other? */
static bool
contains(Node *node, void *other)
{
	if (node == NULL)
		return false;
	return equal(node, other) || expression_tree_walker(node, contains, other);
}

/*
 * Moves calls that are operands of other calls from *calls to *below: the child computes
 * them.
 */
static void
split_calls(List **calls, List **below)
{
	List *all = *calls;
	ListCell *lc;

	*calls = NIL;
	*below = NIL;
	foreach (lc, all)
	{
		bool inner = false;
		ListCell *other;

		foreach (other, all)
			inner |= other != lc &&
					 contains((Node *) lfirst_node(FuncExpr, other)->args, lfirst(lc));
		if (inner)
			*below = lappend(*below, lfirst(lc));
		else
			*calls = lappend(*calls, lfirst(lc));
	}
}

/*
 * Returns the target of the child: the operands of calls, and all that the expressions
 * need.
 */
static PathTarget *
child_target(PlannerInfo *root, List *expressions, List *computed, List *calls,
			 List *below)
{
	ColumnSearch search = {list_concat_copy(computed, below), calls,
						   create_empty_pathtarget()};
	ListCell *lc;

	find_plain_columns((Node *) expressions, &search);
	foreach (lc, calls)
	{
		FuncExpr *call = lfirst_node(FuncExpr, lc);
		ListCell *argument;

		foreach (argument, call->args)
			if (!needs_no_row(lfirst(argument)))
				add_new_column_to_pathtarget(search.target, lfirst(argument));
	}
	return set_pathtarget_cost_width(root, search.target);
}

/*
 * Makes the plan node. Its scan tuple is a row of the child followed by the results of
 * the calls: so PostgreSQL turns both, in the target list, into references to the scan
 * tuple.
 */
static Plan *
plan_batched_projection(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
						List *clauses, List *custom_plans)
{
	const Plan *child = linitial(custom_plans);
	const List *calls = linitial(path->custom_private);
	List *columns = NIL;
	List *fixed = NIL;
	CustomScan *scan;
	ListCell *lc;

	foreach (lc, child->targetlist)
	{
		Expr *column = lfirst_node(TargetEntry, lc)->expr;

		columns = lappend(columns, column);
		fixed = lappend_int(fixed, is_fixed(root, (Node *) column));
	}
	scan = row_scan(&batched_projection_node, path, tlist, custom_plans,
					list_concat_copy(columns, calls));
	foreach (lc, calls)
		scan->custom_exprs =
			list_concat(scan->custom_exprs, copyObject(lfirst_node(FuncExpr, lc)->args));
	scan->custom_private = list_make2(makeInteger(list_length(columns)), fixed);
	if (ExecSupportsBackwardScan(linitial(custom_plans)))
		scan->flags |= CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "BatchedProjection",
	.PlanCustomPath = plan_batched_projection,
};

/* Returns the batched form of a projection if it should pay, else NULL. */
static Path *
batch_projection(PlannerInfo *root, ProjectionPath *projection)
{
	Path *subpath = projection->subpath;
	PathTarget *target = projection->path.pathtarget;
	CallSearch search = {root, subpath->pathtarget->exprs, NIL, 0};
	Node *expressions = (Node *) target->exprs;
	CustomPath *batched;
	Path *child;
	List *below;
	Cost saving;
	ListCell *lc;

	foreach (lc, target->exprs)
		find_calls(lfirst(lc), &search);
	if (search.calls == NIL || projection->path.param_info ||
		has_records(&projection->path) || calls_volatile(expressions) ||
		contain_subplans(expressions) || expression_returns_set(expressions))
		return NULL;
	/* the first row is computed without a batch */
	saving = (projection->path.rows - 1) *
			 (search.saving - KEEPING_OPERATORS * cpu_operator_cost);
	if (saving <= 0 && enable_batching != NODES_FORCE)
		return NULL;

	split_calls(&search.calls, &below);
	child = (Path *) create_projection_path(
		root, projection->path.parent, subpath,
		child_target(root, target->exprs, search.computed, search.calls, below));
	saving += child->total_cost;
	child = batch_path(root, child);
	saving -= child->total_cost;

	batched = final_row_path(root, &projection->path, child, &path_methods);
	batched->path.total_cost =
		Max(batched->path.startup_cost, batched->path.total_cost - saving);
	batched->custom_private = list_make1(search.calls);
	return &batched->path;
}

/*
 * Batches the projections below a path, and subtracts what that saves from the path's
 * costs.
 */
static void
batch_subpath(PlannerInfo *root, Path *path, Path **subpath)
{
	Cost startup = (*subpath)->startup_cost;
	Cost total = (*subpath)->total_cost;

	*subpath = batch_path(root, *subpath);
	startup -= (*subpath)->startup_cost;
	total -= (*subpath)->total_cost;
	/* a sort reads all rows before it returns the first */
	path->startup_cost -= IsA(path, SortPath) ? total : Min(startup, path->startup_cost);
	path->total_cost = Max(path->startup_cost, path->total_cost - total);
}

/*
 * Collects the calls in arguments of aggregates that are evaluated for every row, except
 * calls that the input has computed, as for DISTINCT.
 */
static bool
find_calls_of_aggregates(Node *node, void *context)
{
	ListCell *lc;

	if (node == NULL || list_member(((CallSearch *) context)->computed, node))
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, find_calls_of_aggregates, context);
	/* with a filter, the argument is not evaluated for every row */
	if (((Aggref *) node)->aggfilter == NULL)
		foreach (lc, ((Aggref *) node)->args)
			find_calls((Node *) lfirst_node(TargetEntry, lc)->expr, context);
	return false;
}

/*
 * Batches the calls in the arguments of a path's aggregates. The input then returns their
 * results beside its columns, and PostgreSQL refers to a column of the input wherever an
 * expression equals one. False if there is nothing to batch.
 */
static bool
batch_arguments(PlannerInfo *root, AggPath *path)
{
	Path *input = path->subpath;
	PathTarget *target = copy_pathtarget(input->pathtarget);
	CallSearch search = {root, target->exprs, NIL, 0};
	Path *batched;
	Cost saving;

	/* a combining aggregate has only states as arguments */
	if (DO_AGGSPLIT_COMBINE(path->aggsplit))
		return false;
	find_calls_of_aggregates((Node *) path->path.pathtarget->exprs, &search);
	find_calls_of_aggregates((Node *) path->qual, &search);
	if (search.calls == NIL || calls_volatile((Node *) path->path.pathtarget->exprs) ||
		calls_volatile((Node *) path->qual))
		return false;
	add_new_columns_to_pathtarget(target, search.calls);
	input = (Path *) create_projection_path(root, input->parent, input,
											set_pathtarget_cost_width(root, target));
	batched = batch_projection(root, (ProjectionPath *) input);
	if (batched == NULL)
		return false;
	saving = input->total_cost - batched->total_cost;
	path->subpath = batched;
	if (path->aggstrategy != AGG_SORTED)
		path->path.startup_cost -= Min(saving, path->path.startup_cost);
	path->path.total_cost = Max(path->path.startup_cost, path->path.total_cost - saving);
	return true;
}

/*
 * Is the path one of a table and its inheritance children? For them, WHERE CURRENT OF
 * finds the row of a cursor only if nothing but the Append is above their scans.
 * Partitions have a projection each.
 */
static bool
is_of_several_tables(PlannerInfo *root, const Path *path)
{
	const RelOptInfo *rel = path->parent;

	while (IsA(path, ProjectionPath))
		path = ((const ProjectionPath *) path)->subpath;
	return (IsA(path, AppendPath) || IsA(path, MergeAppendPath)) &&
		   rel->reloptkind == RELOPT_BASEREL && rel->rtekind == RTE_RELATION;
}

/*
 * Returns the path with its projections batched, down to the joins, which read columns.
 * Paths above are changed in place.
 */
static Path *
batch_path(PlannerInfo *root, Path *path)
{
	Path *batched;
	ListCell *lc;

	enter_recursion();
	switch (nodeTag(path))
	{
		case T_ProjectionPath:
			batched = is_of_several_tables(root, path)
						  ? NULL
						  : batch_projection(root, (ProjectionPath *) path);
			if (batched)
				return batched;
			batch_subpath(root, path, &((ProjectionPath *) path)->subpath);
			break;
		case T_AggPath:
			if (!batch_arguments(root, (AggPath *) path))
				batch_subpath(root, path, &((AggPath *) path)->subpath);
			break;
		case T_SortPath:
		case T_IncrementalSortPath:
		case T_MaterialPath:
		case T_LimitPath:
		case T_GatherPath:
		case T_GatherMergePath:
		case T_UpperUniquePath:
		case T_WindowAggPath:
		case T_ModifyTablePath:
		case T_AppendPath:
		case T_MergeAppendPath:
			foreach (lc, path_children(path))
				batch_subpath(root, path, lfirst(lc));
			break;
		default:
			break;
	}
	return path;
}

void
batch_projections(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output)
{
	ListCell *lc;

	/* locked or updated rows may be rechecked one by one */
	if ((root->parse->commandType != CMD_SELECT &&
		 root->parse->commandType != CMD_INSERT) ||
		root->parse->rowMarks != NIL)
		return;
	foreach (lc, output->pathlist)
		lfirst(lc) = batch_path(root, lfirst(lc));
	foreach (lc, output->partial_pathlist)
		lfirst(lc) = batch_path(root, lfirst(lc));
	/*
	 * partial paths of the input, which planner_hooks.c uses where PostgreSQL would lose
	 * them
	 */
	foreach (lc, input->partial_pathlist)
		lfirst(lc) = batch_path(root, lfirst(lc));
}
