/*-------------------------------------------------------------------------
 *
 * factor.c
 *	  Takes common factors out of the terms of a sum.
 *
 *	  a * b + a * c				   is  a * (b + c)
 *	  (sum[j] a * b) + (sum[j] a * c)  is  sum[j] a * (b + c)
 *	  p * x - p * p * x			   is  p * x * (1 - p)
 *	  a / y + b / y				   is  (a + b) / y
 *
 * This is greedy: it takes out the factor that most terms have, with all other factors
 * that these terms share, then repeats that with the terms inside and outside. Bound
 * labels of two terms are identified as the common factor requires.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "algebra/factor.h"
#include "algebra/keys.h"
#include "algebra/law_form.h"
#include "algebra/ring_walk.h"
#include "recursion.h"

/*
 * Number of other factors that are tried as the first one, besides the one that most
 * terms have.
 */
#define OTHER_BEGINNINGS 2

/* A term with a factor of another term, the base. */
typedef struct Match
{
	int number;        /* of the term */
	Product product;   /* the term, with its own names for bound labels */
	Bitmapset *common; /* positions of its factors that the base has, too */
	/* its label from[i] stands for the base's label to[i] */
	int nlabels;
	int from[TENSOR_MAX_RANK];
	int to[TENSOR_MAX_RANK];
} Match;

/* A factor and the terms that have it. */
typedef struct FactorCandidate
{
	int base;
	int factor;
	int nterms;
} FactorCandidate;

/*
 * Identifies a label of a term with a label of the base; false if they cannot be the
 * same.
 */
static bool
match_label(const Program *program, const Product *base, Match *match, int from, int to)
{
	if (!bms_is_member(from, match->product.bound))
		return from == to && !bms_is_member(to, base->bound);
	if (!bms_is_member(to, base->bound) || !labels_are_alike(program, from, to))
		return false;
	for (int i = 0; i < match->nlabels; i++)
	{
		if (match->from[i] == from || match->to[i] == to)
			return match->from[i] == from && match->to[i] == to;
	}
	if (match->nlabels == TENSOR_MAX_RANK)
		return false;
	match->from[match->nlabels] = from;
	match->to[match->nlabels++] = to;
	return true;
}

/* Is a factor of a term equal to a factor of the base, once labels are identified? */
static bool
match_factor(Algebra *algebra, const Product *base, TensorExpr *factor, Match *match,
			 TensorExpr *other)
{
	const ExprKey *key = key_of(algebra, factor);
	const ExprKey *other_key = key_of(algebra, other);
	int nlabels = match->nlabels;

	if (key->number != other_key->number)
		return false;
	for (int i = 0; i < key->nlabels; i++)
	{
		if (!match_label(algebra->program, base, match, other_key->labels[i],
						 key->labels[i]))
		{
			match->nlabels = nlabels;
			return false;
		}
	}
	return true;
}

/* Finds a factor of the base among the factors of a term that are not matched yet. */
static bool
find_match(Expansion *expansion, const Product *base, TensorExpr *factor, Match *match)
{
	ListCell *lc;

	foreach (lc, match->product.factors)
	{
		int at = foreach_current_index(lc);

		CHECK_FOR_INTERRUPTS();
		if (--expansion->steps < 0)
			return false;
		if (bms_is_member(at, match->common) ||
			!match_factor(expansion->algebra, base, factor, match, lfirst(lc)))
			continue;
		match->common = bms_add_member(match->common, at);
		return true;
	}
	return false;
}

/* Has a term a factor with the same key, which may equal this factor of another term? */
static bool
has_like_factor(Algebra *algebra, const Product *product, TensorExpr *factor)
{
	int number = key_of(algebra, factor)->number;
	ListCell *lc;

	foreach (lc, product->factors)
	{
		if (key_of(algebra, lfirst(lc))->number == number)
			return true;
	}
	return false;
}

/* Returns the terms after the base that have a given factor of the base: of Match *. */
static List *
find_matches(Expansion *expansion, const List *products, int number, int factor)
{
	Algebra *algebra = expansion->algebra;
	const Product *base = list_nth(products, number);
	TensorExpr *wanted = list_nth(base->factors, factor);
	Bitmapset *labels = NULL;
	List *matches = NIL;

	for (int i = number + 1; i < list_length(products); i++)
	{
		Match *match;

		if (!has_like_factor(algebra, list_nth(products, i), wanted))
			continue;
		if (labels == NULL)
			labels = labels_of_product(base);
		match = palloc0(sizeof(Match));
		match->number = i;
		match->product =
			product_with_own_labels(algebra->program, list_nth(products, i), labels);
		if (find_match(expansion, base, wanted, match))
			matches = lappend(matches, match);
	}
	return matches;
}

