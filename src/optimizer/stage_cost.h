/*-------------------------------------------------------------------------
 *
 * stage_cost.h
 *	  The cost model: what one stage costs in one decomposition.
 *
 * All costs are microseconds of one core; bytes are those of the keys and the
 * value of a tuple. The formulas are in the README.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_STAGE_COST_H
#define OPTIMIZER_STAGE_COST_H

#include "optimizer/decomposition_table.h"
#include "optimizer/stage.h"

/* What EXPLAIN shows of a stage. */
typedef struct StageCost
{
	double reads;  /* operands, without repartitions */
	double join;   /* join steps and kernels */
	double group;  /* aggregation or union */
	double total;  /* infinite if the decomposition is not allowed */
	double tuples; /* of the result */
	double bytes;  /* of one tuple of the result */
	bool nest;     /* join and aggregation are those of a loop nest */
	/* bytes of the largest hash table, if that is more than one may have; else 0 */
	double memory;
	/* by estimate, tuples of an extension beyond max_dense_tuples; else 0 */
	double extended;
} StageCost;

/*
 * Cost of a stage whose labels are decomposed as chosen, reading its operands
 * in just that decomposition. Infinite where, by the bounds, a kernel's operand
 * or result would exceed max_kernel_bytes, or an extension multiply tuples by
 * more than max_dense_tuples.
 */
extern void cost_stage(const Stage *stage, const Estimator *estimator,
					   const Decomposition *choice, StageCost *cost);

/*
 * The operands of a term that decide its support and read a row of their own, in the
 * order in which their join is costed. Returns how many.
 */
extern int order_of_join(const Stage *stage, const Estimator *estimator, const Term *term,
						 const Decomposition *choice, int *order);

/*
 * What a search compares: a stage that extends beyond max_dense_tuples by
 * estimate seems to cost that much more, so that it is chosen if all others are
 * excluded.
 */
#define UNDESIRABLE 1e6
extern double desirable_cost(const StageCost *cost);

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
