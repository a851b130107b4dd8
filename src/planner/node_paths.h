/*-------------------------------------------------------------------------
 *
 * node_paths.h
 *	  The paths of our own nodes, which the planner's hooks propose.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_NODE_PATHS_H
#define PLANNER_NODE_PATHS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "optimizer/paths.h"

/* Proposes an AggregateJoin for the groups of a query level, */
extern void add_aggregate_join(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
							   const GroupPathExtraData *extra);

/*
 * Proposes an AggregateJoin for the joined rows of a query level that has no aggregates,
 * or only other ones than this extension's.
 */
extern void add_tuple_join(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output);

/*
 * Replaces projections by batched ones among the paths of a query level and the
 * partial paths of the relation that they are made of.
 */
extern void batch_projections(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output);

/* Has a relation read rows in memory in full or by their keys, if it is one of these. */
extern void add_memory_rows(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *rte);

/* Proposes a node for rows joined with the elements of a vector in them. */
extern void add_vector_entries(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer,
							   RelOptInfo *inner, JoinType jointype,
							   const JoinPathExtraData *extra);

/* Is each value of a column of rows in memory in one row only? */
extern bool is_key_of_rows(const RangeTblEntry *rte, AttrNumber attno);

#endif
