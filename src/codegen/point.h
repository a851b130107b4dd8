/*-------------------------------------------------------------------------
 *
 * point.h
 *	  Point queries: a program's result at given keys, computed only from the keys of
 *	  operands that it needs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_POINT_H
#define CODEGEN_POINT_H

#include "codegen/source.h"

/*
 * Returns the result of the last statement at the plan's keys as one SELECT: $1, $2, ...
 * are the keys of options->at, unless options->at_rows has them.
 */
extern char *deparse_point(const ProgramPlan *plan);

/* Returns the type of a stage's keys of a label. */
extern Oid stage_key_type(const ProgramPlan *plan, const Stage *stage, int label);

/* Returns the type of a key that a point query gives, as KeyLimit has it. */
extern Oid parameter_type(const ProgramPlan *plan, const char *key);

/* Returns the type of parameter $(n + 1) of that SELECT. */
extern Oid point_key_type(const ProgramPlan *plan, int n);

/*
 * Returns, by stage number, the dimensions in which that SELECT limits a stage's result.
 */
extern DimensionMask *point_dimensions(const ProgramPlan *plan);

#endif
