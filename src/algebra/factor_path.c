/*-------------------------------------------------------------------------
 *
 * factor_path.c
 *	  Contraction paths by sets of factors.
 *
 * The contraction of a subset of the factors sums the labels that neither the result nor
 * a factor outside needs. Dynamic programming over all subsets is exact; the greedy
 * search joins one pair after the other.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "algebra/contraction_path.h"
#include "algebra/keys.h"
#include "recursion.h"

/* A factor as it is, and summed over the labels that no other factor has. */
typedef struct FactorForms
{
	const Contraction *whole;
	Contraction *summed; /* NULL if it has no such labels */
} FactorForms;

/* Makes *joined the join of two parts, if that is the cheapest yet. */
static void
join_parts(const Contractor *contractor, const Contraction *a, const Contraction *b,
		   Contraction *joined)
{
	FactorMask factors = a->factors | b->factors;
	LabelMask needed = needed_labels(contractor, factors);
	const Estimator *estimator = contractor->algebra->estimator;
	Estimate product;
	double cost;
	bool sums;

	if (joined->known && joined->cost <= a->cost + b->cost)
		return;
	estimator->intersect(&product, &a->result, &b->result, contractor->numbers.bounds);
	sums = (product.labels & ~needed) != 0;
	cost = a->cost + b->cost + product.entries;
	if (sums)
	{
		estimator->aggregate(&product, &product, needed);
		cost += product.entries;
		if (!part_fits(contractor, product.labels))
			cost += UNFIT_COST;
	}
	if (joined->known && joined->cost <= cost)
		return;
	joined->factors = factors;
	joined->known = true;
	joined->next = NULL;
	joined->cost = cost;
	joined->left = a;
	joined->right = b;
	joined->sums = sums;
	joined->result = product;
}

/* Joins two parts, each in the cheaper of its forms (whole or summed). */
static void
try_join(const Contractor *contractor, const FactorForms *a, const FactorForms *b,
		 Contraction *joined)
{
	const Contraction *forms_a[2] = {a->whole, a->summed};
	const Contraction *forms_b[2] = {b->whole, b->summed};

	for (int i = 0; i < 4; i++)
	{
		if (forms_a[i / 2] && forms_b[i % 2])
			join_parts(contractor, forms_a[i / 2], forms_b[i % 2], joined);
	}
}

/*
 * Makes the two forms of a single factor: as it is, and summed over the labels that only
 * it has. So e[i,j] * e[i,k] * e[i,l] summed over j, k and l need never join two e.
 */
static void
single_factor(Contractor *contractor, int factor, FactorForms *forms)
{
	LabelMask needed = needed_labels(contractor, FACTOR(factor));
	Contraction *single = palloc0(sizeof(Contraction));
	Contraction *summed;

	single->factors = FACTOR(factor);
	single->known = true;
	estimate_factor(contractor->algebra, &contractor->numbers,
					contractor->factors[factor], &single->result);
	forms->whole = single;
	forms->summed = NULL;
	if ((single->result.labels & ~needed) == 0)
		return;
	summed = palloc(sizeof(Contraction));
	*summed = *single;
	summed->sums = true;
	contractor->algebra->estimator->aggregate(&summed->result, &single->result, needed);
	summed->cost = single->result.entries + summed->result.entries;
	forms->summed = summed;
}

/* Up to this number of factors a part may be a product of factors that share no label. */
#define APART_FACTORS 7

/*
 * Returns the factors of a subset that are connected with one of its factors by shared
 * labels.
 */
static FactorMask
connected_factors(const FactorMask *neighbours, FactorMask subset, FactorMask one)
{
	FactorMask open = one;
	FactorMask found = one;

	while (open)
	{
		FactorMask added = neighbours[pg_rightmost_one_pos64(open)] & subset & ~found;

		open = (open & (open - 1)) | added;
		found |= added;
	}
	return found;
}

/*
 * Finds which factors share labels. One factor of each further connected component counts
 * as a neighbour of the first factor, so that all are connected.
 */
