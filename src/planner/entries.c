/*-------------------------------------------------------------------------
 *
 * entries.c
 *	  Rows joined with the entries of a vector or of arrays in them.
 *
 *	  Entries
 *	  scan of x
 *
 * computes FROM x, einsum_unstack_scalar(x.value, fill), or FROM x,
 * einsum_entries('lists', fill, x.neighbours, x.weights), which PostgreSQL would run as a
 * nested loop over a function scan, with a tuplestore that has a row for each entry. A
 * call without columns of x is a scan of its own. The keys in a range, of
 * einsum_range_keys, are entries without values.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "executor/entries/entries.h"
#include "executor/integer_keys.h"
#include "optimizer/settings.h"
#include "planner/node_paths.h"
#include "planner/row_paths.h"
#include "planner/time_cost.h"
#include "type/entries.h"
#include "type/kernel_spec.h"

/* The members of a path's custom_private. */
enum
{
	PATH_PLAN,       /* List: custom_private of the plan */
	PATH_ARGUMENTS,  /* List: its custom_exprs */
	PATH_COLUMNS,    /* List: the expressions of the node's rows */
	PATH_CONDITIONS, /* List: what they must fulfil, if they are joined rows */
};

/* A function whose result is all rows of a relation. */
typedef struct EntriesRelation
{
	const RelOptInfo *rel;
	const FuncExpr *call;
	EntriesKind kind;
	int rank;
} EntriesRelation;

/*
 * Does the function in FROM return this many bigint, or of a stored layout date, and a
 * double precision behind them?
 */
static bool
has_entry_columns(const RangeTblFunction *function, int rank, bool stored)
{
	ListCell *lc;

	if (rank < 1 || rank > LAYOUT_MAX_RANK ||
		list_length(function->funccoltypes) != rank + 1)
		return false;
	foreach (lc, function->funccoltypes)
	{
		bool is_value = foreach_current_index(lc) == rank;

		if (is_value
				? lfirst_oid(lc) != FLOAT8OID
				: lfirst_oid(lc) != INT8OID && !(stored && lfirst_oid(lc) == DATEOID))
			return false;
	}
	/* the function compares the types of its result with those of the arrays */
	foreach (lc, stored ? NIL : ((const FuncExpr *) function->funcexpr)->args)
	{
		if (get_element_type(getBaseType(exprType(lfirst(lc)))) == DATEOID)
			return false;
	}
	return true;
}

/* Finds the call of which a relation has the rows; false for another relation. */
static bool
find_entries(PlannerInfo *root, const RelOptInfo *rel, EntriesRelation *entries)
{
	const RangeTblEntry *rte;
	const RangeTblFunction *function;
	const KernelSpec *spec;

	if (rel->reloptkind != RELOPT_BASEREL || rel->rtekind != RTE_FUNCTION)
		return false;
	rte = planner_rt_fetch(rel->relid, root);
	if (rte->funcordinality || list_length(rte->functions) != 1)
		return false;
	function = linitial_node(RangeTblFunction, rte->functions);
	entries->rel = rel;
	entries->call = (const FuncExpr *) function->funcexpr;
	if (!IsA(entries->call, FuncExpr) || entries->call->funcvariadic)
		return false;
	spec = kernel_spec(entries->call->funcid);
	if (spec == NULL)
		return false;
	entries->rank = function->funccolcount - 1;
	if (spec->form == FORM_UNSTACK && spec->scalar)
	{
		entries->kind = ENTRIES_OF_VECTOR;
		return list_length(entries->call->args) == 2;
	}
	if (spec->form == FORM_RANGE_KEYS)
	{
		entries->kind = ENTRIES_OF_RANGE;
		entries->rank = 1;
		return true;
	}
	entries->kind = spec->form == FORM_LAYOUT ? ENTRIES_OF_LAYOUT : ENTRIES_OF_STORED;
	return (spec->form == FORM_LAYOUT || spec->form == FORM_STORED_LAYOUT) &&
		   has_entry_columns(function, entries->rank, entries->kind == ENTRIES_OF_STORED);
}

/*
 * Returns the number, from 1, of the column of a path's rows that equals an expression; 0
 * for another expression.
 */
static int
column_of(const Path *path, const Node *expression)
{
	ListCell *lc;

	while (IsA(expression, RelabelType))
		expression = (const Node *) ((const RelabelType *) expression)->arg;
	foreach (lc, path->pathtarget->exprs)
		if (equal(lfirst(lc), expression))
			return foreach_current_index(lc) + 1;
	return 0;
}

/* Is an expression the same for all rows, and can the node compute it? */
static bool
is_constant(PlannerInfo *root, Node *expression)
{
	return bms_is_empty(pull_varnos(root, expression)) &&
		   !contain_volatile_functions(expression) && !contain_subplans(expression);
}

