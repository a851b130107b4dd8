/*-------------------------------------------------------------------------
 *
 * fibers.c
 *	  Innermost loops over short fibers: strips that have several fibers.
 *
 *	  for i, for j of a[i,:]: sum[i] += a[i,j] * x[j], where a[i,:] has two or three entries
 *
 * A strip for each fiber would take many times longer than its few entries.
 * Where the same operand iterates in the innermost loop and in the loop around
 * it, the fibers of neighbouring positions are contiguous: as many as fill a
 * strip are located, grouped and put into the buffer together. A strip has whole
 * fibers only, so that the groups of its outer indices are complete after it.
 * Long fibers run by themselves (run.c).
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/nest/nest_state.h"

/* A fiber longer than this runs by itself, which is then as fast. */
#define SHORT_FIBER (STRIP / 4)
/* A strip of fewer fibers takes longer than running the fibers one by one. */
#define FEWEST_FIBERS 4

/* Returns the loop around the innermost one. */
static NestLoop *
outer_loop(const Nest *nest)
{
	return &nest->loops[nest->nloops - 2];
}

static NestLoop *
inner_loop(const Nest *nest)
{
	return &nest->loops[nest->nloops - 1];
}

static bool
is_output(const Nest *nest, int label)
{
	return memchr(nest->description.output, label, (size_t) nest->description.noutput) !=
		   NULL;
}

/* Returns the part that an operand has in a loop, or -1. */
static int
part_of(const NestLoop *loop, int operand)
{
	for (int p = 0; p < loop->nparts; p++)
		if (loop->parts[p].operand == operand)
			return p;
	return -1;
}

/*
 * Returns the part of the inner loop whose fibers are contiguous if this part of the
 * outer loop iterates: that of the same operand. -1 if it has none, or if another
 * required operand of the inner loop depends on the outer index too.
 */
static int
inner_iterator(const Nest *nest, const LoopPart *iterator)
{
	const NestLoop *inner = inner_loop(nest);
	int found = -1;

	for (int p = 0; p < inner->nrequired; p++)
		if (inner->parts[p].operand == iterator->operand && !is_of_runs(&inner->parts[p]))
			found = p;
		else if (part_of(outer_loop(nest), inner->parts[p].operand) >= 0)
			return -1;
	return found;
}

void
fibers_begin(Nest *nest)
{
	bool any = false;
	FiberStrip *strip;

	if (nest->nloops < 2 || outer_loop(nest)->label < 0 || inner_loop(nest)->label < 0)
		return;
	/* fibers that are only counted need no strip: their entries are not read */
	if (nest->counts_only && !nest->groups.vary && inner_loop(nest)->nparts == 1)
		return;
	/*
	 * a strip may have as many groups as tuples, which need too much memory if they are
	 * tensors
	 */
	for (int a = 0; a < nest->description.naggregates; a++)
		if (nest->aggregates[a].tensors)
			return;
	for (int p = 0; p < outer_loop(nest)->nrequired; p++)
		any |= inner_iterator(nest, &outer_loop(nest)->parts[p]) >= 0;
	if (!any)
		return;
	strip = nest_allocate_zeroed(nest->memory, sizeof(FiberStrip));
	nest->fibers = strip;
	strip->completes =
		nest->groups.kind == SLOT_NEW || nest->groups.prefix == nest->nloops - 1;
	for (int p = 0; p < outer_loop(nest)->nparts; p++)
	{
		strip->outer[p] = nest_allocate_zeroed(nest->memory, sizeof(int32_t) * STRIP);
		strip->iterators[p] = inner_iterator(nest, &outer_loop(nest)->parts[p]);
	}
}

void
fibers_free(Nest *nest)
{
	for (int o = 0; nest->fibers && o < NEST_MAX_OPERANDS; o++)
		nest_release(nest->memory, nest->fibers->outer[o]);
	nest_release(nest->memory, nest->fibers);
	nest->fibers = NULL;
}

/* ---- gathering ---- */

/* Keeps n tuples of the strip, those numbered which[0..n). */
static void
keep_tuples(Nest *nest, int n, const int32_t *which)
{
	FiberStrip *strip = nest->fibers;

	if (n == strip->count)
		return;
	for (int t = 0; t < n; t++)
	{
		strip->fibers[t] = strip->fibers[which[t]];
		strip->narrow[t] = strip->narrow[which[t]];
		nest->index[t] = nest->index[which[t]];
	}
	for (int p = 0; p < inner_loop(nest)->nparts; p++)
		for (int t = 0; t < n; t++)
			nest->located[p][t] = nest->located[p][which[t]];
	strip->count = n;
}

/*
 * Returns how long the gathered fibers may be: no longer than the fibers of other
 * required parts, which do not depend on the outer index.
 */
