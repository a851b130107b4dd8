/*-------------------------------------------------------------------------
 *
 * function_table.c
 *	  The algebra of the pointwise functions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "expr/function_table.h"

#define NO_IDENTITY NAN
#define FIRST 1u
#define SECOND 2u
#define SUMS (1u << AGGREGATE_SUM)
#define EXTREMES (1u << AGGREGATE_MIN | 1u << AGGREGATE_MAX)

/* clang-format off */
static const FunctionProperties properties[FUNCTION_COUNT] = {
	/*                      commutative idempotent linear zero kills      identity     monotony  never negative, total, distributed, the same if not negative */
	{FUNCTION_ADD,          true,       false,     false, 0,              0.0,         MONOTONE_NONE, false, false, EXTREMES, 0},
	{FUNCTION_SUBTRACT,     false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, false, false, 0, 0},
	{FUNCTION_MULTIPLY,     true,       false,     false, FIRST | SECOND, 1.0,         MONOTONE_NONE, false, false, SUMS, EXTREMES},
	{FUNCTION_DIVIDE,       false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_NONE, false, false, 0, 0},
	{FUNCTION_POWER,        false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, false, false, 0, 0},
	{FUNCTION_NEGATE,       false,      false,     true,  FIRST,          NO_IDENTITY, MONOTONE_FALLING, false, true, 0, 0},
	{FUNCTION_EQ,           true,       false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true, false, 0, 0},
	{FUNCTION_NE,           true,       false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true, false, 0, 0},
	{FUNCTION_LT,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true, false, 0, 0},
	{FUNCTION_LE,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true, false, 0, 0},
	{FUNCTION_GT,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true, false, 0, 0},
	{FUNCTION_GE,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true, false, 0, 0},
	{FUNCTION_GREATEST,     true,       true,      false, 0,              -INFINITY,   MONOTONE_NONE, false, false, EXTREMES, 0},
	{FUNCTION_LEAST,        true,       true,      false, 0,              INFINITY,    MONOTONE_NONE, false, false, EXTREMES, 0},
	{FUNCTION_IF,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, false, false, 0, 0},
	{FUNCTION_ABS,          false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_NONE, true, false, 0, 0},
	{FUNCTION_SIGN,         false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false, false, 0, 0},
	{FUNCTION_SQRT,         false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, true, false, 0, 0},
	{FUNCTION_EXP,          false,      false,     false, 0,              NO_IDENTITY, MONOTONE_RISING, true, true, 0, 0},
	{FUNCTION_LN,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_RISING, false, false, 0, 0},
	{FUNCTION_SIN,          false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_NONE, false, false, 0, 0},
	{FUNCTION_COS,          false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, false, false, 0, 0},
	{FUNCTION_TANH,         false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false, true, 0, 0},
	{FUNCTION_SIGMOID,      false,      false,     false, 0,              NO_IDENTITY, MONOTONE_RISING, true, true, 0, 0},
	{FUNCTION_RELU,         false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, true, true, 0, 0},
	{FUNCTION_FLOOR,        false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false, true, 0, 0},
	{FUNCTION_CEIL,         false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false, true, 0, 0},
	{FUNCTION_ROUND,        false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false, true, 0, 0},
	{FUNCTION_CONJ,         false,      false,     true,  FIRST,          NO_IDENTITY, MONOTONE_NONE, false, false, 0, 0},
	{FUNCTION_REAL,         false,      false,     true,  FIRST,          NO_IDENTITY, MONOTONE_NONE, false, false, 0, 0},
	{FUNCTION_IMAG,         false,      false,     true,  FIRST,          NO_IDENTITY, MONOTONE_NONE, false, false, 0, 0},
	{FUNCTION_FLOAT4,       false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false, false, 0, 0},
	{FUNCTION_FLOAT8,       false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false, false, 0, 0},
	{FUNCTION_COMPLEX8,     false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_NONE, false, false, 0, 0},
	{FUNCTION_COMPLEX16,    false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_NONE, false, false, 0, 0},
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
