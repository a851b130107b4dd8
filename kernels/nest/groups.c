/*-------------------------------------------------------------------------
 *
 * groups.c
 *	  Accumulators: finds the group that a joined tuple belongs to.
 *
 * Output labels that are the outermost loops, the prefix, find a group by
 * themselves: it is complete when such a loop advances, and a new group begins.
 * If output labels have loops further inside, a workspace finds the groups of
 * the current prefix by their indices: a table or a hash table. It is never
 * cleared: its entries are group numbers that count on over all groups, and
 * entries from before the prefix are ignored.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "kernels/assume.h"
#include "kernels/nest/nest_state.h"

/*
 * The most places of a workspace that is a table: DENSE_PLACES_PER_ROW for each row that
 * is read, or DENSE_PLACES if that is more. To find the group of a tuple takes 2 to 3 ns
 * by a table in the second-level cache, and 7 to 9 ns by a hash table (see
 * test/bench/nest.c).
 */
#define DENSE_PLACES_PER_ROW 4
#define DENSE_PLACES 262144

#define FIRST_CAPACITY 64
#define FIRST_HASH_BITS 8

/* Returns the place of a label in the output, or -1. */
static int
output_place(const Nest *nest, int label)
{
	for (int i = 0; i < nest->description.noutput; i++)
		if (nest->description.output[i] == label)
			return i;
	return -1;
}

/* Indices from low to high. */
typedef struct GroupRange
{
	int64_t low;
	int64_t high;
} GroupRange;

static void
narrow_range(GroupRange *range, int64_t least, int64_t greatest)
{
	range->low = least > range->low ? least : range->low;
	range->high = greatest < range->high ? greatest : range->high;
}

/* Narrows a range of indices to those of a level; false if the level has none. */
static bool
narrow_to_level(GroupRange *range, const IndexLevel *level)
{
	if (level->extent != 0 && level->extent != INT64_MAX)
		narrow_range(range, level->least, level->least + (level->extent - 1));
	return level->extent != 0;
}

/* Narrows a range of indices to those that a label can have where rows are streamed. */
static bool
narrow_to_stream(const Nest *nest, int label, GroupRange *range)
{
	for (int o = 0; o < nest->description.noperands; o++)
	{
		const NestOperand *operand = &nest->description.operands[o];
		const IndexLevel *level = operand->optional || o == nest->stream.operand
									  ? NULL
									  : stream_level(nest, o, label);
		const Coordinates *rows = operand->coordinates;

		if (level && !narrow_to_level(range, level))
			return false;
		if (o != nest->stream.operand || rows->streamed || rows->count == 0)
			continue;
		coordinates_find_bounds(operand->coordinates);
		for (int k = 0; k < rows->nkeys; k++)
			if (operand->labels[k] == label)
				narrow_range(range, rows->least[k], rows->greatest[k]);
	}
	return true;
}

/*
 * Finds the indices that a label can have in a joined tuple: *extent indices from *least
 * on. False if there are none, or no finite range is known.
 */
static bool
label_range(const Nest *nest, int label, int64_t *least, int64_t *extent)
{
	GroupRange range = {INT64_MIN, INT64_MAX};

	if (nest->stream.operand >= 0 && !narrow_to_stream(nest, label, &range))
		return false;
	for (int i = 0; i < nest->nloops; i++)
	{
		const NestLoop *loop = &nest->loops[i];

		if (loop->label != label)
			continue;
		for (int p = 0; p < loop->nrequired; p++)
			if (!narrow_to_level(&range, loop->parts[p].level))
				return false;
	}
	if (range.low > range.high || range.low == INT64_MIN ||
		(range.high >= 0 && range.low < range.high - INT64_MAX + 1))
		return false;
	*least = range.low;
	*extent = range.high - range.low + 1;
	return true;
}

/*
 * Numbers all combinations of the inner labels' indices. Returns how many there are, or
 * INFINITY if there are too many.
 */
static double
number_places(Nest *nest)
{
	Groups *groups = &nest->groups;
	double places = 1;

	for (int i = groups->ninner - 1; i >= 0; i--)
	{
		int64_t extent;

		if (!label_range(nest, nest->description.output[groups->inner[i]],
						 &groups->least[i], &extent))
			return INFINITY;
		groups->stride[i] = (int64_t) places;
		places *= (double) extent;
		if (places > UINT32_MAX)
			return INFINITY;
	}
	return places;
}