/*
 * Returns what the arguments of a call are, as the plan has them in custom_exprs, and
 * ENTRIES_ARGUMENTS; NIL if one is neither constant nor a column of the child. child:
 * NULL for none.
 */
static List *
find_arguments(PlannerInfo *root, const EntriesRelation *entries, const Path *child,
			   List **columns, List **types)
{
	int first = entries->kind == ENTRIES_OF_VECTOR || entries->kind == ENTRIES_OF_RANGE
					? 0
					: entries_first_row_argument(entries->kind == ENTRIES_OF_STORED);
	List *arguments = NIL;
	ListCell *lc;

	*columns = *types = NIL;
	foreach (lc, entries->call->args)
	{
		Node *argument = lfirst(lc);
		Oid type = exprType(argument);
		int column =
			child && foreach_current_index(lc) >= first ? column_of(child, argument) : 0;

		if (column > 0)
			argument = (Node *) makeNullConst(type, -1, InvalidOid);
		else if (!is_constant(root, argument))
			return NIL;
		arguments = lappend(arguments, argument);
		*columns = lappend_int(*columns, column);
		*types = lappend_oid(*types, type);
	}
	return arguments;
}

/*
 * Returns ENTRIES_COLUMNS for expressions; NIL if one of them is a column neither of the
 * child nor of the entries.
 */
static List *
entries_columns(const EntriesRelation *entries, const Path *child,
				const List *expressions)
{
	List *columns = NIL;
	ListCell *lc;

	foreach (lc, expressions)
	{
		const Var *var = lfirst(lc);
		int column = child ? column_of(child, (const Node *) var) : 0;

		if (column == 0 && IsA(var, Var) && var->varno == (int) entries->rel->relid &&
			var->varattno >= 1 && var->varattno <= entries->rank + 1)
			column = ENTRY_COLUMN(var->varattno - 1);
		if (column == 0)
			return NIL;
		columns = lappend_int(columns, column);
	}
	return columns;
}

Node *
only_element(Node *array)
{
	const ArrayExpr *elements = (const ArrayExpr *) array;
	const Const *constant = (const Const *) array;
	Oid type = get_element_type(exprType(array));
	ArrayType *values;
	int16 length;
	bool by_value;
	char align;

	if (IsA(array, ArrayExpr))
		return !elements->multidims && list_length(elements->elements) == 1
				   ? linitial(elements->elements)
				   : NULL;
	if (!IsA(array, Const) || constant->constisnull || !OidIsValid(type))
		return NULL;
	values = DatumGetArrayTypeP(constant->constvalue);
	if (ARR_NDIM(values) != 1 || ARR_DIMS(values)[0] != 1 || ARR_HASNULL(values))
		return NULL;
	get_typlenbyvalalign(type, &length, &by_value, &align);
	return (Node *) makeConst(type, -1, InvalidOid, length,
							  fetch_att(ARR_DATA_PTR(values), by_value, length), false,
							  by_value);
}

/*
 * Is an expression the first index, or a key that is the index and a first key, which is
 * added to it? *first_key becomes that key.
 */
static bool
is_first_index(const EntriesRelation *entries, const Node *expression, int64 *first_key)
{
	const OpExpr *sum = (const OpExpr *) expression;
	const Var *index = (const Var *) expression;
	Oid function = IsA(sum, OpExpr) ? get_opcode(sum->opno) : InvalidOid;

	*first_key = 0;
	if (function == F_INT84PL || function == F_INT8PL || function == F_DATE_PLI)
	{
		bool days = function == F_DATE_PLI;
		const Const *added = list_nth(sum->args, days ? 0 : 1);

		if (!IsA(added, Const) || added->constisnull)
			return false;
		*first_key = integer_key(added->constvalue, added->consttype);
		index = list_nth(sum->args, days ? 1 : 0);
		if (IsA(index, FuncExpr) && ((const FuncExpr *) index)->funcid == F_INT4_INT8)
			index = linitial(((const FuncExpr *) index)->args);
	}
	return IsA(index, Var) && index->varno == (int) entries->rel->relid &&
		   index->varattno == 1;
}

/*
 * Returns the expression that conditions say the first index equals, when *first_key is
 * added to it, if the node can compute it; or NULL.
 */
static Node *
find_first_index(PlannerInfo *root, const EntriesRelation *entries,
				 const List *conditions, int64 *first_key)
{
	ListCell *lc;

	foreach (lc, conditions)
	{
		const OpExpr *equality = lfirst(lc);
		const ScalarArrayOpExpr *member = lfirst(lc);

		if (IsA(member, ScalarArrayOpExpr) && member->useOr &&
			is_integer_equality(get_opcode(member->opno)) &&
			is_first_index(entries, linitial(member->args), first_key))
		{
			Node *only = only_element(lsecond(member->args));

			if (only && is_constant(root, only))
				return only;
		}
		if (!IsA(equality, OpExpr) || list_length(equality->args) != 2 ||
			!is_integer_equality(get_opcode(equality->opno)))
			continue;
		for (int side = 0; side < 2; side++)
		{
			Node *other = list_nth(equality->args, 1 - side);

			if (is_first_index(entries, list_nth(equality->args, side), first_key) &&
				is_constant(root, other))
				return other;
		}
	}
	return NULL;
}

