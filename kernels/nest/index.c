/*-------------------------------------------------------------------------
 *
 * index.c
 *	  Builds the levels of an index from rows, and what locates indices in a level.
 *
 * Rows that ascend in the order of the levels, each key once, are copied to
 * levels directly; other rows are sorted first (sort.c).
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/nest/index.h"
#include "kernels/nest/sort.h"

/*
 * A level gets a table of all indices below each position if that has at most
 * TABLE_PLACES places for each position, or is small. Nanoseconds for each entry to look
 * up indices in random order by binary search, table and hash table, and to build the
 * last two (AMD EPYC, 2026-11, test/bench/nest.c):
 *
 *	 entries	  indices	search	table	made	hash	made
 *	  10,000	   80,000		69	  2.4	 2.8	10.0	 4.9
 *	  10,000	  640,000		69	  3.8	18.4	 9.8	 5.7
 *	 100,000	  800,000	   102	  3.5	 2.6	14.6	 5.5
 *	 100,000	6,400,000	   102	 19.4	 144	15.4	11.2
 */
#define TABLE_PLACES 8
#define TABLE_SMALL 4096

/*
 * A level other than the first gets a hash table if its fibers are longer than this on
 * average; shorter fibers are searched, or spread by callers that locate many indices in
 * one.
 */
#define HASH_FIBER 64

/*
 * The most bytes for each row while rows are sorted, and in addition to the levels of the
 * index while these are built.
 */
#define SORT_BYTES 16
#define BUILD_BYTES 9

/* Chunks double in size, so that a few thousand rows use three quarters of them. */
#define CHUNK_BYTES_PER_BYTE 1.33

void
index_free(NestMemory *memory, Index *index)
{
	if (--index->nusers > 0)
		return;
	for (int l = 0; l < index->nlevels; l++)
	{
		nest_release(memory, index->narrow_keys[l]);
		nest_release(memory, index->wide_keys[l]);
	}
	for (int l = 0; l <= index->nlevels; l++)
	{
		nest_release(memory, index->levels[l].start);
		nest_release(memory, index->levels[l].narrow);
		nest_release(memory, index->levels[l].wide);
		nest_release(memory, index->levels[l].last);
		nest_release(memory, index->levels[l].before);
		nest_release(memory, index->levels[l].table);
		nest_release(memory, index->levels[l].hash);
	}
	for (int v = 0; v < NEST_MAX_VALUES; v++)
	{
		nest_release(memory, index->values[v]);
		nest_release(memory, index->shapes[v]);
	}
	nest_release(memory, index);
}

/*
 * Sets differs[i] to the first level at which sorted row i differs from the row before,
 * nlevels if it differs at none; and counts[l] to the number of rows that differ at level
 * l or above. lowest[l] is the lowest bit of level l in a sort word.
 */
static void
find_first_differences(const Coordinates *coordinates, const SortedRows *sorted,
					   int nlevels, const uint8_t *key_of_level, const int *lowest,
					   uint8_t *differs, int64_t *counts)
{
	int64_t n = sorted->count;

	for (int l = 0; l <= nlevels; l++)
		counts[l] = 0;
	memset(differs, 0, (size_t) n);
	if (sorted->one_word)
	{
		/* lower levels have lower bits */
		for (int l = 0; l < nlevels; l++)
			for (int64_t i = 1; i < n; i++)
				differs[i] += lowest[l] > 63 ||
							  (sorted->items[i] ^ sorted->items[i - 1]) >> lowest[l] == 0;
	}
	else
		for (int64_t i = 1; i < n; i++)
		{
			int place;
			int place_before;
			const Chunk *chunk = chunk_of_row(coordinates, sorted_row(sorted, i), &place);
			const Chunk *before =
				chunk_of_row(coordinates, sorted_row(sorted, i - 1), &place_before);
			int level = 0;

			while (level < nlevels &&
				   chunk_key(chunk, key_of_level[level], place) ==
					   chunk_key(before, key_of_level[level], place_before))
				level++;
			differs[i] = (uint8_t) level;
		}
	for (int l = 0; l < nlevels; l++)
		for (int64_t i = 0; i < n; i++)
			counts[l] += differs[i] <= l;
}

