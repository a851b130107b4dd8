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

/* Costs that overflow become this; an infinite cost means "not allowed". */
#define MAX_COST 1e100

static inline double
finite_cost(double cost)
{
	return cost < MAX_COST ? cost : MAX_COST;
}

/* The parts of a stage's cost that EXPLAIN shows. */
typedef struct StageCost
{
	double reads;  /* reading operands, without repartitions */
	double join;   /* join steps and kernels */
	double group;  /* aggregation or union */
	double total;  /* infinite if the decomposition is not allowed */
	double tuples; /* of the result */
	double bytes;  /* of one tuple of the result */
	bool nest;     /* a loop nest does join and aggregation */
	/*
	 * bytes of the largest hash table, if they exceed what a hash table may have; else 0
	 */
	double memory;
	/* estimated tuples of an extension beyond max_dense_tuples; else 0 */
	double extended;
} StageCost;

/*
 * Computes the cost of a stage whose labels are decomposed as chosen, and whose operands
 * are read in the decomposition that follows. Infinite if, by the bounds, an operand or
 * the result of a kernel would exceed max_kernel_bytes, or an extension would multiply
 * tuples by more than max_dense_tuples.
 */
extern void cost_stage(const Stage *stage, const Estimator *estimator,
					   const Decomposition *choice, StageCost *cost);

/*
 * Returns the cost that a search compares: an estimated extension beyond max_dense_tuples
 * multiplies the cost by this factor, so that such a decomposition is chosen only if all
 * others are excluded.
 */
#define UNDESIRABLE 1e6
extern double desirable_cost(const StageCost *cost);

#endif
