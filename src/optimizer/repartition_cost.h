/*-------------------------------------------------------------------------
 *
 * repartition_cost.h
 *	  The cost model: bringing a tensor into another decomposition, and delivering it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_REPARTITION_COST_H
#define OPTIMIZER_REPARTITION_COST_H

#include "optimizer/decomposition_table.h"
#include "optimizer/stage.h"

/* Returns the cost of bringing a tensor from one decomposition into another. */
extern double cost_repartition(const ProgramTensor *tensor,
							   const TensorStatistics *statistics,
							   const Estimator *estimator, const Decomposition *from,
							   const Decomposition *to);

/*
 * Returns the bytes that are read of a storage for an operand in a decomposition, as
 * estimated, and sets *cost to what its rows, bytes and entries take: by it storages of
 * one tensor are compared. leading: the dimensions over which loops may go first; entries
 * in another order than theirs are sorted.
 */
extern double bytes_to_read(const Operand *operand, const Estimator *estimator,
							const Storage *storage, const Decomposition *to,
							DimensionMask leading, double *cost);

/* Returns the cost of casting the arrays that a storage has in the place of tensors. */
extern double cost_of_casts(const ProgramTensor *tensor,
							const TensorStatistics *statistics,
							const Estimator *estimator, const Storage *storage,
							const Decomposition *from);

/*
 * Returns the cost of the rows with equal keys that a storage has, for the entries that
 * are read (the statistics read). The statistics of the operand's whole tensor say how
 * many rows an entry has. These are summed before the join, or each is a tuple of the
 * join (summed_later).
 */
extern double cost_of_duplicates(const Operand *operand, const TensorStatistics *read,
								 const Estimator *estimator, const Storage *storage,
								 const Decomposition *from, bool summed_later);

/* How large a tensor is in a decomposition. */
typedef struct DecompositionSize
{
	double tuples;
	double bytes; /* of one tuple */
} DecompositionSize;

/*
 * The costs of repartitions of one tensor, as by cost_repartition(); keeps the sizes of
 * each decomposition that it has estimated.
 */
typedef struct Repartitions
{
	const ProgramTensor *tensor;
	const Estimator *estimator;
	Estimate estimate;
	double bounds[TENSOR_MAX_RANK];
	DecompositionTable *sizes; /* by decomposition; NULL: they are not kept */
	/*
	 * by the promoted dimensions of a decomposition without blocks; tuples are -1 where
	 * they are not known. NULL: the table has these, too
	 */
	DecompositionSize *without_blocks;
} Repartitions;

extern void begin_repartitions(Repartitions *repartitions, const ProgramTensor *tensor,
							   const TensorStatistics *statistics,
							   const Estimator *estimator);
extern double repartition_between(const Repartitions *repartitions,
								  const Decomposition *from, const Decomposition *to);

/* Returns the least cost of any repartition into this decomposition. */
extern double least_repartition(const Repartitions *repartitions,
								const Decomposition *to);

/*
 * Returns the bytes that the groups of a repartition need, if these are more than a hash
 * table may have; else 0.
 */
extern double repartition_memory(const ProgramTensor *tensor,
								 const TensorStatistics *statistics,
								 const Estimator *estimator, const Decomposition *from,
								 const Decomposition *to);

/* Returns the cost of delivering the result of a root to the user. */
extern double cost_result(const Stage *stage, const Estimator *estimator,
						  const Decomposition *shape);

/*
 * Sets the tuples of a stage's result in the shape that it is brought into, and the bytes
 * of one tuple.
 */
extern void result_size(const Stage *stage, const Estimator *estimator,
						const Decomposition *shape, double *tuples, double *bytes);

#endif
