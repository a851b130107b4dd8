/*-------------------------------------------------------------------------
 *
 * constants.c
 *	  Numbers that an expression is multiplied or divided by.
 *
 *	  (c * x) * y, sum[k] c * x    is  c * (x * y), c * sum[k] x
 *
 * That leaves kernels that are pure products, and multiplies by c once per result.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/constants.h"

/*
 * Is it a number that may be taken out of sums, products and numerators? Not 0, for
 * 0 times x divided by 0 is 0, and not what times 0 is not.
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
	if (scaled->nargs == 1)
		return expr_map1(program, scaled->function, core);
	if (scaled->args[0]->kind == EXPR_LITERAL)
		return expr_map2(program, scaled->function, scaled->args[0], core);
	return expr_map2(program, scaled->function, core, scaled->args[1]);
}