/* Chooses a workspace: a table if it is not too large, else a hash table. */
static void
begin_workspace(Nest *nest)
{
	Groups *groups = &nest->groups;
	double places = number_places(nest);
	double most = DENSE_PLACES;

	for (int o = 0; o < nest->description.noperands; o++)
	{
		double rows = nest->indexes[o] ? (double) nest->indexes[o]->count
									   : (double) nest->ranges[o].extent;

		if (rows * DENSE_PLACES_PER_ROW > most)
			most = rows * DENSE_PLACES_PER_ROW;
	}
	groups->numbered = places < INFINITY;
	if (places <= most && nest_fits(nest->memory, sizeof(uint32_t) * places))
	{
		groups->kind = SLOT_DENSE;
		groups->table_size = (int64_t) places;
		groups->table =
			nest_allocate_zeroed(nest->memory, sizeof(uint32_t) * (size_t) places);
		return;
	}
	groups->kind = SLOT_HASH;
	groups->hash_shift = 64 - FIRST_HASH_BITS;
	groups->table_size = 1 << FIRST_HASH_BITS;
	groups->hash = nest_allocate_zeroed(nest->memory,
										sizeof(GroupEntry) * (size_t) groups->table_size);
}

/*
 * Finds the labels that find a group, and how many of the outermost loops are its prefix.
 */
static void
find_inner_labels(Nest *nest)
{
	Groups *groups = &nest->groups;
	int last = nest->nloops - 1;
	const NestLoop *innermost = &nest->loops[last];

	groups->vary = innermost->label >= 0 && output_place(nest, innermost->label) >= 0;
	for (groups->prefix = 0; groups->prefix < last; groups->prefix++)
		if (nest->loops[groups->prefix].label < 0 ||
			output_place(nest, nest->loops[groups->prefix].label) < 0)
			break;
	for (int i = groups->prefix; i < nest->nloops; i++)
	{
		int place =
			nest->loops[i].label < 0 ? -1 : output_place(nest, nest->loops[i].label);

		if (place >= 0)
			groups->inner[groups->ninner++] = place;
	}
	groups->nouter = groups->ninner - groups->vary;
}

bool
groups_begin(Nest *nest)
{
	Groups *groups = &nest->groups;
	int last = nest->nloops - 1;

	groups->base = 1;
	groups->current = -1;
	groups_all_passes(groups);
	if (nest->stream.operand < 0)
		find_inner_labels(nest);
	else
	{
		/* each streamed row has indices of its own */
		groups->ninner = groups->nouter = nest->description.noutput;
		for (int i = 0; i < groups->ninner; i++)
			groups->inner[i] = i;
		groups->vary = groups->ninner > 0;
	}
	if (nest->description.each_tuple || (groups->vary && groups->prefix == last))
		groups->kind = SLOT_NEW;
	else if (groups->ninner == 0)
		groups->kind = SLOT_PREFIX;
	else
		begin_workspace(nest);
	groups->ascend = nest->stream.operand >= 0;
	return groups_reserve(nest, FIRST_CAPACITY);
}

/*
 * Adds the index of inner label i to the code of a combination of indices. A code is the
 * combination's number if they are numbered, else a hash.
 */
static inline uint64_t
code_add(const Groups *groups, uint64_t code, int i, int64_t index)
{
	if (groups->numbered)
		return code + (uint64_t) ((index - groups->least[i]) * groups->stride[i]);
	code = (code ^ (uint64_t) index) * UINT64_C(0x9E3779B97F4A7C15);
	return code ^ code >> 32;
}

/* Returns the code of the inner labels whose loops are outside the innermost loop. */
static inline uint64_t
outer_code(const Nest *nest)
{
	const Groups *groups = &nest->groups;
	uint64_t code = 0;

	for (int i = 0; i < groups->nouter; i++)
		code = code_add(groups, code, i,
						nest->values[nest->description.output[groups->inner[i]]]);
	return code;
}

static inline uint64_t
code_place(const Groups *groups, uint64_t code)
{
	return code * UINT64_C(0xD6E8FEB86659FD93) >> groups->hash_shift;
}

/*
 * Enlarges the hash table to hold n groups of the prefix, and enters the existing ones.
 */
static void
grow_hash(Nest *nest, int64_t n)
{
	Groups *groups = &nest->groups;
	uint64_t mask;

	while (groups->table_size < 2 * n)
	{
		groups->table_size *= 2;
		groups->hash_shift--;
	}
	nest_release(nest->memory, groups->hash);
	groups->hash = NULL;
	groups->hash = nest_allocate_zeroed(nest->memory,
										sizeof(GroupEntry) * (size_t) groups->table_size);
	mask = (uint64_t) groups->table_size - 1;
	for (int64_t slot = groups->first; slot < groups->count; slot++)
	{
		uint64_t code = 0;
		uint64_t place;

		for (int i = 0; i < groups->ninner; i++)
			code = code_add(groups, code, i, groups->keys[groups->inner[i]][slot]);
		place = code_place(groups, code);
		while (groups->hash[place].number != 0)
			place = (place + 1) & mask;
		groups->hash[place] =
			(GroupEntry){(uint32_t) code, groups->base + (uint32_t) slot};
	}
}

