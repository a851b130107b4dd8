/*-------------------------------------------------------------------------
 *
 * stream.c
 *	  A nest that runs over the rows of one operand in the order in which they come.
 *
 * The operand has all labels, so that each of its rows says where to look in the
 * other operands. If these have each key once, no further loops are needed. The
 * streamed operand needs no index; if it is read once, its rows are not even
 * kept: only a strip of rows and the groups are in memory.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/nest/nest_state.h"

/* ---- preparation ---- */

static bool
has_all_labels(const Nest *nest, const NestOperand *operand)
{
	for (int l = 0; l < nest->description.nlabels; l++)
		if (memchr(operand->labels, l, (size_t) operand->coordinates->nkeys) == NULL)
			return false;
	return true;
}

/* Returns the label of an operand's level. */
static int
label_of_level(const Nest *nest, int operand, int level)
{
	const Index *index = nest->indexes[operand];
	int k = 0;

	while (index && index->level_of_key[k] != level)
		k++;
	return nest->description.operands[operand].labels[k];
}

static IndexLevel *
located_level(Nest *nest, int operand, int level)
{
	return nest->indexes[operand] ? &nest->indexes[operand]->levels[level]
								  : &nest->ranges[operand];
}

/*
 * Builds indexes of the operands that are located, and makes them fast to search.
 * NEST_REPEATED if one has a key several times.
 */
static NestStatus
make_located(Nest *nest)
{
	nest_order_runs(nest);
	for (int o = 0; o < nest->description.noperands; o++)
	{
		if (o == nest->stream.operand)
			continue;
		if (!nest_make_index(nest, o))
			return NEST_NO_MEMORY;
		if (nest->indexes[o] && nest->indexes[o]->repeated)
			return NEST_REPEATED;
		for (int d = 0; d < nest->depths[o]; d++)
			level_make_locator(level_memory(nest, o), located_level(nest, o, d), true);
	}
	return NEST_DONE;
}

static void
make_strip(Nest *nest)
{
	for (int o = 0; o < nest->description.noperands; o++)
		if (o != nest->stream.operand)
			nest->located[o] =
				nest_allocate_zeroed(nest->memory, sizeof(int32_t) * STRIP);
	for (int l = 0; l < nest->description.nlabels; l++)
		nest->stream.indices[l] =
			nest_allocate_zeroed(nest->memory, sizeof(int64_t) * STRIP);
}

/* Prepares a nest that streams rows; the order is that of the rows, not the given one. */
static NestStatus
make_stream(Nest *nest, const uint8_t *order)
{
	NestStatus status = make_located(nest);

	(void) order;
	if (status == NEST_DONE)
	{
		make_strip(nest);
		nest_make_buffer(nest);
	}
	return status;
}

/* Is each group complete when a row of another one comes? */
static bool
is_ordered(const Nest *nest)
{
	const NestOperand *operand = &nest->description.operands[nest->stream.operand];
	int ascending = operand->coordinates->ascending;

	if (!operand->coordinates->streamed || nest->groups.kind == SLOT_NEW ||
		ascending < 0 || nest->description.noutput != 1 ||
		nest->description.output[0] != operand->labels[ascending])
		return false;
	for (int a = 0; a < nest->description.naggregates; a++)
		if (nest->aggregates[a].tensors)
			return false;
	return true;
}

NestStatus
nest_prepare_stream(Nest *nest, int operand)
{
	Coordinates *coordinates = nest->description.operands[operand].coordinates;
	NestStatus status;

	if (coordinates == NULL || coordinates->released || has_runs(coordinates) ||
		!has_all_labels(nest, &nest->description.operands[operand]))
		return NEST_REPEATED;
	nest->stream.operand = operand;
	coordinates_note_stream(coordinates, true);
	nest->stream.index.count = coordinates->count;
	nest->indexes[operand] = &nest->stream.index;
	status = nest_prepare_by(nest, make_stream, NULL);
	nest->stream.ordered = status == NEST_DONE && is_ordered(nest);
	return status;
}

bool
nest_stream_is_ordered(const Nest *nest)
{
	return nest->stream.ordered;
}

void
nest_end_stream(Nest *nest)
{
	nest->stream.ended = true;
}

void
stream_free(Nest *nest)
{
	int operand = nest->stream.operand;

	if (operand >= 0)
		coordinates_note_stream(nest->description.operands[operand].coordinates, false);
	for (int l = 0; l < nest->description.nlabels; l++)
		nest_release(nest->memory, nest->stream.indices[l]);
	nest->stream = (Stream){.operand = -1};
}

const IndexLevel *
stream_level(const Nest *nest, int operand, int label)
{
	for (int d = 0; d < nest->depths[operand]; d++)
		if (label_of_level(nest, operand, d) == label)
			return located_level((Nest *) nest, operand, d);
	return NULL;
}

