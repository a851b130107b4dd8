/*-------------------------------------------------------------------------
 *
 * custom_nodes.c
 *	  Plan nodes of our own: their settings and hooks.
 *
 * The library is loaded while the first query that calls a kernel is planned
 * (see kernel_support.c), which is before PostgreSQL looks at the hook for
 * upper paths. Hooks that are looked at earlier, such as that of the whole
 * planner, would miss that query.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "optimizer/planner.h"

#include "executor/aggregate_join/aggregate_join.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/memory_rows/memory_rows.h"
#include "executor/prefetch.h"
#include "executor/entries/entries.h"
#include "executor/shared_rows/shared_rows.h"
#include "optimizer/settings.h"
#include "planner/custom_nodes.h"
#include "planner/node_paths.h"
#include "type/extension.h"

static create_upper_paths_hook_type prev_create_upper_paths = NULL;

static void
sparseeinsum_create_upper_paths(PlannerInfo *root, UpperRelationKind stage,
								RelOptInfo *input_rel, RelOptInfo *output_rel,
								void *extra)
{
	if (prev_create_upper_paths)
		prev_create_upper_paths(root, stage, input_rel, output_rel, extra);
	if (!extension_installed())
		return;
	if (stage == UPPERREL_FINAL && enable_batching != NODES_OFF)
		batch_projections(root, input_rel, output_rel);
	if (stage == UPPERREL_FINAL && enable_aggregate_join != NODES_OFF)
		add_tuple_join(root, input_rel, output_rel);
	/*
	 * add_aggregate_join takes the cheapest of the paths made so far as its relational
	 * plan
	 */
	if (stage == UPPERREL_GROUP_AGG && enable_aggregate_join != NODES_OFF)
		add_aggregate_join(root, input_rel, output_rel, extra);
}

void
custom_nodes_init(void)
{
	RegisterCustomScanMethods(&aggregate_join_node.scan);
	RegisterCustomScanMethods(&batched_projection_node.scan);
	RegisterCustomScanMethods(&memory_rows_node.scan);
	RegisterCustomScanMethods(&entries_node.scan);
	RegisterCustomScanMethods(&shared_rows_node.scan);
	prefetch_init();
	prev_create_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = sparseeinsum_create_upper_paths;
}