/* Returns a longer array with the same elements, and frees the old one. */
static void *
grow_array(Nest *nest, void *array, int64_t count, int64_t capacity, size_t size)
{
	void *longer = nest_allocate(nest->memory, size * (size_t) capacity);

	if (count > 0)
		memcpy(longer, array, size * (size_t) count);
	nest_release(nest->memory, array);
	return longer;
}

/* Returns the bytes that a group takes in the arrays of groups. */
static double
group_bytes(const Nest *nest)
{
	double bytes = sizeof(int64_t) * (1.0 + nest->description.noutput);

	for (int a = 0; a < nest->description.naggregates; a++)
		bytes += (double) nest->aggregates[a].size +
				 (nest->aggregates[a].tensors ? sizeof(int32_t) : 0);
	return bytes;
}

/* Does memory have room for these bytes and for the result tensors of n more groups? */
static bool
workspace_fits(const Nest *nest, double bytes, int64_t n)
{
	const Groups *groups = &nest->groups;
	double results = 0;

	/* as in nests without a workspace, a few groups always have room */
	if (nest->returned && groups->count + n <= GROUPS_AT_LEAST)
		return true;
	for (int a = 0; a < nest->description.naggregates; a++)
		if (nest->aggregates[a].tensors)
			results += (double) nest->result_bytes *
					   (double) (n + (nest->buffer ? nest->buffer->count : 0));
	if (results > 0)
		bytes += fmax(results - (double) nest->arena.left, 0);
	return nest_fits(nest->memory, bytes);
}

/*
 * Enlarges the hash table for n more groups of the prefix, if needed. False if the memory
 * limit does not allow it.
 */
static bool
reserve_places(Nest *nest, int64_t n)
{
	Groups *groups = &nest->groups;
	int64_t count = groups->count - groups->first + n;

	if (groups->ascend || groups->table_size >= 2 * count)
		return true;
	if (!workspace_fits(nest, sizeof(GroupEntry) * (double) groups->table_size * 2, n))
		return false;
	grow_hash(nest, count);
	return true;
}

bool
groups_reserve(Nest *nest, int64_t n)
{
	Groups *groups = &nest->groups;
	int64_t old = groups->capacity;
	int64_t capacity = old * 2;
	bool workspace = groups->kind == SLOT_DENSE || groups->kind == SLOT_HASH;
	double bytes = group_bytes(nest);

	if (capacity < groups->count + n)
		capacity = groups->count + n;
	if (groups->count + n <= old)
		bytes = 0;
	if (workspace && old > 0 &&
		((groups->kind == SLOT_HASH && !reserve_places(nest, n)) ||
		 !workspace_fits(nest, bytes * (double) capacity, n)))
	{
		groups->full = true;
		return false;
	}
	if (groups->count + n <= old)
		return true;
	if (capacity > INT32_MAX || (!workspace && !nest->returned && old > 0 &&
								 !nest_fits(nest->memory, bytes * (double) capacity)))
		return false;
	for (int i = 0; i < nest->description.noutput; i++)
		groups->keys[i] =
			grow_array(nest, groups->keys[i], groups->count, capacity, sizeof(int64_t));
	groups->tuples =
		grow_array(nest, groups->tuples, groups->count, capacity, sizeof(int64_t));
	memset(groups->tuples + groups->count, 0,
		   sizeof(int64_t) * (size_t) (capacity - groups->count));
	for (int a = 0; a < nest->description.naggregates; a++)
	{
		if (nest->aggregates[a].size > 0)
			groups->results[a] = grow_array(nest, groups->results[a], groups->count,
											capacity, nest->aggregates[a].size);
		if (nest->aggregates[a].tensors)
			groups->shapes[a] = grow_array(nest, groups->shapes[a], groups->count,
										   capacity, sizeof(int32_t));
	}
	groups->capacity = capacity;
	aggregates_clear(nest, groups->count, capacity);
	return true;
}

/* ---- passes ---- */

/* Returns the hash of a group's code that decides in which pass the group is. */
static inline uint32_t
pass_hash(uint64_t code)
{
	return (uint32_t) (code * UINT64_C(0xC2B2AE3D27D4EB4F) >> (64 - PASS_BITS));
}

int
groups_in_pass(const Nest *nest, int n, const int64_t *index, int32_t *which)
{
	const Groups *groups = &nest->groups;
	uint64_t outer = outer_code(nest);
	uint32_t width = groups->pass_to - groups->pass_from;
	int count = 0;

	for (int t = 0; t < n; t++)
	{
		uint64_t code =
			groups->vary ? code_add(groups, outer, groups->ninner - 1, index[t]) : outer;

		which[count] = t;
		count += pass_hash(code) - groups->pass_from < width;
	}
	return count;
}