static int64_t
longest_fiber(const Nest *nest, int iterator)
{
	const NestLoop *inner = inner_loop(nest);
	int64_t longest = SHORT_FIBER;

	for (int p = 0; p < inner->nrequired; p++)
	{
		int64_t length = fiber_length(nest, &inner->parts[p]);

		if (p != iterator && length < longest)
			longest = length;
	}
	return longest;
}

/*
 * Locates the outer indices of n fibers in the other operands of the outer loop.
 * found[f]: whether all required operands have the index.
 */
static void
locate_parents(Nest *nest, int64_t first, int n, uint8_t *found)
{
	FiberStrip *strip = nest->fibers;
	NestLoop *outer = outer_loop(nest);
	const IndexLevel *level = outer->parts[outer->iterator].level;
	StripIndices indices = {.narrow = level->narrow ? level->narrow + first : NULL,
							.wide = strip->values};

	for (int f = 0; f < n; f++)
	{
		strip->values[f] = level_index(level, first + f);
		strip->outer[outer->iterator][f] = (int32_t) first + f;
		found[f] = 1;
	}
	for (int p = 0; p < outer->nparts; p++)
	{
		int32_t *to = strip->outer[p];

		if (p == outer->iterator)
			continue;
		locate_strip(nest, &outer->parts[p], n, &indices, NULL, n, to);
		for (int f = 0; p < outer->nrequired && f < n; f++)
			found[f] &= to[f] >= 0;
	}
}

bool
fibers_gather(Nest *nest)
{
	FiberStrip *strip = nest->fibers;
	NestLoop *outer = outer_loop(nest);
	NestLoop *inner = inner_loop(nest);
	int iterator = outer->iterator < 0 ? -1 : strip->iterators[outer->iterator];
	const IndexLevel *level = iterator < 0 ? NULL : inner->parts[iterator].level;
	const int32_t *start = level ? level->start + outer->next : NULL;
	int64_t longest;
	int64_t most = outer->end - outer->next < STRIP ? outer->end - outer->next : STRIP;
	uint8_t found[STRIP];
	int32_t which[STRIP];
	int n = 0;
	int kept = 0;

	if (level == NULL || level->start == NULL || most < FEWEST_FIBERS)
		return false;
	longest = longest_fiber(nest, iterator);
	while (n < most && start[n + 1] - start[0] <= STRIP &&
		   start[n + 1] - start[n] <= longest)
		n++;
	if (n < FEWEST_FIBERS)
		return false;
	locate_parents(nest, outer->next, n, found);
	strip->count = start[n] - start[0];
	strip->nfibers = n;
	strip->iterator = iterator;
	for (int f = 0; f < n; f++)
		for (int t = start[f] - start[0]; t < start[f + 1] - start[0]; t++)
			strip->fibers[t] = f;
	for (int t = 0; t < strip->count; t++)
		nest->located[iterator][t] = start[0] + t;
	if (level->narrow)
		memcpy(strip->narrow, level->narrow + start[0],
			   sizeof(int32_t) * (size_t) strip->count);
	else
		memcpy(nest->index, level->wide + start[0],
			   sizeof(int64_t) * (size_t) strip->count);
	outer->next += n;
	outer->iterations += n;
	count_work(nest, n + strip->count);
	if (outer->nrequired > 1)
	{
		for (int t = 0; t < strip->count; t++)
		{
			which[kept] = t;
			kept += found[strip->fibers[t]];
		}
		keep_tuples(nest, kept, which);
	}
	inner->iterations += strip->count;
	return true;
}

/* ---- running ---- */

/* Returns the end of the tuples, from t on, that are of the same fiber. */
static int
fiber_end(const FiberStrip *strip, int t)
{
	int end = t + 1;

	while (end < strip->count && strip->fibers[end] == strip->fibers[t])
		end++;
	return end;
}

/* Locates all tuples in one part, whose fiber may depend on the outer index. */
static void
locate_part(Nest *nest, int p)
{
	FiberStrip *strip = nest->fibers;
	LoopPart *part = &inner_loop(nest)->parts[p];
	bool narrow = inner_loop(nest)->parts[strip->iterator].level->narrow != NULL;
	int32_t *to = nest->located[p];
	int outer = part_of(outer_loop(nest), part->operand);
	int end;

	for (int t = 0; t < strip->count; t = end)
	{
		StripIndices indices = {.narrow = narrow ? strip->narrow + t : NULL,
								.wide = nest->index + t};

		end = outer < 0 ? strip->count : fiber_end(strip, t);
		if (outer >= 0)
			nest->positions[part->operand][part->depth] =
				strip->outer[outer][strip->fibers[t]];
		locate_strip(nest, part, end - t, &indices, NULL, end - t, to + t);
	}
}

/*
 * Locates the tuples in all operands but the iterating one, and drops tuples that a
 * required operand lacks.
 */
