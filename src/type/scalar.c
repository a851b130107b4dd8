/*-------------------------------------------------------------------------
 *
 * scalar.c
 *	  The pointwise functions on float8, for values that are fully promoted.
 *
 * PostgreSQL's own operators raise overflow, underflow and division errors;
 * programs mean IEEE arithmetic with 0 / x = 0. The arithmetic is that of the
 * kernels, included here so that a call costs no more than the call.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "compat.h"
#include "kernels/function_list.h"
#include "kernels/sine.h"

#define REAL double
#define NAME(f) f##8
#define MATH(f) f
#define SINE(x) sine(x)
#define COSINE(x) cosine(x)
#include "kernels/function_arithmetic.h"

#define SCALAR_UNARY(name)                                                               \
	PG_FUNCTION_INFO_V1(scalar_##name);                                                  \
	Datum scalar_##name(PG_FUNCTION_ARGS)                                                \
	{                                                                                    \
		PG_RETURN_FLOAT8(f_##name##8(PG_GETARG_FLOAT8(0)));                              \
	}                                                                                    \
	extern int no_such_variable
#define SCALAR_BINARY(name)                                                              \
	PG_FUNCTION_INFO_V1(scalar_##name);                                                  \
	Datum scalar_##name(PG_FUNCTION_ARGS)                                                \
	{                                                                                    \
		PG_RETURN_FLOAT8(f_##name##8(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1)));         \
	}                                                                                    \
	extern int no_such_variable
#define SCALAR_TERNARY(name)                                                             \
	PG_FUNCTION_INFO_V1(scalar_##name);                                                  \
	Datum scalar_##name(PG_FUNCTION_ARGS)                                                \
	{                                                                                    \
		PG_RETURN_FLOAT8(                                                                \
			f_##name##8(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2))); \
	}                                                                                    \
	extern int no_such_variable

#define SCALAR_OF_OPERATOR(id, name, symbol, arity, ...) SCALAR_##arity(name);
#define SCALAR_OF_ONE(id, name, ...) SCALAR_UNARY(name);
/* conversions get no functions: generated SQL writes them as casts */
#define SCALAR_OF_CONVERSION(id, name, ...)

POINTWISE_FUNCTIONS(SCALAR_OF_OPERATOR, SCALAR_OF_ONE, SCALAR_OF_CONVERSION)
