/*-------------------------------------------------------------------------
 *
 * coordinates.c
 *	  Stores the rows of an operand by columns.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/nest/coordinates.h"
#include "kernels/nest/index.h"

/* Bytes before each block, which hold its size. */
#define BLOCK_HEADER 16

void *
nest_allocate(NestMemory *memory, size_t bytes)
{
	char *block = memory->allocate(memory->context, bytes + BLOCK_HEADER);

	memcpy(block, &bytes, sizeof(bytes));
	memory->used += bytes + BLOCK_HEADER;
	return block + BLOCK_HEADER;
}

void *
nest_allocate_zeroed(NestMemory *memory, size_t bytes)
{
	return memset(nest_allocate(memory, bytes), 0, bytes);
}

void
nest_release(NestMemory *memory, void *block)
{
	size_t bytes;

	if (block == NULL)
		return;
	block = (char *) block - BLOCK_HEADER;
	memcpy(&bytes, block, sizeof(bytes));
	memory->used -= bytes + BLOCK_HEADER;
	memory->release(memory->context, block);
}

Coordinates *
coordinates_new(NestMemory *memory, int nkeys, int nvalues, const NestValueType *values)
{
	Coordinates *coordinates = nest_allocate_zeroed(memory, sizeof(Coordinates));

	coordinates->memory = memory;
	coordinates->run = coordinates->ascending = -1;
	coordinates->nkeys = nkeys;
	coordinates->nvalues = nvalues;
	for (int v = 0; v < nvalues; v++)
	{
		coordinates->types[v] = values[v];
		coordinates->sizes[v] =
			values[v].tensors ? sizeof(void *) : element_size(values[v].type);
	}
	return coordinates;
}

Coordinates *
coordinates_new_streamed(NestMemory *memory, int nkeys, int nvalues,
						 const NestValueType *values)
{
	Coordinates *coordinates = coordinates_new(memory, nkeys, nvalues, values);

	coordinates->streamed = true;
	return coordinates;
}

void
coordinates_set_runs(Coordinates *coordinates, int key)
{
	coordinates->run = key;
}

void
coordinates_set_ascending(Coordinates *coordinates, int key)
{
	coordinates->ascending = key;
}

static bool
same_shape(const TensorView *a, const TensorView *b)
{
	return a->type == b->type && a->rank == b->rank &&
		   memcmp(a->bounds, b->bounds, sizeof(int64_t) * (size_t) a->rank) == 0;
}

int
coordinates_shape(Coordinates *coordinates, int column, const TensorView *shape)
{
	int count = coordinates->nshapes[column];
	TensorView *shapes = coordinates->shapes[column];

	if (count > 0 && same_shape(&shapes[coordinates->last_shape[column]], shape))
		return coordinates->last_shape[column];
	for (int s = 0; s < count; s++)
	{
		if (!same_shape(&shapes[s], shape))
			continue;
		coordinates->last_shape[column] = s;
		return s;
	}
	if (count > UINT16_MAX || (count > 0 && shapes[0].type != shape->type))
		return -1;
	if (count == coordinates->shape_capacity[column])
	{
		int capacity = count > 0 ? 2 * count : 1;

		coordinates->shapes[column] =
			nest_allocate(coordinates->memory, sizeof(TensorView) * (size_t) capacity);
		if (count > 0)
			memcpy(coordinates->shapes[column], shapes,
				   sizeof(TensorView) * (size_t) count);
		nest_release(coordinates->memory, shapes);
		coordinates->shape_capacity[column] = capacity;
	}
	view_contiguous(&coordinates->shapes[column][count], shape->type, shape->rank,
					shape->bounds, NULL);
	coordinates->types[column].type = shape->type;
	coordinates->last_shape[column] = count;
	coordinates->nshapes[column]++;
	return count;
}

int
coordinates_shape_count(const Coordinates *coordinates, int column)
{
	return coordinates->nshapes[column];
}

const TensorView *
coordinates_get_shape(const Coordinates *coordinates, int column, int shape)
{
	return &coordinates->shapes[column][shape];
}

