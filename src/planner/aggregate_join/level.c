/*-------------------------------------------------------------------------
 *
 * level.c
 *	  Which query levels are joins of operands by labels.
 *
 * They are read from the query tree, in which each condition stands where it applies. A
 * condition on one operand is checked by its scan. A condition on two operands must be an
 * equality, of integers or of a type that can be hashed, and gives their columns one
 * label. A condition on none is evaluated once. Levels with other conditions are left to
 * PostgreSQL.
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

/*
 * Returns the operands of a condition, without the outer joins that may make their
 * columns NULL.
 */
static Relids
varnos_of(PlannerInfo *root, Node *node)
{
	return pull_varnos(root, without_nulling_joins(root, node));
}

/*
 * Returns a column without the RelabelType nodes that turn a domain into its base type.
 */
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

/* Returns the column that represents all columns equal to this one. */
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

	/* all columns of a label must have keys of the same kind */
	if (key->key && !same_kind(&key->kind, &kind))
		return false;
	key->kind = kind;
	key->key = true;
	return true;
}

bool
make_integer_key(Level *level, int column)
{
	return has_integer_keys(type_of_column(level, column)) &&
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

/*
 * Gives labels to two columns that a condition compares; make_equal then makes them one.
 */
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
	/*
	 * the least index represents all, so that labels do not depend on the order of
	 * conditions
	 */
	if (a < b)
		level->columns[b].equal = a;
	else
		level->columns[a].equal = b;
}

/* Operands */

/*
 * If an operand is allints(first, bound), returns its two ends, as a range: a nest counts
 * its integers, where a scan would make a row of each. Else NIL.
 */
static List *
find_allints(PlannerInfo *root, const RelOptInfo *rel, const RangeTblEntry *rte)
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
	/* a nest counts with the number of integers, which must not overflow */
	if (pg_sub_s64_overflow(DatumGetInt64(lsecond_node(Const, range)->constvalue),
							DatumGetInt64(linitial_node(Const, range)->constvalue),
							&count))
		return NIL;
	return range;
}

/* Returns the cheapest path to all rows of a relation. */
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
 * Returns the cheapest path to a share of the rows, with the same columns; NULL if
 * PostgreSQL has none.
 */
static Path *
partial_path(const RelOptInfo *rel, const Path *whole)
{
	ListCell *lc;

	/* partial paths are sorted by cost */
	foreach (lc, rel->partial_pathlist)
	{
		Path *path = lfirst(lc);

		if (equal(path->pathtarget->exprs, whole->pathtarget->exprs))
			return path;
	}
	return NULL;
}

/* Adds a relation, or a join, as an operand. */
static bool
add_level_operand(Level *level, RelOptInfo *rel, bool optional)
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
			find_allints(level->root, rel, planner_rt_fetch(rel->relid, level->root));
	find_operand_rows(level->root, rel, operand->path, &operand->rows);
	operand->first_column = level->ncolumns;
	operand->ncolumns = list_length(operand->path->pathtarget->exprs);
	level->ncolumns += operand->ncolumns;
	return true;
}

/*
 * Returns these relations with all that can only be joined to them by nested loops:
 * functions of their columns, such as the entries of a vector.
 */
static Relids
with_laterals(const PlannerInfo *root, Relids relids)
{
	Relids result = bms_copy(relids);
	int member = -1;

	/* an added relation may have a smaller number: begin again */
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
 * A nest computes functions of columns for all rows of these relations, where PostgreSQL
 * might join with others first. So only functions that cannot raise an error are allowed.
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

/*
 * Adds an item of a FROM list as an operand: relations that are joined because their
 * functions read each other's columns.
 */
static bool
add_relations(Level *level, Relids relids, bool optional)
{
	PlannerInfo *root = level->root;
	Relids all = with_laterals(root, relids);
	RelOptInfo *rel;
	int member = -1;

	/* PostgreSQL has removed left joins that add nothing, and items of a single row */
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
	/* added already, by another of these relations */
	for (int o = 0; o < level->noperands; o++)
		if (bms_overlap(level->operands[o].rel->relids, all))
			return !optional && bms_equal(level->operands[o].rel->relids, all) &&
				   !level->operands[o].optional;
	if (bms_get_singleton_member(all, &member))
		return add_level_operand(level, root->simple_rel_array[member], optional);
	if (optional && !bms_equal(all, relids))
		return false;
	rel = find_join_rel(root, all);
	return rel && bms_is_empty(rel->lateral_relids) &&
		   add_level_operand(level, rel, optional);
}

/* Collects the relations of an inner join; false if it contains another join. */
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

/*
 * Finds the operands of a join; false if it is not made of inner and left joins of
 * relations.
 */
static bool
find_join_operands(Level *level, const Node *join)
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
			if (!find_join_operands(level, lfirst(lc)))
				return false;
		return true;
	}
	if (expr->jointype == JOIN_INNER)
		return find_join_operands(level, expr->larg) &&
			   find_join_operands(level, expr->rarg);
	/*
	 * the right side of a left join is one operand: a row of the left is joined with all
	 * of its rows that match, or none
	 */
	return expr->jointype == JOIN_LEFT && find_join_operands(level, expr->larg) &&
		   inner_relations(expr->rarg, &relids) && !bms_is_empty(relids) &&
		   add_relations(level, relids, true);
}

