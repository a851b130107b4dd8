/*-------------------------------------------------------------------------
 *
 * index.c
 *	  Builds levels from sorted rows, and what locates an index in them.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/nest/index.h"
#include "kernels/nest/sort.h"

/*
 * A table of all indices below each position is made if it has at most this many
 * places for each position; a small one always. Nanoseconds to look up indices in
 * random order, and to make what locates them, for each entry (AMD EPYC, 2026-11,
 * test/bench/nest.c):
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
 * Levels below the first whose fibers are longer than this on average are hashed; shorter
 * ones are searched, or spread by callers that locate much in one.
 */
#define HASH_FIBER 64

/* Bytes for each row while it is sorted, and beside the index while that is built. */
#define SORT_BYTES 16
#define BUILD_BYTES 9

/* Chunks double, so that those of a few ten thousand rows are used by three quarters. */
#define CHUNK_BYTES_PER_BYTE 1.33

void
index_free(NestMemory *memory, Index *index)
{
	for (int l = 0; l <= index->nlevels; l++)
	{
		nest_release(memory, index->levels[l].start);
		nest_release(memory, index->levels[l].narrow);
		nest_release(memory, index->levels[l].wide);
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
 * The first level at which each sorted row differs from the one before: nlevels if
 * in none. lowest[l] is the lowest bit of level l in a word, counts[l] becomes how many
 * rows differ at l or above.
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

/* The index of a sorted row at a level of this key, whose lowest bit in a word is given. */
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
 * Every row writes its index, and where the fiber of the next parent would begin; what
 * is not new is written over: no branch, which would be mispredicted.
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

/*
 * Fills one level: a position for each row that differs from the one before at the
 * level or above, total of them. parents is how many positions the level above has.
 */
static void
build_level(const Coordinates *coordinates, const SortedRows *sorted,
			const uint8_t *differs, int number, int key, int lowest, int64_t parents,
			int64_t total, Level *level)
{
	NestMemory *memory = coordinates->memory;
	uint64_t mask = sorted->bits[number] == 64
						? ~UINT64_C(0)
						: (UINT64_C(1) << sorted->bits[number]) - 1;
	int64_t count = 0;
	int64_t parent = 0;

	level->format = LEVEL_COMPRESSED;
	level->nparents = parents;
	level->count = total;
	if (sorted->count > 0)
	{
		uint64_t range =
			(uint64_t) coordinates->greatest[key] - (uint64_t) coordinates->least[key];

		level->least = coordinates->least[key];
		level->extent = range < INT64_MAX ? (int64_t) range + 1 : INT64_MAX;
	}
	if (number > 0)
		level->start = nest_allocate(memory, sizeof(int32_t) * (size_t) (parents + 2));
	if (level->least >= INT32_MIN && coordinates->greatest[key] <= INT32_MAX)
	{
		int32_t *narrow = nest_allocate(memory, sizeof(int32_t) * (size_t) (total + 1));

		level->narrow = narrow;
		FILL_LEVEL(narrow)
	}
	else
	{
		int64_t *wide = nest_allocate(memory, sizeof(int64_t) * (size_t) (total + 1));

		level->wide = wide;
		FILL_LEVEL(wide)
	}
	if (level->start)
		level->start[parents] = (int32_t) total;
	level->full = (double) parents * (double) level->extent == (double) total;
	if (level->full && total > 0)
		level->format = LEVEL_DENSE;
}

/* The rows of each key. */
static void
build_rows_level(NestMemory *memory, const SortedRows *sorted, const uint8_t *differs,
				 int nlevels, int64_t parents, Level *level)
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

/* A column of values in the order of the keys. */
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

/* The numbers of their shapes; NULL if there is one. */
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

static Index *
build_index(Coordinates *coordinates, int nlevels, const uint8_t *level_of_key)
{
	NestMemory *memory = coordinates->memory;
	Index *index = nest_allocate_zeroed(memory, sizeof(Index));
	uint8_t key_of_level[NEST_MAX_KEYS];
	int lowest[NEST_MAX_KEYS];
	int64_t counts[NEST_MAX_KEYS + 1];
	SortedRows sorted;
	uint8_t *differs;
	int64_t parents = 1;
	int bit;

	for (int k = coordinates->nkeys - 1; k >= 0; k--)
		key_of_level[level_of_key[k]] = (uint8_t) k;
	sort_rows(coordinates, nlevels, level_of_key, key_of_level, &sorted);
	index->nlevels = nlevels;
	memcpy(index->level_of_key, level_of_key, (size_t) coordinates->nkeys);
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
	for (int l = 0; l < nlevels; l++)
	{
		kernel_host.check_interrupts();
		build_level(coordinates, &sorted, differs, l, key_of_level[l], lowest[l], parents,
					counts[l], &index->levels[l]);
		parents = counts[l];
	}
	index->repeated = parents != sorted.count;
	if (index->repeated && nlevels > 0)
		build_rows_level(memory, &sorted, differs, nlevels, parents,
						 &index->levels[nlevels]);
	else if (index->repeated)
		index->levels[0] = (Level){.format = LEVEL_ROWS,
								   .nparents = 1,
								   .count = sorted.count,
								   .extent = INT64_MAX};
	nest_release(memory, differs);
	for (int v = 0; v < coordinates->nvalues; v++)
	{
		index->values[v] = sorted_values(coordinates, &sorted, v);
		index->shapes[v] = sorted_shapes(coordinates, &sorted, v);
	}
	nest_release(memory, sorted.items);
	return index;
}

/* Bytes that an index may take while it is built. */
static double
most_index_bytes(Coordinates *coordinates, int nlevels, const uint8_t *level_of_key)
{
	/* where fibers begin, or the rows of a key */
	double row = BUILD_BYTES + (double) sizeof(int32_t) * nlevels;
	bool wide[NEST_MAX_KEYS] = {false};

	if (coordinates->count == 0)
		return 0;
	coordinates_find_bounds(coordinates);
	for (int k = 0; k < coordinates->nkeys; k++)
		if (coordinates->least[k] < INT32_MIN || coordinates->greatest[k] > INT32_MAX)
			wide[level_of_key[k]] = true;
	for (int l = 0; l < nlevels; l++)
		row += wide[l] ? sizeof(int64_t) : sizeof(int32_t);
	for (int v = 0; v < coordinates->nvalues; v++)
		row += (double) coordinates->sizes[v] +
			   (coordinates->nshapes[v] > 1 ? sizeof(uint16_t) : 0);
	return (row > SORT_BYTES ? row : SORT_BYTES) * (double) coordinates->count;
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

	for (index = coordinates->indexes; index; index = index->next)
		if (index->nlevels == nlevels &&
			memcmp(index->level_of_key, level_of_key, (size_t) coordinates->nkeys) == 0)
			return index;
	if (coordinates->released ||
		!nest_fits(coordinates->memory,
				   most_index_bytes(coordinates, nlevels, level_of_key)))
		return NULL;
	index = build_index(coordinates, nlevels, level_of_key);
	index->next = coordinates->indexes;
	coordinates->indexes = index;
	return index;
}

static void
make_table(NestMemory *memory, Level *level)
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
make_hash(NestMemory *memory, Level *level)
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
level_make_format(NestMemory *memory, Level *level, LevelFormat format)
{
	if (format == LEVEL_DENSE)
		make_table(memory, level);
	else if (format == LEVEL_HASH)
		make_hash(memory, level);
}

void
level_make_locator(NestMemory *memory, Level *level, bool hash)
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
