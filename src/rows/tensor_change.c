/*-------------------------------------------------------------------------
 *
 * tensor_change.c
 *	  What has been added to a tensor, as rows in memory.
 *
 * For a stored tensor it is the sum of what its table's log has (codegen/log_rows.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/query_label.h"
#include "codegen/log_rows.h"
#include "rows/tensor_change.h"

/* The name of the rows of a log while their sum is taken; no other rows have it. */
#define LOG_ROWS "@log"

TensorChange *
new_change(const Storage *storage, const char *name)
{
	TensorChange *change = palloc0(sizeof(TensorChange));

	change->relid = storage->relid;
	change->storage = storage_of_change(storage, name);
	change->rows = new_rows(name, NULL);
	set_columns(change->rows, columns_of_change(storage), false);
	return change;
}

void
fill_change(TensorChange *change, const ReadingAt *reading)
{
	fill_tensor_rows_at(change->rows, reading, &change->storage, &change->counts);
	register_rows(change->rows);
}

bool
change_is_finite(const TensorChange *change)
{
	return change->counts.nans == 0 && change->counts.infinite == 0;
}

void
free_change(TensorChange *change)
{
	free_rows(change->rows);
	pfree(change);
}

PendingRows
read_pending_change(TensorChange *change, const Storage *storage,
					const Position *position, double most, const char *caller,
					const char *name, Snapshot snapshot, KeptTable *kept)
{
	ReadingAt reading = {.snapshot = snapshot, .kept = kept};
	PendingRows told;
	TupleDesc columns;
	Tuplestorestate *store;
	char *query;
	Rows *log;

	told =
		collect_pending_rows(storage->relid, position, snapshot, most, &columns, &store);
	if (told != PENDING_TOLD)
		return told;
	query = query_of_log(storage, columns, "\"" LOG_ROWS "\" AS l");
	if (query == NULL)
	{
		tuplestore_end(store);
		return PENDING_NOT_TOLD;
	}
	log = new_rows(LOG_ROWS, columns);
	log->relation.reldata = store;
	log->relation.md.enrtuples = number_of_rows(log);
	register_rows(log);
	reading.query = labelled_query(caller, name, query);
	reading.rows = log->relation.md.enrtuples;
	fill_change(change, &reading);
	free_rows(log);
	return PENDING_TOLD;
}
