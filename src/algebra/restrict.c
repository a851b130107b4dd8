/*-------------------------------------------------------------------------
 *
 * restrict.c
 *	  Sums that are needed only where something else is not 0.
 *
 *	  w * f(s, b)	 is  w * f(s', (w <> 0) * b)
 *
 * where s is a sum over at least w's labels, s' the sum of (w <> 0) times what s
 * is the sum of, and b an access or another aggregate. A sum below a function is
 * no factor of the product, and would be computed for all of its labels: in
 * a[i,j] * exp(sum[k] q[i,k] * p[j,k]) for all pairs of nodes, not for edges alone.
 *
 * Where w is 0 all that f reads is 0, and f is a number that is known: it must be
 * finite, as 0 times an infinity is NaN. It is so even where w is stored as 0.
 * Below a divisor it may be anything: 0 / x is 0 for every x. That is why b, which
 * no sum needs to be restricted, has the factor too: f might have no finite value
 * where s is 0 and b is not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "miscadmin.h"

#include "algebra/factors.h"
#include "algebra/restrict.h"
#include "algebra/support.h"

/* One factor of a product, while it is made to need sums only where w is not 0. */
typedef struct Restriction
{
	Algebra *algebra;
	TensorExpr *w;
	bool sums;   /* there were sums that could be restricted */
	bool failed; /* something below cannot be made 0 */
} Restriction;

/* An expression times w <> 0, in its own type; NULL if that is another one. */
static TensorExpr *
masked(Restriction *restriction, TensorExpr *expr)
{
	Program *program = restriction->algebra->program;
	TensorExpr *mask =
		expr_map2(program, FUNCTION_NE, restriction->w, expr_literal(program, 0.0, -1));
	TensorExpr *product = expr_map2(program, FUNCTION_MULTIPLY, mask, expr);

	return product->type.type == expr->type.type && product->fill == 0.0 ? product : NULL;
}

/* Is the sum 0 wherever w is? */
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

/* What takes the place of a sum; NULL if it cannot be restricted. */
static TensorExpr *
restricted_sum(Restriction *restriction, TensorExpr *sum)
{
	TensorExpr *body = sum->args[0];

	if (!bms_is_subset(restriction->w->labels, sum->labels) || sum->fill != 0.0 ||
		body->fill != 0.0 || count_atoms(restriction->algebra, body) >= SUPPORT_MAX_ATOMS)
		return NULL;
	if (is_killed_by(restriction, body))
		return sum;
	body = masked(restriction, body);
	if (body == NULL)
		return NULL;
	restriction->sums = true;
	return expr_aggregate(restriction->algebra->program, AGGREGATE_SUM,
						  bms_copy(sum->bound_labels), body, sum->location);
}

/* An expression of which every access and aggregate is 0 where w is. */
static TensorExpr *
restricted(Restriction *restriction, TensorExpr *expr)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result = NULL;

	check_stack_depth();
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			return expr;
		case EXPR_MAP:
			for (int i = 0; i < expr->nargs; i++)
				args[i] = restricted(restriction, expr->args[i]);
			if (restriction->failed)
				return expr;
			return expr_map(restriction->algebra->program, expr->function, args,
							expr->location);
		case EXPR_ACCESS:
			if (expr == restriction->w)
				return expr;
			break;
		case EXPR_AGGREGATE:
			if (expr->aggregate == AGGREGATE_SUM)
				result = restricted_sum(restriction, expr);
			break;
	}
	if (result == NULL && expr->fill == 0.0)
		result = masked(restriction, expr);
	if (result == NULL)
	{
		restriction->failed = true;
		return expr;
	}
	return result;
}

static bool
is_product(const TensorExpr *expr)
{
	return expr->kind == EXPR_MAP &&
		   (expr->function == FUNCTION_MULTIPLY || expr->function == FUNCTION_DIVIDE ||
			expr->function == FUNCTION_NEGATE);
}