/*
 * Advances the base of group numbers past count groups, so that the workspace ignores
 * their entries. Clears the workspace when the numbers would overflow.
 */
static void
advance_base(Nest *nest, int64_t count)
{
	Groups *groups = &nest->groups;

	groups->base += (uint32_t) count;
	if (groups->base <= INT32_MAX)
		return;
	groups->base = 1;
	if (groups->table)
		memset(groups->table, 0, sizeof(uint32_t) * (size_t) groups->table_size);
	if (groups->hash)
		memset(groups->hash, 0, sizeof(GroupEntry) * (size_t) groups->table_size);
}

bool
groups_divide(Nest *nest)
{
	Groups *groups = &nest->groups;
	int64_t partial = groups->count - groups->first;
	uint32_t least = nest->returned ? 1 : PASS_HASHES / MOST_FIRST_PASSES;

	if (!groups->full)
		return false;
	groups->full = false;
	/* no complete group can be returned to free memory: the pass has to be shorter */
	if (groups->first == 0)
	{
		if (nest->arena.lasting || groups->pass_width <= least)
			return false;
		groups->pass_width /= 2;
		groups->pass_to = groups->pass_from + groups->pass_width;
	}
	aggregates_clear(nest, groups->first, groups->count);
	for (int64_t slot = groups->first; slot < groups->count; slot++)
		nest->ntuples -= groups->tuples[slot];
	memset(groups->tuples + groups->first, 0, sizeof(int64_t) * (size_t) partial);
	groups->count = groups->first;
	advance_base(nest, partial);
	if (groups->first == 0)
		arena_clear(&nest->arena);
	return true;
}

bool
groups_next_pass(Nest *nest)
{
	Groups *groups = &nest->groups;

	if (groups->pass_to < PASS_HASHES)
	{
		groups->pass_from = groups->pass_to;
		groups->pass_to += groups->pass_width;
		return true;
	}
	groups_all_passes(groups);
	return false;
}

/* Adds a group, and sets its keys of the inner labels but the innermost loop's. */
static inline int64_t
new_group(Nest *nest)
{
	Groups *groups = &nest->groups;
	int64_t slot = groups->count++;

	for (int i = 0; i < groups->nouter; i++)
		groups->keys[groups->inner[i]][slot] =
			nest->values[nest->description.output[groups->inner[i]]];
	return slot;
}

/*
 * Returns the group of a place in the table; a new group if it has none of this prefix.
 */
static inline int64_t
table_group(Nest *nest, uint32_t *place)
{
	Groups *groups = &nest->groups;
	uint32_t number = *place - groups->base - (uint32_t) groups->first;
	int64_t slot;

	if (number < (uint32_t) (groups->count - groups->first))
		return groups->first + number;
	slot = new_group(nest);
	*place = groups->base + (uint32_t) slot;
	return slot;
}

/*
 * Does a group have as keys the current indices of the inner labels, and this index of
 * the innermost loop?
 */
static bool
same_keys(const Nest *nest, int64_t slot, int64_t index)
{
	const Groups *groups = &nest->groups;

	if (groups->nouter < groups->ninner &&
		groups->keys[groups->inner[groups->nouter]][slot] != index)
		return false;
	for (int i = 0; i < groups->nouter; i++)
		if (groups->keys[groups->inner[i]][slot] !=
			nest->values[nest->description.output[groups->inner[i]]])
			return false;
	return true;
}

/*
 * Returns the group with the current indices of the inner labels and this index of the
 * innermost loop, by the hash table; adds a group that is missing.
 */
static inline int64_t
hash_group(Nest *nest, uint64_t code, int64_t index)
{
	Groups *groups = &nest->groups;
	uint64_t mask = (uint64_t) groups->table_size - 1;

	for (uint64_t place = code_place(groups, code);; place = (place + 1) & mask)
	{
		GroupEntry *entry = &groups->hash[place];
		uint32_t number = entry->number - groups->base - (uint32_t) groups->first;
		int64_t slot = groups->first + number;

		if (number >= (uint32_t) (groups->count - groups->first))
		{
			slot = new_group(nest);
			if (groups->nouter < groups->ninner)
				groups->keys[groups->inner[groups->nouter]][slot] = index;
			*entry = (GroupEntry){(uint32_t) code, groups->base + (uint32_t) slot};
			return slot;
		}
		if (entry->code == (uint32_t) code &&
			(groups->numbered || same_keys(nest, slot, index)))
			return slot;
	}
}

