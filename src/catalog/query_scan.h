/*-------------------------------------------------------------------------
 *
 * query_scan.h
 *	  Reading a relation row by row through the executor.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_QUERY_SCAN_H
#define CATALOG_QUERY_SCAN_H

#include "postgres.h"

#include "executor/tuptable.h"

/*
 * Called for every row, all columns deformed, in a memory context that is reset
 * afterwards. False ends the scan.
 */
typedef bool (*RowCallback)(TupleTableSlot *slot, void *state);

/*
 * Runs a query with the rights of a role, which meanwhile may not change the session, and
 * passes each row to the callback without keeping it. With snapshot_now the query sees
 * what this command has done so far; otherwise all queries of the command see one
 * snapshot.
 */
extern void scan_query(const char *query, Oid role, bool snapshot_now,
					   RowCallback callback, void *state);

/*
 * Does the same with the caller's own rights, for a query that sees what this command has
 * done so far, and that the callback may write between its rows.
 */
extern void scan_query_as_caller(const char *query, RowCallback callback, void *state);

#endif
