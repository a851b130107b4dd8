/*-------------------------------------------------------------------------
 *
 * column_rows.h
 *	  Rows that nodes of our own return side by side, column by column.
 *
 * PostgreSQL's executor asks for a row at a time. A node of ours above another one may ask for columns, which
 * are where the rows are: nothing is made of each row then.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_COLUMN_ROWS_H
#define EXECUTOR_COLUMN_ROWS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "catalog/registration.h"

/* Rows that are put side by side at a time, where they are not that already. */
#define MOST_COLUMN_ROWS 1024

#define MOST_COLUMNS (TENSOR_MAX_RANK + 1)

/* Some rows of a node's scan tuple, of whose columns each is integers or float8; none is NULL. */
typedef struct ColumnRows
{
	int64 count;
	const int64 *keys[MOST_COLUMNS]; /* by column, from 0 on */
	const double *numbers[MOST_COLUMNS];
} ColumnRows;

/* What the state of such a node begins with. */
typedef struct ColumnNode
{
	CustomScanState css;
	/* May be NULL. Starts the node; false if it returns single rows only after all. */
	bool (*begin_columns)(struct ColumnNode *node);
	/* Fills in the next rows; false if there are none. NULL: it returns single ones only. */
	bool (*next_rows)(struct ColumnNode *node, ColumnRows *rows);
} ColumnNode;

/* A plan that has columns: such a node, or subquery scans that pass on its rows as they are. */
typedef struct ColumnSource
{
	PlanState *top;
	ColumnNode *node;
} ColumnSource;

/*
 * False if a plan returns no columns. It is asked for single rows or for columns, and not for both, from its start on.
 */
extern bool find_column_source(PlanState *top, ColumnSource *source);

/*
 * The column of ColumnRows, from 0 on, that a column of the plan's result is, which
 * counts from 1 on; -1: it is not a key, or no number.
 */
extern int key_column(const ColumnSource *source, AttrNumber attno);
extern int number_column(const ColumnSource *source, AttrNumber attno);

/* Starts the plan. False if there are no columns after all: single rows are to be asked for, and none has been lost. */
extern bool begin_column_rows(const ColumnSource *source);

/* The next rows; false if there are none. They are there until the next call. */
extern bool next_column_rows(const ColumnSource *source, ColumnRows *rows);

#endif
