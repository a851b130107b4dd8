/*-------------------------------------------------------------------------
 *
 * uniform.c
 *	  The estimator "uniform": T alone, entries spread evenly over all places.
 *
 *	  P(U) = T(U) / N(U), N the product of the bounds
 *	  intersection	P = product of P(Ui)
 *	  union			P = 1 - product of (1 - P(Ui))
 *	  aggregate		P = 1 - (1 - P(U))^(N(U) / N(kept))
 *
 * Source: Galley, section 7.3.1. Chosen where labels' indices are all used, or
 * to see what the other statistics bring. An open label has no bound: there the
 * number of its indices stands in.
 *
 * Known weakness: a tensor that uses few of a label's indices, or all of them
 * unevenly; only the cap by degrees knows better.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "statistics/estimate.h"

/* The share of an expression's places that have entries. */
static double
share_of_entries(const Estimate *estimate)
{
	double places = product_of_values(estimate, estimate->labels);

	return places > 0 ? Min(estimate->entries / places, 1.0) : 0.0;
}

/* This estimator keeps as values the number of possible indices, rather than V. */
static void
uniform_stored(Estimate *result, const TensorStatistics *statistics, int rank,
			   const int *labels, const double *bounds)
{
	memset(result, 0, sizeof(Estimate));
	/* a number (rank 0) always is one entry */
	result->entries = rank == 0 ? 1.0 : statistics->entries;
	for (int i = 0; i < rank; i++)
	{
		int label = labels[i];
		double indices = isinf(bounds[label]) ? statistics->values[i] : bounds[label];

		if (!(result->labels & (1u << label)))
			result->values[label] = indices;
		else
		{
			/* a diagonal: one place in each row */
			result->entries /= Max(indices, 1.0);
			result->values[label] = Min(result->values[label], indices);
		}
		result->labels |= 1u << label;
	}
	result->degrees = tensor_degrees(statistics, rank, labels);
	result->entries = Min(result->entries, product_of_values(result, result->labels));
}

/*
 * Finds the labels and places of a map. both: an index of a shared open label has to be
 * in both operands; otherwise in either.
 */
static void
map_places(Estimate *result, const Estimate *a, const Estimate *b, bool both)
{
	int label;

	memset(result, 0, sizeof(Estimate));
	result->labels = a->labels | b->labels;
	FOREACH_LABEL (label, result->labels)
	{
		bool in_a = a->labels & (1u << label);
		bool in_b = b->labels & (1u << label);

		if (in_a && in_b)
			result->values[label] = both ? Min(a->values[label], b->values[label])
										 : Max(a->values[label], b->values[label]);
		else
			result->values[label] = in_a ? a->values[label] : b->values[label];
	}
}

static void
uniform_intersect(Estimate *result, const Estimate *a, const Estimate *b,
				  const double *bounds)
{
	Estimate joined;

	map_places(&joined, a, b, true);
	joined.entries = share_of_entries(a) * share_of_entries(b) *
					 product_of_values(&joined, joined.labels);
	joined.degrees = degrees_of_join(a, b);
	*result = joined;
}

static void
uniform_unite(Estimate *result, const Estimate *a, const Estimate *b,
			  const double *bounds)
{
	Estimate united;

	map_places(&united, a, b, false);
	united.entries = (1.0 - (1.0 - share_of_entries(a)) * (1.0 - share_of_entries(b))) *
					 product_of_values(&united, united.labels);
	united.degrees = united_degrees(a->degrees, a->labels, b->degrees, b->labels, bounds);
	*result = united;
}

static double
expected_tuples(const Estimate *estimate, LabelMask promoted)
{
	LabelMask labels = promoted & estimate->labels;
	double tuples = product_of_values(estimate, labels);
	double share = share_of_entries(estimate);

	if (labels == 0)
		return 1.0;
	if (labels == estimate->labels)
		return estimate->entries;
	if (share < 1.0 && tuples > 0)
		tuples *= -expm1(product_of_values(estimate, estimate->labels & ~labels) *
						 log1p(-share));
	return tuples;
}

static double
uniform_tuples(const Estimate *estimate, LabelMask promoted)
{
	return cap_tuples(estimate, promoted, expected_tuples(estimate, promoted));
}

static void
uniform_aggregate(Estimate *result, const Estimate *input, LabelMask kept)
{
	Estimate aggregated = {.labels = input->labels & kept, .degrees = input->degrees};
	int label;

	aggregated.entries = expected_tuples(input, kept);
	FOREACH_LABEL (label, aggregated.labels)
		aggregated.values[label] = input->values[label];
	*result = aggregated;
}

const Estimator uniform_estimator = {
	.name = "uniform",
	.stored = uniform_stored,
	.intersect = uniform_intersect,
	.unite = uniform_unite,
	.aggregate = uniform_aggregate,
	.tuples = uniform_tuples,
};
