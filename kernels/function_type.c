/*-------------------------------------------------------------------------
 *
 * function_type.c
 *	  Element types of pointwise functions, and functions of arguments of
 *	  different types.
 *
 *-------------------------------------------------------------------------
 */
#include <complex.h>
#include <math.h>

#include "kernels/elementwise.h"
#include "kernels/function_type.h"
#include "kernels/kernels.h"

bool
number_is_finite(Number number)
{
	return isfinite(creal(number)) && isfinite(cimag(number));
}

ElementType
element_real_type(ElementType type)
{
	return type == ELEMENT_COMPLEX8    ? ELEMENT_FLOAT4
		   : type == ELEMENT_COMPLEX16 ? ELEMENT_FLOAT8
									   : type;
}

ElementType
element_complex_type(ElementType type)
{
	return type == ELEMENT_FLOAT4   ? ELEMENT_COMPLEX8
		   : type == ELEMENT_FLOAT8 ? ELEMENT_COMPLEX16
									: type;
}

ValueType
value_type_promote(ValueType a, ValueType b)
{
	ValueType result = a;

	if (a.weak == b.weak)
	{
		result.type = element_promote(a.type, b.type);
		return result;
	}
	result.type = a.weak ? b.type : a.type;
	result.weak = false;
	if (element_is_complex(a.weak ? a.type : b.type))
		result.type = element_complex_type(result.type);
	return result;
}

FunctionId
conversion_function(ElementType type)
{
	switch (type)
	{
		case ELEMENT_FLOAT4:
			return FUNCTION_FLOAT4;
		case ELEMENT_FLOAT8:
			return FUNCTION_FLOAT8;
		case ELEMENT_COMPLEX8:
			return FUNCTION_COMPLEX8;
		case ELEMENT_COMPLEX16:
			break;
	}
	return FUNCTION_COMPLEX16;
}

static ElementType
conversion_target(FunctionId function)
{
	return function == FUNCTION_FLOAT4     ? ELEMENT_FLOAT4
		   : function == FUNCTION_FLOAT8   ? ELEMENT_FLOAT8
		   : function == FUNCTION_COMPLEX8 ? ELEMENT_COMPLEX8
										   : ELEMENT_COMPLEX16;
}

/* What a function gives for complex numbers. */
typedef enum OfComplex
{
	COMPLEX_REAL_ONLY,  /* nothing */
	COMPLEX_SAME,       /* a number of their type */
	COMPLEX_TO_REAL,    /* a real number */
	COMPLEX_CONVERSION, /* a number of the type that it names, if that is complex */
} OfComplex;

