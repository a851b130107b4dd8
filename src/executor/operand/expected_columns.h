/*-------------------------------------------------------------------------
 *
 * expected_columns.h
 *	  Columns of tables that several queries of a loop are going to read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_EXPECTED_COLUMNS_H
#define EXECUTOR_OPERAND_EXPECTED_COLUMNS_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* The columns of one table that queries are going to read. */
typedef struct ExpectedColumns ExpectedColumns;

/*
 * Adds the tables and columns that a query reads, given by its trees after rewriting, to
 * a list of ExpectedColumns *, and returns the list. Allocates in the current context.
 */
extern List *expect_query(List *expected, const List *trees);

/*
 * The columns of a table if several queries read it, as OperandColumn *: integers as
 * keys, other numbers as values. NIL otherwise.
 */
extern List *expected_columns(const List *expected, Oid table);

#endif
