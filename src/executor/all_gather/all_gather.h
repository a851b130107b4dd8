/*-------------------------------------------------------------------------
 *
 * all_gather.h
 *	  Broadcast of rows to all processes of a parallel query: what the planner and the
 *	  execution of the node share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_ALL_GATHER_H
#define EXECUTOR_ALL_GATHER_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/* Members of CustomScan.custom_private. */
enum
{
	ALL_GATHER_PRIVATE_OF_LEADER, /* Integer: the child runs in the leader only */
	ALL_GATHER_PRIVATE_FETCHES,   /* Integer: stored values are fetched for all */
};

/*
 * The path that has, in each process, all rows that a partial path has in all
 * of them together; with the values of tensors that are stored, if fetches says so.
 */
extern Path *all_gather_path(Path *partial, bool fetches);

/*
 * Marks a relation that refers to this CTE as one whose rows can be broadcast to workers,
 * if they can be. The relation itself gets no path for that: joins with it do.
 */
extern void allow_cte_broadcast(PlannerInfo *root, RelOptInfo *rel, Query *with);

/* Is a relation a CTE that is so marked? */
extern bool is_broadcast_cte(const RelOptInfo *rel);

/* The path that broadcasts its rows from the leader. */
extern Path *all_gather_cte(const RelOptInfo *rel);

/* Adds the partial join with such a CTE: for set_join_pathlist_hook. */
extern void add_cte_join(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer,
						 RelOptInfo *inner, JoinType jointype, JoinPathExtraData *extra);

#if PG_VERSION_NUM < 170000
/*
 * The same for the last join of a query level, before its rows are grouped or returned, with what
 * create_upper_paths_hook is given: PostgreSQL (14.9 and later 14s, 15.4 and later 15s, and 16) does not call the
 * other hook for a join under a pseudoconstant qual, such as one that tests whether a one-row operand exists.
 */
extern void add_cte_join_late(PlannerInfo *root, UpperRelationKind stage,
							  RelOptInfo *joinrel, RelOptInfo *output);
#endif

extern bool is_all_gather_path(const CustomPath *path);

/* Makes the node known to the executor. */
extern void register_all_gather(void);

extern const CustomScanMethods all_gather_scan_methods;

#endif
