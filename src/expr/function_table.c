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
#define OF_OPERATOR(id, name, symbol, arity, work, complex, commutative, zero_kills,     \
					linear_in, monotony, total, never_negative, folds, distributed,      \
					distributed_not_negative, gives)                                     \
	[FUNCTION_##id] = {commutative, zero_kills, linear_in, monotony, total,              \
					   never_negative, folds, distributed, distributed_not_negative},
#define OF_ELEMENTS(id, name, loops, work, complex, kills, monotone, is_total,           \
					not_negative, gives)                                                 \
	[FUNCTION_##id] = {.zero_kills = kills,                                              \
					   .monotony = monotone,                                             \
					   .total = is_total,                                                \
					   .never_negative = not_negative},
#define OF_CONVERSION(id, name, monotone)                                                \
	[FUNCTION_##id] = {.zero_kills = FIRST, .monotony = monotone},

static const FunctionProperties properties[FUNCTION_COUNT] = {
	POINTWISE_FUNCTIONS(OF_OPERATOR, OF_ELEMENTS, OF_CONVERSION)};
/* clang-format on */

/* Returns what the algebra knows of a function. */
const FunctionProperties *
function_properties(FunctionId function)
{
	Assert(function >= 0 && function < FUNCTION_COUNT);
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
