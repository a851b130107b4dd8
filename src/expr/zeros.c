/*-------------------------------------------------------------------------
 *
 * zeros.c
 *	  Removes terms and factors that are 0 and have no effect.
 *
 *	  x - 0, x + 0 * y             is  x, if x has the labels of y
 *	  x * (1 + 0 * y)              is  x, likewise
 *	  0 * x * y                    is  0 * x, likewise
 *
 * The result has the labels, type and fill of the expression it replaces; 0 * x
 * stays where nothing else has the labels.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/zeros.h"
#include "recursion.h"

/* Larger expressions are not searched: the size counts shared parts each time. */
#define ZEROS_MAX_NODES 1000

/*
 * Is the expression 0 for all finite entries? Products of 0 and an entry that is not
 * finite are left, also where nothing is stored.
 */
static bool
is_zero(const TensorExpr *expr)
{
	enter_recursion();
	if (expr->kind == EXPR_LITERAL)
		return expr->value == 0.0;
	if (expr->size > ZEROS_MAX_NODES)
		return false;
	if (expr->fill != 0.0 || expr->kind != EXPR_MAP)
		return expr->fill == 0.0 && expr_is_sum(expr) && is_zero(expr->args[0]);
	switch (expr->function)
	{
		case FUNCTION_MULTIPLY:
			return is_zero(expr->args[0]) || is_zero(expr->args[1]);
		case FUNCTION_NEGATE:
		case FUNCTION_DIVIDE:
			return is_zero(expr->args[0]);
		default:
			return false;
	}
}

/*
 * Returns a factor without terms that are 0, and without labels that only those terms
 * have.
 */
static TensorExpr *
without_zeros(Program *program, TensorExpr *factor)
{
	TensorExpr *args[2];
	TensorExpr *result;

	enter_recursion();
	if (!expr_is_addition(factor) && !expr_is_map(factor, FUNCTION_MULTIPLY))
		return factor;
	args[0] = without_zeros(program, factor->args[0]);
	args[1] = without_zeros(program, factor->args[1]);
	result = expr_with_args(program, factor, args);
	if (!expr_is_map(factor, FUNCTION_MULTIPLY) && is_zero(args[1]))
		result = args[0];
	else if (expr_is_map(factor, FUNCTION_ADD) && is_zero(args[0]))
		result = args[1];
	return result->type.type == factor->type.type ? result : factor;
}

/*
 * Returns the first tensor in a product that has exactly these labels; NULL if not found.
 */
static TensorExpr *
factor_with_labels(TensorExpr *product, const Bitmapset *labels)
{
	TensorExpr *found = NULL;

	enter_recursion();
	if (product->kind == EXPR_ACCESS)
		return bms_equal(product->labels, labels) ? product : NULL;
	if (expr_is_map(product, FUNCTION_MULTIPLY) || expr_is_map(product, FUNCTION_NEGATE))
	{
		for (int i = 0; i < product->nargs && !found; i++)
			found = factor_with_labels(product->args[i], labels);
	}
	return found;
}

/* Returns x * y for x * (0 * y) or (0 * x) * y; NULL for other products. */
static TensorExpr *
without_zero_factor(Program *program, TensorExpr *product)
{
	for (int i = 0; i < 2; i++)
	{
		TensorExpr *args[2] = {product->args[0], product->args[1]};
		const TensorExpr *zero = args[i];

		if (!expr_is_map(zero, FUNCTION_MULTIPLY) || !EXPR_IS_LITERAL(zero->args[0], 0.0))
			continue;
		args[i] = zero->args[1];
		return expr_with_args(program, product, args);
	}
	return NULL;
}

TensorExpr *
product_without_zeros(Program *program, TensorExpr *product)
{
	TensorExpr *result;

	if (product->size > ZEROS_MAX_NODES)
		return product;
	if (is_zero(product))
	{
		TensorExpr *factor = factor_with_labels(product, product->labels);

		if (factor == NULL)
			factor = without_zero_factor(program, product);
		if (factor == NULL)
			return product;
		result = expr_map2(program, FUNCTION_MULTIPLY,
						   expr_literal(program, 0.0, product->location), factor);
	}
	else
		result = without_zeros(program, product);
	return expr_can_replace(result, product) ? result : product;
}

TensorExpr *
addition_without_zeros(TensorExpr *addition)
{
	TensorExpr **args = addition->args;

	if (is_zero(args[1]) && expr_can_replace(args[0], addition))
		return args[0];
	if (addition->function == FUNCTION_ADD && is_zero(args[0]) &&
		expr_can_replace(args[1], addition))
		return args[1];
	return addition;
}

TensorExpr *
function_without_zeros(Program *program, TensorExpr *function)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	if (function->size > ZEROS_MAX_NODES)
		return function;
	for (int i = 0; i < function->nargs; i++)
		args[i] = without_zeros(program, function->args[i]);
	result = expr_with_args(program, function, args);
	return expr_can_replace(result, function) ? result : function;
}
