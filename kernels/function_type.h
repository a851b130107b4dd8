/*-------------------------------------------------------------------------
 *
 * function_type.h
 *	  Element types of pointwise functions: what a function's arguments are
 *	  converted to, and the type of its result.
 *
 * Types promote as numpy's. A number that is written in a program is weak: it
 * has no type of its own and takes that of what it meets, as Python's numbers
 * do (NEP 50), except that an imaginary one makes a real type complex.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_FUNCTION_TYPE_H
#define KERNELS_FUNCTION_TYPE_H

#include "kernels/function.h"
#include "kernels/tensor_view.h"

/* A number of any element type, as double precision complex. */
typedef double _Complex Number;

/* Are the real and the imaginary part finite? */
extern bool number_is_finite(Number number);

/* The element type of an argument or a result. */
typedef struct ValueType
{
	ElementType type; /* of a weak one: float8 or complex16 */
	bool weak;
} ValueType;

typedef struct FunctionType
{
	bool defined;          /* false: complex numbers have no such function */
	ElementType arguments; /* but for the condition of if, which stays as it is */
	ValueType result;
} FunctionType;

extern FunctionType function_type(FunctionId function, const ValueType *args);

/* Returns the type to which two values promote. */
extern ValueType value_type_promote(ValueType a, ValueType b);

/* The type of the real part of a complex type (float4 of complex8), and the reverse. */
extern ElementType element_real_type(ElementType type);
extern ElementType element_complex_type(ElementType type);

/* Returns the function that converts to an element type. */
extern FunctionId conversion_function(ElementType type);

/* Returns a number as an element type represents it: rounded if its parts are float4. */
extern Number number_as(ElementType type, Number number);

/*
 * Computes f(args) for numbers of these types, with the code and the rounding of the
 * kernels. The function must be defined for the types.
 */
extern Number function_of_numbers(FunctionId function, const ValueType *types,
								  const Number *args);

/*
 * out[0..n) = f(args[k][0..n)) for arguments of the given types; out has the type of the
 * result and may be args[0]. work has room for FUNCTION_MAX_ARGS times n elements of
 * complex16.
 */
extern void function_loop(FunctionId function, const FunctionType *type,
						  const ElementType *arg_types, int64_t n,
						  const void *const *args, void *out, void *work);

#endif
