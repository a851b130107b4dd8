/*-------------------------------------------------------------------------
 *
 * tensor_arithmetic.c
 *	  + - * / on tensors, and comparison of elements.
 *
 * Shapes combine as numpy's: aligned at their last dimensions, a dimension
 * that is missing or has bound 1 is repeated. Element types promote as
 * numpy's; a float8 beside a tensor counts as a float8 tensor of rank 0.
 * Arithmetic is IEEE 754 and never an error.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "type/call.h"
#include "type/sparse.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

/* Sets the shape of the result; false if the two shapes do not combine. */
static bool
broadcast_bounds(const TensorView *a, const TensorView *b, int *rank, int64 *bounds)
{
	*rank = Max(a->rank, b->rank);
	for (int d = 0; d < *rank; d++)
	{
		int in_a = d - (*rank - a->rank);
		int in_b = d - (*rank - b->rank);
		int64 bound_a = in_a < 0 ? 1 : a->bounds[in_a];
		int64 bound_b = in_b < 0 ? 1 : b->bounds[in_b];

		if (bound_a != bound_b && bound_a != 1 && bound_b != 1)
			return false;
		bounds[d] = bound_a == 1 ? bound_b : bound_a;
	}
	return true;
}

static Tensor *
combine(FunctionId function, const char *symbol, Tensor *a, Tensor *b)
{
	ElementType type = element_promote((ElementType) a->type, (ElementType) b->type);
	TensorView a_view;
	TensorView b_view;
	TensorView out;
	int rank;
	int64 bounds[TENSOR_MAX_RANK];
	Tensor *result;

	if (element_is_complex(type) && function == FUNCTION_POWER)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("function tensor_power does not take complex elements"),
						errhint("Multiply the tensor by itself for a whole power.")));
	tensor_view(tensor_convert(a, type), &a_view);
	tensor_view(tensor_convert(b, type), &b_view);
	if (!broadcast_bounds(&a_view, &b_view, &rank, bounds))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("shapes of the operands of %s do not agree", symbol),
				 errdetail("The left tensor has shape %s, the right one %s.",
						   tensor_shape_string(a), tensor_shape_string(b)),
				 errhint("Bounds must agree or be 1, counted from the last dimension.")));
	result = tensor_new(type, rank, bounds);
	tensor_view(result, &out);
	/* on tensors 0 / 0 is NaN; in programs it is 0 */
	if (function == FUNCTION_DIVIDE)
		elementwise_divide_ieee(&a_view, &b_view, &out);
	else
		elementwise_binary(function, &a_view, &b_view, &out);
	return result;
}

/* Returns a float8 argument as a tensor of rank 0. */
static Tensor *
scalar_argument(double value)
{
	Tensor *tensor = tensor_new(ELEMENT_FLOAT8, 0, NULL);

	*(double *) tensor_elements(tensor) = value;
	return tensor;
}

/*
 * Combines a tensor argument, number 0 or 1, with a number on its other side. A sparse
 * value of real elements times a number is sparse.
 */
static Tensor *
combine_number(FunctionCallInfo fcinfo, FunctionId function, const char *symbol,
			   int argument, double number)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(argument));
	Tensor *product = function == FUNCTION_MULTIPLY ? sparse_times(tensor, number) : NULL;

	if (product)
		return product;
	tensor = make_dense(tensor, fcinfo);
	return argument == 0 ? combine(function, symbol, tensor, scalar_argument(number))
						 : combine(function, symbol, scalar_argument(number), tensor);
}

#define ARITHMETIC(name, function, symbol)                                               \
	PG_FUNCTION_INFO_V1(tensor_##name);                                                  \
	Datum tensor_##name(PG_FUNCTION_ARGS)                                                \
	{                                                                                    \
		PG_RETURN_TENSOR_P(                                                              \
			combine(function, symbol, PG_GETARG_TENSOR_P(0), PG_GETARG_TENSOR_P(1)));    \
	}                                                                                    \
	PG_FUNCTION_INFO_V1(tensor_##name##_float8);                                         \
	Datum tensor_##name##_float8(PG_FUNCTION_ARGS)                                       \
	{                                                                                    \
		PG_RETURN_TENSOR_P(                                                              \
			combine_number(fcinfo, function, symbol, 0, PG_GETARG_FLOAT8(1)));           \
	}                                                                                    \
	PG_FUNCTION_INFO_V1(float8_##name##_tensor);                                         \
	Datum float8_##name##_tensor(PG_FUNCTION_ARGS)                                       \
	{                                                                                    \
		PG_RETURN_TENSOR_P(                                                              \
			combine_number(fcinfo, function, symbol, 1, PG_GETARG_FLOAT8(0)));           \
	}                                                                                    \
	extern int no_such_variable

ARITHMETIC(add, FUNCTION_ADD, "+");
ARITHMETIC(subtract, FUNCTION_SUBTRACT, "-");
ARITHMETIC(multiply, FUNCTION_MULTIPLY, "*");
ARITHMETIC(divide, FUNCTION_DIVIDE, "/");

/*
 * Compares elements: the result is 1 where the comparison holds, else 0. Errors: 0A000
 * for an order of complex elements.
 */
static Tensor *
compare_by_function(FunctionId function, const char *name, Tensor *a, Tensor *b)
{
	ElementType type = element_promote((ElementType) a->type, (ElementType) b->type);
	Tensor *result;

	if (function != FUNCTION_EQ && function != FUNCTION_NE)
		check_real(name, type);
	result = combine(function, name, a, b);
	return element_is_complex(type) ? tensor_convert(result, element_real_type(type))
									: result;
}

#define COMPARISON(name, function)                                                       \
	PG_FUNCTION_INFO_V1(tensor_##name);                                                  \
	Datum tensor_##name(PG_FUNCTION_ARGS)                                                \
	{                                                                                    \
		PG_RETURN_TENSOR_P(compare_by_function(                                          \
			function, "tensor_" #name, PG_GETARG_TENSOR_P(0), PG_GETARG_TENSOR_P(1)));   \
	}                                                                                    \
	PG_FUNCTION_INFO_V1(tensor_##name##_float8);                                         \
	Datum tensor_##name##_float8(PG_FUNCTION_ARGS)                                       \
	{                                                                                    \
		PG_RETURN_TENSOR_P(compare_by_function(function, "tensor_" #name,                \
											   PG_GETARG_TENSOR_P(0),                    \
											   scalar_argument(PG_GETARG_FLOAT8(1))));   \
	}                                                                                    \
	extern int no_such_variable

COMPARISON(equal, FUNCTION_EQ);
COMPARISON(not_equal, FUNCTION_NE);
COMPARISON(less, FUNCTION_LT);
COMPARISON(less_equal, FUNCTION_LE);
COMPARISON(greater, FUNCTION_GT);
COMPARISON(greater_equal, FUNCTION_GE);

/* tensor_power(t, exponent): raises every element to a power. */
PG_FUNCTION_INFO_V1(tensor_power);
Datum
tensor_power(PG_FUNCTION_ARGS)
{
	PG_RETURN_TENSOR_P(combine(FUNCTION_POWER, "power", PG_GETARG_TENSOR_P(0),
							   scalar_argument(PG_GETARG_FLOAT8(1))));
}
