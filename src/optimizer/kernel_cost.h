/*-------------------------------------------------------------------------
 *
 * kernel_cost.h
 *	  The cost model: what the kernel of a term costs for one joined tuple.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_KERNEL_COST_H
#define OPTIMIZER_KERNEL_COST_H

#include "optimizer/decomposition.h"
#include "optimizer/stage.h"

/*
 * Returns the microseconds of a term's kernel for one joined tuple, if this number
 * (repeated) of joined tuples goes into each tuple of the result.
 */
extern double kernel_cost(const Stage *stage, const Term *term,
						  const Decomposition *choice, double repeated);

/* Is an operand of a term multiplied as a matrix, or an argument of a matrix function? */
extern bool multiplies_as_matrix(const Stage *stage, const Term *term, int operand,
								 const Decomposition *choice);

#endif
