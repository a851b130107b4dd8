/*-------------------------------------------------------------------------
 *
 * function_table.c
 *	  The algebra of the pointwise functions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/function_table.h"

#define NONE MONOTONE_NONE
#define RISING MONOTONE_RISING
#define FALLING MONOTONE_FALLING
#define FIRST 1u
#define SECOND 2u
#define SUMS (1u << AGGREGATE_SUM)
#define PRODUCTS (1u << AGGREGATE_PROD)
#define MINIMA (1u << AGGREGATE_MIN)
#define MAXIMA (1u << AGGREGATE_MAX)
#define EXTREMES (MINIMA | MAXIMA)

/* clang-format off */
static const FunctionProperties properties[FUNCTION_COUNT] = {
	/*                   commutative zero kills      linear in       monotony total  not negative folds     distributed if not negative */
	{FUNCTION_ADD,       true,       0,              0,              NONE,    false, false,       SUMS,     EXTREMES,   0},
	{FUNCTION_SUBTRACT,  false,      0,              0,              NONE,    false, false,       0,        0,          0},
	{FUNCTION_MULTIPLY,  true,       FIRST | SECOND, FIRST | SECOND, NONE,    false, false,       PRODUCTS, SUMS,       EXTREMES},
	{FUNCTION_DIVIDE,    false,      FIRST,          FIRST,          NONE,    false, false,       0,        0,          0},
	{FUNCTION_POWER,     false,      0,              0,              NONE,    false, false,       0,        0,          0},
	{FUNCTION_NEGATE,    false,      FIRST,          FIRST,          FALLING, true,  false,       0,        0,          0},
	{FUNCTION_EQ,        true,       0,              0,              NONE,    false, true,        0,        0,          0},
	{FUNCTION_NE,        true,       0,              0,              NONE,    false, true,        0,        0,          0},
	{FUNCTION_LT,        false,      0,              0,              NONE,    false, true,        0,        0,          0},
	{FUNCTION_LE,        false,      0,              0,              NONE,    false, true,        0,        0,          0},
	{FUNCTION_GT,        false,      0,              0,              NONE,    false, true,        0,        0,          0},
	{FUNCTION_GE,        false,      0,              0,              NONE,    false, true,        0,        0,          0},
	{FUNCTION_GREATEST,  true,       0,              0,              NONE,    false, false,       MAXIMA,   EXTREMES,   0},
	{FUNCTION_LEAST,     true,       0,              0,              NONE,    false, false,       MINIMA,   EXTREMES,   0},
	{FUNCTION_IF,        false,      0,              0,              NONE,    false, false,       0,        0,          0},
	{FUNCTION_ABS,       false,      FIRST,          0,              NONE,    false, true,        0,        0,          0},
	{FUNCTION_SIGN,      false,      FIRST,          0,              RISING,  false, false,       0,        0,          0},
	{FUNCTION_SQRT,      false,      FIRST,          0,              RISING,  false, true,        0,        0,          0},
	{FUNCTION_EXP,       false,      0,              0,              RISING,  true,  true,        0,        0,          0},
	{FUNCTION_LN,        false,      0,              0,              RISING,  false, false,       0,        0,          0},
	{FUNCTION_SIN,       false,      FIRST,          0,              NONE,    false, false,       0,        0,          0},
	{FUNCTION_COS,       false,      0,              0,              NONE,    false, false,       0,        0,          0},
	{FUNCTION_TANH,      false,      FIRST,          0,              RISING,  true,  false,       0,        0,          0},
	{FUNCTION_SIGMOID,   false,      0,              0,              RISING,  true,  true,        0,        0,          0},
	{FUNCTION_RELU,      false,      FIRST,          0,              RISING,  true,  true,        0,        0,          0},
	{FUNCTION_FLOOR,     false,      FIRST,          0,              RISING,  true,  false,       0,        0,          0},
	{FUNCTION_CEIL,      false,      FIRST,          0,              RISING,  true,  false,       0,        0,          0},
	{FUNCTION_ROUND,     false,      FIRST,          0,              RISING,  true,  false,       0,        0,          0},
	{FUNCTION_CONJ,      false,      FIRST,          0,              NONE,    false, false,       0,        0,          0},
	{FUNCTION_REAL,      false,      FIRST,          0,              NONE,    false, false,       0,        0,          0},
	{FUNCTION_IMAG,      false,      FIRST,          0,              NONE,    false, false,       0,        0,          0},
	{FUNCTION_FLOAT4,    false,      FIRST,          0,              RISING,  false, false,       0,        0,          0},
	{FUNCTION_FLOAT8,    false,      FIRST,          0,              RISING,  false, false,       0,        0,          0},
	{FUNCTION_COMPLEX8,  false,      FIRST,          0,              NONE,    false, false,       0,        0,          0},
	{FUNCTION_COMPLEX16, false,      FIRST,          0,              NONE,    false, false,       0,        0,          0},
};
/* clang-format on */

/*
 * The row of a function. The table is written in the order of FunctionId.
 */
const FunctionProperties *
function_properties(FunctionId function)
{
	Assert(function >= 0 && function < FUNCTION_COUNT);
	Assert(properties[function].id == function);
	return &properties[function];
}

const char *
function_written(FunctionId function)
{
	const PointwiseFunction *row = &pointwise_functions[function];

	return row->symbol ? row->symbol : row->name;
}

bool
is_comparison(FunctionId function)
{
	switch (function)
	{
		case FUNCTION_EQ:
		case FUNCTION_NE:
		case FUNCTION_LT:
		case FUNCTION_LE:
		case FUNCTION_GT:
		case FUNCTION_GE:
			return true;
		default:
			return false;
	}
}
