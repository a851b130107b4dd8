/*-------------------------------------------------------------------------
 *
 * tensor_statistics.h
 *	  Measured statistics of registered tensors: T(U), V(U,l) and degrees.
 *
 * A set of labels is a bitmask over the tensor's dimensions. Kept in the
 * table einsum_statistics, keyed by relation and a hash of the registration.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_TENSOR_STATISTICS_H
#define CATALOG_TENSOR_STATISTICS_H

#include "catalog/registration.h"

/* Distinct combinations and degrees are kept for tensors up to this rank. */
#define STATISTICS_MAX_RANK 4

typedef struct TensorStatistics
{
	int rank;
	bool exact;                     /* measured */
	bool outdated;                  /* measured at another size: estimated anew */
	double entries;                 /* T(U) */
	double values[TENSOR_MAX_RANK]; /* V(U, l) */
	/* DC(S|{}) = number of distinct index vectors over S, or -1; by bitmask */
	double distinct[1 << STATISTICS_MAX_RANK];
	/* DC(X|Y) = most distinct X for one Y, X and Y disjoint, or -1 */
	double degree[1 << STATISTICS_MAX_RANK][1 << STATISTICS_MAX_RANK];
	bool nonfinite; /* some entry is infinite or NaN */
} TensorStatistics;

/*
 * Statistics of a tensor: what was measured of one of its storages, if that has
 * not grown or shrunk to more than double or less than half since, else
 * estimates from pg_class and pg_statistic. Always fills *statistics.
 * Who may not read it (readable.h) gets estimates by sizes alone.
 */
extern void get_tensor_statistics(const TensorEntry *tensor,
								  TensorStatistics *statistics);

/* Statistics of which nothing is known yet: counts 0, the rest -1. */
extern void clear_statistics(int rank, TensorStatistics *statistics);

#endif
