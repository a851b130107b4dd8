/*-------------------------------------------------------------------------
 *
 * expected_columns.h
 *	  Columns of tables that several queries of a loop are going to read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_EXPECTED_COLUMNS_H
#define EXECUTOR_EXPECTED_COLUMNS_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* Of each table that some query reads. */
typedef struct ExpectedColumns ExpectedColumns;

/*
 * Adds those of a query, given by its trees after rewriting, to a list of ExpectedColumns
 * *, in the current context.
 */
extern List *expect_query(List *expected, const List *trees);

/*
 * The columns of a table that queries read where there are several, as OperandColumn *:
 * integers as keys, other numbers as values.
 */
extern List *expected_columns(const List *expected, Oid table);

#endif
