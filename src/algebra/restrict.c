/*-------------------------------------------------------------------------
 *
 * restrict.c
 *	  Restricts sums to where another factor is not 0.
 *
 *	  w * f(s)	 is  w * if(w <> 0, f(s'), 0)
 *
 * Here s is a sum that has all labels of w, and s' is the sum of (w <> 0) times the terms
 * of s. A sum below a function is not a factor of the product, and would be computed for
 * all of its labels: in a[i,j] * exp(sum[k] q[i,k] * p[j,k]) for all pairs of nodes, not
 * for edges alone.
 *
 *	  w / s		 is  w / s', since 0 / 0 is 0
 *
 * The test w <> 0 is needed since w may store zeros, as entries or in blocks: f of the
 * restricted sum may be an infinity or NaN there, and 0 times these is not 0.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "algebra/factors.h"
#include "algebra/restrict.h"
#include "algebra/support.h"
#include "expr/walk.h"
#include "recursion.h"

/* State while the sums below a factor are restricted to where w is not 0. */
typedef struct Restriction
{
	Algebra *algebra;
	TensorExpr *w;
	TensorExpr *not_zero; /* w <> 0 */
	bool sums;            /* some sum was restricted */
} Restriction;

/* Is this body of a sum 0 wherever w is, since w is one of its killers? */
static bool
is_killed_by(const Restriction *restriction, TensorExpr *body)
{
	const List *atoms = collect_atoms(restriction->algebra, body);
	uint64 deciding = killers(restriction->algebra, body);
	ListCell *lc;

	foreach (lc, atoms)
	{
		if (lfirst(lc) == restriction->w &&
			(deciding & (UINT64CONST(1) << foreach_current_index(lc))))
			return true;
	}
	return false;
}

/* Returns the restricted sum; the same sum if it cannot be restricted. */
static TensorExpr *
restricted_sum(Restriction *restriction, TensorExpr *sum)
{
	Program *program = restriction->algebra->program;
	TensorExpr *body = sum->args[0];
	TensorExpr *product;

	/* a complex product makes 1 * (infinity + 0i) another number */
	if (!bms_is_subset(restriction->w->labels, sum->labels) || body->fill != 0.0 ||
		element_is_complex(body->type.type) ||
		count_atoms(restriction->algebra, body) >= SUPPORT_MAX_ATOMS ||
		is_killed_by(restriction, body))
		return sum;
	product = expr_map2(program, FUNCTION_MULTIPLY, restriction->not_zero, body);
	if (product->type.type != body->type.type)
		return sum;
	restriction->sums = true;
	return expr_aggregate(program, AGGREGATE_SUM, bms_copy(sum->bound_labels), product,
						  sum->location);
}

/* Restricts a sum below functions; NULL: look below this node. */
static TensorExpr *
restricted(TensorExpr *expr, void *restriction)
{
	if (expr_is_sum(expr))
		return restricted_sum(restriction, expr);
	return expr->kind != EXPR_MAP || !expr->has_aggregate ? expr : NULL;
}

static bool
is_product_or_quotient(const TensorExpr *expr)
{
	return expr->kind == EXPR_MAP &&
		   (expr->function == FUNCTION_MULTIPLY || expr->function == FUNCTION_DIVIDE ||
			expr->function == FUNCTION_NEGATE);
}

/*
 * Returns a factor of a product, which has factor w, with its sums restricted; the same
 * factor if nothing changes.
 */
static TensorExpr *
restricted_factor(Algebra *algebra, TensorExpr *w, TensorExpr *factor)
{
	Program *program = algebra->program;
	Restriction restriction = {.algebra = algebra, .w = w};
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	if (factor->kind != EXPR_MAP || !factor->has_aggregate)
		return factor;
	args[2] = expr_literal(program, 0.0, -1);
	args[0] = restriction.not_zero = expr_map2(program, FUNCTION_NE, w, args[2]);
	args[1] = change_expr(program, factor, restricted, &restriction);
	if (!restriction.sums)
		return factor;
	result = expr_map(program, FUNCTION_IF, args, factor->location);
	return result->type.type == factor->type.type ? result : factor;
}