/* A factor of a product in which w is one; the same if nothing in it is restricted. */
static TensorExpr *
restricted_factor(Algebra *algebra, TensorExpr *w, TensorExpr *factor, bool divides)
{
	Restriction restriction = {.algebra = algebra, .w = w};
	TensorExpr *result;

	if (factor->kind != EXPR_MAP || !factor->has_aggregate)
		return factor;
	result = restricted(&restriction, factor);
	if (restriction.failed || !restriction.sums ||
		result->type.type != factor->type.type ||
		!bms_is_subset(result->labels, bms_union(factor->labels, w->labels)))
		return factor;
	/* where w is 0, the value is the fill: all that it is computed from is 0 */
	if (!divides && !(isfinite(creal(result->fill)) && isfinite(cimag(result->fill))))
		return factor;
	return result;
}

/* Is w a factor of a product, or of the numerator of a quotient in it? */
static bool
has_factor(const TensorExpr *expr, const TensorExpr *w)
{
	check_stack_depth();
	if (!is_product(expr))
		return expr == w;
	return has_factor(expr->args[0], w) ||
		   (expr->function == FUNCTION_MULTIPLY && has_factor(expr->args[1], w));
}

/*
 * The factors of a product that is multiplied by w, or has it as a factor. Another
 * quotient is one factor: 0 / 0 is 0, but 0 * (1 / 0) is not.
 */
static TensorExpr *
restricted_product(Algebra *algebra, TensorExpr *w, TensorExpr *expr)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];

	check_stack_depth();
	if (!is_product(expr) ||
		(expr->function == FUNCTION_DIVIDE && !has_factor(expr->args[0], w)))
		return restricted_factor(algebra, w, expr, false);
	args[0] = restricted_product(algebra, w, expr->args[0]);
	if (expr->function == FUNCTION_MULTIPLY)
		args[1] = restricted_product(algebra, w, expr->args[1]);
	else if (expr->function == FUNCTION_DIVIDE)
		args[1] = restricted_factor(algebra, w, expr->args[1], true);
	return expr_map(algebra->program, expr->function, args, expr->location);
}

/* The factor of fewest entries that restricts a sum in a product, if there is one. */
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
		double entries;

		/* what is computed would be computed twice; a tensor of a later stage is not known */
		if (w->kind != EXPR_ACCESS || w->fill != 0.0 || w->tensor->identity ||
			(w->tensor->definition && !side_value(algebra->statistics, w->tensor)))
			continue;
		entries = tensor_statistics(algebra->statistics, w->tensor)->entries;
		if (entries >= least)
			continue;
		result = restricted_product(algebra, w, expr);
		if (result != expr && result->type.type == expr->type.type)
		{
			best = result;
			least = entries;
		}
	}
	return best;
}

/* Expressions of which all products have been looked at, by whether above is one. */
typedef struct Walk
{
	Algebra *algebra;
	SideTable *done[2];
} Walk;

static TensorExpr *
walk(Walk *context, TensorExpr *expr, bool in_product)
{
	Program *program = context->algebra->program;
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (!expr->has_aggregate)
		return expr;
	result = side_value(context->done[in_product], expr);
	if (result)
		return result;
	result = expr;
	if (!in_product && is_product(expr))
		result = restricted_by_some_factor(context->algebra, expr);
	for (int i = 0; i < result->nargs; i++)
		args[i] = walk(context, result->args[i], is_product(result));
	if (result->nargs > 0 &&
		memcmp(args, result->args, sizeof(TensorExpr *) * result->nargs) != 0)
		result = result->kind == EXPR_MAP
					 ? expr_map(program, result->function, args, result->location)
					 : expr_aggregate(program, result->aggregate,
									  bms_copy(result->bound_labels), args[0],
									  result->location);
	set_side_value(context->done[in_product], expr, result);
	return result;
}

TensorExpr *
restrict_sums(Algebra *algebra, TensorExpr *expr)
{
	Walk context = {algebra, {new_side_table(64), new_side_table(64)}};
	TensorExpr *result = walk(&context, expr, false);

	free_side_table(context.done[0]);
	free_side_table(context.done[1]);
	return result;
}
