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

/*
 * Does a query level call functions, operators or aggregates of this extension, or
 * read tensors? Only such levels get paths of ours. Subqueries, CTEs and subplans are
 * levels of their own; what the planner has pulled up is part of the level.
 * False without the extension.
 */
extern bool level_computes(const PlannerInfo *root);

/* Does the level read a tensor of a relation, or of the parent that it is a part of? */
extern bool level_reads_tensors_of(const PlannerInfo *root, Index relid);

#endif
