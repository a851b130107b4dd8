/*-------------------------------------------------------------------------
 *
 * run.c
 *	  Runs the loops of a nest.
 *
 * At each loop one operand iterates, and the other operands that have its label
 * are located (Galley, section 6.3). The iterating operand is chosen at each
 * fiber: the cheapest one, mostly that with the shortest fiber. So a nest is a
 * worst-case optimal join.
 *
 * The innermost loop runs in strips of indices. Each step, such as the lookup in
 * one operand, handles the whole strip before the next step: a short loop
 * without calls.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/nest/nest_state.h"

/* Begins a loop at the current positions of the outer loops. */
static void
enter_loop(Nest *nest, NestLoop *loop)
{
	const LoopPart *part;
	int64_t parent;

	loop->next = 0;
	loop->end = 0;
	if (loop->nparts == 0)
	{
		loop->iterator = -1;
		loop->end = 1;
		return;
	}
	if (loop->nrequired == 0)
	{
		/* a loop over rows of an optional operand has one iteration if there is no row */
		part = &loop->parts[0];
		parent = part_parent(nest, part);
		loop->iterator = parent < 0 || fiber_length(nest, part) == 0 ? -1 : 0;
	}
	else
		loop->iterator = choose_iterator(nest, loop);
	if (loop->iterator < 0)
	{
		loop->end = loop->nrequired == 0;
		return;
	}
	part = &loop->parts[loop->iterator];
	parent = part_parent(nest, part);
	loop->next = level_begin(part->level, parent);
	loop->end = level_end(part->level, parent);
	if (runs_iterate(loop) && loop->next < loop->end)
		loop->index = level_index(part->level, loop->next);
}

/* Returns the next index of a loop over runs, and moves behind it. */
static inline int64_t
next_in_run(NestLoop *loop, const IndexLevel *level)
{
	int64_t index = loop->index;

	if (index < level->last[loop->next])
		loop->index++;
	else if (++loop->next < loop->end)
		loop->index = level_index(level, loop->next);
	return index;
}

/* Returns the position of an index in a part's current fiber, or -1. */
static inline int64_t
locate(const Nest *nest, const LoopPart *part, int64_t index)
{
	int64_t parent = part_parent(nest, part);

	return parent < 0 ? -1 : level_locate(part->level, parent, index);
}

/* Advances a loop that is not the innermost one. False after its last iteration. */
static bool
advance_loop(Nest *nest, NestLoop *loop)
{
	while (loop->next < loop->end)
	{
		int64_t position = loop->next;
		const LoopPart *iterator;
		int64_t index;
		bool found = true;

		loop->iterations++;
		loop->next += !runs_iterate(loop);
		if (loop->iterator < 0)
		{
			for (int p = 0; p < loop->nparts; p++)
				nest->positions[loop->parts[p].operand][loop->parts[p].depth + 1] = -1;
			return true;
		}
		iterator = &loop->parts[loop->iterator];
		nest->positions[iterator->operand][iterator->depth + 1] = position;
		if (loop->label < 0)
			return true;
		if (runs_iterate(loop))
		{
			index = next_in_run(loop, iterator->level);
			nest->enumerated++;
			/* a few runs may have many indices that are in no other operand */
			count_work(nest, 1);
		}
		else
			index = level_index(iterator->level, position);
		for (int p = 0; found && p < loop->nparts; p++)
		{
			const LoopPart *part = &loop->parts[p];

			if (p == loop->iterator)
				continue;
			position = locate(nest, part, index);
			nest->positions[part->operand][part->depth + 1] = position;
			found = position >= 0 || p >= loop->nrequired;
		}
		if (found)
		{
			nest->values[loop->label] = index;
			return true;
		}
	}
	return false;
}

/* ---- the innermost loop ---- */

/* Reads the indices of n positions of a level, from position first on. */
static void
read_indices(const IndexLevel *level, int64_t first, int n, int64_t *index)
{
	if (level->narrow)
		for (int t = 0; t < n; t++)
			index[t] = level->narrow[first + t];
	else if (level->wide)
		memcpy(index, level->wide + first, sizeof(int64_t) * (size_t) n);
	else
		for (int t = 0; t < n; t++)
			index[t] = level->least + first + t;
}

