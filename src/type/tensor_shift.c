/*-------------------------------------------------------------------------
 *
 * tensor_shift.c
 *	  einsum_shift: a value read at shifted and at constant indices.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "compat.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

/*
 * Returns the elements of an array argument, after checking that it has `rank` elements
 * and no NULLs.
 */
static void *
array_elements(ArrayType *array, Oid type, int rank)
{
	if (ARR_ELEMTYPE(array) != type || array_contains_nulls(array) ||
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) != rank)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("einsum_shift needs an offset for each dimension"),
						errdetail("The value has rank %d.", rank)));
	return ARR_DATA_PTR(array);
}

/* out = the number, repeated. */
static void
fill_view(const Tensor *number, TensorView *out)
{
	TensorView from;

	tensor_view(number, &from);
	from.rank = out->rank;
	for (int d = 0; d < out->rank; d++)
	{
		from.bounds[d] = out->bounds[d];
		from.strides[d] = 0;
	}
	view_copy(&from, out);
}

/*
 * einsum_shift(t, offsets, constant, fill): returns t read at shifted indices: the entry
 * at i is t's entry at i + offset in each dimension, or fill if that is beyond t's
 * bounds. In dimensions that are constant, t is read at index offset, and the result
 * lacks them. fill has rank 0.
 */
PG_FUNCTION_INFO_V1(einsum_shift);
Datum
einsum_shift(PG_FUNCTION_ARGS)
{
	Tensor *tensor = PG_GETARG_TENSOR_P(0);
	const int64 *offsets =
		array_elements(PG_GETARG_ARRAYTYPE_P(1), INT8OID, tensor->rank);
	const bool *constant =
		array_elements(PG_GETARG_ARRAYTYPE_P(2), BOOLOID, tensor->rank);
	Tensor *fill = tensor_convert(PG_GETARG_TENSOR_P(3), (ElementType) tensor->type);
	Size size = element_size((ElementType) tensor->type);
	bool whole = true; /* every element of the result is read from t */
	bool some = true;  /* some elements are */
	int64 bounds[TENSOR_MAX_RANK];
	TensorView from;
	TensorView to;
	TensorView out;
	Tensor *result;
	int rank = 0;

	if (fill->rank != 0)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("einsum_shift needs a number to fill with"),
						errdetail("It has rank %d.", fill->rank)));
	for (int d = 0; d < tensor->rank; d++)
	{
		if (!constant[d])
			bounds[rank++] = tensor->bounds[d];
	}
	result = tensor_new((ElementType) tensor->type, rank, bounds);
	tensor_view(tensor, &from);
	tensor_view(result, &out);
	to = out;
	from.rank = rank = 0;
	for (int d = 0; d < tensor->rank; d++)
	{
		int64 bound = tensor->bounds[d];
		/* a shift by more than the bound leaves nothing, as one by the bound */
		int64 offset = Min(Max(offsets[d], -bound), bound);
		int64 first = constant[d] ? offsets[d] : Max(offset, 0);
		int64 count = constant[d] ? 1 : bound - Max(offset, -offset);
		int64 stride = from.strides[d];

		if (constant[d] && (offsets[d] < 0 || offsets[d] >= bound))
			count = 0;
		some = some && count > 0;
		whole = whole && (constant[d] ? count == 1 : count == bound);
		if (count == 0)
			first = 0;
		from.data = (char *) from.data + first * stride * (int64) size;
		if (constant[d])
			continue;
		if (count > 0)
			to.data =
				(char *) to.data + Max(-offsets[d], 0) * to.strides[rank] * (int64) size;
		from.strides[rank] = stride;
		from.bounds[rank] = to.bounds[rank] = count;
		rank++;
	}
	from.rank = rank;
	if (tensor_count(result) > 0 && !whole)
		fill_view(fill, &out);
	if (some)
		view_copy(&from, &to);
	PG_RETURN_TENSOR_P(result);
}