/*
 * Returns a sorted row's index at the level of a key. lowest: the level's lowest bit in a
 * word.
 */
static inline int64_t
sorted_index(const Coordinates *coordinates, const SortedRows *sorted, int64_t item,
			 int key, int lowest, uint64_t mask)
{
	int place;
	const Chunk *chunk;

	if (sorted->one_word)
		return (int64_t) ((lowest > 63 ? 0 : sorted->items[item] >> lowest & mask) +
						  (uint64_t) coordinates->least[key]);
	chunk = chunk_of_row(coordinates, sorted_row(sorted, item), &place);
	return chunk_key(chunk, key, place);
}

/*
 * Each row writes its index, and where the fiber of the next parent would begin. The next
 * row overwrites an index that is not new: this takes no branch, which would be
 * mispredicted.
 */
#define FILL_LEVEL(to)                                                                   \
	for (int64_t i = 0; i < sorted->count; i++)                                          \
	{                                                                                    \
		(to)[count] = sorted_index(coordinates, sorted, i, key, lowest, mask);           \
		if (level->start)                                                                \
			level->start[parent] = (int32_t) count;                                      \
		parent += differs[i] < number;                                                   \
		count += differs[i] <= number;                                                   \
	}

/* Returns the bytes of each index at the level of a key. */
static size_t
index_size(const Coordinates *coordinates, int key)
{
	return coordinates->least[key] >= INT32_MIN && coordinates->greatest[key] <= INT32_MAX
			   ? sizeof(int32_t)
			   : sizeof(int64_t);
}

/*
 * Allocates the level of a key with total positions below parents positions of the level
 * above. FILL_LEVEL fills in the indices and the starts.
 */
static void
begin_level(const Coordinates *coordinates, int number, int key, int64_t parents,
			int64_t total, IndexLevel *level)
{
	NestMemory *memory = coordinates->memory;

	level->format = LEVEL_COMPRESSED;
	level->nparents = parents;
	level->count = total;
	if (total > 0)
	{
		uint64_t range =
			(uint64_t) coordinates->greatest[key] - (uint64_t) coordinates->least[key];

		level->least = coordinates->least[key];
		level->extent = range < INT64_MAX ? (int64_t) range + 1 : INT64_MAX;
	}
	if (number > 0)
		level->start = nest_allocate(memory, sizeof(int32_t) * (size_t) (parents + 2));
	if (index_size(coordinates, key) == sizeof(int32_t))
		level->narrow = nest_allocate(memory, sizeof(int32_t) * (size_t) (total + 1));
	else
		level->wide = nest_allocate(memory, sizeof(int64_t) * (size_t) (total + 1));
}

/*
 * Completes a filled level: sets the last start, and makes it dense if it has no holes.
 */
static void
finish_level(IndexLevel *level)
{
	if (level->start)
		level->start[level->nparents] = (int32_t) level->count;
	level->full =
		(double) level->nparents * (double) level->extent == (double) level->count;
	if (level->full && level->count > 0)
		level->format = LEVEL_DENSE;
}

/*
 * Fills one level: a position for each row that differs from the row before at that level
 * or above.
 */
static void
fill_level(const Coordinates *coordinates, const SortedRows *sorted,
		   const uint8_t *differs, int number, int key, int lowest, IndexLevel *level)
{
	uint64_t mask = sorted->bits[number] == 64
						? ~UINT64_C(0)
						: (UINT64_C(1) << sorted->bits[number]) - 1;
	int32_t *narrow = level->narrow;
	int64_t *wide = level->wide;
	int64_t count = 0;
	int64_t parent = 0;

	if (narrow)
		FILL_LEVEL(narrow)
	else
		FILL_LEVEL(wide)
}

/* Builds the level that has the rows of each key, where a key has several. */
static void
build_rows_level(NestMemory *memory, const SortedRows *sorted, const uint8_t *differs,
				 int nlevels, int64_t parents, IndexLevel *level)
{
	int64_t parent = -1;

	level->format = LEVEL_ROWS;
	level->nparents = parents;
	level->count = sorted->count;
	level->extent = INT64_MAX;
	level->start = nest_allocate(memory, sizeof(int32_t) * (size_t) (parents + 1));
	for (int64_t i = 0; i < sorted->count; i++)
		if (differs[i] < nlevels)
			level->start[++parent] = (int32_t) i;
	level->start[parents] = (int32_t) sorted->count;
}

