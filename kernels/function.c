/*-------------------------------------------------------------------------
 *
 * function.c
 *	  The table of pointwise functions.
 *
 * Each function's arithmetic is written once in function_arithmetic.h, as an
 * inline function for double and one for float; the scalar entry points and
 * the loops over arrays are generated from it, so they cannot differ.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "kernels/clones.h"
#include "kernels/function.h"
#include "kernels/sine.h"

/* double */
#define REAL double
#define NAME(f) f##8
#define MATH(function) function
#define SINE(x) sine(x)
#define COSINE(x) cosine(x)
#include "kernels/function_arithmetic.h"
#undef REAL
#undef NAME
#undef MATH
#undef SINE
#undef COSINE

/* float */
#define REAL float
#define NAME(f) f##4
#define MATH(function) function##f
#define SINE(x) sinf(x)
#define COSINE(x) cosf(x)
#include "kernels/function_arithmetic.h"
#undef REAL
#undef NAME
#undef MATH
#undef SINE
#undef COSINE

/*
 * A result may replace one of its arguments, element for element; nothing is
 * carried from one iteration to the next, which ivdep says.
 */
#define LOOP_UNARY(f, suffix, real)                                                      \
	KERNEL_CLONES static void f##_loop##suffix(int64_t n, const real *const *args,       \
											   real *out)                                \
	{                                                                                    \
		const real *a = args[0];                                                         \
                                                                                         \
		_Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) out[i] = f##suffix(a[i]);   \
	}
#define LOOP_BINARY(f, suffix, real)                                                     \
	KERNEL_CLONES static void f##_loop##suffix(int64_t n, const real *const *args,       \
											   real *out)                                \
	{                                                                                    \
		const real *a = args[0];                                                         \
		const real *b = args[1];                                                         \
                                                                                         \
		_Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) out[i] =                    \
			f##suffix(a[i], b[i]);                                                       \
	}
#define LOOP_TERNARY(f, suffix, real)                                                    \
	KERNEL_CLONES static void f##_loop##suffix(int64_t n, const real *const *args,       \
											   real *out)                                \
	{                                                                                    \
		const real *a = args[0];                                                         \
		const real *b = args[1];                                                         \
		const real *c = args[2];                                                         \
                                                                                         \
		_Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) out[i] =                    \
			f##suffix(a[i], b[i], c[i]);                                                 \
	}

#define UNARY(f)                                                                         \
	static double f##_scalar(const double *args)                                         \
	{                                                                                    \
		return f##8(args[0]);                                                            \
	}                                                                                    \
	LOOP_UNARY(f, 8, double)                                                             \
	LOOP_UNARY(f, 4, float)
#define BINARY(f)                                                                        \
	static double f##_scalar(const double *args)                                         \
	{                                                                                    \
		return f##8(args[0], args[1]);                                                   \
	}                                                                                    \
	LOOP_BINARY(f, 8, double)                                                            \
	LOOP_BINARY(f, 4, float)
#define TERNARY(f)                                                                       \
	static double f##_scalar(const double *args)                                         \
	{                                                                                    \
		return f##8(args[0], args[1], args[2]);                                          \
	}                                                                                    \
	LOOP_TERNARY(f, 8, double)                                                           \
	LOOP_TERNARY(f, 4, float)

/* Sine and cosine: with a loop without calls where all arguments are small enough. */
KERNEL_CLONES static bool
all_small(int64_t n, const double *a)
{
	int64_t large = 0;

	for (int64_t i = 0; i < n; i++)
		large += !(fabs(a[i]) <= SINE_MOST);
	return large == 0;
}

#define PERIODIC(f, quarters)                                                            \
	static double f##_scalar(const double *args)                                         \
	{                                                                                    \
		return f##8(args[0]);                                                            \
	}                                                                                    \
	KERNEL_CLONES static void f##_small(int64_t n, const double *a, double *out)         \
	{                                                                                    \
		_Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) out[i] =                    \
			sine_from_quarter(a[i], quarters);                                           \
	}                                                                                    \
	static void f##_loop8(int64_t n, const double *const *args, double *out)             \
	{                                                                                    \
		if (all_small(n, args[0]))                                                       \
			f##_small(n, args[0], out);                                                  \
		else                                                                             \
			for (int64_t i = 0; i < n; i++)                                              \
				out[i] = f##8(args[0][i]);                                               \
	}                                                                                    \
	LOOP_UNARY(f, 4, float)

/* clang-format off */
BINARY(f_add)
BINARY(f_subtract)
BINARY(f_multiply)
BINARY(f_divide)
BINARY(f_power)
UNARY(f_negate)
BINARY(f_eq)
BINARY(f_ne)
BINARY(f_lt)
BINARY(f_le)
BINARY(f_gt)
BINARY(f_ge)
BINARY(f_greatest)
BINARY(f_least)
TERNARY(f_if)
UNARY(f_abs)
UNARY(f_sign)
UNARY(f_sqrt)
UNARY(f_exp)
UNARY(f_ln)
PERIODIC(f_sin, 0)
PERIODIC(f_cos, 1)
UNARY(f_tanh)
UNARY(f_sigmoid)
UNARY(f_relu)
UNARY(f_floor)
UNARY(f_ceil)
UNARY(f_round)
UNARY(f_conj)
UNARY(f_real)
UNARY(f_imag)
UNARY(f_float4)
UNARY(f_float8)
UNARY(f_complex8)
UNARY(f_complex16)
BINARY(f_divide_ieee)

