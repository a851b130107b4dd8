/*-------------------------------------------------------------------------
 *
 * row_values.h
 *	  Rows that processes share, with the values of tensors apart from them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_ROW_VALUES_H
#define EXECUTOR_ROW_VALUES_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "executor/all_gather/shared_rows.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/value_reference.h"
#include "type/toast_read.h"

/* Rows that have been read, and whose values are stored one after the other, perhaps. */
#define BUFFERED_ROWS TOAST_READ_MOST

/* What a process writes and reads. */
typedef struct RowValues
{
	bool *apart;          /* by column: tensors that lie apart */
	TupleTableSlot *slot; /* of rows with references */
	int64 fetched;        /* values that were stored out of line */

	/* writing */
	bool fetches;   /* whether stored values are fetched to be shared, */
	bool exhausted; /* and there is no memory left for them */
	ValueReferenceDatum *written;
	RowBuffer buffer;
	MemoryContext buffer_memory;
	StoredRows *stored; /* by column */
	MemoryContext stored_memory;

	/* reading */
	KeptReference *read;
	KeptValues *kept;
} RowValues;

/*
 * Begins to keep the values of these columns apart. Lives as long as the current
 * context, which is the query's.
 */
extern RowValues *begin_row_values(EState *estate, TupleDesc columns, bool *apart,
								   bool fetches);

/* Writes a row, perhaps only when further ones are written. */
extern void write_row_values(RowValues *values, RowWriter *writer, TupleTableSlot *row);

/* Writes those that have not been written. */
extern void end_writing_row_values(RowValues *values, RowWriter *writer);

/* A row that has been read, with references to its values: until the next. */
extern TupleTableSlot *refer_to_row_values(RowValues *values, const RowReader *reader,
										   TupleTableSlot *row);

#endif