/* Adds an empty chunk. False if the memory limit does not allow it. */
static bool
add_chunk(Coordinates *coordinates)
{
	NestMemory *memory = coordinates->memory;
	int n = coordinates->nchunks;
	int capacity = coordinates->streamed
					   ? NEST_STREAMED_ROWS
					   : CHUNK_FIRST_ROWS << (n < CHUNK_DOUBLINGS ? n : CHUNK_DOUBLINGS);
	size_t row = sizeof(int32_t) * (size_t) coordinates->nkeys;
	Chunk *chunk;

	for (int v = 0; v < coordinates->nvalues; v++)
		row += coordinates->sizes[v];
	if (!nest_fits(memory, (double) row * capacity + sizeof(Chunk)))
		return false;
	if (n == coordinates->chunk_capacity)
	{
		Chunk **chunks = coordinates->chunks;

		coordinates->chunk_capacity = n > 0 ? 2 * n : 8;
		coordinates->chunks =
			nest_allocate(memory, sizeof(Chunk *) * (size_t) coordinates->chunk_capacity);
		if (n > 0)
			memcpy(coordinates->chunks, chunks, sizeof(Chunk *) * (size_t) n);
		nest_release(memory, chunks);
	}
	chunk = nest_allocate_zeroed(memory, sizeof(Chunk));
	chunk->capacity = capacity;
	for (int k = 0; k < coordinates->nkeys; k++)
		chunk->keys[k] = nest_allocate(memory, sizeof(int32_t) * (size_t) capacity);
	for (int v = 0; v < coordinates->nvalues; v++)
		chunk->values[v] =
			nest_allocate(memory, coordinates->sizes[v] * (size_t) capacity);
	coordinates->chunks[coordinates->nchunks++] = chunk;
	return true;
}

/* Replaces a chunk's column of int32 keys by one of int64. */
static void
widen_keys(Coordinates *coordinates, Chunk *chunk, int column)
{
	NestMemory *memory = coordinates->memory;
	int32_t *narrow = chunk->keys[column];
	int64_t *wide = nest_allocate(memory, sizeof(int64_t) * (size_t) chunk->capacity);

	coordinates->wide = true;

	for (int i = 0; i < chunk->count; i++)
		wide[i] = narrow[i];
	chunk->wide_keys[column] = wide;
	chunk->keys[column] = NULL;
	nest_release(memory, narrow);
}

static inline void
put_key(Coordinates *coordinates, Chunk *chunk, int column, int64_t key)
{
	if (chunk->keys[column] && key == (int32_t) key)
	{
		chunk->keys[column][chunk->count] = (int32_t) key;
		return;
	}
	if (chunk->keys[column])
		widen_keys(coordinates, chunk, column);
	chunk->wide_keys[column][chunk->count] = key;
}

static inline void
put_value(Coordinates *coordinates, Chunk *chunk, int column, const NestValue *value)
{
	void *to = chunk->values[column];

	if (coordinates->types[column].tensors)
	{
		((const void **) to)[chunk->count] = value->tensor.elements;
		if (value->tensor.shape != 0 && chunk->shapes[column] == NULL)
			chunk->shapes[column] = nest_allocate_zeroed(
				coordinates->memory, sizeof(uint16_t) * (size_t) chunk->capacity);
		if (chunk->shapes[column])
			chunk->shapes[column][chunk->count] = (uint16_t) value->tensor.shape;
	}
	else if (coordinates->sizes[column] == sizeof(double))
		((double *) to)[chunk->count] = value->float8;
	else
		memcpy((char *) to + coordinates->sizes[column] * (size_t) chunk->count, value,
			   coordinates->sizes[column]);
}

/* Returns the chunk that takes the next row; NULL if there is no room for more rows. */
static inline Chunk *
next_chunk(Coordinates *coordinates)
{
	Chunk *chunk =
		coordinates->nchunks > 0 ? coordinates->chunks[coordinates->nchunks - 1] : NULL;

	if (coordinates->count >= NEST_MAX_ROWS || coordinates->base)
		return NULL;
	if (chunk && chunk->count < chunk->capacity)
		return chunk;
	if ((coordinates->streamed && chunk) || !add_chunk(coordinates))
		return NULL;
	return coordinates->chunks[coordinates->nchunks - 1];
}

bool
coordinates_append(Coordinates *coordinates, const int64_t *keys, const NestValue *values)
{
	Chunk *chunk = next_chunk(coordinates);

	if (chunk == NULL)
		return false;
	for (int k = 0; k < coordinates->nkeys; k++)
		put_key(coordinates, chunk, k, keys[k]);
	for (int v = 0; v < coordinates->nvalues; v++)
		put_value(coordinates, chunk, v, &values[v]);
	chunk->count++;
	coordinates->count++;
	return true;
}

