/*-------------------------------------------------------------------------
 *
 * tensor_subscript.c
 *	  t[1][2]: elements and sub-tensors by subscripts that count from 0.
 *
 * The result is a tensor, as the type of an expression cannot depend on the
 * rank of a value: as many subscripts as dimensions give a tensor of rank 0,
 * fewer the sub-tensor behind them. Of a value stored out of line only the
 * header and the sub-tensor are fetched; a sub-tensor of a sparse value is sparse. A null subscript gives null; one out
 * of range is an error, unlike with arrays, as keys out of range are
 * everywhere else. UPDATE ... SET t[1][2] = x replaces a part.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/execExpr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/subscripting.h"
#include "parser/parse_coerce.h"
#include "parser/parse_expr.h"

#include "compat.h"
#include "type/sparse.h"
#include "type/tensor.h"
#include "type/tensor_header.h"
#include "type/tensor_subscript.h"

static void
tensor_subscript_transform(SubscriptingRef *reference, List *indirection,
						   ParseState *pstate, bool is_slice, bool is_assignment)
{
	List *subscripts = NIL;
	ListCell *cell;

	if (list_length(indirection) > TENSOR_MAX_RANK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a tensor has at most %d dimensions, and %d subscripts are given",
						TENSOR_MAX_RANK, list_length(indirection))));
	foreach (cell, indirection)
	{
		A_Indices *indices = lfirst_node(A_Indices, cell);
		Node *subscript;
		Node *coerced;

		if (is_slice)
			ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
							errmsg("slices of a tensor cannot be written as subscripts"),
							errhint("Write tensor_slice(t, '{0}', '{2}'): arrays with "
									"the first index and the one behind the last, for "
									"each dimension."),
							parser_errposition(
								pstate, exprLocation(indices->uidx ? indices->uidx
																   : indices->lidx))));
		subscript = transformExpr(pstate, indices->uidx, pstate->p_expr_kind);
		coerced =
			coerce_to_target_type(pstate, subscript, exprType(subscript), INT4OID, -1,
								  COERCION_ASSIGNMENT, COERCE_IMPLICIT_CAST, -1);
		if (coerced == NULL)
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("subscript of a tensor must have type integer"),
							parser_errposition(pstate, exprLocation(subscript))));
		subscripts = lappend(subscripts, coerced);
	}
	reference->refupperindexpr = subscripts;
	reference->reflowerindexpr = NIL;
	/*
	 * the type of what is fetched or assigned; its rank differs from the column's, so no
	 * typmod
	 */
	reference->refrestype = reference->refcontainertype;
	reference->reftypmod = -1;
}

/*
 * Checks subscripts before a fetch or an assignment; false if a subscript of a fetch is
 * NULL, which makes the result NULL.
 */
static bool
tensor_subscript_check(ExprState *state, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *reference = op->d.sbsref_subscript.state;

	for (int i = 0; i < reference->numupper; i++)
	{
		if (reference->upperindexnull[i])
		{
			if (reference->isassignment)
				ereport(
					ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("subscript of a tensor in an assignment must not be null")));
			*op->resnull = true;
			return false;
		}
	}
	return true;
}

static void
check_subscripts(const Tensor *header, int given, const Datum *subscripts)
{
	if (given > header->rank)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("too many subscripts for a tensor of rank %d", header->rank),
				 errdetail("The number of subscripts is %d.", given)));
	for (int d = 0; d < given; d++)
	{
		int32 subscript = DatumGetInt32(subscripts[d]);

		if (subscript < 0 || subscript >= header->bounds[d])
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("subscript %d is out of range", subscript),
					 errdetail("Dimension %d has bound %d, and subscripts count from 0.",
							   d, header->bounds[d]),
					 subscript < 0 && header->bounds[d] > 0
						 ? errhint("The last one is %d; none counts from the end.",
								   header->bounds[d] - 1)
						 : 0));
	}
}

static void
tensor_subscript_fetch(ExprState *state, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *reference = op->d.sbsref.state;
	Datum datum = *op->resvalue;
	const Tensor *header = tensor_header(datum);
	ElementType type = (ElementType) header->type;
	int given = reference->numupper;
	int64 bounds[TENSOR_MAX_RANK];
	int64 position = 0;
	Size offset;
	Size bytes;
	Tensor *result;

	check_subscripts(header, given, reference->upperindex);
	for (int d = 0; d < given; d++)
		position = position * header->bounds[d] + DatumGetInt32(reference->upperindex[d]);
	for (int d = given; d < header->rank; d++)
	{
		bounds[d - given] = header->bounds[d];
		position *= header->bounds[d];
	}

	if (is_sparse(header))
	{
		*op->resvalue = PointerGetDatum(sparse_sub_tensor(
			DatumGetTensorOfAnyFormat(datum), given, (uint64) position));
		*op->resnull = false;
		return;
	}
	result = tensor_new(type, header->rank - given, bounds);
	offset = TENSOR_HEADER_SIZE(header->rank) + position * element_size(type);
	bytes = tensor_count(result) * element_size(type);
	if (bytes == 0)
	{
		/* nothing to copy; a slice of 0 bytes would mean the whole value */
	}
	else if (VARATT_IS_EXTENDED(DatumGetPointer(datum)))
	{
		struct varlena *slice =
			PG_DETOAST_DATUM_SLICE(datum, (int32) (offset - VARHDRSZ), (int32) bytes);

		if (VARSIZE(slice) - VARHDRSZ != bytes)
			elog(ERROR, "tensor value is shorter than its header says");
		memcpy(tensor_elements(result), VARDATA(slice), bytes);
		pfree(slice);
	}
	else
		memcpy(tensor_elements(result), (char *) DatumGetPointer(datum) + offset, bytes);
	*op->resvalue = PointerGetDatum(result);
	*op->resnull = false;
}

static void
tensor_subscript_assign(ExprState *state, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *reference = op->d.sbsref.state;
	int32 subscripts[TENSOR_MAX_RANK];
	const Tensor *old;

	if (*op->resnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("cannot assign to a part of a tensor that is null"),
				 errhint("Assign a whole value first, such as tensor_zeros(shape).")));
	if (reference->replacenull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("elements of a tensor must not be null")));
	old = DatumGetTensorOfAnyFormat(*op->resvalue);
	check_subscripts(old, reference->numupper, reference->upperindex);
	for (int d = 0; d < reference->numupper; d++)
		subscripts[d] = DatumGetInt32(reference->upperindex[d]);
	*op->resvalue =
		PointerGetDatum(tensor_assign(old, reference->numupper, subscripts,
									  DatumGetDenseTensor(reference->replacevalue)));
}

static void
tensor_subscript_setup(const SubscriptingRef *reference, SubscriptingRefState *state,
					   SubscriptExecSteps *methods)
{
	methods->sbs_check_subscripts = tensor_subscript_check;
	methods->sbs_fetch = tensor_subscript_fetch;
	methods->sbs_assign = tensor_subscript_assign;
	methods->sbs_fetch_old = NULL;
}

PG_FUNCTION_INFO_V1(tensor_subscript);
Datum
tensor_subscript(PG_FUNCTION_ARGS)
{
	static const SubscriptRoutines routines = {
		.transform = tensor_subscript_transform,
		.exec_setup = tensor_subscript_setup,
		.fetch_strict = true,
		.fetch_leakproof = false,
		.store_leakproof = false,
	};

	PG_RETURN_POINTER(&routines);
}