#define GATHER_ROWS(type)                                                                \
	for (int64_t i = 0; i < sorted->count; i++)                                          \
	{                                                                                    \
		int place;                                                                       \
		const Chunk *chunk = chunk_of_row(coordinates, sorted_row(sorted, i), &place);   \
                                                                                         \
		((type *) to)[i] = ((const type *) chunk->values[column])[place];                \
	}

/* Returns a copy of a column of values in the order of the keys. */
static void *
sorted_values(const Coordinates *coordinates, const SortedRows *sorted, int column)
{
	size_t size = coordinates->sizes[column];
	void *to = nest_allocate(coordinates->memory, size * (size_t) (sorted->count + 1));

	if (size == sizeof(uint64_t))
		GATHER_ROWS(uint64_t)
	else if (size == sizeof(uint32_t))
		GATHER_ROWS(uint32_t)
	else
		GATHER_ROWS(double _Complex)
	return to;
}

/*
 * Returns the shape numbers of a column in the order of the keys; NULL if it has at most
 * one shape.
 */
static uint16_t *
sorted_shapes(const Coordinates *coordinates, const SortedRows *sorted, int column)
{
	uint16_t *to;

	if (coordinates->nshapes[column] <= 1)
		return NULL;
	to = nest_allocate(coordinates->memory,
					   sizeof(uint16_t) * (size_t) (sorted->count + 1));
	for (int64_t i = 0; i < sorted->count; i++)
	{
		int place;
		const Chunk *chunk = chunk_of_row(coordinates, sorted_row(sorted, i), &place);

		to[i] = chunk->shapes[column] ? chunk->shapes[column][place] : 0;
	}
	return to;
}

/*
 * Makes the last level one of runs, or notes that they overlap: sorted has the order of
 * its positions, NULL if rows have ascended.
 */
static void
build_runs(const Coordinates *coordinates, const SortedRows *sorted, Index *index)
{
	NestMemory *memory = coordinates->memory;
	IndexLevel *level = &index->levels[index->nlevels - 1];
	int64_t room = level->count + 1;
	int64_t parent = 0;

	level->last = nest_allocate(memory, sizeof(int64_t) * (size_t) room);
	level->before = nest_allocate(memory, sizeof(int64_t) * (size_t) room);
	level->before[0] = 0;
	for (int64_t p = 0; p < level->count; p++)
	{
		int place;
		const Chunk *chunk =
			chunk_of_row(coordinates, sorted ? sorted_row(sorted, p) : p, &place);
		double length;

		level->last[p] = chunk_key(chunk, coordinates->nkeys - 1, place);
		length = (double) level->last[p] - (double) level_index(level, p) + 1;
		level->before[p + 1] = length < (double) (INT64_MAX / 4 - level->before[p])
								   ? level->before[p] + (int64_t) length
								   : INT64_MAX / 4;
		while (p >= level_end(level, parent))
			parent++;
		if (p > level_begin(level, parent) && level_index(level, p) <= level->last[p - 1])
			index->overlaps = true;
	}
	if (level->format == LEVEL_COMPRESSED)
		level->format = LEVEL_RUNS;
}

/*
 * Is there memory for the index of some rows, beside what building it takes already?
 * counts[l]: the positions of level l.
 */
static bool
index_fits(const Coordinates *coordinates, int nlevels, const uint8_t *key_of_level,
		   const int64_t *counts, int64_t rows)
{
	double bytes = 0;

	for (int l = 0; l < nlevels; l++)
	{
		/* where the fibers of the next level, or the rows of a key, begin */
		bool starts = l < nlevels - 1 || counts[l] < rows;

		bytes += (double) counts[l] * (index_size(coordinates, key_of_level[l]) +
									   (starts ? sizeof(int32_t) : 0));
	}
	if (has_runs(coordinates))
		bytes += 2.0 * sizeof(int64_t) * (double) rows;
	for (int v = 0; v < coordinates->nvalues; v++)
		bytes += (double) rows * ((double) coordinates->sizes[v] +
								  (coordinates->nshapes[v] > 1 ? sizeof(uint16_t) : 0));
	return nest_fits(coordinates->memory, bytes);
}

