/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  Rows in memory, column by column, which may be changed one by one and found by
 *	  their keys.
 *
 * Keys and numbers are arrays without gaps, in no order: when a row is removed, the last
 * row takes its place. If there are few possible keys, an array has the position of the
 * row for each of them; otherwise a hash table has it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/hashfn.h"
#include "executor/executor.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/integer_keys.h"
#include "executor/memory_rows/memory_rows.h"

#define FIRST_SIZE 64

/* The part of the hash memory limit that an array of places may take at most. */
#define SHARE_OF_PLACES (1.0 / 4.0)

/* An entry of the hash index: a row, whose keys are in the arrays. */
typedef struct RowPlace
{
	int64 row;
	char status;
} RowPlace;

static uint32 hash_row(const MemoryRows *rows, int64 row);
static bool same_row(const MemoryRows *rows, int64 row, int64 other);

#define SH_PREFIX row_index
#define SH_ELEMENT_TYPE RowPlace
#define SH_KEY_TYPE int64
#define SH_KEY row
#define SH_HASH_KEY(table, key) hash_row((table)->private_data, key)
#define SH_EQUAL(table, a, b) same_row((table)->private_data, a, b)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* The rows that are open, those opened last first. */
static List *open_rows = NIL;

static uint32
hash_row(const MemoryRows *rows, int64 row)
{
	uint32 hash = 0;

	for (int k = 0; k < rows->nkeys; k++)
	{
		uint64 key = (uint64) rows->keys[k][row];

		hash = hash_combine(hash, murmurhash32((uint32) key));
		if (key >> 32)
			hash = hash_combine(hash, murmurhash32((uint32) (key >> 32)));
	}
	return hash;
}

static bool
same_row(const MemoryRows *rows, int64 row, int64 other)
{
	bool same = true;

	for (int k = 0; k < rows->nkeys; k++)
		same = same && rows->keys[k][row] == rows->keys[k][other];
	return same;
}

/* Opening and closing */

bool
fit_memory_rows(TupleDesc columns)
{
	int nkeys = columns->natts - 1;

	for (int k = 0; k < nkeys; k++)
	{
		if (!is_integer_type(TupleDescAttr(columns, k)->atttypid))
			return false;
	}
	return nkeys <= TENSOR_MAX_RANK &&
		   TupleDescAttr(columns, nkeys)->atttypid == FLOAT8OID;
}

/* Called when the memory context of rows is deleted: removes them from the open rows. */
static void
forget_rows(void *rows)
{
	open_rows = list_delete_ptr(open_rows, rows);
}

MemoryRows *
open_memory_rows(const char *name, TupleDesc columns, bool across)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "rows in memory",
												 ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	MemoryRows *rows = palloc0(sizeof(MemoryRows));

	rows->name = name;
	rows->memory = memory;
	rows->columns = CreateTupleDescCopy(columns);
	rows->across = across;
	rows->nkeys = columns->natts - 1;
	for (int k = 0; k < rows->nkeys; k++)
		rows->key_types[k] = TupleDescAttr(columns, k)->atttypid;
	MemoryContextSwitchTo(TopMemoryContext);
	open_rows = lcons(rows, open_rows);
	MemoryContextSwitchTo(old);
	rows->callback.func = forget_rows;
	rows->callback.arg = rows;
	MemoryContextRegisterResetCallback(memory, &rows->callback);
	return rows;
}

static void
end_store(MemoryRows *rows)
{
	Tuplestorestate *store = rows->store;

	rows->store = NULL;
	if (store)
		tuplestore_end(store);
}

void
close_memory_rows(MemoryRows *rows)
{
	end_store(rows);
	MemoryContextDelete(rows->memory);
}

MemoryRows *
find_memory_rows(const char *name)
{
	ListCell *lc;

	foreach (lc, open_rows)
	{
		MemoryRows *rows = lfirst(lc);

		if (strcmp(rows->name, name) == 0)
			return rows;
	}
	return NULL;
}

/* Adding rows */

static Size
row_bytes(int nkeys)
{
	return sizeof(int64) * nkeys + sizeof(double);
}

static void *
enlarge(const MemoryRows *rows, void *array, int64 size)
{
	return array ? repalloc_huge(array, sizeof(int64) * size)
				 : MemoryContextAllocHuge(rows->memory, sizeof(int64) * size);
}

/* Makes room for one more row. */
static void
make_room_in_arrays(MemoryRows *rows)
{
	int64 size = rows->size ? rows->size * 2 : FIRST_SIZE;

	if (rows->count < rows->size)
		return;
	for (int k = 0; k < rows->nkeys; k++)
		rows->keys[k] = enlarge(rows, rows->keys[k], size);
	rows->values = enlarge(rows, rows->values, size);
	rows->size = size;
}

void
clear_memory_rows(MemoryRows *rows)
{
	Assert(!rows_are_indexed(rows));
	end_store(rows);
	rows->count = 0;
	/* small arrays are kept, since rows will soon be added again */
	if (rows->size <= FIRST_SIZE * 64)
		return;
	for (int k = 0; k < rows->nkeys; k++)
		pfree(rows->keys[k]);
	pfree(rows->values);
	memset(rows->keys, 0, sizeof(rows->keys));
	rows->values = NULL;
	rows->size = 0;
}

