/*-------------------------------------------------------------------------
 *
 * level.c
 *	  Which query levels are joins of operands by labels.
 *
 * Read from the query tree, in which each condition stands where it applies. What concerns
 * one operand is checked by its scan. What concerns two has to be an equality of
 * integers, and makes their columns one label; what concerns none is asked once.
 * Everything else is left to PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/int.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#if PG_VERSION_NUM >= 160000
#include "rewrite/rewriteManip.h"
#endif
#include "utils/lsyscache.h"

#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/aggregate_join/level.h"
#include "executor/integer_keys.h"
#include "type/extension.h"

Node *
without_nulling_joins(PlannerInfo *root, Node *node)
{
#if PG_VERSION_NUM >= 160000
	if (!bms_is_empty(root->outer_join_rels))
		return remove_nulling_relids(node, root->outer_join_rels, NULL);
#endif
	return node;
}

/* The operands of a condition, and not the joins that make their columns NULL. */
static Relids
varnos_of(PlannerInfo *root, Node *node)
{
	return pull_varnos(root, without_nulling_joins(root, node));
}

/* A column without the relabelling that makes a domain its base type. */
static const Node *
strip_relabel(const Node *expression)
{
	while (IsA(expression, RelabelType))
		expression = (const Node *) ((const RelabelType *) expression)->arg;
	return expression;
}

int
find_column(const Level *level, const Node *expression)
{
	expression = strip_relabel(expression);
	for (int i = 0; i < level->ncolumns; i++)
		if (equal(level->columns[i].expression, expression))
			return i;
	return -1;
}

/* The column that stands for all that equal one. */
static int
representative(const Level *level, int column)
{
	while (level->columns[column].equal != column)
		column = level->columns[column].equal;
	return column;
}

bool
make_key(Level *level, int column)
{
	if (!is_integer_type(
			getBaseType(exprType((Node *) level->columns[column].expression))))
		return false;
	level->columns[column].key = true;
	return true;
}

static void
make_equal(Level *level, int a, int b)
{
	a = representative(level, a);
	b = representative(level, b);
	/* the least of all, so that labels do not depend on the order of conditions */
	if (a < b)
		level->columns[b].equal = a;
	else
		level->columns[a].equal = b;
}

/* Operands */

/*
 * The two ends of allints(first, bound), if an operand is all integers between. Its scan
 * would make a row of each.
 */
static List *
find_range(PlannerInfo *root, const RelOptInfo *rel, const RangeTblEntry *rte)
{
	const FuncExpr *call;
	List *range = NIL;
	int64 count;
	char *name;
	ListCell *lc;

	if (rte->rtekind != RTE_FUNCTION || rte->funcordinality ||
		list_length(rte->functions) != 1 || rel->baserestrictinfo != NIL)
		return NIL;
	call = (const FuncExpr *) linitial_node(RangeTblFunction, rte->functions)->funcexpr;
	if (!IsA(call, FuncExpr) || list_length(call->args) != 2)
		return NIL;
	name = extension_function_name(call->funcid);
	if (name == NULL || strcmp(name, "allints") != 0)
		return NIL;
	foreach (lc, call->args)
	{
		const Const *end = lfirst(lc);

		if (!IsA(end, Const) || end->constisnull || !is_integer_type(end->consttype))
			return NIL;
		range = lappend(
			range, makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
							 Int64GetDatum(integer_key(end->constvalue, end->consttype)),
							 false, FLOAT8PASSBYVAL));
	}
	/* a nest counts them */
	if (pg_sub_s64_overflow(DatumGetInt64(lsecond_node(Const, range)->constvalue),
							DatumGetInt64(linitial_node(Const, range)->constvalue),
							&count))
		return NIL;
	return range;
}

/* The cheapest way to all rows of a relation. */
static Path *
cheapest_path(const RelOptInfo *rel)
{
	Path *best = NULL;
	ListCell *lc;

	foreach (lc, rel->pathlist)
	{
		Path *path = lfirst(lc);

		if (path->param_info == NULL &&
			(best == NULL || path->total_cost < best->total_cost))
			best = path;
	}
	return best;
}

static bool
add_operand(Level *level, Index rtindex, bool optional)
{
	RelOptInfo *rel = level->root->simple_rel_array[rtindex];
	LevelOperand *operand;

	/* a left join that adds nothing has been removed, and so has what is one row */
	if (rel_is_removed(rel))
		return !bms_is_member(rtindex, level->root->all_baserels);
	if (rel->reloptkind != RELOPT_BASEREL || !bms_is_empty(rel->lateral_relids) ||
		level->noperands == NEST_MAX_OPERANDS)
		return false;
	operand = &level->operands[level->noperands++];
	operand->rel = rel;
	operand->optional = optional;
	operand->path = cheapest_path(rel);
	if (operand->path == NULL || operand->path->pathtarget == NULL)
		return false;
	if (!optional)
		operand->range =
			find_range(level->root, rel, planner_rt_fetch(rtindex, level->root));
	operand->first_column = level->ncolumns;
	operand->ncolumns = list_length(operand->path->pathtarget->exprs);
	level->ncolumns += operand->ncolumns;
	return true;
}