/* Is an expression a column of a table that has no NULL? */
static bool
is_not_null(PlannerInfo *root, const Path *child, const Var *var)
{
	return IsA(var, Var) && child->parent->reloptkind == RELOPT_BASEREL &&
		   never_null(planner_rt_fetch(var->varno, root), var->varattno);
}

/* Are all columns of the child among the expressions of the node's rows without NULL? */
static bool
are_regular(PlannerInfo *root, const Path *child, const List *expressions,
			const List *columns)
{
	ListCell *lc;
	ListCell *lc2;

	forboth (lc, expressions, lc2, columns)
	{
		if (lfirst_int(lc2) > 0 && !is_not_null(root, child, lfirst(lc)))
			return false;
	}
	return true;
}

static Plan *
plan_entries(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
			 List *clauses, List *custom_plans)
{
	CustomScan *scan = row_scan(&entries_node, path, tlist, custom_plans,
								list_nth(path->custom_private, PATH_COLUMNS));

	/* a relation's own conditions, in PostgreSQL's order, or those of a join */
	scan->scan.plan.qual =
		custom_plans ? copyObject(list_nth(path->custom_private, PATH_CONDITIONS))
					 : extract_actual_clauses(clauses, false);
	scan->custom_exprs = copyObject(list_nth(path->custom_private, PATH_ARGUMENTS));
	scan->custom_private = copyObject(list_nth(path->custom_private, PATH_PLAN));
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "Entries",
	.PlanCustomPath = plan_entries,
};

/*
 * Returns a path that joins the rows of child, unless that is NULL, with their entries.
 * conditions: what the node's rows must fulfil. NULL if child lacks a column that is
 * needed.
 */
static CustomPath *
entries_path(PlannerInfo *root, RelOptInfo *rel, const EntriesRelation *entries,
			 Path *child, List *conditions)
{
	List *expressions =
		list_union(rel->reltarget->exprs,
				   pull_var_clause((Node *) conditions, PVC_INCLUDE_PLACEHOLDERS));
	List *columns = entries_columns(entries, child, expressions);
	List *argument_columns;
	List *types;
	List *arguments = find_arguments(root, entries, child, &argument_columns, &types);
	int64 first_key = 0;
	Node *first = find_first_index(root, entries, conditions, &first_key);
	bool regular;
	List *plan;
	CustomPath *path;
	QualCost condition_cost;
	QualCost argument_cost;
	double count;

	/* a node without columns would not know what to return */
	if (columns == NIL || arguments == NIL || (child && child->param_info))
		return NULL;
	regular = child == NULL || are_regular(root, child, expressions, columns);
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.rows = rel->rows;
	path->path.parallel_safe = rel->consider_parallel;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	if (child)
	{
		/* a partial path has a share of the rows */
		path->path.rows *= child->rows / child->parent->rows;
		path->path.parallel_safe &= child->parallel_safe;
		path->path.parallel_workers = child->parallel_workers;
		path->path.startup_cost = child->startup_cost;
		path->path.total_cost = child->total_cost;
		set_disabled_nodes(&path->path, disabled_nodes_of(child));
		path->custom_paths = list_make1(child);
	}
	if (first)
		arguments = lappend(arguments, first);
	/* other first indices are not read, or at least left out at once */
	count =
		(first ? entries->rel->rows : entries->rel->tuples) * (child ? child->rows : 1);
	cost_qual_eval(&condition_cost, conditions, root);
	cost_qual_eval(&argument_cost, arguments, root);
	path->path.startup_cost += condition_cost.startup + argument_cost.startup;
	path->path.total_cost += condition_cost.startup + argument_cost.startup +
							 argument_cost.per_tuple + condition_cost.per_tuple * count +
							 cost_of_time(count * entry_cost);
	plan = list_make5(makeInteger(entries->kind), list_make1_oid(entries->call->funcid),
					  makeInteger(entries->rank), argument_columns, types);
	plan = lappend(plan, columns);
	plan = lappend(plan, list_make1_oid(first ? exprType(first) : InvalidOid));
	plan = lappend(plan, makeInteger(regular));
	plan = lappend(plan, makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
								   Int64GetDatum(first_key), false, FLOAT8PASSBYVAL));
	path->custom_private = list_make4(plan, arguments, expressions, conditions);
	path->methods = &path_methods;
	return path;
}