/* Builds the index of rows in any order; false if it does not fit in memory. */
static bool
build_sorted(Coordinates *coordinates, int nlevels, const uint8_t *level_of_key,
			 const uint8_t *key_of_level, Index *index)
{
	NestMemory *memory = coordinates->memory;
	int lowest[NEST_MAX_KEYS];
	int64_t counts[NEST_MAX_KEYS + 1];
	SortedRows sorted;
	uint8_t *differs;
	int64_t parents = 1;
	int bit;

	sort_rows(coordinates, nlevels, level_of_key, key_of_level, &sorted);
	index->count = sorted.count;
	differs = nest_allocate(memory, (size_t) sorted.count + 1);
	bit = sorted.row_bits;
	for (int l = nlevels - 1; l >= 0; l--)
	{
		lowest[l] = bit;
		bit += sorted.bits[l];
	}
	find_first_differences(coordinates, &sorted, nlevels, key_of_level, lowest, differs,
						   counts);
	if (!index_fits(coordinates, nlevels, key_of_level, counts, sorted.count))
	{
		nest_release(memory, differs);
		nest_release(memory, sorted.items);
		return false;
	}
	for (int l = 0; l < nlevels; l++)
	{
		kernel_host.check_interrupts();
		begin_level(coordinates, l, key_of_level[l], parents, counts[l],
					&index->levels[l]);
		fill_level(coordinates, &sorted, differs, l, key_of_level[l], lowest[l],
				   &index->levels[l]);
		finish_level(&index->levels[l]);
		parents = counts[l];
	}
	index->repeated = parents != sorted.count;
	if (index->repeated && nlevels > 0)
		build_rows_level(memory, &sorted, differs, nlevels, parents,
						 &index->levels[nlevels]);
	else if (index->repeated)
		index->levels[0] = (IndexLevel){.format = LEVEL_ROWS,
										.nparents = 1,
										.count = sorted.count,
										.extent = INT64_MAX};
	index->overlaps = has_runs(coordinates) && index->repeated;
	if (has_runs(coordinates) && !index->repeated)
		build_runs(coordinates, &sorted, index);
	nest_release(memory, differs);
	for (int v = 0; v < coordinates->nvalues; v++)
	{
		index->values[v] = sorted_values(coordinates, &sorted, v);
		index->shapes[v] = sorted_shapes(coordinates, &sorted, v);
	}
	nest_release(memory, sorted.items);
	return true;
}

/* ---- rows that come in the order of the levels ---- */

/* Rows that compare_rows compares at a time. */
#define COMPARED_ROWS 4096

#define COMPARE_KEYS(keys)                                                               \
	for (int i = 0; i < n; i++)                                                          \
	{                                                                                    \
		uint8_t differ = (keys)[i + 1] != (keys)[i];                                     \
                                                                                         \
		ascends[i] = (uint8_t) ((keys)[i + 1] > (keys)[i]) | (ascends[i] & ~differ);     \
		differs[i] = differ ? level : differs[i];                                        \
	}

/*
 * Compares n rows of a chunk, beginning with row first + 1, with the row before each.
 * Sets differs to the first level at which they differ; false unless all rows ascend.
 */
static bool
compare_rows(const Chunk *chunk, int first, int n, int nlevels,
			 const uint8_t *key_of_level, uint8_t *restrict differs)
{
	uint8_t ascends[COMPARED_ROWS] = {0};
	uint8_t ascend = 1;

	for (uint8_t level = (uint8_t) nlevels; level-- > 0;)
	{
		int key = key_of_level[level];
		const int32_t *restrict narrow = chunk->keys[key];
		const int64_t *restrict wide = chunk->wide_keys[key];

		if (narrow)
			COMPARE_KEYS(narrow + first)
		else
			COMPARE_KEYS(wide + first)
	}
	for (int i = 0; i < n; i++)
		ascend &= ascends[i];
	return ascend;
}

