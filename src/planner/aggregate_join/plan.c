/*-------------------------------------------------------------------------
 *
 * plan.c
 *	  The plan of an AggregateJoin, made of what was found out about the level.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "planner/aggregate_join/proposal.h"
#include "planner/row_paths.h"
#include "recursion.h"

static Const *
make_int8(int64 value)
{
	return makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(value), false,
					 FLOAT8PASSBYVAL);
}

/* Replaces columns of an operand by references to its child's rows. */
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

/* Returns the name of an operand for EXPLAIN: for a join, that of its first relation. */
static char *
relation_name(const Level *level, const LevelOperand *operand)
{
	Index first = bms_next_member(operand->rel->relids, -1);

	return planner_rt_fetch(first, level->root)->eref->aliasname;
}

/*
 * Returns names of the labels for EXPLAIN: that of a column, with a number if it repeats.
 */
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

/*
 * Returns what the plan says of the rows that an operand shares with others; NIL if it
 * shares none.
 */
static List *
rows_list(const Proposal *proposal, int number)
{
	const LevelOperand *operand = &proposal->level->operands[number];
	ListCell *lc;

	if (operand->rows.number < 0 || proposal->nprocesses > 1)
		return NIL;
	foreach (lc, proposal->kernels.values)
	{
		const LevelValue *value = lfirst(lc);

		if (value->operand == number && may_vary(value->expression))
			return NIL;
	}
	return list_make4(list_make3_int(operand->rows.loop, operand->rows.number,
									 (int) operand->path->pathtype),
					  operand->rows.tables, operand->rows.columns,
					  operand->rows.expected);
}

static List *
operand_list(const Proposal *proposal, int number)
{
	const Level *level = proposal->level;
	const LevelOperand *operand = &level->operands[number];
	List *columns = NIL;
	List *labels = NIL;
	List *joined = NIL;
	List *kinds = NIL;

	for (int i = 0; i < operand->ncolumns; i++)
	{
		const LevelColumn *column = &level->columns[operand->first_column + i];

		if (!column->key)
			continue;
		columns = lappend_int(columns, i + 1);
		labels = lappend_int(labels, column->label);
		joined = lappend_int(joined, column->joined);
		kinds = lappend_oid(kinds, column->kind.equality);
		kinds = lappend_oid(kinds, column->kind.collation);
		kinds = lappend_oid(kinds, column->kind.type);
	}
	return list_concat(list_make5(makeInteger(operand->optional), operand->range, columns,
								  labels, joined),
					   list_make4(makeString(relation_name(level, operand)), kinds,
								  makeInteger(proposal->readers[number]),
								  rows_list(proposal, number)));
}

/*
 * Describes an aggregate for the private list. Its values are renumbered by their place
 * in *used, to which they are added.
 */
static List *
aggregate_list(const Proposal *proposal, const LevelAggregate *aggregate, List **used)
{
	const Level *level = proposal->level;
	List *arguments = NIL;
	List *stack = NIL;
	ListCell *lc;

	foreach (lc, aggregate->arguments)
	{
		if (lfirst_int(lc) < 0)
		{
			arguments = lappend_int(arguments, lfirst_int(lc));
			continue;
		}
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
	return list_concat(list_make5(makeInteger(aggregate->kind),
								  makeInteger(aggregate->reduction),
								  makeString(aggregate->expression),
								  makeString(aggregate->equation), arguments),
					   list_make2(makeInteger(aggregate->strict), stack));
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

List *
plan_description(const Proposal *proposal)
{
	const Level *level = proposal->level;
	List *operands = NIL;
	List *values = NIL;
	List *aggregates = NIL;
	List *outputs = NIL;
	List *groups = NIL;
	List *used = NIL;
	int ncomputed = list_length(proposal->kernels.computed);
	ListCell *lc;

	for (int o = 0; o < level->noperands; o++)
		operands = lappend(operands, operand_list(proposal, o));
	foreach (lc, all_kernels(&proposal->kernels))
		aggregates = lappend(aggregates, aggregate_list(proposal, lfirst(lc), &used));
	foreach (lc, used)
		values = lappend(values, value_list(level, list_nth(proposal->kernels.values,
															lfirst_int(lc))));
	foreach (lc, proposal->places)
	{
		int place = lfirst_int(lc);

		outputs = lappend_int(outputs, place < 0 ? place - ncomputed
												 : level->columns[place].label);
	}
	foreach (lc, proposal->groups)
		groups = list_append_unique_int(groups, level->columns[lfirst_int(lc)].label);
	return list_concat(
		list_concat(list_make5(operands, values, aggregates, outputs, label_names(level)),
					list_make5(groups,
							   makeInteger(proposal->each_tuple ||
										   level->root->parse->groupClause != NIL),
							   makeInteger(proposal->parts.label),
							   makeInteger(proposal->parts.count),
							   makeInteger(proposal->each_tuple))),
		list_make3(makeInteger(proposal->stream), makeInteger(proposal->nprocesses > 1),
				   makeInteger(proposal->by_leader)));
}

/*
 * Empties the lists of Append relations in subqueries. A subquery is planned twice, for
 * its operand and for the relational plan, and setrefs.c renumbers these relations in
 * place each time. They only serve EXPLAIN's names, so they can be forgotten.
 */
static void
forget_parents(const PlannerInfo *root)
{
	enter_recursion();
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
	CustomScan *scan = row_scan(&aggregate_join_node, path, tlist, custom_plans,
								linitial(path->custom_private));

	forget_parents(root);
	scan->scan.plan.qual = copyObject(lsecond(path->custom_private));
	scan->custom_exprs = copyObject(lthird(path->custom_private));
	scan->custom_private = copyObject(lfourth(path->custom_private));
	return &scan->scan.plan;
}

const CustomPathMethods aggregate_join_path_methods = {
	.CustomName = "AggregateJoin",
	.PlanCustomPath = plan_aggregate_join,
};
