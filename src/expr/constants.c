/*-------------------------------------------------------------------------
 *
 * constants.c
 *	  Numbers by which an expression is multiplied or divided.
 *
 *	  (c * x) * y, sum[k] c * x    is  c * (x * y), c * sum[k] x
 *	  c * (d * x), -(c * x)        is  (c * d) * x, (-c) * x
 *
 * This leaves kernels that are pure products, and multiplies by one number per
 * result.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#include "miscadmin.h"

#include "expr/constants.h"

/*
 * Is the expression a number that may be taken out of sums, products and numerators? Not
 * 0: (0 * x) / 0 is 0, but 0 * (x / 0) is not.
 */
static bool
is_scale(const TensorExpr *expr)
{
	return expr->kind == EXPR_LITERAL && expr->fill != 0.0 &&
		   number_is_finite(expr->fill);
}

bool
is_scaled(const TensorExpr *expr, TensorExpr **core)
{
	int position = 0;

	if (expr->kind != EXPR_MAP)
		return false;
	if (expr->function == FUNCTION_MULTIPLY)
		position = expr->args[0]->kind == EXPR_LITERAL ? 1 : 0;
	else if (expr->function != FUNCTION_DIVIDE && expr->function != FUNCTION_NEGATE)
		return false;
	if (expr->nargs == 2 && !is_scale(expr->args[1 - position]))
		return false;
	*core = expr->args[position];
	return true;
}

TensorExpr *
scale_like(Program *program, const TensorExpr *scaled, TensorExpr *core)
{
	TensorExpr *result;

	if (scaled->nargs == 1)
		result = expr_map1(program, scaled->function, core);
	else if (scaled->args[0]->kind == EXPR_LITERAL)
		result = expr_map2(program, scaled->function, scaled->args[0], core);
	else
		result = expr_map2(program, scaled->function, core, scaled->args[1]);
	return merge_scales(program, result);
}

/*
 * Returns the real number by which an expression is multiplied, -1 for a minus; else 0.
 */
static double
real_scale(const TensorExpr *expr)
{
	TensorExpr *core;

	if (!is_scaled(expr, &core) || expr->function == FUNCTION_DIVIDE)
		return 0.0;
	if (expr->function == FUNCTION_NEGATE)
		return -1.0;
	core = expr->args[expr->args[0]->kind == EXPR_LITERAL ? 0 : 1];
	return cimag(core->fill) == 0.0 ? creal(core->fill) : 0.0;
}

TensorExpr *
merge_scales(Program *program, TensorExpr *expr)
{
	TensorExpr *inner;
	TensorExpr *core;
	TensorExpr *merged;
	double outer_scale = real_scale(expr);
	double inner_scale;
	double scale;

	if (outer_scale == 0.0 || !is_scaled(expr, &inner))
		return expr;
	inner_scale = real_scale(inner);
	scale = outer_scale * inner_scale;
	/* one scale must not undo an overflow or underflow that the other one causes */
	if (inner_scale == 0.0 || fabs(scale) < FLT_MIN || fabs(scale) > FLT_MAX ||
		(fabs(outer_scale) != 1.0 && fabs(inner_scale) != 1.0 &&
		 (fabs(outer_scale) > 1.0) != (fabs(inner_scale) > 1.0)))
		return expr;
	if (!is_scaled(inner, &core))
		return expr;
	if (scale == 1.0)
		merged = core;
	else if (scale == -1.0)
		merged = expr_map1(program, FUNCTION_NEGATE, core);
	else
		merged = expr_map2(program, FUNCTION_MULTIPLY,
						   expr_literal(program, scale, expr->location), core);
	return expr_can_replace(merged, expr) ? merged : expr;
}
