/*-------------------------------------------------------------------------
 *
 * difference.h
 *	  Rows are written into the table that is to have them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROWS_DIFFERENCE_H
#define ROWS_DIFFERENCE_H

#include "nodes/bitmapset.h"

#include "rows/rows.h"
#include "rows/tensor_change.h"

/* A table that holds a tensor, and the rows that it should have. */
typedef struct TableChange
{
	const Storage *table; /* resolved */
	const Storage
		*place; /* of the rows: their columns are d0, d1, ... by dimension, and value */
	Rows *rows; /* registered */
	Snapshot snapshot; /* all statements read as of this one; InvalidSnapshot: each takes
						 * its own */
	bool rows_stay;    /* the value is cleared instead of deleting a row, see
						 * shares_rows */
	bool added; /* the rows are added to those of the table, which keeps all others */
	/*
	 * added: the rows have also the magnitudes of what is added, by which rows move (moved
	 * in Storage), and no value where nothing is added; false: sums are exact
	 */
	bool moved;
	/*
	 * The rows are those at some keys, and the table keeps all others: these keys, in
	 * columns d0, d1, ... for the dimensions in touched_keys; or NULL.
	 */
	const Rows *touched;
	const Bitmapset *touched_keys;
	bool may_write_all; /* rows that do not differ may be deleted and inserted, too */
	bool ordered;       /* the types of the keys can be sorted */
	KeptTable *kept;    /* plans stay in the session; or NULL */
	const char *caller; /* statements are labelled with this and the name */
	const char *name;
	/*
	 * gets what the table's entries are changed by, unless all rows are written; or NULL
	 */
	TensorChange *changed;
} TableChange;

/* What write_rows has written. */
typedef struct RowsWritten
{
	double changed; /* rows that differed */
	double written; /* by all statements */
	bool all;       /* all rows were written, not the difference */
	bool refused;   /* nothing was written: what is added would make NaN or infinities */
	/*
	 * NULL, or nothing was written, since so much had been added to these rows that they
	 * may no longer be exact: rows of their keys and a number, registered by a name
	 */
	Rows *drifted;
} RowsWritten;

/*
 * Do the rows of the table have further columns with values of tensors, or are they other
 * tensors themselves? Then rows are not deleted.
 */
extern bool shares_rows(const Storage *table);

/*
 * Has a table the column that sums up how much was added to each row (Storage.moved)? A
 * user may have dropped it.
 */
extern bool has_moved(const Storage *table);

/*
 * Makes the table have these rows, or have them added, with the current user's rights:
 * writes what differs, or all. Errors: 55000 for tables with rules, 22003 for an entry that
 * does not fit a column, and those of writing the table.
 */
extern void write_rows(const TableChange *change, RowsWritten *written);

#endif
