/*-------------------------------------------------------------------------
 *
 * row_values.c
 *	  Rows that processes share, with the values of tensors apart from them.
 *
 * What keeps such a row, a hash table for instance, would keep its vectors; and kernels that
 * add vectors up take references to many and run once, if these stay where they are. So
 * a vector lies beside the rows, where the others find it by a reference in the row. The
 * reader makes a pointer of that.
 *
 * A vector that is stored is fetched by each process that adds it up: of a product of an
 * adjacency with features that is nearly each vector by all, a quarter of their time. So it
 * may be fetched here, by one of them for all. Values that were stored one after the other are
 * read together (type/toast_read.h).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "executor/executor.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "compat.h"
#include "executor/all_gather/row_values.h"
#include "type/kept_values.h"

RowValues *
begin_row_values(EState *estate, TupleDesc columns, bool *apart, bool fetches)
{
	RowValues *values = palloc0(sizeof(RowValues));
	int natts = columns->natts;

	values->apart = apart;
	values->fetches = fetches;
	values->slot = ExecInitExtraTupleSlot(estate, columns, &TTSOpsVirtual);
	values->written = palloc(sizeof(ValueReferenceDatum) * natts);
	values->read = palloc(sizeof(KeptReference) * natts);
	values->kept = make_kept_values(estate->es_query_cxt);
	values->buffer.ncolumns = natts;
	values->buffer.values = palloc(sizeof(Datum) * natts * BUFFERED_ROWS);
	values->buffer.nulls = palloc(sizeof(bool) * natts * BUFFERED_ROWS);
	values->stored = palloc0(sizeof(StoredRows) * natts);
	values->buffer_memory = AllocSetContextCreate(CurrentMemoryContext, "buffered rows",
												  ALLOCSET_DEFAULT_SIZES);
	values->stored_memory = AllocSetContextCreate(CurrentMemoryContext, "stored values",
												  ALLOCSET_DEFAULT_SIZES);
	return values;
}

/* Writing */

/* Is a column's value one that is fetched here? */
static bool
is_fetched(const RowValues *values, int column, Datum value, bool isnull)
{
	struct varlena *datum = (struct varlena *) DatumGetPointer(value);
	struct varatt_external pointer;

	if (!values->fetches || values->exhausted || !values->apart[column] || isnull ||
		!VARATT_IS_EXTERNAL_ONDISK(datum))
		return false;
	VARATT_EXTERNAL_GET_POINTER(pointer, datum);
	return toast_is_readable(&pointer);
}

/* What a row has for a value: a reference, if there is memory for it beside the row. */
static Datum
share_value(RowValues *values, RowWriter *writer, int column, Datum value)
{
	const struct varlena *datum = (const struct varlena *) DatumGetPointer(value);
	dsa_pointer place;
	void *memory;

	if (!VARATT_IS_4B_U(datum) || VARSIZE(datum) < KEPT_VALUE_BYTES)
		return value;
	memory = shared_value_memory(writer, VARSIZE(datum), &place);
	if (memory == NULL)
		return value;
	memcpy(memory, datum, VARSIZE(datum));
	return make_value_reference(values->written[column], 0, place);
}

/* The same for one that is stored, of a buffered row. */
static Datum
share_stored(RowValues *values, RowWriter *writer, int row, int column)
{
	Datum value = row_value(&values->buffer, row, column);
	struct varlena *datum = (struct varlena *) DatumGetPointer(value);
	struct varatt_external pointer;
	dsa_pointer place;
	void *memory;
	const void *stored;

	VARATT_EXTERNAL_GET_POINTER(pointer, datum);
	memory = shared_value_memory(writer, pointer.va_rawsize, &place);
	if (memory == NULL)
	{
		values->exhausted = true;
		return value;
	}
	stored = stored_row(&values->stored[column], &values->buffer, row, column,
						values->stored_memory);
	if (stored == NULL)
		stored = detoast_external_attr(datum);
	memcpy(memory, stored, pointer.va_rawsize);
	values->fetched++;
	return make_value_reference(values->written[column], 0, place);
}

