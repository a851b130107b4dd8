/*-------------------------------------------------------------------------
 *
 * nest_cost.h
 *	  The cost model: what a stage costs as one loop nest.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_NEST_COST_H
#define OPTIMIZER_NEST_COST_H

#include "kernels/nest/nest_cost.h"
#include "optimizer/join_cost.h"
#include "optimizer/stage.h"

/*
 * Can PostgreSQL run a stage in this decomposition as one AggregateJoin? A stage that
 * groups nothing can be one only if its joined tuples are rows of numbers.
 */
extern bool nest_is_possible(const Stage *stage, const Decomposition *choice);

/*
 * Returns the microseconds of a stage's only term as a loop nest that returns this number
 * of groups (kernels/nest/nest_cost.h): reading, loops, kernels and groups. Infinite if
 * the nest does not fit in memory.
 */
extern double cost_of_nest(const Stage *stage, const Decomposition *choice,
						   const JoinedTerm *joined, double groups);

/* Sets the memory that a nest may take. */
extern void set_nest_memory(NestCostInput *input);

#endif
