/*-------------------------------------------------------------------------
 *
 * tensor_change.h
 *	  What has been added to a tensor, as rows in memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROWS_TENSOR_CHANGE_H
#define ROWS_TENSOR_CHANGE_H

#include "algebra/delta.h"
#include "catalog/position.h"
#include "rows/rows.h"

/*
 * A change of a stored tensor. ADDED: its entries now less those before, 0 where nothing
 * has changed. BETTER: those that have become less, or greater, and the function's neutral
 * value elsewhere. AT_KEYS: marks (codegen/log_rows.h).
 */
typedef struct TensorChange
{
	Oid relid; /* of the table */
	ChangeKind kind;
	FunctionId function; /* add; or least or greatest */
	Storage storage;     /* how the rows hold the change: as the table holds the tensor */
	Rows *rows;          /* registered */
	RowCounts counts;
} TensorChange;

/*
 * Returns a change without rows of the tensor that a table holds. name: of the rows; no
 * others have it.
 */
extern TensorChange *new_change(const Storage *storage, const char *name);

/*
 * Returns one of which no more is going to be known than the keys of marked_dimensions,
 * of which there are some; any storage will do.
 */
extern TensorChange *new_marks(const Storage *storage, const char *name);

/*
 * Sets the rows of a change to those of a query: columns are the keys in the order of
 * dimensions, and the value. Errors: those of the query.
 */
extern void fill_change(TensorChange *change, const ReadingAt *reading);

/* Are all entries of a change finite numbers? */
extern bool change_is_finite(const TensorChange *change);

/*
 * Sets the rows of a change to what a table's log has behind a position, if the log tells,
 * by at most this many rows. Errors: those of reading bad rows of the table.
 */
extern PendingRows read_pending_change(TensorChange *change, const Storage *storage,
									   const Position *position, double most,
									   const char *caller, const char *name,
									   Snapshot snapshot, KeptTable *kept);

/*
 * Sets the rows of a change to the entries that have got better, and its kind. False if
 * some others have changed, or the log does not tell. Errors as above.
 */
extern bool read_pending_better(TensorChange *change, const Storage *storage,
								const Position *position, const char *caller,
								const char *name, Snapshot snapshot, KeptTable *kept);

/* Returns the counts of a change as statistics. */
extern const TensorStatistics *statistics_of_change(const TensorChange *change);

/* Frees the rows of a change. */
extern void free_change(TensorChange *change);

#endif