void
stream_statistics(const Nest *nest, int operand, NestStatistics *statistics)
{
	if (operand == nest->stream.operand)
		return;
	statistics->nlevels[operand] = nest->depths[operand];
	for (int d = 0; d < nest->depths[operand]; d++)
	{
		const IndexLevel *level = located_level((Nest *) nest, operand, d);

		statistics->levels[operand][d] =
			(NestLevelStatistics){.label = label_of_level(nest, operand, d),
								  .format = level->format,
								  .entries = level->count};
	}
}

/* ---- strips ---- */

/*
 * Keeps the n rows of the strip that are numbered which[0..n): their indices, places, and
 * positions in the operands before the given one.
 */
static void
keep_rows(Nest *nest, const int32_t *which, int n, int operand)
{
	for (int t = 0; t < n; t++)
		nest->stream.places[t] = nest->stream.places[which[t]];
	for (int l = 0; l < nest->description.nlabels; l++)
		for (int t = 0; t < n; t++)
			nest->stream.indices[l][t] = nest->stream.indices[l][which[t]];
	for (int o = 0; o < operand; o++)
		for (int t = 0; nest->located[o] && t < n; t++)
			nest->located[o][t] = nest->located[o][which[t]];
}

/* Has another key than k the same label? */
static bool
repeats_label(const NestOperand *operand, int nkeys, int k)
{
	for (int other = 0; other < nkeys; other++)
		if (other != k && operand->labels[other] == operand->labels[k])
			return true;
	return false;
}

/*
 * Reads the indices of n rows of a chunk into the strip, and drops rows off a diagonal,
 * whose columns of one label differ. Returns how many are left.
 */
static int
read_rows(Nest *nest, const Chunk *chunk, int first, int n)
{
	const NestOperand *operand = &nest->description.operands[nest->stream.operand];
	int nkeys = operand->coordinates->nkeys;

	for (int t = 0; t < n; t++)
		nest->stream.places[t] = first + t;
	for (int k = 0; k < nkeys; k++)
	{
		int64_t *to = nest->stream.indices[operand->labels[k]];

		if (chunk->keys[k])
			for (int t = 0; t < n; t++)
				to[t] = chunk->keys[k][first + t];
		else
			memcpy(to, chunk->wide_keys[k] + first, sizeof(int64_t) * (size_t) n);
	}
	for (int k = 0; k < nkeys; k++)
	{
		const int64_t *index = nest->stream.indices[operand->labels[k]];
		int32_t which[STRIP];
		int kept = 0;

		if (!repeats_label(operand, nkeys, k))
			continue;
		for (int t = 0; t < n; t++)
		{
			which[kept] = t;
			kept += chunk_key(chunk, k, nest->stream.places[t]) == index[t];
		}
		if (kept < n)
			keep_rows(nest, which, kept, 0);
		n = kept;
	}
	return n;
}

/* Locates n indices in the only fiber of a dense level. */
static void
locate_dense(const IndexLevel *level, int n, const int64_t *restrict index,
			 int32_t *restrict located)
{
	uint64_t last = level_last_offset(level);
	const int32_t *table = level->full ? NULL : level->table;
	int64_t least = level->least;

	for (int t = 0; t < n; t++)
	{
		uint64_t offset = (uint64_t) index[t] - (uint64_t) least;

		located[t] = offset > last ? -1 : table ? table[offset] : (int32_t) offset;
	}
}

/*
 * Locates the rows of the strip in operand o, and drops rows without a match unless it is
 * optional. Returns how many are left.
 */
static int
locate_rows(Nest *nest, int o, int n)
{
	int32_t *located = nest->located[o];
	int32_t which[STRIP];
	int32_t missing = 0;
	int kept = 0;

	memset(located, 0, sizeof(int32_t) * (size_t) n);
	for (int d = 0; d < nest->depths[o]; d++)
	{
		const IndexLevel *level = located_level(nest, o, d);
		const int64_t *index = nest->stream.indices[label_of_level(nest, o, d)];

		if (d == 0 && level->format == LEVEL_DENSE && level->count > 0)
		{
			locate_dense(level, n, index, located);
			continue;
		}
		for (int t = 0; t < n; t++)
			if (located[t] >= 0)
				located[t] = (int32_t) level_locate(level, located[t], index[t]);
	}
	if (nest->description.operands[o].optional)
		return n;
	/* a place that is not there is negative */
	for (int t = 0; t < n; t++)
		missing |= located[t];
	if (missing >= 0)
		return n;
	for (int t = 0; t < n; t++)
	{
		which[kept] = t;
		kept += located[t] >= 0;
	}
	keep_rows(nest, which, kept, o + 1);
	return kept;
}

