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
 * The result of the last statement at the keys that its plan is for, as one SELECT:
 * $1, $2, ... are the keys of options->at.
 */
extern char *deparse_point(const ProgramPlan *plan);

/* The type of $1, $2, ..., counted from 0. */
extern Oid point_key_type(const ProgramPlan *plan, int n);

/* The dimensions in which that SELECT limits each stage's result, by stage number. */
extern DimensionMask *point_dimensions(const ProgramPlan *plan);

#endif
