/*-------------------------------------------------------------------------
 *
 * shape_proof.c
 *	  What the declaration of a column proves about the tensors in it.
 *
 * CHECK (tensor_shape(v) = '{3}') tells the shape of the values. The type tensor(float8),
 * which converts what is stored, tells their element type; so does CHECK (tensor_type(v)
 * = 'float8'). The constraint itself is looked for, not only whether it implies a given
 * shape, because an estimate of the size of a value has no given shape.
 *
 * A CHECK permits NULL, so nothing is proved about NULLs. A CHECK of a domain is no
 * proof: plans are not invalidated when it is dropped.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/origin.h"
#include "catalog/shape_proof.h"
#include "catalog/unique_proof.h"
#include "kernels/function_type.h"
#include "type/extension.h"
#include "type/tensor.h"
#include "type/tensor_text.h"

char *
shape_condition(const Storage *storage, const char *column)
{
	StringInfoData shape;

	initStringInfo(&shape);
	for (int i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		int64 extent = bound_size(dimension->bound);

		if (dimension->kind == DIMENSION_PROMOTED)
			continue;
		if (bound_is_dimension(extent))
			return NULL;
		if (dimension->kind == DIMENSION_BLOCKED)
		{
			if (extent % dimension->block != 0)
				return NULL;
			extent = dimension->block;
		}
		appendStringInfo(&shape, "%s" INT64_FORMAT, shape.len ? "," : "", extent);
	}
	return psprintf("%s(%s) OPERATOR(pg_catalog.=) '{%s}'::pg_catalog.int4[]",
					extension_function("tensor_shape"), column, shape.data);
}

char *
type_condition(const Storage *storage, const char *column)
{
	return psprintf("%s(%s) OPERATOR(pg_catalog.=) '%s'::pg_catalog.text",
					extension_function("tensor_type"), column,
					element_type_name(storage->element_type));
}

bool
constant_shape(const Node *node, int *rank, int32 *bounds)
{
	const Const *constant = (const Const *) node;
	ArrayType *array;

	if (node == NULL || !IsA(node, Const) || constant->constisnull ||
		constant->consttype != INT4ARRAYOID)
		return false;
	array = DatumGetArrayTypeP(constant->constvalue);
	if (ARR_NDIM(array) > 1 || ARR_HASNULL(array))
		return false;
	*rank = ARR_NDIM(array) == 0 ? 0 : ARR_DIMS(array)[0];
	if (*rank > TENSOR_MAX_RANK || (*rank > 0 && ARR_LBOUND(array)[0] != 1))
		return false;
	memcpy(bounds, ARR_DATA_PTR(array), sizeof(int32) * *rank);
	return true;
}

const char *
constant_text(const Node *node)
{
	const Const *constant = (const Const *) node;

	if (node == NULL || !IsA(node, Const) || constant->constisnull ||
		constant->consttype != TEXTOID)
		return NULL;
	return TextDatumGetCString(constant->constvalue);
}

/*
 * Returns the name of the function of this extension that an expression applies to a
 * column, or NULL.
 */
static const char *
function_of_column(const Node *node, AttrNumber attno)
{
	const FuncExpr *call = (const FuncExpr *) node;
	Node *argument;

	if (!IsA(node, FuncExpr) || list_length(call->args) != 1)
		return NULL;
	argument = linitial(call->args);
	if (exprType(argument) != tensor_type_oid())
		return NULL;
	/* of a column whose type is a domain */
	while (IsA(argument, RelabelType))
		argument = (Node *) ((RelabelType *) argument)->arg;
	if (!IsA(argument, Var) || ((Var *) argument)->varattno != attno)
		return NULL;
	return extension_function_name(call->funcid);
}

/*
 * Reads the shape or type of a column's values from a CHECK that compares it with a
 * constant.
 */
static void
read_check(Node *check, AttrNumber attno, ShapeProof *proof)
{
	OpExpr *comparison = (OpExpr *) check;
	Node *left;
	Node *right;
	const char *name;

	if (!IsA(check, OpExpr) ||
		(comparison->opno != ARRAY_EQ_OP && comparison->opno != TextEqualOperator))
		return;
	left = linitial(comparison->args);
	right = lsecond(comparison->args);
	if (IsA(left, Const))
	{
		left = right;
		right = linitial(comparison->args);
	}
	name = function_of_column(left, attno);
	if (name == NULL)
		return;
	if (strcmp(name, "tensor_shape") == 0)
	{
		int32 bounds[TENSOR_MAX_RANK];
		int rank;

		if (!constant_shape(right, &rank, bounds))
			return;
		proof->rank = rank;
		memcpy(proof->bounds, bounds, sizeof(int32) * rank);
	}
	else if (strcmp(name, "tensor_type") == 0)
	{
		const char *text = constant_text(right);
		ElementType type;

		/* under other collations, different names may be equal */
		if (text && get_collation_isdeterministic(comparison->inputcollid) &&
			element_type_by_name(text, &type))
			proof->type = type;
	}
}

void
find_shape_proof(Relation relation, AttrNumber attno, ShapeProof *proof)
{
	Form_pg_attribute column = TupleDescAttr(RelationGetDescr(relation), attno - 1);
	int32 typmod = column->atttypmod;
	ListCell *lc;

	proof->rank = -1;
	proof->type = 0;
	if (getBaseTypeAndTypmod(column->atttypid, &typmod) != tensor_type_oid())
		return;
	foreach (lc, proven_checks(relation))
		read_check(lfirst(lc), attno, proof);
	if (typmod < 0)
		return;
	proof->type = tensor_typmod_type(typmod, proof->type);
	if (tensor_typmod_rank(typmod) == 0)
		proof->rank = 0;
}
