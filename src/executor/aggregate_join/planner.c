/*-------------------------------------------------------------------------
 *
 * planner.c
 *	  Groups of a query level computed by a loop nest.
 *
 *	  AggregateJoin
 *	    scan of each operand
 *	    the relational plan, if it is needed
 *
 * The path is made of the level itself, beside PostgreSQL's own, of which the cheapest is
 * its last child. A row of the node's scan tuple has the group keys and the
 * aggregates; PostgreSQL evaluates the target list and HAVING over it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "executor/aggregate_join/costs.h"
#include "executor/aggregate_join/kernels.h"
#include "executor/aggregate_join/level.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/query_level.h"
#include "executor/subpaths.h"
#include "optimizer/settings.h"

/* The group keys and aggregates that the level's target list and HAVING are made of. */
static List *
find_outputs(const List *expressions, List *having)
{
	List *outputs = NIL;
	List *found =
		list_concat(pull_var_clause((Node *) expressions,
									PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS),
					pull_var_clause((Node *) having,
									PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS));
	ListCell *lc;

	foreach (lc, found)
		outputs = list_append_unique(outputs, lfirst(lc));
	return outputs;
}

/* What has been found out about a level. */
typedef struct Proposal
{
	Level *level;
	LevelKernels kernels;
	List *outputs; /* expressions of the scan tuple */
	List *places;  /* IntList: a column of the level, or -1 - an aggregate */
	List *groups;  /* IntList: columns of the level */
} Proposal;

/* Finds the columns that rows are grouped by; false if a key is none of an operand. */
static bool
find_groups(Proposal *proposal)
{
	PlannerInfo *root = proposal->level->root;
	List *clauses;
	ListCell *lc;

#if PG_VERSION_NUM >= 160000
	clauses = root->processed_groupClause;
#else
	clauses = root->parse->groupClause;
#endif
	foreach (lc, clauses)
	{
		Node *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc),
											 root->processed_tlist);
		int column = find_column(proposal->level, key);

		if (column < 0 ||
			proposal->level->operands[proposal->level->columns[column].operand]
				.optional ||
			!make_key(proposal->level, column))
			return false;
		proposal->groups = lappend_int(proposal->groups, column);
	}
	return true;
}

/* Finds out what the scan tuple's columns are; false if one is nothing of ours. */
static bool
find_places(Proposal *proposal)
{
	ListCell *lc;

	foreach (lc, proposal->outputs)
	{
		Node *node = lfirst(lc);
		int column;

		if (IsA(node, Aggref))
		{
			proposal->places = lappend_int(
				proposal->places, -1 - list_length(proposal->kernels.aggregates));
			if (list_length(proposal->kernels.aggregates) == NEST_MAX_AGGREGATES ||
				!add_aggregate(&proposal->kernels, (Aggref *) node))
				return false;
			continue;
		}
		column = find_column(proposal->level, node);
		if (column < 0 || !list_member_int(proposal->groups, column))
			return false;
		proposal->places = lappend_int(proposal->places, column);
	}
	return true;
}

/* Do operands, those without columns included, have room for the values of the kernels? */
static bool
values_fit(const Proposal *proposal)
{
	const Level *level = proposal->level;
	int counts[NEST_MAX_OPERANDS] = {0};
	int constants = 0;
	Bitmapset *used = NULL;
	ListCell *lc;
	int v = -1;

	foreach (lc, proposal->kernels.aggregates)
	{
		ListCell *cell;

		foreach (cell, ((const LevelAggregate *) lfirst(lc))->arguments)
			used = bms_add_member(used, lfirst_int(cell));
	}
	while ((v = bms_next_member(used, v)) >= 0)
	{
		const LevelValue *value = list_nth(proposal->kernels.values, v);

		if (value->operand < 0)
			constants++;
		else if (++counts[value->operand] > NEST_MAX_VALUES)
			return false;
	}
	return level->noperands + (constants + NEST_MAX_VALUES - 1) / NEST_MAX_VALUES <=
		   NEST_MAX_OPERANDS;
}

/* The level as a nest; NULL if it is none. */
static Proposal *
make_proposal(PlannerInfo *root, RelOptInfo *output, List *having)
{
	Proposal *proposal = palloc0(sizeof(Proposal));

	proposal->level = find_level(root);
	if (proposal->level == NULL)
		return NULL;
	proposal->kernels.level = proposal->level;
	proposal->outputs = find_outputs(output->reltarget->exprs, having);
	if (!find_groups(proposal) || !find_places(proposal) ||
		!number_join_labels(proposal->level) || !values_fit(proposal))
		return NULL;
	return proposal;
}

/* Plans */

