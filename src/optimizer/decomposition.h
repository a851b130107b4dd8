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

/* That of one label, BLOCK_PROMOTED and BLOCK_DEMOTED included. */
extern int32 block_size(const Decomposition *decomposition, int i);

/* The decomposition that promotes these and demotes the rest. */
extern Decomposition promoting(uint32 promoted);

static inline bool
same_decomposition(const Decomposition *a, const Decomposition *b)
{
	return a->promoted == b->promoted && a->blocked == b->blocked &&
		   (a->blocked == 0 || memcmp(a->block, b->block, sizeof(a->block)) == 0);
}

/* The key columns. */
static inline uint32
keys_of(const Decomposition *decomposition)
{
	return decomposition->promoted | decomposition->blocked;
}

/* Keys of both with the same meaning: promoted, or in blocks of one size. */
extern uint32 common_keys(const Decomposition *a, const Decomposition *b);

/* Indices of a label that one value holds: the most, if the last block is
 * shorter. */
extern double block_extent(const Decomposition *decomposition, int i, double bound);

/* Blocks of this size that an index set of this bound has. */
extern double block_count(double bound, int64 block);

/*
 * Is a repartition of one dimension between these sizes a cut, or a stacking?
 * Neither if they are equal, both if neither size divides the other: then by
 * way of single indices. Whatever there is cuts the whole bound, since the last
 * block may be shorter.
 */
extern bool is_cut(int32 from, int32 to);
extern bool is_stacked(int32 from, int32 to);

/*
 * What a repartition cuts a tensor into before it stacks: of each dimension
 * the finer block if it divides the other, else single indices.
 */
extern Decomposition finer_decomposition(const Decomposition *from,
										 const Decomposition *to, int rank);

/*
 * The dimensions of a tensor that these labels index, decomposed as the labels
 * are.
 */
extern Decomposition decomposition_of_dimensions(const Decomposition *labels, int rank,
												 const int *dimension_labels);

/*
 * Tuples of a decomposition. Blocks with entries are V_b = nb (1 - (1 - V /
 * bound)^b) where a promoted label has V; a tuple for each of their
 * combinations that has entries, as the estimator "distinct" reckons it, and
 * never fewer than without the split labels or more than with their indices
 * promoted.
 */
extern double estimate_tuples(const Estimator *estimator, const Estimate *estimate,
							  const Decomposition *decomposition, const double *bounds);

/* V_b of a label that has V. */
extern double occupied_blocks(double values, double bound, int64 block);

#endif
