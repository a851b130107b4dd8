/*-------------------------------------------------------------------------
 *
 * tensor_reduce.c
 *	  tensor_reduce('sum', t, dims): a tensor folded along some dimensions.
 *
 * As numpy's sum, prod, min, max, mean, any and all with an axis: the result
 * has the dimensions that are left, and t's element type. any and all give 1 or
 * 0, which are real for complex elements too, and NaN is not 0. min and max
 * propagate NaN and have no value over no elements; a mean over none is NaN.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

typedef enum ReduceKind
{
	REDUCE_SUM,
	REDUCE_PROD,
	REDUCE_MIN,
	REDUCE_MAX,
	REDUCE_MEAN,
	REDUCE_ANY,
	REDUCE_ALL,
} ReduceKind;

static const char *const reduce_names[] = {"sum",  "prod", "min", "max",
										   "mean", "any",  "all"};

static ReduceKind
reduce_kind(const text *name)
{
	char *string = text_to_cstring(name);

	for (int i = 0; i < lengthof(reduce_names); i++)
		if (strcmp(string, reduce_names[i]) == 0)
			return (ReduceKind) i;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unknown reduction \"%s\"", string),
					errhint("Reductions are sum, prod, min, max, mean, any and all.")));
}

/* A view of count rank-0 numbers' worth of one number: broadcasts over anything. */
static void
number_view(TensorView *view, ElementType type, double value)
{
	Tensor *number = tensor_new(ELEMENT_FLOAT8, 0, NULL);

	*(double *) TENSOR_DATA(number) = value;
	tensor_view(tensor_convert(number, type), view);
}

/* A new tensor of that shape full of a number. */
static Tensor *
filled(ElementType type, int rank, const int64 *bounds, double value)
{
	Tensor *tensor = tensor_new(type, rank, bounds);
	TensorView number;
	TensorView view;

	if (value != 0 && tensor_count(tensor) > 0)
	{
		number_view(&number, type, value);
		tensor_view(tensor, &view);
		number.rank = rank;
		for (int d = 0; d < rank; d++)
		{
			number.bounds[d] = bounds[d];
			number.strides[d] = 0;
		}
		view_copy(&number, &view);
	}
	return tensor;
}

/*
 * The product of complex elements, which the kernels fold only along no
 * dimension: one step of the reduced dimensions after the other.
 */
static void
complex_product(const TensorView *in, const bool *reduced, TensorView *out)
{
	int64 index[TENSOR_MAX_RANK] = {0};
	TensorView slice = *in;
	int dimension;

	slice.rank = 0;
	for (int d = 0; d < in->rank; d++)
	{
		if (reduced[d])
			continue;
		slice.bounds[slice.rank] = in->bounds[d];
		slice.strides[slice.rank] = in->strides[d];
		slice.rank++;
	}
	if (view_count(in) == 0)
		return;
	do
	{
		int64 at = 0;

		kernel_host.check_interrupts();
		for (int d = 0; d < in->rank; d++)
			at += index[d] * in->strides[d];
		slice.data = (char *) in->data + at * (int64) element_size(in->type);
		reduction_accumulate(REDUCTION_PROD, &slice, out);
		for (dimension = in->rank - 1; dimension >= 0; dimension--)
		{
			if (!reduced[dimension])
				continue;
			if (++index[dimension] < in->bounds[dimension])
				break;
			index[dimension] = 0;
		}
	} while (dimension >= 0);
}

/* The equation that keeps the dimensions that are not reduced. */
static void
reduce_equation(Equation *equation, int rank, const bool *reduced)
{
	memset(equation, 0, sizeof(Equation));
	equation->noperands = 1;
	equation->nlabels = rank;
	equation->operands[0].rank = rank;
	for (int d = 0; d < rank; d++)
	{
		equation->letters[d] = (char) ('a' + d);
		equation->operands[0].labels[d] = (uint8_t) d;
		if (!reduced[d])
			equation->output.labels[equation->output.rank++] = (uint8_t) d;
	}
}

