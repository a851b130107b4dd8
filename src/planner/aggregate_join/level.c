/*-------------------------------------------------------------------------
 *
 * level.c
 *	  Which query levels are joins of operands by labels.
 *
 * Read from the query tree, in which each condition stands where it applies. What concerns
 * one operand is checked by its scan. What concerns two has to be an equality, of
 * integers or of what can be hashed, and makes their columns one label; what concerns none is asked once.
 * Everything else is left to PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/int.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/integer_keys.h"
#include "planner/aggregate_join/level.h"
#include "recursion.h"
#include "type/kernel_spec.h"

Node *
without_nulling_joins(PlannerInfo *root, Node *node)
{
	return without_nulling_relids(root, node);
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

static Oid
type_of_column(const Level *level, int column)
{
	return getBaseType(exprType(level->columns[column].expression));
}

static bool
make_key_of_kind(Level *level, int column, KeyKind kind)
{
	LevelColumn *key = &level->columns[column];

	/* one label has one kind */
	if (key->key && !same_kind(&key->kind, &kind))
		return false;
	key->kind = kind;
	key->key = true;
	return true;
}

bool
make_integer_key(Level *level, int column)
{
	return is_integer_type(type_of_column(level, column)) &&
		   make_key_of_kind(level, column, (KeyKind){InvalidOid});
}

bool
make_key(Level *level, int column, Oid equality, Oid collation)
{
	KeyKind kind;

	if (is_integer_equality(get_opcode(equality)))
		return make_integer_key(level, column);
	return find_key_kind(type_of_column(level, column), equality, collation, &kind) &&
		   make_key_of_kind(level, column, kind);
}

bool
make_default_key(Level *level, int column)
{
	KeyKind kind;

	return level->columns[column].key || make_integer_key(level, column) ||
		   (default_key_kind(type_of_column(level, column),
							 exprCollation(level->columns[column].expression), &kind) &&
			make_key_of_kind(level, column, kind));
}

/* Gives two columns that a condition says are equal labels, which are not one yet. */
static bool
make_equal_keys(Level *level, const OpExpr *equality, int a, int b)
{
	return make_key(level, a, equality->opno, equality->inputcollid) &&
		   make_key(level, b, equality->opno, equality->inputcollid) &&
		   same_kind(&level->columns[a].kind, &level->columns[b].kind);
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
	ListCell *lc;

	if (rte->rtekind != RTE_FUNCTION || rte->funcordinality ||
		list_length(rte->functions) != 1 || rel->baserestrictinfo != NIL)
		return NIL;
	call = (const FuncExpr *) linitial_node(RangeTblFunction, rte->functions)->funcexpr;
	if (!IsA(call, FuncExpr) || list_length(call->args) != 2)
		return NIL;
	if (!function_has_form(call->funcid, FORM_RANGE))
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

/*
 * The cheapest way to a share of its rows, in the same columns; NULL if PostgreSQL has
 * none.
 */
static Path *
partial_path(const RelOptInfo *rel, const Path *whole)
{
	ListCell *lc;

	/* the cheapest is the first */
	foreach (lc, rel->partial_pathlist)
	{
		Path *path = lfirst(lc);

		if (equal(path->pathtarget->exprs, whole->pathtarget->exprs))
			return path;
	}
	return NULL;
}

/* Adds the rows of a relation, or of a join, as an operand. */
static bool
add_operand(Level *level, RelOptInfo *rel, bool optional)
{
	LevelOperand *operand;

	if (level->noperands == NEST_MAX_OPERANDS)
		return false;
	operand = &level->operands[level->noperands++];
	operand->rel = rel;
	operand->optional = optional;
	operand->path = cheapest_path(rel);
	if (operand->path == NULL || operand->path->pathtarget == NULL)
		return false;
	operand->partial = partial_path(rel, operand->path);
	if (!optional && rel->reloptkind == RELOPT_BASEREL)
		operand->range =
			find_range(level->root, rel, planner_rt_fetch(rel->relid, level->root));
	operand->first_column = level->ncolumns;
	operand->ncolumns = list_length(operand->path->pathtarget->exprs);
	level->ncolumns += operand->ncolumns;
	return true;
}

/*
 * Adds with these relations those that only a nested loop joins with them: functions of their
 * columns, such as the entries of a vector.
 */
static Relids
with_laterals(const PlannerInfo *root, Relids relids)
{
	Relids result = bms_copy(relids);
	int member = -1;

	/* those that are added may be before those that have been looked at */
	while ((member = bms_next_member(result, member)) >= 0)
	{
		const RelOptInfo *rel = root->simple_rel_array[member];
		int before = bms_num_members(result);

		if (rel == NULL)
			continue;
		result = bms_add_members(result, rel->lateral_relids);
		result = bms_add_members(result, rel->lateral_referencers);
		if (bms_num_members(result) > before)
			member = -1;
	}
	return result;
}

bool
may_raise_error(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Const:
		case T_Param:
		case T_RelabelType:
		case T_MinMaxExpr:
		case T_CoalesceExpr:
		case T_List:
			break;
		case T_FuncExpr:
			switch (((FuncExpr *) node)->funcid)
			{
				case F_FLOAT8_INT2:
				case F_FLOAT8_INT4:
				case F_FLOAT8_INT8:
				case F_FLOAT8_FLOAT4:
				case F_INT8_INT2:
				case F_INT8_INT4:
				case F_INT4_INT2:
					break;
				default:
					if (!function_has_form(((FuncExpr *) node)->funcid, FORM_CONVERSION))
						return true;
			}
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, may_raise_error, context);
}

