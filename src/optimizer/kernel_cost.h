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
 * Microseconds of the call of a function of numbers in SQL, beside what it computes and
 * the row.
 */
#define CALL_OF_NUMBERS_TIME 0.00175

/* Operations for each element that what is no pointwise function counts as. */
#define OTHER_OPERATIONS 8.0

/* Returns the microseconds in which SQL computes a kernel of numbers. */
extern double numbers_cost(const Kernel *kernel);

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
