/*-------------------------------------------------------------------------
 *
 * scan_support.c
 *	  Planner support functions for the conditions that generated SQL puts on every
 *	  row that it reads.
 *
 * A view may be older than the constraints of the tables that it reads, and a restored
 * view does not depend on the constraints with which it was made. So its text assumes no
 * constraint: it tests each key and the shape of each value, and states that it takes the
 * keys to be unique. These support functions read the constraints whenever a query is
 * planned, and remove the conditions that they prove. A change of the table's constraints
 * invalidates the plan. Conditions that are not proved are evaluated: keys and values are
 * tested, and keys that nothing proves unique any more are an error.
 *
 * The planner would assume that a function in WHERE keeps a third of the rows; it is told
 * that these keep all.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/dimension.h"
#include "catalog/origin.h"
#include "catalog/shape_proof.h"
#include "catalog/unique_proof.h"
#include "recursion.h"
#include "type/key_range.h"
#include "type/tensor.h"

PG_FUNCTION_INFO_V1(einsum_key_support);
PG_FUNCTION_INFO_V1(einsum_value_support);
PG_FUNCTION_INFO_V1(einsum_unique_support);
PG_FUNCTION_INFO_V1(einsum_dimension_support);
PG_FUNCTION_INFO_V1(einsum_key_in_dimension);
PG_FUNCTION_INFO_V1(einsum_keys_unique);
PG_FUNCTION_INFO_V1(einsum_ordered_support);
PG_FUNCTION_INFO_V1(einsum_keys_ordered);

/* Returns the column of a table of this query that an argument is, or NULL. */
static Var *
table_column(PlannerInfo *root, Node *argument, Oid *relid)
{
	Var *column;
	RangeTblEntry *entry;

	while (argument && IsA(argument, RelabelType))
		argument = (Node *) ((RelabelType *) argument)->arg;
	if (root == NULL || argument == NULL || !IsA(argument, Var))
		return NULL;
	column = (Var *) argument;
	if (column->varlevelsup != 0 || column->varattno <= 0 || column->varno <= 0 ||
		column->varno > list_length(root->parse->rtable))
		return NULL;
	entry = rt_fetch(column->varno, root->parse->rtable);
	if (entry->rtekind != RTE_RELATION || (entry->relkind != RELKIND_RELATION &&
										   entry->relkind != RELKIND_PARTITIONED_TABLE &&
										   entry->relkind != RELKIND_MATVIEW))
		return NULL;
	*relid = entry->relid;
	return column;
}

static void
set_key(StorageDimension *dimension, const Var *column, int64 bound)
{
	dimension->kind = DIMENSION_PROMOTED;
	dimension->bound = bound;
	dimension->attno = column->varattno;
	dimension->key_type = column->vartype;
	if (OidIsValid(range_key_type(getBaseType(column->vartype))))
		dimension->range_type = column->vartype;
}

/*
 * Answers a request for selectivity: a condition keeps every row, since other rows are
 * errors.
 */
static Node *
keeps_all_rows(Node *request)
{
	if (!IsA(request, SupportRequestSelectivity))
		return NULL;
	((SupportRequestSelectivity *) request)->selectivity = 1.0;
	return request;
}

/*
 * Is an item in this part of a FROM list? Sets *nulls if an outer join in it adds NULLs
 * to the item's columns.
 */
static bool
reads_item(Node *from, int varno, bool *nulls)
{
	ListCell *lc;

	enter_recursion();
	if (IsA(from, RangeTblRef))
		return ((RangeTblRef *) from)->rtindex == varno;
	if (IsA(from, JoinExpr))
	{
		JoinExpr *join = (JoinExpr *) from;

		if (reads_item(join->larg, varno, nulls))
		{
			*nulls |= join->jointype == JOIN_RIGHT || join->jointype == JOIN_FULL;
			return true;
		}
		if (reads_item(join->rarg, varno, nulls))
		{
			*nulls |= join->jointype == JOIN_LEFT || join->jointype == JOIN_FULL;
			return true;
		}
		return false;
	}
	foreach (lc, ((FromExpr *) from)->fromlist)
	{
		if (reads_item(lfirst(lc), varno, nulls))
			return true;
	}
	return false;
}

