/*-------------------------------------------------------------------------
 *
 * range_lookup.c
 *	  A condition on a key in a range, as one on the range, which an index serves.
 *
 * In FROM price AS r, einsum_range_keys(r.valid, ...) AS e(day), which a view has, a
 * condition e.day = '2024-02-01' leaves rows out whose keys have been made. So r gets the
 * condition r.valid @> '2024-02-01', before PostgreSQL makes paths of it; and of e.day >=
 * '2024-02-01' the condition r.valid && '[2024-02-01,)'.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "parser/parse_coerce.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "executor/integer_keys.h"
#include "planner/node_paths.h"
#include "type/kernel_spec.h"
#include "type/key_range.h"

/* Is an expression, below casts, a column of a function's rows? */
static bool
is_key_of(const Node *expression, Index relid)
{
	const FuncExpr *cast = (const FuncExpr *) expression;
	const Var *var;

	if (IsA(cast, FuncExpr) &&
		(cast->funcid == F_INT4_INT8 || cast->funcid == F_INT8_INT4))
		expression = linitial(cast->args);
	var = (const Var *) expression;
	return IsA(var, Var) && var->varno == (int) relid && var->varattno == 1 &&
		   var->varlevelsup == 0;
}

/*
 * Is an expression a key of a function's rows, or less by a constant, *offset, as the key
 * of a shifted tensor is?
 */
static bool
is_shifted_key(const Node *expression, Index relid, int64 *offset)
{
	const FuncExpr *cast = (const FuncExpr *) expression;
	const OpExpr *difference;
	const Const *constant;
	Oid function;

	*offset = 0;
	if (is_key_of(expression, relid))
		return true;
	if (IsA(cast, FuncExpr) && cast->funcid == F_INT4_INT8)
		expression = linitial(cast->args);
	difference = (const OpExpr *) expression;
	if (!IsA(difference, OpExpr))
		return false;
	function = get_opcode(difference->opno);
	if ((function != F_INT48MI && function != F_INT8MI) ||
		!is_key_of(linitial(difference->args), relid))
		return false;
	constant = lsecond(difference->args);
	if (!IsA(constant, Const) || constant->constisnull ||
		!has_integer_keys(constant->consttype))
		return false;
	*offset = integer_key(constant->constvalue, constant->consttype);
	return true;
}

/* Returns a key as an expression of the type that ranges have; NULL if that cannot be. */
static Node *
key_in_range(Node *key, int64 offset, Oid type)
{
	const Const *constant = (const Const *) key;
	int64 moved;

	if (!IsA(constant, Const))
		return offset == 0
				   ? coerce_to_target_type(NULL, key, exprType(key), type, -1,
										   COERCION_IMPLICIT, COERCE_IMPLICIT_CAST, -1)
				   : NULL;
	if (constant->constisnull || !has_integer_keys(constant->consttype) ||
		(constant->consttype == DATEOID) != (type == DATEOID) ||
		pg_add_s64_overflow(integer_key(constant->constvalue, constant->consttype),
							offset, &moved) ||
		(type != INT8OID && moved != (int32) moved))
		return NULL;
	return (Node *) makeConst(type, -1, InvalidOid, get_typlen(type),
							  integer_datum(moved, type), false, get_typbyval(type));
}

/* Is an expression the same for all rows? */
static bool
is_given(PlannerInfo *root, Node *expression)
{
	return bms_is_empty(pull_varnos(root, expression)) &&
		   !contain_volatile_functions(expression) && !contain_subplans(expression);
}

/* Has a key one behind it? The ends of ranges become those that are not in them. */
static bool
has_successor(const Const *key)
{
	int64 number = integer_key(key->constvalue, key->consttype);

	switch (key->consttype)
	{
		case DATEOID:
			return number > DATEVAL_NOBEGIN &&
				   number < DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1;
		case INT4OID:
			return number < PG_INT32_MAX;
		default:
			return number < PG_INT64_MAX;
	}
}

/*
 * Returns the range of all keys from, or up to, a constant, which a condition asks of a
 * function's rows, as a constant of this type; NULL for another condition. Not of the keys
 * of a shifted tensor: conditions on them are also made where rows have to be checked.
 */
