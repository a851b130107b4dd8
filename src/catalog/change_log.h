/*-------------------------------------------------------------------------
 *
 * change_log.h
 *	  The log of a table: what its rows were, and are, for those who read tensors in it.
 *
 * The log of table t is the table t__log in the same schema and of the same owner. Its first
 * columns are xid, of the top-level transaction; statement, the command's number within that; and
 * sign: 1 for a row that came, -1 for one that is gone, 0 for rows that are not told. Behind them are
 * the columns of t that its registrations read, by their names.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_CHANGE_LOG_H
#define CATALOG_CHANGE_LOG_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

enum
{
	LOG_XID,
	LOG_STATEMENT,
	LOG_SIGN,
	LOG_FIXED_COLUMNS
};

/*
 * Opens the log of a table; NULL if it has none that can be written as a log: rows are put into it
 * without what checks, indexes and triggers would do. A table that has parents has none of its own,
 * since it is written through them.
 */
extern Relation open_change_log(Oid table, LOCKMODE mode);

/* The OID of what open_change_log opens, or InvalidOid. */
extern Oid change_log_of(Oid table);

/*
 * What has the name of a table's log, in the same schema and of the same owner, whether it can be written
 * or not; or InvalidOid.
 */
extern Oid named_log(Oid table);

/* The relations without parents that rows of a relation are rows of: itself if it has no parents. */
extern List *topmost_parents(Oid relid);

/*
 * Has a table keep a log of its changes, from now on. If it does already, missing triggers and columns
 * are added, and the log says that all may have changed. The caller owns the table and has
 * it and its children locked in SHARE ROW EXCLUSIVE mode, and has called check_may_log. Errors: 42701 if
 * columns have names of the log's, 42P07.
 */
extern void start_change_log(Oid table);

/* Drops a table's log and the triggers that write it. The caller has locked them in ACCESS EXCLUSIVE mode. */
extern void stop_change_log(Oid table);

/* Adds columns to a table's log that registrations read now; nothing if it has none. */
extern void extend_change_log(Oid table);

/* Errors if a relation can keep no log: 0A000, 55000, 42809, 42622. */
extern void check_may_log(Oid relid);

#endif
