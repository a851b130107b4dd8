/*-------------------------------------------------------------------------
 *
 * inner_rows.c
 *	  The inner side of a DirectJoin: its rows by key.
 *
 * Rows are deformed, and only columns that the join needs are kept: the fewer cache
 * lines they fill, the more of them stay in the caches beside the values that are
 * computed with.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/hashjoin.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#include "compat.h"
#include "executor/direct_lookup/inner_rows.h"

/* Further places of the array for each row, at most. */
#define PLACES_OF_ROW 16

/* What rows are allocated in. */
#define CHUNK_BYTES ((Size) 256 * 1024)

/* A row's key, which it does not keep, until the array is there. */
typedef struct KeyedRow
{
	InnerRow *row;
	int64 key;
} KeyedRow;

/* The rows that have been read, in their order. */
typedef struct ReadRows
{
	KeyedRow *rows;
	int64 count;
	int64 size;
	Size limit;
	int64 low; /* of the keys */
	int64 high;
} ReadRows;

/* Memory for a row, of aligned size, as long as the table; NULL if it is too much. */
static void *
allocate_row(InnerRows *rows, Size size, Size limit)
{
	void *row;

	if (size > rows->chunk_left)
	{
		Size chunk = Max(size, CHUNK_BYTES);

		if (rows->bytes + chunk > Max(limit, CHUNK_BYTES))
			return NULL;
		rows->chunk =
			MemoryContextAllocExtended(rows->table.memory, chunk, MCXT_ALLOC_HUGE);
		rows->chunk_left = chunk;
		rows->bytes += chunk;
	}
	row = rows->chunk;
	rows->chunk += size;
	rows->chunk_left -= size;
	return row;
}

/* The bytes that a value of a row is copied to, beyond its Datum. */
static Size
copied_bytes(const InnerRows *rows, Form_pg_attribute column, Datum value)
{
	if (column->attbyval || rows->stay)
		return 0;
	if (column->attlen == -1 &&
		VARATT_IS_EXTERNAL_EXPANDED((struct varlena *) DatumGetPointer(value)))
		return EOH_get_flat_size(DatumGetEOHP(value));
	/* as in a stored row: what is out of line stays there */
	return datumGetSize(value, false, column->attlen);
}

/* Copies a value of so many bytes to a place. */
static Datum
copy_value(Form_pg_attribute column, Datum value, char *place, Size bytes)
{
	if (bytes == 0)
		return value;
	if (column->attlen == -1 &&
		VARATT_IS_EXTERNAL_EXPANDED((struct varlena *) DatumGetPointer(value)))
		EOH_flatten_into(DatumGetEOHP(value), place, bytes);
	else
		memcpy(place, DatumGetPointer(value), bytes);
	return PointerGetDatum(place);
}

/* The bytes of a row without those that values point to. */
static Size
row_header(const InnerRows *rows)
{
	return MAXALIGN(offsetof(InnerRow, values) +
					rows->ncolumns * (sizeof(Datum) + sizeof(bool)));
}

/* A copy of a row; NULL if there is no memory for it. */
static InnerRow *
keep_row(InnerRows *rows, TupleTableSlot *slot, Size limit)
{
	int ncolumns = rows->ncolumns;
	Size header = row_header(rows);
	Size size = header;
	InnerRow *row;
	bool *nulls;
	char *place;

	slot_getallattrs(slot);
	for (int i = 0; i < ncolumns; i++)
	{
		int column = rows->columns[i] - 1;

		if (!slot->tts_isnull[column])
			size += MAXALIGN(copied_bytes(rows, TupleDescAttr(rows->descriptor, column),
										  slot->tts_values[column]));
	}
	row = allocate_row(rows, size, limit);
	if (row == NULL)
		return NULL;
	nulls = (bool *) (row->values + ncolumns);
	place = (char *) row + header;
	for (int i = 0; i < ncolumns; i++)
	{
		int column = rows->columns[i] - 1;
		Form_pg_attribute attribute = TupleDescAttr(rows->descriptor, column);
		Datum value = slot->tts_values[column];
		Size bytes;

		nulls[i] = slot->tts_isnull[column];
		row->values[i] = (Datum) 0;
		if (nulls[i])
			continue;
		bytes = copied_bytes(rows, attribute, value);
		row->values[i] = copy_value(attribute, value, place, bytes);
		place += MAXALIGN(bytes);
	}
	return row;
}

/* The most places that an array of so many rows should have. */
static uint64
places_worth(int64 nrows)
{
	return PLACES_ANYHOW + (uint64) nrows * PLACES_OF_ROW;
}

