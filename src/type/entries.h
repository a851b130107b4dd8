/*-------------------------------------------------------------------------
 *
 * entries.h
 *	  Arguments of einsum_entries and einsum_stored_entries, and what columns can be.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_ENTRIES_H
#define TYPE_ENTRIES_H

#include "kernels/layout/layout.h"

/* The arguments before the columns; of einsum_stored_entries those before the keys and columns. */
#define ENTRIES_FIRST_COLUMN 2
#define STORED_ENTRIES_FIRST_KEY 5

/* Finds the type of a column's elements; false for a type that no such column has. Domains count as what they are over. */
extern bool layout_column_type(Oid column, LayoutColumn kind, LayoutType *type);

/* Returns "It has indices: an array of ...": which types a column can have. */
extern const char *layout_column_types(LayoutColumn kind);

/* Returns "coo, csr, ...": the names of all layouts. */
extern char *layout_names(void);

#endif
