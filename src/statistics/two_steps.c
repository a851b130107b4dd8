/*-------------------------------------------------------------------------
 *
 * two_steps.c
 *	  Where two steps through a matrix lead to.
 *
 * Neighbours of neighbours are few: many walks i, j, k have the same i and k, more
 * than if ends were independent. What einsum_analyze counts, the walks and the pairs
 * that they lead to, tells over how many places they are spread: n such that
 *
 *	  pairs = n (1 - exp(-walks / n))
 *
 * So tuples over i and k have these places in place of V(i) V(k), also where
 * a filter leaves fewer of the walks, and other tensors add labels.
 *
 * Known weakness: what three steps lead to is not counted.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "recursion.h"
#include "statistics/estimate.h"

/* The most matrices of a join that are considered. */
#define MAX_STEPS 16

/* A matrix of a join, accessed by two different labels. */
typedef struct Step
{
	const TensorStatistics *matrix;
	int label[2];
} Step;

/*
 * Appends the measured matrices among a join's operands to steps; returns their number.
 */
static int
find_steps(const Degrees *degrees, Step *steps, int n)
{
	const TensorStatistics *statistics;

	if (degrees == NULL || n == MAX_STEPS)
		return n;
	enter_recursion();
	statistics = degrees->statistics;
	if (statistics == NULL)
		return find_steps(degrees->right, steps, find_steps(degrees->left, steps, n));
	if (statistics->rank == 2 && degrees->label[0] != degrees->label[1] &&
		meetings_of(statistics, 0, 0)->pairs >= 0)
		steps[n++] = (Step){statistics, {degrees->label[0], degrees->label[1]}};
	return n;
}

/*
 * Solves x / (1 - exp(-x)) = ratio for x, with ratio > 1. ratio: walks per pair of ends
 * that occurs; x: walks per place.
 */
static double
walks_of_place(double ratio)
{
	double low = Max(ratio - 1.0, 0.0);
	double high = Min(ratio, 2.0 * (ratio - 1.0));

	for (int i = 0; i < 40; i++)
	{
		double x = (low + high) / 2.0;

		if (x < ratio * -expm1(-x))
			low = x;
		else
			high = x;
	}
	return (low + high) / 2.0;
}

/*
 * The share of all pairs of ends over which the walks through a matrix are spread. A
 * walk's two steps meet in dimension p of the first and q of the second. Below 1 if fewer
 * pairs occur than by chance.
 */
static double
share_of_places(const TensorStatistics *matrix, int p, int q)
{
	const Meetings *meetings = meetings_of(matrix, p, q);
	double all = matrix->values[1 - p] * matrix->values[1 - q];
	double ratio;

	if (meetings->pairs <= 0 || meetings->product <= 0 || all <= 0)
		return 1.0;
	/* avoid a division by nearly 0 */
	ratio = Max(meetings->product / meetings->pairs, 1.001);
	return meetings->product / walks_of_place(ratio) / all;
}

double
share_of_two_steps(const Estimate *estimate, LabelMask labels, LabelMask *ends)
{
	Step steps[MAX_STEPS];
	int n = find_steps(estimate->degrees, steps, 0);
	LabelMask summed = estimate->labels & ~labels;
	double share = 1.0;

	*ends = 0;
	for (int a = 0; a < n; a++)
	{
		for (int b = 0; b < a; b++)
		{
			if (steps[a].matrix != steps[b].matrix)
				continue;
			for (int p = 0; p < 2; p++)
			{
				for (int q = 0; q < 2; q++)
				{
					LabelMask pair =
						1u << steps[a].label[1 - p] | 1u << steps[b].label[1 - q];
					if (steps[a].label[p] != steps[b].label[q] ||
						!(summed & 1u << steps[a].label[p]) || (pair & ~labels) ||
						steps[a].label[1 - p] == steps[b].label[1 - q] ||
						meetings_of(steps[a].matrix, p, q)->pairs < 0 ||
						(pair & ~*ends) == 0)
						continue;
					share *= share_of_places(steps[a].matrix, p, q);
					*ends |= pair;
				}
			}
		}
	}
	return share;
}