void
coordinates_drop_rows(Coordinates *coordinates)
{
	if (coordinates->nchunks > 0)
		coordinates->chunks[0]->count = 0;
	coordinates->count = 0;
}

/* Appends n keys to a column of a chunk. */
static void
put_keys(Coordinates *coordinates, Chunk *chunk, int column, int64_t n,
		 const int64_t *keys)
{
	int64_t beyond = 0;
	int32_t *narrow;

	for (int64_t i = 0; i < n; i++)
		beyond |= keys[i] ^ (int32_t) keys[i];
	if (beyond && chunk->keys[column])
		widen_keys(coordinates, chunk, column);
	if (chunk->wide_keys[column])
	{
		memcpy(chunk->wide_keys[column] + chunk->count, keys,
			   sizeof(int64_t) * (size_t) n);
		return;
	}
	narrow = chunk->keys[column] + chunk->count;
	for (int64_t i = 0; i < n; i++)
		narrow[i] = (int32_t) keys[i];
}

int64_t
coordinates_append_columns(Coordinates *coordinates, int64_t n,
						   const int64_t *const *keys, const double *const *numbers)
{
	int64_t done = 0;

	while (done < n)
	{
		Chunk *chunk = next_chunk(coordinates);
		int64_t rows = n - done;

		if (chunk == NULL)
			break;
		if (rows > chunk->capacity - chunk->count)
			rows = chunk->capacity - chunk->count;
		if (rows > NEST_MAX_ROWS - coordinates->count)
			rows = NEST_MAX_ROWS - coordinates->count;
		for (int k = 0; k < coordinates->nkeys; k++)
			put_keys(coordinates, chunk, k, rows, keys[k] + done);
		for (int v = 0; v < coordinates->nvalues; v++)
			memcpy((double *) chunk->values[v] + chunk->count, numbers[v] + done,
				   sizeof(double) * (size_t) rows);
		chunk->count += (int) rows;
		coordinates->count += rows;
		done += rows;
	}
	return done;
}

void
coordinates_lend_columns(Coordinates *coordinates, int64_t n, const int64_t *const *keys,
						 const double *const *numbers)
{
	Chunk *chunk;

	if (coordinates->nchunks == 0)
	{
		coordinates->lent = true;
		if (coordinates->chunk_capacity == 0)
			coordinates->chunks = nest_allocate(coordinates->memory, sizeof(Chunk *));
		coordinates->chunks[0] = nest_allocate_zeroed(coordinates->memory, sizeof(Chunk));
		coordinates->nchunks = coordinates->chunk_capacity = 1;
	}
	chunk = coordinates->chunks[0];
	chunk->count = chunk->capacity = (int) n;
	coordinates->count = n;
	for (int k = 0; k < coordinates->nkeys; k++)
		chunk->wide_keys[k] = (int64_t *) keys[k];
	for (int v = 0; v < coordinates->nvalues; v++)
		chunk->values[v] = (double *) numbers[v];
}

bool
coordinates_are_wide(const Coordinates *coordinates)
{
	return coordinates->wide;
}

int64_t
coordinates_count(const Coordinates *coordinates)
{
	return coordinates->count;
}

int64_t
coordinates_read(const Coordinates *coordinates, int64_t first, int64_t n,
				 int64_t *const *keys, NestValue *const *values)
{
	if (n > coordinates->count - first)
		n = coordinates->count - first;
	for (int64_t i = 0; i < n; i++)
	{
		int place;
		const Chunk *chunk = chunk_of_row(coordinates, first + i, &place);

		for (int k = 0; k < coordinates->nkeys; k++)
			keys[k][i] = chunk_key(chunk, k, place);
		for (int v = 0; v < coordinates->nvalues; v++)
		{
			NestValue *value = &values[v][i];
			size_t size = coordinates->sizes[v];

			if (coordinates->types[v].tensors)
			{
				value->tensor.elements = ((const void **) chunk->values[v])[place];
				value->tensor.shape = chunk->shapes[v] ? chunk->shapes[v][place] : 0;
			}
			else
				memcpy(value, (char *) chunk->values[v] + size * (size_t) place, size);
		}
	}
	return n > 0 ? n : 0;
}

