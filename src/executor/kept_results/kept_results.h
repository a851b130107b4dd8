/*-------------------------------------------------------------------------
 *
 * kept_results.h
 *	  Rows that workers have computed, with their values in the leader's memory:
 *	  what the planner and the execution of the node share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_KEPT_RESULTS_H
#define EXECUTOR_KEPT_RESULTS_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/*
 * Where workers compute wide tensors for a subquery, lets paths that gather their
 * rows send the values through shared memory and keep them, and adds one.
 */
extern void keep_gathered_results(PlannerInfo *root, RelOptInfo *rel);

/* True if the path is one of those. */
extern bool is_kept_results(const CustomPath *path);

/* True if it is the one below the Gather, which the workers have. */
extern bool is_sent_results(const CustomPath *path);

/* Makes the nodes known to the executor. */
extern void register_kept_results(void);

extern const CustomScanMethods kept_results_scan_methods;

#endif