/*
 * Returns the group of all tuples of a strip, where the innermost label does not vary it.
 */
static int64_t
one_group(Nest *nest)
{
	Groups *groups = &nest->groups;

	switch (groups->kind)
	{
		case SLOT_PREFIX:
			if (groups->current < 0)
				groups->current = new_group(nest);
			return groups->current;
		case SLOT_DENSE:
			return table_group(nest, &groups->table[outer_code(nest)]);
		case SLOT_HASH:
			return hash_group(nest, outer_code(nest), 0);
		default: /* SLOT_NEW */
			return new_group(nest);
	}
}

/* Finds the groups of the tuples of a strip by the table. */
static void
find_in_table(Nest *nest, int n, const int64_t *index, int32_t *slots)
{
	Groups *groups = &nest->groups;
	int last = groups->ninner - 1; /* the innermost label, whose stride is 1 */
	int64_t *keys = groups->keys[groups->inner[last]];
	uint32_t *table = groups->table + outer_code(nest);
	int64_t least = groups->least[last];

	for (int t = 0; t < n; t++)
	{
		int64_t slot = table_group(nest, &table[index[t] - least]);

		/* an existing group has the same key already */
		keys[slot] = index[t];
		slots[t] = (int32_t) slot;
	}
}

/* Prefetches what will be changed of the group at a place of the hash table. */
static inline void
prefetch_group(const Nest *nest, uint64_t place)
{
	const Groups *groups = &nest->groups;
	uint32_t number =
		groups->hash[place].number - groups->base - (uint32_t) groups->first;
	int64_t slot = groups->first + number;

	if (number >= (uint32_t) (groups->count - groups->first))
		return;
	__builtin_prefetch(&groups->tuples[slot], 1);
	for (int a = 0; a < nest->description.naggregates; a++)
		if (groups->results[a])
			__builtin_prefetch((char *) groups->results[a] +
								   nest->aggregates[a].size * (size_t) slot,
							   1);
}

/*
 * Finds the groups of a strip by the hash table. Its places, and then the groups there,
 * are prefetched for the whole strip, because with many groups memory access takes most
 * of the time.
 */
static void
find_in_hash(Nest *nest, int n, const int64_t *index, int32_t *slots)
{
	Groups *groups = &nest->groups;
	uint64_t outer = outer_code(nest);
	uint64_t codes[STRIP];

	for (int t = 0; t < n; t++)
	{
		codes[t] = code_add(groups, outer, groups->ninner - 1, index[t]);
		__builtin_prefetch(&groups->hash[code_place(groups, codes[t])]);
	}
	for (int t = 0; t < n; t++)
		prefetch_group(nest, code_place(groups, codes[t]));
	for (int t = 0; t < n; t++)
		slots[t] = (int32_t) hash_group(nest, codes[t], index[t]);
}

void
groups_find(Nest *nest, int n, const int64_t *index, int32_t *slots)
{
	Groups *groups = &nest->groups;
	bool vary = groups->vary;

	if (groups->kind != SLOT_NEW && !vary)
	{
		int32_t slot = (int32_t) one_group(nest);

		for (int t = 0; t < n; t++)
			slots[t] = slot;
		groups->tuples[slot] += n;
		return;
	}
	ASSUME(index != NULL || !vary);
	if (groups->kind == SLOT_NEW)
		for (int t = 0; t < n; t++)
		{
			slots[t] = (int32_t) new_group(nest);
			if (vary)
				groups->keys[groups->inner[groups->ninner - 1]][slots[t]] = index[t];
		}
	else if (groups->kind == SLOT_DENSE)
		find_in_table(nest, n, index, slots);
	else
		find_in_hash(nest, n, index, slots);
	for (int t = 0; t < n; t++)
		groups->tuples[slots[t]]++;
}

bool
groups_add_tuples(Nest *nest, int64_t n, int32_t *slot)
{
	if (!groups_reserve(nest, 1))
		return false;
	groups_find(nest, 1, NULL, slot);
	nest->groups.tuples[*slot] += n - 1;
	nest->ntuples += n;
	return true;
}

/*
 * Sets streaks[r] to where the r-th streak of streamed rows begins that have the same keys, one
 * behind the other, and streak_of[t] to the streak of row t. Returns how many streaks there are;
 * rows that come sorted have long ones.
 */
static int
find_streaks(const Nest *nest, int n, int64_t *const *index, int *restrict streaks,
			 int32_t *restrict streak_of)
{
	const Groups *groups = &nest->groups;
	bool begins[STRIP] = {true};
	int nstreaks = 0;

	for (int i = 0; i < groups->ninner; i++)
	{
		const int64_t *column = index[nest->description.output[groups->inner[i]]];

		for (int t = 1; t < n; t++)
			begins[t] |= column[t] != column[t - 1];
	}
	for (int t = 0; t < n; t++)
	{
		streaks[nstreaks] = t;
		nstreaks += begins[t];
		streak_of[t] = nstreaks - 1;
	}
	return nstreaks;
}

