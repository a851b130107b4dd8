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

/* Distinct combinations and degrees are counted for tensors up to this rank. */
#define STATISTICS_MAX_RANK 4

/*
 * The source of a label's skew: its indices are as unequally frequent as those of
 * dimensions of one tensor, each to a power. A join of two entries by one index adds
 * their powers. Without a source, all indices are taken to be equally frequent.
 */
typedef struct Skew
{
	const struct TensorStatistics *source;
	uint8 power[STATISTICS_MAX_RANK]; /* by dimension of the source */
} Skew;

/* The number of rows of a storage, and its decomposition, as in StorageDimension. */
#define STATISTICS_MAX_STORAGES 4

typedef struct StorageRows
{
	double rows;
	int64 block[STATISTICS_MAX_RANK]; /* 1: promoted, 0: demoted */
} StorageRows;

/*
 * How many combinations of X go with one of Y, for disjoint sets X and Y of dimensions;
 * each number -1 if not known.
 */
typedef struct Degree
{
	double most;   /* DC(X|Y) = most distinct X for one Y */
	double square; /* mean square and mean cube, over the Y that occur */
	double cube;
} Degree;

/*
 * Sums over the indices that two dimensions have in common: the number of entries with
 * that index in the first dimension (in square: squared) times the number with it in the
 * second. -1 if the dimensions have different kinds of indices.
 */
typedef struct Meetings
{
	double product;
	double square;
	/*
	 * of a matrix: the number of pairs of other indices that two entries with a common
	 * index connect; -1: not known
	 */
	double pairs;
} Meetings;

/*
 * Mean square and mean cube of the entries of an index, for a skew with these powers,
 * relative to the same powers of the mean.
 */
#define KNOWN_SKEWS 8

typedef struct KnownSkew
{
	uint8 power[STATISTICS_MAX_RANK]; /* all 0: the slot is empty */
	double square;
	double cube;
} KnownSkew;

/* How many rows an additive storage has, before duplicates are summed. */
typedef struct UnsummedRows
{
	Oid relid;
	double rows;
} UnsummedRows;

/* Statistics of a tensor, in one chunk of memory whose size depends on the rank. */
typedef struct TensorStatistics
{
	int rank;
	bool exact;     /* measured, not estimated */
	bool outdated;  /* measured when the relation had another size: estimated again */
	bool nonfinite; /* some entry is infinite or NaN */
	double entries; /* T(U) */
	double rows;    /* of the storage that was measured, at that time */
	List *unsummed; /* of UnsummedRows *, for each additive storage */
	/* the present rows of storages whose rows hold several entries */
	int ncounted;
	StorageRows *counted; /* at most STATISTICS_MAX_STORAGES */
	/* by dimension */
	double *values; /* V(U, l) */
	Skew *skew;     /* of a computed tensor: the sources of its skew */
	/* up to STATISTICS_MAX_RANK, else NULL */
	double *distinct;   /* DC(S|{}) = distinct index vectors over S, or -1; by bitmask */
	Degree *degrees;    /* see degree_of */
	Meetings *meetings; /* see meetings_of */
	/* computed when first needed; a slot for each hash of powers */
	KnownSkew known[KNOWN_SKEWS];
} TensorStatistics;

/*
 * Returns the degree of dimensions X given Y, for a tensor of at most
 * STATISTICS_MAX_RANK.
 */
static inline Degree *
degree_of(const TensorStatistics *statistics, int counted, int given)
{
	return &statistics->degrees[counted << statistics->rank | given];
}

/* Returns the meetings of two dimensions, for such a tensor. */
static inline Meetings *
meetings_of(const TensorStatistics *statistics, int p, int q)
{
	return &statistics->meetings[p * statistics->rank + q];
}

/*
 * Returns the statistics of a tensor: those measured of one of its storages, unless that
 * has since grown to more than double or shrunk to less than half its size; else
 * estimates from pg_class and pg_statistic. A user who may not read the tensor
 * (readable.h) gets estimates by sizes alone.
 */
extern const TensorStatistics *get_tensor_statistics(const TensorEntry *tensor);

/* Returns the rows of a storage before duplicates are summed; 0 if it is not additive. */
extern double unsummed_rows(const TensorStatistics *statistics, const Storage *storage);

/* Returns statistics of which nothing is known yet: counts are 0, the rest is -1. */
extern TensorStatistics *new_statistics(int rank);

#endif
