/*-------------------------------------------------------------------------
 *
 * tensor_reshape.c
 *	  The same elements in another arrangement: reshape, permute, slice.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/int.h"
#include "utils/array.h"

#include "compat.h"
#include "type/sparse.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

/*
 * Returns the first argument, sparse values as they are, unless the result is a number,
 * which is dense.
 */
static Tensor *
argument_for_rank(FunctionCallInfo fcinfo, int rank)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));

	if (rank == 0 || !is_sparse(tensor))
		return PG_GETARG_TENSOR_P(0);
	sparse_check(tensor);
	return tensor;
}

/* Returns the number of elements of a sparse value; -1 for a shape that none can have. */
static int64
sparse_extent_of(int rank, const int64 *bounds)
{
	for (int d = 0; d < rank; d++)
		if (bounds[d] < 0)
			return -1;
	return sparse_extent(rank, bounds);
}

/*
 * tensor_reshape(t, shape): returns the elements, in row-major order, under another
 * shape. One bound may be -1: it follows from the others.
 */
PG_FUNCTION_INFO_V1(tensor_reshape);
Datum
tensor_reshape(PG_FUNCTION_ARGS)
{
	int64 bounds[TENSOR_MAX_RANK];
	int rank = shape_from_array(PG_GETARG_ARRAYTYPE_P(1), bounds);
	Tensor *tensor = argument_for_rank(fcinfo, rank);
	ElementType type = (ElementType) tensor->type;
	int64 count = tensor_count(tensor);
	int open = -1;
	int64 others = 1;
	bool fits = true;
	Tensor *result;

	for (int i = 0; i < rank; i++)
	{
		if (bounds[i] == -1 && open < 0)
		{
			open = i;
			bounds[i] = 1;
		}
	}
	others = is_sparse(tensor) && sparse_extent_of(rank, bounds) >= 0
				 ? sparse_extent_of(rank, bounds)
				 : shape_count(type, rank, bounds);
	if (open >= 0)
	{
		fits = others != 0 && count % others == 0;
		if (fits)
			bounds[open] = count / others;
		else
			bounds[open] = -1;
	}
	else
		fits = others == count;
	if (!fits)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("tensor of shape %s cannot be reshaped to %s",
						tensor_shape_string(tensor), shape_to_string(rank, bounds)),
				 errdetail("It has " INT64_FORMAT " elements.", count)));
	if (is_sparse(tensor))
		PG_RETURN_TENSOR_P(sparse_reshape(tensor, rank, bounds));
	result = tensor_new(type, rank, bounds);
	memcpy(tensor_elements(result), tensor_elements(tensor), count * element_size(type));
	PG_RETURN_TENSOR_P(result);
}

/*
 * tensor_permute(t, order): returns t with its dimensions in another order: dimension d
 * of the result is dimension order[d] of t, counted from 0.
 */
PG_FUNCTION_INFO_V1(tensor_permute);
Datum
tensor_permute(PG_FUNCTION_ARGS)
{
	int64 order[TENSOR_MAX_RANK];
	int rank = shape_from_array(PG_GETARG_ARRAYTYPE_P(1), order);
	Tensor *tensor = argument_for_rank(fcinfo, rank);
	bool seen[TENSOR_MAX_RANK] = {false};
	bool valid = rank == tensor->rank;
	TensorView from;
	TensorView permuted;
	TensorView to;
	Tensor *result;

	for (int d = 0; valid && d < rank; d++)
	{
		valid = order[d] >= 0 && order[d] < rank && !seen[order[d]];
		if (valid)
			seen[order[d]] = true;
	}
	if (!valid)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("order must name each dimension of the tensor once"),
						errdetail("The tensor has %d dimensions, counted from 0.",
								  tensor->rank)));

	if (is_sparse(tensor))
		PG_RETURN_TENSOR_P(sparse_permute(tensor, order));
	tensor_view(tensor, &from);
	permuted = from;
	for (int d = 0; d < rank; d++)
	{
		permuted.bounds[d] = from.bounds[order[d]];
		permuted.strides[d] = from.strides[order[d]];
	}
	result = tensor_new(from.type, rank, permuted.bounds);
	tensor_view(result, &to);
	view_copy(&permuted, &to);
	PG_RETURN_TENSOR_P(result);
}

/*
 * tensor_slice(t, lower, upper): returns the elements whose index is within [lower,
 * upper) in every dimension, counted from 0.
 */
PG_FUNCTION_INFO_V1(tensor_slice);
Datum
tensor_slice(PG_FUNCTION_ARGS)
{
	int64 lower[TENSOR_MAX_RANK];
	int64 upper[TENSOR_MAX_RANK];
	int lower_rank = shape_from_array(PG_GETARG_ARRAYTYPE_P(1), lower);
	int upper_rank = shape_from_array(PG_GETARG_ARRAYTYPE_P(2), upper);
	Tensor *tensor = argument_for_rank(fcinfo, lower_rank);
	int64 bounds[TENSOR_MAX_RANK];
	TensorView from;
	TensorView to;
	Tensor *result;

	if (lower_rank != tensor->rank || upper_rank != tensor->rank)
		ereport(
			ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("a slice takes two positions for each dimension"),
			 errdetail("The tensor has %d dimensions; lower has %d positions, upper %d.",
					   tensor->rank, lower_rank, upper_rank)));
	for (int d = 0; d < tensor->rank; d++)
	{
		if (lower[d] < 0 || lower[d] > upper[d] || upper[d] > tensor->bounds[d])
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
							errmsg("slice is out of range"),
							errdetail("Dimension %d has bound " INT64_FORMAT
									  "; the slice is from " INT64_FORMAT
									  " to before " INT64_FORMAT ".",
									  d, (int64) tensor->bounds[d], lower[d], upper[d])));
		bounds[d] = upper[d] - lower[d];
	}
	if (is_sparse(tensor))
		PG_RETURN_TENSOR_P(sparse_slice(tensor, lower, upper));
	tensor_view(tensor, &from);
	memcpy(from.bounds, bounds, sizeof(int64) * from.rank);
	result = tensor_new(from.type, from.rank, from.bounds);
	if (tensor_count(result) > 0)
	{
		for (int d = 0; d < from.rank; d++)
			from.data = (char *) from.data +
						lower[d] * from.strides[d] * (int64) element_size(from.type);
		tensor_view(result, &to);
		view_copy(&from, &to);
	}
	PG_RETURN_TENSOR_P(result);
}