/* Makes the array, with the rows of each key in their order; false if it is too large. */
static bool
place_rows(InnerRows *rows, const ReadRows *read)
{
	Size left = read->limit - Min(rows->bytes, read->limit);
	uint64 places = Max(left / sizeof(void *), (uint64) PLACES_ANYHOW);

	if (read->count == 0)
		return true;
	places = Min(places, places_worth(read->count));
	if (!direct_table_cover(&rows->table, read->low, read->high, places))
		return false;
	for (int64 i = read->count - 1; i >= 0; i--)
	{
		InnerRow *row = read->rows[i].row;
		void **place = direct_table_place(&rows->table, read->rows[i].key);

		CHECK_FOR_INTERRUPTS();
		row->next = *place;
		*place = row;
	}
	rows->count = read->count;
	return true;
}

/* Begins to read rows, perhaps so many. */
static void
begin_reading(InnerRows *rows, ReadRows *read, int64 expected)
{
	read->limit = get_hash_memory_limit();
	read->count = 0;
	read->size = Max(expected, 1024);
	read->low = PG_INT64_MAX;
	read->high = PG_INT64_MIN;
	read->rows = MemoryContextAllocExtended(
		rows->table.memory, read->size * sizeof(KeyedRow), MCXT_ALLOC_HUGE);
}

/* Adds a row; false if there is no memory for it. */
static bool
add_row(InnerRows *rows, ReadRows *read, TupleTableSlot *slot)
{
	Size keys = (Size) read->size * sizeof(KeyedRow);
	bool isnull;
	Datum key = slot_getattr(slot, rows->key, &isnull);
	InnerRow *row;
	KeyedRow *keyed;

	/* equal to no key */
	if (isnull)
		return true;
	row = keep_row(rows, slot, read->limit - Min(read->limit, keys));
	if (row == NULL)
		return false;
	if (read->count == read->size)
	{
		read->size *= 2;
		read->rows = repalloc_huge(read->rows, read->size * sizeof(KeyedRow));
	}
	keyed = &read->rows[read->count++];
	keyed->row = row;
	keyed->key = integer_key(key, rows->key_type);
	read->low = Min(read->low, keyed->key);
	read->high = Max(read->high, keyed->key);
	return true;
}

/* Makes the array when all rows have been read, if they fit. */
static bool
end_reading(InnerRows *rows, ReadRows *read, bool fit)
{
	fit = fit && place_rows(rows, read);
	pfree(read->rows);
	return fit;
}

bool
inner_rows_read(InnerRows *rows, PlanState *node)
{
	ReadRows read;
	bool fit = true;

	rows->stay = false;
	begin_reading(rows, &read, 0);
	while (fit)
	{
		TupleTableSlot *slot = ExecProcNode(node);

		if (TupIsNull(slot))
			break;
		fit = add_row(rows, &read, slot);
	}
	return end_reading(rows, &read, fit);
}

bool
inner_rows_find(InnerRows *rows, HashJoinTable table, TupleTableSlot *slot)
{
	/* of all processes; more of them than there is memory for need not be looked at */
	double total = table->totalTuples;
	uint64 most_places = places_worth((int64) total);
	ReadRows read;
	bool fit = true;

	if (total * (row_header(rows) + sizeof(KeyedRow)) > get_hash_memory_limit())
		return false;
	rows->stay = true;
	begin_reading(rows, &read, (int64) total);
	for (int bucket = 0; fit && bucket < table->nbuckets; bucket++)
	{
		dsa_pointer place = dsa_pointer_atomic_read(&table->buckets.shared[bucket]);

		while (fit && DsaPointerIsValid(place))
		{
			HashJoinTuple tuple = dsa_get_address(table->area, place);

			CHECK_FOR_INTERRUPTS();
			ExecStoreMinimalTuple(HJTUPLE_MINTUPLE(tuple), slot, false);
			fit =
				add_row(rows, &read, slot) &&
				(read.count == 0 || (uint64) read.high - (uint64) read.low < most_places);
			place = tuple->next.shared;
		}
	}
	ExecClearTuple(slot);
	return end_reading(rows, &read, fit);
}

void
inner_rows_forget(InnerRows *rows)
{
	MemoryContext memory = rows->table.memory;

	MemoryContextReset(memory);
	direct_table_begin(&rows->table, memory);
	rows->count = 0;
	rows->bytes = 0;
	rows->chunk = NULL;
	rows->chunk_left = 0;
}