#define ROW(id, name, symbol, arity) \
	{id, #name, symbol, arity, f_##name##_scalar, f_##name##_loop8, f_##name##_loop4}

const PointwiseFunction pointwise_functions[FUNCTION_COUNT] = {
	[FUNCTION_ADD] = ROW(FUNCTION_ADD, add, "+", 2),
	[FUNCTION_SUBTRACT] = ROW(FUNCTION_SUBTRACT, subtract, "-", 2),
	[FUNCTION_MULTIPLY] = ROW(FUNCTION_MULTIPLY, multiply, "*", 2),
	[FUNCTION_DIVIDE] = ROW(FUNCTION_DIVIDE, divide, "/", 2),
	[FUNCTION_POWER] = ROW(FUNCTION_POWER, power, "^", 2),
	[FUNCTION_NEGATE] = ROW(FUNCTION_NEGATE, negate, "-", 1),
	[FUNCTION_EQ] = ROW(FUNCTION_EQ, eq, "==", 2),
	[FUNCTION_NE] = ROW(FUNCTION_NE, ne, "<>", 2),
	[FUNCTION_LT] = ROW(FUNCTION_LT, lt, "<", 2),
	[FUNCTION_LE] = ROW(FUNCTION_LE, le, "<=", 2),
	[FUNCTION_GT] = ROW(FUNCTION_GT, gt, ">", 2),
	[FUNCTION_GE] = ROW(FUNCTION_GE, ge, ">=", 2),
	[FUNCTION_GREATEST] = ROW(FUNCTION_GREATEST, greatest, NULL, 2),
	[FUNCTION_LEAST] = ROW(FUNCTION_LEAST, least, NULL, 2),
	[FUNCTION_IF] = ROW(FUNCTION_IF, if, NULL, 3),
	[FUNCTION_ABS] = ROW(FUNCTION_ABS, abs, NULL, 1),
	[FUNCTION_SIGN] = ROW(FUNCTION_SIGN, sign, NULL, 1),
	[FUNCTION_SQRT] = ROW(FUNCTION_SQRT, sqrt, NULL, 1),
	[FUNCTION_EXP] = ROW(FUNCTION_EXP, exp, NULL, 1),
	[FUNCTION_LN] = ROW(FUNCTION_LN, ln, NULL, 1),
	[FUNCTION_SIN] = ROW(FUNCTION_SIN, sin, NULL, 1),
	[FUNCTION_COS] = ROW(FUNCTION_COS, cos, NULL, 1),
	[FUNCTION_TANH] = ROW(FUNCTION_TANH, tanh, NULL, 1),
	[FUNCTION_SIGMOID] = ROW(FUNCTION_SIGMOID, sigmoid, NULL, 1),
	[FUNCTION_RELU] = ROW(FUNCTION_RELU, relu, NULL, 1),
	[FUNCTION_FLOOR] = ROW(FUNCTION_FLOOR, floor, NULL, 1),
	[FUNCTION_CEIL] = ROW(FUNCTION_CEIL, ceil, NULL, 1),
	[FUNCTION_ROUND] = ROW(FUNCTION_ROUND, round, NULL, 1),
	[FUNCTION_CONJ] = ROW(FUNCTION_CONJ, conj, NULL, 1),
	[FUNCTION_REAL] = ROW(FUNCTION_REAL, real, NULL, 1),
	[FUNCTION_IMAG] = ROW(FUNCTION_IMAG, imag, NULL, 1),
	[FUNCTION_FLOAT4] = ROW(FUNCTION_FLOAT4, float4, NULL, 1),
	[FUNCTION_FLOAT8] = ROW(FUNCTION_FLOAT8, float8, NULL, 1),
	[FUNCTION_COMPLEX8] = ROW(FUNCTION_COMPLEX8, complex8, NULL, 1),
	[FUNCTION_COMPLEX16] = ROW(FUNCTION_COMPLEX16, complex16, NULL, 1),
};

/* Not of the language: the operator "/" on two tensors, 0 / 0 is NaN. */
const PointwiseFunction pointwise_divide_ieee =
	{FUNCTION_DIVIDE, "divide_ieee", NULL, 2, f_divide_ieee_scalar,
	 f_divide_ieee_loop8, f_divide_ieee_loop4};
/* clang-format on */

const PointwiseFunction *
pointwise_function_by_name(const char *name)
{
	if (strcmp(name, "pow") == 0)
		return &pointwise_functions[FUNCTION_POWER];
	for (int i = 0; i < FUNCTION_COUNT; i++)
	{
		if (strcmp(name, pointwise_functions[i].name) == 0)
			return &pointwise_functions[i];
	}
	return NULL;
}
