/*-------------------------------------------------------------------------
 *
 * store_layout.h
 *	  Writing the arrays of a table whose storage has a layout.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_STORE_LAYOUT_H
#define CATALOG_STORE_LAYOUT_H

#include "lib/stringinfo.h"

#include "catalog/registration.h"

/* What the table's columns are made of. */
typedef struct LayoutTable
{
	const Storage *storage;
	/* types of the query's columns, the indices and the value */
	const Oid *types;
	Oid relid; /* once it has been created */
} LayoutTable;

/* Appends ", indptr pg_catalog.int4[] NOT NULL": the columns of the layout. */
extern void append_layout_columns(StringInfo sql, const LayoutTable *table);

/*
 * Returns the statement by which arrays of the table with this name are not compressed, so
 * that parts of them can be read; NULL if it has none.
 */
extern char *array_storage_sql(const LayoutTable *table, const char *name);

/*
 * Inserts the rows. entries: SQL behind FROM that has the entries of the tensor as q,
 * with checked indices c0, c1, ... and the value v, a double precision; key_sql: of each
 * key of a row. Without keys there is one row always. Errors: 22003 for an entry that
 * the layout has no place for, 23505 for indices that occur twice, 54000 for arrays that
 * are too large.
 */
extern void store_arrays(const LayoutTable *table, const char *entries,
						 char *const *key_sql);

#endif
