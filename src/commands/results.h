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
 * The result as one tensor, in a memory context, by a query that is labelled with the name of
 * the function that runs it. Within SPI; as the current user and read-only.
 */
extern Datum compute_value(const char *function, const ProgramPlan *plan,
						   MemoryContext context);

/* The column definition list of einsum_rows for a plan, as "y(i integer, value double precision)". */
extern char *result_columns(const ProgramPlan *plan);

/* Errors: 0A000 if the caller gives no column definition list. */
extern void require_columns(const ReturnSetInfo *rsinfo, const char *function);

/* Errors: 42804 if a plan's rows do not fit the column definition list. Within SPI. */
extern void check_columns(const ReturnSetInfo *rsinfo, const ProgramPlan *plan);

/*
 * Runs a query of the plan within SPI and puts its rows into the result; no rows unless
 * possible. Errors: 42804 if they do not fit the column definition list.
 */
extern void put_rows(ReturnSetInfo *rsinfo, const char *function, const ProgramPlan *plan,
					 const char *query, ParamListInfo parameters, bool possible);

#endif
