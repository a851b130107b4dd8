/*-------------------------------------------------------------------------
 *
 * magnitude.c
 *	  What an expression would be if nothing in it had a sign.
 *
 * Sums of terms that cancel keep the rounding errors of the terms. So these are measured
 * by the same sums of absolute values:
 *
 *	  sum[j] (x - y) * z    becomes    sum[j] (|x| + |y|) * |z|
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "algebra/magnitude.h"
#include "algebra/proven.h"
#include "recursion.h"

static TensorExpr *
absolute(const Algebra *algebra, TensorExpr *expr)
{
	return proven_not_negative(algebra, expr)
			   ? expr
			   : expr_map1(algebra->program, FUNCTION_ABS, expr);
}

static TensorExpr *
magnitude_of_map(const Algebra *algebra, TensorExpr *expr)
{
	Program *program = algebra->program;
	TensorExpr *first;

	switch (expr->function)
	{
		case FUNCTION_NEGATE:
			return magnitude_of(algebra, expr->args[0]);
		case FUNCTION_FLOAT4:
		case FUNCTION_FLOAT8:
			return expr_map1(program, expr->function,
							 magnitude_of(algebra, expr->args[0]));
		case FUNCTION_ADD:
		case FUNCTION_SUBTRACT:
		case FUNCTION_MULTIPLY:
			first = magnitude_of(algebra, expr->args[0]);
			return expr_map2(program,
							 expr->function == FUNCTION_MULTIPLY ? FUNCTION_MULTIPLY
																 : FUNCTION_ADD,
							 first, magnitude_of(algebra, expr->args[1]));
		case FUNCTION_DIVIDE:
			first = magnitude_of(algebra, expr->args[0]);
			return expr_map2(program, FUNCTION_DIVIDE, first,
							 absolute(algebra, expr->args[1]));
		default:
			return absolute(algebra, expr);
	}
}

TensorExpr *
magnitude_of(const Algebra *algebra, TensorExpr *expr)
{
	enter_recursion();
	if (expr->kind == EXPR_LITERAL)
		return expr_literal(algebra->program, fabs(creal(expr->value)), expr->location);
	if (expr->kind == EXPR_MAP)
		return magnitude_of_map(algebra, expr);
	if (expr_is_sum(expr))
		return expr_aggregate(algebra->program, AGGREGATE_SUM, expr->bound_labels,
							  magnitude_of(algebra, expr->args[0]), expr->location);
	return absolute(algebra, expr);
}