static void
locate_fibers(Nest *nest)
{
	FiberStrip *strip = nest->fibers;
	const NestLoop *inner = inner_loop(nest);

	for (int p = 0; p < inner->nparts && strip->count > 0; p++)
	{
		int32_t which[STRIP];
		int kept = 0;

		if (p == strip->iterator)
			continue;
		locate_part(nest, p);
		if (p >= inner->nrequired)
			continue;
		for (int t = 0; t < strip->count; t++)
		{
			which[kept] = t;
			kept += nest->located[p][t] >= 0;
		}
		keep_tuples(nest, kept, which);
	}
}

/*
 * Runs CALL for the tuples t .. end - 1 of each fiber, after setting nest->values to its
 * outer index; once for all tuples if the outer label is not one of the output's.
 */
#define FOR_EACH_FIBER(outputs, CALL)                                                    \
	for (int t = 0, end; t < strip->count; t = end)                                      \
	{                                                                                    \
		end = (outputs) ? fiber_end(strip, t) : strip->count;                            \
		nest->values[label] = strip->values[strip->fibers[t]];                           \
		CALL;                                                                            \
	}

/* Keeps the tuples of the strip whose groups belong to the current pass. */
static void
select_pass(Nest *nest)
{
	FiberStrip *strip = nest->fibers;
	int label = outer_loop(nest)->label;
	int32_t which[STRIP];
	int kept = 0;

	FOR_EACH_FIBER(true, {
		int32_t *to = which + kept;
		int n = nest->groups.vary ? end - t : 1;
		int found = groups_in_pass(nest, n, nest->index + t, to);

		if (!nest->groups.vary && found > 0)
			for (found = 0; found < end - t; found++)
				to[found] = found;
		for (int i = 0; i < found; i++)
			to[i] += t;
		kept += found;
	});
	keep_tuples(nest, kept, which);
}

/* Finds the groups of the tuples. False if groups_reserve fails. */
static bool
find_groups(Nest *nest, int32_t *slots)
{
	FiberStrip *strip = nest->fibers;
	Groups *groups = &nest->groups;
	int label = outer_loop(nest)->label;
	bool outputs = is_output(nest, label);
	bool each = groups->vary || groups->kind == SLOT_NEW;

	if (!groups_reserve(nest, each ? strip->count : outputs ? strip->nfibers : 1))
		return false;
	if (groups->prefix == nest->nloops - 1)
	{
		groups_find_complete(nest, strip->count, strip->fibers, strip->values,
							 nest->index, slots);
		return true;
	}
	FOR_EACH_FIBER(outputs, groups_find(nest, end - t, nest->index + t, slots + t));
	return true;
}

/* Appends the tuples of the strip to the buffer. */
static void
fill_buffer(Nest *nest)
{
	const FiberStrip *strip = nest->fibers;
	const NestLoop *inner = inner_loop(nest);
	Buffer *buffer = nest->buffer;
	int at = buffer->count;
	int n = strip->count;

	for (int o = 0; o < nest->description.noperands; o++)
	{
		int32_t *to = buffer->positions[o];
		int outer = part_of(outer_loop(nest), o);
		int p = part_of(inner, o);

		if (to == NULL)
			continue;
		to += at;
		if (p >= 0)
			memcpy(to, nest->located[p], sizeof(int32_t) * (size_t) n);
		else if (outer >= 0)
			for (int t = 0; t < n; t++)
				to[t] = strip->outer[outer][strip->fibers[t]];
		else
			for (int t = 0; t < n; t++)
				to[t] = (int32_t) nest->positions[o][nest->depths[o]];
	}
	for (int l = 0; l < nest->description.nlabels; l++)
	{
		int64_t *to = buffer->indices[l];

		if (to == NULL)
			continue;
		to += at;
		if (l == inner->label)
			memcpy(to, nest->index, sizeof(int64_t) * (size_t) n);
		else if (l == outer_loop(nest)->label)
			for (int t = 0; t < n; t++)
				to[t] = strip->values[strip->fibers[t]];
		else
			for (int t = 0; t < n; t++)
				to[t] = nest->values[l];
	}
	buffer->count += n;
}

NestStatus
fibers_run(Nest *nest)
{
	FiberStrip *strip = nest->fibers;
	const NestLoop *inner = inner_loop(nest);
	Groups *groups = &nest->groups;

	if (strip->count == 0)
		return NEST_DONE;
	locate_fibers(nest);
	if (inner->parts[strip->iterator].level->narrow &&
		(groups->vary || nest->buffer->indices[inner->label]))
		for (int t = 0; t < strip->count; t++)
			nest->index[t] = strip->narrow[t];
	if (groups_divided(groups))
		select_pass(nest);
	if (strip->count == 0)
		return NEST_DONE;
	if (!find_groups(nest, nest->buffer->slots + nest->buffer->count))
		return NEST_NO_MEMORY;
	nest->ntuples += strip->count;
	if (nest->counts_only)
		return NEST_DONE;
	fill_buffer(nest);
	return nest->buffer->count > BUFFER - STRIP ? aggregates_flush(nest) : NEST_DONE;
}
