/*-------------------------------------------------------------------------
 *
 * tensor_statistics.h
 *	  Measured statistics of registered tensors: T(U), V(U,l) and degrees.
 *
 * A set of labels is a bitmask over the tensor's dimensions. Degrees have their
 * largest, mean square and mean cube, so that joins of skewed labels can be
 * estimated (statistics/README.md). Kept in the
 * table einsum_statistics, keyed by relation and a hash of the registration.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_TENSOR_STATISTICS_H
#define CATALOG_TENSOR_STATISTICS_H

#include "catalog/registration.h"

/* Distinct combinations and degrees are kept for tensors up to this rank. */
#define STATISTICS_MAX_RANK 4

/*
 * Whose skew a label has: the indices are as unequal as those of dimensions of
 * one tensor, each to a power. A join of two entries by one index has the sum of
 * their powers. No source: all indices are taken to be alike.
 */
typedef struct Skew
{
	const struct TensorStatistics *source;
	uint8 power[STATISTICS_MAX_RANK]; /* of each dimension of it */
} Skew;

/* How many rows a storage has, and its decomposition, as in StorageDimension. */
#define STATISTICS_MAX_STORAGES 4

typedef struct StorageRows
{
	double rows;
	int64 block[STATISTICS_MAX_RANK]; /* 1: promoted, 0: demoted */
} StorageRows;

typedef struct TensorStatistics
{
	int rank;
	bool exact;                     /* measured */
	bool outdated;                  /* measured at another size: estimated anew */
	double entries;                 /* T(U) */
	double rows;                    /* of the storage it was measured in, then */
	double values[TENSOR_MAX_RANK]; /* V(U, l) */
	/* DC(S|{}) = number of distinct index vectors over S, or -1; by bitmask */
	double distinct[1 << STATISTICS_MAX_RANK];
	/* DC(X|Y) = most distinct X for one Y, X and Y disjoint, or -1 */
	double degree[1 << STATISTICS_MAX_RANK][1 << STATISTICS_MAX_RANK];
	/* means of the squares and cubes of these degrees over the Y there are, or -1 */
	double square[1 << STATISTICS_MAX_RANK][1 << STATISTICS_MAX_RANK];
	double cube[1 << STATISTICS_MAX_RANK][1 << STATISTICS_MAX_RANK];
	/*
	 * Sums over the indices that are the same in two dimensions, of the entries that
	 * have it in the one, times (or squared times) those that have it in the other;
	 * -1 where indices of the one are no indices of the other.
	 */
	double meetings[STATISTICS_MAX_RANK][STATISTICS_MAX_RANK];
	double square_meetings[STATISTICS_MAX_RANK][STATISTICS_MAX_RANK];
	/* rows of the storages that have values of several entries, as they are */
	int ncounted;
	StorageRows counted[STATISTICS_MAX_STORAGES];
	/* of what is computed, by dimension: from which tensors it has its skew */
	Skew skew[TENSOR_MAX_RANK];
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
