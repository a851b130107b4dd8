/*-------------------------------------------------------------------------
 *
 * tensor_elementwise.c
 *	  Functions of one number, applied to every element: tensor_exp and its
 *	  kind.
 *
 * The arithmetic is that of the kernels' function table. The names start with
 * tensor_ because an exp(tensor) would make exp('1') ambiguous in every
 * database that has the extension.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

/* Has the function a value for complex numbers? Order and rounding have none. */
static bool
takes_complex(FunctionId function)
{
	switch (function)
	{
		case FUNCTION_NEGATE:
		case FUNCTION_ABS:
		case FUNCTION_SQRT:
		case FUNCTION_EXP:
		case FUNCTION_LN:
		case FUNCTION_SIN:
		case FUNCTION_COS:
		case FUNCTION_TANH:
		case FUNCTION_CONJ:
		case FUNCTION_REAL:
		case FUNCTION_IMAG:
			return true;
		default:
			return false;
	}
}

static Tensor *
apply(FunctionId function, Tensor *tensor)
{
	TensorView in;
	TensorView out;
	Tensor *result;

	if (element_is_complex((ElementType) tensor->type) && !takes_complex(function))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("function tensor_%s does not take complex elements",
							   pointwise_functions[function].name),
						errdetail("The value's element type is %s.",
								  element_type_name((ElementType) tensor->type))));
	tensor_view(tensor, &in);
	result = tensor_new(in.type, in.rank, in.bounds);
	tensor_view(result, &out);
	elementwise_unary(function, &in, &out);
	/* an absolute value is real, as both parts are */
	if ((function == FUNCTION_ABS || function == FUNCTION_REAL ||
		 function == FUNCTION_IMAG) &&
		element_is_complex(in.type))
		result = tensor_convert(result, in.type == ELEMENT_COMPLEX8 ? ELEMENT_FLOAT4
																	: ELEMENT_FLOAT8);
	return result;
}

#define ELEMENTWISE(name, function)                                                      \
	PG_FUNCTION_INFO_V1(tensor_##name);                                                  \
	Datum tensor_##name(PG_FUNCTION_ARGS)                                                \
	{                                                                                    \
		PG_RETURN_TENSOR_P(apply(function, PG_GETARG_TENSOR_P(0)));                      \
	}                                                                                    \
	extern int no_such_variable

ELEMENTWISE(negate, FUNCTION_NEGATE);
ELEMENTWISE(abs, FUNCTION_ABS);
ELEMENTWISE(sign, FUNCTION_SIGN);
ELEMENTWISE(sqrt, FUNCTION_SQRT);
ELEMENTWISE(exp, FUNCTION_EXP);
ELEMENTWISE(ln, FUNCTION_LN);
ELEMENTWISE(sin, FUNCTION_SIN);
ELEMENTWISE(cos, FUNCTION_COS);
ELEMENTWISE(tanh, FUNCTION_TANH);
ELEMENTWISE(sigmoid, FUNCTION_SIGMOID);
ELEMENTWISE(relu, FUNCTION_RELU);
ELEMENTWISE(floor, FUNCTION_FLOOR);
ELEMENTWISE(ceil, FUNCTION_CEIL);
ELEMENTWISE(round, FUNCTION_ROUND);
ELEMENTWISE(conj, FUNCTION_CONJ);
ELEMENTWISE(real, FUNCTION_REAL);
ELEMENTWISE(imag, FUNCTION_IMAG);