/*
 * Locates a strip of n indices in all other operands of the loop. Returns how many are in
 * all required operands: nest->selected has these, unless *all; nest->located their
 * positions.
 */
static int
locate_all(Nest *nest, NestLoop *loop, int n, const StripIndices *indices,
		   int64_t expected, bool *all)
{
	int32_t *selected = NULL;
	int count = n;

	for (int p = 0; p < loop->nparts && count > 0; p++)
	{
		int32_t *to = nest->located[p];
		int kept = 0;

		if (p == loop->iterator)
			continue;
		locate_strip(nest, &loop->parts[p], count, indices, selected, expected, to);
		if (p >= loop->nrequired)
			continue;
		for (int t = 0; t < count; t++)
		{
			int at = selected ? selected[t] : t;

			nest->selected[kept] = at;
			for (int q = 0; q < p; q++)
				nest->located[q][kept] = nest->located[q][t];
			to[kept] = to[t];
			kept += to[t] >= 0;
		}
		count = kept;
		selected = nest->selected;
	}
	*all = selected == NULL;
	return count;
}

/*
 * Appends the tuples of a strip to the buffer. The strip begins at position first of the
 * iterating operand.
 */
static void
fill_buffer(Nest *nest, const NestLoop *loop, int64_t first, int n, bool all)
{
	Buffer *buffer = nest->buffer;
	int at = buffer->count;

	for (int o = 0; o < nest->description.noperands; o++)
	{
		int32_t *to = buffer->positions[o];
		int32_t position;

		if (to == NULL)
			continue;
		position = (int32_t) nest->positions[o][nest->depths[o]];
		for (int p = 0; p < loop->nparts; p++)
		{
			if (loop->parts[p].operand != o)
				continue;
			to += at;
			if (loop->iterator < 0)
				for (int t = 0; t < n; t++)
					to[t] = -1;
			else if (p != loop->iterator)
				memcpy(to, nest->located[p], sizeof(int32_t) * (size_t) n);
			else if (runs_iterate(loop))
				for (int t = 0; t < n; t++)
					to[t] = nest->runs[all ? t : nest->selected[t]];
			else if (all)
				for (int t = 0; t < n; t++)
					to[t] = (int32_t) first + t;
			else
				for (int t = 0; t < n; t++)
					to[t] = (int32_t) first + nest->selected[t];
			to = NULL;
			break;
		}
		if (to)
			for (int t = 0; t < n; t++)
				to[at + t] = position;
	}
	for (int l = 0; l < nest->description.nlabels; l++)
	{
		int64_t *to = buffer->indices[l];

		if (to == NULL)
			continue;
		if (l == loop->label)
			memcpy(to + at, nest->index, sizeof(int64_t) * (size_t) n);
		else
			for (int t = 0; t < n; t++)
				to[at + t] = nest->values[l];
	}
}

/*
 * Keeps the tuples of a strip whose groups belong to the current pass. Returns how many.
 */
static int
select_pass(Nest *nest, const NestLoop *loop, int n, bool *all)
{
	int32_t which[STRIP];
	int kept = groups_in_pass(nest, n, nest->index, which);

	for (int t = 0; t < kept; t++)
	{
		nest->selected[t] = *all ? which[t] : nest->selected[which[t]];
		nest->index[t] = nest->index[which[t]];
	}
	for (int p = 0; p < loop->nparts; p++)
		for (int t = 0; p != loop->iterator && t < kept; t++)
			nest->located[p][t] = nest->located[p][which[t]];
	*all = false;
	return kept;
}

/*
 * Can the innermost loop be skipped, since all its tuples are in one group of another
 * pass?
 */
static bool
skips_fiber(const Nest *nest)
{
	int32_t which;

	return groups_divided(&nest->groups) && !nest->groups.vary &&
		   groups_in_pass(nest, 1, NULL, &which) == 0;
}

/*
 * Reads the next indices of a loop over runs into the strip, with their positions, and
 * moves the loop behind them. Returns how many.
 */
static int
read_runs(Nest *nest, NestLoop *loop)
{
	const IndexLevel *level = loop->parts[loop->iterator].level;
	int n = 0;

	while (n < STRIP && loop->next < loop->end)
	{
		nest->runs[n] = (int32_t) loop->next;
		nest->index[n++] = next_in_run(loop, level);
	}
	nest->enumerated += n;
	return n;
}