static Const *
make_int8(int64 value)
{
	return makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(value), false,
					 FLOAT8PASSBYVAL);
}

/* Replaces the columns of an operand by those of its child's rows. */
typedef struct ColumnContext
{
	const Level *level;
	const LevelOperand *operand;
} ColumnContext;

static Node *
use_child_columns(Node *node, void *context)
{
	const ColumnContext *columns = context;

	if (node == NULL)
		return NULL;
	for (int i = 0; i < columns->operand->ncolumns; i++)
	{
		const Node *expression =
			columns->level->columns[columns->operand->first_column + i].expression;

		if (!IsA(expression, Const) && equal(expression, node))
			return (Node *) makeVar(INDEX_VAR, i + 1, exprType(node), exprTypmod(node),
									exprCollation(node), 0);
	}
	return expression_tree_mutator(node, use_child_columns, context);
}

/* The name of an operand; of a join, that of its first relation, as x of x and its entries. */
static char *
relation_name(const Level *level, const LevelOperand *operand)
{
	Index first = bms_next_member(operand->rel->relids, -1);

	return planner_rt_fetch(first, level->root)->eref->aliasname;
}

/* Names of the labels for EXPLAIN: that of a column, with a number if it is not the first. */
static List *
label_names(const Level *level)
{
	List *names = NIL;

	for (int l = 0; l < level->nlabels; l++)
	{
		const char *first = "?";
		char *name;
		int number = 1;

		for (int i = level->ncolumns - 1; i >= 0; i--)
		{
			const LevelColumn *column = &level->columns[i];
			const Var *var = (const Var *) column->expression;

			if (column->label == l && IsA(var, Var) &&
				!level->operands[column->operand].optional)
				first = get_rte_attribute_name(planner_rt_fetch(var->varno, level->root),
											   var->varattno);
		}
		name = pstrdup(first);
		while (list_member(names, makeString(name)))
			name = psprintf("%s_%d", first, ++number);
		names = lappend(names, makeString(name));
	}
	return names;
}

static List *
operand_list(const Level *level, const LevelOperand *operand)
{
	List *columns = NIL;
	List *labels = NIL;
	List *joined = NIL;

	for (int i = 0; i < operand->ncolumns; i++)
	{
		const LevelColumn *column = &level->columns[operand->first_column + i];

		if (!column->key)
			continue;
		columns = lappend_int(columns, i + 1);
		labels = lappend_int(labels, column->label);
		joined = lappend_int(joined, column->joined);
	}
	return list_concat(list_make5(makeInteger(operand->optional), operand->range, columns,
								  labels, joined),
					   list_make1(makeString(relation_name(level, operand))));
}

/* The aggregate, with the values that it uses as values has them. */
static List *
aggregate_list(const Proposal *proposal, const LevelAggregate *aggregate, List **used)
{
	const Level *level = proposal->level;
	List *arguments = NIL;
	List *stack = NIL;
	ListCell *lc;

	foreach (lc, aggregate->arguments)
	{
		*used = list_append_unique_int(*used, lfirst_int(lc));
		for (int i = 0; i < list_length(*used); i++)
			if (list_nth_int(*used, i) == lfirst_int(lc))
				arguments = lappend_int(arguments, i);
	}
	if (aggregate->kind == NEST_STACK)
	{
		int64 multipliers[NEST_MAX_LABELS] = {0};

		for (int i = 0; i < level->ncolumns; i++)
			if (aggregate->multipliers[i])
				multipliers[level->columns[i].label] += aggregate->multipliers[i];
		stack = list_make4(
			make_int8(aggregate->dimension), make_int8(aggregate->bound),
			make_int8(aggregate->position),
			aggregate->fill < 0
				? NULL
				: ((LevelValue *) list_nth(proposal->kernels.values, aggregate->fill))
					  ->expression);
		for (int l = 0; l < level->nlabels; l++)
			stack = lappend(stack, make_int8(multipliers[l]));
	}
	return lappend(list_make5(makeInteger(aggregate->kind),
							  makeInteger(aggregate->reduction),
							  makeString(aggregate->expression),
							  makeString(aggregate->equation), arguments),
				   stack);
}

static List *
value_list(const Level *level, const LevelValue *value)
{
	ColumnContext context = {level};
	Node *expression = value->expression;

	if (value->operand >= 0)
	{
		context.operand = &level->operands[value->operand];
		expression = use_child_columns(expression, &context);
	}
	return list_make3(makeInteger(value->operand), expression, value->fill);
}