/*
 * Functions of columns are computed for all rows of these, also where PostgreSQL would join
 * those with others first: only what cannot raise an error.
 */
static bool
laterals_are_safe(PlannerInfo *root, Relids relids)
{
	int member = -1;

	while ((member = bms_next_member(relids, member)) >= 0)
	{
		const RangeTblEntry *rte = planner_rt_fetch(member, root);
		ListCell *lc;

		if (bms_is_empty(root->simple_rel_array[member]->lateral_relids))
			continue;
		if (rte->rtekind != RTE_FUNCTION)
			return false;
		foreach (lc, rte->functions)
		{
			const FuncExpr *call =
				(const FuncExpr *) lfirst_node(RangeTblFunction, lc)->funcexpr;
			const KernelSpec *spec =
				IsA(call, FuncExpr) ? kernel_spec(call->funcid) : NULL;
			ListCell *la;

			if (spec == NULL || !spec->no_errors)
				return false;
			foreach (la, call->args)
				if (may_raise_error(lfirst(la), NULL))
					return false;
		}
	}
	return true;
}

/* Adds an item of a FROM list: relations, of which only each other's columns are needed. */
static bool
add_relations(Level *level, Relids relids, bool optional)
{
	PlannerInfo *root = level->root;
	Relids all = with_laterals(root, relids);
	RelOptInfo *rel;
	int member = -1;

	/* a left join that adds nothing has been removed, and so has what is one row */
	while ((member = bms_next_member(all, member)) >= 0)
	{
		rel = root->simple_rel_array[member];
		if (rel_is_removed(rel))
			return bms_membership(all) == BMS_SINGLETON &&
				   !bms_is_member(member, root->all_baserels);
		if (rel->reloptkind != RELOPT_BASEREL)
			return false;
	}
	if (!laterals_are_safe(root, all))
		return false;
	/* by another of them */
	for (int o = 0; o < level->noperands; o++)
		if (bms_overlap(level->operands[o].rel->relids, all))
			return !optional && bms_equal(level->operands[o].rel->relids, all) &&
				   !level->operands[o].optional;
	if (bms_get_singleton_member(all, &member))
		return add_operand(level, root->simple_rel_array[member], optional);
	if (optional && !bms_equal(all, relids))
		return false;
	rel = find_join_rel(root, all);
	return rel && bms_is_empty(rel->lateral_relids) && add_operand(level, rel, optional);
}

