/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  Rows in memory that are changed one by one, and found by their keys.
 *
 * Keys and numbers are arrays without gaps, in no order: the last row takes the place of one
 * that is removed. A hash table has the places.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "executor/indexed_rows/indexed_rows.h"

#define FIRST_SIZE 256

/* A place in the arrays. */
typedef struct RowPlace
{
	int64 row;
	char status;
} RowPlace;

static uint32 hash_row(const IndexedRows *rows, int64 row);
static bool same_row(const IndexedRows *rows, int64 row, int64 other);

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

/* Those that are open, the last one first. */
static List *open_rows = NIL;

static uint32
hash_row(const IndexedRows *rows, int64 row)
{
	uint32 hash = 0;

	for (int k = 0; k < rows->nkeys; k++)
	{
		uint64 key = (uint64) rows->keys[row * rows->nkeys + k];

		hash = hash_combine(hash, murmurhash32((uint32) key));
		if (key >> 32)
			hash = hash_combine(hash, murmurhash32((uint32) (key >> 32)));
	}
	return hash;
}

static bool
same_row(const IndexedRows *rows, int64 row, int64 other)
{
	const int64 *left = &rows->keys[row * rows->nkeys];
	const int64 *right = &rows->keys[other * rows->nkeys];
	bool same = true;

	for (int k = 0; k < rows->nkeys; k++)
		same = same && left[k] == right[k];
	return same;
}

IndexedRows *
open_indexed_rows(const char *name, TupleDesc columns)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "indexed rows",
												 ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	IndexedRows *rows = palloc0(sizeof(IndexedRows));

	rows->memory = memory;
	rows->relation.md.name = pstrdup(name);
	rows->relation.md.reliddesc = InvalidOid;
	rows->relation.md.tupdesc = CreateTupleDescCopy(columns);
	rows->relation.md.enrtype = ENR_NAMED_TUPLESTORE;
	rows->relation.reldata = rows;
	rows->nkeys = columns->natts - 1;
	for (int k = 0; k < rows->nkeys; k++)
		rows->key_types[k] = TupleDescAttr(columns, k)->atttypid;
	rows->size = FIRST_SIZE;
	rows->keys = palloc(sizeof(int64) * rows->nkeys * rows->size);
	rows->values = palloc(sizeof(double) * rows->size);
	rows->index = row_index_create(memory, FIRST_SIZE, rows);
	MemoryContextSwitchTo(TopMemoryContext);
	open_rows = lcons(rows, open_rows);
	MemoryContextSwitchTo(old);
	return rows;
}

void
close_indexed_rows(IndexedRows *rows)
{
	open_rows = list_delete_ptr(open_rows, rows);
	MemoryContextDelete(rows->memory);
}

IndexedRows *
find_indexed_rows(const char *name)
{
	ListCell *lc;

	foreach (lc, open_rows)
	{
		IndexedRows *rows = lfirst(lc);

		if (strcmp(rows->relation.md.name, name) == 0)
			return rows;
	}
	return NULL;
}

/* Puts keys behind the last row, where they are looked for from. */
static int64
probe(IndexedRows *rows, const int64 *keys)
{
	if (rows->count == rows->size)
	{
		int64 size = rows->size * 2;

		rows->keys = repalloc_huge(rows->keys, sizeof(int64) * rows->nkeys * size);
		rows->values = repalloc_huge(rows->values, sizeof(double) * size);
		rows->size = size;
	}
	memcpy(&rows->keys[rows->count * rows->nkeys], keys, sizeof(int64) * rows->nkeys);
	return rows->count;
}

double *
find_indexed_row(IndexedRows *rows, const int64 *keys)
{
	const RowPlace *place = row_index_lookup(rows->index, probe(rows, keys));

	return place ? &rows->values[place->row] : NULL;
}

void
put_indexed_row(IndexedRows *rows, const int64 *keys, double value)
{
	bool found;
	RowPlace *place = row_index_insert(rows->index, probe(rows, keys), &found);

	rows->values[place->row] = value;
	if (!found)
		rows->relation.md.enrtuples = (double) ++rows->count;
}

void
remove_indexed_row(IndexedRows *rows, const int64 *keys)
{
	RowPlace *place = row_index_lookup(rows->index, probe(rows, keys));
	int64 row;
	int64 last;

	if (place == NULL)
		return;
	row = place->row;
	row_index_delete(rows->index, row);
	last = --rows->count;
	rows->relation.md.enrtuples = (double) last;
	if (row == last)
		return;
	/* its place is found by its keys before these move */
	place = row_index_lookup(rows->index, last);
	memcpy(&rows->keys[row * rows->nkeys], &rows->keys[last * rows->nkeys],
		   sizeof(int64) * rows->nkeys);
	rows->values[row] = rows->values[last];
	place->row = row;
}

double
indexed_rows_bytes(int nkeys, double rows)
{
	/* the hash table is up to twice as large as it was filled */
	return rows * (sizeof(int64) * nkeys + sizeof(double)) + 2 * rows * sizeof(RowPlace);
}
