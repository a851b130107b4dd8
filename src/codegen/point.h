/*-------------------------------------------------------------------------
 *
 * point.h
 *	  Point queries: a program's result at some keys, computed from no more
 *	  than what these keys need.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_POINT_H
#define CODEGEN_POINT_H

#include "codegen/source.h"

/*
 * The result of the last statement at given keys as one SELECT: $1, $2, ... are
 * the keys of the labels. Errors: 42703 if the result has no such label, 42701
 * for one given twice, 22023 if the plan does not promote it.
 */
extern char *deparse_point(const ProgramPlan *plan, int nlabels, char *const *labels);

#endif
