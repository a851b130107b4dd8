/*-------------------------------------------------------------------------
 *
 * results.h
 *	  What a planned program computes, as a value and as rows.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMANDS_RESULTS_H
#define COMMANDS_RESULTS_H

#include "fmgr.h"
#include "nodes/execnodes.h"
#include "nodes/params.h"

#include "optimizer/plan.h"

/*
 * Computes the result of a plan as one tensor, in the given memory context, read-only and
 * as the current user. The query's comment names the function that runs it. Needs an SPI
 * connection.
 */
extern Datum compute_value(const char *function, const ProgramPlan *plan,
						   MemoryContext context);

/*
 * Returns the column definition list of einsum_rows for a plan, as "y(i integer, value
 * double precision)".
 */
extern char *result_columns(const ProgramPlan *plan);

/* Raises 0A000 if the caller gives no column definition list. */
extern void require_columns(const ReturnSetInfo *rsinfo, const char *function);

/*
 * Raises 42804 if a plan's rows do not fit the column definition list. Needs an SPI
 * connection.
 */
extern void check_columns(const ReturnSetInfo *rsinfo, const ProgramPlan *plan);

/*
 * Runs a query of the plan and puts its rows into the result; without running it if not
 * possible, for then there are no rows. Needs an SPI connection. Errors: 42804 if the
 * rows do not fit the column definition list.
 */
extern void put_rows(ReturnSetInfo *rsinfo, const char *function, const ProgramPlan *plan,
					 const char *query, ParamListInfo parameters, bool possible);

#endif
