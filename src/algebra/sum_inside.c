/*-------------------------------------------------------------------------
 *
 * sum_inside.c
 *	  Moves sums inside a factor which is a sum of terms.
 *
 *	  sum[a,b,k] f[a,b] * (x[a,k] + y[b,k]) * w[k]
 *	  is  sum[a,b] f[a,b] * ((sum[k] x[a,k] * w[k]) + (sum[k] y[b,k] * w[k]))
 *
 * This is variable elimination through +, in part (Galley, sections 5.3 and 5.4): a label
 * is summed out of the smallest sub-expression that has all its uses, here the sum of
 * terms with those other factors that have only labels of that sum. Unlike after
 * multiplying out, the remaining factors are joined with the terms only once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "algebra/law_form.h"
#include "algebra/ring_walk.h"
#include "algebra/sum_inside.h"

/*
 * Returns the labels that can be summed out of one factor, a sum of terms: those that
 * only it has, or it and factors with no other labels than its own. * inside becomes the
 * positions of these factors. NULL if there are no labels, or all factors would be
 * inside.
 */
static Bitmapset *
labels_inside(const Product *product, int terms, Bitmapset **inside)
{
	const TensorExpr *factor = list_nth(product->factors, terms);
	Bitmapset *labels = bms_intersect(product->bound, factor->labels);
	ListCell *lc;

	*inside = NULL;
	foreach (lc, product->factors)
	{
		const TensorExpr *other = lfirst(lc);

		if (foreach_current_index(lc) != terms &&
			!bms_is_subset(other->labels, factor->labels))
			labels = bms_del_members(labels, other->labels);
	}
	foreach (lc, product->factors)
	{
		if (foreach_current_index(lc) != terms &&
			bms_overlap(((const TensorExpr *) lfirst(lc))->labels, labels))
			*inside = bms_add_member(*inside, foreach_current_index(lc));
	}
	return bms_num_members(*inside) + 1 < list_length(product->factors) ? labels : NULL;
}

/*
 * Moves sums inside one factor; false if there are none, or the result cannot be written.
 */
static bool
sum_inside_factor(RingWalk *walk, Expansion *expansion, Product *product, int terms)
{
	Program *program = walk->algebra->program;
	TensorExpr *factor = list_nth(product->factors, terms);
	Expansion inner = *expansion;
	List *inner_factors = list_make1(factor);
	List *outer_factors = NIL;
	List *products;
	Bitmapset *inside;
	Bitmapset *labels;
	ListCell *lc;

	if (!expr_is_addition(factor))
		return false;
	labels = labels_inside(product, terms, &inside);
	if (bms_is_empty(labels))
		return false;
	foreach (lc, product->factors)
	{
		if (bms_is_member(foreach_current_index(lc), inside))
			inner_factors = lappend(inner_factors, lfirst(lc));
		else if (foreach_current_index(lc) != terms)
			outer_factors = lappend(outer_factors, lfirst(lc));
	}
	inner.sums = list_make1(factor);
	inner.all_but = false;
	if (!expand_expr(&inner,
					 expr_aggregate(program, AGGREGATE_SUM, labels,
									expr_of_factors(program, inner_factors), -1),
					 &products))
		return false;
	expansion->steps = inner.steps;
	expansion->cancels = expansion->cancels || inner.cancels;
	product->factors = lappend(outer_factors, expr_of_products(program, products));
	product->bound = bms_difference(product->bound, labels);
	return true;
}

static bool
sum_inside(RingWalk *walk, Expansion *expansion, List **products)
{
	bool changed = false;
	List *result = NIL;
	ListCell *lc;

	foreach (lc, *products)
	{
		Product product = *(const Product *) lfirst(lc);

		for (int f = 0; f < list_length(product.factors); f++)
		{
			if (sum_inside_factor(walk, expansion, &product, f))
			{
				changed = true;
				f = -1;
			}
		}
		if (!add_product(expansion, &result, &product))
			return false;
	}
	*products = result;
	return changed;
}

List *
summed_inside_forms(Algebra *algebra, TensorExpr *expr)
{
	RingWalk walk = {.algebra = algebra, .rewrite = sum_inside};
	TensorExpr *other = walk_ring(&walk, expr);

	return add_law_form(algebra, NIL, expr, other, walk.cancels);
}
