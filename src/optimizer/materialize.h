/*-------------------------------------------------------------------------
 *
 * materialize.h
 *	  Which stages a query computes once, though it reads them several times.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_MATERIALIZE_H
#define OPTIMIZER_MATERIALIZE_H

#include "optimizer/plan.h"

/*
 * Returns the numbers of the stages whose results the query of root's result should
 * compute once and keep; none with materialize => 'never', all below root with 'always'.
 */
extern const Bitmapset *stages_computed_once(const ProgramPlan *plan, const Stage *root);

/*
 * Returns the numbers of the stages that the query of any result should keep, side stages
 * included.
 */
extern const Bitmapset *stages_computed_once_by_any(const ProgramPlan *plan);

/*
 * Returns how many copies of an operand's query each copy of its reader has: if
 * PostgreSQL merges the two, one for each time that the kernel contains the operand.
 */
extern double copies_of_operand(const ProgramPlan *plan, const Term *term, int operand);

/*
 * Returns the microseconds of computing a stage once, without the stages that it reads.
 */
extern double own_cost(const StagePlan *plan);

/* Returns the cost of writing a stage's result, or of reading it once. */
extern double kept_cost(const ProgramPlan *plan, int s);

/*
 * Sets the cost of a plan to that of the queries of all its results, each of which
 * computes once the stages that it keeps.
 */
extern void cost_what_is_kept(ProgramPlan *plan);

/*
 * Returns the dimension by whose keys a query should sort the rows of a stage that it
 * computes once, for those readers that are in the query (by stage number); -1 if sorting
 * does not pay.
 */
extern int order_of_kept_stage(const ProgramPlan *plan, const bool *in_query,
							   const Stage *stage);

/*
 * Is the stage's result a table with materialize => 'always'? A statement that its
 * readers have absorbed is not: its table might be beyond all limits.
 */
extern bool stage_is_table(const ProgramPlan *plan, const Stage *stage);

/*
 * Has a stage sparse values, where a query keeps its rows or a table has them? Tables of
 * tensors that users defined, and those that refreshes add to, have dense ones.
 */
extern bool stage_is_sparse(const ProgramPlan *plan, const Stage *stage);

/* Does the query of some result keep the stage, results of side stages left out? */
extern bool stage_is_materialized(const ProgramPlan *plan, const Stage *stage);

#endif