/* The relations of an inner join; false if it is another one. */
static bool
inner_relations(const Node *join, Relids *relids)
{
	ListCell *lc;

	enter_recursion();
	if (IsA(join, RangeTblRef))
	{
		*relids = bms_add_member(*relids, ((const RangeTblRef *) join)->rtindex);
		return true;
	}
	if (IsA(join, FromExpr))
	{
		foreach (lc, ((const FromExpr *) join)->fromlist)
			if (!inner_relations(lfirst(lc), relids))
				return false;
		return true;
	}
	return ((const JoinExpr *) join)->jointype == JOIN_INNER &&
		   inner_relations(((const JoinExpr *) join)->larg, relids) &&
		   inner_relations(((const JoinExpr *) join)->rarg, relids);
}

/* Finds the operands of a join; false if it is not an inner or left join of relations. */
static bool
find_operands(Level *level, const Node *join)
{
	const JoinExpr *expr = (const JoinExpr *) join;
	Relids relids = NULL;
	ListCell *lc;

	enter_recursion();
	if (IsA(join, RangeTblRef))
		return add_relations(
			level, bms_make_singleton(((const RangeTblRef *) join)->rtindex), false);
	if (IsA(join, FromExpr))
	{
		foreach (lc, ((const FromExpr *) join)->fromlist)
			if (!find_operands(level, lfirst(lc)))
				return false;
		return true;
	}
	if (expr->jointype == JOIN_INNER)
		return find_operands(level, expr->larg) && find_operands(level, expr->rarg);
	/* what is joined with all rows of a join, or with none of them, is one operand */
	return expr->jointype == JOIN_LEFT && find_operands(level, expr->larg) &&
		   inner_relations(expr->rarg, &relids) && !bms_is_empty(relids) &&
		   add_relations(level, relids, true);
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

int
operand_of_relations(const Level *level, const Relids relids)
{
	for (int o = 0; o < level->noperands; o++)
		if (bms_is_subset(relids, level->operands[o].rel->relids))
			return o;
	return -1;
}

/*
 * Is a column of an equality compared with a constant? Then both sides are, by their
 * scans, which need not even return it.
 */
static bool
equals_constant(PlannerInfo *root, const OpExpr *equality, const Node *column)
{
	ListCell *lc;

	foreach (lc, root->eq_classes)
	{
		EquivalenceClass *class = lfirst_node(EquivalenceClass, lc);
		ListCell *cell;

		if (!class->ec_has_const || class->ec_broken ||
			class->ec_collation != equality->inputcollid ||
			!op_in_opfamily(equality->opno, linitial_oid(class->ec_opfamilies)))
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
		!op_hashjoinable(clause->opno, exprType(linitial(clause->args))))
		return false;
	left = strip_relabel(linitial(clause->args));
	right = strip_relabel(lsecond(clause->args));
	*a = find_column(level, left);
	*b = find_column(level, right);
	if (*a >= 0 && *b >= 0)
		return true;
	/* what is made of two operands is compared with the constant by their join */
	if (bms_membership(varnos_of(level->root, (Node *) left)) == BMS_MULTIPLE ||
		bms_membership(varnos_of(level->root, (Node *) right)) == BMS_MULTIPLE ||
		!equals_constant(level->root, clause, left) ||
		!equals_constant(level->root, clause, right))
		return false;
	*a = *b = -1;
	return true;
}

/* A condition of WHERE or of an inner join. */
static bool
add_condition(Level *level, Node *condition)
{
	Relids relids = varnos_of(level->root, condition);
	int o;
	int a;
	int b;

	if (bms_is_empty(relids))
	{
		/* only scans have subplans */
		if (contain_subplans(condition))
			return false;
		level->gates = lappend(level->gates, condition);
		return true;
	}
	o = operand_of_relations(level, relids);
	/* after a left join it would be asked of rows that the scan does not have */
	if (o >= 0)
		return !level->operands[o].optional;
	if (bms_membership(relids) == BMS_SINGLETON)
		return false;
	if (!is_equality(level, condition, &a, &b))
		return false;
	if (a < 0)
		return true;
	if (level->operands[level->columns[a].operand].optional ||
		level->operands[level->columns[b].operand].optional ||
		!make_equal_keys(level, (const OpExpr *) condition, a, b))
		return false;
	make_equal(level, a, b);
	level->columns[a].joined = level->columns[b].joined = true;
	return true;
}

/* A condition of the left join of one operand, or one inside the operand. */
static bool
add_outer_condition(Level *level, Node *condition, int optional, bool inside)
{
	Relids relids = varnos_of(level->root, condition);
	int a;
	int b;
	int swap;

	/* its scan asks those inside it, also what has no columns, as whether a scalar subquery has a row */
	if (bms_is_empty(relids))
		return inside;
	if (bms_is_subset(relids, level->operands[optional].rel->relids))
		return true;
	if (bms_membership(relids) == BMS_SINGLETON ||
		!is_equality(level, condition, &a, &b) || a < 0)
		return false;
	if (level->columns[b].operand == optional)
	{
		swap = a;
		a = b;
		b = swap;
	}
	if (level->columns[a].operand != optional ||
		level->operands[level->columns[b].operand].optional ||
		!make_equal_keys(level, (const OpExpr *) condition, a, b))
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

/* The operand that the right side of a left join is; -1 if it was removed. */
static int
only_operand(const Level *level, const Node *join)
{
	Relids relids = NULL;

	return inner_relations(join, &relids) ? operand_of_relations(level, relids) : -1;
}

/* Adds the conditions of a join; optional is the operand that it is part of, or -1. */
static bool
add_conditions(Level *level, Node *join, int optional)
{
	List *conditions = NIL;
	bool outer = false;
	ListCell *lc;

	enter_recursion();
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
		int right;

		outer = expr->jointype == JOIN_LEFT;
		right = outer ? only_operand(level, expr->rarg) : optional;
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
		if (optional >= 0 ? !add_outer_condition(level, lfirst(lc), optional, !outer)
						  : !add_condition(level, lfirst(lc)))
			return false;
	}
	return true;
}

/* The level, if it is a join by equalities; else NULL. */
static Level *
look_at_level(PlannerInfo *root)
{
	Level *level = palloc0(sizeof(Level));
	Relids relids = NULL;

	level->root = root;
	if (!find_operands(level, (Node *) root->parse->jointree) || level->noperands == 0)
		return NULL;
	for (int o = 0; o < level->noperands; o++)
		relids = bms_add_members(relids, level->operands[o].rel->relids);
	if (!bms_equal(relids, root->all_baserels) || equal_constants(root))
		return NULL;
	find_columns(level);
	return add_conditions(level, (Node *) root->parse->jointree, -1) &&
				   make_outer_equal(level)
			   ? level
			   : NULL;
}

/* What has been found out of the level that was asked about last, while its planner's memory is there. */
static struct
{
	const PlannerInfo *root; /* NULL: none */
	const Level *level;      /* NULL: it is no such join */
	MemoryContextCallback *forget;
} known = {NULL};

static void
forget_level(void *callback)
{
	if (known.forget == callback)
		known.root = NULL;
}

/* A level's columns get keys and labels, which others have not. */
static Level *
copy_level(const Level *level)
{
	Level *copy = palloc(sizeof(Level));

	*copy = *level;
	copy->columns = palloc(sizeof(LevelColumn) * Max(level->ncolumns, 1));
	memcpy(copy->columns, level->columns, sizeof(LevelColumn) * level->ncolumns);
	return copy;
}

Level *
find_level(PlannerInfo *root)
{
	if (known.root != root)
	{
		MemoryContextCallback *callback =
			MemoryContextAlloc(root->planner_cxt, sizeof(MemoryContextCallback));

		known.root = NULL;
		known.level = look_at_level(root);
		callback->func = forget_level;
		callback->arg = known.forget = callback;
		MemoryContextRegisterResetCallback(root->planner_cxt, callback);
		known.root = root;
	}
	return known.level ? copy_level(known.level) : NULL;
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
