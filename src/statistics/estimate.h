/*-------------------------------------------------------------------------
 *
 * estimate.h
 *	  How many entries and tuples an expression has.
 *
 * An estimate describes an expression over labels numbered 0 to 31 (the
 * caller's numbering): T, the entries that differ from fill, and V(l), the
 * indices of each label with at least one such entry; and the degrees that bound
 * both. See the README.
 *
 *-------------------------------------------------------------------------
 */
#ifndef STATISTICS_ESTIMATE_H
#define STATISTICS_ESTIMATE_H

#include "statistics/degrees.h"
#include "statistics/skew.h"

typedef struct Estimate
{
	LabelMask labels;
	double entries;                     /* T */
	double values[ESTIMATE_MAX_LABELS]; /* V(l), of the labels in the mask */
	/* a stored tensor's exact counts, and where its dimensions went */
	const TensorStatistics *stored;
	int8 dimension[ESTIMATE_MAX_LABELS];
	Skew skew[ESTIMATE_MAX_LABELS]; /* of the labels in the mask */
	/* what chains lead through; for all estimators, since all are capped */
	const Degrees *degrees;
} Estimate;

/*
 * A way to estimate: the five functions that a family of estimators consists
 * of. bounds are those of the labels, infinite if open.
 */
typedef struct Estimator
{
	const char *name;
	bool is_bound; /* no number is below the true one, if the statistics are not */
	bool counts_two_steps; /* see share_of_two_steps() */
	/* a tensor accessed by labels[0 .. rank - 1], which may repeat */
	void (*stored)(Estimate *result, const TensorStatistics *statistics, int rank,
				   const int *labels, const double *bounds);
	/* a map that annihilates: support is the intersection */
	void (*intersect)(Estimate *result, const Estimate *a, const Estimate *b,
					  const double *bounds);
	/* a map that does not: support is the union */
	void (*unite)(Estimate *result, const Estimate *a, const Estimate *b,
				  const double *bounds);
	/* an aggregate that keeps these labels */
	void (*aggregate)(Estimate *result, const Estimate *input, LabelMask kept);
	/* tuples of the decomposition that promotes these labels */
	double (*tuples)(const Estimate *estimate, LabelMask promoted);
} Estimator;

extern const Estimator distinct_estimator;
extern const Estimator uniform_estimator;
extern const Estimator chain_estimator;

/* All of them, the default first; NULL ends the list. */
extern const Estimator *const estimators[];

/* A tensor whose entries are all the indices of these labels. */
extern void full_estimate(Estimate *result, LabelMask labels, const double *bounds);

/*
 * A stage's result as a tensor whose dimensions are these labels: T, V and,
 * by chains, bounds of its degrees.
 */
extern TensorStatistics *estimate_statistics_of(const Estimate *estimate, int rank,
												const int *labels);

/*
 * T of any estimator is at most what chains allow. A search, so that it
 * is not done within intersect and aggregate, which searches call very often,
 * but on the estimates that are kept.
 */
extern void cap_by_chain(Estimate *estimate);

/* What the estimators share. */

#define FOREACH_LABEL(label, mask)                                                       \
	for (LabelMask rest_ = (mask);                                                       \
		 rest_ && ((label) = pg_rightmost_one_pos32(rest_), true); rest_ &= rest_ - 1)

/* Product of V over labels. */
extern double product_of_values(const Estimate *estimate, LabelMask labels);

/* T is at most the product of V, and no V greater than T. */
extern void cap_values(Estimate *estimate);

/* The degrees of a join of a and b. */
extern const Degrees *degrees_of_join(const Estimate *a, const Estimate *b);

/*
 * The entries over some labels of a join of two accesses of one stored tensor in
 * which each label they share has the same position, and both have the same
 * others; -1 if that is not what it is, or not known.
 */
extern double entries_of_self_join(const Estimate *a, LabelMask labels_a,
								   const Estimate *b, LabelMask labels_b);

/*
 * The places that entries are spread over, over all places of some labels, by what was counted of
 * two steps through a matrix which is joined with itself by labels that are summed: 1 if nothing was. Sets
 * the labels that such steps lead from and to.
 */
extern double share_of_two_steps(const Estimate *estimate, LabelMask labels,
								 LabelMask *ends);

/* T(labels), estimated as tuples, capped. */
extern double cap_tuples(const Estimate *estimate, LabelMask labels, double tuples);

#endif