#define COMPLEX_SAME(f) COMPLEX_SAME
#define COMPLEX_TO_REAL(f) COMPLEX_TO_REAL
#define COMPLEX_CHOICE COMPLEX_SAME
#define OF_OPERATOR(id, name, symbol, arity, work, complex, ...)                         \
	[FUNCTION_##id] = COMPLEX_##complex,
#define OF_ELEMENTS(id, name, loops, work, complex, ...)                                 \
	[FUNCTION_##id] = COMPLEX_##complex,
#define OF_CONVERSION(id, ...) [FUNCTION_##id] = COMPLEX_CONVERSION,

static const OfComplex of_complex[FUNCTION_COUNT] = {
	POINTWISE_FUNCTIONS(OF_OPERATOR, OF_ELEMENTS, OF_CONVERSION)};

/* Returns the type of a conversion function, whose result has the type it names. */
static FunctionType
conversion_type(ElementType type, ElementType from)
{
	FunctionType result = {true, type, {type, false}};

	/* a complex number does not convert to a real one: use real() or abs() instead */
	result.defined = element_is_complex(type) || !element_is_complex(from);
	return result;
}

/*
 * Returns the argument and result types of a function. For "if" the two branches promote;
 * if both are weak, they take the precision of the condition.
 */
FunctionType
function_type(FunctionId function, const ValueType *args)
{
	int first = function == FUNCTION_IF ? 1 : 0;
	ValueType common = args[first];
	FunctionType result;

	for (int i = first + 1; i < pointwise_functions[function].arity; i++)
		common = value_type_promote(common, args[i]);
	if (function == FUNCTION_IF && common.weak && !args[0].weak)
	{
		ValueType condition = {element_real_type(args[0].type), false};

		common = value_type_promote(common, condition);
	}
	result.defined = true;
	result.arguments = common.type;
	result.result = common;

	switch (of_complex[function])
	{
		case COMPLEX_REAL_ONLY:
			result.defined = !element_is_complex(common.type);
			break;
		case COMPLEX_TO_REAL:
			result.result.type = element_real_type(common.type);
			break;
		case COMPLEX_SAME:
			break;
		case COMPLEX_CONVERSION:
			return conversion_type(conversion_target(function), common.type);
	}
	return result;
}

/* Converts n contiguous elements; source and target do not overlap. */
static void
convert(int64_t n, ElementType from_type, const void *from, ElementType to_type, void *to)
{
	TensorView source;
	TensorView target;

	view_contiguous(&source, from_type, 1, &n, (void *) from);
	view_contiguous(&target, to_type, 1, &n, to);
	view_copy(&source, &target);
}

/* Writes 1 of to_type for each element that is not 0, and 0 for each that is 0. */
static void
truth(int64_t n, ElementType from_type, const void *from, ElementType to_type, void *to)
{
	for (int64_t i = 0; i < n; i++)
	{
		bool is_true = false;

		switch (from_type)
		{
			case ELEMENT_FLOAT4:
				is_true = ((const float *) from)[i] != 0;
				break;
			case ELEMENT_FLOAT8:
				is_true = ((const double *) from)[i] != 0;
				break;
			case ELEMENT_COMPLEX8:
				is_true = ((const float _Complex *) from)[i] != 0;
				break;
			case ELEMENT_COMPLEX16:
				is_true = ((const double _Complex *) from)[i] != 0;
				break;
		}
		switch (to_type)
		{
			case ELEMENT_FLOAT4:
				((float *) to)[i] = is_true;
				break;
			case ELEMENT_FLOAT8:
				((double *) to)[i] = is_true;
				break;
			case ELEMENT_COMPLEX8:
				((float _Complex *) to)[i] = is_true;
				break;
			case ELEMENT_COMPLEX16:
				((double _Complex *) to)[i] = is_true;
				break;
		}
	}
}

void
function_loop(FunctionId function, const FunctionType *type, const ElementType *arg_types,
			  int64_t n, const void *const *args, void *out, void *work)
{
	const PointwiseFunction *row = &pointwise_functions[function];
	const void *converted[FUNCTION_MAX_ARGS];

	for (int k = 0; k < row->arity; k++)
	{
		char *room = (char *) work + (size_t) (k * n) * sizeof(double _Complex);

		converted[k] = room;
		if (function == FUNCTION_IF && k == 0)
			truth(n, arg_types[k], args[k], type->arguments, room);
		else if (arg_types[k] != type->arguments)
			convert(n, arg_types[k], args[k], type->arguments, room);
		else
			converted[k] = args[k];
	}
	if (element_is_complex(type->arguments))
		complex_loop(function, type->arguments, type->result.type, n, converted, out);
	else if (type->arguments == ELEMENT_FLOAT8)
		row->loop8(n, (const double *const *) converted, out);
	else
		row->loop4(n, (const float *const *) converted, out);
}

Number
number_as(ElementType type, Number number)
{
	if (element_is_single(type))
		return CMPLX((float) creal(number), (float) cimag(number));
	return number;
}

Number
function_of_numbers(FunctionId function, const ValueType *types, const Number *args)
{
	FunctionType type = function_type(function, types);
	ElementType arg_types[FUNCTION_MAX_ARGS];
	Number elements[FUNCTION_MAX_ARGS];
	const void *pointers[FUNCTION_MAX_ARGS];
	Number work[FUNCTION_MAX_ARGS];
	Number element = 0;
	Number result = 0;

	for (int k = 0; k < pointwise_functions[function].arity; k++)
	{
		arg_types[k] = types[k].type;
		pointers[k] = &elements[k];
		convert(1, ELEMENT_COMPLEX16, &args[k], types[k].type, &elements[k]);
	}
	function_loop(function, &type, arg_types, 1, pointers, &element, work);
	convert(1, type.result.type, &element, ELEMENT_COMPLEX16, &result);
	return result;
}
