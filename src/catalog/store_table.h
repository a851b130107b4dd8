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
 * Creates schema.relation with a column for each promoted or blocked label and one for
 * the value, fills it from a query whose columns are the coordinates in order
 * and the value, registers and analyzes it, and returns its OID. Entries that
 * are 0 or NULL are not stored. storage has its notation and bounds; labels,
 * columns and the rest are filled in. Errors: 2202E for blocks of an open label,
 * 42804 for another number or type of columns, 22003 for a coordinate out of range, 23505
 * for one that comes twice. further: as declare_storage.
 */
extern Oid store_tensor(Storage *storage, const char *schema, const char *relation,
						const char *query, bool further);

#endif