/*
 * Does what compare_rows does for the first row of a chunk and the last of the chunk
 * before.
 */
static bool
compare_chunks(const Chunk *before, const Chunk *chunk, int nlevels,
			   const uint8_t *key_of_level, uint8_t *differs)
{
	for (int level = 0; level < nlevels; level++)
	{
		int64_t key = chunk_key(chunk, key_of_level[level], 0);
		int64_t last = chunk_key(before, key_of_level[level], before->count - 1);

		*differs = (uint8_t) level;
		if (key != last)
			return key > last;
	}
	return false;
}

/*
 * Finds the first level at which each row differs from the row before, and counts[l], the
 * rows that differ at level l or above. False if the rows do not ascend in the order of
 * the levels, which mostly shows after a few rows.
 */
static bool
find_ascending(const Coordinates *coordinates, int nlevels, const uint8_t *key_of_level,
			   uint8_t *differs, int64_t *counts)
{
	int64_t row = 0;

	for (int l = 0; l < nlevels; l++)
		counts[l] = 0;
	for (int c = 0; c < coordinates->nchunks; c++)
	{
		const Chunk *chunk = coordinates->chunks[c];

		if (chunk->count == 0)
			continue;
		kernel_host.check_interrupts();
		differs[row] = 0;
		if (c > 0 && !compare_chunks(coordinates->chunks[c - 1], chunk, nlevels,
									 key_of_level, &differs[row]))
			return false;
		for (int first = 0; first < chunk->count - 1; first += COMPARED_ROWS)
		{
			int n = chunk->count - 1 - first;

			if (n > COMPARED_ROWS)
				n = COMPARED_ROWS;
			if (!compare_rows(chunk, first, n, nlevels, key_of_level,
							  differs + row + first + 1))
				return false;
		}
		row += chunk->count;
	}
	for (int l = 0; l < nlevels - 1; l++)
		for (int64_t i = 0; i < row; i++)
			counts[l] += differs[i] <= l;
	counts[nlevels - 1] = row;
	return true;
}

/* Does what FILL_LEVEL does, for the rows of one chunk that ascend. */
#define FILL_ASCENDING(to, keys)                                                         \
	for (int i = 0; i < chunk->count; i++)                                               \
	{                                                                                    \
		(to)[count] = (keys)[i];                                                         \
		if (start)                                                                       \
			start[parent] = (int32_t) count;                                             \
		parent += new[i] < number;                                                       \
		count += new[i] <= number;                                                       \
	}

/* Fills a level other than the last from rows that ascend. */
static void
fill_ascending(const Coordinates *coordinates, const uint8_t *differs, int number,
			   int key, IndexLevel *level)
{
	const uint8_t *new = differs;
	int32_t *start = level->start;
	int32_t *narrow = level->narrow;
	int64_t *wide = level->wide;
	int64_t count = 0;
	int64_t parent = 0;

	for (int c = 0; c < coordinates->nchunks; c++)
	{
		const Chunk *chunk = coordinates->chunks[c];

		if (narrow)
			FILL_ASCENDING(narrow, chunk->keys[key])
		else if (chunk->keys[key])
			FILL_ASCENDING(wide, chunk->keys[key])
		else
			FILL_ASCENDING(wide, chunk->wide_keys[key])
		new += chunk->count;
	}
}

/* Does what fill_ascending does for the last level, in which each row has a position. */
static void
fill_last_ascending(const Coordinates *coordinates, const uint8_t *differs, int number,
					int key, IndexLevel *level)
{
	int32_t *start = level->start;
	int64_t parent = 0;
	int64_t row = 0;

	for (int c = 0; c < coordinates->nchunks; c++)
	{
		const Chunk *chunk = coordinates->chunks[c];
		const int32_t *keys = chunk->keys[key];

		if (level->narrow)
			memcpy(level->narrow + row, keys, sizeof(int32_t) * (size_t) chunk->count);
		else
			for (int i = 0; i < chunk->count; i++)
				level->wide[row + i] = chunk_key(chunk, key, i);
		row += chunk->count;
	}
	for (row = 0; start && row < level->count; row++)
	{
		start[parent] = (int32_t) row;
		parent += differs[row] < number;
	}
}

