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

/* What a join makes. */
typedef struct JoinResult
{
	double tuples;
	double bytes;                   /* of one, with all values that the kernel reads */
	int order[STAGE_NEST_OPERANDS]; /* of operands that decide the support */
	int njoined;
} JoinResult;

/*
 * The whole join, adding up the tuples of its steps: from the smallest
 * operand, always to the connected one that leaves least. Of the operands only
 * those that are read are joined. Returns the cost of what spills.
 */
extern double join_steps(const Stage *stage, const Term *term, const double *tuples,
						 uint32 read, const Decomposition *choice, bool is_bound,
						 double *step_tuples, JoinResult *result, double *memory);

/* The operands that read a row of their own, and the tuples of each operand. */
extern uint32 operands_to_read(const Stage *stage, const Estimator *estimator,
							   const Term *term, const Decomposition *choice,
							   double *tuples);

/*
 * The operands of a term that decide its support and read a row of their own, in the
 * order in which their join is costed. Returns how many.
 */
extern int order_of_join(const Stage *stage, const Estimator *estimator, const Term *term,
						 const Decomposition *choice, int *order);

/* What a term joins, in a choice. */
typedef struct JoinedTerm
{
	uint32 read; /* operands that read a row of their own */
	double operand_tuples[STAGE_NEST_OPERANDS];
	double operand_reads[STAGE_NEST_OPERANDS]; /* cost */
	double tuples;                             /* joined */
	double width;                              /* bytes of one */
	double kernels;                            /* cost of those of all */
} JoinedTerm;

#endif
