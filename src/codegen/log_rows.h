/*-------------------------------------------------------------------------
 *
 * log_rows.h
 *	  A tensor's change, as a SELECT from rows of its table's log.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_LOG_ROWS_H
#define CODEGEN_LOG_ROWS_H

#include "access/tupdesc.h"
#include "nodes/bitmapset.h"

#include "catalog/registration.h"

/*
 * Can a change of a tensor be rows of keys and numbers? Returns why it cannot, in words;
 * or NULL. The storage is resolved.
 */
extern const char *reason_against_rows(const Storage *storage);

/*
 * Can rows of a log tell whether the entries of a tensor have got better? Returns why they
 * cannot, in words; or NULL. The storage is resolved.
 */
extern const char *reason_against_better(const Storage *storage);

/*
 * Returns how rows of that name hold a change of the tensor that a table holds: the keys
 * are called d0, d1, ... by dimension, and the value is called value.
 */
extern Storage storage_of_change(const Storage *storage, const char *name);

/* Returns these columns: keys of the types that they have in the table. */
extern TupleDesc columns_of_change(const Storage *storage);

/* Returns the same and a further value, the magnitude of what is added. */
extern TupleDesc columns_of_moving(const Storage *storage);

/* Returns the same, but of the keys only those of some dimensions, and a number. */
extern TupleDesc columns_of_touched(const Storage *storage, const Bitmapset *keys);

/*
 * Returns the dimensions whose keys a log can tell of any storage: those that are key
 * columns.
 */
extern Bitmapset *marked_dimensions(const Storage *storage);

/*
 * Returns how rows of that name hold a number that is not 0 at the keys, of those
 * dimensions, at which something has changed, and their columns.
 */
extern Storage storage_of_marks(const Storage *storage, const char *name);
extern TupleDesc columns_of_marks(const Storage *storage);

/*
 * Returns the SELECT of a tensor's change. rows: what follows FROM, rows of the log with
 * the alias l, which tell all that has changed; columns: theirs. NULL if a column of the
 * tensor is missing, or its values cannot be compared.
 */
extern char *query_of_log(const Storage *storage, TupleDesc columns, const char *rows);

/*
 * Returns, in the same way, the SELECT of the entries that are now less than before, or
 * greater; other entries that have changed, and those that are or were NaN, are NaN.
 */
extern char *query_of_better(const Storage *storage, TupleDesc columns, const char *rows,
							 bool greater);

/* Returns, in the same way, the SELECT of marks. */
extern char *query_of_marks(const Storage *storage, TupleDesc columns, const char *rows);

#endif