/* Counts the iterations of an innermost loop whose indices and values are not needed. */
static NestStatus
count_fiber(Nest *nest, NestLoop *loop)
{
	int64_t n = loop->end - loop->next;
	int32_t slot;

	if (!groups_add_tuples(nest, n, &slot))
		return NEST_NO_MEMORY;
	loop->iterations += n;
	loop->next = loop->end;
	return NEST_DONE;
}

/* Runs the next strip of the innermost loop, which has an iteration left. */
static NestStatus
run_strip(Nest *nest, NestLoop *loop)
{
	Buffer *buffer = nest->buffer;
	int64_t first = loop->next;
	bool runs = runs_iterate(loop);
	int64_t expected =
		runs ? fiber_length(nest, &loop->parts[loop->iterator]) : loop->end - first;
	int n = (int) (expected < STRIP ? expected : STRIP);
	bool vary = nest->groups.vary;
	bool all = true;
	int found = n;

	if (skips_fiber(nest))
	{
		loop->next = loop->end;
		return NEST_DONE;
	}
	if (nest->counts_only && !vary && nest->groups.kind != SLOT_NEW &&
		loop->nparts <= 1 && !runs)
		return count_fiber(nest, loop);
	if (runs)
		n = found = read_runs(nest, loop);
	else
		loop->next += n;
	loop->iterations += n;
	nest->work -= n;
	if (loop->iterator >= 0 && loop->label >= 0)
	{
		const IndexLevel *level = loop->parts[loop->iterator].level;
		bool needed = vary || buffer->indices[loop->label];
		StripIndices indices = {.narrow =
									level->narrow && !runs ? level->narrow + first : NULL,
								.wide = nest->index};

		if (!runs && (needed || (loop->nparts > 1 && indices.narrow == NULL)))
			read_indices(level, first, n, nest->index);
		if (nest->inner_products && !runs)
			return add_inner_products(nest, loop, first, n, &indices, expected);
		found = locate_all(nest, loop, n, &indices, expected, &all);
		if (!all && needed)
			for (int t = 0; t < found; t++)
				nest->index[t] = nest->index[nest->selected[t]];
	}
	if (vary && groups_divided(&nest->groups))
		found = select_pass(nest, loop, found, &all);
	if (found == 0)
		return NEST_DONE;
	if (!groups_reserve(nest, vary || nest->groups.kind == SLOT_NEW ? found : 1))
		return NEST_NO_MEMORY;
	groups_find(nest, found, nest->index, buffer->slots + buffer->count);
	nest->ntuples += found;
	if (nest->counts_only)
		return NEST_DONE;
	fill_buffer(nest, loop, first, found, all);
	buffer->count += found;
	return buffer->count > BUFFER - STRIP ? aggregates_flush(nest) : NEST_DONE;
}

/* ---- the nest ---- */

bool
enough_groups(const Nest *nest)
{
	double bytes = (double) nest->groups.count * (double) nest->result_bytes;

	return nest->groups.count >= GROUPS_AT_ONCE || bytes >= RESULTS_AT_ONCE ||
		   bytes >= (double) nest->memory->limit / SHARE_OF_RESULTS;
}

NestStatus
return_groups(Nest *nest, NestGroups *out)
{
	Groups *groups = &nest->groups;
	NestStatus status = aggregates_flush(nest);

	if (status != NEST_DONE)
		return status;
	aggregates_finish(nest);
	out->count = groups->count;
	out->tuples = groups->tuples;
	for (int i = 0; i < nest->description.noutput; i++)
		out->keys[i] = groups->keys[i];
	for (int a = 0; a < nest->description.naggregates; a++)
	{
		out->results[a] = groups->results[a];
		out->shapes[a] = groups->shapes[a];
	}
	nest->returned = true;
	nest->ngroups += groups->count;
	return NEST_GROUPS;
}

/* Starts the loops inside the current prefix from the beginning. */
static void
enter_prefix(Nest *nest)
{
	nest->depth = nest->groups.prefix;
	enter_loop(nest, &nest->loops[nest->depth]);
}

