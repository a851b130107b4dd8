/*-------------------------------------------------------------------------
 *
 * foreseen.h
 *	  What refreshing the tables of a plan will cost, when few rows change below them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROWS_FORESEEN_H
#define ROWS_FORESEEN_H

#include "codegen/explain.h"

/*
 * Returns the refreshes of a plan's tables, by stage number a List of StageRefresh *: one
 * for each table of the user's below the stage. NULL if the plan is not one of
 * materialize => 'incremental', or has too many stages.
 */
extern List **foresee_refreshes(const ProgramPlan *plan);

#endif
