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

/* How a table was filled. */
typedef struct TableFilled
{
	Oid relid;
	const char *how; /* "unchanged", "difference" or "whole" */
	const char *why; /* the reason for "whole"; or NULL */
	double changed;  /* rows that differed; -1: they were not compared */
	double written;  /* rows deleted, updated and inserted */
	double milliseconds;
} TableFilled;

/*
 * Fills tables (codegen/tables.h) from their views, each after the tables that its view
 * reads. Everything else is read as of one snapshot. all: every row is written, even if
 * it has not changed. Readers see the old rows until the transaction ends. Runs with the
 * rights of each table's owner. Returns a TableFilled for each. Errors: 55000 if a view
 * is gone; errors of the views' queries.
 */
extern List *fill_tables(const List *tables, bool all);

#endif