/* Gives a column the shapes of a column of other coordinates, with the same numbers. */
static void
copy_shapes(Coordinates *to, int column, const Coordinates *from, int from_column)
{
	size_t bytes = sizeof(TensorView) * (size_t) from->nshapes[from_column];

	if (bytes == 0)
		return;
	to->shapes[column] = nest_allocate(to->memory, bytes);
	memcpy(to->shapes[column], from->shapes[from_column], bytes);
	to->nshapes[column] = to->shape_capacity[column] = from->nshapes[from_column];
}

/* Makes the chunks of a selection, whose columns are those of the source. */
static void
select_chunks(Coordinates *to)
{
	const Coordinates *from = to->source;
	NestMemory *memory = to->memory;

	to->nchunks = to->chunk_capacity = from->nchunks;
	to->chunks = nest_allocate(memory, sizeof(Chunk *) * (size_t) (from->nchunks + 1));
	for (int c = 0; c < from->nchunks; c++)
	{
		const Chunk *source = from->chunks[c];
		Chunk *chunk = nest_allocate_zeroed(memory, sizeof(Chunk));

		chunk->count = source->count;
		chunk->capacity = source->capacity;
		for (int k = 0; k < to->nkeys; k++)
		{
			chunk->keys[k] = source->keys[to->source_keys[k]];
			chunk->wide_keys[k] = source->wide_keys[to->source_keys[k]];
		}
		for (int v = 0; v < to->nvalues; v++)
		{
			chunk->values[v] = source->values[to->source_values[v]];
			chunk->shapes[v] = source->shapes[to->source_values[v]];
		}
		to->chunks[c] = chunk;
	}
}

Coordinates *
coordinates_select(Coordinates *coordinates, int nkeys, const int *keys, int nvalues,
				   const int *values)
{
	NestMemory *memory = coordinates->memory;
	NestValueType types[NEST_MAX_VALUES] = {{0}};
	Coordinates *result;

	for (int v = 0; v < nvalues; v++)
		types[v] = coordinates->types[values[v]];
	result = coordinates_new(memory, nkeys, nvalues, types);
	result->source = coordinates;
	result->next_selection = coordinates->selections;
	coordinates->selections = result;
	result->count = coordinates->count;
	for (int k = 0; k < nkeys; k++)
		result->source_keys[k] = (uint8_t) keys[k];
	for (int v = 0; v < nvalues; v++)
	{
		result->source_values[v] = (uint8_t) values[v];
		copy_shapes(result, v, coordinates, values[v]);
	}
	select_chunks(result);
	return result;
}

void
coordinates_find_bounds(Coordinates *coordinates)
{
	if (coordinates->bounded == coordinates->count)
		return;
	for (int k = 0; k < coordinates->nkeys; k++)
	{
		int64_t least = INT64_MAX;
		int64_t greatest = INT64_MIN;

		for (int c = 0; c < coordinates->nchunks; c++)
		{
			const Chunk *chunk = coordinates->chunks[c];
			const int32_t *keys = chunk->keys[k];
			int32_t low = INT32_MAX;
			int32_t high = INT32_MIN;

			if (keys)
			{
				for (int i = 0; i < chunk->count; i++)
				{
					low = keys[i] < low ? keys[i] : low;
					high = keys[i] > high ? keys[i] : high;
				}
				least = low < least ? low : least;
				greatest = high > greatest ? high : greatest;
			}
			else
				for (int i = 0; i < chunk->count; i++)
				{
					int64_t key = chunk->wide_keys[k][i];

					least = key < least ? key : least;
					greatest = key > greatest ? key : greatest;
				}
		}
		coordinates->least[k] = least;
		coordinates->greatest[k] = greatest;
	}
	if (coordinates->run >= 0)
		coordinates->greatest[coordinates->run] =
			coordinates->greatest[coordinates->nkeys - 1];
	coordinates->bounded = coordinates->count;
}

double
coordinates_run_indices(const Coordinates *coordinates)
{
	double count = 0;

	for (int c = 0; c < coordinates->nchunks; c++)
	{
		const Chunk *chunk = coordinates->chunks[c];

		for (int i = 0; i < chunk->count; i++)
			count += (double) chunk_key(chunk, coordinates->nkeys - 1, i) -
					 (double) chunk_key(chunk, coordinates->run, i) + 1;
	}
	return count;
}

