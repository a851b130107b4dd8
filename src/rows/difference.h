/*-------------------------------------------------------------------------
 *
 * difference.h
 *	  Rows are written into the table that is to have them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROWS_DIFFERENCE_H
#define ROWS_DIFFERENCE_H

#include "rows/rows.h"

/* A table of a tensor, and the rows that it is to have. */
typedef struct TableChange
{
	const Storage *table; /* resolved */
	const Storage
		*place; /* of the rows: their columns are d0, d1, ... by dimension, and value */
	Rows *rows; /* registered */
	Snapshot snapshot;  /* that all statements see; InvalidSnapshot: each its own */
	bool rows_stay;     /* as shares_rows says */
	bool may_write_all; /* rows that do not differ may be written, too */
	bool ordered;       /* the types of the keys have an order */
	const char *caller; /* statements are labelled with this and the name */
	const char *name;
} TableChange;

/* What has been written. */
typedef struct RowsWritten
{
	double changed; /* rows that differed */
	double written; /* by all statements */
	bool all;       /* rows, not the difference */
} RowsWritten;

/* Do other tensors have values in the rows of a table, or are they its rows? Then these stay. */
extern bool shares_rows(const Storage *table);

/*
 * Writes rows into their table with the current user's rights: what differs, or all. Errors: 55000 for tables with rules, and
 * those of the table.
 */
extern void write_rows(const TableChange *change, RowsWritten *written);

#endif