static void
find_neighbours(const Contractor *contractor, FactorMask *neighbours)
{
	FactorMask all = FACTOR(contractor->nfactors) - 1;
	FactorMask reached;

	Assert(contractor->nfactors > 0);
	for (int f = 0; f < contractor->nfactors; f++)
	{
		neighbours[f] = 0;
		for (int other = 0; other < contractor->nfactors; other++)
		{
			if (contractor->factor_labels[f] & contractor->factor_labels[other])
				neighbours[f] |= FACTOR(other);
		}
	}
	reached = connected_factors(neighbours, all, FACTOR(0));
	while (reached != all)
	{
		int next = pg_rightmost_one_pos64(all & ~reached);

		reached |= connected_factors(neighbours, all, FACTOR(next));
		neighbours[0] |= FACTOR(next);
		neighbours[next] |= FACTOR(0);
	}
}

/* Copies a contraction and its parts, without what the estimates point to. */
static Contraction *
copy_contraction(const Contraction *contraction)
{
	Contraction *copy = palloc(sizeof(Contraction));

	enter_recursion();
	*copy = *contraction;
	copy->result.degrees = NULL;
	if (contraction->left)
	{
		copy->left = copy_contraction(contraction->left);
		copy->right = copy_contraction(contraction->right);
	}
	if (contraction->next)
		copy->next = copy_contraction(contraction->next);
	return copy;
}

/*
 * Adds the join of two parts to an array of paths that is sorted by cost, if it is cheap
 * enough.
 */
static void
offer_path(const Contractor *contractor, const FactorForms *a, const FactorForms *b,
		   const Contraction **paths)
{
	Contraction *path = palloc0(sizeof(Contraction));
	int n = OFFERED_PATHS;

	try_join(contractor, a, b, path);
	while (n > 0 && (paths[n - 1] == NULL || path->cost < paths[n - 1]->cost))
	{
		if (n < OFFERED_PATHS)
			paths[n] = paths[n - 1];
		paths[--n] = path;
	}
}

/* Links the other paths, if they are cheap enough to compare, to the first one. */
static void
link_paths(Contraction *first, const Contraction **paths)
{
	for (int n = OFFERED_PATHS - 1; n > 0; n--)
	{
		Contraction *path;

		if (paths[n] == NULL || paths[n]->cost > OFFERED_COST * first->cost)
			continue;
		path = unconstify(Contraction *, paths[n]);
		path->next = first->next;
		first->next = path;
	}
}

/*
 * Makes both forms of each factor. Factors that are equal once summed are computed once:
 * they share the cost.
 */
static void
single_factors(Contractor *contractor, FactorForms **forms)
{
	int numbers[MAX_FACTORS];

	for (int f = 0; f < contractor->nfactors; f++)
	{
		single_factor(contractor, f, forms[f]);
		numbers[f] = -1;
		if (forms[f]->summed)
			numbers[f] = key_of(contractor->algebra,
								sum_of(contractor, FACTOR(f), contractor->factors[f]))
							 ->number;
	}
	for (int f = 0; f < contractor->nfactors; f++)
	{
		int alike = 0;

		for (int other = 0; other < contractor->nfactors; other++)
			alike += numbers[other] == numbers[f];
		if (forms[f]->summed)
			forms[f]->summed->cost /= alike;
	}
}

/* Do two sets of factors share no label, not even one that is summed in each? */
static bool
are_apart(const Contractor *contractor, FactorMask a, FactorMask b)
{
	LabelMask labels = 0;

	for (; a; a &= a - 1)
		labels |= contractor->factor_labels[pg_rightmost_one_pos64(a)];
	for (; b; b &= b - 1)
	{
		if (labels & contractor->factor_labels[pg_rightmost_one_pos64(b)])
			return false;
	}
	return true;
}