/* Returns the divisor of a product with factor w, with its sums restricted. */
static TensorExpr *
restricted_divisor(Algebra *algebra, TensorExpr *w, TensorExpr *divisor)
{
	Restriction restriction = {.algebra = algebra, .w = w};

	if (divisor->kind != EXPR_AGGREGATE)
		return restricted_factor(algebra, w, divisor);
	restriction.not_zero = expr_map2(algebra->program, FUNCTION_NE, w,
									 expr_literal(algebra->program, 0.0, -1));
	return restricted(divisor, &restriction);
}

/* Is w a factor of a product, or of the numerator of a quotient in it? */
static bool
has_factor(const TensorExpr *expr, const TensorExpr *w)
{
	enter_recursion();
	if (!is_product_or_quotient(expr))
		return expr == w;
	return has_factor(expr->args[0], w) ||
		   (expr->function == FUNCTION_MULTIPLY && has_factor(expr->args[1], w));
}

/*
 * Restricts the factors of a product that is multiplied by w, or has w as a factor.
 * Divisors are restricted as well, since 0 / 0 is 0.
 */
static TensorExpr *
restricted_product(Algebra *algebra, TensorExpr *w, TensorExpr *expr)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];

	enter_recursion();
	/* a quotient without w in the numerator is one factor: 0 * (1 / 0) is not 0 */
	if (!is_product_or_quotient(expr) ||
		(expr->function == FUNCTION_DIVIDE && !has_factor(expr->args[0], w)))
		return restricted_factor(algebra, w, expr);
	args[0] = restricted_product(algebra, w, expr->args[0]);
	if (expr->nargs == 2)
		args[1] = expr->function == FUNCTION_MULTIPLY
					  ? restricted_product(algebra, w, expr->args[1])
					  : restricted_divisor(algebra, w, expr->args[1]);
	return expr_with_args(algebra->program, expr, args);
}

/* Returns a product with sums restricted by the sparsest factor that restricts any. */
static TensorExpr *
restricted_by_some_factor(Algebra *algebra, TensorExpr *expr)
{
	Factors factors = {NIL, NIL, NIL};
	TensorExpr *best = expr;
	double least = INFINITY;
	ListCell *lc;

	if (count_atoms(algebra, expr) > SUPPORT_MAX_ATOMS)
		return expr;
	split_product(algebra, expr, &factors);
	foreach (lc, factors.killers)
	{
		TensorExpr *w = lfirst(lc);
		TensorExpr *result;
		double density;

		/*
		 * only stored tensors: others would be computed twice, or have no statistics yet
		 */
		if (w->kind != EXPR_ACCESS || w->fill != 0.0 || w->tensor->identity ||
			!has_statistics(algebra, w->tensor))
			continue;
		density = statistics_of_tensor(algebra, w->tensor)->entries /
				  product_of_bounds(algebra->program, w->labels);
		if (density >= least)
			continue;
		result = restricted_product(algebra, w, expr);
		if (result != expr && result->type.type == expr->type.type)
		{
			best = result;
			least = density;
		}
	}
	return best;
}

/* Results of a walk, by whether the node above is a product. */
typedef struct ProductWalk
{
	Algebra *algebra;
	SideTable *done[2];
} ProductWalk;

static TensorExpr *
walk_in_products(ProductWalk *context, TensorExpr *expr, bool in_product)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	enter_recursion();
	if (!expr->has_aggregate)
		return expr;
	result = side_value(context->done[in_product], expr);
	if (result)
		return result;
	result = expr;
	if (!in_product && is_product_or_quotient(expr))
		result = restricted_by_some_factor(context->algebra, expr);
	for (int i = 0; i < result->nargs; i++)
		args[i] =
			walk_in_products(context, result->args[i], is_product_or_quotient(result));
	result = expr_with_args(context->algebra->program, result, args);
	set_side_value(context->done[in_product], expr, result);
	return result;
}

TensorExpr *
restrict_sums(Algebra *algebra, TensorExpr *expr)
{
	ProductWalk context = {algebra, {new_side_table(64), new_side_table(64)}};
	TensorExpr *result;

	/*
	 * at keys each reader would compute the sum again; without it, the keys limit the sum
	 */
	if (algebra->at_keys)
		return expr;
	result = walk_in_products(&context, expr, false);
	free_side_table(context.done[0]);
	free_side_table(context.done[1]);
	return result;
}