/* The private list of the plan, which the path keeps. */
static List *
private_list(const Proposal *proposal, const NestParts *parts)
{
	const Level *level = proposal->level;
	List *operands = NIL;
	List *values = NIL;
	List *aggregates = NIL;
	List *outputs = NIL;
	List *groups = NIL;
	List *used = NIL;
	ListCell *lc;

	for (int o = 0; o < level->noperands; o++)
		operands = lappend(operands, operand_list(level, &level->operands[o]));
	foreach (lc, proposal->kernels.aggregates)
		aggregates = lappend(aggregates, aggregate_list(proposal, lfirst(lc), &used));
	foreach (lc, used)
		values = lappend(values, value_list(level, list_nth(proposal->kernels.values,
															lfirst_int(lc))));
	foreach (lc, proposal->places)
	{
		int place = lfirst_int(lc);

		outputs = lappend_int(outputs, place < 0 ? place : level->columns[place].label);
	}
	foreach (lc, proposal->groups)
		groups = list_append_unique_int(groups, level->columns[lfirst_int(lc)].label);
	return list_concat(
		list_make5(operands, values, aggregates, outputs, label_names(level)),
		list_make4(groups, makeInteger(level->root->parse->groupClause != NIL),
				   makeInteger(parts->label), makeInteger(parts->count)));
}

/*
 * A subquery is planned twice, once for its operand and once for the relational plan.
 * setrefs.c moves the relations that its Append nodes are made of each time, in place. They are
 * there for EXPLAIN's names only, so that it forgets them.
 */
static void
forget_parents(const PlannerInfo *root)
{
	check_stack_depth();
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		const RelOptInfo *rel = root->simple_rel_array[i];

		if (rel && rel->subroot)
		{
			rel->subroot->append_rel_list = NIL;
			forget_parents(rel->subroot);
		}
	}
}

static Plan *
plan_aggregate_join(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
					List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	List *outputs = linitial(path->custom_private);
	ListCell *lc;

	forget_parents(root);
	foreach (lc, outputs)
		scan->custom_scan_tlist =
			lappend(scan->custom_scan_tlist,
					makeTargetEntry(copyObject(lfirst(lc)), foreach_current_index(lc) + 1,
									NULL, false));
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = copyObject(lsecond(path->custom_private));
	scan->custom_exprs = copyObject(lthird(path->custom_private));
	scan->custom_private = copyObject(lfourth(path->custom_private));
	scan->flags = path->flags;
	scan->custom_plans = custom_plans;
	scan->methods = &aggregate_join_scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "AggregateJoin",
	.PlanCustomPath = plan_aggregate_join,
};

/* The cheapest of the level's paths that returns what the level does. */
static Path *
relational_path(const RelOptInfo *output)
{
	Path *best = NULL;
	ListCell *lc;

	foreach (lc, output->pathlist)
	{
		Path *path = lfirst(lc);

		if (path->param_info == NULL && path->pathtarget == output->reltarget &&
			(best == NULL || path->total_cost < best->total_cost))
			best = path;
	}
	return best;
}

/*
 * A copy of a path of groups: add_path frees those that are beaten, here and where they are
 * sorted. NULL for kinds that PostgreSQL does not make for groups.
 */
static Path *
copy_group_path(const Path *path)
{
	Size size;
	Path *copy;

	switch (nodeTag(path))
	{
		case T_AggPath:
			size = sizeof(AggPath);
			break;
		case T_GroupPath:
			size = sizeof(GroupPath);
			break;
		case T_GroupResultPath:
			size = sizeof(GroupResultPath);
			break;
		case T_MinMaxAggPath:
			size = sizeof(MinMaxAggPath);
			break;
		case T_ProjectionPath:
			size = sizeof(ProjectionPath);
			break;
		case T_GatherPath:
			size = sizeof(GatherPath);
			break;
		case T_GatherMergePath:
			size = sizeof(GatherMergePath);
			break;
		case T_AppendPath:
			size = sizeof(AppendPath);
			break;
		default:
			return NULL;
	}
	copy = palloc(size);
	memcpy(copy, path, size);
	return copy;
}

/*
 * A subquery is planned for its operand and for the relational plan, and so is each node in
 * it: where nodes are nested deeper than this, planning would take all the time.
 */
#define MOST_NESTED 3

/* Paths that are looked at to find out; what is below more of them counts as nested too deep. */
#define MOST_PATHS 1000

