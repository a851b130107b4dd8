/*-------------------------------------------------------------------------
 *
 * outer_rows.h
 *	  The outer side of a DirectJoin: its rows, with what they are joined with.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OUTER_ROWS_H
#define EXECUTOR_OUTER_ROWS_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "executor/direct_lookup/inner_rows.h"

/* Rows that are read ahead, at most. */
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
	bool prefetches; /* rows are kept here; else each is in the node's slot */

	/* what reads the join will look one of the columns up there; NULL: nothing will */
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
	TupleTableSlot *slot;                /* the node's, unless read ahead */
} OuterRows;

/* Prepares for the columns that are given. */
extern void outer_rows_begin(OuterRows *rows, TupleDesc descriptor);

/* False if there are no rows; asked before the first of them is gone to. */
extern bool outer_rows_are_there(OuterRows *rows);

/* The node's present row, which somebody else has asked for, will be the first. */
extern void outer_rows_begin_with(OuterRows *rows, TupleTableSlot *slot);

/* Goes to the next row, number next - 1 of those read ahead; false if there is none. */
extern bool outer_rows_next(OuterRows *rows);

/* Forgets the rows, as the node begins anew. */
extern void outer_rows_rescan(OuterRows *rows);

#endif