/*
 * Concatenates a column of all chunks: values, or shape numbers, which are 0 where a
 * chunk stores none.
 */
static void *
joined_columns(const Coordinates *coordinates, size_t size, int column, bool shapes)
{
	char *result =
		nest_allocate(coordinates->memory, size * (size_t) (coordinates->count + 1));
	char *to = result;

	for (int c = 0; c < coordinates->nchunks; c++)
	{
		const Chunk *chunk = coordinates->chunks[c];
		const void *from =
			shapes ? (const void *) chunk->shapes[column] : chunk->values[column];
		size_t bytes = size * (size_t) chunk->count;

		if (from)
			memcpy(to, from, bytes);
		else
			memset(to, 0, bytes);
		to += bytes;
	}
	return result;
}

/*
 * Builds the index of rows that ascend in the order of its levels. False, with nothing
 * built, if they do not ascend. *fits is false, with nothing built, if the index does not
 * fit in memory.
 */
static bool
build_ascending(Coordinates *coordinates, int nlevels, const uint8_t *key_of_level,
				Index *index, bool *fits)
{
	NestMemory *memory = coordinates->memory;
	uint8_t *differs = nest_allocate(memory, (size_t) coordinates->count + 1);
	int64_t counts[NEST_MAX_KEYS];
	int64_t parents = 1;

	if (!find_ascending(coordinates, nlevels, key_of_level, differs, counts))
	{
		nest_release(memory, differs);
		return false;
	}
	index->count = coordinates->count;
	*fits = index_fits(coordinates, nlevels, key_of_level, counts, coordinates->count);
	for (int l = 0; *fits && l < nlevels; l++)
	{
		kernel_host.check_interrupts();
		begin_level(coordinates, l, key_of_level[l], parents, counts[l],
					&index->levels[l]);
		(l < nlevels - 1 ? fill_ascending : fill_last_ascending)(
			coordinates, differs, l, key_of_level[l], &index->levels[l]);
		finish_level(&index->levels[l]);
		parents = counts[l];
	}
	nest_release(memory, differs);
	if (!*fits)
		return true;
	if (has_runs(coordinates))
		build_runs(coordinates, NULL, index);
	for (int v = 0; v < coordinates->nvalues; v++)
	{
		index->values[v] = joined_columns(coordinates, coordinates->sizes[v], v, false);
		if (coordinates->nshapes[v] > 1)
			index->shapes[v] = joined_columns(coordinates, sizeof(uint16_t), v, true);
	}
	return true;
}

/*
 * Can the index of an operand whose rows are runs have them in its last level? Their
 * label is that level's, and no other key's.
 */
static bool
runs_are_last(const Coordinates *coordinates, int nlevels, const uint8_t *level_of_key)
{
	return index_keys(coordinates) == nlevels &&
		   level_of_key[coordinates->run] == nlevels - 1;
}

/* Returns a new index; NULL if it does not fit in memory. */
static Index *
build_index(Coordinates *coordinates, int nlevels, const uint8_t *level_of_key)
{
	Index *index = nest_allocate_zeroed(coordinates->memory, sizeof(Index));
	uint8_t key_of_level[NEST_MAX_KEYS];
	bool fits = true;

	for (int k = index_keys(coordinates) - 1; k >= 0; k--)
		key_of_level[level_of_key[k]] = (uint8_t) k;
	index->nusers = 1;
	index->nlevels = nlevels;
	memcpy(index->level_of_key, level_of_key, (size_t) coordinates->nkeys);
	coordinates_find_bounds(coordinates);
	if (nlevels == 0 || nlevels < index_keys(coordinates) || coordinates->count == 0 ||
		!build_ascending(coordinates, nlevels, key_of_level, index, &fits))
		fits = build_sorted(coordinates, nlevels, level_of_key, key_of_level, index);
	if (fits)
		return index;
	index_free(coordinates->memory, index);
	return NULL;
}