/* Returns the path below subquery scans, and what a column of the rows is in it. */
static const Path *
below_subqueries(const Path *path, const Node **column)
{
	while (IsA(path, SubqueryScanPath))
	{
		int place = IsA(*column, Var) ? ((const Var *) *column)->varattno : 0;

		path = ((const SubqueryScanPath *) path)->subpath;
		if (place < 1 || place > list_length(path->pathtarget->exprs))
			return NULL;
		*column = list_nth(path->pathtarget->exprs, place - 1);
	}
	return path;
}

bool
is_key_in_range(const Path *path, const Node *column, double *keys)
{
	const CustomPath *entries = (const CustomPath *) below_subqueries(path, &column);
	const List *plan;
	ListCell *lc;
	ListCell *lc2;

	if (entries == NULL || !IsA(entries, CustomPath) ||
		entries->methods != &path_methods || entries->custom_paths == NIL)
		return false;
	plan = linitial(entries->custom_private);
	*keys = entries->path.rows /
			clamp_row_est(((const Path *) linitial(entries->custom_paths))->rows);
	forboth (lc, (List *) list_nth(entries->custom_private, PATH_COLUMNS), lc2,
			 (List *) list_nth(plan, ENTRIES_COLUMNS))
	{
		if (equal(lfirst(lc), column))
			return lfirst_int(lc2) == ENTRY_COLUMN(0) &&
				   intVal(list_nth(plan, ENTRIES_KIND)) == ENTRIES_OF_RANGE;
	}
	return false;
}

/* Are no rows locked or changed? The node cannot check rows again. */
static bool
only_reads(const PlannerInfo *root)
{
	CmdType command = root->parse->commandType;

	return root->parse->rowMarks == NIL &&
		   (command == CMD_SELECT || command == CMD_INSERT);
}

void
add_entries(PlannerInfo *root, RelOptInfo *rel)
{
	EntriesRelation entries;
	CustomPath *path;

	if (IS_DUMMY_REL(rel) || !bms_is_empty(rel->lateral_relids) || !only_reads(root) ||
		!find_entries(root, rel, &entries))
		return;
	path = entries_path(root, rel, &entries, NULL,
						extract_actual_clauses(rel->baserestrictinfo, false));
	if (path)
		add_path(rel, &path->path);
}

/* Orders conditions as PostgreSQL does: by level of security, then by cost. */
static int
compare_conditions(const ListCell *a, const ListCell *b)
{
	const RestrictInfo *left = lfirst_node(RestrictInfo, a);
	const RestrictInfo *right = lfirst_node(RestrictInfo, b);

	if (left->security_level != right->security_level)
		return left->security_level < right->security_level ? -1 : 1;
	return (left->eval_cost.per_tuple > right->eval_cost.per_tuple) -
		   (left->eval_cost.per_tuple < right->eval_cost.per_tuple);
}

/*
 * Sets *conditions to those of the entries and of the join; false if there is one that
 * the node cannot check.
 */
static bool
find_conditions(PlannerInfo *root, const RelOptInfo *entries, const List *join,
				List **conditions)
{
	List *all = list_concat_copy(entries->baserestrictinfo, join);
	ListCell *lc;

	foreach (lc, all)
	{
		RestrictInfo *condition = lfirst_node(RestrictInfo, lc);
		QualCost cost;

		if (condition->pseudoconstant || contain_subplans((Node *) condition->clause))
			return false;
		/* kept in the condition, for their order */
		cost_qual_eval_node(&cost, (Node *) condition, root);
	}
	list_sort(all, compare_conditions);
	*conditions = extract_actual_clauses(all, false);
	return true;
}

void
add_joined_entries(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer,
				   RelOptInfo *inner, JoinType jointype, const JoinPathExtraData *extra)
{
	EntriesRelation entries;
	List *conditions;
	CustomPath *path;

	if (has_aggregated_rows(joinrel) || bms_is_empty(inner->lateral_relids) ||
		jointype != JOIN_INNER || !only_reads(root) ||
		!bms_is_subset(inner->lateral_relids, outer->relids) ||
		!bms_is_empty(joinrel->lateral_relids) || !find_entries(root, inner, &entries) ||
		!find_conditions(root, inner, extra->restrictlist, &conditions))
		return;
	path = outer->cheapest_total_path
			   ? entries_path(root, joinrel, &entries, outer->cheapest_total_path,
							  conditions)
			   : NULL;
	if (path)
		add_path(joinrel, &path->path);
	if (!joinrel->consider_parallel || outer->partial_pathlist == NIL)
		return;
	path = entries_path(root, joinrel, &entries, linitial(outer->partial_pathlist),
						conditions);
	if (path)
		add_partial_path(joinrel, &path->path);
}
