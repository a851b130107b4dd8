/*-------------------------------------------------------------------------
 *
 * join_cost.h
 *	  The cost model: the tuples of the joins of a term.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_JOIN_COST_H
#define OPTIMIZER_JOIN_COST_H

#include "optimizer/decomposition.h"
#include "optimizer/stage.h"

/* The estimated result of a term's join. */
typedef struct JoinResult
{
	double tuples;
	/* of one tuple, with all values that the kernel reads */
	double bytes;
	int order[STAGE_NEST_OPERANDS]; /* of operands that decide the support */
	int njoined;
} JoinResult;

/*
 * Costs the join of a term: starts from the smallest operand and always joins the
 * connected operand that leaves the fewest tuples. Only the operands in read are joined.
 * Adds up the tuples of all steps, and returns the cost of the hash tables that spill.
 */
extern double join_steps(const Stage *stage, const Term *term, const double *tuples,
						 uint32 read, const Decomposition *choice, bool is_bound,
						 double *step_tuples, JoinResult *result, double *memory);

/*
 * Returns the operands that read a row of their own, and sets the tuples of each operand.
 */
extern uint32 operands_to_read(const Stage *stage, const Estimator *estimator,
							   const Term *term, const Decomposition *choice,
							   double *tuples);

/*
 * The operands of a term that decide its support and read a row of their own, in the
 * order in which their join is costed. Returns how many.
 */
extern int order_of_join(const Stage *stage, const Estimator *estimator, const Term *term,
						 const Decomposition *choice, int *order);

/* The estimated join of a term in one decomposition of its stage's labels. */
typedef struct JoinedTerm
{
	uint32 read; /* operands that read a row of their own */
	double operand_tuples[STAGE_NEST_OPERANDS];
	double operand_reads[STAGE_NEST_OPERANDS]; /* cost */
	double tuples;                             /* of the join's result */
	double width;                              /* bytes of one joined tuple */
	/* cost of the kernels of all joined tuples */
	double kernels;
} JoinedTerm;

#endif
