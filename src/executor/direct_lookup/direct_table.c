/*-------------------------------------------------------------------------
 *
 * direct_table.c
 *	  A direct-address table: an array of pointers by integer key.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "executor/direct_lookup/direct_table.h"

void
direct_table_begin(DirectTable *table, MemoryContext memory)
{
	table->first = 0;
	table->size = 0;
	table->entries = NULL;
	table->memory = memory;
}

bool
direct_table_cover(DirectTable *table, int64 low, int64 high, uint64 limit)
{
	int64 first = low;
	int64 last = high;
	uint64 size;
	void **entries;

	limit = Min(limit, (uint64) MaxAllocHugeSize / sizeof(void *));
	if (table->size > 0)
	{
		first = Min(first, table->first);
		last = Max(last, table->first + (int64) (table->size - 1));
	}
	/* one less than the places that are needed */
	size = (uint64) last - (uint64) first;
	if (size >= limit)
		return false;
	size++;
	if (table->size > 0)
	{
		uint64 wanted = Min(Max(size, table->size + table->size / 2), limit);

		/* on the side where the new key is, more may follow */
		if (first < table->first)
			first -= (int64) Min(wanted - size, (uint64) first - (uint64) PG_INT64_MIN);
		/* no place is for a number that is no key */
		size = Min(wanted - 1, (uint64) PG_INT64_MAX - (uint64) first) + 1;
	}
	entries = MemoryContextAllocExtended(table->memory, size * sizeof(void *),
										 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (table->entries)
	{
		memcpy(entries + ((uint64) table->first - (uint64) first), table->entries,
			   table->size * sizeof(void *));
		pfree(table->entries);
	}
	table->entries = entries;
	table->first = first;
	table->size = size;
	return true;
}
