/*-------------------------------------------------------------------------
 *
 * normalize.c
 *	  Directed rewrites of expressions.
 *
 *	  sum[i] sum[j] x            is  sum[i,j] x
 *	  sum[j] (x + y)             is  (sum[j] x) + (sum[j] y), where a term
 *								 without j is multiplied by j's bound
 *	  sum[j] -x                  is  -(sum[j] x)
 *	  x * sum[k] y               is  sum[k] x * y, if every label of x is free
 *								 in the sum: then the product has a tuple for
 *								 each of the sum's, and no work is repeated
 *
 *	  max[j] exp(x), max[j] -x     is  exp(max[j] x), 0 - (min[j] x)
 *	  max[i] max[j] x              is  max[i,j] x, and so for min and prod; where the only
 *								 index of i is 0, max[i] x and prod[i] x are sum[i] x
 *	  (-1) * x, x * 2, x^2         is  -x, 2 * x, x * x of a tensor x
 *	  2 * (3 * x)                  is  6 * x
 *	  (x > 0) - (x < 0)            is  sign(x)
 *
 * The product of a sum makes a[i,j] * (sum[k] q[i,k] * p[j,k]) one three-way join with an
 * inner product, in which no tensor over i, j and k is ever stored. Numbers
 * (constants.c), what is 0 (zeros.c) and eye (identities.c) are files of their own.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "expr/constants.h"
#include "expr/dimensions.h"
#include "expr/function_table.h"
#include "expr/identities.h"
#include "expr/normalize.h"
#include "expr/zeros.h"
#include "recursion.h"

/*
 * Returns x if the expression is x > 0 or 0 < x (greater), or x < 0 or 0 > x; else NULL.
 */
static TensorExpr *
compared_with_zero(const TensorExpr *expr, bool greater)
{
	for (int swapped = 0; swapped < 2; swapped++)
	{
		if (expr_is_map(expr, greater != (swapped == 1) ? FUNCTION_GT : FUNCTION_LT) &&
			EXPR_IS_LITERAL(expr->args[1 - swapped], 0.0))
			return expr->args[swapped];
	}
	return NULL;
}

TensorExpr *
sign_argument(const TensorExpr *expr)
{
	TensorExpr *argument;

	if (!expr_is_map(expr, FUNCTION_SUBTRACT))
		return NULL;
	argument = compared_with_zero(expr->args[0], true);
	return argument && argument == compared_with_zero(expr->args[1], false) ? argument
																			: NULL;
}

/* Returns a sum or difference of normalized terms, without terms that are 0. */
static TensorExpr *
normalize_addition(Program *program, const TensorExpr *expr, TensorExpr **args,
				   RewriteLevel level)
{
	TensorExpr *result = expr_map(program, expr->function, args, expr->location);

	if (level < REWRITE_REASSOCIATE || result->kind != EXPR_MAP)
		return result;
	if (level >= REWRITE_DISTRIBUTE && sign_argument(result))
	{
		TensorExpr *sign = expr_map1(program, FUNCTION_SIGN, sign_argument(result));

		if (expr_can_replace(sign, result))
			return sign;
	}
	return addition_without_zeros(result);
}

/* Is the expression a sum of a single entry? */
static bool
is_sum_of_one(const Program *program, const TensorExpr *expr)
{
	int label = -1;

	if (!expr_is_sum(expr))
		return false;
	while ((label = bms_next_member(expr->bound_labels, label)) >= 0)
	{
		if (program->labels[label].bound != 1)
			return false;
	}
	return true;
}

static TensorExpr *normalized_sum(Program *program, Bitmapset *labels, TensorExpr *child,
								  RewriteLevel level);

/* Returns those of the labels whose only index is 0. */
static Bitmapset *
labels_of_one_index(const Program *program, const Bitmapset *labels)
{
	Bitmapset *found = NULL;
	int label = -1;

	while ((label = bms_next_member(labels, label)) >= 0)
	{
		if (program->labels[label].bound == 1)
			found = bms_add_member(found, label);
	}
	return found;
}

