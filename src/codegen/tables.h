/*-------------------------------------------------------------------------
 *
 * tables.h
 *	  Stages that are tables, filled from a view each.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_TABLES_H
#define CODEGEN_TABLES_H

#include "codegen/source.h"

/* The name of the view that a table is filled from. */
extern char *filling_view_name(const char *table);

/* Does no index vector occur twice in a stage's result, whatever is stored? */
extern bool result_is_unique(const ProgramPlan *plan, const Stage *stage);

/*
 * Completes a stage's registration as a table, which has these columns: the
 * view it is filled from, and what its constraints will prove.
 */
extern void describe_table(Storage *storage, TupleDesc columns, bool unique);

/*
 * The statements that make a table for rows of the view, with the constraints
 * that storage stands for. value_is_tensor: or a number. filled: with the rows that the view has now. fillfactor: 0
 * for PostgreSQL's.
 */
extern List *create_table_statements(const Storage *storage, const char *table,
									 const char *view, bool value_is_tensor, bool filled,
									 int fillfactor);

/* The statements that fill it: a DELETE, an INSERT. */
extern List *fill_statements(const Storage *storage, const char *table, const char *view,
							 bool ordered);

/*
 * The table of a stage with the view it is filled from, and empty or as it was
 * before. One that is there must be among replaceable (replace.h); it is kept
 * if columns and registration are the same. To be called within SPI.
 */
extern Oid put_table(const char *schema, Storage *storage, const char *query, bool unique,
					 const List *replaceable, bool same_meaning, Oid *view);

/* The views that those of these relations are filled from that are tables. */
extern List *filling_views(const List *relations);

/* The relations among these that are filled from views. */
extern List *filled_tables(const List *relations);

/* The registration of a table that is filled from a view, or NULL. */
extern Storage *filled_storage(Oid relation);

/* Do the types of all key columns have an order? Open labels need only equality. */
extern bool keys_have_order(const Storage *storage, TupleDesc columns);

#endif