static Tensor *
reduce(ReduceKind kind, Tensor *tensor, const bool *reduced)
{
	static const Reduction reductions[] = {
		REDUCTION_SUM, REDUCTION_PROD, REDUCTION_MIN, REDUCTION_MAX,
		REDUCTION_SUM, REDUCTION_MAX,  REDUCTION_MIN,
	};
	ElementType type = (ElementType) tensor->type;
	int64 bounds[TENSOR_MAX_RANK];
	int64 folded = 1;
	int rank = 0;
	double start = 0;
	TensorView in;
	TensorView out;
	const TensorView *operands[1] = {&in};
	Equation equation;
	Tensor *result;

	/* where nothing is 0, all is true; where something is not, any is */
	if (kind == REDUCE_ANY || kind == REDUCE_ALL)
	{
		TensorView zero;
		TensorView truth;
		Tensor *truths;

		number_view(&zero, type, 0);
		tensor_view(tensor, &in);
		truths = tensor_new(type, in.rank, in.bounds);
		tensor_view(truths, &truth);
		elementwise_binary(FUNCTION_NE, &in, &zero, &truth);
		/* complex numbers have no order, their truth values have */
		type = type == ELEMENT_COMPLEX8    ? ELEMENT_FLOAT4
			   : type == ELEMENT_COMPLEX16 ? ELEMENT_FLOAT8
										   : type;
		tensor = tensor_convert(truths, type);
	}

	tensor_view(tensor, &in);
	for (int d = 0; d < in.rank; d++)
	{
		if (reduced[d])
			folded *= in.bounds[d];
		else
			bounds[rank++] = in.bounds[d];
	}
	switch (kind)
	{
		case REDUCE_SUM:
		case REDUCE_MEAN:
		case REDUCE_ANY:
			start = 0;
			break;
		case REDUCE_PROD:
		case REDUCE_ALL:
			start = 1;
			break;
		case REDUCE_MIN:
		case REDUCE_MAX:
			start = reduction_identity(reductions[kind]);
			break;
	}
	result = filled(type, rank, bounds, start);
	if (kind == REDUCE_MIN || kind == REDUCE_MAX)
	{
		if (element_is_complex(type))
			ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
							errmsg("tensor_reduce('%s') does not take complex elements",
								   reduce_names[kind]),
							errdetail("The value's element type is %s.",
									  element_type_name(type))));
		if (folded == 0 && tensor_count(result) > 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("tensor_reduce('%s') of no elements has no value",
								   reduce_names[kind]),
							errdetail("The tensor has shape %s.",
									  shape_to_string(in.rank, in.bounds))));
	}
	if (tensor_count(result) == 0)
		return result;

	tensor_view(result, &out);
	reduce_equation(&equation, in.rank, reduced);
	if (folded == 0)
		; /* what it started as */
	else if (reductions[kind] == REDUCTION_SUM)
		einsum_accumulate(&equation, operands, 1, &out);
	else if (element_is_complex(type))
		complex_product(&in, reduced, &out);
	else
	{
		MapProgram program = {
			.nsteps = 1, .depth = 1, .nparameters = 1, .steps = {{MAP_PARAMETER, 0, 0}}};

		map_accumulate(&program, &equation, operands, reductions[kind], &out);
	}
	if (kind == REDUCE_MEAN)
	{
		TensorView count;
		Tensor *mean = tensor_new(type, rank, bounds);
		TensorView mean_view;

		number_view(&count, type, (double) folded);
		tensor_view(mean, &mean_view);
		elementwise_divide_ieee(&out, &count, &mean_view);
		result = mean;
	}
	return result;
}

/*
 * tensor_reduce(kind, t, dims, keep): dims, counted from 0, or all if NULL. With
 * keep, a dimension that is folded stays with bound 1, so that the result
 * combines with t again.
 */
PG_FUNCTION_INFO_V1(tensor_reduce);
Datum
tensor_reduce(PG_FUNCTION_ARGS)
{
	ReduceKind kind;
	Tensor *tensor;
	bool reduced[TENSOR_MAX_RANK] = {false};
	Tensor *result;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	kind = reduce_kind(PG_GETARG_TEXT_PP(0));
	tensor = PG_GETARG_TENSOR_P(1);
	if (PG_ARGISNULL(2))
	{
		for (int d = 0; d < tensor->rank; d++)
			reduced[d] = true;
	}
	else
	{
		int64 dims[TENSOR_MAX_RANK];
		int n = shape_from_array(PG_GETARG_ARRAYTYPE_P(2), dims);

		for (int i = 0; i < n; i++)
		{
			if (dims[i] < 0 || dims[i] >= tensor->rank || reduced[dims[i]])
				ereport(
					ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 dims[i] >= 0 && dims[i] < tensor->rank
						 ? errmsg("dimension " INT64_FORMAT " is given twice", dims[i])
						 : errmsg("tensor of rank %d has no dimension " INT64_FORMAT,
								  tensor->rank, dims[i]),
					 errdetail("Dimensions count from 0.")));
			reduced[dims[i]] = true;
		}
	}
	result = reduce(kind, tensor, reduced);
	if (PG_GETARG_BOOL(3))
	{
		Tensor *kept;
		int64 bounds[TENSOR_MAX_RANK];

		for (int d = 0; d < tensor->rank; d++)
			bounds[d] = reduced[d] ? 1 : tensor->bounds[d];
		kept = tensor_new((ElementType) result->type, tensor->rank, bounds);
		memcpy(TENSOR_DATA(kept), TENSOR_DATA(result),
			   tensor_count(result) * element_size((ElementType) result->type));
		result = kept;
	}
	PG_RETURN_TENSOR_P(result);
}