/*
 * Writes a row with references. row is its number in the buffer; one
 * that has not been has no value that is fetched.
 */
static void
write_row(RowValues *values, RowWriter *writer, const Datum *datums, const bool *nulls,
		  int row)
{
	TupleTableSlot *slot = values->slot;

	ExecClearTuple(slot);
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		slot->tts_isnull[i] = nulls[i];
		slot->tts_values[i] = datums[i];
		if (is_fetched(values, i, datums[i], nulls[i]))
			slot->tts_values[i] = share_stored(values, writer, row, i);
		else if (values->apart[i] && !nulls[i])
			slot->tts_values[i] = share_value(values, writer, i, datums[i]);
	}
	write_shared_row(writer, ExecStoreVirtualTuple(slot));
	ExecClearTuple(slot);
}

/* Writes the buffered rows. */
static void
flush_buffer(RowValues *values, RowWriter *writer)
{
	RowBuffer *buffer = &values->buffer;
	MemoryContext old = MemoryContextSwitchTo(values->buffer_memory);

	for (int row = 0; row < buffer->count; row++)
		write_row(values, writer, buffer->values + row * buffer->ncolumns,
				  buffer->nulls + row * buffer->ncolumns, row);
	buffer->count = 0;
	MemoryContextSwitchTo(old);
	MemoryContextReset(values->buffer_memory);
}

/* Keeps a row until those after it are there. */
static void
buffer_row(RowValues *values, RowWriter *writer, TupleTableSlot *row)
{
	RowBuffer *buffer = &values->buffer;
	TupleDesc columns = row->tts_tupleDescriptor;
	MemoryContext old = MemoryContextSwitchTo(values->buffer_memory);
	int first = buffer->count++ * buffer->ncolumns;

	for (int i = 0; i < buffer->ncolumns; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		buffer->nulls[first + i] = row->tts_isnull[i];
		if (!row->tts_isnull[i])
			buffer->values[first + i] =
				datumCopy(row->tts_values[i], column->attbyval, column->attlen);
	}
	MemoryContextSwitchTo(old);
	if (buffer->count == BUFFERED_ROWS)
		flush_buffer(values, writer);
}

void
write_row_values(RowValues *values, RowWriter *writer, TupleTableSlot *row)
{
	slot_getallattrs(row);
	for (int i = 0; i < row->tts_tupleDescriptor->natts; i++)
	{
		if (is_fetched(values, i, row->tts_values[i], row->tts_isnull[i]))
		{
			buffer_row(values, writer, row);
			return;
		}
	}
	write_row(values, writer, row->tts_values, row->tts_isnull, -1);
}

void
end_writing_row_values(RowValues *values, RowWriter *writer)
{
	flush_buffer(values, writer);
	values->exhausted = false;
	MemoryContextReset(values->stored_memory);
	memset(values->stored, 0, sizeof(StoredRows) * values->buffer.ncolumns);
}

/* Reading */

TupleTableSlot *
refer_to_row_values(RowValues *values, const RowReader *reader, TupleTableSlot *row)
{
	TupleTableSlot *slot = values->slot;

	ExecClearTuple(slot);
	slot_getallattrs(row);
	for (int i = 0; i < row->tts_tupleDescriptor->natts; i++)
	{
		ValueReference reference;

		slot->tts_isnull[i] = row->tts_isnull[i];
		slot->tts_values[i] = row->tts_values[i];
		if (values->apart[i] && !row->tts_isnull[i] &&
			read_value_reference(row->tts_values[i], &reference))
			slot->tts_values[i] = refer_to_kept(
				dsa_get_address(reader->area, reference.place), &values->read[i]);
	}
	return ExecStoreVirtualTuple(slot);
}
