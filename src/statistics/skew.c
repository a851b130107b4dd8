/*-------------------------------------------------------------------------
 *
 * skew.c
 *	  How much more often entries agree in a label in a join because some of its indices
 *	  have more entries than others.
 *
 * An index v has c(v) entries in a dimension of a tensor. In a join of several accesses
 * it has the product of these numbers. So the estimates need sums over v of powers of c:
 * up to the third power einsum_analyze has counted them, and higher powers are
 * extrapolated.
 *
 * Known weakness: how the skews of two tensors are correlated is not measured, and the
 * effects of a function, a union or a distinct count on skew are ignored.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "statistics/skew.h"

/*
 * How strongly the skews of two tensors are assumed to be correlated: 0 not at all; 1:
 * indices that are frequent in one are as frequent in the other.
 */
#define ASSUMED_CORRELATION 0.25

/* Higher powers make no difference to the estimates. */
#define MAX_POWER 32

const Skew no_skew = {NULL, {0}};

Skew
skew_of_dimension(const TensorStatistics *statistics, int dimension)
{
	Skew skew = statistics->skew[dimension];

	if (skew.source == NULL && statistics->rank <= STATISTICS_MAX_RANK &&
		statistics->entries > 0 && statistics->values[dimension] > 0 &&
		meetings_of(statistics, dimension, dimension)->product > 0 &&
		meetings_of(statistics, dimension, dimension)->square > 0)
	{
		skew.source = statistics;
		skew.power[dimension] = 1;
	}
	return skew;
}

bool
same_source(const Skew *a, const Skew *b)
{
	return a->source != NULL && a->source == b->source;
}

/* Does each index have as many entries in dimension p as in dimension q? */
static bool
are_alike(const TensorStatistics *source, int p, int q)
{
	double product = meetings_of(source, p, q)->product;

	/* Cauchy-Schwarz holds with equality */
	return product == meetings_of(source, p, p)->product &&
		   product == meetings_of(source, q, q)->product;
}

/*
 * An upper bound of the number of indices that have entries in all dimensions with a
 * power.
 */
static double
index_count(const TensorStatistics *source, const uint8 *power)
{
	double count = source->entries;

	for (int d = 0; d < source->rank; d++)
	{
		if (power[d] > 0)
			count = Min(count, source->values[d]);
	}
	return count;
}

static double
whole_power(double base, int power)
{
	double product = 1.0;

	for (; power > 0; power >>= 1, base *= base)
	{
		if (power & 1)
			product *= base;
	}
	return product;
}

/* The sum, over the indices of a dimension, of a power of their number of entries. */
static double
sum_of_power(const TensorStatistics *source, int d, int power)
{
	double square = meetings_of(source, d, d)->product;
	double cube = meetings_of(source, d, d)->square;
	double most;

	switch (power)
	{
		case 0:
			return source->values[d];
		case 1:
			return source->entries;
		case 2:
			return square;
		case 3:
			return cube;
	}
	/*
	 * the quotient of successive sums of powers grows, from cube / square to the largest
	 * degree: take the geometric mean of the two
	 */
	most = degree_of(source, ((1 << source->rank) - 1) & ~(1 << d), 1 << d)->most;
	return cube * whole_power(sqrt(cube / square * Max(most, cube / square)), power - 3);
}

/*
 * How many times as many pairs of entries agree between dimensions p and q as would if
 * these were independent.
 */
static double
correlation_of(const TensorStatistics *source, int p, int q)
{
	double count = Max(source->values[p], source->values[q]);
	double square = source->entries * source->entries;

	if (meetings_of(source, p, q)->product >= 0)
		return meetings_of(source, p, q)->product * count / square;
	return 1.0 +
		   ASSUMED_CORRELATION *
			   sqrt(Max(meetings_of(source, p, p)->product * count / square - 1.0, 0.0) *
					Max(meetings_of(source, q, q)->product * count / square - 1.0, 0.0));
}

/*
 * The mean, over count indices, of the product of powers of their numbers of entries in
 * the dimensions. Powers of several dimensions that were not measured are taken to be
 * log-normal.
 */
static double
mean_of_powers(const TensorStatistics *source, const uint8 *of, double count)
{
	int power[STATISTICS_MAX_RANK];
	int total = 0;
	int p = -1;
	int q = -1;
	int dimensions = 0;
	double mean = 1.0;

	for (int d = 0; d < source->rank; d++)
	{
		power[d] = of[d];
		total += of[d];
		for (int e = 0; e < d && power[d] > 0; e++)
		{
			if (power[e] > 0 && are_alike(source, e, d))
			{
				power[e] += power[d];
				power[d] = 0;
			}
		}
	}
	for (int d = 0; d < source->rank; d++)
	{
		if (power[d] == 0)
			continue;
		dimensions++;
		q = p;
		p = d;
	}
	if (dimensions == 1)
		return sum_of_power(source, p, total) / count;
	if (dimensions == 2 && total <= 3)
	{
		double sum = power[p] == 2   ? meetings_of(source, p, q)->square
					 : power[q] == 2 ? meetings_of(source, q, p)->square
									 : meetings_of(source, p, q)->product;

		if (sum >= 0)
			return sum / count;
	}
	for (int d = 0; d < source->rank; d++)
	{
		if (power[d] == 0)
			continue;
		mean *= sum_of_power(source, d, power[d]) / count;
		for (int e = 0; e < d; e++)
		{
			if (power[e] > 0)
				mean *= whole_power(correlation_of(source, e, d), power[d] * power[e]);
		}
	}
	return mean;
}

