/*-------------------------------------------------------------------------
 *
 * distinct.c
 *	  The estimator "distinct": T and V per label, entries spread uniformly.
 *
 * Source: SparseEinSum, sections 7.1 and 7.2. The paper's Eq. 7,
 * n (1 - exp(-T/n)), is the limit of many possible entries per tuple and wrong
 * at both ends (it gives 6,321 of the 10,000 tuples of a dense 100 x 100
 * matrix). Used here is the expectation for T entries drawn from N places that
 * n tuples share evenly:
 *
 *	  T(S) = n (1 - (1 - T/N)^(N/n))
 *
 * Where degrees were measured, indices meet as often as their mean squares and
 * cubes say (skew.c), and n tuples share entries as unevenly.
 *
 * Known weakness: labels are taken as independent of each other, but for cycles
 * of joins of one tensor with itself.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "statistics/estimate.h"

/* The most labels of which skew is taken into account; each doubles the time. */
#define MAX_SKEWED 3

static void
distinct_stored(Estimate *result, const TensorStatistics *statistics, int rank,
				const int *labels, const double *bounds)
{
	bool repeated = false;

	memset(result, 0, sizeof(Estimate));
	/* a number (rank 0) always is one entry */
	result->entries = rank == 0 ? 1.0 : statistics->entries;
	for (int i = 0; i < rank; i++)
	{
		int label = labels[i];
		double values = statistics->values[i];

		if (result->labels & (1u << label))
		{
			/* a diagonal: an entry is on it if its other index has the same value */
			result->entries /= Max(Max(values, result->values[label]), 1.0);
			result->values[label] = Min(values, result->values[label]);
			result->skew[label] = no_skew;
			repeated = true;
			continue;
		}
		result->labels |= 1u << label;
		result->values[label] = values;
		result->skew[label] = skew_of_dimension(statistics, i);
		result->dimension[label] = i;
	}
	result->degrees = tensor_degrees(statistics, rank, labels);
	if (repeated)
		cap_values(result);
	else if (rank <= STATISTICS_MAX_RANK)
		result->stored = statistics;
}

static void
distinct_intersect(Estimate *result, const Estimate *a, const Estimate *b,
				   const double *bounds)
{
	Estimate joined = {.labels = a->labels | b->labels};
	LabelAgreement agreements[ESTIMATE_MAX_LABELS];
	double most = Min(most_skew(product_of_values(a, a->labels), a->entries),
					  most_skew(product_of_values(b, b->labels), b->entries));
	int n = 0;
	int label;

	FOREACH_LABEL (label, joined.labels)
	{
		bool in_a = a->labels & (1u << label);
		bool in_b = b->labels & (1u << label);

		if (in_a && in_b)
		{
			double meetings =
				skewed_meetings(&a->skew[label], &b->skew[label], &joined.skew[label]);

			agreements[n].selectivity =
				Min(meetings, most) / Max(Max(a->values[label], b->values[label]), 1.0);
			agreements[n].times = 1;
			agreements[n].operands = 0;
			if (same_source(&a->skew[label], &b->skew[label]))
			{
				agreements[n].operands = 3;
				agreements[n].entries = a->skew[label].source->entries;
			}
			n++;
			joined.values[label] = Min(a->values[label], b->values[label]);
		}
		else
		{
			joined.values[label] = in_a ? a->values[label] : b->values[label];
			joined.skew[label] = in_a ? a->skew[label] : b->skew[label];
		}
	}
	joined.entries = entries_of_self_join(a, a->labels, b, b->labels);
	if (joined.entries < 0)
		joined.entries = a->entries * b->entries * selectivity_of(agreements, n);
	joined.degrees = degrees_of_join(a, b);
	cap_values(&joined);
	*result = joined;
}

/*
 * A union. Operands are extended to all labels first, so that a label that only one
 * operand has uses all indices within its bound.
 */