/*
 * Returns an expression equal to a strict function that is true for all values of a
 * column: NULL for NULL, which a CHECK permits, else true. WHERE takes NULL for false,
 * and the planner simplifies the expression to IS NOT NULL there. If there is an outer
 * join, the function may be evaluated below or above it, so NULLs are expected.
 */
static Node *
true_unless_null(PlannerInfo *root, Relation relation, Var *column)
{
	bool nulls = !has_no_null(relation, column->varattno);
	NullTest *test;

	(void) reads_item((Node *) root->parse->jointree, column->varno, &nulls);
	if (!nulls)
		return makeBoolConst(true, false);
	test = makeNode(NullTest);
	test->arg = (Expr *) column;
	test->nulltesttype = IS_NOT_NULL;
	test->location = -1;
	return (Node *) makeBoolExpr(OR_EXPR, list_make2(test, makeBoolConst(false, true)),
								 -1);
}

/* Reads the bound of a call of einsum_key_in_range; false if it is not constant. */
static bool
constant_bound(const List *arguments, int64 *bound)
{
	int64 numbers[2] = {0, 0};
	int count = list_length(arguments) - 3;
	bool days = exprType(linitial(arguments)) == DATEOID;

	for (int n = 0; n < count; n++)
	{
		const Const *number = list_nth(arguments, n + 1);

		if (!IsA(number, Const) || number->constisnull)
			return false;
		numbers[n] = days ? DatumGetDateADT(number->constvalue)
						  : DatumGetInt64(number->constvalue);
	}
	if (days)
		return bound_of_days((DateADT) numbers[0], (DateADT) numbers[1], bound);
	if (count == 2)
		return bound_of_keys(numbers[0], numbers[1], bound);
	*bound = numbers[0];
	return *bound >= 0;
}

/*
 * Support function: einsum_key_in_range(key, bound, ...) is true if CHECK constraints
 * prove it, except for NULL keys, which a CHECK permits and the strict function filters
 * out.
 */
Datum
einsum_key_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestSimplify *simplify;
	Storage storage = {0};
	Relation relation;
	int64 bound;
	Var *column;
	Oid relid;
	Node *result = NULL;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(keeps_all_rows(request));
	simplify = (SupportRequestSimplify *) request;
	column = table_column(simplify->root, linitial(simplify->fcall->args), &relid);
	if (column == NULL || !constant_bound(simplify->fcall->args, &bound))
		PG_RETURN_POINTER(NULL);
	storage.relid = relid;
	storage.rank = 1;
	set_key(&storage.dimensions[0], column, bound);

	/* the query holds the lock */
	relation = relation_open(relid, NoLock);
	find_range_proofs(&storage, relation);
	if (storage.dimensions[0].range_proved)
		result = true_unless_null(simplify->root, relation, column);
	relation_close(relation, NoLock);
	PG_RETURN_POINTER(result);
}

/* Does a declaration prove what einsum_value_has_shape(value, ...) would test? */
static bool
value_proved(Relation relation, AttrNumber attno, List *args)
{
	ElementType type = ELEMENT_FLOAT8;
	ShapeProof proof;
	int32 bounds[TENSOR_MAX_RANK];
	int rank;

	if (!constant_shape(lsecond(args), &rank, bounds))
		return false;
	if (list_length(args) > 3)
	{
		const char *name = constant_text(lfourth(args));

		if (name == NULL || !element_type_by_name(name, &type))
			return false;
	}
	find_shape_proof(relation, attno, &proof);
	return proof.type == type && proof.rank == rank &&
		   memcmp(proof.bounds, bounds, sizeof(int32) * rank) == 0;
}

/*
 * Support function: einsum_value_has_shape(value, shape, ...) is true if the column's
 * declaration proves it, except for NULLs.
 */
