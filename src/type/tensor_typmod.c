/*-------------------------------------------------------------------------
 *
 * tensor_typmod.c
 *	  tensor(float4), tensor(float4,2), tensor(float4,2,sparse): an element type,
 *	  and perhaps a rank and a format.
 *
 * A column so declared holds that element type, as a column of type real holds
 * real: values are converted on the way in. Real numbers become narrower,
 * wider or complex; what the narrower type cannot hold is out of range, and a
 * complex value never becomes real. The rank is checked and never changed. If the
 * format is given, dense values become sparse ones with a fill of 0; else each
 * value keeps its own.
 *
 * The typmod is element type * 32 + rank, 31 standing for any rank, and 1024 more
 * for sparse values.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "type/sparse.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"
#include "type/tensor_text.h"

#define TYPMOD_RANKS 32
#define TYPMOD_ANY_RANK 31

#define TYPMOD_SPARSE 1024

#define TYPMOD_TYPE(typmod) ((ElementType) ((typmod) % TYPMOD_SPARSE / TYPMOD_RANKS))
#define TYPMOD_RANK(typmod) ((typmod) % TYPMOD_RANKS)

/* Checks a typmod, since any user may call the coercion function with any number. */
static void
check_typmod(int32 typmod)
{
	if (typmod >= 2 * TYPMOD_SPARSE || TYPMOD_TYPE(typmod) < ELEMENT_FLOAT4 ||
		TYPMOD_TYPE(typmod) > ELEMENT_TYPE_LAST ||
		(TYPMOD_RANK(typmod) > TENSOR_MAX_RANK && TYPMOD_RANK(typmod) != TYPMOD_ANY_RANK))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%d is not a modifier of type tensor", typmod)));
}

ElementType
tensor_typmod_type(int32 typmod, ElementType otherwise)
{
	if (typmod < 0)
		return otherwise;
	check_typmod(typmod);
	return TYPMOD_TYPE(typmod);
}

bool
tensor_typmod_is_sparse(int32 typmod)
{
	return typmod >= TYPMOD_SPARSE;
}

int
tensor_typmod_rank(int32 typmod)
{
	if (typmod < 0)
		return -1;
	check_typmod(typmod);
	return TYPMOD_RANK(typmod) == TYPMOD_ANY_RANK ? -1 : TYPMOD_RANK(typmod);
}

/* Did a finite element become infinite in the conversion to a narrower type? */
static bool
lost_in_conversion(const Tensor *from, const Tensor *to)
{
	int64 count =
		tensor_count(from) * (element_is_complex((ElementType) from->type) ? 2 : 1);
	int step = element_is_complex((ElementType) to->type) &&
					   !element_is_complex((ElementType) from->type)
				   ? 2
				   : 1;
	const double *wide = tensor_elements(from);
	const float *narrow = tensor_elements(to);

	if ((from->type != ELEMENT_FLOAT8 && from->type != ELEMENT_COMPLEX16) ||
		(to->type != ELEMENT_FLOAT4 && to->type != ELEMENT_COMPLEX8))
		return false;
	for (int64 i = 0; i < count; i++)
	{
		if (isinf(narrow[i * step]) && !isinf(wide[i]))
			return true;
	}
	return false;
}

/* Does a finite element of a sparse value become infinite in a narrower type? */
static bool
lost_entries(const Tensor *from, const Tensor *to)
{
	int parts = element_is_complex((ElementType) from->type) ? 2 : 1;
	SparseEntries entries = sparse_entries(from);

	if (element_is_single((ElementType) from->type) ||
		!element_is_single((ElementType) to->type))
		return false;
	/* where there is no gap, the fill is no element */
	for (int64 i = entries.count < tensor_count(from) ? -1 : 0; i < entries.count; i++)
	{
		const double *wide = i < 0 ? sparse_fill(from) : entry_element(&entries, i);

		for (int p = 0; p < parts; p++)
			if (isinf((float) wide[p]) && !isinf(wide[p]))
				return true;
	}
	return false;
}

