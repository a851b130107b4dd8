/*-------------------------------------------------------------------------
 *
 * entry_sorter.c
 *	  Sorting index vectors, within a memory limit.
 *
 * Where the product of the ranges allows, a vector is packed into one int8,
 * which sorts about four times faster than a tuple; all else is a tuple sort.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"

#include "catalog/entry_sorter.h"
#include "compat.h"

/* Products of ranges up to this limit are exact in a double, and fit an int8. */
#define PACKED_LIMIT 9.0e18

struct EntrySorter
{
	int width;
	bool packed;
	int64 low[TENSOR_MAX_RANK];
	int64 count[TENSOR_MAX_RANK];
	Tuplesortstate *sort;
	TupleTableSlot *put_slot; /* if not packed */
	TupleTableSlot *get_slot;
};

static void
begin_tuples(EntrySorter *sorter, int memory)
{
	TupleDesc desc = CreateTemplateTupleDesc(sorter->width);
	AttrNumber columns[TENSOR_MAX_RANK];
	Oid operators[TENSOR_MAX_RANK];
	Oid collations[TENSOR_MAX_RANK];
	bool nulls_first[TENSOR_MAX_RANK];
	int i;

	for (i = 0; i < sorter->width; i++)
	{
		TupleDescInitEntry(desc, i + 1, NULL, INT8OID, -1, 0);
		columns[i] = i + 1;
		operators[i] = Int8LessOperator;
		collations[i] = InvalidOid;
		nulls_first[i] = false;
	}
	TupleDescFinalize(desc);
	sorter->put_slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	sorter->get_slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	sorter->sort =
		tuplesort_begin_heap(desc, sorter->width, columns, operators, collations,
							 nulls_first, memory, NULL, TUPLESORT_RANDOMACCESS);
}

EntrySorter *
sorter_begin(int width, const IndexRange *ranges, int memory)
{
	EntrySorter *sorter = palloc0(sizeof(EntrySorter));
	double product = 1;
	int i;

	sorter->width = width;
	for (i = 0; i < width; i++)
		product *= Max(ranges[i].count, 1);
	sorter->packed = product <= PACKED_LIMIT;
	if (!sorter->packed)
	{
		begin_tuples(sorter, memory);
		return sorter;
	}
	for (i = 0; i < width; i++)
	{
		sorter->low[i] = ranges[i].low;
		sorter->count[i] = (int64) Max(ranges[i].count, 1);
	}
	sorter->sort = tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false,
										 memory, NULL, TUPLESORT_RANDOMACCESS);
	return sorter;
}

void
sorter_put(EntrySorter *sorter, const int64 *indices)
{
	int i;

	if (sorter->packed)
	{
		int64 code = 0;

		for (i = 0; i < sorter->width; i++)
			code = code * sorter->count[i] + (indices[i] - sorter->low[i]);
		tuplesort_putdatum(sorter->sort, Int64GetDatum(code), false);
		return;
	}
	ExecClearTuple(sorter->put_slot);
	for (i = 0; i < sorter->width; i++)
	{
		sorter->put_slot->tts_values[i] = Int64GetDatum(indices[i]);
		sorter->put_slot->tts_isnull[i] = false;
	}
	ExecStoreVirtualTuple(sorter->put_slot);
	tuplesort_puttupleslot(sorter->sort, sorter->put_slot);
}

void
sorter_sort(EntrySorter *sorter)
{
	tuplesort_performsort(sorter->sort);
}

bool
sorter_get(EntrySorter *sorter, int64 *indices)
{
	int i;

	if (sorter->packed)
	{
		Datum datum;
		bool isnull;
		int64 code;

		if (!tuplesort_getdatum(sorter->sort, true, false, &datum, &isnull, NULL))
			return false;
		code = DatumGetInt64(datum);
		for (i = sorter->width - 1; i > 0; i--)
		{
			indices[i] = sorter->low[i] + code % sorter->count[i];
			code /= sorter->count[i];
		}
		indices[0] = sorter->low[0] + code;
		return true;
	}
	if (!tuplesort_gettupleslot(sorter->sort, true, false, sorter->get_slot, NULL))
		return false;
	slot_getallattrs(sorter->get_slot);
	for (i = 0; i < sorter->width; i++)
		indices[i] = DatumGetInt64(sorter->get_slot->tts_values[i]);
	return true;
}

void
sorter_rescan(EntrySorter *sorter)
{
	tuplesort_rescan(sorter->sort);
}

void
sorter_end(EntrySorter *sorter)
{
	tuplesort_end(sorter->sort);
	if (sorter->put_slot != NULL)
	{
		ExecDropSingleTupleTableSlot(sorter->put_slot);
		ExecDropSingleTupleTableSlot(sorter->get_slot);
	}
	pfree(sorter);
}
