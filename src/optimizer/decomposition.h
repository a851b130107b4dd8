/*-------------------------------------------------------------------------
 *
 * decomposition.h
 *	  Which labels of a stage, or dimensions of a tensor, are key columns,
 *	  which are dimensions of the value, and which are split between the two.
 *
 * A label split in blocks of size b has its block number as a key and the
 * offset as a dimension. b = 1 is promoted, b = bound is demoted: the block
 * size alone says it all, and the masks follow from it. The last block is
 * shorter where b does not divide the bound.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_DECOMPOSITION_H
#define OPTIMIZER_DECOMPOSITION_H

#include "postgres.h"

#include "statistics/estimate.h"

#define DECOMPOSITION_SIZE ESTIMATE_MAX_LABELS

typedef uint32 DimensionMask; /* over the dimensions of a tensor */

/* Block sizes with a meaning of their own. */
#define BLOCK_DEMOTED 0 /* the whole bound */
#define BLOCK_PROMOTED 1

/* Bits and sizes are by label of a stage, or by dimension of a tensor. */
typedef struct Decomposition
{
	uint32 promoted; /* keys that are not dimensions */
	uint32 blocked;  /* keys and dimensions both */
	int32 block[DECOMPOSITION_SIZE];
} Decomposition;

/* Sets the block size of one label; one of at least the bound demotes it. */
extern void set_block(Decomposition *decomposition, int i, int64 block, double bound);

/* Returns the block size of one label; it may be BLOCK_PROMOTED or BLOCK_DEMOTED. */
extern int32 block_size(const Decomposition *decomposition, int i);

/* Returns the decomposition that promotes these labels and demotes all others. */
extern Decomposition promoting(uint32 promoted);

static inline bool
same_decomposition(const Decomposition *a, const Decomposition *b)
{
	return a->promoted == b->promoted && a->blocked == b->blocked &&
		   (a->blocked == 0 || memcmp(a->block, b->block, sizeof(a->block)) == 0);
}

/* Returns the labels or dimensions that have a key column. */
static inline uint32
keys_of(const Decomposition *decomposition)
{
	return decomposition->promoted | decomposition->blocked;
}

/*
 * Returns the labels whose key columns mean the same in both decompositions: promoted, or
 * in blocks of one size.
 */
extern uint32 common_keys(const Decomposition *a, const Decomposition *b);

/*
 * Returns how many indices of a label one value holds at most; the last block may be
 * shorter.
 */
extern double block_extent(const Decomposition *decomposition, int i, double bound);

/* Returns how many blocks of this size an index set of this bound has. */
extern double block_count(double bound, int64 block);

/*
 * Does a repartition of one dimension between these block sizes cut values (is_cut) or
 * stack them (is_stacked)? Neither if the sizes are equal. Both if neither size divides
 * the other: then values are cut into single indices first. Any size cuts the whole
 * bound, since the last block may be shorter.
 */
extern bool is_cut(int32 from, int32 to);
extern bool is_stacked(int32 from, int32 to);

/*
 * Returns the decomposition into which a repartition cuts a tensor before it stacks: for
 * each dimension the finer of the two blocks if it divides the other, else single
 * indices.
 */
extern Decomposition finer_decomposition(const Decomposition *from,
										 const Decomposition *to, int rank);

/*
 * Returns the decomposition of a tensor's dimensions, given that of the labels that index
 * them.
 */
extern Decomposition decomposition_of_dimensions(const Decomposition *labels, int rank,
												 const int *dimension_labels);

/*
 * Returns the estimated tuples of a tensor in a decomposition. If a promoted label has V
 * distinct indices, in blocks it has V_b = nb (1 - (1 - V / bound)^b) blocks with
 * entries. There is a tuple for each combination of blocks that has entries, as the
 * estimator "distinct" reckons it; never fewer than without the split labels, nor more
 * than with their indices promoted.
 */
extern double estimate_tuples(const Estimator *estimator, const Estimate *estimate,
							  const Decomposition *decomposition, const double *bounds);

/*
 * Returns how many blocks of a label with this number of distinct indices have entries
 * (V_b above).
 */
extern double occupied_blocks(double values, double bound, int64 block);

#endif
