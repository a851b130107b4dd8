/*-------------------------------------------------------------------------
 *
 * estimate.h
 *	  How many entries and tuples an expression has.
 *
 * An estimate describes an expression over labels numbered 0 to 31 (the
 * caller's numbering): T, the entries that differ from fill, and V(l), the
 * indices of each label with at least one such entry. See the README.
 *
 *-------------------------------------------------------------------------
 */
#ifndef STATISTICS_ESTIMATE_H
#define STATISTICS_ESTIMATE_H

#include "catalog/tensor_statistics.h"

#define ESTIMATE_MAX_LABELS 32

typedef uint32 LabelMask;

typedef struct Estimate
{
	LabelMask labels;
	double entries;                     /* T */
	double values[ESTIMATE_MAX_LABELS]; /* V(l), of the labels in the mask */
	/* a stored tensor's exact counts, and where its dimensions went */
	const TensorStatistics *stored;
	int dimension[ESTIMATE_MAX_LABELS];
} Estimate;

/*
 * A way to estimate: the five functions that a family of estimators consists
 * of. bounds are those of the labels.
 */
typedef struct Estimator
{
	const char *name;
	/* a tensor accessed by labels[0 .. rank - 1], which may repeat */
	void (*stored)(Estimate *result, const TensorStatistics *statistics, int rank,
				   const int *labels);
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

/* The estimator of that name, or NULL. */
extern const Estimator *estimator_by_name(const char *name);

#endif