static void
distinct_unite(Estimate *result, const Estimate *a, const Estimate *b,
			   const double *bounds)
{
	Estimate united = {.labels = a->labels | b->labels};
	double entries_a = a->entries;
	double entries_b = b->entries;
	int label;

	FOREACH_LABEL (label, united.labels)
	{
		bool in_a = a->labels & (1u << label);
		bool in_b = b->labels & (1u << label);

		if (in_a && in_b)
		{
			united.values[label] =
				Min(bounds[label], a->values[label] + b->values[label]);
			/* the skew of the operand with more entries; an extended label has no skew */
			united.skew[label] =
				a->entries >= b->entries ? a->skew[label] : b->skew[label];
			continue;
		}
		united.values[label] = bounds[label];
		if (in_a)
			entries_b *= bounds[label];
		else
			entries_a *= bounds[label];
	}
	united.entries = entries_a + entries_b;
	united.degrees = united_degrees(a->degrees, a->labels, b->degrees, b->labels, bounds);
	cap_values(&united);
	*result = united;
}

/*
 * The tuples n (1 - (1 - T/N)^(N/n)) over labels of which some are skewed: the indices of
 * each skewed label are split into two groups (skew.h) with more and fewer entries.
 */
static double
occupied_tuples(const Estimate *estimate, LabelMask labels, double n, double all)
{
	SkewGroups groups[MAX_SKEWED];
	double share = estimate->entries / all;
	double tuples = 0.0;
	int skewed = 0;
	int label;

	FOREACH_LABEL (label, labels)
	{
		if (skewed < MAX_SKEWED && skew_groups(&estimate->skew[label], &groups[skewed]))
			skewed++;
	}
	for (int part = 0; part < 1 << skewed; part++)
	{
		double of_n = n;
		double of_share = share;

		for (int i = 0; i < skewed; i++)
		{
			of_n *= groups[i].share[(part >> i) & 1];
			of_share *= groups[i].entries[(part >> i) & 1];
		}
		/* hardly any tuple has two entries, or every tuple has one */
		if (all / n * of_share < 1e-4)
			tuples += of_n * all / n * of_share;
		else if (of_share >= 1.0 || all / n * of_share > 40.0)
			tuples += of_n;
		else
			tuples += of_n * -expm1(all / n * log1p(-of_share));
	}
	return tuples;
}

static double
expected_tuples(const Estimate *estimate, LabelMask promoted)
{
	LabelMask labels = promoted & estimate->labels;
	double places;
	double n; /* number of places over which entries are spread */
	double all;
	double tuples;
	double largest = 1.0;
	LabelMask ends;
	int label;

	if (labels == 0)
		return 1.0;
	if (labels == estimate->labels)
		return estimate->entries;
	if (estimate->stored)
	{
		unsigned dimensions = 0;

		FOREACH_LABEL (label, labels)
			dimensions |= 1u << estimate->dimension[label];
		if (estimate->stored->distinct[dimensions] >= 0)
			return estimate->stored->distinct[dimensions];
	}
	if ((labels & (labels - 1)) == 0)
		return estimate->values[pg_rightmost_one_pos32(labels)];

	FOREACH_LABEL (label, labels)
		largest = Max(largest, estimate->values[label]);
	places = product_of_values(estimate, labels);
	n = places * share_of_two_steps(estimate, labels, &ends);
	all = product_of_values(estimate, estimate->labels);
	if (n <= 0 || all <= 0)
		return 0.0;
	tuples = occupied_tuples(estimate, labels & ~ends, n, all);
	return Max(Min(tuples, Min(estimate->entries, places)), Min(largest, places));
}

static double
distinct_tuples(const Estimate *estimate, LabelMask promoted)
{
	return cap_tuples(estimate, promoted, expected_tuples(estimate, promoted));
}

static void
distinct_aggregate(Estimate *result, const Estimate *input, LabelMask kept)
{
	Estimate aggregated = {.labels = input->labels & kept, .degrees = input->degrees};
	int label;

	aggregated.entries = expected_tuples(input, kept);
	FOREACH_LABEL (label, aggregated.labels)
	{
		aggregated.values[label] = input->values[label];
		aggregated.skew[label] = input->skew[label];
	}
	*result = aggregated;
}

const Estimator distinct_estimator = {
	.name = "distinct",
	.counts_two_steps = true,
	.stored = distinct_stored,
	.intersect = distinct_intersect,
	.unite = distinct_unite,
	.aggregate = distinct_aggregate,
	.tuples = distinct_tuples,
};
