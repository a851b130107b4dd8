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
 * The stages that a query of root's result should keep after computing them,
 * by stage number; all false with materialize => 'never', all
 * true with 'always'.
 */
extern bool *stages_computed_once(const ProgramPlan *plan, const Stage *root);

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

/* Is there a result whose query keeps the stage? */
extern bool stage_is_materialized(const ProgramPlan *plan, const Stage *stage);

#endif