/* How deep nodes are nested below a path, through subqueries. */
static int
nested_nodes(const Path *path, int *left)
{
	int most = 0;
	ListCell *lc;

	check_stack_depth();
	if (--*left < 0)
		return MOST_NESTED;
	switch (nodeTag(path))
	{
		case T_SubqueryScanPath:
			return nested_nodes(((const SubqueryScanPath *) path)->subpath, left);
		case T_CustomPath:
			/* one of ours knows it: to ask its children, of which each is planned twice, would
			 * take twice as long for each node that they are nested */
			if (((const CustomPath *) path)->methods == &path_methods)
				return intVal(llast(((const CustomPath *) path)->custom_private));
			foreach (lc, ((const CustomPath *) path)->custom_paths)
				most = Max(most, nested_nodes(lfirst(lc), left));
			return most;
		case T_AppendPath:
			foreach (lc, ((const AppendPath *) path)->subpaths)
				most = Max(most, nested_nodes(lfirst(lc), left));
			return most;
		case T_HashPath:
		case T_NestPath:
		case T_MergePath:
			most = nested_nodes(((const JoinPath *) path)->outerjoinpath, left);
			return Max(most,
					   nested_nodes(((const JoinPath *) path)->innerjoinpath, left));
		case T_ProjectionPath:
		case T_SortPath:
		case T_IncrementalSortPath:
		case T_MaterialPath:
		case T_AggPath:
		case T_GroupPath:
		case T_GatherPath:
		case T_GatherMergePath:
		case T_LimitPath:
		case T_WindowAggPath:
		case T_UpperUniquePath:
		case T_ProjectSetPath:
			return nested_nodes(*only_subpath((Path *) path), left);
		default:
			return 0;
	}
}

/* How deep nodes are nested below a level's operands. */
static int
nested_below(const Level *level)
{
	int left = MOST_PATHS;
	int most = 0;

	for (int o = 0; o < level->noperands; o++)
		most = Max(most, nested_nodes(level->operands[o].path, &left));
	return most;
}

/*
 * May a subquery, at any depth, be planned as an index's first or last entry? That is done by
 * subplans of its level, which can be made only once.
 */
static bool
has_minmax_path(const PlannerInfo *root)
{
	check_stack_depth();
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		const RelOptInfo *rel = root->simple_rel_array[i];
		ListCell *lc;

		if (rel == NULL || rel->subroot == NULL)
			continue;
		foreach (lc, fetch_upper_rel(rel->subroot, UPPERREL_GROUP_AGG, NULL)->pathlist)
			if (IsA(lfirst(lc), MinMaxAggPath))
				return true;
		if (has_minmax_path(rel->subroot))
			return true;
	}
	return false;
}

/* Is the level one that a nest may be asked about, before it is looked at closely? */
static bool
may_propose(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output)
{
	Query *query = root->parse;

	/* of partitions: the jointree is the whole level's */
	if (IS_OTHER_REL(input) || IS_OTHER_REL(output))
		return false;
	/* a custom scan of PostgreSQL 14 evaluates any target list, which the relational plan
	 * would not have */
	return PG_VERSION_NUM >= 150000 && query->commandType == CMD_SELECT &&
		   query->rowMarks == NIL && query->groupingSets == NIL &&
		   query->setOperations == NULL && !query->hasTargetSRFs &&
		   !IS_DUMMY_REL(input) && level_computes(root) && is_repeatable(query) &&
		   !has_minmax_path(root);
}

void
add_aggregate_join(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
				   const GroupPathExtraData *extra)
{
	List *having = (List *) extra->havingQual;
	Path *relational;
	Proposal *proposal;
	CustomPath *path;
	NestParts parts;
	int nested;

	if (!may_propose(root, input, output))
		return;
	relational = relational_path(output);
	if (relational == NULL || (enable_aggregate_join != NODES_FORCE &&
							   relational->total_cost < least_nest_cost()))
		return;
	relational = copy_group_path(relational);
	if (relational == NULL)
		return;
	proposal = make_proposal(root, output, having);
	if (proposal == NULL)
		return;
	nested = nested_below(proposal->level);
	if (nested >= MOST_NESTED)
		return;
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	/* EXPLAIN gets the names of these relations */
	path->path.parent = fetch_upper_rel(root, UPPERREL_FINAL, root->all_baserels);
	path->path.pathtarget = output->reltarget;
	path->path.rows = relational->rows;
	path->methods = &path_methods;
	for (int o = 0; o < proposal->level->noperands; o++)
		if (proposal->level->operands[o].range == NIL)
			path->custom_paths =
				lappend(path->custom_paths, proposal->level->operands[o].path);
	path->custom_paths = lappend(path->custom_paths, relational);
	cost_aggregate_join(path, proposal->level, &proposal->kernels, proposal->groups,
						input->rows, relational, having, &parts);
	path->custom_private =
		list_make5(proposal->outputs, having, proposal->level->gates,
				   private_list(proposal, &parts), makeInteger(nested + 1));
	add_path(output, &path->path);
}

void
register_aggregate_join(void)
{
	RegisterCustomScanMethods(&aggregate_join_scan_methods);
}
