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

/* How many X go with one Y, X and Y disjoint sets of dimensions; each -1 if not known. */
typedef struct Degree
{
	double most;   /* DC(X|Y) = most distinct X for one Y */
	double square; /* means of the squares and cubes over the Y there are */
	double cube;
} Degree;

/*
 * Sums over the indices that are the same in two dimensions, of the entries that
 * have it in the one, times (or squared times) those that have it in the other;
 * -1 where indices of the one are not indices of the other.
 */
typedef struct Meetings
{
	double product;
	double square;
	/*
	 * of a matrix: to how many pairs of other indices two entries that meet lead; -1: not
	 * known
	 */
	double pairs;
} Meetings;

/*
 * Of a skew with such powers: mean square and mean cube of the entries of an index, over
 * those powers of the mean.
 */
#define KNOWN_SKEWS 8

typedef struct KnownSkew
{
	uint8 power[STATISTICS_MAX_RANK]; /* all 0: none */
	double square;
	double cube;
} KnownSkew;

/* In one chunk of memory, of the size that the rank asks for. */
typedef struct TensorStatistics
{
	int rank;
	bool exact;     /* measured */
	bool outdated;  /* measured at another size: estimated anew */
	bool nonfinite; /* some entry is infinite or NaN */
	double entries; /* T(U) */
	double rows;    /* of the storage it was measured in, then */
	double
		unsummed; /* rows of an additive storage, before duplicates are summed; 0: none */
	/* rows of the storages that have values of several entries, as they are */
	int ncounted;
	StorageRows *counted; /* at most STATISTICS_MAX_STORAGES */
	/* by dimension */
	double *values; /* V(U, l) */
	Skew *skew;     /* of what is computed: from which tensors it has its skew */
	/* up to STATISTICS_MAX_RANK, else NULL */
	double *distinct;   /* DC(S|{}) = distinct index vectors over S, or -1; by bitmask */
	Degree *degrees;    /* see degree_of */
	Meetings *meetings; /* see meetings_of */
	/* found out when first needed, a slot for each hash of powers */
	KnownSkew known[KNOWN_SKEWS];
} TensorStatistics;

/* The degree of dimensions X given Y, of a tensor of at most STATISTICS_MAX_RANK. */
static inline Degree *
degree_of(const TensorStatistics *statistics, int counted, int given)
{
	return &statistics->degrees[counted << statistics->rank | given];
}

/* The meetings of two dimensions, of such a tensor. */
static inline Meetings *
meetings_of(const TensorStatistics *statistics, int p, int q)
{
	return &statistics->meetings[p * statistics->rank + q];
}

/*
 * Statistics of a tensor: what was measured of one of its storages, if that has
 * not grown or shrunk to more than double or less than half since, else
 * estimates from pg_class and pg_statistic. Who may not read it (readable.h) gets
 * estimates by sizes alone.
 */
extern const TensorStatistics *get_tensor_statistics(const TensorEntry *tensor);

/* Statistics of which nothing is known yet: counts 0, the rest -1. */
extern TensorStatistics *new_statistics(int rank);

#endif
