/*-------------------------------------------------------------------------
 *
 * query_level.h
 *	  What a query level has of this extension.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_QUERY_LEVEL_H
#define PLANNER_QUERY_LEVEL_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* Does an expression itself, without its arguments, call a function of this extension? */
extern bool calls_extension(Node *node);

/*
 * Does a query level call functions, operators or aggregates of this extension, or read
 * tensors? Only such levels get paths of ours. Subqueries, CTEs and subplans are levels
 * of their own, unless the planner has pulled them up. False without the extension.
 */
extern bool level_computes(const PlannerInfo *root);

/*
 * Does the level read a tensor column of a relation, or, if this is a partition or child,
 * of its parent?
 */
extern bool level_reads_tensors_of(const PlannerInfo *root, Index relid);

#endif
