/*-------------------------------------------------------------------------
 *
 * position.h
 *	  Up to where in the logs of tables a result has been computed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_POSITION_H
#define CATALOG_POSITION_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "nodes/pg_list.h"
#include "utils/snapshot.h"
#include "utils/tuplestore.h"

/* A relation that a result is computed from, or the result itself, as it was then. */
typedef struct RelationState
{
	Oid relid;
	int64 fingerprint;
} RelationState;

/*
 * A result was computed from all changes that its snapshot sees, and from those of its
 * own transaction up to a command.
 */
typedef struct Position
{
	Oid result;
	int64 registration; /* registration_hash of the result */
	Datum snapshot;     /* pg_snapshot */
	uint64 xid;         /* the top-level transaction that computed it */
	int64 statement;    /* the last command of that transaction which it has seen */
	List *states;       /* of RelationState */
} Position;

/* The position of a result that a snapshot sees; NULL: its rows may be of any time. */
extern Position *read_position(Oid result, Snapshot snapshot);

/*
 * Stores that a result has been computed from relations in these states, with what a
 * snapshot and the commands of this transaction until now have done. is_new: it may have
 * no position yet; then those of results that are gone are removed.
 */
extern Position *store_position(Oid result, int64 registration, List *states,
								Snapshot snapshot, bool is_new);

/* Removes the position of a result. */
extern void forget_position(Oid result);

/*
 * Has the log of a table rows that a result at this position has not seen? True also if
 * it has no log.
 */
extern bool has_pending_rows(Oid table, const Position *position, Snapshot snapshot);

/* Is a row of a log with this transaction and command, unless unknown, one of those? */
extern bool is_pending_change(const Position *position, bool known, uint64 xid,
							  int64 statement);

/* Do all of those rows tell a change? False also if there is no log. */
extern bool pending_rows_tell(Oid table, const Position *position, Snapshot snapshot);

/* What the rows of a log that are pending tell. */
typedef enum PendingRows
{
	PENDING_TOLD, /* all that has changed */
	PENDING_NOT_TOLD,
	PENDING_TOO_MANY
} PendingRows;

/*
 * Collects those rows: *columns are sign, an int2, and the columns of the log that are
 * its table's. most: if there are more, by estimate, none are collected.
 */
extern PendingRows collect_pending_rows(Oid table, const Position *position,
										Snapshot snapshot, double most,
										TupleDesc *columns, Tuplestorestate **rows);

/*
 * Deletes the rows of a table's log that all positions have seen, unless another session
 * has the log locked or the table has no log. position: the first that was stored with
 * this snapshot of a result that reads the table.
 */
extern void delete_seen_rows(Oid table, const Position *position, Snapshot snapshot);

#endif
