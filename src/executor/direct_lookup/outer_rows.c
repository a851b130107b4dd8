/*-------------------------------------------------------------------------
 *
 * outer_rows.c
 *	  The outer side of a DirectJoin: its rows and their matches.
 *
 * Keys come in random order. So the entry in the array and the inner row it points to are
 * two cache misses per row, which take longer than all other work on a short row: the
 * vectors that are computed with evict them from the nearer caches. Hence up to 64 outer
 * rows are prefetched, and the processor prefetches their array entries meanwhile, and
 * those of the groups that the joined rows belong to. The nodes below also run
 * faster many times in a row. What the entries point to is prefetched 4 rows before it is
 * needed, which covers an access to main memory. Prefetched together with the entries, it
 * had left the first cache again, and a convolution took 1.08 of the time.
 *
 * Only columns that the join needs are copied. Rows are prefetched only if all of these
 * are passed by value, since others would have to be copied too, and only if that cannot
 * raise an error that would not be raised otherwise (executor/prefetch.h).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"

#include "executor/direct_lookup/outer_rows.h"

/* The matches of so many rows are in flight. */
#define PREFETCH_DISTANCE 4

void
outer_rows_begin(OuterRows *rows, TupleDesc descriptor)
{
	rows->prefetches = true;
	rows->last = rows->key;
	for (int i = 0; i < rows->ncolumns; i++)
	{
		rows->prefetches &= TupleDescAttr(descriptor, rows->columns[i] - 1)->attbyval;
		rows->last = Max(rows->last, rows->columns[i]);
	}
	if (rows->prefetches)
	{
		rows->values = palloc(sizeof(Datum) * PREFETCH_MAXIMUM * Max(rows->ncolumns, 1));
		rows->nulls = palloc(sizeof(bool) * PREFETCH_MAXIMUM * Max(rows->ncolumns, 1));
	}
	outer_rows_rescan(rows);
}

void
outer_rows_rescan(OuterRows *rows)
{
	/* a reader that stops early has had few rows read in vain */
	rows->first = NULL;
	rows->wanted = 1;
	rows->count = 0;
	rows->next = 0;
	rows->finished = false;
}

/* The node's next row, or NULL. The node is not executed again after its last row. */
static TupleTableSlot *
next_slot(OuterRows *rows)
{
	TupleTableSlot *slot = rows->first;

	if (rows->finished)
		return NULL;
	rows->first = NULL;
	if (slot == NULL)
		slot = ExecProcNode(rows->node);
	rows->finished = TupIsNull(slot);
	return rows->finished ? NULL : slot;
}

bool
outer_rows_are_there(OuterRows *rows)
{
	rows->first = next_slot(rows);
	return rows->first != NULL;
}

void
outer_rows_begin_with(OuterRows *rows, TupleTableSlot *slot)
{
	rows->first = slot;
}

/* Where the rows of the other side are that a row is joined with, or NULL. */
static void **
place_of(const OuterRows *rows, TupleTableSlot *slot)
{
	bool isnull;
	Datum key = slot_getattr(slot, rows->key, &isnull);

	return isnull ? NULL
				  : direct_table_place(&rows->inner->table,
									   integer_key(key, rows->key_type));
}

/* Prefetches the array entry of the group that a joined row belongs to. */
static void **
prefetch_group_place(const OuterRows *rows, const Datum *values, const bool *nulls)
{
	void **place = NULL;

	if (rows->group_table && !nulls[rows->group_column])
		place = direct_table_place(
			rows->group_table, integer_key(values[rows->group_column], rows->group_type));
	__builtin_prefetch(place);
	return place;
}

/* Prefetches a row's match and its group. */
static void
prefetch_matches(const OuterRows *rows, int row)
{
	__builtin_prefetch(rows->matches[row]);
	__builtin_prefetch(rows->groups[row]);
}

static void
prefetch_rows(OuterRows *rows)
{
	int ncolumns = rows->ncolumns;
	void **places[PREFETCH_MAXIMUM];
	void **groups[PREFETCH_MAXIMUM];

	rows->next = 0;
	for (rows->count = 0; rows->count < Min(rows->wanted, rows->most); rows->count++)
	{
		TupleTableSlot *slot = next_slot(rows);
		Datum *values = rows->values + rows->count * ncolumns;
		bool *nulls = rows->nulls + rows->count * ncolumns;

		if (slot == NULL)
			break;
		slot_getsomeattrs(slot, rows->last);
		for (int i = 0; i < ncolumns; i++)
		{
			values[i] = slot->tts_values[rows->columns[i] - 1];
			nulls[i] = slot->tts_isnull[rows->columns[i] - 1];
		}
		places[rows->count] = place_of(rows, slot);
		__builtin_prefetch(places[rows->count]);
		groups[rows->count] = prefetch_group_place(rows, values, nulls);
	}
	for (int i = 0; i < rows->count; i++)
	{
		rows->matches[i] = places[i] ? *places[i] : NULL;
		rows->groups[i] = groups[i] ? *groups[i] : NULL;
		if (i < PREFETCH_DISTANCE)
			prefetch_matches(rows, i);
	}
	rows->wanted = Min(rows->wanted * 2, PREFETCH_MAXIMUM);
}

bool
outer_rows_next(OuterRows *rows)
{
	void **place;

	if (rows->prefetches)
	{
		if (rows->next == rows->count)
			prefetch_rows(rows);
		if (rows->next == rows->count)
			return false;
		if (rows->next + PREFETCH_DISTANCE < rows->count)
			prefetch_matches(rows, rows->next + PREFETCH_DISTANCE);
		rows->next++;
		return true;
	}
	rows->slot = next_slot(rows);
	if (rows->slot == NULL)
		return false;
	place = place_of(rows, rows->slot);
	rows->matches[0] = place ? *place : NULL;
	rows->next = 1;
	return true;
}
