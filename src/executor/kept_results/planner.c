/*-------------------------------------------------------------------------
 *
 * planner.c
 *	  Where results that come from workers are kept.
 *
 * A vector that a worker has computed would come through its queue in the row, and
 * what keeps the row, such as a hash table, would have all of it. KeptResults, above
 * the Gather, leaves it in memory of the query, as a batched projection in this process
 * would have; SentResults, below, sends it there through shared memory.
 * PostgreSQL's own Gather is no cheaper, and comes later.
 *
 * The Gather of a subquery gets its node below in place. Whoever else should use
 * that path gets the rows as they were: nothing is sent unless a reader requests it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "optimizer/pathnode.h"

#include "executor/kept_results/kept_results.h"
#include "executor/kept_results/sent_results.h"
#include "executor/row_nodes.h"
#include "executor/subpaths.h"
#include "type/kept_values.h"
#include "type/tensor.h"

static Plan *
plan_kept_results(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
				  List *clauses, List *custom_plans)
{
	return &row_scan(path, tlist, custom_plans, &kept_results_scan_methods)->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "KeptResults",
	.PlanCustomPath = plan_kept_results,
};

bool
is_kept_results(const CustomPath *path)
{
	return path->methods == &path_methods;
}

static Plan *
plan_sent_results(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
				  List *clauses, List *custom_plans)
{
	return &row_scan(path, tlist, custom_plans, &sent_results_scan_methods)->scan.plan;
}

static const CustomPathMethods sent_path_methods = {
	.CustomName = "SentResults",
	.PlanCustomPath = plan_sent_results,
};

bool
is_sent_results(const CustomPath *path)
{
	return path->methods == &sent_path_methods;
}

/* Has a relation a column of tensors, as wide as those that are kept? */
static bool
has_wide_tensors(const RelOptInfo *rel)
{
	ListCell *lc;

	foreach (lc, rel->reltarget->exprs)
	{
		const Var *var = lfirst(lc);

		if (IsA(var, Var) && var->varno == (int) rel->relid && var->varattno > 0 &&
			is_tensor_type(var->vartype) &&
			rel->attr_widths[var->varattno - rel->min_attr] >= KEPT_VALUE_BYTES)
			return true;
	}
	return false;
}

/* The node below a Gather. */
static Path *
send_results(Path *path)
{
	CustomPath *sent = row_path(path, path, &sent_path_methods);

	/* that it shares memory, whatever its child does */
	sent->path.parallel_aware = true;
	return &sent->path;
}

/* The node above it. */
static Path *
keep_results(Path *path)
{
	return &row_path(path, path, &path_methods)->path;
}

/* Do the rows of a subquery come from workers as they are? */
static bool
is_gathered(const Path *path)
{
	const Path *gather =
		IsA(path, SubqueryScanPath) ? ((const SubqueryScanPath *) path)->subpath : NULL;

	return gather && path->param_info == NULL && IsA(gather, GatherPath) &&
		   !has_records(path) && !has_records(((const GatherPath *) gather)->subpath);
}

void
keep_gathered_results(PlannerInfo *root, RelOptInfo *rel)
{
	ListCell *lc;

	/* of a relation that is all the query has, the workers may do more */
	if (rel->reloptkind != RELOPT_BASEREL || bms_equal(rel->relids, root->all_baserels) ||
		rel->lateral_relids || !has_wide_tensors(rel))
		return;
	foreach (lc, rel->pathlist)
	{
		Path **gathered;

		if (!is_gathered(lfirst(lc)))
			continue;
		gathered = only_subpath(*only_subpath(lfirst(lc)));
		*gathered = send_results(*gathered);
		lfirst(lc) = keep_results(lfirst(lc));
	}
	if (rel->partial_pathlist && !has_records(linitial(rel->partial_pathlist)))
		add_path(rel, keep_results((Path *) create_gather_path(
						  root, rel, send_results(linitial(rel->partial_pathlist)),
						  rel->reltarget, NULL, NULL)));
}
