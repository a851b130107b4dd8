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

/* Called with every row, all columns deformed, in a context reset after it. */
typedef void (*RowCallback)(TupleTableSlot *slot, void *state);

/*
 * Runs a query with the rights of a role, which may not change the database or
 * the session meanwhile, and hands each row to the callback without keeping it.
 */
extern void scan_query(const char *query, Oid role, RowCallback callback, void *state);

#endif
