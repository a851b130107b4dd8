/*-------------------------------------------------------------------------
 *
 * store_table.h
 *	  Making a table that holds a tensor, from a query that lists its entries.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_STORE_TABLE_H
#define CATALOG_STORE_TABLE_H

#include "catalog/registration.h"

/*
 * Creates table schema.relation, with a column for each promoted or blocked label and one
 * for the value, or with those of the layout. Fills it from a query whose columns are the
 * coordinates, in order, and the value; entries that are the fill or NULL are not stored.
 * Registers and analyzes the table, and returns its OID. storage has notation, bounds,
 * layout and fill; its other fields are filled in. further: as for declare_storage.
 * Errors: 2202E for blocks of an open label, 42804 for another number or type of columns,
 * 22003 for a coordinate out of range, or entries that a layout has no place for, 23505
 * for a coordinate that occurs twice.
 */
extern Oid store_tensor(Storage *storage, const char *schema, const char *relation,
						const char *query, bool further);

#endif
