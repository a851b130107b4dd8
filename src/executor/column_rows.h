/*-------------------------------------------------------------------------
 *
 * column_rows.h
 *	  Rows that nodes of this extension return column by column.
 *
 * PostgreSQL's executor asks a node for one row at a time. A node of this extension may
 * ask a node of this extension below it for columns instead: arrays in the lower node's
 * memory, from which no single rows are made.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_COLUMN_ROWS_H
#define EXECUTOR_COLUMN_ROWS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "catalog/registration.h"

/* The most rows in a ColumnRows of a node that has to copy its rows into columns. */
#define MOST_COLUMN_ROWS 1024

#define MOST_COLUMNS (TENSOR_MAX_RANK + 1)

/*
 * Some rows of a node's scan tuple, column by column. A column has integers or float8, no
 * NULL.
 */
typedef struct ColumnRows
{
	int64 count;
	const int64 *keys[MOST_COLUMNS]; /* by column, from 0 on */
	const double *numbers[MOST_COLUMNS];
	const int64 *lasts; /* if rows are runs: the last key of each */
	/* the column, from 1 on, whose keys never descend in all rows of the node; 0: none */
	AttrNumber ascending;
} ColumnRows;

/* The first member of the state of a node that can return columns. */
typedef struct ColumnNode
{
	CustomScanState css;
	/* Starts the node; false if it can only return single rows after all. May be NULL. */
	bool (*begin_columns)(struct ColumnNode *node);
	/*
	 * Fills in the next rows; false behind the last. NULL: the node only returns single
	 * rows.
	 */
	bool (*next_rows)(struct ColumnNode *node, ColumnRows *rows);
	/*
	 * The column, from 1 on, whose keys ascend one by one in the rows of a run; 0: no
	 * column. With runs, next_rows returns one row for each run, with its first key.
	 */
	AttrNumber run_column;
	bool runs;
} ColumnNode;

/*
 * A plan that can return columns: a ColumnNode, or subquery scans that pass its rows on
 * as they are.
 */
typedef struct ColumnSource
{
	PlanState *top;
	ColumnNode *node;
} ColumnSource;

/*
 * Finds the node that returns a plan's rows as columns; false if the plan has no such
 * node. From its start on a plan is asked either for columns or for single rows.
 */
extern bool find_column_source(PlanState *top, ColumnSource *source);

/*
 * The number in ColumnRows (from 0) of a column of the plan's result (from 1); -1 if that
 * column is not an integer key (key_column), or not a float8 (number_column).
 */
extern int key_column(const ColumnSource *source, AttrNumber attno);
extern int number_column(const ColumnSource *source, AttrNumber attno);

/*
 * Starts the plan. False if it returns no columns after all; its single rows can then be
 * read from the first on.
 */
extern bool begin_column_rows(const ColumnSource *source);

/* Returns the next rows, which are valid until the next call; false behind the last. */
extern bool next_column_rows(const ColumnSource *source, ColumnRows *rows);

#endif