static void
store_row(MemoryRows *rows, const int64 *keys, double value)
{
	Datum values[TENSOR_MAX_RANK + 1];
	bool nulls[TENSOR_MAX_RANK + 1] = {0};

	if (rows->store == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(rows->memory);

		rows->store = tuplestore_begin_heap(false, rows->across, work_mem);
		MemoryContextSwitchTo(old);
	}
	for (int k = 0; k < rows->nkeys; k++)
		values[k] = integer_datum(keys[k], rows->key_types[k]);
	values[rows->nkeys] = Float8GetDatum(value);
	tuplestore_putvalues(rows->store, rows->columns, values, nulls);
}

void
add_memory_row(MemoryRows *rows, const int64 *keys, double value)
{
	if (rows->count == rows->size &&
		(rows->store ||
		 (Size) rows->size * 2 * row_bytes(rows->nkeys) > (Size) work_mem * 1024))
	{
		store_row(rows, keys, value);
		return;
	}
	make_room_in_arrays(rows);
	for (int k = 0; k < rows->nkeys; k++)
		rows->keys[k][rows->count] = keys[k];
	rows->values[rows->count++] = value;
}

int64
count_memory_rows(const MemoryRows *rows)
{
	return rows->count + (rows->store ? tuplestore_tuple_count(rows->store) : 0);
}

/* Reading */

void
begin_row_reader(MemoryRowReader *reader, MemoryRows *rows)
{
	*reader =
		(MemoryRowReader){.rows = rows, .context = CurrentMemoryContext, .pointer = -1};
}

void
rewind_row_reader(MemoryRowReader *reader)
{
	reader->next = 0;
	if (reader->pointer < 0)
		return;
	tuplestore_select_read_pointer(reader->rows->store, reader->pointer);
	tuplestore_rescan(reader->rows->store);
}

static void
begin_reading_store(MemoryRowReader *reader)
{
	MemoryRows *rows = reader->rows;
	MemoryContext old = MemoryContextSwitchTo(reader->context);

	reader->pointer = tuplestore_alloc_read_pointer(rows->store, EXEC_FLAG_REWIND);
	tuplestore_select_read_pointer(rows->store, reader->pointer);
	tuplestore_rescan(rows->store);
	reader->slot = MakeSingleTupleTableSlot(rows->columns, &TTSOpsMinimalTuple);
	for (int k = 0; k < rows->nkeys; k++)
		reader->keys[k] = palloc(sizeof(int64) * MOST_COLUMN_ROWS);
	reader->values = palloc(sizeof(double) * MOST_COLUMN_ROWS);
	MemoryContextSwitchTo(old);
}

static void
read_store(MemoryRowReader *reader, ColumnRows *columns)
{
	const MemoryRows *rows = reader->rows;

	if (reader->pointer < 0)
		begin_reading_store(reader);
	tuplestore_select_read_pointer(rows->store, reader->pointer);
	while (columns->count < MOST_COLUMN_ROWS &&
		   tuplestore_gettupleslot(rows->store, true, false, reader->slot))
	{
		slot_getallattrs(reader->slot);
		for (int k = 0; k < rows->nkeys; k++)
			reader->keys[k][columns->count] =
				integer_key(reader->slot->tts_values[k], rows->key_types[k]);
		reader->values[columns->count++] =
			DatumGetFloat8(reader->slot->tts_values[rows->nkeys]);
	}
	for (int k = 0; k < rows->nkeys; k++)
		columns->keys[k] = reader->keys[k];
	columns->numbers[rows->nkeys] = reader->values;
}

bool
read_memory_rows(MemoryRowReader *reader, ColumnRows *columns)
{
	const MemoryRows *rows = reader->rows;

	CHECK_FOR_INTERRUPTS();
	columns->count = Min(rows->count - reader->next, MOST_COLUMN_ROWS);
	if (columns->count == 0 && rows->store)
		read_store(reader, columns);
	else
	{
		for (int k = 0; k < rows->nkeys; k++)
			columns->keys[k] = rows->keys[k] + reader->next;
		columns->numbers[rows->nkeys] = rows->values + reader->next;
		reader->next += columns->count;
	}
	return columns->count > 0;
}

void
end_row_reader(MemoryRowReader *reader)
{
	if (reader->slot)
		ExecDropSingleTupleTableSlot(reader->slot);
	reader->slot = NULL;
}

/* Indexed rows */

/* The number of possible keys if an array of places for them fits in memory; else 0. */
static double
count_places(int nkeys, const int64 *bounds)
{
	double count = 1.0;

	for (int k = 0; k < nkeys; k++)
		count *= bounds[k] < 0 ? INFINITY : (double) bounds[k];
	return count <= PG_INT32_MAX && count * sizeof(int32) <=
										(double) get_hash_memory_limit() * SHARE_OF_PLACES
			   ? count
			   : 0.0;
}