/* Frees the chunks; columns that are selected, lent or of an index belong to others. */
static void
free_chunks(Coordinates *coordinates)
{
	NestMemory *memory = coordinates->memory;
	bool own =
		coordinates->source == NULL && coordinates->base == NULL && !coordinates->lent;

	for (int c = 0; c < coordinates->nchunks; c++)
	{
		Chunk *chunk = coordinates->chunks[c];

		for (int k = 0; own && k < coordinates->nkeys; k++)
		{
			nest_release(memory, chunk->keys[k]);
			nest_release(memory, chunk->wide_keys[k]);
		}
		for (int v = 0; own && v < coordinates->nvalues; v++)
		{
			nest_release(memory, chunk->values[v]);
			nest_release(memory, chunk->shapes[v]);
		}
		nest_release(memory, chunk);
	}
	coordinates->nchunks = 0;
	if (coordinates->base)
		index_free(memory, coordinates->base);
	coordinates->base = NULL;
}

/* Appends a row for each index of a run; false if there is no room. */
static bool
append_run(Coordinates *to, int64_t *keys, const NestValue *values)
{
	int64_t *first = &keys[to->run];
	int64_t *last = &keys[to->nkeys - 1];
	int64_t end = *last;

	for (*last = *first;; *last = ++*first)
	{
		if (!coordinates_append(to, keys, values))
			return false;
		if (*first == end)
			return true;
	}
}

bool
coordinates_enumerate_runs(Coordinates *coordinates)
{
	NestMemory *memory = coordinates->memory;
	Coordinates to = *coordinates;
	double rows = coordinates_run_indices(coordinates);
	int64_t keys[NEST_MAX_KEYS];
	NestValue values[NEST_MAX_VALUES];
	int64_t *key_columns[NEST_MAX_KEYS];
	NestValue *value_columns[NEST_MAX_VALUES];
	bool fits = rows <= NEST_MAX_ROWS &&
				nest_fits(memory, rows * coordinates_row_bytes(coordinates, false));

	to.chunks = NULL;
	to.nchunks = to.chunk_capacity = 0;
	to.count = 0;
	for (int k = 0; k < NEST_MAX_KEYS; k++)
		key_columns[k] = &keys[k];
	for (int v = 0; v < NEST_MAX_VALUES; v++)
		value_columns[v] = &values[v];
	for (int64_t row = 0; fits && row < coordinates->count; row++)
	{
		coordinates_read(coordinates, row, 1, key_columns, value_columns);
		kernel_host.check_interrupts();
		fits = append_run(&to, keys, values);
	}
	free_chunks(fits ? coordinates : &to);
	nest_release(memory, fits ? coordinates->chunks : to.chunks);
	if (!fits)
		return false;
	*coordinates = to;
	coordinates->enumerated = true;
	coordinates->bounded = -1;
	for (int k = 0; k < coordinates->nkeys; k++)
		coordinates->counted[k] = -1;
	return true;
}

/* ---- rows in an index ---- */

/*
 * Returns the index that has all rows of coordinates, with all columns of those that they
 * are selected from; NULL without such an index.
 */
static Index *
index_of_rows(const Coordinates *coordinates)
{
	const Coordinates *source = coordinates->source;
	uint64_t keys = 0;
	uint64_t values = 0;

	if (coordinates->run >= 0 || coordinates->count == 0)
		return NULL;
	for (int k = 0; source && k < coordinates->nkeys; k++)
		keys |= UINT64_C(1) << coordinates->source_keys[k];
	for (int v = 0; source && v < coordinates->nvalues; v++)
		values |= UINT64_C(1) << coordinates->source_values[v];
	if (source && (keys + 1 != UINT64_C(1) << source->nkeys ||
				   values + 1 != UINT64_C(1) << source->nvalues))
		return NULL;
	for (Index *index = coordinates->indexes; index; index = index->next)
		/* rows off a diagonal are in none of fewer levels */
		if (index->nlevels > 0 && index->nlevels == coordinates->nkeys)
			return index;
	return NULL;
}

/* Stores the key of each row of an index at a level that has one for several rows. */
static void
spread_keys(NestMemory *memory, Index *index, int level)
{
	const IndexLevel *keys = &index->levels[level];
	int depth = index->nlevels + index->repeated;
	size_t size = keys->wide ? sizeof(int64_t) : sizeof(int32_t);
	void *column = nest_allocate(memory, size * (size_t) (index->count + 1));
	int64_t row = 0;

	for (int64_t p = 0; p < keys->count; p++)
	{
		int64_t key = level_index(keys, p);
		int64_t end = p + 1;

		for (int l = level + 1; l < depth; l++)
			end = level_begin(&index->levels[l], end);
		for (; row < end; row++)
			if (keys->wide)
				((int64_t *) column)[row] = key;
			else
				((int32_t *) column)[row] = (int32_t) key;
	}
	if (keys->wide)
		index->wide_keys[level] = column;
	else
		index->narrow_keys[level] = column;
}

