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

/* Cost of bringing a tensor from one decomposition into another. */
extern double cost_repartition(const ProgramTensor *tensor,
							   const TensorStatistics *statistics,
							   const Estimator *estimator, const Decomposition *from,
							   const Decomposition *to);

/* Cost of casting the arrays that a storage has in the place of tensors. */
extern double cost_of_casts(const ProgramTensor *tensor,
							const TensorStatistics *statistics,
							const Estimator *estimator, const Storage *storage,
							const Decomposition *from);

/*
 * Cost of the rows that a storage has for equal keys, of the entries that are read; of the
 * operand's whole tensor statistics say how many there are. They are summed before, or each
 * is a tuple of the join (summed_later).
 */
extern double cost_of_duplicates(const Operand *operand, const TensorStatistics *read,
								 const Estimator *estimator, const Storage *storage,
								 const Decomposition *from, bool summed_later);

/*
 * What repartitions of one tensor cost, as cost_repartition says: the tuples of each
 * decomposition are worked out once.
 */
typedef struct Repartitions
{
	const ProgramTensor *tensor;
	const Estimator *estimator;
	Estimate estimate;
	double bounds[TENSOR_MAX_RANK];
	DecompositionTable *tuples; /* by decomposition; NULL: not kept */
} Repartitions;

extern void begin_repartitions(Repartitions *repartitions, const ProgramTensor *tensor,
							   const TensorStatistics *statistics,
							   const Estimator *estimator);
extern double repartition_between(const Repartitions *repartitions,
								  const Decomposition *from, const Decomposition *to);

/* The least that any repartition into this decomposition costs. */
extern double least_repartition(const Repartitions *repartitions,
								const Decomposition *to);

/*
 * Bytes that the groups of a repartition need, if that is more than a hash table may
 * have; else 0.
 */
extern double repartition_memory(const ProgramTensor *tensor,
								 const TensorStatistics *statistics,
								 const Estimator *estimator, const Decomposition *from,
								 const Decomposition *to);

/* Cost of delivering a root's result. */
extern double cost_result(const Stage *stage, const Estimator *estimator,
						  const Decomposition *shape);

/* Tuples of a stage's result in a shape that it is brought into, and the bytes of one. */
extern void result_size(const Stage *stage, const Estimator *estimator,
						const Decomposition *shape, double *tuples, double *bytes);

#endif
