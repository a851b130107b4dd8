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

#include "executor/all_gather/all_gather.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/custom_nodes.h"
#include "executor/direct_lookup/direct_lookup.h"
#include "executor/kept_results/kept_results.h"
#include "executor/partitioned_aggregate/partitioned_aggregate.h"
#include "executor/read_ahead.h"
#include "optimizer/settings.h"
#include "type/extension.h"

static create_upper_paths_hook_type next_upper_paths_hook = NULL;

static void
upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
			RelOptInfo *output_rel, void *extra)
{
	if (next_upper_paths_hook)
		next_upper_paths_hook(root, stage, input_rel, output_rel, extra);
	if (!extension_installed())
		return;
#if PG_VERSION_NUM < 170000
	/* first: aggregates are partitioned by how many workers the rows have */
	if (stage == UPPERREL_GROUP_AGG || stage == UPPERREL_FINAL)
		join_with_query_late(root, stage, input_rel, output_rel);
#endif
	if (stage == UPPERREL_FINAL && enable_batching != NODES_OFF)
		batch_projections(root, input_rel, output_rel);
	/* last: it is over what the others have made */
	if (stage == UPPERREL_FINAL && enable_direct_lookup != NODES_OFF)
		look_up_directly(root, input_rel, output_rel);
	if (stage == UPPERREL_GROUP_AGG && enable_partitioning != NODES_OFF)
		partition_aggregates(root, input_rel, output_rel, extra);
}

void
custom_nodes_init(void)
{
	register_all_gather();
	register_batched_projection();
	register_kept_results();
	register_partition_filter();
	register_direct_lookup();
	read_ahead_init();
	next_upper_paths_hook = create_upper_paths_hook;
	create_upper_paths_hook = upper_paths;
}
