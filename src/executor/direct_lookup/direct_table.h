/*-------------------------------------------------------------------------
 *
 * direct_table.h
 *	  A direct-address table: an array of pointers by integer key.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_DIRECT_TABLE_H
#define EXECUTOR_DIRECT_TABLE_H

#include "postgres.h"

#include "executor/integer_keys.h"

/* So many places need no rows to be worth it. */
#define PLACES_ANYHOW 65536

/* The entries of the keys from first on; NULL where there is none. */
typedef struct DirectTable
{
	int64 first;
	uint64 size;
	void **entries;
	MemoryContext memory;
} DirectTable;

/* Begins an empty table; what it had must have been freed with the memory. */
extern void direct_table_begin(DirectTable *table, MemoryContext memory);

/*
 * Makes the table have places for the keys from low to high, beside those it has.
 * False, and nothing changes, if it would have more than limit places. It grows by
 * half at least, as far as the limit lets it.
 */
extern bool direct_table_cover(DirectTable *table, int64 low, int64 high, uint64 limit);

/* The place of a key; NULL if the table has none for it. */
static inline void **
direct_table_place(const DirectTable *table, int64 key)
{
	/* below the first, the difference wraps around to more than any size */
	uint64 place = (uint64) key - (uint64) table->first;

	return place < table->size ? &table->entries[place] : NULL;
}

#endif
