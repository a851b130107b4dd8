/*-------------------------------------------------------------------------
 *
 * coordinates.h
 *	  How the rows of an operand are stored: columns of keys and values, in chunks.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_NEST_COORDINATES_H
#define KERNELS_NEST_COORDINATES_H

#include <string.h>

#include "kernels/nest/nest.h"

#define NEST_MAX_ROWS INT32_MAX

/* Allocates and frees blocks by the caller's allocator, and counts their bytes. */
extern void *nest_allocate(NestMemory *memory, size_t bytes);
extern void *nest_allocate_zeroed(NestMemory *memory, size_t bytes);
extern void nest_release(NestMemory *memory, void *block); /* NULL is nothing */

static inline bool
nest_fits(const NestMemory *memory, double bytes)
{
	return (double) memory->used + bytes <= (double) memory->limit;
}

/*
 * The first chunk has room for 64 rows, each further one for twice as many as the last,
 * up to 4,096: few rows take little memory, many leave little room unused, and rows are
 * never copied to a larger block.
 */
#define CHUNK_FIRST_ROWS 64
#define CHUNK_DOUBLINGS 6

typedef struct Chunk
{
	int count;
	int capacity;
	int32_t *keys[NEST_MAX_KEYS];      /* of a column whose keys fit so far */
	int64_t *wide_keys[NEST_MAX_KEYS]; /* else */
	void *values[NEST_MAX_VALUES];     /* numbers, or pointers */
	uint16_t *shapes[NEST_MAX_VALUES]; /* NULL: all are 0 */
} Chunk;

struct Coordinates
{
	NestMemory *memory;
	int nkeys;
	int nvalues;
	NestValueType types[NEST_MAX_VALUES];
	size_t sizes[NEST_MAX_VALUES]; /* of what a column holds */
	int64_t count;
	bool streamed; /* one chunk: its rows are dropped when they have been used */
	int ascending; /* the key column whose keys never descend, or -1 */
	Chunk **chunks;
	int nchunks;
	int chunk_capacity;
	bool lent;     /* columns are the caller's */
	bool wide;     /* a key needed eight bytes */
	bool released; /* the rows are gone */
	/* columns are selected from chunks of the source, which has a list of selections */
	Coordinates *source;
	Coordinates *selections;
	Coordinates *next_selection;
	uint8_t source_keys[NEST_MAX_KEYS];
	uint8_t source_values[NEST_MAX_VALUES];
	/* columns are those of this index, in its order: see coordinates_move_rows */
	struct Index *base;
	int nstreams; /* nests that stream the rows: these keep their order */
	/*
	 * The key column that has the first index of each row's run, whose last one is in the
	 * last column; -1: rows have single indices.
	 */
	int run;
	bool enumerated; /* the runs have become rows of single indices */
	TensorView *shapes[NEST_MAX_VALUES];
	int nshapes[NEST_MAX_VALUES];
	int shape_capacity[NEST_MAX_VALUES];
	int last_shape[NEST_MAX_VALUES];
	int64_t bounded; /* rows that least and greatest are of */
	int64_t least[NEST_MAX_KEYS];
	int64_t greatest[NEST_MAX_KEYS];
	int64_t counted[NEST_MAX_KEYS]; /* rows that distinct is of, of each column */
	double distinct[NEST_MAX_KEYS];
	struct Index *indexes; /* a list */
};

/* Returns the chunk of a row, and sets *place to the row's number in that chunk. */
static inline const Chunk *
chunk_of_row(const Coordinates *coordinates, int64_t row, int *place)
{
	int64_t doubled = row / CHUNK_FIRST_ROWS + 1;
	int chunk = 63 - __builtin_clzll((unsigned long long) doubled);

	if (chunk <= CHUNK_DOUBLINGS)
		*place = (int) (row - CHUNK_FIRST_ROWS * ((INT64_C(1) << chunk) - 1));
	else
	{
		int64_t most = (int64_t) CHUNK_FIRST_ROWS << CHUNK_DOUBLINGS;
		int64_t rest = row - CHUNK_FIRST_ROWS * ((INT64_C(1) << CHUNK_DOUBLINGS) - 1);

		chunk = CHUNK_DOUBLINGS + (int) (rest / most);
		*place = (int) (rest % most);
	}
	return coordinates->chunks[chunk];
}

static inline int64_t
chunk_key(const Chunk *chunk, int column, int place)
{
	return chunk->keys[column] ? chunk->keys[column][place]
							   : chunk->wide_keys[column][place];
}

/* Returns the number of key columns without the one that has the last index of runs. */
static inline int
index_keys(const Coordinates *coordinates)
{
	return coordinates->nkeys - (coordinates->run >= 0);
}

/* Are rows runs of indices, rather than single ones? */
static inline bool
has_runs(const Coordinates *coordinates)
{
	return coordinates->run >= 0 && !coordinates->enumerated;
}

/* Returns how many indices the runs of all rows have. */
extern double coordinates_run_indices(const Coordinates *coordinates);

/*
 * Replaces each row that is a run by rows of its single indices. False, with nothing
 * changed, if the memory limit does not allow it.
 */
extern bool coordinates_enumerate_runs(Coordinates *coordinates);

/*
 * Moves the rows into an index that has all of them: its columns of values and of the
 * innermost keys become columns of the rows, which then have the order of the index. So
 * there is room for another index. False, with nothing changed, if there is no such index,
 * or rows are selected in other columns or streamed.
 */
extern bool coordinates_move_rows(Coordinates *coordinates);

/* Notes that a nest begins, or ends, to stream the rows of coordinates. */
extern void coordinates_note_stream(Coordinates *coordinates, bool begins);

/* Drops the rows of streamed coordinates once they have been joined. */
extern void coordinates_drop_rows(Coordinates *coordinates);

/* Sets least and greatest of each key column; there must be at least one row. */
extern void coordinates_find_bounds(Coordinates *coordinates);

#endif
