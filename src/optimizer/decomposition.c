/*-------------------------------------------------------------------------
 *
 * decomposition.c
 *	  Promoted, demoted and blocked labels.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "optimizer/decomposition.h"
#include "optimizer/noise.h"

void
set_block(Decomposition *decomposition, int i, int64 block, double bound)
{
	uint32 bit = 1u << i;

	decomposition->promoted &= ~bit;
	decomposition->blocked &= ~bit;
	decomposition->block[i] = 0;
	if (block == BLOCK_PROMOTED)
		decomposition->promoted |= bit;
	else if (block != BLOCK_DEMOTED && block < bound)
	{
		decomposition->blocked |= bit;
		decomposition->block[i] = (int32) block;
	}
}

Decomposition
promoting(uint32 promoted)
{
	return (Decomposition){.promoted = promoted};
}

int32
block_size(const Decomposition *decomposition, int i)
{
	return decomposition->promoted & (1u << i) ? BLOCK_PROMOTED : decomposition->block[i];
}

uint32
common_keys(const Decomposition *a, const Decomposition *b)
{
	uint32 both = a->blocked & b->blocked;
	int i;

	FOREACH_LABEL (i, both)
	{
		if (a->block[i] != b->block[i])
			both &= ~(1u << i);
	}
	return both | (a->promoted & b->promoted);
}

double
block_extent(const Decomposition *decomposition, int i, double bound)
{
	int32 size = block_size(decomposition, i);

	return size == BLOCK_DEMOTED ? bound : Min(size, bound);
}

double
block_count(double bound, int64 block)
{
	return ceil(bound / block);
}

/* Does each block of the coarser size consist of whole blocks of the finer size? */
static bool
divides(int32 finer, int32 coarser)
{
	if (coarser == BLOCK_DEMOTED)
		return true;
	return finer != BLOCK_DEMOTED && coarser % finer == 0;
}

bool
is_cut(int32 from, int32 to)
{
	return !divides(from, to);
}

bool
is_stacked(int32 from, int32 to)
{
	return !divides(to, from);
}

Decomposition
finer_decomposition(const Decomposition *from, const Decomposition *to, int rank)
{
	Decomposition finer = {0};

	if ((from->blocked | to->blocked) == 0)
		return promoting((from->promoted | to->promoted) & ((1u << rank) - 1));
	for (int i = 0; i < rank; i++)
	{
		int32 a = block_size(from, i);
		int32 b = block_size(to, i);

		set_block(&finer, i,
				  divides(a, b)   ? a
				  : divides(b, a) ? b
								  : BLOCK_PROMOTED,
				  INFINITY);
	}
	return finer;
}

Decomposition
decomposition_of_dimensions(const Decomposition *labels, int rank,
							const int *dimension_labels)
{
	Decomposition result = {0};

	for (int i = 0; i < rank; i++)
	{
		uint32 bit = 1u << dimension_labels[i];

		if (labels->promoted & bit)
			result.promoted |= 1u << i;
		if (labels->blocked & bit)
		{
			result.blocked |= 1u << i;
			result.block[i] = labels->block[dimension_labels[i]];
		}
	}
	return result;
}

double
occupied_blocks(double values, double bound, int64 block)
{
	double blocks = block_count(bound, block);
	double share = values / bound;

	if (share >= 1.0)
		return blocks;
	return Max(blocks * -expm1(block * log1p(-share)), Min(values, 1.0));
}

/*
 * Returns the counted rows of a storage in exactly this decomposition, or -1 if they were
 * not counted. Counts are used because entries inside of values do not tell how many rows
 * there are.
 */
static double
counted_rows(const Estimate *estimate, const Decomposition *decomposition)
{
	const TensorStatistics *statistics = estimate->stored;

	for (int s = 0; statistics && s < statistics->ncounted; s++)
	{
		bool same = true;
		int label;

		FOREACH_LABEL (label, estimate->labels)
		{
			int64 block = statistics->counted[s].block[estimate->dimension[label]];

			if (decomposition->promoted & (1u << label))
				same = same && block == 1;
			else if (decomposition->blocked & (1u << label))
				same = same && block == decomposition->block[label];
			else
				same = same && block == 0;
		}
		if (same)
			return statistics->counted[s].rows;
	}
	return -1;
}

/* Returns the estimated tuples of a decomposition whose rows were not counted. */
static double
estimate_by_labels(const Estimator *estimator, const Estimate *estimate,
				   const Decomposition *decomposition, const double *bounds)
{
	uint32 blocked = decomposition->blocked & estimate->labels;
	uint32 promoted = decomposition->promoted & estimate->labels;
	double fewest;
	double most;
	double tuples;
	double places = 1.0; /* n, of tuples */
	double all;          /* N, of entries */
	double share;
	int i;

	if (blocked == 0)
		return estimator->tuples(estimate, promoted);

	fewest = estimator->tuples(estimate, promoted);
	most = estimator->tuples(estimate, promoted | blocked);
	all = product_of_values(estimate, estimate->labels);
	tuples = fewest;
	FOREACH_LABEL (i, blocked)
	{
		double blocks =
			occupied_blocks(estimate->values[i], bounds[i], decomposition->block[i]);

		tuples *= block_count(bounds[i], decomposition->block[i]);
		places *= blocks;
		fewest = Max(fewest, blocks);
	}
	most = Min(most, tuples);
	if (estimator->is_bound)
		return most;
	places *= product_of_values(estimate, promoted);
	if (places <= 0 || all <= 0)
		return 0.0;
	share = estimate->entries / all;
	tuples = share >= 1.0 ? places : places * -expm1(all / places * log1p(-share));
	return Min(Max(tuples, Min(fewest, places)), Min(most, places));
}

double
estimate_tuples(const Estimator *estimator, const Estimate *estimate,
				const Decomposition *decomposition, const double *bounds)
{
	double tuples = counted_rows(estimate, decomposition);

	if (tuples >= 0)
		return tuples;
	tuples = estimate_by_labels(estimator, estimate, decomposition, bounds);
	/* without keys there is exactly one tuple */
	if (((decomposition->promoted | decomposition->blocked) & estimate->labels) == 0)
		return tuples;
	return tuples * noise_of_estimate(estimate, decomposition);
}
