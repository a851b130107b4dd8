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
	/* "unchanged", "added", "keys", "difference", "whole"; of loops "resumed", "restarted" */
	const char *how;
	const char *why; /* the reason for "whole", or why it was computed; or NULL */
	double changed;  /* rows that differed; -1: they were not compared */
	double written;  /* rows deleted, updated and inserted */
	double milliseconds;
} TableFilled;

typedef enum FillMode
{
	FILL_CHANGED, /* tables whose sources may have changed; rows that differ */
	FILL_ALL,     /* all tables, since they or their queries are new; rows that differ */
	FILL_WHOLE    /* all tables, and all rows */
} FillMode;

/*
 * Fills tables (codegen/tables.h) from their views, each after the tables that its view
 * reads. Everything else is read as of one snapshot. Readers see the old rows until the
 * transaction ends. Runs with the rights of each table's owner. Returns a TableFilled for
 * each. Errors: 55000 if a view is gone; errors of the views' queries.
 */
extern List *fill_tables(const List *tables, FillMode mode);

#endif