/*
 * Returns x[k,l] for an access x[k,k] where k has one index, so that no diagonal is
 * needed.
 */
static TensorExpr *
access_without_diagonal(Program *program, TensorExpr *access, Bitmapset **labels)
{
	int indices[TENSOR_MAX_RANK];
	bool changed = false;

	for (int i = 0; i < access->nindices; i++)
	{
		indices[i] = access->indices[i];
		if (!bms_is_member(indices[i], *labels) ||
			program->labels[indices[i]].bound != 1 ||
			program->labels[indices[i]].pin != PIN_NONE)
			continue;
		for (int k = 0; k < i; k++)
		{
			if (indices[k] != indices[i])
				continue;
			indices[i] = program_twin_label(program, indices[i]);
			changed = true;
			k = -1;
		}
		*labels = bms_add_member(bms_copy(*labels), indices[i]);
	}
	return changed ? expr_access(program, access->tensor, indices, access->location)
				   : access;
}

/* Returns sum[labels] child in normal form; child is normalized. */
static TensorExpr *
normalized_sum(Program *program, Bitmapset *labels, TensorExpr *child, RewriteLevel level)
{
	Bitmapset *unused = bms_difference(labels, child->labels);
	TensorExpr *core;
	TensorExpr *result;

	enter_recursion();
	/* over a dimension, a fill that is counted by keys belongs to all terms together */
	if (level >= REWRITE_DISTRIBUTE && expr_is_addition(child) &&
		((child->args[0]->fill == 0.0 && child->args[1]->fill == 0.0) ||
		 bms_is_empty(labels_of_dimensions(program, labels))))
	{
		result = expr_map2(program, child->function,
						   normalized_sum(program, labels, child->args[0], level),
						   normalized_sum(program, labels, child->args[1], level));
		/* over labels without any index a term has become 0 times itself */
		return expr_is_addition(result) ? addition_without_zeros(result) : result;
	}
	if (level >= REWRITE_DISTRIBUTE && is_scaled(child, &core))
		return scale_like(program, child, normalized_sum(program, labels, core, level));
	if (level >= REWRITE_DISTRIBUTE && expr_is_map(child, FUNCTION_MULTIPLY) &&
		EXPR_IS_LITERAL(child->args[0], 0.0) && child->fill == 0.0)
		return expr_map2(program, FUNCTION_MULTIPLY, child->args[0],
						 normalized_sum(program, labels, child->args[1], level));
	if (level >= REWRITE_DISTRIBUTE)
	{
		result = without_identity(program, &labels, child);
		if (result)
			return bms_is_empty(labels) ? result
										: normalized_sum(program, labels, result, level);
	}
	if (level >= REWRITE_REASSOCIATE && child->kind == EXPR_ACCESS)
		child = access_without_diagonal(program, child, &labels);

	/* over a label that child lacks, the sum is child times the number of indices */
	if (!bms_is_empty(labels_of_dimensions(program, unused)))
	{
		unused = labels_of_dimensions(program, unused);
		result = normalized_sum(program, bms_difference(labels, unused), child, level);
		return expr_map2(
			program, FUNCTION_MULTIPLY, result,
			count_of_indices(program, unused, result->type.type, child->location));
	}
	if (!bms_is_empty(unused))
	{
		double repeats = product_of_bounds(program, unused);

		if (isinf(repeats))
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("label \"%s\" is open and does not index every term it is "
							"summed over",
							program->labels[bms_next_member(unused, -1)].name),
					 errhint("Register the tensors it indexes with a bound."),
					 program_errposition(program->text, child->location)));
		result = normalized_sum(program, bms_int_members(bms_copy(labels), child->labels),
								child, level);
		return expr_map2(program, FUNCTION_MULTIPLY,
						 expr_literal(program, repeats, child->location), result);
	}
	if (expr_is_sum(child))
		return expr_aggregate(program, AGGREGATE_SUM,
							  bms_union(labels, child->bound_labels), child->args[0],
							  child->location);
	return expr_aggregate(program, AGGREGATE_SUM, labels, child, child->location);
}

