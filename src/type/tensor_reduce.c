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

#include <math.h>

#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "type/tensor.h"
#include "type/state.h"
#include "type/tensor_reduce.h"
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

/* Returns the kind of reduction of that name, or -1. */
static int
find_kind(const char *name)
{
	for (int i = 0; i < lengthof(reduce_names); i++)
		if (strcmp(name, reduce_names[i]) == 0)
			return i;
	return -1;
}

bool
is_reduction_name(const char *name)
{
	return find_kind(name) >= 0;
}

static ReduceKind
reduce_kind(const text *name)
{
	char *string = text_to_cstring(name);
	int kind = find_kind(string);

	if (kind >= 0)
		return (ReduceKind) kind;
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("unknown reduction \"%s\"", string),
		 errhint("Reductions are sum, prod, min, max, mean, any and all. Others are "
				 "aggregates of SQL over elements, as in SELECT stddev_pop(value) FROM "
				 "tensor_entries(t); the norm is mat_norm(t).")));
}

/* Sets view to one number of rank 0, which broadcasts over any shape. */
static void
number_view(TensorView *view, ElementType type, double value)
{
	Tensor *number = tensor_new(ELEMENT_FLOAT8, 0, NULL);

	*(double *) tensor_elements(number) = value;
	tensor_view(tensor_convert(number, type), view);
}

/* Returns a new tensor of the given shape, every element of which is value. */
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

/* Sets the equation that sums over the reduced dimensions and keeps the others. */
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

/* The reduction of each kind; any and all reduce truth values. */
static const Reduction reductions[] = {
	[REDUCE_SUM] = REDUCTION_SUM,  [REDUCE_PROD] = REDUCTION_PROD,
	[REDUCE_MIN] = REDUCTION_MIN,  [REDUCE_MAX] = REDUCTION_MAX,
	[REDUCE_MEAN] = REDUCTION_SUM, [REDUCE_ANY] = REDUCTION_MAX,
	[REDUCE_ALL] = REDUCTION_MIN,
};

/* Returns the initial value of a fold, which is also its result over no elements. */
static double
start_value(ReduceKind kind)
{
	switch (kind)
	{
		case REDUCE_SUM:
		case REDUCE_MEAN:
		case REDUCE_ANY:
			return 0;
		case REDUCE_PROD:
		case REDUCE_ALL:
			return 1;
		case REDUCE_MIN:
		case REDUCE_MAX:
			break;
	}
	return reduction_identity(reductions[kind]);
}

/*
 * Returns 1 where an element is not 0, and 0 elsewhere, in a real type: complex numbers
 * have no order, which the reduction needs.
 */
static Tensor *
truth_values(Tensor *tensor)
{
	ElementType type = (ElementType) tensor->type;
	TensorView in;
	TensorView zero;
	TensorView truth;
	Tensor *truths;

	number_view(&zero, type, 0);
	tensor_view(tensor, &in);
	truths = tensor_new(type, in.rank, in.bounds);
	tensor_view(truths, &truth);
	elementwise_binary(FUNCTION_NE, &in, &zero, &truth);
	return tensor_convert(truths, type == ELEMENT_COMPLEX8    ? ELEMENT_FLOAT4
								  : type == ELEMENT_COMPLEX16 ? ELEMENT_FLOAT8
															  : type);
}

/* Raises an error unless the min or max of these elements is defined. */
static void
check_extremum(ReduceKind kind, const TensorView *in, bool of_none)
{
	if (element_is_complex(in->type))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("tensor_reduce('%s') does not take complex elements",
							   reduce_names[kind]),
						errdetail("The value's element type is %s.",
								  element_type_name(in->type))));
	if (of_none)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("tensor_reduce('%s') of no elements has no value",
							   reduce_names[kind]),
						errdetail("The tensor has shape %s.",
								  shape_to_string(in->rank, in->bounds))));
}

/*
 * Computes out = fold(out, in) along the reduced dimensions, over at least one element.
 */
static void
fold(Reduction reduction, const TensorView *in, const bool *reduced, TensorView *out)
{
	const TensorView *operands[1] = {in};
	Equation equation;

	reduce_equation(&equation, in->rank, reduced);
	if (reduction == REDUCTION_SUM)
		einsum_accumulate(&equation, operands, 1, out);
	else
	{
		MapStep step = {MAP_PARAMETER, 0, 0};
		MapProgram program = {.nsteps = 1, .depth = 1, .nparameters = 1, .steps = &step};

		map_accumulate_typed(&program, &equation, operands, reduction, out);
	}
}

