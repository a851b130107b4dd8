/*-------------------------------------------------------------------------
 *
 * change_log.h
 *	  The log of a table: what its rows were, and are, for those who read tensors in it.
 *
 * The log of table t is the table t__log in the same schema and of the same owner. Its
 * first columns are xid, of the top-level transaction; statement, the command's number
 * within that; and sign: 1 for a row that came, -1 for one that is gone, 0 for rows that
 * are not told. Behind them are the columns of t that its registrations read, by their
 * names.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_CHANGE_LOG_H
#define CATALOG_CHANGE_LOG_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "catalog/registration.h"

enum
{
	LOG_XID,
	LOG_STATEMENT,
	LOG_SIGN,
	LOG_FIXED_COLUMNS
};

/*
 * Opens the log of a table. NULL if it has none, or if its log cannot be written
 * directly, without checks, indexes and triggers. A table with parents has no log of its
 * own: the parents' logs have its changes.
 */
extern Relation open_change_log(Oid table, LOCKMODE mode);

/* Returns the OID of the log that open_change_log would open, or InvalidOid. */
extern Oid change_log_of(Oid table);

/* Returns that a relation has no log, in words. */
extern char *says_no_log(Oid relid);

/*
 * Returns the relation that has the name of a table's log, in the same schema and with
 * the same owner, even if it cannot be written as a log; or InvalidOid.
 */
extern Oid named_log(Oid table);

/*
 * Returns the topmost parents of a relation, by inheritance or partitioning: itself if it
 * has no parents.
 */
extern List *topmost_parents(Oid relid);

/*
 * Starts a log of a table's changes. If the table has a log already, missing triggers and
 * columns are added, and the log says that all rows may have changed. The caller owns the
 * table, has locked it and its children in SHARE ROW EXCLUSIVE mode, and has called
 * check_may_log. Errors: 42701 if columns have the names of the log's own columns, 42P07.
 */
extern void start_change_log(Oid table);

/*
 * Drops a table's log and the triggers that write it. The caller has locked both in
 * ACCESS EXCLUSIVE mode.
 */
extern void stop_change_log(Oid table);

/*
 * Adds columns to a table's log that registrations have come to read; does nothing if it
 * has no log.
 */
extern void extend_change_log(Oid table);

/* Returns the names of the columns that a registration reads, which a log has. */
extern List *columns_of_registration(const Storage *storage);

/*
 * Returns a number that changes when rows of a table may have changed without being
 * logged: when the table, its log, its children, or the triggers of one of these were
 * made anew or altered. 0 if the table has no log, some trigger that writes it is missing
 * or disabled, or the table is not logged in WAL. The number is of the catalogs as a
 * snapshot sees them.
 */
extern int64 change_log_fingerprint(Oid table, Snapshot snapshot);

/* Raises an error if a relation cannot have a log: 0A000, 55000, 42809, 42622. */
extern void check_may_log(Oid relid);

#endif