double
indexed_rows_bytes(int nkeys, const int64 *bounds, double rows)
{
	double places = count_places(nkeys, bounds);

	/* the hash table takes up to twice the memory of its entries */
	return rows * (double) row_bytes(nkeys) +
		   (places > 0.0 ? places * sizeof(int32) : 2 * rows * sizeof(RowPlace));
}

/* The place of a row's keys in the array; -1 if a key is outside its bound. */
static inline int64
place_in_array(const MemoryRows *rows, const int64 *keys)
{
	int64 place = 0;

	for (int k = 0; k < rows->nkeys; k++)
	{
		if (keys[k] < 0 || keys[k] >= rows->bounds[k])
			return -1;
		place += keys[k] * rows->strides[k];
	}
	return place;
}

/*
 * Copies keys behind the last row, where the hash index compares them as if they were a
 * row. There always is room, so that the arrays do not move while others read the rows.
 */
static int64
probe(MemoryRows *rows, const int64 *keys)
{
	Assert(rows->count < rows->size);
	for (int k = 0; k < rows->nkeys; k++)
		rows->keys[k][rows->count] = keys[k];
	return rows->count;
}

/* The number of the row with these keys, or -1. */
static inline int64
find_row(MemoryRows *rows, const int64 *keys)
{
	const RowPlace *found;

	if (rows->places)
	{
		int64 place = place_in_array(rows, keys);

		return place < 0 ? -1 : rows->places[place];
	}
	found = row_index_lookup(rows->index, probe(rows, keys));
	return found ? found->row : -1;
}

/*
 * Makes the index say that the row with these keys is at a position; -1: there is no such
 * row.
 */
static void
set_row(MemoryRows *rows, const int64 *keys, int64 row)
{
	int64 place;

	if (rows->places == NULL)
	{
		row_index_lookup(rows->index, probe(rows, keys))->row = row;
		return;
	}
	place = place_in_array(rows, keys);
	if (place < 0)
		elog(ERROR, "a key of \"%s\" is outside its bound", rows->name);
	rows->places[place] = (int32) row;
}

/* Adds the row that was just put behind the last one to the index, and counts it. */
static void
index_last_row(MemoryRows *rows, const int64 *keys)
{
	bool found;

	if (rows->places)
		set_row(rows, keys, rows->count);
	else
		(void) row_index_insert(rows->index, rows->count, &found);
	rows->count++;
	make_room_in_arrays(rows);
}

static void
get_keys(const MemoryRows *rows, int64 row, int64 *keys)
{
	for (int k = 0; k < rows->nkeys; k++)
		keys[k] = rows->keys[k][row];
}

void
index_memory_rows(MemoryRows *rows, const int64 *bounds)
{
	double places = count_places(rows->nkeys, bounds);
	int64 count = rows->count;

	Assert(rows->store == NULL);
	make_room_in_arrays(rows);
	if (places > 0.0)
	{
		int64 stride = 1;

		for (int k = rows->nkeys - 1; k >= 0; k--)
		{
			rows->bounds[k] = bounds[k];
			rows->strides[k] = stride;
			stride *= bounds[k];
		}
		rows->places =
			MemoryContextAllocHuge(rows->memory, sizeof(int32) * (Size) stride);
		memset(rows->places, -1, sizeof(int32) * (Size) stride);
	}
	else
		rows->index =
			row_index_create(rows->memory, (uint32) Max(count, FIRST_SIZE), rows);
	for (rows->count = 0; rows->count < count;)
	{
		int64 keys[TENSOR_MAX_RANK];

		if ((rows->count & 0xffff) == 0)
			CHECK_FOR_INTERRUPTS();
		get_keys(rows, rows->count, keys);
		index_last_row(rows, keys);
	}
}

void
drop_row_index(MemoryRows *rows)
{
	if (rows->places)
		pfree(rows->places);
	if (rows->index)
		row_index_destroy(rows->index);
	rows->places = NULL;
	rows->index = NULL;
}

double *
find_memory_row(MemoryRows *rows, const int64 *keys)
{
	int64 row = find_row(rows, keys);

	return row < 0 ? NULL : &rows->values[row];
}

void
put_memory_row(MemoryRows *rows, const int64 *keys, double value)
{
	int64 row = find_row(rows, keys);

	if (row >= 0)
	{
		rows->values[row] = value;
		return;
	}
	(void) probe(rows, keys);
	rows->values[rows->count] = value;
	index_last_row(rows, keys);
}

void
remove_memory_row(MemoryRows *rows, const int64 *keys)
{
	int64 row = find_row(rows, keys);
	int64 moved[TENSOR_MAX_RANK] = {0};
	int64 last;

	if (row < 0)
		return;
	if (rows->places)
		set_row(rows, keys, -1);
	else
		row_index_delete(rows->index, row);
	last = rows->count - 1;
	if (row != last)
	{
		/* the index finds the last row by its keys, so it is updated before they move */
		get_keys(rows, last, moved);
		set_row(rows, moved, row);
		for (int k = 0; k < rows->nkeys; k++)
			rows->keys[k][row] = moved[k];
		rows->values[row] = rows->values[last];
	}
	rows->count = last;
}
