/*-------------------------------------------------------------------------
 *
 * index.h
 *	  An index of an operand's rows: one level for each label, in the order of the
 *	  loops.
 *
 * A position of a level is an index value that occurs below a position of the
 * level above; the positions below one parent are the parent's fiber. Positions
 * are numbered in the order of the keys: the fiber of a parent is start[parent]
 * to start[parent + 1] - 1, and its indices are sorted. This is the compressed
 * format. To locate an index faster, a level may have a table of all indices or
 * a hash table in addition.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_NEST_INDEX_H
#define KERNELS_NEST_INDEX_H

#include "kernels/nest/coordinates.h"

/* An entry of a level's hash table: the position of an index; see hash_locate. */
typedef struct HashEntry
{
	uint32_t low;     /* bits of the index */
	int32_t position; /* -1: empty */
} HashEntry;

typedef struct IndexLevel
{
	LevelFormat format;
	int64_t nparents;
	int64_t count;   /* positions */
	int64_t least;   /* of all indices */
	int64_t extent;  /* greatest - least + 1; INT64_MAX if that is more */
	int32_t *start;  /* of nparents + 1; NULL: one fiber of all, or a range */
	int32_t *narrow; /* indices, if all fit */
	int64_t *wide;   /* else */
	/*
	 * LEVEL_RUNS: the last index of each position, whose index is the first one; and how
	 * many indices all positions before one have, of count + 1
	 */
	int64_t *last;
	int64_t *before;
	bool full;       /* LEVEL_DENSE without holes: position and index follow from each
					  * other */
	int32_t *table;  /* LEVEL_DENSE with holes: position or -1 */
	HashEntry *hash; /* LEVEL_HASH */
	int hash_shift;  /* 64 - log2 of its slots */
} IndexLevel;

typedef struct Index
{
	struct Index *next;
	/* the level of each key column; key columns with the same label share a level */
	int nlevels;
	uint8_t level_of_key[NEST_MAX_KEYS];
	int64_t count; /* rows */
	bool overlaps; /* runs do: the index is of no use */
	bool repeated; /* a key has several rows: levels[nlevels] is one of rows */
	int nusers;    /* lists of indexes, and coordinates whose rows are in it */
	IndexLevel levels[NEST_MAX_KEYS + 1];
	/* coordinates whose rows are in it: the keys of each row at levels that lack them */
	int32_t *narrow_keys[NEST_MAX_KEYS];
	int64_t *wide_keys[NEST_MAX_KEYS];
	void *values[NEST_MAX_VALUES];     /* in the order of the keys */
	uint16_t *shapes[NEST_MAX_VALUES]; /* NULL: all are 0 */
} Index;

/*
 * Returns the operand's index with these levels: an existing one, or a new one. NULL if
 * the memory limit does not allow a new one.
 */
extern Index *coordinates_index(Coordinates *coordinates, int nlevels,
								const uint8_t *level_of_key);

/*
 * Chooses the format by which indices of a level are located fast, and builds its table
 * or hash table. The level stays compressed if memory does not allow more, or if its
 * fibers are short enough to be searched. Without hash, no hash table is made: the caller
 * spreads long fibers.
 */
extern void level_make_locator(NestMemory *memory, IndexLevel *level, bool hash);

/* Gives a compressed level a table (dense) or a hash table, if memory allows it. */
extern void level_make_format(NestMemory *memory, IndexLevel *level, LevelFormat format);

/* Ends one use of an index, and frees it if that was the last one. */
extern void index_free(NestMemory *memory, Index *index);

static inline int64_t
level_index(const IndexLevel *level, int64_t position)
{
	if (level->narrow)
		return level->narrow[position];
	if (level->wide)
		return level->wide[position];
	return level->least + position;
}

static inline int64_t
level_begin(const IndexLevel *level, int64_t parent)
{
	return level->start ? level->start[parent] : 0;
}

static inline int64_t
level_end(const IndexLevel *level, int64_t parent)
{
	return level->start ? level->start[parent + 1] : level->count;
}

static inline uint64_t
hash_place(const IndexLevel *level, int64_t parent, int64_t index)
{
	uint64_t h = ((uint64_t) parent << 32 | (uint64_t) parent >> 32) ^ (uint64_t) index;

	return h * UINT64_C(0x9E3779B97F4A7C15) >> level->hash_shift;
}

/*
 * Returns the position of an index in the fiber begin .. end - 1 of a hashed level, or
 * -1.
 */
static inline int64_t
hash_locate(const IndexLevel *level, int64_t parent, int64_t begin, int64_t end,
			int64_t index)
{
	uint64_t slot = hash_place(level, parent, index);
	uint64_t mask = (UINT64_C(1) << (64 - level->hash_shift)) - 1;

	for (;; slot = (slot + 1) & mask)
	{
		HashEntry entry = level->hash[slot];

		if (entry.position < 0)
			return -1;
		if (entry.low == (uint32_t) index && entry.position >= begin &&
			entry.position < end && level_index(level, entry.position) == index)
			return entry.position;
	}
}

/*
 * Returns the first position in from .. end - 1 whose index, or whose last one of a level
 * of runs, is at least the given one, or end.
 */
static inline int64_t
search_level(const IndexLevel *level, bool runs, int64_t from, int64_t end, int64_t index)
{
	int64_t step = 1;
	int64_t low = from;
	int64_t high;

	while (low + step < end &&
		   (runs ? level->last[low + step] : level_index(level, low + step)) < index)
	{
		low += step;
		step *= 2;
	}
	high = low + step < end ? low + step : end;
	while (low < high)
	{
		int64_t middle = (low + high) / 2;

		if ((runs ? level->last[middle] : level_index(level, middle)) < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static inline int64_t
level_search(const IndexLevel *level, int64_t from, int64_t end, int64_t index)
{
	return search_level(level, false, from, end, index);
}

/* Does the same in a level of runs, where an index may also be before the position's. */
static inline int64_t
run_search(const IndexLevel *level, int64_t from, int64_t end, int64_t index)
{
	return search_level(level, true, from, end, index);
}

/*
 * Returns the greatest offset from the least index that a position of the level can have.
 */
static inline uint64_t
level_last_offset(const IndexLevel *level)
{
	return level->extent == INT64_MAX ? UINT64_MAX : (uint64_t) level->extent - 1;
}

/* Returns the position of an index in the fiber of a parent, or -1. */
static inline int64_t
level_locate(const IndexLevel *level, int64_t parent, int64_t index)
{
	uint64_t offset = (uint64_t) index - (uint64_t) level->least;
	int64_t begin;
	int64_t end;
	int64_t position;

	if (index < level->least || level->count == 0 || offset > level_last_offset(level))
		return -1;
	switch (level->format)
	{
		case LEVEL_RANGE:
			return 0; /* nothing is asked of it but that there is one */
		case LEVEL_DENSE:
			position = parent * level->extent + (int64_t) offset;
			return level->full ? position : level->table[position];
		case LEVEL_HASH:
			return hash_locate(level, parent, level_begin(level, parent),
							   level_end(level, parent), index);
		case LEVEL_RUNS:
			end = level_end(level, parent);
			position = run_search(level, level_begin(level, parent), end, index);
			return position < end && level_index(level, position) <= index ? position
																		   : -1;
		default:
			begin = level_begin(level, parent);
			end = level_end(level, parent);
			position = level_search(level, begin, end, index);
			return position < end && level_index(level, position) == index ? position
																		   : -1;
	}
}

#endif