/* Fills the buffer with n joined rows of a chunk. */
static void
fill_buffer(Nest *nest, const Chunk *chunk, int n)
{
	Buffer *buffer = nest->buffer;

	for (int v = 0; v < NEST_MAX_VALUES; v++)
	{
		nest->stream.index.values[v] = chunk->values[v];
		nest->stream.index.shapes[v] = chunk->shapes[v];
	}
	for (int o = 0; o < nest->description.noperands; o++)
		if (buffer->positions[o])
			memcpy(buffer->positions[o],
				   o == nest->stream.operand ? nest->stream.places : nest->located[o],
				   sizeof(int32_t) * (size_t) n);
	for (int l = 0; l < nest->description.nlabels; l++)
		if (buffer->indices[l])
			memcpy(buffer->indices[l], nest->stream.indices[l],
				   sizeof(int64_t) * (size_t) n);
	buffer->count = n;
}

/* Joins the next strip of rows, of one chunk, and folds them into their groups. */
static NestStatus
run_rows(Nest *nest)
{
	const Coordinates *coordinates =
		nest->description.operands[nest->stream.operand].coordinates;
	int first = (int) nest->stream.next;
	const Chunk *chunk = coordinates->streamed
							 ? coordinates->chunks[0]
							 : chunk_of_row(coordinates, nest->stream.next, &first);
	int n = chunk->count - first < STRIP ? chunk->count - first : STRIP;

	nest->stream.next += n;
	count_work(nest, n);
	n = read_rows(nest, chunk, first, n);
	for (int o = 0; n > 0 && o < nest->description.noperands; o++)
		if (o != nest->stream.operand)
			n = locate_rows(nest, o, n);
	if (n == 0)
		return NEST_DONE;
	if (!groups_reserve(nest, n))
		return NEST_NO_MEMORY;
	if (!groups_find_rows(nest, n, nest->stream.indices, nest->buffer->slots))
		return nest->stream.ordered ? NEST_REPEATED : NEST_NO_MEMORY;
	nest->ntuples += n;
	if (nest->counts_only)
		return NEST_DONE;
	fill_buffer(nest, chunk, n);
	return aggregates_flush(nest);
}

/*
 * Drops the groups of an ordered stream that have been returned: all but the last one,
 * which may get further rows.
 */
static void
drop_returned(Nest *nest)
{
	if (nest->stream.given && nest->stream.ended)
		groups_clear(nest);
	else if (nest->stream.given)
		groups_keep_last(nest);
	nest->stream.given = false;
}

NestStatus
nest_stream_rows(Nest *nest)
{
	Coordinates *coordinates =
		nest->description.operands[nest->stream.operand].coordinates;
	NestStatus status = NEST_DONE;

	if (nest->stream.ordered)
		drop_returned(nest);
	while (status == NEST_DONE && nest->stream.next < coordinates->count)
		status = run_rows(nest);
	coordinates_drop_rows(coordinates);
	nest->stream.next = 0;
	if (status == NEST_DONE && nest->stream.ordered && enough_groups(nest))
		return NEST_GROUPS;
	return status;
}

/* ---- groups ---- */

/*
 * Can groups be returned before all rows are joined, since each joined row is a complete
 * group and the rows are kept?
 */
static bool
returns_early(const Nest *nest)
{
	return nest->groups.kind == SLOT_NEW &&
		   !nest->description.operands[nest->stream.operand].coordinates->streamed;
}

/* Returns the complete groups of an ordered stream; NEST_DONE if there are none. */
static NestStatus
return_complete(Nest *nest, NestGroups *out)
{
	Groups *groups = &nest->groups;
	int64_t count;
	NestStatus status = NEST_DONE;

	drop_returned(nest);
	count = groups->count;
	if (!nest->stream.ended && count > 0)
		groups->count--;
	if (groups->count > 0)
	{
		status = return_groups(nest, out);
		nest->stream.given = true;
	}
	groups->count = count;
	return status;
}

NestStatus
stream_next(Nest *nest, NestGroups *out)
{
	const Coordinates *coordinates =
		nest->description.operands[nest->stream.operand].coordinates;
	Groups *groups = &nest->groups;

	if (nest->stream.ordered)
		return return_complete(nest, out);
	if (nest->stream.given)
	{
		if (!returns_early(nest))
			return NEST_DONE;
		groups_clear(nest);
		arena_clear(&nest->arena);
	}
	while (!coordinates->streamed && nest->stream.next < coordinates->count &&
		   !(returns_early(nest) && enough_groups(nest)))
	{
		NestStatus status = run_rows(nest);

		if (status != NEST_DONE)
			return status;
	}
	nest->stream.given = true;
	return groups->count > 0 ? return_groups(nest, out) : NEST_DONE;
}

void
stream_rewind(Nest *nest)
{
	nest->stream.given = false;
	if (!returns_early(nest))
		return;
	groups_clear(nest);
	arena_clear(&nest->arena);
	nest->stream.next = 0;
}
