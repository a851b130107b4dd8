/*-------------------------------------------------------------------------
 *
 * skew.h
 *	  How much more often the indices of a label meet in a join because some
 *	  have more entries than others. See the README.
 *
 *-------------------------------------------------------------------------
 */
#ifndef STATISTICS_SKEW_H
#define STATISTICS_SKEW_H

#include "catalog/tensor_statistics.h"

/* No skew is known: all indices are taken to have the same number of entries. */
extern const Skew no_skew;

/* The skew of a dimension of a stored or computed tensor. */
extern Skew skew_of_dimension(const TensorStatistics *statistics, int dimension);

/* Do two skews come from the same measured tensor? */
extern bool same_source(const Skew *a, const Skew *b);

/*
 * Returns how many times as many pairs of entries agree in a label as would if all
 * indices had the same number of entries. *joined: the skew of the label in the join.
 */
extern double skewed_meetings(const Skew *a, const Skew *b, Skew *joined);

/*
 * The largest possible skew of a tensor with that many entries in that many places: no
 * index can have more times the mean number of entries.
 */
static inline double
most_skew(double places, double entries)
{
	return entries > 0 && places > entries ? places / entries : 1.0;
}

/* How often operands agree in a label that they share. */
typedef struct LabelAgreement
{
	double selectivity; /* the share of pairs of entries of two operands that agree */
	int times;          /* number of operands - 1 */
	uint32 operands; /* bit set of the operands whose skew in the label has one source */
	double entries;  /* number of entries of that source */
} LabelAgreement;

/*
 * The share of all combinations of entries that agree in n labels; sorts the agreements.
 * Two operands of one source that are already connected through others are more likely to
 * agree (friends of friends are friends): if an agreement closes a cycle, the square root
 * of the chance that the closing entry exists is taken.
 */
extern double selectivity_of(LabelAgreement *agreements, int n);

/*
 * Splits a label's indices in two groups: their shares of the indices, which add up to 1,
 * and the entries of an index in each, relative to the mean. The groups have the mean,
 * mean square and mean cube of the label. False if the label has no skew.
 */
typedef struct SkewGroups
{
	double share[2];
	double entries[2];
} SkewGroups;

extern bool skew_groups(const Skew *skew, SkewGroups *groups);

#endif
