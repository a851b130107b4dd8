/*-------------------------------------------------------------------------
 *
 * apart.c
 *	  Splits aggregates other than sums into aggregates of parts, each over its own
 *	  labels.
 *
 *	  max[j] greatest(x[j], y[j])	is	greatest(max[j] x[j], max[j] y[j])
 *	  max[j] (x[j] + y)				is	(max[j] x[j]) + y
 *	  max[j,k] least(x[j], y[k])	is	least(max[j] x[j], max[k] y[k])
 *	  max[j] x[j] * y				is	(max[j] x[j]) * y, where y is not negative
 *	  max[j,k] x[j] * y[j,k] * z[k]	is	max[j] x[j] * (max[k] y[j,k] * z[k]), x, y >= 0
 *	  prod[j] x[j] * y				is	(prod[j] x[j]) * y, where all are 0 or 1
 *
 * The same laws hold for min, with least and greatest exchanged, and for any and all,
 * which are the greatest and least truth value. A contraction path (semiring.c) splits an
 * aggregate only if some part decides where there are entries; these laws need no such
 * part: without one a join has a row for all indices of each label that any part lacks.
 *
 * Sums are split by normalize.c and distribute.c. A product over labels (prod) of numbers
 * that are not 0 or 1 stays together: the product of one part may be infinite or 0 where
 * that of the whole is neither.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "algebra/apart.h"
#include "algebra/law_form.h"
#include "algebra/proven.h"
#include "algebra/semiring.h"
#include "expr/function_table.h"
#include "recursion.h"

typedef struct Parting
{
	Algebra *algebra;
	AggregateOperator aggregate;
	int location;
} Parting;

static bool
is_extreme(AggregateOperator aggregate)
{
	return aggregate == AGGREGATE_MAX || aggregate == AGGREGATE_MIN;
}

/*
 * Returns the aggregate of a part over those of the labels that it has; the part itself
 * if it has none of them.
 */
static TensorExpr *
aggregate_of_part(const Parting *parting, const Bitmapset *labels, TensorExpr *part)
{
	Bitmapset *used = bms_intersect(labels, part->labels);

	return expr_aggregate(parting->algebra->program, parting->aggregate, used, part,
						  parting->location);
}

/*
 * Can labels that only one argument of a function has be aggregated in that argument? Not
 * if the other argument may be negative in a product: that turns a greatest into a least.
 */
static bool
passes(const Parting *parting, const TensorExpr *expr, const Bitmapset *own)
{
	const FunctionProperties *function = function_properties(expr->function);
	unsigned aggregate = 1u << parting->aggregate;

	if (function->distributed & aggregate)
		return true;
	if (!(function->distributed_not_negative & aggregate))
		return false;
	for (int i = 0; i < 2; i++)
	{
		if (bms_overlap(own, expr->args[i]->labels) &&
			!proven_not_negative(parting->algebra, expr->args[1 - i]))
			return false;
	}
	return true;
}

/* Returns product * factor; the factor, if the product is NULL. */
static TensorExpr *
multiplied(const Parting *parting, TensorExpr *product, TensorExpr *factor)
{
	return product
			   ? expr_map2(parting->algebra->program, FUNCTION_MULTIPLY, product, factor)
			   : factor;
}

/*
 * Splits the factors of a product: appends those that are proven not negative to the
 * list, and returns the product of the others.
 */
static TensorExpr *
split_by_sign(const Parting *parting, TensorExpr *expr, TensorExpr *other,
			  List **not_negative)
{
	enter_recursion();
	if (expr_is_map(expr, FUNCTION_MULTIPLY))
	{
		for (int i = 0; i < 2; i++)
			other = split_by_sign(parting, expr->args[i], other, not_negative);
		return other;
	}
	if (!proven_not_negative(parting->algebra, expr))
		return multiplied(parting, other, expr);
	*not_negative = lappend(*not_negative, expr);
	return other;
}

/*
 * Returns a max or min of a product with factors that may be negative. Aggregates from
 * these factors outwards: a factor that is not negative is multiplied in when one of its
 * labels is aggregated.
 */