/* Compares the keys of a streamed row with those of a group: < 0, 0 or > 0. */
static inline int
compare_keys(const Nest *nest, int64_t *const *index, int row, int64_t slot)
{
	const Groups *groups = &nest->groups;

	for (int i = 0; i < groups->ninner; i++)
	{
		int64_t key = index[nest->description.output[groups->inner[i]]][row];
		int64_t other = groups->keys[groups->inner[i]][slot];

		if (key != other)
			return key < other ? -1 : 1;
	}
	return 0;
}

/*
 * Finds the groups of streaks as long as their keys ascend: each is the last group, or a new
 * one. Returns how many streaks have a group.
 */
static int
append_ascending(Nest *nest, int nstreaks, const int *streaks, int64_t *const *index,
				 int32_t *slots)
{
	Groups *groups = &nest->groups;
	const int64_t *column = index[nest->description.output[groups->inner[0]]];
	int64_t *keys = groups->keys[groups->inner[0]];
	int64_t count = groups->count;
	int r = 0;

	/* the first streak may be of the last group, all others have keys of their own */
	if (count > 0 && compare_keys(nest, index, streaks[0], count - 1) == 0)
		slots[r++] = (int32_t) (count - 1);
	for (; r < nstreaks; r++, count++)
	{
		if (groups->ninner == 1
				? count > 0 && column[streaks[r]] < keys[count - 1]
				: count > 0 && compare_keys(nest, index, streaks[r], count - 1) < 0)
			break;
		keys[count] = column[streaks[r]];
		for (int i = 1; i < groups->ninner; i++)
			groups->keys[groups->inner[i]][count] =
				index[nest->description.output[groups->inner[i]]][streaks[r]];
		slots[r] = (int32_t) count;
	}
	groups->count = count;
	return r;
}

/* Enters all groups of streamed rows into an empty table. */
static void
fill_table(Nest *nest)
{
	Groups *groups = &nest->groups;

	for (int64_t slot = 0; slot < groups->count; slot++)
	{
		uint64_t code = 0;

		for (int i = 0; i < groups->ninner; i++)
			code = code_add(groups, code, i, groups->keys[groups->inner[i]][slot]);
		groups->table[code] = groups->base + (uint32_t) slot;
	}
}

/*
 * Makes a table of the groups of streamed rows with one label, for keys from low to high
 * and those that it has; with places to spare, as further rows may have other keys. False
 * if it would be too large.
 */
static bool
widen_table(Nest *nest, int64_t low, int64_t high)
{
	Groups *groups = &nest->groups;
	int64_t size = groups->table ? groups->table_size : 0;
	int64_t least = size > 0 ? groups->least[0] : low;
	int64_t greatest = size > 0 ? least + (size - 1) : high;
	double most = fmax((double) nest->ntuples * DENSE_PLACES_PER_ROW, DENSE_PLACES);
	int64_t extent;

	greatest = high > greatest ? high : greatest;
	least = low < least ? low : least;
	/* keys can be too large for double precision, but the difference is small enough */
	if ((double) ((uint64_t) greatest - (uint64_t) least) + 1 > most)
		return false;
	extent = greatest - least + 1;
	if (extent < 2 * size && 2.0 * (double) size <= most)
		extent = 2 * size;
	/* the places to spare are on the side where the table was too short */
	if (low < groups->least[0] && greatest >= INT64_MIN + extent)
		least = greatest - extent + 1;
	else if (least <= INT64_MAX - extent)
		greatest = least + extent - 1;
	if (!workspace_fits(nest, sizeof(uint32_t) * (double) (greatest - least + 1), 0))
		return false;
	nest_release(nest->memory, groups->table);
	groups->table_size = greatest - least + 1;
	groups->table = nest_allocate_zeroed(nest->memory,
										 sizeof(uint32_t) * (size_t) groups->table_size);
	groups->kind = SLOT_DENSE;
	groups->numbered = groups->widens = true;
	groups->least[0] = least;
	groups->stride[0] = 1;
	fill_table(nest);
	return true;
}

/* Makes a hash table of the groups, with room for n more; false if it does not fit. */
static bool
begin_hash(Nest *nest, int n)
{
	Groups *groups = &nest->groups;

	nest_release(nest->memory, groups->table);
	groups->table = NULL;
	groups->kind = SLOT_HASH;
	groups->numbered = groups->widens = false;
	groups->table_size = 1 << FIRST_HASH_BITS;
	groups->hash_shift = 64 - FIRST_HASH_BITS;
	if (!workspace_fits(nest, sizeof(GroupEntry) * 4.0 * (double) (groups->count + n), 0))
		return false;
	grow_hash(nest, groups->count + n);
	return true;
}

