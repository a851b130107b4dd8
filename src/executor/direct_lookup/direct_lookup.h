/*-------------------------------------------------------------------------
 *
 * direct_lookup.h
 *	  Joins and groups by integer keys that are found in arrays: what the planner
 *	  and the two nodes share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_DIRECT_LOOKUP_H
#define EXECUTOR_DIRECT_LOOKUP_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

#include "executor/direct_lookup/direct_table.h"

/*
 * Puts the nodes among the paths of a query level, and among the partial paths of
 * the relation that they are made of, where they are possible and should pay.
 */
extern void add_direct_lookups(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output);

/* True if the path is one of those that add_direct_lookups makes. */
extern bool is_direct_path(const CustomPath *path);

/* True for the plan node of such a path, which passes rows of its child. */
extern bool is_direct_node(const CustomScan *scan);

/* Makes the nodes known to the executor, and installs the hook of DirectGroups. */
extern void register_direct_lookup(void);

extern const CustomScanMethods direct_join_scan_methods;
extern const CustomScanMethods direct_groups_scan_methods;

/*
 * Tells a DirectJoin that a column of its rows, by number, will be looked up in a
 * table, so that it prefetches the entries. The table must live as long as the node.
 * Other nodes, and columns of other types than integers, are ignored.
 */
extern void direct_join_prefetch(PlanState *node, AttrNumber column,
								 const DirectTable *table);

/* Installs the hook by which a DirectGroups finds its aggregate; called once. */
extern void direct_groups_init(void);

#endif
