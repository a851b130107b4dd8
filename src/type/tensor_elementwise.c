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
#include "kernels/function_type.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

static Tensor *
apply_to_elements(FunctionId function, Tensor *tensor)
{
	ValueType element = {(ElementType) tensor->type, false};
	FunctionType type = function_type(function, &element);
	TensorView in;
	TensorView out;
	Tensor *result;

	if (!type.defined)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("function tensor_%s does not take complex elements",
							   pointwise_functions[function].name),
						errdetail("The value's element type is %s.",
								  element_type_name(element.type))));
	tensor_view(tensor, &in);
	result = tensor_new(in.type, in.rank, in.bounds);
	tensor_view(result, &out);
	elementwise_unary(function, &in, &out);
	/* the absolute value of a complex element is real */
	if (type.result.type != in.type)
		result = tensor_convert(result, type.result.type);
	return result;
}

#define OF_OPERATOR(...)
#define OF_ELEMENTS(id, name, ...)                                                       \
	PG_FUNCTION_INFO_V1(tensor_##name);                                                  \
	Datum tensor_##name(PG_FUNCTION_ARGS)                                                \
	{                                                                                    \
		PG_RETURN_TENSOR_P(apply_to_elements(FUNCTION_##id, PG_GETARG_TENSOR_P(0)));     \
	}

OF_ELEMENTS(NEGATE, negate)
POINTWISE_FUNCTIONS(OF_OPERATOR, OF_ELEMENTS, OF_OPERATOR)
