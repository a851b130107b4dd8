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

/* Without a source: all indices are alike, as far as is known. */
extern const Skew no_skew;

/* That of a dimension of a tensor, stored or computed. */
extern Skew skew_of_dimension(const TensorStatistics *statistics, int dimension);

/* Is one tensor known to be the reason for both? */
extern bool same_source(const Skew *a, const Skew *b);

/*
 * How many times as many pairs of entries meet in a label than if all of its
 * indices had the same number of entries, and the skew of what they make.
 */
extern double skewed_meetings(const Skew *a, const Skew *b, Skew *joined);

/*
 * The largest possible skew: a tensor with this number of entries in this number of
 * places: its fullest index cannot have more times the mean than that.
 */
static inline double
most_skew(double places, double entries)
{
	return entries > 0 && places > entries ? places / entries : 1.0;
}

/* That operands agree in a label: the share of their combinations that do. */
typedef struct LabelAgreement
{
	double selectivity; /* of one agreement of two of them */
	int times;          /* one less than the operands */
	uint32 operands;    /* those that share a source of skew in it, if any do */
	double entries;     /* of that source */
} LabelAgreement;

/*
 * The share of all combinations of entries that agree in these labels. Sorts them.
 * Operands of one source that agree already, through others, tend to agree once
 * more: friends of friends are friends. So where an agreement closes a cycle of them,
 * the root is taken of the chance that there is the entry that closes it.
 */
extern double selectivity_of(LabelAgreement *agreements, int n);

/*
 * Two groups of indices that stand for all: their shares, which add up to 1, and
 * how many times the mean number of entries an index of each has. Mean, mean
 * square and mean cube are those of the label. False if there is no skew.
 */
typedef struct SkewGroups
{
	double share[2];
	double entries[2];
} SkewGroups;

extern bool skew_groups(const Skew *skew, SkewGroups *groups);

#endif