/* Finds the operands of a join; false if it is no inner or left join of relations. */
static bool
find_operands(Level *level, Node *join, bool optional)
{
	ListCell *lc;

	check_stack_depth();
	if (IsA(join, RangeTblRef))
		return add_operand(level, ((RangeTblRef *) join)->rtindex, optional);
	if (IsA(join, FromExpr))
	{
		if (optional && list_length(((FromExpr *) join)->fromlist) != 1)
			return false;
		foreach (lc, ((FromExpr *) join)->fromlist)
			if (!find_operands(level, lfirst(lc), optional))
				return false;
		return true;
	}
	if (!IsA(join, JoinExpr) || optional ||
		(((JoinExpr *) join)->jointype != JOIN_INNER &&
		 ((JoinExpr *) join)->jointype != JOIN_LEFT))
		return false;
	return find_operands(level, ((JoinExpr *) join)->larg, false) &&
		   find_operands(level, ((JoinExpr *) join)->rarg,
						 ((JoinExpr *) join)->jointype == JOIN_LEFT);
}

static void
find_columns(Level *level)
{
	level->columns = palloc0(sizeof(LevelColumn) * Max(level->ncolumns, 1));
	for (int o = 0; o < level->noperands; o++)
	{
		const LevelOperand *operand = &level->operands[o];
		ListCell *lc;

		foreach (lc, operand->path->pathtarget->exprs)
		{
			int i = operand->first_column + foreach_current_index(lc);

			level->columns[i] = (LevelColumn){
				.expression = lfirst(lc), .operand = o, .label = -1, .equal = i};
		}
	}
}

/* Conditions */

static int
operand_of_relation(const Level *level, int relid)
{
	for (int o = 0; o < level->noperands; o++)
		if ((int) level->operands[o].rel->relid == relid)
			return o;
	return -1;
}

/*
 * Is a column compared with a constant? Then both sides of an equality of it are, by their
 * scans, which need not even return it.
 */
static bool
equals_constant(PlannerInfo *root, const Node *column)
{
	ListCell *lc;

	foreach (lc, root->eq_classes)
	{
		EquivalenceClass *class = lfirst_node(EquivalenceClass, lc);
		ListCell *cell;

		if (!class->ec_has_const || class->ec_broken)
			continue;
		foreach (cell, class->ec_members)
			if (equal(lfirst_node(EquivalenceMember, cell)->em_expr, column))
				return true;
	}
	return false;
}

/*
 * Does a column equal several constants, of which some may be parameters? The scans compare it
 * with one, and that the others equal this one is asked by a join.
 */
static bool
equal_constants(PlannerInfo *root)
{
	ListCell *lc;

	foreach (lc, root->eq_classes)
	{
		EquivalenceClass *class = lfirst_node(EquivalenceClass, lc);
		int constants = 0;
		ListCell *cell;

		foreach (cell, class->ec_members)
			constants += lfirst_node(EquivalenceMember, cell)->em_is_const;
		if (constants > 1)
			return true;
	}
	return false;
}

/*
 * The columns that a condition says are equal, in *a and *b; both -1 if their scans have seen
 * to that. False if it says anything else.
 */
static bool
is_equality(const Level *level, const Node *condition, int *a, int *b)
{
	const OpExpr *clause = (const OpExpr *) condition;
	const Node *left;
	const Node *right;

	if (!IsA(clause, OpExpr) || list_length(clause->args) != 2 ||
		!is_integer_equality(get_opcode(clause->opno)))
		return false;
	left = strip_relabel(linitial(clause->args));
	right = strip_relabel(lsecond(clause->args));
	*a = find_column(level, left);
	*b = find_column(level, right);
	if (*a >= 0 && *b >= 0)
		return true;
	if (!equals_constant(level->root, left) || !equals_constant(level->root, right))
		return false;
	*a = *b = -1;
	return true;
}

/* A condition of WHERE or of an inner join. */
static bool
add_condition(Level *level, Node *condition)
{
	Relids relids = varnos_of(level->root, condition);
	int member;
	int a;
	int b;

	if (bms_is_empty(relids))
	{
		level->gates = lappend(level->gates, condition);
		return true;
	}
	if (bms_get_singleton_member(relids, &member))
	{
		int o = operand_of_relation(level, member);

		/* after a left join it would be asked of rows that the scan does not have */
		return o >= 0 && !level->operands[o].optional;
	}
	if (!is_equality(level, condition, &a, &b))
		return false;
	if (a < 0)
		return true;
	if (level->operands[level->columns[a].operand].optional ||
		level->operands[level->columns[b].operand].optional || !make_key(level, a) ||
		!make_key(level, b))
		return false;
	make_equal(level, a, b);
	level->columns[a].joined = level->columns[b].joined = true;
	return true;
}

