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
 * The numbers of the stages that a query of root's result should keep after
 * computing them; none with materialize => 'never', all below root with 'always'.
 */
extern const Bitmapset *stages_computed_once(const ProgramPlan *plan, const Stage *root);

/* The stages that the query of any result, also of a side stage, should keep. */
extern const Bitmapset *stages_computed_once_by_any(const ProgramPlan *plan);

/*
 * How many copies of what an operand reads a query has for each of the reader: where PostgreSQL merges the
 * two, one for each time that the kernel has it.
 */
extern double copies_of_operand(const ProgramPlan *plan, const Term *term, int operand);

/* Microseconds of computing a stage once, without what it reads. */
extern double own_cost(const StagePlan *plan);

/*
 * Makes the cost of a plan that of the queries of all its results, each of which
 * computes once what it keeps.
 */
extern void cost_what_is_kept(ProgramPlan *plan);

/*
 * The dimension by whose keys the rows of a stage that is computed once had better
 * be sorted for those of its readers that are in the query, by stage number; -1
 * if that does not pay.
 */
extern int order_of_kept_stage(const ProgramPlan *plan, const bool *in_query,
							   const Stage *stage);

/* Is the stage's result a table with materialize => 'always'? Not what its
 * readers have absorbed, which may be beyond all limits. */
extern bool stage_is_table(const ProgramPlan *plan, const Stage *stage);

/* Is there a result, not of a side stage, whose query keeps the stage? */
extern bool stage_is_materialized(const ProgramPlan *plan, const Stage *stage);

#endif
