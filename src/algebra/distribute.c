/*-------------------------------------------------------------------------
 *
 * distribute.c
 *	  Products and small powers of sums, multiplied out.
 *
 *	  a * (b + c)			   is  a * b + a * c
 *	  (x - y)^2				   is  x * x - 2 * x * y + y * y
 *	  (sum[k] x) * y		   is  sum[k] x * y
 *	  sum[j] (x + y)		   is  (sum[j] x) + (sum[j] y)
 *
 * Example: after these laws, the sum of the square of a difference, in sum((x - u %*%
 * t(v))^2), has three terms. Each is a product under one sum, for which contraction finds
 * a path without the product of u and v.
 *
 * All sums that are factors may be multiplied out, or some. In sum[i] x[i,k] *
 * (sigmoid(s[i]) - y[i]), where x adds up features of a star of tables, it pays to open x
 * but not the residual.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "algebra/distribute.h"
#include "algebra/law_form.h"
#include "algebra/polyterm.h"
#include "algebra/ring_walk.h"
#include "recursion.h"

/*
 * Number of sums for which forms are made that open this sum alone, or all sums but this
 * one.
 */
#define MAX_SINGLE_SUMS 3

/* The sums that are factors in an expression. */
typedef struct DistributedForms
{
	List *sums;
	SideTable *seen[2];
} DistributedForms;

static void
find_sums(DistributedForms *search, TensorExpr *expr, bool is_factor)
{
	enter_recursion();
	if (expr->nargs == 0 || side_value(search->seen[is_factor], expr))
		return;
	set_side_value(search->seen[is_factor], expr, expr);
	if (is_factor && expr_is_addition(expr))
		search->sums = list_append_unique_ptr(search->sums, expr);
	for (int i = 0; i < expr->nargs; i++)
	{
		bool within = expr->kind == EXPR_MAP && is_ring_operation(expr);

		if (within && (expr->function == FUNCTION_MULTIPLY ||
					   (expr->function == FUNCTION_POWER && i == 0)))
			find_sums(search, expr->args[i], true);
		else
			find_sums(search, expr->args[i],
					  within && is_factor && !expr_is_addition(expr));
	}
}

static List *
add_form(Algebra *algebra, List *forms, TensorExpr *expr, const List *sums, bool all_but)
{
	RingWalk walk = {.algebra = algebra, .sums = sums, .all_but = all_but};
	TensorExpr *other = walk_ring(&walk, expr);

	return add_law_form(algebra, forms, expr, other, walk.cancels);
}

List *
distributed_forms(Algebra *algebra, TensorExpr *expr)
{
	DistributedForms search = {NIL, {new_side_table(64), new_side_table(64)}};
	List *forms = add_form(algebra, NIL, expr, NIL, true);
	int nsums;

	find_sums(&search, expr, false);
	free_side_table(search.seen[false]);
	free_side_table(search.seen[true]);
	nsums = list_length(search.sums);
	if (nsums > 0)
		forms = add_form(algebra, forms, expr, NIL, false);
	for (int all_but = 1; all_but >= 0; all_but--)
	{
		for (int i = 0; i < Min(nsums, MAX_SINGLE_SUMS); i++)
			forms = add_form(algebra, forms, expr, list_make1(list_nth(search.sums, i)),
							 all_but);
	}
	return forms;
}
