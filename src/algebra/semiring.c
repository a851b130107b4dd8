/*-------------------------------------------------------------------------
 *
 * semiring.c
 *	  An aggregate and the function that it distributes over.
 *
 *	  sum                  *
 *	  min, max             +, greatest, least
 *	  min, max             *, where no factor can be negative
 *
 * any and all are the greatest and least truth value (expr/normalize.c). Over labels
 * without an index min and max are infinite, which a product need not keep: aggregates
 * over labels with a bound of 0 or an open one are left as they are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "algebra/proven.h"
#include "algebra/semiring.h"
#include "expr/function_table.h"
#include "recursion.h"

const Semiring sums_of_products = {AGGREGATE_SUM, FUNCTION_MULTIPLY};

/* Are all factors of a product proven not negative? */
static bool
factors_not_negative(Algebra *algebra, const TensorExpr *expr, FunctionId product)
{
	enter_recursion();
	if (!expr_is_map(expr, product))
		return proven_not_negative(algebra, expr);
	return factors_not_negative(algebra, expr->args[0], product) &&
		   factors_not_negative(algebra, expr->args[1], product);
}

bool
find_semiring(Algebra *algebra, AggregateOperator aggregate, TensorExpr *body,
			  const Bitmapset *aggregated, Semiring *semiring)
{
	const FunctionProperties *product;

	*semiring = sums_of_products;
	if (aggregate == AGGREGATE_SUM)
		return true;
	if (body->kind != EXPR_MAP || element_is_complex(body->type.type))
		return false;
	if (!labels_have_indices(algebra->program, aggregated))
		return false;
	product = function_properties(body->function);
	if (!(product->distributed & (1u << aggregate)) &&
		(!(product->distributed_not_negative & (1u << aggregate)) ||
		 !factors_not_negative(algebra, body, body->function)))
		return false;
	*semiring = (Semiring){aggregate, body->function};
	return true;
}

/*
 * Is the expression never NaN, since it is made of truth values by + * greatest and
 * least?
 */
static bool
is_made_of_truths(const Algebra *algebra, const TensorExpr *expr)
{
	enter_recursion();
	if (expr_is_map(expr, FUNCTION_ADD) || expr_is_map(expr, FUNCTION_MULTIPLY) ||
		expr_is_map(expr, FUNCTION_GREATEST) || expr_is_map(expr, FUNCTION_LEAST))
		return is_made_of_truths(algebra, expr->args[0]) &&
			   is_made_of_truths(algebra, expr->args[1]);
	return proven_zero_or_one(algebra, expr);
}

/*
 * Returns a test whether an expression is not 0, made of tests of its parts. If no part
 * is negative, a sum or the greatest is not 0 where some part is not; a product, or the
 * least of truth values, where all are not. NULL if there is no such rule.
 */
static TensorExpr *
truth_of_parts(Algebra *algebra, TensorExpr *expr, TensorExpr *zero)
{
	FunctionId truth = FUNCTION_MULTIPLY;
	TensorExpr *args[2];

	enter_recursion();
	if (expr->kind != EXPR_MAP)
		return NULL;
	/* x > 0 is x <> 0 for numbers made of truth values */
	if (expr->function == FUNCTION_GT && EXPR_IS_LITERAL(expr->args[1], 0.0) &&
		is_made_of_truths(algebra, expr->args[0]))
		return truth_of_parts(algebra, expr->args[0], zero);
	switch (expr->function)
	{
		case FUNCTION_MULTIPLY:
			break;
		case FUNCTION_ADD:
		case FUNCTION_GREATEST:
			truth = FUNCTION_GREATEST;
			if (!proven_not_negative(algebra, expr->args[0]) ||
				!proven_not_negative(algebra, expr->args[1]))
				return NULL;
			break;
		case FUNCTION_LEAST:
			if (!is_made_of_truths(algebra, expr))
				return NULL;
			break;
		default:
			return NULL;
	}
	for (int i = 0; i < 2; i++)
	{
		args[i] = truth_of_parts(algebra, expr->args[i], zero);
		if (args[i] == NULL)
			args[i] = expr->args[i]->is_truth_value
						  ? expr->args[i]
						  : expr_map2(algebra->program, FUNCTION_NE, expr->args[i], zero);
	}
	return expr_map(algebra->program, truth, args, expr->location);
}

TensorExpr *
truth_of_factors(Algebra *algebra, TensorExpr *expr)
{
	TensorExpr *truth;

	if (!expr_is_map(expr, FUNCTION_NE) || !EXPR_IS_LITERAL(expr->args[1], 0.0) ||
		expr->size > SEMIRING_MAX_NODES)
		return expr;
	truth = truth_of_parts(algebra, expr->args[0], expr->args[1]);
	return truth && truth->type.type == expr->type.type ? truth : expr;
}
