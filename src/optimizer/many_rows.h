/*-------------------------------------------------------------------------
 *
 * many_rows.h
 *	  Results of a number for each entry, in a row each, that would be too large.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_MANY_ROWS_H
#define OPTIMIZER_MANY_ROWS_H

#include "optimizer/plan.h"

/*
 * Raises error 54000 if a result that is stored as one number per entry, because the user
 * asked for no other storage, would take more rows than max_dense_tuples. labels and
 * bounds are those of the left side, which stands at this location of the program.
 */
extern void refuse_many_rows(const char *name, int rank, char *const *labels,
							 const int64 *bounds, double rows, const char *program,
							 int location);

/*
 * Raises the same error for the results of a program that no statement reads, if the
 * program's options ask for rows.
 */
extern void refuse_many_rows_of_plan(const ProgramPlan *plan);

#endif
