/*-------------------------------------------------------------------------
 *
 * noise.c
 *	  Wrong estimates on purpose, to see what plans are worth with them.
 *
 * Source: SparseEinSum, section 9.3, "Robustness to cost model errors": each estimate is
 * multiplied by a random number from Gamma(shape, 1/shape), whose mean is 1. What is
 * estimated twice is wrong in the same way, and a seed makes the same errors again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/noise.h"
#include "optimizer/settings.h"

/* splitmix64 */
static uint64
next_bits(uint64 *state)
{
	uint64 bits = (*state += UINT64CONST(0x9E3779B97F4A7C15));

	bits = (bits ^ (bits >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	bits = (bits ^ (bits >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return bits ^ (bits >> 31);
}

/* Returns a uniform random number above 0 and at most 1. */
static double
next_uniform(uint64 *state)
{
	return ((double) (next_bits(state) >> 11) + 1.0) / 9007199254740992.0;
}

static double
next_normal(uint64 *state)
{
	double radius = sqrt(-2.0 * log(next_uniform(state)));

	return radius * cos(2.0 * M_PI * next_uniform(state));
}

/*
 * Returns a random number of the gamma distribution with mean shape. Source: Marsaglia
 * and Tsang, "A simple method for generating gamma variables".
 */
static double
next_gamma(uint64 *state, double shape)
{
	/* a shape below 1 uses the distribution of shape + 1 */
	double d = (shape < 1.0 ? shape + 1.0 : shape) - 1.0 / 3.0;
	double c = 1.0 / sqrt(9.0 * d);

	for (;;)
	{
		double x = next_normal(state);
		double v = 1.0 + c * x;

		if (v <= 0.0)
			continue;
		v = v * v * v;
		if (log(next_uniform(state)) >= 0.5 * x * x + d - d * v + d * log(v))
			continue;
		return shape < 1.0 ? d * v * pow(next_uniform(state), 1.0 / shape) : d * v;
	}
}

double
noise_of_estimate(const Estimate *estimate, const Decomposition *decomposition)
{
	uint64 state = (uint64) noise_seed;
	uint64 entries;

	if (noise_shape == 0.0)
		return 1.0;
	memcpy(&entries, &estimate->entries, sizeof(entries));
	state = next_bits(&state) ^ entries;
	state = next_bits(&state) ^ ((uint64) estimate->labels << 32 |
								 (decomposition->promoted & estimate->labels));
	state = next_bits(&state) ^ (decomposition->blocked & estimate->labels);
	return next_gamma(&state, noise_shape) / noise_shape;
}
