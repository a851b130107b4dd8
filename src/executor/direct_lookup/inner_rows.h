/*-------------------------------------------------------------------------
 *
 * inner_rows.h
 *	  The inner side of a DirectJoin: its rows by key.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_INNER_ROWS_H
#define EXECUTOR_INNER_ROWS_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "executor/direct_lookup/direct_table.h"

/*
 * A row, of which some columns are kept: their values, then whether each is NULL,
 * then the bytes that values point to.
 */
typedef struct InnerRow
{
	struct InnerRow *next; /* with the same key */
	Datum values[FLEXIBLE_ARRAY_MEMBER];
} InnerRow;

typedef struct InnerRows
{
	TupleDesc descriptor;
	AttrNumber key; /* its column */
	Oid key_type;
	int ncolumns; /* that are kept */
	AttrNumber *columns;
	bool stay; /* what values point to is not copied */

	DirectTable table; /* the first row of each key */
	int64 count;
	Size bytes;
	char *chunk; /* what is left of the last */
	Size chunk_left;
} InnerRows;

/* Reads all rows of a node; false, and some of them are there, if they do not fit in
 * the memory of a hash table, or their keys have wide gaps. */
extern bool inner_rows_read(InnerRows *rows, PlanState *node);

/*
 * Finds all rows of a hash table of one batch that processes share, which has been
 * built, and must stay as long as the rows: what values point to is there. Rows are
 * looked at in a slot for minimal tuples. False as above.
 */
extern bool inner_rows_find(InnerRows *rows, HashJoinTable table, TupleTableSlot *slot);

/* Forgets the rows. */
extern void inner_rows_forget(InnerRows *rows);

static inline const bool *
inner_row_nulls(const InnerRows *rows, const InnerRow *row)
{
	return (const bool *) (row->values + rows->ncolumns);
}

#endif