/* Does the base have an equal factor before this one? */
static bool
is_repeated(const Product *base, int factor)
{
	for (int i = 0; i < factor; i++)
	{
		if (list_nth(base->factors, i) == list_nth(base->factors, factor))
			return true;
	}
	return false;
}

static int
compare_candidates(const ListCell *a, const ListCell *b)
{
	const FactorCandidate *one = lfirst(a);
	const FactorCandidate *other = lfirst(b);

	if (one->nterms != other->nterms)
		return other->nterms - one->nterms;
	return one->base != other->base ? one->base - other->base
									: one->factor - other->factor;
}

/* Returns the factors that two terms or more have, the most frequent ones first. */
static List *
find_candidates(Expansion *expansion, const List *products)
{
	List *candidates = NIL;
	ListCell *lc;

	foreach (lc, products)
	{
		const Product *base = lfirst(lc);

		for (int f = 0; f < list_length(base->factors); f++)
		{
			int base_number = foreach_current_index(lc);
			FactorCandidate *candidate;
			List *matches;

			if (is_repeated(base, f))
				continue;
			matches = find_matches(expansion, products, base_number, f);
			if (matches == NIL)
				continue;
			candidate = palloc(sizeof(FactorCandidate));
			candidate->base = base_number;
			candidate->factor = f;
			candidate->nterms = list_length(matches) + 1;
			candidates = lappend(candidates, candidate);
		}
	}
	list_sort(candidates, compare_candidates);
	return candidates;
}

/*
 * Extends the matches by all other factors that the base shares with each of them.
 * Returns the positions of the common factors in the base.
 */
static Bitmapset *
extend_matches(Expansion *expansion, const Product *base, List *matches, int first)
{
	Bitmapset *common = bms_make_singleton(first);
	ListCell *lc;

	for (int f = 0; f < list_length(base->factors); f++)
	{
		List *extended = NIL;

		if (f == first)
			continue;
		foreach (lc, matches)
		{
			Match *match = palloc(sizeof(Match));

			*match = *(const Match *) lfirst(lc);
			match->common = bms_copy(match->common);
			if (!find_match(expansion, base, list_nth(base->factors, f), match))
				break;
			extended = lappend(extended, match);
		}
		if (list_length(extended) < list_length(matches))
			continue;
		common = bms_add_member(common, f);
		foreach (lc, matches)
			*(Match *) lfirst(lc) =
				*(const Match *) list_nth(extended, foreach_current_index(lc));
	}
	return common;
}

/*
 * Returns a product without some of its factors, and no longer summed over some labels.
 */
static Product
product_without(const Product *product, const Bitmapset *factors, const Bitmapset *labels)
{
	Product result = *product;
	ListCell *lc;

	result.factors = NIL;
	result.bound = bms_difference(product->bound, labels);
	foreach (lc, product->factors)
	{
		if (!bms_is_member(foreach_current_index(lc), factors))
			result.factors = lappend(result.factors, lfirst(lc));
	}
	return result;
}

/* Returns a matched term without the common factors, with the labels of the base. */
static Product
rest_of_match(Program *program, const Match *match)
{
	Bitmapset *from = NULL;
	Product rest;
	ListCell *lc;

	for (int i = 0; i < match->nlabels; i++)
		from = bms_add_member(from, match->from[i]);
	rest = product_without(&match->product, match->common, from);
	for (int i = 0; i < match->nlabels; i++)
		program->renaming[match->from[i]] = match->to[i];
	foreach (lc, rest.factors)
		lfirst(lc) = rename_labels(program, lfirst(lc), program->renaming);
	for (int i = 0; i < match->nlabels; i++)
		program->renaming[match->from[i]] = -1;
	return rest;
}

static bool factor_products(Expansion *expansion, List **products, int choice);

/*
 * Takes a factor out of the terms that have it; false if the rest cannot be written as a
 * sum of terms.
 */