/*
 * Takes a sum out of a product: (sum[k] y) * x becomes sum[k] y * x. NULL if that would
 * repeat work. Quotients are left: a sum that is 0 divided by 0 is 0, but its terms
 * divided by 0 do not add up to that.
 */
static TensorExpr *
absorb_factor(Program *program, TensorExpr *sum, TensorExpr *factor, bool sum_first,
			  RewriteLevel level)
{
	TensorExpr *body;

	if (!expr_is_sum(sum) || factor->kind == EXPR_LITERAL || factor->has_aggregate ||
		!bms_is_subset(factor->labels, sum->labels))
		return NULL;
	body = sum_first ? expr_map2(program, FUNCTION_MULTIPLY, sum->args[0], factor)
					 : expr_map2(program, FUNCTION_MULTIPLY, factor, sum->args[0]);
	return normalized_sum(program, sum->bound_labels, body, level);
}

/* Returns the product of two sums of a single entry each as one such sum. */
static TensorExpr *
product_of_entries(Program *program, TensorExpr *a, TensorExpr *b, RewriteLevel level)
{
	Bitmapset *bound = bms_union(a->bound_labels, b->bound_labels);
	TensorExpr *body = b->args[0];
	int other = -1;
	int label = -1;

	while ((label = bms_next_member(b->bound_labels, label)) >= 0 &&
		   (other = bms_next_member(a->bound_labels, other)) >= 0)
	{
		if (bms_is_member(label, a->bound_labels) ||
			bms_is_member(other, b->bound_labels))
			continue;
		body = rename_label(program, body, label, other);
		bound = bms_del_member(bound, label);
	}
	return normalized_sum(program, bound,
						  expr_map2(program, FUNCTION_MULTIPLY, a->args[0], body), level);
}

/*
 * Returns a product or quotient of normalized arguments: numbers outermost, then sums
 * that can be taken out.
 */
static TensorExpr *
normalize_product(Program *program, const TensorExpr *expr, TensorExpr **args,
				  RewriteLevel level)
{
	bool product = expr->function == FUNCTION_MULTIPLY;
	TensorExpr *result;
	TensorExpr *core;

	enter_recursion();
	if (level >= REWRITE_REASSOCIATE && args[0]->kind != EXPR_LITERAL &&
		args[1]->kind != EXPR_LITERAL)
	{
		if (is_scaled(args[0], &core))
			return scale_like(
				program, args[0],
				normalize_product(program, expr, (TensorExpr *[]){core, args[1]}, level));
		if (product && is_scaled(args[1], &core))
			return scale_like(
				program, args[1],
				normalize_product(program, expr, (TensorExpr *[]){args[0], core}, level));
	}
	if (level >= REWRITE_REASSOCIATE && product)
	{
		/* numbers come first, as in sums */
		if (args[1]->kind == EXPR_LITERAL && args[0]->kind != EXPR_LITERAL)
			return normalize_product(program, expr, (TensorExpr *[]){args[1], args[0]},
									 level);
		if (EXPR_IS_LITERAL(args[0], -1.0) && args[1]->kind != EXPR_LITERAL)
		{
			TensorExpr *negative = expr_map1(program, FUNCTION_NEGATE, args[1]);

			if (negative->type.type ==
				expr_map(program, expr->function, args, expr->location)->type.type)
				return merge_scales(program, negative);
		}
	}
	if (level >= REWRITE_DISTRIBUTE && product)
	{
		if (is_sum_of_one(program, args[0]) && is_sum_of_one(program, args[1]))
			return product_of_entries(program, args[0], args[1], level);
		result = absorb_factor(program, args[0], args[1], true, level);
		if (!result)
			result = absorb_factor(program, args[1], args[0], false, level);
		if (result)
			return result;
	}
	result = expr_map(program, expr->function, args, expr->location);
	if (level >= REWRITE_REASSOCIATE && expr_is_map(result, FUNCTION_MULTIPLY))
		return merge_scales(program, product_without_zeros(program, result));
	return result;
}