static Node *
half_asked_for(const RestrictInfo *condition, Index relid, Oid range, Oid type)
{
	const OpExpr *comparison = (const OpExpr *) condition->clause;
	Oid compared;
	int side;
	Node *key;
	Oid output;
	Oid input;
	Oid parameter;
	bool varlena;
	char *text;

	if (!IsA(comparison, OpExpr) || list_length(comparison->args) != 2)
		return NULL;
	side = is_key_of(linitial(comparison->args), relid) ? 0 : 1;
	key = list_nth(comparison->args, 1 - side);
	if (!is_key_of(list_nth(comparison->args, side), relid) || !IsA(key, Const))
		return NULL;
	compared = side == 0 ? comparison->opno : get_commutator(comparison->opno);
	key = key_in_range(key, 0, type);
	if (key == NULL || !OidIsValid(compared) || !has_successor((const Const *) key))
		return NULL;
	getTypeOutputInfo(type, &output, &varlena);
	text = OidOutputFunctionCall(output, ((const Const *) key)->constvalue);
	switch (get_op_opfamily_strategy(
		compared, lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf))
	{
		case BTLessStrategyNumber:
			text = psprintf("(,%s)", text);
			break;
		case BTLessEqualStrategyNumber:
			text = psprintf("(,%s]", text);
			break;
		case BTGreaterEqualStrategyNumber:
			text = psprintf("[%s,)", text);
			break;
		case BTGreaterStrategyNumber:
			text = psprintf("(%s,)", text);
			break;
		default:
			return NULL;
	}
	getTypeInputInfo(range, &input, &parameter);
	return (Node *) makeConst(range, -1, InvalidOid, -1,
							  OidInputFunctionCall(input, text, parameter, -1), false,
							  false);
}

/*
 * Returns the key that a condition asks of a function's rows, in the type of keys in
 * ranges; NULL for another condition.
 */
static Node *
key_asked_for(PlannerInfo *root, const RestrictInfo *condition, Index relid, Oid type)
{
	const OpExpr *equality = (const OpExpr *) condition->clause;
	const ScalarArrayOpExpr *member = (const ScalarArrayOpExpr *) condition->clause;

	if (IsA(member, ScalarArrayOpExpr) && member->useOr &&
		is_integer_equality(get_opcode(member->opno)))
	{
		Node *only = only_element(lsecond(member->args));
		int64 offset;

		return only && is_shifted_key(linitial(member->args), relid, &offset) &&
					   is_given(root, only)
				   ? key_in_range(only, offset, type)
				   : NULL;
	}
	if (!IsA(equality, OpExpr) || list_length(equality->args) != 2 ||
		!is_integer_equality(get_opcode(equality->opno)))
		return NULL;
	for (int side = 0; side < 2; side++)
	{
		Node *key = list_nth(equality->args, 1 - side);
		int64 offset;

		if (is_shifted_key(list_nth(equality->args, side), relid, &offset) &&
			is_given(root, key))
			return key_in_range(key, offset, type);
	}
	return NULL;
}

/* Are two relations on the same sides of all outer joins? */
static bool
joined_by_inner(const PlannerInfo *root, Index one, Index other)
{
	ListCell *lc;

	foreach (lc, root->join_info_list)
	{
		const SpecialJoinInfo *join = lfirst(lc);

		if (bms_is_member(one, join->syn_righthand) !=
				bms_is_member(other, join->syn_righthand) ||
			bms_is_member(one, join->syn_lefthand) !=
				bms_is_member(other, join->syn_lefthand))
			return false;
	}
	return true;
}

/*
 * Returns the column of a relation whose ranges' keys another relation has, as a function
 * in FROM; NULL for another relation.
 */
