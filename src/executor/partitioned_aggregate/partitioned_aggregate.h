/*-------------------------------------------------------------------------
 *
 * partitioned_aggregate.h
 *	  Parallel aggregates whose groups are divided among the processes: what the
 *	  planner and the execution of their filter share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_PARTITIONED_AGGREGATE_H
#define EXECUTOR_PARTITIONED_AGGREGATE_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/* Members of CustomScan.custom_private; custom_exprs are the keys. */
enum
{
	PARTITION_PRIVATE_OPERATORS,  /* OidList: equality of each key */
	PARTITION_PRIVATE_COLLATIONS, /* OidList: and its collation */
	PARTITION_PRIVATE_PLANNED,    /* Integer: partitions that are planned */
};

/*
 * Adds paths to the grouped relation of a query level whose processes aggregate
 * groups of their own, if that is possible and should pay. extra is what
 * create_upper_paths_hook is given.
 */
extern void partition_aggregates(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
								 const GroupPathExtraData *extra);

/* Makes the filter known to the executor. */
extern void register_partition_filter(void);

extern const CustomScanMethods partition_filter_scan_methods;

#endif