Datum
einsum_value_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestSimplify *simplify;
	Relation relation;
	Node *result = NULL;
	Var *column;
	Oid relid;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(keeps_all_rows(request));
	simplify = (SupportRequestSimplify *) request;
	column = table_column(simplify->root, linitial(simplify->fcall->args), &relid);
	if (column == NULL)
		PG_RETURN_POINTER(NULL);
	relation = relation_open(relid, NoLock);
	if (value_proved(relation, column->varattno, simplify->fcall->args))
		result = true_unless_null(simplify->root, relation, column);
	relation_close(relation, NoLock);
	PG_RETURN_POINTER(result);
}

/*
 * Finds the table and column in which "EXISTS (SELECT FROM table WHERE column = key)"
 * looks a key up. False for other expressions, and for a table some of whose rows
 * row-level security hides.
 */
static bool
looked_up(Node *node, Oid *relid, AttrNumber *attno)
{
	Query *query;
	RangeTblEntry *entry;
	OpExpr *equality;
	ListCell *lc;

	if (!IsA(node, SubLink) || ((SubLink *) node)->subLinkType != EXISTS_SUBLINK)
		return false;
	query = castNode(Query, ((SubLink *) node)->subselect);
	if (list_length(query->rtable) != 1 || query->jointree->quals == NULL ||
		!IsA(query->jointree->quals, OpExpr))
		return false;
	entry = linitial_node(RangeTblEntry, query->rtable);
	equality = castNode(OpExpr, query->jointree->quals);
	if (entry->rtekind != RTE_RELATION || entry->securityQuals != NIL)
		return false;
	foreach (lc, equality->args)
	{
		node = lfirst(lc);
		while (IsA(node, RelabelType))
			node = (Node *) ((RelabelType *) node)->arg;
		if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		{
			*relid = entry->relid;
			*attno = ((Var *) node)->varattno;
			return true;
		}
	}
	return false;
}

/*
 * Support function: einsum_key_in_dimension(key, EXISTS (...), ...) is true if a foreign
 * key proves it, except for NULLs.
 */
Datum
einsum_dimension_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestSimplify *simplify;
	Relation relation;
	Node *result = NULL;
	AttrNumber key;
	Var *column;
	Oid dimension;
	Oid relid;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(keeps_all_rows(request));
	simplify = (SupportRequestSimplify *) request;
	column = table_column(simplify->root, linitial(simplify->fcall->args), &relid);
	if (column == NULL || !looked_up(lsecond(simplify->fcall->args), &dimension, &key))
		PG_RETURN_POINTER(NULL);
	relation = relation_open(relid, NoLock);
	if (key_is_in_dimension(relation, column->varattno, dimension, key))
		result = true_unless_null(simplify->root, relation, column);
	relation_close(relation, NoLock);
	PG_RETURN_POINTER(result);
}

/*
 * einsum_key_in_dimension(key "any", found boolean, tensor text, label text, dimension
 * text): true if the key was found. Errors: 22003 if not.
 */
Datum
einsum_key_in_dimension(PG_FUNCTION_ARGS)
{
	Oid output;
	bool is_varlena;

	if (PG_GETARG_BOOL(1))
		PG_RETURN_BOOL(true);
	getTypeOutputInfo(get_fn_expr_argtype(fcinfo->flinfo, 0), &output, &is_varlena);
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("key %s of tensor \"%s\" is not in the dimension of label \"%s\"",
					OidOutputFunctionCall(output, PG_GETARG_DATUM(0)),
					text_to_cstring(PG_GETARG_TEXT_PP(2)),
					text_to_cstring(PG_GETARG_TEXT_PP(3))),
			 errdetail("The label's index set is the keys of dimension \"%s\".",
					   text_to_cstring(PG_GETARG_TEXT_PP(4))),
			 errhint("Correct the row, or add the key to the dimension's table; a "
					 "foreign key keeps others out.")));
}

/*
 * Is the item a child or partition of one that the query reads? The planner simplifies
 * conditions on the parent again for each.
 */