/*
 * Makes the workspace find groups whose keys have ascended until now, with room for n
 * more. False if the memory limit does not allow it.
 */
static bool
end_ascending(Nest *nest, int n)
{
	Groups *groups = &nest->groups;
	const int64_t *keys = groups->keys[groups->inner[0]];

	groups->ascend = false;
	if (groups->kind == SLOT_DENSE)
		fill_table(nest);
	else if (groups->numbered || groups->ninner > 1 ||
			 !widen_table(nest, keys[0], keys[groups->count - 1]))
		return begin_hash(nest, n);
	return true;
}

/*
 * Makes the table wider if rows have other keys than it has places for, or a hash table
 * take its place. False if that does not fit in memory.
 */
static bool
widen_for_streaks(Nest *nest, int nstreaks, const int *streaks, const int64_t *keys)
{
	Groups *groups = &nest->groups;
	int64_t low = INT64_MAX;
	int64_t high = INT64_MIN;

	for (int r = 0; r < nstreaks; r++)
	{
		int64_t key = keys[streaks[r]];

		low = key < low ? key : low;
		high = key > high ? key : high;
	}
	if (low >= groups->least[0] &&
		(uint64_t) high - (uint64_t) groups->least[0] < (uint64_t) groups->table_size)
		return true;
	return widen_table(nest, low, high) || begin_hash(nest, nstreaks);
}

/* Finds the groups of streaks with one label by the table. */
static void
find_streaks_in_table(Nest *nest, int nstreaks, const int *streaks, const int64_t *keys,
					  int32_t *slots)
{
	Groups *groups = &nest->groups;
	int64_t *group_keys = groups->keys[groups->inner[0]];
	uint32_t *table = groups->table;
	int64_t least = groups->least[0];
	uint32_t base = groups->base;
	uint32_t count = (uint32_t) groups->count;

	for (int r = 0; r < nstreaks; r++)
	{
		int64_t key = keys[streaks[r]];
		uint32_t slot = table[key - least] - base;

		if (slot >= count)
		{
			slot = count++;
			group_keys[slot] = key;
			table[key - least] = base + slot;
		}
		slots[r] = (int32_t) slot;
	}
	groups->count = count;
}

/* Finds the groups of streaks by the workspace, after prefetching its places. */
static void
find_streaks_by_code(Nest *nest, int nstreaks, const int *streaks, int64_t *const *index,
					 int32_t *slots)
{
	Groups *groups = &nest->groups;
	uint64_t codes[STRIP] = {0}; /* by streak */

	if (groups->kind == SLOT_DENSE && groups->ninner == 1)
	{
		find_streaks_in_table(nest, nstreaks, streaks,
							  index[nest->description.output[groups->inner[0]]], slots);
		return;
	}
	for (int i = 0; i < groups->ninner; i++)
	{
		const int64_t *column = index[nest->description.output[groups->inner[i]]];

		for (int r = 0; r < nstreaks; r++)
			codes[r] = code_add(groups, codes[r], i, column[streaks[r]]);
	}
	for (int r = 0; groups->kind == SLOT_HASH && r < nstreaks; r++)
		__builtin_prefetch(&groups->hash[code_place(groups, codes[r])]);
	for (int r = 0; groups->kind == SLOT_HASH && r < nstreaks; r++)
		prefetch_group(nest, code_place(groups, codes[r]));
	for (int r = 0; r < nstreaks; r++)
	{
		for (int i = 0; i < groups->ninner; i++)
		{
			int label = nest->description.output[groups->inner[i]];

			nest->values[label] = index[label][streaks[r]];
		}
		slots[r] = (int32_t) (groups->kind == SLOT_DENSE
								  ? table_group(nest, &groups->table[codes[r]])
								  : hash_group(nest, codes[r], 0));
	}
}

/*
 * Finds the groups of streamed rows: at the end as long as their keys ascend, as those of
 * sorted rows do, then by the workspace. False if that does not fit in memory, or if keys
 * that were to ascend do not.
 */
