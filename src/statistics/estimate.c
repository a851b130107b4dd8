/*-------------------------------------------------------------------------
 *
 * estimate.c
 *	  What the estimators share: their list, and the cap by chains.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "statistics/estimate.h"

const Estimator *const estimators[] = {&distinct_estimator, &uniform_estimator,
									   &chain_estimator, NULL};

double
product_of_values(const Estimate *estimate, LabelMask labels)
{
	double product = 1.0;
	int label;

	FOREACH_LABEL (label, labels)
		product *= estimate->values[label];
	return product;
}

void
cap_values(Estimate *estimate)
{
	int label;

	estimate->entries =
		Min(estimate->entries, product_of_values(estimate, estimate->labels));
	FOREACH_LABEL (label, estimate->labels)
		estimate->values[label] =
			Min(estimate->values[label], Max(estimate->entries, 1.0));
}

void
full_estimate(Estimate *result, LabelMask labels, const double *bounds)
{
	int label;

	memset(result, 0, sizeof(Estimate));
	result->labels = labels;
	FOREACH_LABEL (label, labels)
		result->values[label] = bounds[label];
	result->entries = product_of_values(result, labels);
	result->degrees = full_degrees(labels, bounds);
}

/*
 * Returns an estimate's degrees for a join with another. A label that the estimate has
 * summed out is not the label of the same name in the other one, so degrees through it
 * are dropped.
 */
static const Degrees *
degrees_to_join(const Estimate *estimate, const Estimate *other)
{
	LabelMask summed = estimate->degrees ? estimate->degrees->labels : 0;
	LabelMask others = other->labels | (other->degrees ? other->degrees->labels : 0);

	if (summed & ~estimate->labels & others)
		return projected_degrees(estimate->degrees, estimate->labels);
	return estimate->degrees;
}

const Degrees *
degrees_of_join(const Estimate *a, const Estimate *b)
{
	return joined_degrees(degrees_to_join(a, b), degrees_to_join(b, a));
}

void
cap_by_chain(Estimate *estimate)
{
	/* a number (rank 0) always is one entry */
	if (estimate->labels != 0)
		estimate->entries =
			chain_bound(estimate->degrees, 0, estimate->labels, estimate->entries);
}

/* The dimensions that some labels have in the stored tensor, as a mask. */
static int
dimensions_of(const Estimate *estimate, LabelMask labels)
{
	int dimensions = 0;
	int label;

	FOREACH_LABEL (label, labels)
		dimensions |= 1 << estimate->dimension[label];
	return dimensions;
}

double
entries_of_self_join(const Estimate *a, LabelMask labels_a, const Estimate *b,
					 LabelMask labels_b)
{
	const TensorStatistics *statistics = a->stored;
	LabelMask shared = labels_a & labels_b;
	int given;
	int counted;
	int label;

	if (statistics == NULL || b->stored != statistics || shared == 0)
		return -1;
	FOREACH_LABEL (label, shared)
	{
		if (a->dimension[label] != b->dimension[label])
			return -1;
	}
	given = dimensions_of(a, shared);
	counted = dimensions_of(a, labels_a & ~shared);
	if (statistics->distinct[given] < 0 ||
		counted != dimensions_of(b, labels_b & ~shared))
		return -1;
	if (counted == 0)
		return statistics->distinct[given];
	return degree_of(statistics, counted, given)->square < 0
			   ? -1
			   : statistics->distinct[given] *
					 degree_of(statistics, counted, given)->square;
}

double
cap_tuples(const Estimate *estimate, LabelMask labels, double tuples)
{
	labels &= estimate->labels;
	/* T has been capped by cap_by_chain, and the single tuple needs no cap */
	if (labels == 0 || labels == estimate->labels)
		return tuples;
	return chain_bound(estimate->degrees, 0, labels, tuples);
}

TensorStatistics *
estimate_statistics_of(const Estimate *estimate, int rank, const int *labels)
{
	TensorStatistics *statistics = new_statistics(rank);

	statistics->entries = estimate->entries;
	for (int i = 0; i < rank; i++)
	{
		statistics->values[i] = estimate->values[labels[i]];
		statistics->skew[i] = estimate->skew[labels[i]];
	}
	bound_degrees(estimate->degrees, rank, labels, statistics);
	return statistics;
}