/*
 * Returns a view of the real or imaginary parts of complex elements; of real elements as
 * they are.
 */
static TensorView
parts_of(const TensorView *elements, int part)
{
	TensorView parts = *elements;

	if (!element_is_complex(elements->type))
		return parts;
	parts.type = ELEMENT_FLOAT8;
	parts.data = (double *) elements->data + part;
	for (int d = 0; d < parts.rank; d++)
		parts.strides[d] *= 2;
	return parts;
}

/*
 * Folds sums of double precision that would overflow, with elements times CARRY_SCALE.
 * The parts of complex elements are added separately, so that an infinite part leaves the
 * other as it is.
 */
static void
fold_scaled(const TensorView *in, const bool *reduced, TensorView *out)
{
	MapStep steps[] = {{MAP_PARAMETER, 0, 0},
					   {MAP_CONSTANT, 0, CARRY_SCALE},
					   {MAP_CALL, FUNCTION_MULTIPLY, 0}};
	MapProgram program = {
		.nsteps = lengthof(steps), .depth = 2, .nparameters = 1, .steps = steps};
	Equation equation;

	reduce_equation(&equation, in->rank, reduced);
	for (int part = 0; part < (element_is_complex(in->type) ? 2 : 1); part++)
	{
		TensorView from = parts_of(in, part);
		TensorView to = parts_of(out, part);
		const TensorView *operands[1] = {&from};

		map_accumulate(&program, &equation, operands, REDUCTION_SUM, &to);
	}
}

/*
 * Divides each sum, of double precision, by the number of its elements. If a sum has
 * overflowed, the mean is computed from scaled elements: it is in range if they are.
 */
static void
divide_sums(const TensorView *in, const bool *reduced, int64 folded, Tensor *sums)
{
	double *sum = tensor_elements(sums);
	const double *scaled = NULL;
	int64 count = tensor_count(sums);
	TensorView view;

	if (element_is_complex((ElementType) sums->type))
		count *= 2; /* real and imaginary parts */
	for (int64 i = 0; i < count && !element_is_single(in->type); i++)
	{
		Tensor *fold;

		if (isfinite(sum[i]) || scaled)
			continue;
		tensor_view(sums, &view);
		fold = tensor_new(view.type, view.rank, view.bounds);
		tensor_view(fold, &view);
		fold_scaled(in, reduced, &view);
		scaled = tensor_elements(fold);
	}
	for (int64 i = 0; i < count; i++)
		sum[i] = isfinite(sum[i]) || !scaled ? sum[i] / (double) folded
											 : scaled[i] / (double) folded / CARRY_SCALE;
}

/*
 * Returns the reduction of in; sums and products in double precision, to be rounded
 * later.
 */
static Tensor *
reduce_whole(ReduceKind kind, const TensorView *in, const bool *reduced, int64 folded)
{
	ElementType type =
		reduction_rounds(reductions[kind]) ? element_double(in->type) : in->type;
	int64 bounds[TENSOR_MAX_RANK] = {0};
	int rank = 0;
	TensorView out;
	Tensor *result;

	for (int d = 0; d < in->rank; d++)
	{
		if (!reduced[d])
			bounds[rank++] = in->bounds[d];
	}
	result = filled(type, rank, bounds, start_value(kind));
	tensor_view(result, &out);
	if (folded > 0) /* without elements, the result is the initial value */
		fold(reductions[kind], in, reduced, &out);
	if (kind == REDUCE_MEAN)
		divide_sums(in, reduced, folded, result);
	return result;
}

/*
 * The most elements of a result that are computed at a time: in double precision, the
 * whole result may be too large for one value.
 */
#define MOST_REDUCED (INT64CONST(1) << 20)

