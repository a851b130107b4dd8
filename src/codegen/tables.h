/*-------------------------------------------------------------------------
 *
 * tables.h
 *	  Stages that are tables, each of which is filled from a view.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_TABLES_H
#define CODEGEN_TABLES_H

#include "codegen/source.h"

/* Returns the name of the view that a table is filled from. */
extern char *filling_view_name(const char *table);

/* Has a stage's result at most one row for each index vector, whatever is stored? */
extern bool result_is_unique(const ProgramPlan *plan, const Stage *stage);

/*
 * Returns the statements that make a table for the rows of a view, with the constraints
 * that storage describes. value_is_tensor: else it is a number. filled: with the current
 * rows of the view. fillfactor: 0 for PostgreSQL's default.
 */
extern List *create_table_statements(const Storage *storage, const char *table,
									 const char *view, bool value_is_tensor, bool filled,
									 int fillfactor);

/* Returns the statements that fill a table again: a DELETE and an INSERT. */
extern List *fill_statements(const Storage *storage, const char *table, const char *view,
							 bool ordered);

/*
 * Creates the table of a stage, empty, and the view that fills it, and returns its OID.
 * An existing table must be in replaceable (replace.h); it is kept with its rows if its
 * columns and registration stay the same. Call it within SPI.
 */
extern Oid put_table(const char *schema, Storage *storage, const char *query, bool unique,
					 const List *replaceable, bool same_meaning, Oid *view);

/* Makes a view depend on a table, so that dropping the table drops the view. */
extern void tie_view_to_table(Oid view, Oid table);

/*
 * Returns the views that belong to tables among these relations: from which they are
 * filled, and which are current between refreshes.
 */
extern List *views_of_tables(const List *relations);

/* Returns the relations among these that are filled from views. */
extern List *filled_tables(const List *relations);

/* Returns the registration of a table that is filled from a view; else NULL. */
extern Storage *filled_storage(Oid relation);

/* Do the types of all key columns have an order? Open labels need only equality. */
extern bool keys_have_order(const Storage *storage, TupleDesc columns);

#endif
