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
	double values[ESTIMATE_MAX_LABELS]; /* V(l), by label in labels */
	/*
	 * a stored tensor with exact counts (or NULL), and the dimension that each label has
	 * in it
	 */
	const TensorStatistics *stored;
	int8 dimension[ESTIMATE_MAX_LABELS];
	Skew skew[ESTIMATE_MAX_LABELS]; /* by label in labels */
	/* the degrees that chains lead through, by which all estimators are capped */
	const Degrees *degrees;
} Estimate;

/*
 * A family of estimators: five functions. Their bounds are the labels' bounds, infinite
 * for open labels.
 */
typedef struct Estimator
{
	const char *name;
	bool is_bound; /* no estimate is below the true number if the statistics are exact */
	bool counts_two_steps; /* see share_of_two_steps() */
	/* a tensor accessed by labels[0 .. rank - 1], which may repeat */
	void (*stored)(Estimate *result, const TensorStatistics *statistics, int rank,
				   const int *labels, const double *bounds);
	/*
	 * a map with a zero operand that makes the result zero: support is the intersection
	 */
	void (*intersect)(Estimate *result, const Estimate *a, const Estimate *b,
					  const double *bounds);
	/* any other map: support is the union */
	void (*unite)(Estimate *result, const Estimate *a, const Estimate *b,
				  const double *bounds);
	/* an aggregate that keeps some labels */
	void (*aggregate)(Estimate *result, const Estimate *input, LabelMask kept);
	/* returns the number of tuples in the decomposition that promotes these labels */
	double (*tuples)(const Estimate *estimate, LabelMask promoted);
} Estimator;

extern const Estimator distinct_estimator;
extern const Estimator uniform_estimator;
extern const Estimator chain_estimator;

/* All estimators, the default first; NULL ends the list. */
extern const Estimator *const estimators[];

/* Estimates a tensor that has entries at all combinations of indices of these labels. */
extern void full_estimate(Estimate *result, LabelMask labels, const double *bounds);

/*
 * The statistics of a stage's result as a tensor whose dimensions have these labels: T,
 * V, and chain bounds of its degrees.
 */
extern TensorStatistics *estimate_statistics_of(const Estimate *estimate, int rank,
												const int *labels);

/*
 * Caps T of any estimator by the chain bound. The search for it is too expensive for
 * intersect and aggregate, which are called very often: only estimates that are kept are
 * capped.
 */
extern void cap_by_chain(Estimate *estimate);

/* Functions that the estimators share. */

#define FOREACH_LABEL(label, mask)                                                       \
	for (LabelMask rest_ = (mask);                                                       \
		 rest_ && ((label) = pg_rightmost_one_pos32(rest_), true); rest_ &= rest_ - 1)

/* The product of V over some labels. */
extern double product_of_values(const Estimate *estimate, LabelMask labels);

/* Caps T by the product of V, and each V by T. */
extern void cap_values(Estimate *estimate);

/* The degrees of the join of a and b. */
extern const Degrees *degrees_of_join(const Estimate *a, const Estimate *b);

/*
 * The entries of a join of two accesses of one stored tensor, counted over labels_a and
 * labels_b. Shared labels have to be in the same dimensions of both accesses, and the
 * other labels too; -1 if they are not, or if the degrees were not measured.
 */
extern double entries_of_self_join(const Estimate *a, LabelMask labels_a,
								   const Estimate *b, LabelMask labels_b);

/*
 * Two steps are a matrix joined with itself by a label that is summed. Returns the share
 * of the places over some labels over which the entries are spread, from the pairs of
 * ends that einsum_analyze has counted; 1 without such counts. *ends: the labels of the
 * steps' ends.
 */
extern double share_of_two_steps(const Estimate *estimate, LabelMask labels,
								 LabelMask *ends);

/* Caps an estimate of T(labels) by the chain bound. */
extern double cap_tuples(const Estimate *estimate, LabelMask labels, double tuples);

#endif