static bool
find_rows(Nest *nest, int n, int64_t *const *index, int32_t *slots)
{
	Groups *groups = &nest->groups;
	int streaks[STRIP + 1];
	int32_t streak_of[STRIP];
	int32_t found[STRIP]; /* by streak */
	int nstreaks = find_streaks(nest, n, index, streaks, streak_of);
	int ascending = 0;

	streaks[nstreaks] = n;
	groups->nstreaks = nstreaks;
	if (groups->ascend)
		ascending = append_ascending(nest, nstreaks, streaks, index, found);
	if (ascending < nstreaks && groups->ascend &&
		(nest->stream.ordered || !end_ascending(nest, n)))
		return false;
	if (ascending < nstreaks && groups->widens &&
		!widen_for_streaks(nest, nstreaks - ascending, streaks + ascending,
						   index[nest->description.output[groups->inner[0]]]))
		return false;
	if (ascending < nstreaks)
		find_streaks_by_code(nest, nstreaks - ascending, streaks + ascending, index,
							 found + ascending);
	for (int r = 0; r < nstreaks; r++)
		groups->tuples[found[r]] += streaks[r + 1] - streaks[r];
	for (int t = 0; t < n; t++)
		slots[t] = found[streak_of[t]];
	return true;
}

bool
groups_find_rows(Nest *nest, int n, int64_t *const *index, int32_t *slots)
{
	Groups *groups = &nest->groups;

	if (groups->kind == SLOT_PREFIX)
	{
		groups_find(nest, n, NULL, slots);
		return true;
	}
	if (groups->kind != SLOT_NEW)
		return find_rows(nest, n, index, slots);
	for (int t = 0; t < n; t++)
		slots[t] = (int32_t) groups->count++;
	for (int i = 0; i < groups->ninner; i++)
	{
		int place = groups->inner[i];

		memcpy(groups->keys[place] + slots[0], index[nest->description.output[place]],
			   sizeof(int64_t) * (size_t) n);
	}
	for (int t = 0; t < n; t++)
		groups->tuples[slots[t]]++;
	return true;
}

void
groups_keep_last(Nest *nest)
{
	Groups *groups = &nest->groups;
	int64_t last = groups->count - 1;

	groups->rounded = false;
	if (last <= 0)
		return;
	for (int i = 0; i < nest->description.noutput; i++)
		groups->keys[i][0] = groups->keys[i][last];
	groups->tuples[0] = groups->tuples[last];
	for (int a = 0; a < nest->description.naggregates; a++)
		if (groups->results[a])
			memcpy(groups->results[a],
				   (char *) groups->results[a] + nest->aggregates[a].size * (size_t) last,
				   nest->aggregates[a].size);
	groups->count = 1;
	aggregates_clear(nest, 1, last + 1);
	memset(groups->tuples + 1, 0, sizeof(int64_t) * (size_t) last);
}

void
groups_close(Nest *nest)
{
	Groups *groups = &nest->groups;

	for (int i = 0; i < groups->prefix; i++)
	{
		int label = nest->loops[i].label;
		int64_t *keys = groups->keys[output_place(nest, label)];
		int64_t value = nest->values[label];

		for (int64_t slot = groups->first; slot < groups->count; slot++)
			keys[slot] = value;
	}
	groups->first = groups->count;
	groups->current = -1;
}

void
groups_find_complete(Nest *nest, int n, const int32_t *fibers, const int64_t *values,
					 const int64_t *index, int32_t *slots)
{
	Groups *groups = &nest->groups;
	int label = nest->loops[nest->nloops - 2].label;
	int64_t *keys = groups->keys[output_place(nest, label)];
	int64_t slot = groups->count - 1;

	for (int t = 0; t < n; t++)
	{
		slot += groups->kind == SLOT_NEW || t == 0 || fibers[t] != fibers[t - 1];
		slots[t] = (int32_t) slot;
		groups->tuples[slot]++;
	}
	groups->count = slot + 1;
	groups_close(nest);
	for (int t = 0; t < n; t++)
		keys[slots[t]] = values[fibers[t]];
	for (int t = 0; groups->vary && t < n; t++)
		groups->keys[groups->inner[groups->ninner - 1]][slots[t]] = index[t];
}

void
groups_clear(Nest *nest)
{
	Groups *groups = &nest->groups;

	aggregates_clear(nest, 0, groups->count);
	if (groups->count > 0)
		memset(groups->tuples, 0, sizeof(int64_t) * (size_t) groups->count);
	advance_base(nest, groups->count);
	groups->count = 0;
	groups->rounded = false;
	groups->first = 0;
	groups->current = -1;
}

void
groups_free(Nest *nest)
{
	Groups *groups = &nest->groups;

	for (int i = 0; i < nest->description.noutput; i++)
		nest_release(nest->memory, groups->keys[i]);
	for (int a = 0; a < nest->description.naggregates; a++)
	{
		nest_release(nest->memory, groups->results[a]);
		nest_release(nest->memory, groups->shapes[a]);
	}
	nest_release(nest->memory, groups->tuples);
	nest_release(nest->memory, groups->table);
	nest_release(nest->memory, groups->hash);
	memset(groups, 0, sizeof(*groups));
}
