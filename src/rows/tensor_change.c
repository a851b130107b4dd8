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

#include <math.h>

#include "catalog/query_label.h"
#include "catalog/tensor_statistics.h"
#include "codegen/log_rows.h"
#include "rows/tensor_change.h"

/* The name of the rows of a log while their sum is taken; no other rows have it. */
#define LOG_ROWS "@log"

TensorChange *
new_change(const Storage *storage, const char *name)
{
	TensorChange *change = palloc0(sizeof(TensorChange));

	change->relid = storage->relid;
	change->kind = CHANGE_ADDED;
	change->function = FUNCTION_ADD;
	change->storage = storage_of_change(storage, name);
	change->rows = new_rows(name, NULL);
	set_columns(change->rows, columns_of_change(storage), false);
	return change;
}

TensorChange *
new_marks(const Storage *storage, const char *name)
{
	TensorChange *change = palloc0(sizeof(TensorChange));

	change->relid = storage->relid;
	change->kind = CHANGE_AT_KEYS;
	change->storage = storage_of_marks(storage, name);
	change->rows = new_rows(name, NULL);
	set_columns(change->rows, columns_of_marks(storage), false);
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

const TensorStatistics *
statistics_of_change(const TensorChange *change)
{
	int rank = change->storage.rank;
	TensorStatistics *statistics = new_statistics(rank);

	statistics->exact = true;
	statistics->rows = change->counts.rows;
	statistics->entries = change->counts.entries;
	for (int d = 0; d < rank; d++)
		statistics->values[d] = Min(change->counts.values[d], statistics->entries);
	return statistics;
}

void
free_change(TensorChange *change)
{
	free_rows(change->rows);
	pfree(change);
}

/*
 * Collects the rows of a table's log behind a position as rows that queries read; *log is
 * NULL if they do not tell what has changed.
 */
static PendingRows
collect_log(Oid table, const Position *position, double most, Snapshot snapshot,
			Rows **log)
{
	TupleDesc columns;
	Tuplestorestate *store;
	PendingRows told =
		collect_pending_rows(table, position, snapshot, most, &columns, &store);

	*log = NULL;
	if (told != PENDING_TOLD)
		return told;
	*log = new_rows(LOG_ROWS, columns);
	(*log)->relation.reldata = store;
	(*log)->relation.md.enrtuples = number_of_rows(*log);
	register_rows(*log);
	return told;
}

PendingRows
read_pending_change(TensorChange *change, const Storage *storage,
					const Position *position, double most, const char *caller,
					const char *name, Snapshot snapshot, KeptTable *kept)
{
	ReadingAt reading = {.snapshot = snapshot, .kept = kept};
	Rows *log;
	PendingRows told = collect_log(storage->relid, position, most, snapshot, &log);
	char *query;

	if (told != PENDING_TOLD)
		return told;
	query = (change->kind == CHANGE_AT_KEYS ? query_of_marks : query_of_log)(
		storage, log->relation.md.tupdesc, "\"" LOG_ROWS "\" AS l");
	if (query)
	{
		reading.query = labelled_query(caller, name, query);
		reading.rows = log->relation.md.enrtuples;
		fill_change(change, &reading);
	}
	else
		told = PENDING_NOT_TOLD;
	free_rows(log);
	return told;
}

bool
read_pending_better(TensorChange *change, const Storage *storage,
					const Position *position, const char *caller, const char *name,
					Snapshot snapshot, KeptTable *kept)
{
	bool better = false;
	Rows *log;

	if (reason_against_better(storage) ||
		collect_log(storage->relid, position, INFINITY, snapshot, &log) != PENDING_TOLD)
		return false;
	change->kind = CHANGE_BETTER;
	for (int greater = 0; greater < 2 && !better; greater++)
	{
		char *query = query_of_better(storage, log->relation.md.tupdesc,
									  "\"" LOG_ROWS "\" AS l", greater);

		if (query == NULL)
			break;
		change->function = greater ? FUNCTION_GREATEST : FUNCTION_LEAST;
		change->storage.fill = neutral_value(change->function);
		fill_change(change, &(ReadingAt){.query = labelled_query(caller, name, query),
										 .snapshot = snapshot,
										 .kept = kept,
										 .rows = log->relation.md.enrtuples});
		better = change->counts.nans == 0;
	}
	free_rows(log);
	return better;
}
