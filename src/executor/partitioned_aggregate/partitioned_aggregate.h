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

/* True if the path is a filter that partition_aggregates makes. */
extern bool is_partition_filter_path(const CustomPath *path);

/* The grouping of a query level, and how it is divided. */
typedef struct PartitionedGroups
{
	PlannerInfo *root;
	List *clauses;    /* SortGroupClauses */
	List *keys;       /* Vars */
	Relids relids;    /* whose they are */
	List *operators;  /* equality of each key */
	List *collations; /* and its collation */
	int workers;
	int npartitions;
	double ngroups;
	double share; /* of the rows, in the largest partition */
} PartitionedGroups;

/* Finds the keys; false if one is no column of a table. */
extern bool find_partition_keys(PartitionedGroups *groups);

/*
 * Finds columns of the relations with the same values as the keys in all rows that
 * are grouped: the keys themselves or what they are joined by. False if there is
 * none for one of the keys.
 */
extern bool find_equal_keys(const PartitionedGroups *groups, Relids relids,
							PartitionedGroups *equal_groups);

/*
 * True if any two processes that run the path find the same rows. PostgreSQL asks
 * hardly less of what is beside a parallel scan.
 */
extern bool runs_alike(const Path *path);

/*
 * A path by which every process has all rows that a path has, without the others; NULL
 * if there is none. PostgreSQL keeps no scan of a table for this where it is cheaper to
 * gather what workers scan.
 */
extern Path *alike_path(PlannerInfo *root, Path *path);

/* Makes the filter known to the executor. */
extern void register_partition_filter(void);

extern const CustomScanMethods partition_filter_scan_methods;

/*
 * The share of the rows that fall to the process with most of them, which all wait
 * for: as many groups as expected and a standard deviation more. So a few groups are
 * not divided evenly.
 */
extern double largest_share(double npartitions, double ngroups);

#endif
