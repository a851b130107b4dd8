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

/* clang-format off */
static const FunctionProperties properties[FUNCTION_COUNT] = {
	/*                      commutative idempotent linear zero kills      identity     monotony  never negative */
	{FUNCTION_ADD,          true,       false,     false, 0,              0.0,         MONOTONE_NONE, false},
	{FUNCTION_SUBTRACT,     false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, false},
	{FUNCTION_MULTIPLY,     true,       false,     false, FIRST | SECOND, 1.0,         MONOTONE_NONE, false},
	{FUNCTION_DIVIDE,       false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_NONE, false},
	{FUNCTION_POWER,        false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, false},
	{FUNCTION_NEGATE,       false,      false,     true,  FIRST,          NO_IDENTITY, MONOTONE_FALLING, false},
	{FUNCTION_EQ,           true,       false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true},
	{FUNCTION_NE,           true,       false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true},
	{FUNCTION_LT,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true},
	{FUNCTION_LE,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true},
	{FUNCTION_GT,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true},
	{FUNCTION_GE,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, true},
	{FUNCTION_GREATEST,     true,       true,      false, 0,              -INFINITY,   MONOTONE_NONE, false},
	{FUNCTION_LEAST,        true,       true,      false, 0,              INFINITY,    MONOTONE_NONE, false},
	{FUNCTION_IF,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, false},
	{FUNCTION_ABS,          false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_NONE, true},
	{FUNCTION_SIGN,         false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false},
	{FUNCTION_SQRT,         false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, true},
	{FUNCTION_EXP,          false,      false,     false, 0,              NO_IDENTITY, MONOTONE_RISING, true},
	{FUNCTION_LN,           false,      false,     false, 0,              NO_IDENTITY, MONOTONE_RISING, false},
	{FUNCTION_SIN,          false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_NONE, false},
	{FUNCTION_COS,          false,      false,     false, 0,              NO_IDENTITY, MONOTONE_NONE, false},
	{FUNCTION_TANH,         false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false},
	{FUNCTION_SIGMOID,      false,      false,     false, 0,              NO_IDENTITY, MONOTONE_RISING, true},
	{FUNCTION_RELU,         false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, true},
	{FUNCTION_FLOOR,        false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false},
	{FUNCTION_CEIL,         false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false},
	{FUNCTION_ROUND,        false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false},
	{FUNCTION_CONJ,         false,      false,     true,  FIRST,          NO_IDENTITY, MONOTONE_NONE, false},
	{FUNCTION_REAL,         false,      false,     true,  FIRST,          NO_IDENTITY, MONOTONE_NONE, false},
	{FUNCTION_IMAG,         false,      false,     true,  FIRST,          NO_IDENTITY, MONOTONE_NONE, false},
	{FUNCTION_FLOAT4,       false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false},
	{FUNCTION_FLOAT8,       false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_RISING, false},
	{FUNCTION_COMPLEX8,     false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_NONE, false},
	{FUNCTION_COMPLEX16,    false,      false,     false, FIRST,          NO_IDENTITY, MONOTONE_NONE, false},
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
