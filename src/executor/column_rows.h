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

/* Rows at a time, at the most. */
#define MOST_COLUMN_ROWS 1024

/* Some rows of a node's scan tuple, of whose columns each is integers or float8; none is NULL. */
typedef struct ColumnRows
{
	int64 count;
	const int64 *keys[TENSOR_MAX_RANK + 1]; /* by column, from 0 on */
	const double *numbers[TENSOR_MAX_RANK + 1];
} ColumnRows;

/* What the state of such a node begins with. */
typedef struct ColumnNode
{
	CustomScanState css;
	/* Fills in the next rows; false if there are none. NULL: it returns single ones only. */
	bool (*next_rows)(struct ColumnNode *node, ColumnRows *rows);
} ColumnNode;

/*
 * The node, if it is one that returns all its rows as columns; else NULL. It is asked for single rows or for columns, and not
 * for both, from its start on.
 */
extern ColumnNode *column_node(PlanState *node);

/* The column of the scan tuple, from 0 on, that a column of its result is, which counts from 1 on; -1: it is no key, or no number. */
extern int key_column(const ColumnNode *node, AttrNumber attno);
extern int number_column(const ColumnNode *node, AttrNumber attno);

/* The next rows; false if there are none. They are there until the next call. */
extern bool next_column_rows(ColumnNode *node, ColumnRows *rows);

#endif
