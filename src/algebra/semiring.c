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
 * that have no index min and max are infinite, which a product need not keep: those
 * with a bound of 0 and open ones are left as they are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "algebra/proven.h"
#include "algebra/semiring.h"
#include "expr/function_table.h"

const Semiring sums_of_products = {AGGREGATE_SUM, FUNCTION_MULTIPLY};

/* Can none of the factors of a product be negative? */
static bool
factors_not_negative(Algebra *algebra, const TensorExpr *expr, FunctionId product)
{
	check_stack_depth();
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

static TensorExpr *
truth_of_factor(Program *program, TensorExpr *expr, TensorExpr *zero)
{
	check_stack_depth();
	if (expr_is_map(expr, FUNCTION_MULTIPLY))
		return expr_map2(program, FUNCTION_MULTIPLY,
						 truth_of_factor(program, expr->args[0], zero),
						 truth_of_factor(program, expr->args[1], zero));
	return expr_map2(program, FUNCTION_NE, expr, zero);
}

TensorExpr *
truth_of_factors(Program *program, TensorExpr *expr)
{
	TensorExpr *truth;

	if (!expr_is_map(expr, FUNCTION_NE) || !EXPR_IS_LITERAL(expr->args[1], 0.0) ||
		!expr_is_map(expr->args[0], FUNCTION_MULTIPLY))
		return expr;
	truth = truth_of_factor(program, expr->args[0], expr->args[1]);
	return truth->type.type == expr->type.type ? truth : expr;
}