/* Makes a chunk of an index's rows, from a row on, with the columns of coordinates. */
static Chunk *
chunk_of_index(const Coordinates *coordinates, const Index *index, int64_t first,
			   int count)
{
	Chunk *chunk = nest_allocate_zeroed(coordinates->memory, sizeof(Chunk));
	bool source = coordinates->source != NULL;

	chunk->count = chunk->capacity = count;
	for (int k = 0; k < coordinates->nkeys; k++)
	{
		int to = source ? coordinates->source_keys[k] : k;
		int l = index->level_of_key[k];
		const IndexLevel *level = &index->levels[l];
		bool last = l == index->nlevels - 1 && !index->repeated;

		if (level->wide)
			chunk->wide_keys[to] = (last ? level->wide : index->wide_keys[l]) + first;
		else
			chunk->keys[to] = (last ? level->narrow : index->narrow_keys[l]) + first;
	}
	for (int v = 0; v < coordinates->nvalues; v++)
	{
		int to = source ? coordinates->source_values[v] : v;

		chunk->values[to] =
			(char *) index->values[v] + coordinates->sizes[v] * (size_t) first;
		chunk->shapes[to] = index->shapes[v] ? index->shapes[v] + first : NULL;
	}
	return chunk;
}

bool
coordinates_move_rows(Coordinates *coordinates)
{
	Coordinates *source = coordinates->source ? coordinates->source : coordinates;
	NestMemory *memory = coordinates->memory;
	Index *index = index_of_rows(coordinates);
	int64_t row = 0;

	if (index == NULL || source->base || source->released || coordinates->released ||
		source->nstreams > 0)
		return false;
	coordinates_find_bounds(source);
	free_chunks(source);
	for (int l = 0; l < index->nlevels - 1 + index->repeated; l++)
		spread_keys(memory, index, l);
	source->base = index;
	index->nusers++;
	while (row < source->count)
	{
		int64_t room =
			(int64_t) CHUNK_FIRST_ROWS
			<< (source->nchunks < CHUNK_DOUBLINGS ? source->nchunks : CHUNK_DOUBLINGS);
		int64_t rest = source->count - row;
		int count = (int) (rest < room ? rest : room);

		source->chunks[source->nchunks++] =
			chunk_of_index(coordinates, index, row, count);
		row += count;
	}
	for (Coordinates *to = source->selections; to; to = to->next_selection)
	{
		free_chunks(to);
		nest_release(memory, to->chunks);
		select_chunks(to);
	}
	return true;
}

void
coordinates_note_stream(Coordinates *coordinates, bool begins)
{
	Coordinates *source = coordinates->source ? coordinates->source : coordinates;

	source->nstreams += begins ? 1 : -1;
}

void
coordinates_release_rows(Coordinates *coordinates)
{
	if (coordinates->count > 0)
		coordinates_find_bounds(coordinates);
	free_chunks(coordinates);
	coordinates->released = true;
}

void
coordinates_clear(Coordinates *coordinates)
{
	coordinates_release_rows(coordinates);
	while (coordinates->indexes)
	{
		Index *index = coordinates->indexes;

		coordinates->indexes = index->next;
		index_free(coordinates->memory, index);
	}
	coordinates->released = coordinates->enumerated = false;
	coordinates->count = coordinates->bounded = 0;
	for (int k = 0; k < coordinates->nkeys; k++)
		coordinates->counted[k] = -1;
}

void
coordinates_free(Coordinates *coordinates)
{
	NestMemory *memory = coordinates->memory;
	Coordinates **selection =
		coordinates->source ? &coordinates->source->selections : NULL;

	coordinates_clear(coordinates);
	while (selection && *selection != coordinates)
		selection = &(*selection)->next_selection;
	if (selection)
		*selection = coordinates->next_selection;
	for (int v = 0; v < coordinates->nvalues; v++)
		nest_release(memory, coordinates->shapes[v]);
	nest_release(memory, coordinates->chunks);
	nest_release(memory, coordinates);
}
