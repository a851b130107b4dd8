/*-------------------------------------------------------------------------
 *
 * function_arithmetic.h
 *	  The arithmetic of each pointwise function; included by function.c once per
 *	  precision, with REAL, NAME(f), MATH(f), SINE(x) and COSINE(x) defined. No
 *	  include guard.
 *
 * Conditions are written as selections between two values that are both
 * computed, so that the loops over arrays vectorize.
 *
 *-------------------------------------------------------------------------
 */

static inline REAL
NAME(f_add)(REAL x, REAL y)
{
	return x + y;
}

static inline REAL
NAME(f_subtract)(REAL x, REAL y)
{
	return x - y;
}

static inline REAL
NAME(f_multiply)(REAL x, REAL y)
{
	return x * y;
}

static inline REAL
NAME(f_divide_ieee)(REAL x, REAL y)
{
	return x / y;
}

/* 0 / x is 0 for every x: an absent entry stays absent. */
static inline REAL
NAME(f_divide)(REAL x, REAL y)
{
	REAL quotient = x / y;

	return x == 0 ? 0 : quotient;
}

/* x^2 is computed as a product: rounded correctly, and in a fraction of pow's time. */
static inline REAL
NAME(f_power)(REAL x, REAL y)
{
	return y == 2 ? x * x : MATH(pow)(x, y);
}

static inline REAL
NAME(f_negate)(REAL x)
{
	return -x;
}

static inline REAL
NAME(f_eq)(REAL x, REAL y)
{
	return x == y ? 1 : 0;
}

static inline REAL
NAME(f_ne)(REAL x, REAL y)
{
	return x != y ? 1 : 0;
}

static inline REAL
NAME(f_lt)(REAL x, REAL y)
{
	return x < y ? 1 : 0;
}

static inline REAL
NAME(f_le)(REAL x, REAL y)
{
	return x <= y ? 1 : 0;
}

static inline REAL
NAME(f_gt)(REAL x, REAL y)
{
	return x > y ? 1 : 0;
}

static inline REAL
NAME(f_ge)(REAL x, REAL y)
{
	return x >= y ? 1 : 0;
}

/* If y is NaN, the comparison fails and y is returned; if x is NaN, x != x returns it. */
static inline REAL
NAME(f_greatest)(REAL x, REAL y)
{
	return (x > y) | (x != x) ? x : y;
}

static inline REAL
NAME(f_least)(REAL x, REAL y)
{
	return (x < y) | (x != x) ? x : y;
}

/* NaN counts as not 0. */
static inline REAL
NAME(f_if)(REAL condition, REAL x, REAL y)
{
	return condition != 0 ? x : y;
}

static inline REAL
NAME(f_abs)(REAL x)
{
	return MATH(fabs)(x);
}

static inline REAL
NAME(f_sign)(REAL x)
{
	REAL sign = (x > 0 ? (REAL) 1 : (REAL) 0) - (x < 0 ? (REAL) 1 : (REAL) 0);

	return x != x ? x : sign;
}

static inline REAL
NAME(f_sqrt)(REAL x)
{
	return MATH(sqrt)(x);
}

static inline REAL
NAME(f_exp)(REAL x)
{
	return MATH(exp)(x);
}

static inline REAL
NAME(f_ln)(REAL x)
{
	return MATH(log)(x);
}

static inline REAL
NAME(f_sin)(REAL x)
{
	return SINE(x);
}

static inline REAL
NAME(f_cos)(REAL x)
{
	return COSINE(x);
}

static inline REAL
NAME(f_tanh)(REAL x)
{
	return MATH(tanh)(x);
}

/* exp gets an argument <= 0, so that it cannot overflow. */
static inline REAL
NAME(f_sigmoid)(REAL x)
{
	REAL e = MATH(exp)(-MATH(fabs)(x));

	return (x < 0 ? e : 1) / (1 + e);
}

static inline REAL
NAME(f_relu)(REAL x)
{
	return x < 0 ? 0 : x;
}

static inline REAL
NAME(f_floor)(REAL x)
{
	return MATH(floor)(x);
}

static inline REAL
NAME(f_ceil)(REAL x)
{
	return MATH(ceil)(x);
}

/* conj, real and imag of a real number; for complex numbers see elementwise_complex.c. */
static inline REAL
NAME(f_conj)(REAL x)
{
	return x;
}

static inline REAL
NAME(f_real)(REAL x)
{
	return x;
}

static inline REAL
NAME(f_imag)(REAL x)
{
	return 0;
}

/* Conversions: the number as the element type in the function's name represents it. */
static inline REAL
NAME(f_float4)(REAL x)
{
	return (float) x;
}

static inline REAL
NAME(f_float8)(REAL x)
{
	return x;
}

static inline REAL
NAME(f_complex8)(REAL x)
{
	return (float) x;
}

static inline REAL
NAME(f_complex16)(REAL x)
{
	return x;
}

/* Rounds half to even, in the default rounding mode. */
static inline REAL
NAME(f_round)(REAL x)
{
	return MATH(rint)(x);
}
