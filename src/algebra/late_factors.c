/*-------------------------------------------------------------------------
 *
 * late_factors.c
 *	  Factors of a sum that are multiplied into its result.
 *
 *	  sum[j] d[i] * a[i,j] * x[j,k]   is   d[i] * sum[j] a[i,j] * x[j,k]
 *
 * As written, d is joined with every edge, and the kernel multiplies by it for every
 * edge; taken out, it is joined with every node. In the normalised adjacency of a graph
 * convolution, d[i] a[i,j] d[j], d[i] is one of three joins with the edges, and the one
 * that PostgreSQL cannot move to a smaller side by itself.
 *
 * Not every factor is taken out. A sparse one is better joined early, since it leaves
 * less to sum, as estimated entries tell. If a sum has few terms, its own stage may cost
 * as much as it saves: then factors are not taken out by default. Quotients stay as they
 * are: terms divided by 0 do not add up to their sum divided by 0, and a numerator that
 * is 0 makes the quotient 0 whatever it is divided by.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "algebra/factors.h"
#include "algebra/groups.h"
#include "algebra/late_factors.h"

/* From this average number of terms of a sum on, a factor is taken out by default. */
#define LATE_TERMS 4.0

/* A factor that leaves less than this share of the terms stays in the sum. */
#define LATE_SHARE 0.75

static const FormOption early[2] = {{"late factors"}, {NULL}};
static const FormOption later[2] = {{NULL}, {"late factors"}};

/*
 * Is an expression free of these labels, so that it can be taken out of sums over them?
 */
static bool
is_free_of(const TensorExpr *expr, const Bitmapset *aggregated)
{
	return expr->kind != EXPR_LITERAL && !bms_overlap(expr->labels, aggregated);
}

/*
 * Returns the killers that stay in the sum; * late becomes those that may be multiplied
 * late. * many becomes true if the sum has enough terms to do that by default.
 */
static List *
choose_late(Algebra *algebra, LabelNumbers *numbers, List *early, List *candidates,
			const Bitmapset *kept, List **late, bool *many)
{
	const Estimator *estimator = algebra->estimator;
	Estimate terms;
	Estimate sums;
	LabelMask mask;
	ListCell *lc;
	List *joined = list_copy(early);

	Assert(list_length(early) > 0);
	*late = NIL;
	foreach (lc, early)
	{
		Estimate factor;

		estimate_factor(algebra, numbers, lfirst(lc), &factor);
		if (foreach_current_index(lc) == 0)
			terms = factor;
		else
			estimator->intersect(&terms, &terms, &factor, numbers->bounds);
	}
	foreach (lc, candidates)
	{
		Estimate factor;

		estimate_factor(algebra, numbers, lfirst(lc), &factor);
		estimator->intersect(&factor, &terms, &factor, numbers->bounds);
		if (factor.entries < LATE_SHARE * terms.entries)
		{
			joined = lappend(joined, lfirst(lc));
			terms = factor;
		}
		else
			*late = lappend(*late, lfirst(lc));
	}
	number_labels(numbers, kept, &mask);
	estimator->aggregate(&sums, &terms, mask & terms.labels);
	*many = terms.entries >= LATE_TERMS * sums.entries;
	return joined;
}

TensorExpr *
multiply_late(Algebra *algebra, TensorExpr *product, const Bitmapset *aggregated)
{
	Program *program = algebra->program;
	LabelNumbers numbers = {.program = program};
	Factors factors = {NIL, NIL, NIL};
	List *modifiers = NIL; /* modifiers that stay in the sum */
	List *late_modifiers = NIL;
	List *killers = NIL;
	List *candidates = NIL;
	List *late;
	List *divisors;
	LabelMask ignored;
	TensorExpr *sum = NULL;
	bool many;
	ListCell *lc;

	if (bms_is_empty(aggregated) || !number_labels(&numbers, product->labels, &ignored))
		return NULL;
	split_product(algebra, product, &factors);
	foreach (lc, factors.modifiers)
	{
		if (is_free_of(lfirst(lc), aggregated) &&
			!modifier_is_divided(&factors, foreach_current_index(lc)))
			late_modifiers = lappend(late_modifiers, lfirst(lc));
		else
			modifiers = lappend(modifiers, lfirst(lc));
	}
	divisors = attach_divisors(program, &factors);
	foreach (lc, factors.killers)
	{
		if (is_free_of(lfirst(lc), aggregated) &&
			!killer_is_divided(&factors, foreach_current_index(lc)))
			candidates = lappend(candidates, lfirst(lc));
		else
			killers = lappend(killers, lfirst(lc));
	}
	if (killers == NIL || (candidates == NIL && late_modifiers == NIL))
		return NULL;
	killers = choose_late(algebra, &numbers, killers, candidates,
						  bms_difference(product->labels, aggregated), &late, &many);
	late = list_concat(late, late_modifiers);
	if (late == NIL)
		return NULL;

	/* to killers that stay: a numerator must not leave the sum with another factor */
	modifiers = attach_modifiers(program, FUNCTION_MULTIPLY, killers, modifiers);
	foreach (lc, killers)
		sum = multiply_in(program, sum, lfirst(lc));
	Assert(sum != NULL);
	foreach (lc, modifiers)
		sum = multiply_in(program, sum, lfirst(lc));
	foreach (lc, divisors)
		sum = expr_map2(program, FUNCTION_DIVIDE, sum, lfirst(lc));
	/* a label that the sum lacks would repeat it; another type would round it */
	if (!bms_is_subset(aggregated, sum->labels) || sum->type.type != product->type.type)
		return NULL;
	if (choose_law(algebra->choices, FORMS_OF_CUTS, many ? early : later) == many)
		return NULL;
	sum =
		group_access(algebra, expr_aggregate(program, AGGREGATE_SUM, bms_copy(aggregated),
											 sum, product->location));
	foreach (lc, late)
		sum = expr_map2(program, FUNCTION_MULTIPLY, sum, lfirst(lc));
	return sum;
}