static const Var *
ranges_of_keys(PlannerInfo *root, const RelOptInfo *keys, Index relid)
{
	const RangeTblEntry *rte;
	const FuncExpr *call;
	const Var *range;

	if (keys == NULL || keys->reloptkind != RELOPT_BASEREL ||
		keys->rtekind != RTE_FUNCTION || !bms_is_member(relid, keys->lateral_relids) ||
		keys->baserestrictinfo == NIL)
		return NULL;
	rte = planner_rt_fetch(keys->relid, root);
	if (rte->funcordinality || list_length(rte->functions) != 1)
		return NULL;
	call = (const FuncExpr *) linitial_node(RangeTblFunction, rte->functions)->funcexpr;
	if (!IsA(call, FuncExpr) || !function_has_form(call->funcid, FORM_RANGE_KEYS))
		return NULL;
	range = linitial(call->args);
	if (!IsA(range, Var) || range->varno != (int) relid || range->varlevelsup != 0 ||
		!joined_by_inner(root, relid, keys->relid))
		return NULL;
	return range;
}

/* Returns the conditions that ranges have keys which conditions on these ask for. */
static List *
conditions_on_ranges(PlannerInfo *root, const RelOptInfo *keys, const Var *range)
{
	Oid type = range_key_type(getBaseType(range->vartype));
	List *conditions = NIL;
	ListCell *lc;

	foreach (lc, OidIsValid(type) ? keys->baserestrictinfo : NIL)
	{
		const RestrictInfo *asked = lfirst(lc);
		Node *key = key_asked_for(root, asked, keys->relid, type);
		Node *half =
			key ? NULL
				: half_asked_for(asked, keys->relid, getBaseType(range->vartype), type);
		OpExpr *contains;
		RestrictInfo *condition;

		if (key == NULL && half == NULL)
			continue;
		contains = (OpExpr *) make_opclause(
			key ? OID_RANGE_CONTAINS_ELEM_OP : OID_RANGE_OVERLAP_OP, BOOLOID, false,
			(Expr *) copyObject(range), (Expr *) (key ? key : half), InvalidOid,
			InvalidOid);
		set_opfuncid(contains);
		condition = make_simple_restrictinfo(root, (Expr *) contains);
		condition->security_level = asked->security_level;
		conditions = lappend(conditions, condition);
	}
	return conditions;
}

/* Makes the paths of a table again, with more conditions. */
static void
make_paths_again(PlannerInfo *root, RelOptInfo *rel, List *conditions)
{
	Relids outer = rel->lateral_relids;
	ListCell *lc;

	/* stores a new list of conditions, since indexes may share the old one */
	rel->baserestrictinfo = list_concat_copy(rel->baserestrictinfo, conditions);
	rel->pathlist = rel->partial_pathlist = NIL;
	foreach (lc, conditions)
	{
		/* workers have no parameter of an outer query, and run no restricted function */
		if (!is_parallel_safe(root, (Node *) lfirst_node(RestrictInfo, lc)->clause))
			rel->consider_parallel = false;
		rel->baserestrict_min_security =
			Min(rel->baserestrict_min_security,
				lfirst_node(RestrictInfo, lc)->security_level);
	}
	check_index_predicates(root, rel);
	set_baserel_size_estimates(root, rel);
	add_path(rel, create_seqscan_path(root, rel, outer, 0));
	if (rel->consider_parallel && outer == NULL)
	{
		int workers =
			compute_parallel_worker(rel, rel->pages, -1, max_parallel_workers_per_gather);

		if (workers > 0)
			add_partial_path(rel, create_seqscan_path(root, rel, NULL, workers));
	}
	create_index_paths(root, rel);
	create_tidscan_paths(root, rel);
}

void
look_up_ranges(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *rte)
{
	List *conditions = NIL;

	if (rte->relkind != RELKIND_RELATION || rte->inh || rte->tablesample ||
		rel->reloptkind != RELOPT_BASEREL || IS_DUMMY_REL(rel))
		return;
	for (int relid = 1; relid < root->simple_rel_array_size; relid++)
	{
		const Var *range =
			ranges_of_keys(root, root->simple_rel_array[relid], rel->relid);

		if (range)
			conditions = list_concat(
				conditions,
				conditions_on_ranges(root, root->simple_rel_array[relid], range));
	}
	if (conditions)
		make_paths_again(root, rel, conditions);
}