static TensorExpr *
aggregate_outwards(const Parting *parting, const Bitmapset *labels, TensorExpr *product)
{
	List *outside = NIL;
	TensorExpr *inside = split_by_sign(parting, product, NULL, &outside);
	bool apart = false;
	ListCell *lc;

	while (inside && outside && bms_overlap(labels, inside->labels))
	{
		Bitmapset *own = bms_intersect(labels, inside->labels);
		Bitmapset *beside = NULL;
		List *rest = NIL;

		CHECK_FOR_INTERRUPTS();
		foreach (lc, outside)
		{
			TensorExpr *factor = lfirst(lc);

			if (bms_overlap(own, factor->labels))
				inside = multiplied(parting, inside, factor);
			else
			{
				beside = bms_add_members(beside, factor->labels);
				rest = lappend(rest, factor);
			}
		}
		outside = rest;
		if (rest == NIL)
			break;
		inside = aggregate_of_part(parting, bms_difference(labels, beside), inside);
		apart = true;
	}
	if (!apart)
		return aggregate_of_part(parting, labels, product);
	foreach (lc, outside)
		inside = multiplied(parting, inside, lfirst(lc));
	return aggregate_of_part(parting, labels, inside);
}

static TensorExpr *
part_aggregate(const Parting *parting, const Bitmapset *labels, TensorExpr *expr)
{
	AggregateOperator aggregate = parting->aggregate;
	TensorExpr *args[2];
	Bitmapset *own;

	enter_recursion();
	if (!bms_overlap(labels, expr->labels) || expr->kind != EXPR_MAP || expr->nargs != 2)
		return aggregate_of_part(parting, labels, expr);
	if (function_properties(expr->function)->folds & (1u << aggregate))
	{
		for (int i = 0; i < 2; i++)
			args[i] = part_aggregate(parting, labels, expr->args[i]);
		return expr_with_args(parting->algebra->program, expr, args);
	}
	own = bms_difference(labels,
						 bms_intersect(expr->args[0]->labels, expr->args[1]->labels));
	if (!bms_overlap(own, expr->labels) || !passes(parting, expr, own))
		return expr_is_map(expr, FUNCTION_MULTIPLY) && is_extreme(aggregate)
				   ? aggregate_outwards(parting, labels, expr)
				   : aggregate_of_part(parting, labels, expr);
	for (int i = 0; i < 2; i++)
		args[i] = part_aggregate(parting, own, expr->args[i]);
	return aggregate_of_part(parting, labels,
							 expr_with_args(parting->algebra->program, expr, args));
}

/* Are all factors of a product proven 0 or 1? */
static bool
is_product_of_truths(const Algebra *algebra, const TensorExpr *expr)
{
	enter_recursion();
	if (expr_is_map(expr, FUNCTION_MULTIPLY))
		return is_product_of_truths(algebra, expr->args[0]) &&
			   is_product_of_truths(algebra, expr->args[1]);
	return proven_zero_or_one(algebra, expr);
}

/* Returns an aggregate split into parts; the same expression if that is impossible. */
static TensorExpr *
aggregate_apart(Algebra *algebra, TensorExpr *expr)
{
	Parting parting = {algebra, expr->aggregate, expr->location};
	TensorExpr *body = expr->args[0];
	TensorExpr *result;

	if (!labels_have_indices(algebra->program, expr->bound_labels) ||
		element_is_complex(body->type.type) || expr->size > SEMIRING_MAX_NODES)
		return expr;
	if (expr->aggregate == AGGREGATE_PROD)
	{
		if (!is_product_of_truths(algebra, body))
			return expr;
	}
	else if (is_extreme(expr->aggregate))
		body = truth_of_factors(algebra, body);
	else
		return expr;
	result = part_aggregate(&parting, expr->bound_labels, body);
	if (result->kind == EXPR_AGGREGATE &&
		bms_equal(result->bound_labels, expr->bound_labels))
		return expr;
	return expr_can_replace(result, expr) ? result : expr;
}

static TensorExpr *
walk_apart(Algebra *algebra, SideTable *done, TensorExpr *expr)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	enter_recursion();
	if (!expr->has_aggregate)
		return expr;
	result = side_value(done, expr);
	if (result)
		return result;
	for (int i = 0; i < expr->nargs; i++)
		args[i] = walk_apart(algebra, done, expr->args[i]);
	result = expr_with_args(algebra->program, expr, args);
	if (result->kind == EXPR_AGGREGATE)
		result = aggregate_apart(algebra, result);
	set_side_value(done, expr, result);
	return result;
}

List *
apart_forms(Algebra *algebra, TensorExpr *expr)
{
	SideTable *done = new_side_table(64);
	TensorExpr *other = walk_apart(algebra, done, expr);

	free_side_table(done);
	if (!expr_can_replace(other, expr))
		return NIL;
	return add_law_form(algebra, NIL, expr, other, false);
}
