/*-------------------------------------------------------------------------
 *
 * all_gather.h
 *	  Rows that each process of a parallel query needs in full: what the planner and
 *	  the execution of the node share.
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
 * Says of a relation that refers to this CTE that workers may read it, if they can
 * be given its rows. It has no path for that by itself: joins with it have one.
 */
extern void allow_cte_broadcast(PlannerInfo *root, RelOptInfo *rel, Query *with);

/* Is a relation a CTE of which that has been said? */
extern bool is_broadcast_cte(const RelOptInfo *rel);

/* Its rows, which the leader reads for all. */
extern Path *all_gather_cte(const RelOptInfo *rel);

/* Adds the join of what workers divide with such a CTE: set_join_pathlist_hook. */
extern void add_cte_join(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer,
						 RelOptInfo *inner, JoinType jointype, JoinPathExtraData *extra);

#if PG_VERSION_NUM < 170000
/*
 * The same for the last join of a query level, before its rows are grouped or returned, with what
 * create_upper_paths_hook is given: PostgreSQL (14.9 and later 14s, 15.4 and later 15s, and 16) does not call the
 * other hook for a join under a condition without columns, such as one that asks whether a one-row operand is
 * there.
 */
extern void add_cte_join_late(PlannerInfo *root, UpperRelationKind stage,
							  RelOptInfo *joinrel, RelOptInfo *output);
#endif

extern bool is_all_gather_path(const CustomPath *path);

/* Makes the node known to the executor. */
extern void register_all_gather(void);

extern const CustomScanMethods all_gather_scan_methods;

#endif