/* Computes the reduction part by part, into out. */
static void
reduce_in_parts(ReduceKind kind, const TensorView *in, const bool *reduced, int64 folded,
				const TensorView *out)
{
	int place[TENSOR_MAX_RANK] = {0}; /* by dimension of out: the same dimension of in */
	int64 first[TENSOR_MAX_RANK] = {0};
	int64 whole =
		1; /* elements in the dimensions after split, which each part has in full */
	int split = out->rank - 1;
	int64 step;
	int d;

	for (int i = 0, n = 0; i < in->rank; i++)
	{
		if (!reduced[i])
			place[n++] = i;
	}
	for (; split > 0 && whole * out->bounds[split] <= MOST_REDUCED; split--)
		whole *= out->bounds[split];
	step = Max(MOST_REDUCED / whole, 1);
	do
	{
		TensorView from = *in;
		TensorView to = *out;
		TensorView part;
		Tensor *result;

		CHECK_FOR_INTERRUPTS();
		for (d = 0; d <= split; d++)
		{
			int64 count = d == split ? Min(step, out->bounds[d] - first[d]) : 1;

			from.data = (char *) from.data +
						first[d] * in->strides[place[d]] * (int64) element_size(in->type);
			from.bounds[place[d]] = count;
			to.data = (char *) to.data +
					  first[d] * out->strides[d] * (int64) element_size(out->type);
			to.bounds[d] = count;
		}
		result = reduce_whole(kind, &from, reduced, folded);
		tensor_view(result, &part);
		view_copy(&part, &to);
		pfree(result);

		for (d = split; d >= 0; d--)
		{
			first[d] += d == split ? step : 1;
			if (first[d] < out->bounds[d])
				break;
			first[d] = 0;
		}
	} while (d >= 0);
}

static Tensor *
reduce(ReduceKind kind, Tensor *tensor, const bool *reduced)
{
	int64 bounds[TENSOR_MAX_RANK];
	int64 folded = 1;
	int64 count;
	int rank = 0;
	TensorView in;
	TensorView out;
	Tensor *result;

	/* any is the greatest, and all the least, of the truth values */
	if (kind == REDUCE_ANY || kind == REDUCE_ALL)
		tensor = truth_values(tensor);

	tensor_view(tensor, &in);
	for (int d = 0; d < in.rank; d++)
	{
		if (reduced[d])
			folded *= in.bounds[d];
		else
			bounds[rank++] = in.bounds[d];
	}
	count = shape_count(in.type, rank, bounds);
	if (kind == REDUCE_MIN || kind == REDUCE_MAX)
		check_extremum(kind, &in, folded == 0 && count > 0);
	if (count == 0)
		return tensor_new(in.type, rank, bounds);
	if (count <= MOST_REDUCED)
		return tensor_convert(reduce_whole(kind, &in, reduced, folded), in.type);
	result = tensor_new(in.type, rank, bounds);
	tensor_view(result, &out);
	reduce_in_parts(kind, &in, reduced, folded, &out);
	return result;
}

/* Finds which dimensions of a tensor of that rank dims names; all if it is NULL. */
static void
reduced_dimensions(ArrayType *dims, int rank, bool *reduced)
{
	int64 dimensions[TENSOR_MAX_RANK];
	int n;

	for (int d = 0; d < rank; d++)
		reduced[d] = dims == NULL;
	if (dims == NULL)
		return;
	n = shape_from_array(dims, dimensions);
	for (int i = 0; i < n; i++)
	{
		int64 d = dimensions[i];

		if (d < 0 || d >= rank || reduced[d])
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 d >= 0 && d < rank
						 ? errmsg("dimension " INT64_FORMAT " is given twice", d)
						 : errmsg("tensor of rank %d has no dimension " INT64_FORMAT,
								  rank, d),
					 errdetail("Dimensions count from 0.")));
		reduced[d] = true;
	}
}

/* Returns the result with bounds of 1 in place of the dimensions that were folded. */
static Tensor *
keep_dimensions(const Tensor *result, const Tensor *tensor, const bool *reduced)
{
	ElementType type = (ElementType) result->type;
	int64 bounds[TENSOR_MAX_RANK];
	Tensor *kept;

	for (int d = 0; d < tensor->rank; d++)
		bounds[d] = reduced[d] ? 1 : tensor->bounds[d];
	kept = tensor_new(type, tensor->rank, bounds);
	memcpy(tensor_elements(kept), tensor_elements(result),
		   tensor_count(result) * element_size(type));
	return kept;
}

/*
 * tensor_reduce(kind, t, dims, keep): folds dimensions dims, counted from 0, or all if
 * NULL. With keep, a folded dimension stays with bound 1, so that the result can be
 * combined with t.
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
	reduced_dimensions(PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2), tensor->rank,
					   reduced);
	result = reduce(kind, tensor, reduced);
	if (PG_GETARG_BOOL(3))
		result = keep_dimensions(result, tensor, reduced);
	PG_RETURN_TENSOR_P(result);
}
