/*-------------------------------------------------------------------------
 *
 * function_list.h
 *	  The table of the pointwise functions: what is known of each, in one row.
 *
 * The arithmetic of function NAME is f_NAME in function_arithmetic.h. All other code for each
 * function is generated from this table: FunctionId and the loops (function.h, function.c), complex
 * numbers (elementwise_complex.c, function_type.c), the functions of SQL (scalar.c,
 * tensor_elementwise.c, sql/functions.awk), what the algebra knows (expr/function_table.c),
 * and the table in docs/reference/language.md. The order is that of FunctionId.
 *
 * OPERATOR       in SQL scalar_NAME
 * ELEMENTWISE    of one number; in SQL scalar_NAME, and tensor_NAME for every element
 * CONVERSION     to an element type
 *
 * Columns:
 *
 * loops          PLAIN, or the loop of sine or cosine
 * work           the time that an element takes in a loop, as times that of an addition, 0.2 ns: measured with numbers of
 *                moderate size (AMD EPYC, 2026-11)
 * complex        REAL_ONLY   complex numbers have no such function
 *                SAME(f)     f gives a number of the same type
 *                TO_REAL(f)  f gives a real number
 *                CHOICE      chooses one of its arguments
 *                f is a function of the C library, for OPERATOR one of elementwise_complex.c
 * zero kills     arguments that make the result 0 if they are 0
 * linear in      arguments in which the function is linear: f of a sum is the sum of f
 * monotony       of a function of one number
 * total          gives a number or an infinity for every real number
 * not negative   never negative for real arguments
 * folds          the aggregate that repeats the function
 * distributed, and if not negative
 *                aggregates that may be moved from one argument to the function's result, if the
 *                other argument has none of their labels; and those for which this holds only
 *                if no argument is negative
 *
 * The last column says what the function gives, for SQL and the documents. ROUND is half to even,
 * as numpy's; IF(c, a, b) is a where c is not 0.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_FUNCTION_LIST_H
#define KERNELS_FUNCTION_LIST_H

/* clang-format off */
#define POINTWISE_FUNCTIONS(OPERATOR, ELEMENTWISE, CONVERSION) \
	/*       ID        name      symbol arity   work complex                 commutative zero kills  linear in       monotony total  not negative folds distributed if not negative */ \
	OPERATOR(ADD,      add,      "+",  BINARY,  1,   SAME(complex_add),      true,  0,              0,              NONE,    false, false, SUMS,     EXTREMES, 0,        "x + y") \
	OPERATOR(SUBTRACT, subtract, "-",  BINARY,  1,   SAME(complex_subtract), false, 0,              0,              NONE,    false, false, 0,        0,        0,        "x - y") \
	OPERATOR(MULTIPLY, multiply, "*",  BINARY,  1,   SAME(complex_multiply), true,  FIRST | SECOND, FIRST | SECOND, NONE,    false, false, PRODUCTS, SUMS,     EXTREMES, "x * y") \
	OPERATOR(DIVIDE,   divide,   "/",  BINARY,  2,   SAME(complex_divide),   false, FIRST,          FIRST,          NONE,    false, false, 0,        0,        0,        "x / y; 0 / y is 0") \
	OPERATOR(POWER,    power,    "^",  BINARY,  50,  SAME(complex_power),    false, 0,              0,              NONE,    false, false, 0,        0,        0,        "x to the power y") \
	OPERATOR(NEGATE,   negate,   "-",  UNARY,   1,   SAME(complex_negate),   false, FIRST,          FIRST,          FALLING, true,  false, 0,        0,        0,        "-x") \
	OPERATOR(EQ,       eq,       "==", BINARY,  1,   TO_REAL(complex_eq),    true,  0,              0,              NONE,    false, true,  0,        0,        0,        "1 if x = y, else 0") \
	OPERATOR(NE,       ne,       "<>", BINARY,  1,   TO_REAL(complex_ne),    true,  0,              0,              NONE,    false, true,  0,        0,        0,        "1 if x <> y, else 0") \
	OPERATOR(LT,       lt,       "<",  BINARY,  1,   REAL_ONLY,              false, 0,              0,              NONE,    false, true,  0,        0,        0,        "1 if x < y, else 0") \
	OPERATOR(LE,       le,       "<=", BINARY,  1,   REAL_ONLY,              false, 0,              0,              NONE,    false, true,  0,        0,        0,        "1 if x <= y, else 0") \
	OPERATOR(GT,       gt,       ">",  BINARY,  1,   REAL_ONLY,              false, 0,              0,              NONE,    false, true,  0,        0,        0,        "1 if x > y, else 0") \
	OPERATOR(GE,       ge,       ">=", BINARY,  1,   REAL_ONLY,              false, 0,              0,              NONE,    false, true,  0,        0,        0,        "1 if x >= y, else 0") \
	OPERATOR(GREATEST, greatest, NULL, BINARY,  1,   REAL_ONLY,              true,  0,              0,              NONE,    false, false, MAXIMA,   EXTREMES, 0,        "the larger; NaN if one is") \
	OPERATOR(LEAST,    least,    NULL, BINARY,  1,   REAL_ONLY,              true,  0,              0,              NONE,    false, false, MINIMA,   EXTREMES, 0,        "the smaller; NaN if one is") \
	OPERATOR(IF,       if,       NULL, TERNARY, 1,   CHOICE,                 false, 0,              0,              NONE,    false, false, 0,        0,        0,        "the second where the first is not 0, else the third") \
	/*          ID       name     loops   work complex         zero kills monotony total not negative */ \
	ELEMENTWISE(ABS,     abs,     PLAIN,  1,   TO_REAL(cabs),  FIRST, NONE,   false, true,  "absolute value") \
	ELEMENTWISE(SIGN,    sign,    PLAIN,  1,   REAL_ONLY,      FIRST, RISING, false, false, "sign: -1, 0 or 1") \
	ELEMENTWISE(SQRT,    sqrt,    PLAIN,  3,   SAME(csqrt),    FIRST, RISING, false, true,  "square root") \
	ELEMENTWISE(EXP,     exp,     PLAIN,  25,  SAME(cexp),     0,     RISING, true,  true,  "exponential") \
	ELEMENTWISE(LN,      ln,      PLAIN,  25,  SAME(clog),     0,     RISING, false, false, "natural logarithm") \
	ELEMENTWISE(SIN,     sin,     SINE,   12,  SAME(csin),     FIRST, NONE,   false, false, "sine") \
	ELEMENTWISE(COS,     cos,     COSINE, 12,  SAME(ccos),     0,     NONE,   false, false, "cosine") \
	ELEMENTWISE(TANH,    tanh,    PLAIN,  50,  SAME(ctanh),    FIRST, RISING, true,  false, "hyperbolic tangent") \
	ELEMENTWISE(SIGMOID, sigmoid, PLAIN,  28,  REAL_ONLY,      0,     RISING, true,  true,  "1 / (1 + exp(-x))") \
	ELEMENTWISE(RELU,    relu,    PLAIN,  1,   REAL_ONLY,      FIRST, RISING, true,  true,  "0 where negative") \
	ELEMENTWISE(FLOOR,   floor,   PLAIN,  1,   REAL_ONLY,      FIRST, RISING, true,  false, "nearest integer below") \
	ELEMENTWISE(CEIL,    ceil,    PLAIN,  1,   REAL_ONLY,      FIRST, RISING, true,  false, "nearest integer above") \
	ELEMENTWISE(ROUND,   round,   PLAIN,  1,   REAL_ONLY,      FIRST, RISING, true,  false, "nearest integer, half to even") \
	ELEMENTWISE(CONJ,    conj,    PLAIN,  1,   SAME(conj),     FIRST, NONE,   false, false, "complex conjugate") \
	ELEMENTWISE(REAL,    real,    PLAIN,  1,   TO_REAL(creal), FIRST, NONE,   false, false, "real part") \
	ELEMENTWISE(IMAG,    imag,    PLAIN,  1,   TO_REAL(cimag), FIRST, NONE,   false, false, "imaginary part, 0 of real elements") \
	/*         ID         name       monotony */ \
	CONVERSION(FLOAT4,    float4,    RISING) \
	CONVERSION(FLOAT8,    float8,    RISING) \
	CONVERSION(COMPLEX8,  complex8,  NONE) \
	CONVERSION(COMPLEX16, complex16, NONE)
/* clang-format on */

#endif