Tensor *
tensor_apply_typmod(Tensor *tensor, int32 typmod, Node *escontext)
{
	ElementType type;
	int rank;
	bool sparse;
	Tensor *result;

	if (typmod < 0)
		return tensor;
	check_typmod(typmod);
	type = TYPMOD_TYPE(typmod);
	rank = TYPMOD_RANK(typmod);
	if (rank != TYPMOD_ANY_RANK && rank != tensor->rank)
		ereturn(escontext, NULL,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("tensor has rank %d, but type tensor(%s,%d) has rank %d",
						tensor->rank, element_type_name(type), rank, rank),
				 errdetail("The value's shape is %s.", tensor_shape_string(tensor))));
	sparse = is_sparse(tensor);
	if (type == tensor->type)
		return sparse || typmod < TYPMOD_SPARSE ? tensor : sparse_from_dense(tensor, 0);
	if (element_is_complex((ElementType) tensor->type) && !element_is_complex(type))
		ereturn(escontext, NULL,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("complex tensor cannot be stored as type tensor(%s)",
						element_type_name(type)),
				 errdetail("The value's element type is %s.",
						   element_type_name((ElementType) tensor->type))));
	result = sparse ? sparse_convert(tensor, type) : tensor_convert(tensor, type);
	if (sparse ? lost_entries(tensor, result) : lost_in_conversion(tensor, result))
		ereturn(escontext, NULL,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("an element is out of range for element type %s",
						element_type_name(type))));
	return sparse || typmod < TYPMOD_SPARSE ? result : sparse_from_dense(result, 0);
}

/* For use in ereport: a hint for a first modifier that is no element type. */
static int
hint_for_modifier(const char *modifier)
{
	if (strspn(modifier, "0123456789") == strlen(modifier))
		return errhint("The type has an element type and a rank; a length is a "
					   "constraint: e tensor(float4,1) CHECK (tensor_shape(e) = '{%s}').",
					   modifier);
	if (strcmp(modifier, "sparse") == 0)
		return errhint("The format comes last: tensor(float8,sparse) or "
					   "tensor(float8,1,sparse).");
	return errhint("Element types are float4, float8, complex8 and complex16.");
}

PG_FUNCTION_INFO_V1(tensor_typmod_in);
Datum
tensor_typmod_in(PG_FUNCTION_ARGS)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
	Datum *values;
	int count;
	ElementType type;
	int rank = TYPMOD_ANY_RANK;
	bool sparse = false;

	deconstruct_array(array, CSTRINGOID, -2, false, TYPALIGN_CHAR, &values, NULL, &count);
	if (count > 1 && strcmp(DatumGetCString(values[count - 1]), "sparse") == 0)
	{
		sparse = true;
		count--;
	}
	if (count < 1 || count > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("type tensor takes an element type, a rank and a format"),
				 errhint("Write tensor(float8), tensor(float8,2) or "
						 "tensor(float8,2,sparse). Lengths are a constraint: e "
						 "tensor(float4,2) CHECK (tensor_shape(e) = '{28,28}').")));
	if (!element_type_by_name(DatumGetCString(values[0]), &type))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("unknown element type \"%s\"", DatumGetCString(values[0])),
						hint_for_modifier(DatumGetCString(values[0]))));
	if (count == 2)
	{
		rank = pg_strtoint32(DatumGetCString(values[1]));
		if (rank < 0 || rank > TENSOR_MAX_RANK)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("rank of type tensor must be between 0 and %d",
								   TENSOR_MAX_RANK)));
	}
	PG_RETURN_INT32((sparse ? TYPMOD_SPARSE : 0) + (int32) type * TYPMOD_RANKS + rank);
}

PG_FUNCTION_INFO_V1(tensor_typmod_out);
Datum
tensor_typmod_out(PG_FUNCTION_ARGS)
{
	int32 typmod = PG_GETARG_INT32(0);
	int rank = TYPMOD_RANK(typmod);
	const char *format = typmod < TYPMOD_SPARSE ? "" : ",sparse";

	if (typmod < 0)
		PG_RETURN_CSTRING(pstrdup(""));
	check_typmod(typmod);
	if (rank == TYPMOD_ANY_RANK)
		PG_RETURN_CSTRING(
			psprintf("(%s%s)", element_type_name(TYPMOD_TYPE(typmod)), format));
	PG_RETURN_CSTRING(
		psprintf("(%s,%d%s)", element_type_name(TYPMOD_TYPE(typmod)), rank, format));
}

/*
 * The length coercion function: converts a value that is stored into a column with a
 * typmod.
 */
PG_FUNCTION_INFO_V1(tensor_enforce_typmod);
Datum
tensor_enforce_typmod(PG_FUNCTION_ARGS)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));

	PG_RETURN_TENSOR_P(tensor_apply_typmod(tensor, PG_GETARG_INT32(1), NULL));
}