static TensorExpr *extreme_over(Program *program, AggregateOperator aggregate,
								Bitmapset *labels, TensorExpr *child, int location);

/*
 * Rewrites the maximum of a rising function as the function of the maximum, and that of a
 * falling function as the function of the minimum; likewise for minima. NULL for
 * functions that give no number for some numbers, and over labels that may have no index,
 * as the maximum is -infinity then.
 */
static TensorExpr *
extreme_of_function(Program *program, AggregateOperator aggregate, Bitmapset *labels,
					TensorExpr *child, int location)
{
	const FunctionProperties *function;
	AggregateOperator of_argument = aggregate;
	TensorExpr *result;

	if ((aggregate != AGGREGATE_MAX && aggregate != AGGREGATE_MIN) ||
		child->kind != EXPR_MAP || child->nargs != 1 ||
		element_is_complex(child->args[0]->type.type))
		return NULL;
	function = function_properties(child->function);
	if (!function->total || function->monotony == MONOTONE_NONE)
		return NULL;
	if (!labels_have_indices(program, labels))
		return NULL;
	if (function->monotony == MONOTONE_FALLING)
		of_argument = aggregate == AGGREGATE_MAX ? AGGREGATE_MIN : AGGREGATE_MAX;
	result = extreme_over(program, of_argument, labels, child->args[0], location);
	/* the negative of 0 would be -0 where nothing is stored */
	if (child->function == FUNCTION_NEGATE)
		return expr_map2(program, FUNCTION_SUBTRACT, expr_literal(program, 0.0, location),
						 result);
	return expr_map1(program, child->function, result);
}

/*
 * Makes an aggregate other than a sum, over labels that all occur. It is merged with an
 * aggregate of the same kind below. Over a single entry it becomes a sum, so that plans
 * do not depend on how it is written.
 */
static TensorExpr *
normalized_aggregate(Program *program, AggregateOperator aggregate, Bitmapset *labels,
					 TensorExpr *child, RewriteLevel level, int location)
{
	Bitmapset *single = labels_of_one_index(program, labels);

	if (!bms_is_empty(single))
		child = normalized_sum(program, single, child, level);
	labels = bms_difference(labels, single);
	if (child->kind == EXPR_AGGREGATE && child->aggregate == aggregate &&
		!bms_is_empty(labels))
	{
		labels = bms_union(labels, child->bound_labels);
		child = child->args[0];
	}
	return expr_aggregate(program, aggregate, labels, child, location);
}

/* Makes a maximum or minimum, moved inside functions that keep or reverse the order. */
static TensorExpr *
extreme_over(Program *program, AggregateOperator aggregate, Bitmapset *labels,
			 TensorExpr *child, int location)
{
	TensorExpr *result = extreme_of_function(program, aggregate, labels, child, location);

	enter_recursion();
	return result ? result
				  : normalized_aggregate(program, aggregate, labels, child,
										 REWRITE_DISTRIBUTE, location);
}

/*
 * Normalizes an aggregate other than a sum; child is normalized. any and all become the
 * greatest and least truth value, compared with 0: over no entries, the comparison turns
 * the identities into 0 and 1. A label that child lacks repeats it: prod is raised to the
 * bound, max and min are unchanged.
 */
