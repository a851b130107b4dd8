/*-------------------------------------------------------------------------
 *
 * stage_cost.h
 *	  The cost model: what one stage costs in one decomposition.
 *
 * All costs are microseconds of one core; bytes are those of the keys and the
 * value of a tuple. The formulas are in stage_cost.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_STAGE_COST_H
#define OPTIMIZER_STAGE_COST_H

#include "optimizer/decomposition.h"
#include "optimizer/stage.h"

/* What estimates may overflow to; infinite is what is not allowed. */
#define MAX_COST 1e100

static inline double
finite_cost(double cost)
{
	return cost < MAX_COST ? cost : MAX_COST;
}

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
 * What a search compares: a stage that extends beyond max_dense_tuples by
 * estimate seems to cost that much more, so that it is chosen if all others are
 * excluded.
 */
#define UNDESIRABLE 1e6
extern double desirable_cost(const StageCost *cost);

#endif
