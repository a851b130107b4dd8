/*-------------------------------------------------------------------------
 *
 * fixed.h
 *	  Which operands have one value in all rows that a query level delivers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_BATCHED_PROJECTION_FIXED_H
#define PLANNER_BATCHED_PROJECTION_FIXED_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Has the expression one value in all rows of one scan of the query level, whatever the
 * tables hold?
 */
extern bool is_fixed(PlannerInfo *root, Node *expression);

/* Can the expression be evaluated without a row? */
extern bool needs_no_row(Node *expression);

#endif