static bool
is_child(PlannerInfo *root, int varno)
{
	AppendRelInfo *parent;

	if (root->append_rel_array == NULL || varno >= root->simple_rel_array_size)
		return false;
	parent = root->append_rel_array[varno];
	/* members of UNION ALL have a parent, too, but it is no relation */
	return parent != NULL &&
		   rt_fetch(parent->parent_relid, root->parse->rtable)->rtekind == RTE_RELATION;
}

/*
 * Support function: einsum_keys_unique(tensor, key, ...) is true if a unique index of the
 * relation that the query reads proves it. An index of a child does not count: the same
 * key may be in another child.
 */
Datum
einsum_unique_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestSimplify *simplify;
	Storage storage = {0};
	Relation relation;
	ListCell *lc;
	int varno = 0;
	Oid relid;
	bool unique;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(keeps_all_rows(request));
	simplify = (SupportRequestSimplify *) request;
	for_each_from (lc, simplify->fcall->args, 1)
	{
		Var *column = table_column(simplify->root, lfirst(lc), &relid);

		if (column == NULL || storage.rank == TENSOR_MAX_RANK ||
			(storage.rank > 0 && column->varno != varno))
			PG_RETURN_POINTER(NULL);
		varno = column->varno;
		set_key(&storage.dimensions[storage.rank++], column, BOUND_OPEN);
	}
	if (storage.rank == 0 || is_child(simplify->root, varno))
		PG_RETURN_POINTER(NULL);
	storage.relid = relid;
	relation = relation_open(relid, NoLock);
	unique = present_keys_are_unique(&storage, relation);
	relation_close(relation, NoLock);
	PG_RETURN_POINTER(unique ? makeBoolConst(true, false) : NULL);
}

/*
 * einsum_keys_unique(tensor text, VARIADIC "any"): only evaluated if nothing proves that
 * the keys are unique. Errors: 55000, always.
 */
Datum
einsum_keys_unique(PG_FUNCTION_ARGS)
{
	char *tensor = text_to_cstring(PG_GETARG_TEXT_PP(0));

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("nothing proves any more that the keys of tensor \"%s\" are unique",
					tensor),
			 errdetail("This SQL was generated when a constraint or index of the table "
					   "did."),
			 errhint("Add the primary key or unique constraint again, or register the "
					 "tensor with duplicates => 'sum', which adds up rows that have the "
					 "same keys, and make the program anew.")));
}

/*
 * Support function: einsum_keys_ordered(tensor, one, other) is true if CHECK constraints
 * of the relation that the query reads prove that one of the columns is nowhere larger
 * than the other.
 */
Datum
einsum_ordered_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestSimplify *simplify;
	Relation relation;
	Var *columns[2];
	Oid relid;
	bool ordered;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(keeps_all_rows(request));
	simplify = (SupportRequestSimplify *) request;
	for (int c = 0; c < 2; c++)
	{
		columns[c] =
			table_column(simplify->root, list_nth(simplify->fcall->args, c + 1), &relid);
		if (columns[c] == NULL || columns[c]->varno != columns[0]->varno)
			PG_RETURN_POINTER(NULL);
	}
	if (is_child(simplify->root, columns[0]->varno))
		PG_RETURN_POINTER(NULL);
	relation = relation_open(relid, NoLock);
	ordered = columns_are_ordered(relation, columns[0]->varattno, columns[1]->varattno);
	relation_close(relation, NoLock);
	PG_RETURN_POINTER(ordered ? makeBoolConst(true, false) : NULL);
}

/*
 * einsum_keys_ordered(tensor text, one "any", other "any"): only evaluated if nothing
 * proves that one key is nowhere larger than the other. Errors: 55000, always.
 */
Datum
einsum_keys_ordered(PG_FUNCTION_ARGS)
{
	char *tensor = text_to_cstring(PG_GETARG_TEXT_PP(0));

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("nothing proves any more that the entries of the symmetric tensor "
					"\"%s\" are unique",
					tensor),
			 errdetail("This SQL was generated when a CHECK constraint of the table kept "
					   "its keys on one side of the diagonal."),
			 errhint("Add the constraint again, or register the tensor with duplicates "
					 "=> 'sum', and make the program anew.")));
}
