/*-------------------------------------------------------------------------
 *
 * tensor_argmax.c
 *	  Where the largest and the smallest elements of a tensor are.
 *
 * As numpy's argmax and argmin: the first of those that are equal, and NaN before
 * all numbers. Without elements there is no result.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "compat.h"
#include "type/call.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

PG_FUNCTION_INFO_V1(tensor_argmax);
PG_FUNCTION_INFO_V1(tensor_argmin);
PG_FUNCTION_INFO_V1(tensor_argmax_along);
PG_FUNCTION_INFO_V1(tensor_argmin_along);

static inline double
real_element(const Tensor *tensor, int64 i)
{
	return tensor->type == ELEMENT_FLOAT4 ? ((const float *) tensor_elements(tensor))[i]
										  : ((const double *) tensor_elements(tensor))[i];
}

/*
 * Returns the index of the first extreme among count elements that are stride apart; 0 if
 * count is 0.
 */
static int64
first_extreme(const Tensor *tensor, bool largest, int64 start, int64 stride, int64 count)
{
	double extreme = NAN;
	int64 found = 0;

	for (int64 i = 0; i < count; i++)
	{
		double element = real_element(tensor, start + i * stride);

		if ((i & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		if (isnan(element))
			return i;
		if (i == 0 || (largest ? element > extreme : element < extreme))
		{
			extreme = element;
			found = i;
		}
	}
	return found;
}

/* Raises 0A000 for complex elements, 22023 if there is no element to choose from. */
static void
check_elements(const Tensor *tensor, const char *name, bool of_none)
{
	check_real(name, (ElementType) tensor->type);
	if (of_none)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s of no elements has no value", name),
				 errdetail("The tensor has shape %s.", tensor_shape_string(tensor))));
}

static Datum
extreme_place(FunctionCallInfo fcinfo, bool largest, const char *name)
{
	Tensor *tensor = PG_GETARG_TENSOR_P(0);
	int64 count = tensor_count(tensor);
	int64 place;

	check_elements(tensor, name, count == 0);
	place = first_extreme(tensor, largest, 0, 1, count);
	PG_FREE_IF_COPY(tensor, 0);
	PG_RETURN_INT64(place);
}

/*
 * Returns the indices of extremes along a dimension. Errors: 2202E if there is no such
 * dimension.
 */
static Datum
extremes_along(FunctionCallInfo fcinfo, bool largest, const char *name)
{
	Tensor *tensor = PG_GETARG_TENSOR_P(0);
	int32 dimension = PG_GETARG_INT32(1);
	int64 bounds[TENSOR_MAX_RANK];
	int64 stride = 1;
	int64 count;
	int64 results;
	int rank = 0;
	Tensor *result;
	double *places;

	if (dimension < 0 || dimension >= tensor->rank)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("tensor of rank %d has no dimension %d", tensor->rank, dimension),
				 errdetail("Dimensions count from 0.")));
	for (int d = 0; d < tensor->rank; d++)
	{
		if (d != dimension)
			bounds[rank++] = tensor->bounds[d];
		if (d > dimension)
			stride *= tensor->bounds[d];
	}
	count = tensor->bounds[dimension];
	result = tensor_new(ELEMENT_FLOAT8, rank, bounds);
	results = tensor_count(result);
	check_elements(tensor, name, count == 0 && results > 0);
	places = tensor_elements(result);
	for (int64 i = 0; i < results; i++)
	{
		int64 start = i / stride * stride * count + i % stride;

		if ((i & 0xfff) == 0xfff)
			CHECK_FOR_INTERRUPTS();
		places[i] = (double) first_extreme(tensor, largest, start, stride, count);
	}
	PG_FREE_IF_COPY(tensor, 0);
	PG_RETURN_TENSOR_P(result);
}

Datum
tensor_argmax(PG_FUNCTION_ARGS)
{
	return extreme_place(fcinfo, true, "tensor_argmax");
}

Datum
tensor_argmin(PG_FUNCTION_ARGS)
{
	return extreme_place(fcinfo, false, "tensor_argmin");
}

Datum
tensor_argmax_along(PG_FUNCTION_ARGS)
{
	return extremes_along(fcinfo, true, "tensor_argmax");
}

Datum
tensor_argmin_along(PG_FUNCTION_ARGS)
{
	return extremes_along(fcinfo, false, "tensor_argmin");
}
