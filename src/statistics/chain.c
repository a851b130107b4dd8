/*-------------------------------------------------------------------------
 *
 * chain.c
 *	  The estimator "chain": upper bounds from degrees.
 *
 * Source: Galley, section 7.3.2; the bound itself is in degrees.c. Chosen where
 * a plan that is much worse than expected must be avoided. With the statistics
 * of einsum_analyze, and as long as the data is what was analyzed, no result
 * has more entries than this.
 *
 * Known weakness: overestimates, the more the longer the chain; supports that
 * exclude each other are not seen.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "statistics/estimate.h"

static double
chain_tuples(const Estimate *estimate, LabelMask promoted)
{
	LabelMask labels = promoted & estimate->labels;

	if (labels == 0)
		return 1.0;
	if (labels == estimate->labels)
		return estimate->entries;
	return cap_tuples(estimate, labels,
					  Min(estimate->entries, product_of_values(estimate, labels)));
}

static void
chain_stored(Estimate *result, const TensorStatistics *statistics, int rank,
			 const int *labels, const double *bounds)
{
	int label;

	memset(result, 0, sizeof(Estimate));
	result->degrees = tensor_degrees(statistics, rank, labels);
	result->labels = result->degrees->labels;
	/* a number (rank 0) always is one entry */
	result->entries =
		rank == 0 ? 1.0
				  : chain_bound(result->degrees, 0, result->labels, statistics->entries);
	FOREACH_LABEL (label, result->labels)
		result->values[label] = chain_bound(result->degrees, 0, 1u << label,
											Min(bounds[label], result->entries));
}

static void
chain_intersect(Estimate *result, const Estimate *a, const Estimate *b,
				const double *bounds)
{
	Estimate joined = {.labels = a->labels | b->labels};
	int label;

	FOREACH_LABEL (label, joined.labels)
	{
		joined.values[label] = a->labels & (1u << label) ? a->values[label] : INFINITY;
		if (b->labels & (1u << label))
			joined.values[label] = Min(joined.values[label], b->values[label]);
	}
	joined.entries = a->entries * b->entries;
	joined.degrees = degrees_of_join(a, b);
	cap_by_chain(&joined);
	cap_values(&joined);
	*result = joined;
}

static void
chain_unite(Estimate *result, const Estimate *a, const Estimate *b, const double *bounds)
{
	Estimate united = {.labels = a->labels | b->labels};
	int label;

	united.degrees = united_degrees(a->degrees, a->labels, b->degrees, b->labels, bounds);
	united.entries = chain_bound(united.degrees, 0, united.labels, INFINITY);
	FOREACH_LABEL (label, united.labels)
		united.values[label] = chain_bound(united.degrees, 0, 1u << label,
										   Min(bounds[label], united.entries));
	*result = united;
}

static void
chain_aggregate(Estimate *result, const Estimate *input, LabelMask kept)
{
	Estimate aggregated = {.labels = input->labels & kept, .degrees = input->degrees};
	int label;

	aggregated.entries = chain_tuples(input, kept);
	FOREACH_LABEL (label, aggregated.labels)
		aggregated.values[label] = input->values[label];
	*result = aggregated;
}

const Estimator chain_estimator = {
	.name = "chain",
	.is_bound = true,
	.stored = chain_stored,
	.intersect = chain_intersect,
	.unite = chain_unite,
	.aggregate = chain_aggregate,
	.tuples = chain_tuples,
};
