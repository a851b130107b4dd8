/*-------------------------------------------------------------------------
 *
 * fill.h
 *	  Tables of results are filled from their views.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROWS_FILL_H
#define ROWS_FILL_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* How a table has been filled. */
typedef struct TableFilled
{
	Oid relid;
	const char *how; /* "unchanged", "difference" or "whole" */
	const char *why; /* whole; or NULL */
	double changed;  /* rows that differed; -1: they were not compared */
	double written;  /* rows deleted, updated and inserted */
	double milliseconds;
} TableFilled;

/*
 * Fills tables (codegen/tables.h), each after those that it is computed from, from one
 * snapshot of everything else. all: every row is written, also where it is the same. Readers see the old rows until the
 * transaction ends. Runs with the rights of each table's owner. Returns a TableFilled for each.
 * Errors: 55000 if a view is gone; what its query raises.
 */
extern List *fill_tables(const List *tables, bool all);

#endif