static void
find_level_columns(Level *level)
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
 * Does an equality compare a column that also equals a constant? Then the scans compare
 * both of its sides with the constant, and need not even return them.
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
 * Does a column equal several constants, some of which may be parameters? Scans compare
 * it with one of them; a join checks that the others are equal to this one.
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
 * Finds the columns that a condition says are equal, in *a and *b; both are -1 if scans
 * have checked the condition. False if the condition is not an equality of columns.
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
	/*
	 * an expression over two operands is compared with the constant by a join, not a scan
	 */
	if (bms_membership(varnos_of(level->root, (Node *) left)) == BMS_MULTIPLE ||
		bms_membership(varnos_of(level->root, (Node *) right)) == BMS_MULTIPLE ||
		!equals_constant(level->root, clause, left) ||
		!equals_constant(level->root, clause, right))
		return false;
	*a = *b = -1;
	return true;
}

/*
 * Adds a condition of WHERE or of an inner join to the level; false if a nest cannot
 * check it.
 */
static bool
add_level_condition(Level *level, Node *condition)
{
	Relids relids = varnos_of(level->root, condition);
	int o;
	int a;
	int b;

	if (bms_is_empty(relids))
	{
		/* a nest can have subplans only in its operands' scans */
		if (contain_subplans(condition))
			return false;
		level->gates = lappend(level->gates, condition);
		return true;
	}
	o = operand_of_relations(level, relids);
	/*
	 * a condition in WHERE on an optional operand also applies to rows that the scan does
	 * not return
	 */
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

/* Adds a condition of the left join of an optional operand, or one inside the operand. */
static bool
add_outer_condition(Level *level, Node *condition, int optional, bool inside)
{
	Relids relids = varnos_of(level->root, condition);
	int a;
	int b;
	int swap;

	/* the scan checks conditions inside the operand, also those without columns */
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
 * Gives the keys of optional operands their labels, when all other labels are known. A
 * key that is compared with two labels does not make these equal: then the result is
 * false.
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

/* Returns the operand that is the right side of a left join; -1 if it was removed. */
static int
only_operand(const Level *level, const Node *join)
{
	Relids relids = NULL;

	return inner_relations(join, &relids) ? operand_of_relations(level, relids) : -1;
}

/* Adds the conditions of a join; optional is the operand that it is inside of, or -1. */
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
		/* PostgreSQL has removed the join */
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
						  : !add_level_condition(level, lfirst(lc)))
			return false;
	}
	return true;
}

/* Examines a query level; NULL if it is not a join by equalities. */
static Level *
look_at_level(PlannerInfo *root)
{
	Level *level = palloc0(sizeof(Level));
	Relids relids = NULL;

	level->root = root;
	if (!find_join_operands(level, (Node *) root->parse->jointree) ||
		level->noperands == 0)
		return NULL;
	for (int o = 0; o < level->noperands; o++)
		relids = bms_add_members(relids, level->operands[o].rel->relids);
	if (!bms_equal(relids, root->all_baserels) || equal_constants(root))
		return NULL;
	find_level_columns(level);
	return add_conditions(level, (Node *) root->parse->jointree, -1) &&
				   make_outer_equal(level)
			   ? level
			   : NULL;
}

/*
 * The level that was examined last, so that it is not examined twice; forgotten when its
 * planner's memory is freed.
 */
static struct
{
	const PlannerInfo *root; /* NULL: nothing is remembered */
	const Level *level;      /* NULL: it is not such a join */
	MemoryContextCallback *forget;
} known = {NULL};

static void
forget_level(void *callback)
{
	if (known.forget == callback)
		known.root = NULL;
}

/* Returns a copy of a level, to whose columns the caller may give keys and labels. */
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
		/* a range can have only one label; with more, its integers are read as rows */
		if (nkeys != 1)
			operand->range = NIL;
	}
	return true;
}
