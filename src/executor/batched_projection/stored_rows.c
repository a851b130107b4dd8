/*-------------------------------------------------------------------------
 *
 * stored_rows.c
 *	  TOAST values of prefetched rows, several of which are read at once.
 *
 * Rows that are read in the order in which they were stored have consecutive value
 * identifiers in the TOAST table. The values of several such rows are read by one scan
 * (type/toast_read.h), into memory that fits in the second-level cache, from where they
 * are stacked.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"

#include "compat.h"
#include "executor/batched_projection/batched_projection.h"

/*
 * Gets the TOAST pointer of a row's value; false if the value is not in a readable TOAST
 * table.
 */
static bool
get_pointer(const RowBuffer *rows, int row, int column, struct varatt_external *pointer)
{
	struct varlena *value;

	if (row_is_null(rows, row, column))
		return false;
	value = (struct varlena *) DatumGetPointer(row_value(rows, row, column));
	if (!VARATT_IS_EXTERNAL_ONDISK(value))
		return false;
	VARATT_EXTERNAL_GET_POINTER(*pointer, value);
	return toast_is_readable(pointer);
}

/*
 * Returns how many rows, from this one on, have TOAST values of the same size that follow
 * each other, up to the limit of one read.
 */
static int
count_following(const RowBuffer *rows, int row, int column,
				const struct varatt_external *first)
{
	int most = Min(TOAST_READ_MOST, PREFETCH_BYTES / first->va_rawsize);
	int count = 1;
	struct varatt_external next;

	while (count < most && row + count < rows->count &&
		   get_pointer(rows, row + count, column, &next) &&
		   next.va_toastrelid == first->va_toastrelid &&
		   next.va_rawsize == first->va_rawsize &&
		   next.va_valueid == first->va_valueid + (Oid) count)
		count++;
	return count;
}

/* Reads the values of count rows, the first of which has the given TOAST pointer. */
static void
read_values(StoredRows *stored, const struct varatt_external *pointer, int count,
			MemoryContext memory)
{
	Size step = MAXALIGN(pointer->va_rawsize);

	stored->count = 0;
	if (step * count > stored->bytes)
	{
		if (stored->memory)
			pfree(stored->memory);
		stored->memory = NULL;
		stored->bytes = 0;
		stored->memory = MemoryContextAlloc(memory, step * count);
		stored->bytes = step * count;
	}
	for (int i = 0; i < count; i++)
		stored->values[i] = (struct varlena *) (stored->memory + step * i);
	toast_read(pointer, pointer->va_valueid, count, stored->values, stored->complete);
	stored->first = *pointer;
	stored->count = count;
}

const Tensor *
stored_row(StoredRows *stored, const RowBuffer *rows, int row, int column,
		   MemoryContext memory)
{
	struct varatt_external pointer;
	Oid place;
	int count;

	if (!get_pointer(rows, row, column, &pointer))
		return NULL;
	place = pointer.va_valueid - stored->first.va_valueid;
	if (place >= (Oid) stored->count ||
		pointer.va_toastrelid != stored->first.va_toastrelid ||
		pointer.va_rawsize != stored->first.va_rawsize)
	{
		count = count_following(rows, row, column, &pointer);
		if (count == 1)
			return NULL;
		read_values(stored, &pointer, count, memory);
		place = 0;
	}
	return stored->complete[place] ? (const Tensor *) stored->values[place] : NULL;
}