/*
 * Completes a pass over the current prefix and begins the next. False if it was the last.
 */
static bool
finish_pass(Nest *nest)
{
	groups_close(nest);
	if (!groups_next_pass(nest))
		return false;
	enter_prefix(nest);
	return true;
}

/*
 * Makes room when groups do not fit in memory: restarts the loops of the prefix. Complete
 * groups are returned first; if there are none, the next pass is for fewer groups.
 */
static NestStatus
make_room(Nest *nest, NestGroups *out)
{
	NestStatus status = NEST_NO_MEMORY;

	/* the buffer may still have tuples of complete groups */
	if (nest->groups.full && !nest->arena.lasting)
		status = aggregates_flush(nest);
	if (status != NEST_DONE)
		return status;
	if (!groups_divide(nest))
		return NEST_NO_MEMORY;
	enter_prefix(nest);
	return nest->groups.count > 0 ? return_groups(nest, out) : NEST_DONE;
}

/* Runs the short fibers that fibers_gather has gathered. */
static NestStatus
run_fibers(Nest *nest, NestGroups *out)
{
	NestStatus status = fibers_run(nest);

	if (status == NEST_NO_MEMORY)
		return make_room(nest, out);
	if (status != NEST_DONE || !nest->fibers->completes)
		return status;
	groups_close(nest);
	return enough_groups(nest) ? return_groups(nest, out) : NEST_DONE;
}

/*
 * Advances the current loop, which is not the innermost one: enters the loop inside it,
 * or leaves it after its last iteration.
 */
static NestStatus
run_outer(Nest *nest, NestGroups *out)
{
	Groups *groups = &nest->groups;

	if (nest->depth < groups->prefix && groups->first < groups->count)
	{
		groups_close(nest);
		if (enough_groups(nest))
			return return_groups(nest, out);
	}
	if (nest->fibers && nest->depth == nest->nloops - 2 && fibers_gather(nest))
		return run_fibers(nest, out);
	count_work(nest, 1);
	if (advance_loop(nest, &nest->loops[nest->depth]))
	{
		enter_loop(nest, &nest->loops[++nest->depth]);
		return NEST_DONE;
	}
	if (nest->depth == groups->prefix && groups_divided(groups) && finish_pass(nest))
		return groups->count > 0 ? return_groups(nest, out) : NEST_DONE;
	nest->depth--;
	return NEST_DONE;
}

/* Runs the innermost loop to its end, or until there are enough groups to return. */
static NestStatus
run_innermost(Nest *nest, NestGroups *out)
{
	NestLoop *loop = &nest->loops[nest->depth];

	while (loop->next < loop->end)
	{
		NestStatus status = run_strip(nest, loop);

		if (status == NEST_NO_MEMORY)
			return make_room(nest, out);
		if (status != NEST_DONE)
			return status;
		count_work(nest, 0);
		if (nest->groups.kind == SLOT_NEW && enough_groups(nest))
		{
			groups_close(nest);
			return return_groups(nest, out);
		}
	}
	nest->depth--;
	return NEST_DONE;
}

NestStatus
nest_next(Nest *nest, NestGroups *out)
{
	Groups *groups = &nest->groups;

	if (nest->stream.operand >= 0)
		return stream_next(nest, out);
	if (groups->count > 0)
	{
		groups_clear(nest);
		arena_clear(&nest->arena);
	}
	if (!nest->started)
	{
		nest->started = true;
		nest->depth = 0;
		enter_loop(nest, &nest->loops[0]);
	}
	while (nest->depth >= 0)
	{
		NestStatus status = nest->depth < nest->nloops - 1 ? run_outer(nest, out)
														   : run_innermost(nest, out);

		if (status != NEST_DONE)
			return status;
	}
	groups_close(nest);
	return groups->count > 0 ? return_groups(nest, out) : NEST_DONE;
}

void
nest_rewind(Nest *nest)
{
	if (nest->stream.operand >= 0)
	{
		stream_rewind(nest);
		return;
	}
	nest->buffer->count = 0;
	groups_clear(nest);
	groups_all_passes(&nest->groups);
	arena_clear(&nest->arena);
	nest->started = false;
	nest->depth = 0;
}
