/*-------------------------------------------------------------------------
 *
 * function.c
 *	  The scalar functions and loops of the pointwise functions.
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
 * out may be one of the arguments, element for element: no iteration depends on another
 * one, which ivdep tells the compiler.
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

/* Sine and cosine use a loop without calls if all arguments are small enough for it. */
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

#define SINE(f) PERIODIC(f, 0)
#define COSINE(f) PERIODIC(f, 1)
#define PLAIN(f) UNARY(f)

#define LOOPS_OF_OPERATOR(id, name, symbol, arity, ...) arity(f_##name)
#define LOOPS_OF_ELEMENTWISE(id, name, loops, ...) loops(f_##name)
#define LOOPS_OF_CONVERSION(id, name, ...) UNARY(f_##name)

POINTWISE_FUNCTIONS(LOOPS_OF_OPERATOR, LOOPS_OF_ELEMENTWISE, LOOPS_OF_CONVERSION)
BINARY(f_divide_ieee)

/* clang-format off */
#define ARITY_UNARY 1
#define ARITY_BINARY 2
#define ARITY_TERNARY 3

#define ROW(id, name, symbol, arity, work) \
	[FUNCTION_##id] = {FUNCTION_##id, #name, symbol, arity, work, f_##name##_scalar, f_##name##_loop8, f_##name##_loop4},
#define ROW_OF_OPERATOR(id, name, symbol, arity, work, ...) ROW(id, name, symbol, ARITY_##arity, work)
#define ROW_OF_ELEMENTWISE(id, name, loops, work, ...) ROW(id, name, NULL, 1, work)
#define ROW_OF_CONVERSION(id, name, ...) ROW(id, name, NULL, 1, 1)

const PointwiseFunction pointwise_functions[FUNCTION_COUNT] = {
	POINTWISE_FUNCTIONS(ROW_OF_OPERATOR, ROW_OF_ELEMENTWISE, ROW_OF_CONVERSION)
};

/*
 * Not a function of the language: the SQL operator "/" of two tensors, where 0 / 0 is
 * NaN.
 */
const PointwiseFunction pointwise_divide_ieee =
	{FUNCTION_DIVIDE, "divide_ieee", NULL, 2, 2, f_divide_ieee_scalar,
	 f_divide_ieee_loop8, f_divide_ieee_loop4};
/* clang-format on */

/* The work of x^2, which is computed as a product. */
#define SQUARE_WORK 5

int
function_work(FunctionId function, double last)
{
	return function == FUNCTION_POWER && last == 2 ? SQUARE_WORK
												   : pointwise_functions[function].work;
}

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