double
coordinates_row_bytes(const Coordinates *coordinates, bool wide)
{
	double key = wide ? sizeof(int64_t) : sizeof(int32_t);
	double row = coordinates->nkeys * key;

	for (int v = 0; v < coordinates->nvalues; v++)
		row += (double) coordinates->sizes[v] +
			   (coordinates->nshapes[v] > 1 ? sizeof(uint16_t) : 0);
	return row * CHUNK_BYTES_PER_BYTE + row +
		   (double) sizeof(int32_t) * (coordinates->nkeys + 1) + BUILD_BYTES;
}

Index *
coordinates_index(Coordinates *coordinates, int nlevels, const uint8_t *level_of_key)
{
	Index *index;
	bool runs;

	for (index = coordinates->indexes; index; index = index->next)
		if (index->nlevels == nlevels &&
			memcmp(index->level_of_key, level_of_key, (size_t) coordinates->nkeys) == 0)
			return index;
	if (coordinates->released ||
		!nest_fits(coordinates->memory, SORT_BYTES * (double) coordinates->count))
		return NULL;
	runs = has_runs(coordinates);
	index = NULL;
	if (!runs || runs_are_last(coordinates, nlevels, level_of_key))
	{
		index = build_index(coordinates, nlevels, level_of_key);
		if (index == NULL)
			return NULL;
	}
	if (index == NULL || index->overlaps)
	{
		if (index)
			index_free(coordinates->memory, index);
		/* as rows of single indices, which take more memory */
		return coordinates_enumerate_runs(coordinates)
				   ? coordinates_index(coordinates, nlevels, level_of_key)
				   : NULL;
	}
	index->next = coordinates->indexes;
	coordinates->indexes = index;
	return index;
}

static void
make_table(NestMemory *memory, IndexLevel *level)
{
	int64_t places = level->nparents * level->extent;

	level->table = nest_allocate(memory, sizeof(int32_t) * (size_t) (places + 1));
	memset(level->table, 0xff, sizeof(int32_t) * (size_t) (places + 1));
	for (int64_t parent = 0; parent < level->nparents; parent++)
	{
		int32_t *table = level->table + parent * level->extent;

		for (int64_t p = level_begin(level, parent); p < level_end(level, parent); p++)
			table[level_index(level, p) - level->least] = (int32_t) p;
	}
	level->format = LEVEL_DENSE;
}

static void
make_hash(NestMemory *memory, IndexLevel *level)
{
	int bits = 4;
	uint64_t mask;

	while (INT64_C(1) << bits < 2 * level->count)
		bits++;
	mask = (UINT64_C(1) << bits) - 1;
	if (!nest_fits(memory, (double) sizeof(HashEntry) * (double) (mask + 1)))
		return;
	level->hash = nest_allocate(memory, sizeof(HashEntry) * (size_t) (mask + 1));
	memset(level->hash, 0xff, sizeof(HashEntry) * (size_t) (mask + 1));
	level->hash_shift = 64 - bits;
	for (int64_t parent = 0; parent < level->nparents; parent++)
		for (int64_t p = level_begin(level, parent); p < level_end(level, parent); p++)
		{
			int64_t i = level_index(level, p);
			uint64_t slot = hash_place(level, parent, i);

			while (level->hash[slot].position >= 0)
				slot = (slot + 1) & mask;
			level->hash[slot] = (HashEntry){(uint32_t) i, (int32_t) p};
		}
	level->format = LEVEL_HASH;
}

void
level_make_format(NestMemory *memory, IndexLevel *level, LevelFormat format)
{
	if (format == LEVEL_DENSE)
		make_table(memory, level);
	else if (format == LEVEL_HASH)
		make_hash(memory, level);
}

void
level_make_locator(NestMemory *memory, IndexLevel *level, bool hash)
{
	double places = (double) level->nparents * (double) level->extent;
	double bytes = sizeof(int32_t) * places;

	if (level->format != LEVEL_COMPRESSED)
		return;
	if ((places <= TABLE_SMALL || places <= TABLE_PLACES * (double) level->count) &&
		nest_fits(memory, bytes))
		make_table(memory, level);
	else if (hash && (level->nparents == 1 ||
					  (double) level->count > HASH_FIBER * (double) level->nparents))
		make_hash(memory, level);
}