/* A condition of the left join of one operand. */
static bool
add_outer_condition(Level *level, Node *condition, int optional)
{
	Relids relids = varnos_of(level->root, condition);
	int member;
	int a;
	int b;
	int swap;

	if (bms_get_singleton_member(relids, &member))
		return operand_of_relation(level, member) == optional;
	if (bms_is_empty(relids) || !is_equality(level, condition, &a, &b) || a < 0)
		return false;
	if (level->columns[b].operand == optional)
	{
		swap = a;
		a = b;
		b = swap;
	}
	if (level->columns[a].operand != optional ||
		level->operands[level->columns[b].operand].optional || !make_key(level, a) ||
		!make_key(level, b))
		return false;
	level->outer = lappend(level->outer, list_make2_int(a, b));
	level->columns[a].joined = true;
	return true;
}

/*
 * Gives the keys of optional operands their labels, when all labels are known. A key that
 * is compared with two labels does not make these equal.
 */
static bool
make_outer_equal(Level *level)
{
	ListCell *lc;

	foreach (lc, level->outer)
	{
		int a = linitial_int((List *) lfirst(lc));
		int b = lsecond_int((List *) lfirst(lc));

		if (level->columns[a].equal == a)
			level->columns[a].equal = representative(level, b);
		else if (representative(level, a) != representative(level, b))
			return false;
	}
	return true;
}

/* The only operand below an item of a FROM list. */
static int
only_operand(const Level *level, Node *item)
{
	while (IsA(item, FromExpr))
		item = linitial(((FromExpr *) item)->fromlist);
	return operand_of_relation(level, ((RangeTblRef *) item)->rtindex);
}

/* Adds the conditions of a join; optional is the operand that it is part of, or -1. */
static bool
add_conditions(Level *level, Node *join, int optional)
{
	List *conditions = NIL;
	ListCell *lc;

	check_stack_depth();
	if (IsA(join, RangeTblRef))
		return true;
	if (IsA(join, FromExpr))
	{
		foreach (lc, ((FromExpr *) join)->fromlist)
			if (!add_conditions(level, lfirst(lc), optional))
				return false;
		conditions = (List *) ((FromExpr *) join)->quals;
	}
	else
	{
		JoinExpr *expr = (JoinExpr *) join;
		bool outer = expr->jointype == JOIN_LEFT;
		int right = outer ? only_operand(level, expr->rarg) : optional;

		if (!add_conditions(level, expr->larg, optional))
			return false;
		/* such a join was removed */
		if (outer && right < 0)
			return true;
		if (!add_conditions(level, expr->rarg, right))
			return false;
		conditions = (List *) expr->quals;
		optional = right;
	}
	foreach (lc, conditions)
	{
		if (optional >= 0 ? !add_outer_condition(level, lfirst(lc), optional)
						  : !add_condition(level, lfirst(lc)))
			return false;
	}
	return true;
}

Level *
find_level(PlannerInfo *root)
{
	Level *level = palloc0(sizeof(Level));
	Relids relids = NULL;

	level->root = root;
	if (!find_operands(level, (Node *) root->parse->jointree, false) ||
		level->noperands == 0)
		return NULL;
	for (int o = 0; o < level->noperands; o++)
		relids = bms_add_member(relids, level->operands[o].rel->relid);
	if (!bms_equal(relids, root->all_baserels) || equal_constants(root))
		return NULL;
	find_columns(level);
	return add_conditions(level, (Node *) root->parse->jointree, -1) &&
				   make_outer_equal(level)
			   ? level
			   : NULL;
}

bool
number_join_labels(Level *level)
{
	bool found[NEST_MAX_LABELS] = {false};

	for (int i = 0; i < level->ncolumns; i++)
	{
		LevelColumn *column = &level->columns[i];
		LevelColumn *first = &level->columns[representative(level, i)];

		if (!column->key)
			continue;
		if (first->label < 0)
		{
			if (level->nlabels == NEST_MAX_LABELS)
				return false;
			first->label = level->nlabels++;
		}
		column->label = first->label;
		if (!level->operands[column->operand].optional)
			found[column->label] = true;
	}
	for (int l = 0; l < level->nlabels; l++)
		if (!found[l])
			return false;
	for (int o = 0; o < level->noperands; o++)
	{
		LevelOperand *operand = &level->operands[o];
		int nkeys = 0;

		for (int i = 0; i < operand->ncolumns; i++)
			nkeys += level->columns[operand->first_column + i].key;
		if (nkeys > NEST_MAX_KEYS || (operand->optional && nkeys == 0))
			return false;
		/* integers that are only repetitions of the other tuples are read as rows */
		if (nkeys != 1)
			operand->range = NIL;
	}
	return true;
}