static void
find_moments(const Skew *skew, double *relative_square, double *cube)
{
	uint8 power[STATISTICS_MAX_RANK];
	double count = index_count(skew->source, skew->power);
	double mean = mean_of_powers(skew->source, skew->power, count);
	double square;

	*relative_square = *cube = 1.0;
	if (mean <= 0)
		return;
	for (int d = 0; d < STATISTICS_MAX_RANK; d++)
		power[d] = Min(2 * skew->power[d], MAX_POWER);
	square = Max(mean_of_powers(skew->source, power, count) / (mean * mean), 1.0);
	for (int d = 0; d < STATISTICS_MAX_RANK; d++)
		power[d] = Min(3 * skew->power[d], MAX_POWER);
	*relative_square = square;
	*cube =
		Max(mean_of_powers(skew->source, power, count) / (mean * mean * mean), square);
}

/*
 * Returns the mean square of the entries of an index over the square of their mean;
 * *cube: the same for the mean cube. The results are kept with the source, as searches
 * ask for the same few skews again and again.
 */
static double
relative_square(const Skew *skew, double *cube)
{
	unsigned slot = 0;
	KnownSkew *known;

	for (int d = 0; d < STATISTICS_MAX_RANK; d++)
		slot = slot * 3 + skew->power[d];
	known = &unconstify(TensorStatistics *, skew->source)->known[slot % KNOWN_SKEWS];
	if (memcmp(known->power, skew->power, sizeof(known->power)) != 0)
	{
		find_moments(skew, &known->square, &known->cube);
		memcpy(known->power, skew->power, sizeof(known->power));
	}
	*cube = known->cube;
	return known->square;
}

double
skewed_meetings(const Skew *a, const Skew *b, Skew *joined)
{
	double count;
	double mean_a;
	double mean_b;
	double square_a;
	double square_b;
	double cube;

	*joined = a->source ? *a : *b;
	if (a->source == NULL || b->source == NULL)
		return 1.0;
	if (a->source != b->source)
	{
		square_a = relative_square(a, &cube);
		square_b = relative_square(b, &cube);
		/* a label can only keep one skew: the greater one */
		if (square_b > square_a)
			*joined = *b;
		return 1.0 + ASSUMED_CORRELATION * sqrt((square_a - 1.0) * (square_b - 1.0));
	}
	for (int d = 0; d < STATISTICS_MAX_RANK; d++)
		joined->power[d] = Min(a->power[d] + b->power[d], MAX_POWER);
	count = Max(index_count(a->source, a->power), index_count(b->source, b->power));
	mean_a = mean_of_powers(a->source, a->power, count);
	mean_b = mean_of_powers(a->source, b->power, count);
	if (mean_a <= 0 || mean_b <= 0)
		return 1.0;
	return mean_of_powers(a->source, joined->power, count) / (mean_a * mean_b);
}

/*
 * Connects operands to one part; returns how many parts were merged into others by that.
 */
static int
connect_values(uint32 *parts, int *nparts, uint32 operands)
{
	int joined = -1;
	int merged = 0;

	for (int i = 0; i < *nparts; i++)
	{
		if (!(parts[i] & operands))
			continue;
		operands &= ~parts[i];
		if (joined < 0)
			joined = i;
		else
		{
			parts[joined] |= parts[i];
			parts[i--] = parts[--*nparts];
			merged++;
		}
	}
	/* the remaining operands were not in any part yet */
	if (operands == 0)
		return merged;
	if (joined >= 0)
		parts[joined] |= operands;
	else
		parts[(*nparts)++] = operands;
	return merged + pg_popcount32(operands) - (joined < 0);
}

double
selectivity_of(LabelAgreement *agreements, int n)
{
	uint32 parts[32];
	int nparts = 0;
	double selectivity = 1.0;

	/* the most selective first, by insertion sort */
	for (int i = 1; i < n; i++)
	{
		LabelAgreement agreement = agreements[i];
		int j = i;

		for (; j > 0 && agreements[j - 1].selectivity > agreement.selectivity; j--)
			agreements[j] = agreements[j - 1];
		agreements[j] = agreement;
	}
	for (int i = 0; i < n; i++)
	{
		double each = agreements[i].selectivity;
		int closing = 0;

		if (each <= 0)
			return 0.0;
		if (agreements[i].operands != 0)
			closing = pg_popcount32(agreements[i].operands) - 1 -
					  connect_values(parts, &nparts, agreements[i].operands);
		selectivity *= whole_power(each, agreements[i].times);
		/* the closing entry has to agree in two indices */
		if (closing > 0)
			selectivity /=
				whole_power(sqrt(Min(agreements[i].entries * each * each, 1.0)), closing);
	}
	return selectivity;
}

bool
skew_groups(const Skew *skew, SkewGroups *groups)
{
	double square;
	double cube;
	double sum;
	double product;
	double root;

	if (skew->source == NULL)
		return false;
	square = relative_square(skew, &cube);
	if (square < 1.05)
		return false;
	/*
	 * two groups with mean 1 and this mean square and cube: the nodes of a Gaussian
	 * quadrature
	 */
	cube = Max(cube, square * square);
	sum = (cube - square) / (square - 1.0);
	product = sum - square;
	root = sqrt(Max(sum * sum - 4.0 * product, 0.0));
	groups->entries[0] = Max((sum - root) / 2.0, 0.0);
	groups->entries[1] = (sum + root) / 2.0;
	groups->share[1] =
		(1.0 - groups->entries[0]) / Max(groups->entries[1] - groups->entries[0], 1e-9);
	groups->share[0] = 1.0 - groups->share[1];
	return true;
}
