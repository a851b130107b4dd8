/*-------------------------------------------------------------------------
 *
 * better.c
 *	  Loops that continue since all that has changed below them has got better.
 *
 * A loop computes
 *
 *	  x'[i] = least(x[i], min[j] t(x[j], y[i,j]))
 *
 * or greatest and max, until nothing changes. If t falls with x and with y, and y falls,
 * then the states that the loop has reached are at least those that it reaches now, and at
 * most what init makes: from them it reaches what it reaches from init. That is also the
 * only case in which a round's terms of entries that have not changed are of no use
 * (frontier.c): so the first round computes the terms of those entries of y that have
 * changed, and all later rounds those of its frontier.
 *
 * The states have to be those at which a loop stood still: a refresh whose loop has ended
 * otherwise leaves no position.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "utils/lsyscache.h"

#include "catalog/dimension.h"
#include "catalog/tensor_storage.h"
#include "codegen/source.h"
#include "iterate/frontier.h"
#include "iterate/loop.h"
#include "rows/added.h"

/* Is a relation read as a view, or by a label of a dimension whose keys have changed? */
static bool
is_read_otherwise(const Program *program, const Sources *sources)
{
	ListCell *lc;

	/* a view may read a table that has changed */
	foreach (lc, sources->states)
	{
		if (get_rel_relkind(((const RelationState *) lfirst(lc))->relid) == RELKIND_VIEW)
			return true;
	}
	for (int i = 0; i < program->nlabels; i++)
	{
		int64 bound = program->labels[i].bound;

		if (program->labels[i].bounded && bound_is_dimension(bound) &&
			list_member_oid(sources->changed, dimension_relation(bound)))
			return true;
	}
	return false;
}

/* Reads how the tensors of the step have changed. False if not all have got better. */
static bool
read_better(Loop *loop, const Program *program, const Storage *result,
			const Sources *sources, Snapshot snapshot)
{
	ListCell *lc;

	foreach (lc, program->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);
		const Storage *storage;
		TensorChange *change;

		if (tensor->entry == NULL || tensor->is_state || tensor->shifted)
			continue;
		storage = linitial(tensor->entry->storages);
		if (list_length(tensor->entry->storages) > 1)
			return false;
		if (!list_member_oid(sources->changed, storage->relid))
			continue;
		change = new_change(
			storage, name_of_change(storage->relid, list_length(loop->better) + 1));
		loop->better = lappend(loop->better, change);
		if (!read_pending_better(change, storage, sources->position, "einsum_refresh",
								 result->program, snapshot, NULL))
			return false;
	}
	return true;
}

bool
continues_from_better(Loop *loop, const Storage *result, const Sources *sources,
					  Snapshot snapshot)
{
	LoopEnd end = {-1, -1};
	const Program *program;
	ListCell *lc;

	if (!loop->continues || sources->position == NULL ||
		init_reads(loop, sources->changed))
		return false;
	program = loop_step(loop, &end);
	if (!is_read_otherwise(program, sources) &&
		read_better(loop, program, result, sources, snapshot) &&
		follows_from_better(loop))
	{
		/* end_loop closes their rows */
		foreach (lc, loop->better)
			loop->all_rows = lappend(loop->all_rows, ((TensorChange *) lfirst(lc))->rows);
		return true;
	}
	foreach (lc, loop->better)
		free_change(lfirst(lc));
	loop->better = NIL;
	return false;
}
