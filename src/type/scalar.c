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

SCALAR_BINARY(add);
SCALAR_BINARY(subtract);
SCALAR_BINARY(multiply);
SCALAR_BINARY(divide);
SCALAR_BINARY(power);
SCALAR_UNARY(negate);
SCALAR_BINARY(eq);
SCALAR_BINARY(ne);
SCALAR_BINARY(lt);
SCALAR_BINARY(le);
SCALAR_BINARY(gt);
SCALAR_BINARY(ge);
SCALAR_BINARY(greatest);
SCALAR_BINARY(least);
SCALAR_TERNARY(if);
SCALAR_UNARY(abs);
SCALAR_UNARY(sign);
SCALAR_UNARY(sqrt);
SCALAR_UNARY(exp);
SCALAR_UNARY(ln);
SCALAR_UNARY(sin);
SCALAR_UNARY(cos);
SCALAR_UNARY(tanh);
SCALAR_UNARY(sigmoid);
SCALAR_UNARY(relu);
SCALAR_UNARY(floor);
SCALAR_UNARY(ceil);
SCALAR_UNARY(round);
SCALAR_UNARY(conj);
SCALAR_UNARY(real);
SCALAR_UNARY(imag);