static TensorExpr *
normalize_aggregate(Program *program, const TensorExpr *expr, TensorExpr *child,
					RewriteLevel level)
{
	AggregateOperator aggregate = expr->aggregate;
	Bitmapset *unused = bms_difference(expr->bound_labels, child->labels);
	Bitmapset *used = bms_intersect(expr->bound_labels, child->labels);
	double repeats = product_of_bounds(program, unused);
	TensorExpr *zero = expr_literal(program, 0.0, expr->location);
	TensorExpr *result;

	if (aggregate == AGGREGATE_ANY || aggregate == AGGREGATE_ALL)
	{
		result = expr_aggregate(
			program, aggregate == AGGREGATE_ANY ? AGGREGATE_MAX : AGGREGATE_MIN,
			expr->bound_labels, expr_map2(program, FUNCTION_NE, child, zero),
			expr->location);
		if (result->kind == EXPR_AGGREGATE)
			result = normalize_aggregate(program, result, result->args[0], level);
		return expr_map2(program, FUNCTION_GT, result, zero);
	}
	if (repeats == 0.0)
		return expr_map2(
			program, FUNCTION_ADD,
			expr_literal(program, aggregate_identity(aggregate), expr->location),
			expr_map2(program, FUNCTION_MULTIPLY, zero,
					  expr_aggregate(program, AGGREGATE_SUM, used, child, -1)));
	if (level >= REWRITE_DISTRIBUTE)
		result = extreme_over(program, aggregate, used, child, expr->location);
	else if (level >= REWRITE_REASSOCIATE)
		result =
			normalized_aggregate(program, aggregate, used, child, level, expr->location);
	else
		result = expr_aggregate(program, aggregate, used, child, expr->location);
	if (aggregate == AGGREGATE_PROD && !bms_is_empty(unused) && repeats != 1.0)
		result = expr_map2(program, FUNCTION_POWER, result,
						   expr_literal(program, repeats, expr->location));
	return result;
}

static TensorExpr *
normalize_new_expr(Program *program, TensorExpr *expr, RewriteLevel level)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	Assert(expr->nargs > 0 || expr->kind == EXPR_LITERAL || expr->kind == EXPR_ACCESS);
	for (int i = 0; i < expr->nargs; i++)
		args[i] = normalize_expr(program, expr->args[i], level);

	switch (expr->kind)
	{
		case EXPR_LITERAL:
		case EXPR_ACCESS:
			return expr;
		case EXPR_AGGREGATE:
			if (expr->aggregate == AGGREGATE_SUM)
				return normalized_sum(program, expr->bound_labels, args[0], level);
			return normalize_aggregate(program, expr, args[0], level);
		case EXPR_KERNEL_SUM:
		case EXPR_MATRIX:
			return expr_with_args(program, expr, args);
		case EXPR_MAP:
			if (expr->function == FUNCTION_MULTIPLY || expr->function == FUNCTION_DIVIDE)
				return normalize_product(program, expr, args, level);
			if (expr->function == FUNCTION_ADD || expr->function == FUNCTION_SUBTRACT)
				return normalize_addition(program, expr, args, level);
			/*
			 * products have faster kernels; but the squares of an additive tensor's
			 * duplicates do not add up to the square of their sum
			 */
			if (expr->function == FUNCTION_POWER && level >= REWRITE_DISTRIBUTE &&
				args[0]->kind == EXPR_ACCESS && EXPR_IS_LITERAL(args[1], 2.0) &&
				!is_additive(args[0]->tensor))
				return expr_map2(program, FUNCTION_MULTIPLY, args[0], args[0]);
			result = expr_map(program, expr->function, args, expr->location);
			return level >= REWRITE_REASSOCIATE && result->kind == EXPR_MAP
					   ? merge_scales(program, function_without_zeros(program, result))
					   : result;
	}
	return NULL;
}

TensorExpr *
normalize_expr(Program *program, TensorExpr *expr, RewriteLevel level)
{
	enter_recursion();
	if (expr->normal[level] == NULL)
		expr->normal[level] = normalize_new_expr(program, expr, level);
	return expr->normal[level];
}