static bool
take_out(Expansion *expansion, List **products, const FactorCandidate *candidate)
{
	Program *program = expansion->algebra->program;
	const Product *base = list_nth(*products, candidate->base);
	List *matches =
		find_matches(expansion, *products, candidate->base, candidate->factor);
	Bitmapset *common = extend_matches(expansion, base, matches, candidate->factor);
	Bitmapset *labels = NULL;
	Bitmapset *gone = NULL;
	Product *taken = palloc(sizeof(Product));
	List *kept = NIL;
	List *inner = NIL;
	Product rest;
	int f = -1;
	ListCell *lc;

	taken->coefficient = 1.0;
	taken->divisor = 1.0;
	taken->factors = NIL;
	while ((f = bms_next_member(common, f)) >= 0)
	{
		taken->factors = lappend(taken->factors, list_nth(base->factors, f));
		labels =
			bms_add_members(labels, ((TensorExpr *) list_nth(base->factors, f))->labels);
	}
	taken->bound = bms_intersect(base->bound, labels);

	rest = product_without(base, common, labels);
	if (!add_product(expansion, &inner, &rest))
		return false;
	foreach (lc, matches)
	{
		rest = rest_of_match(program, lfirst(lc));
		if (!add_product(expansion, &inner, &rest))
			return false;
		gone = bms_add_member(gone, ((const Match *) lfirst(lc))->number);
	}
	while (factor_products(expansion, &inner, 0))
		;
	/* like terms may have been added up to one term, or to 0 */
	if (list_length(inner) == 1)
	{
		const Product *only = linitial(inner);

		taken->coefficient = only->coefficient;
		taken->divisor = only->divisor;
		taken->factors = list_concat(taken->factors, only->factors);
		taken->bound = bms_union(taken->bound, only->bound);
	}
	else if (inner != NIL)
		taken->factors = lappend(taken->factors, expr_of_products(program, inner));

	foreach (lc, *products)
	{
		int at = foreach_current_index(lc);

		if (at != candidate->base && !bms_is_member(at, gone))
			kept = lappend(kept, lfirst(lc));
		else if (at == candidate->base && inner != NIL)
			kept = lappend(kept, taken);
	}
	*products = kept;
	return true;
}

/* Takes one factor out; false if no two terms share one. */
static bool
factor_products(Expansion *expansion, List **products, int choice)
{
	List *candidates = find_candidates(expansion, *products);

	enter_recursion();
	return choice < list_length(candidates) &&
		   take_out(expansion, products, list_nth(candidates, choice));
}

/*
 * Returns the divisor of a product that is a single quotient and sums in the numerator
 * only; else NULL.
 */
static TensorExpr *
only_divisor(const Product *product)
{
	TensorExpr *quotient;

	if (list_length(product->factors) != 1)
		return NULL;
	quotient = linitial(product->factors);
	if (quotient->kind != EXPR_MAP || quotient->function != FUNCTION_DIVIDE ||
		bms_overlap(product->bound, quotient->args[1]->labels))
		return NULL;
	return quotient->args[1];
}

/* Adds up quotients that have the same divisor; false if there are no such quotients. */
static bool
add_quotients(Expansion *expansion, List **products)
{
	Program *program = expansion->algebra->program;
	List *result = NIL;
	bool added = false;

	while (*products != NIL)
	{
		Product *first = linitial(*products);
		TensorExpr *divisor = only_divisor(first);
		List *numerators = NIL;
		List *others = NIL;
		ListCell *lc;

		foreach (lc, *products)
		{
			Product numerator = *(const Product *) lfirst(lc);

			if (divisor == NULL || only_divisor(&numerator) != divisor)
			{
				others = lappend(others, lfirst(lc));
				continue;
			}
			numerator.factors =
				list_make1(((TensorExpr *) linitial(numerator.factors))->args[0]);
			numerators = lappend(
				numerators, memcpy(palloc(sizeof(Product)), &numerator, sizeof(Product)));
		}
		if (list_length(numerators) < 2)
		{
			result = lappend(result, first);
			*products = list_delete_first(*products);
			continue;
		}
		added = true;
		first->coefficient = 1.0;
		first->divisor = 1.0;
		first->bound = NULL;
		first->factors = list_make1(expr_map2(
			program, FUNCTION_DIVIDE, expr_of_products(program, numerators), divisor));
		result = lappend(result, first);
		*products = others;
	}
	*products = result;
	return added;
}

static bool
factor_sum(RingWalk *walk, Expansion *expansion, List **products)
{
	bool factored = false;
	int choice = walk->choice;

	while (walk->most > 0 && factor_products(expansion, products, choice))
	{
		CHECK_FOR_INTERRUPTS();
		factored = true;
		choice = 0;
		walk->most--;
	}
	return add_quotients(expansion, products) || factored;
}

static List *
add_form(Algebra *algebra, List *forms, TensorExpr *expr, int choice, int most)
{
	RingWalk walk = {
		.algebra = algebra, .rewrite = factor_sum, .choice = choice, .most = most};
	TensorExpr *other = walk_ring(&walk, expr);

	return add_law_form(algebra, forms, expr, other, false);
}

List *
factored_forms(Algebra *algebra, TensorExpr *expr)
{
	List *forms = add_form(algebra, NIL, expr, 0, EXPANSION_MAX_PRODUCTS);

	if (forms == NIL)
		return NIL;
	for (int choice = 1; choice <= OTHER_BEGINNINGS; choice++)
		forms = add_form(algebra, forms, expr, choice, EXPANSION_MAX_PRODUCTS);
	return add_form(algebra, forms, expr, 0, 1);
}
