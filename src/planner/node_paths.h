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

/* Proposes an AggregateJoin that computes the groups of a query level. */
extern void add_aggregate_join(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
							   const GroupPathExtraData *extra);

/*
 * Proposes an AggregateJoin for the joined rows of a query level that has no aggregates,
 * or only aggregates that are not this extension's.
 */
extern void add_tuple_join(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output);

/*
 * Replaces projections by batched ones, among the paths of a query level and among the
 * partial paths of its input relation.
 */
extern void batch_projections(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output);

/*
 * If a relation is rows in memory (executor/memory_rows), replaces its scan by paths that
 * read them directly, or look rows up by their keys.
 */
extern void add_memory_rows(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *rte);

/*
 * Proposes a scan of a CTE that all processes of a parallel query can run. Such a path is
 * shared_rows_path of the CTE's relation; NULL if it has none.
 */
extern void add_shared_rows(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *rte);
extern Path *shared_rows_path(const RelOptInfo *rel);

/*
 * Proposes a node that returns the entries of arrays, if a relation is a call of
 * einsum_entries or the like.
 */
extern void add_entries(PlannerInfo *root, RelOptInfo *rel);

/* Proposes a node that joins rows with the entries of a vector or of arrays in them. */
extern void add_joined_entries(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer,
							   RelOptInfo *inner, JoinType jointype,
							   const JoinPathExtraData *extra);

/*
 * Returns the only element of an array, as point queries give their key; NULL if it is
 * not known that there is one.
 */
extern Node *only_element(Node *array);

/*
 * Has a table ranges whose keys are made one by one, of which a condition asks for one, or
 * for those from or up to one? Then looks them up in the ranges.
 */
extern void look_up_ranges(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *rte);

/*
 * Is a column of a path's rows a key in a range? *keys becomes the number of keys that each
 * range has.
 */
extern bool is_key_in_range(const Path *path, const Node *column, double *keys);

/*
 * Is a column of a scanned table NOT NULL in all rows that the plan will read? A change
 * of the table invalidates the plan. Not of a foreign table, whose declarations are not
 * enforced, of one with children, which may differ, or in a transaction that may see rows
 * from before the column became NOT NULL.
 */
extern bool never_null(const RangeTblEntry *rte, AttrNumber attno);

/* Is a column of rows in memory a key, with each value in one row only? */
extern bool is_key_of_rows(const RangeTblEntry *rte, AttrNumber attno);

#endif