/*
 * Finds the best split of every subset. A split between parts that share labels, or whose
 * factors never shared any, is preferred: a factor of another component is not joined
 * before its own component is summed. An unconnected subset is a part only if there are
 * few factors: x[i] * y[j] of x[i] * y[j] * a[i,j].
 */
const Contraction *
contract_factors(Contractor *contractor)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext scratch =
		AllocSetContextCreate(context, "contraction path", ALLOCSET_DEFAULT_SIZES);
	FactorMask all = FACTOR(contractor->nfactors) - 1;
	FactorMask neighbours[EXACT_FACTORS];
	FactorForms *forms = MemoryContextAllocZero(scratch, sizeof(FactorForms) * (all + 1));
	FactorForms *singles[EXACT_FACTORS];
	const Contraction *paths[OFFERED_PATHS] = {NULL};
	const Contraction *result;

	find_neighbours(contractor, neighbours);
	/* estimates of factors outlive the search: others read them */
	for (int f = 0; f < contractor->nfactors; f++)
		singles[f] = &forms[FACTOR(f)];
	single_factors(contractor, singles);
	MemoryContextSwitchTo(scratch);
	for (FactorMask subset = 1; subset <= all; subset++)
	{
		Contraction *best;

		if (forms[subset].whole ||
			(contractor->nfactors > APART_FACTORS &&
			 connected_factors(neighbours, subset, subset & ~(subset - 1)) != subset))
			continue;
		CHECK_FOR_INTERRUPTS();
		best = palloc0(sizeof(Contraction));
		for (int connected = 1; connected >= 0 && !best->known; connected--)
		{
			for (FactorMask left = (subset - 1) & subset; left > 0;
				 left = (left - 1) & subset)
			{
				const FactorForms *a = &forms[left];
				const FactorForms *b = &forms[subset & ~left];

				if (left < (subset & ~left))
					continue; /* the mirror image was tried */
				if (a->whole == NULL || b->whole == NULL ||
					(connected && !(a->whole->result.labels & b->whole->result.labels) &&
					 !are_apart(contractor, left, subset & ~left)))
					continue;
				try_join(contractor, a, b, best);
				if (subset == all)
					offer_path(contractor, a, b, paths);
			}
		}
		cap_by_chain(&best->result);
		forms[subset].whole = best;
		if (subset == all)
			link_paths(best, paths);
	}
	MemoryContextSwitchTo(context);
	result = copy_contraction(forms[all].whole);
	MemoryContextDelete(scratch);
	return result;
}

/* Joins, again and again, the pair whose result exceeds its two parts by the least. */
const Contraction *
contract_factors_greedily(Contractor *contractor)
{
	int n = contractor->nfactors;
	FactorForms *open = palloc(sizeof(FactorForms) * n);
	FactorForms *singles[MAX_FACTORS];

	for (int f = 0; f < n; f++)
		singles[f] = &open[f];
	single_factors(contractor, singles);
	while (n > 1)
	{
		Contraction *cheapest = palloc0(sizeof(Contraction));
		int best_a = 0;
		int best_b = 1;
		double best_excess = INFINITY;

		CHECK_FOR_INTERRUPTS();
		for (int a = 0; a < n; a++)
		{
			for (int b = a + 1; b < n; b++)
			{
				const Estimate *result_a = &open[a].whole->result;
				const Estimate *result_b = &open[b].whole->result;
				Contraction joined = {.known = false};
				double excess;

				try_join(contractor, &open[a], &open[b], &joined);
				excess = joined.result.entries - result_a->entries - result_b->entries;
				if (joined.cost >= UNFIT_COST)
					excess += UNFIT_COST;
				if (!(result_a->labels & result_b->labels))
					excess = Max(excess, 0) + APART_COST;
				if (!cheapest->known || excess < best_excess)
				{
					*cheapest = joined;
					best_excess = excess;
					best_a = a;
					best_b = b;
				}
			}
		}
		open[best_a] = (FactorForms){cheapest, NULL};
		open[best_b] = open[--n];
	}
	return open[0].whole;
}
