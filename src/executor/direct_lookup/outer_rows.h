/*-------------------------------------------------------------------------
 *
 * outer_rows.h
 *	  The outer side of a DirectJoin: its rows and their matches.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OUTER_ROWS_H
#define EXECUTOR_OUTER_ROWS_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "executor/direct_lookup/inner_rows.h"

/* Rows that are prefetched, at most. */
#define PREFETCH_MAXIMUM 64

typedef struct OuterRows
{
	PlanState *node;
	const InnerRows *inner;
	AttrNumber key; /* its column */
	Oid key_type;
	int ncolumns; /* that the join needs */
	AttrNumber *columns;
	AttrNumber last; /* the highest of them and the key */
	bool prefetches; /* else each row stays in the node's slot */

	/* of the DirectGroups above, which looks up one of the columns; NULL: none */
	const DirectTable *group_table;
	int group_column; /* of columns */
	Oid group_type;

	TupleTableSlot *first; /* that was looked at already, or NULL */
	int wanted;            /* rows the next time, */
	int most;              /* but no more than these */
	int count;
	int next;
	bool finished;                       /* the node has no more */
	Datum *values;                       /* PREFETCH_MAXIMUM * ncolumns */
	bool *nulls;                         /* the same */
	InnerRow *matches[PREFETCH_MAXIMUM]; /* the first of the other side */
	void *groups[PREFETCH_MAXIMUM];      /* what group_table has for them */
	TupleTableSlot *slot;                /* the node's, unless prefetched */
} OuterRows;

/* Prepares for the columns that are given. */
extern void outer_rows_begin(OuterRows *rows, TupleDesc descriptor);

/* False if there are no rows; asked before the first of them is gone to. */
extern bool outer_rows_are_there(OuterRows *rows);

/* Begins with the node's current row, which another node has fetched. */
extern void outer_rows_begin_with(OuterRows *rows, TupleTableSlot *slot);

/* Advances to the next row, number next - 1 of the prefetched; false at the end. */
extern bool outer_rows_next(OuterRows *rows);

/* Discards the rows: the node is rescanned. */
extern void outer_rows_rescan(OuterRows *rows);

#endif
