/*-------------------------------------------------------------------------
 *
 * entries.h
 *	  Arguments of einsum_entries(layout, fill, columns...), and what columns can be.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_ENTRIES_H
#define TYPE_ENTRIES_H

#include "kernels/layout/layout.h"

/* The arguments before the columns. */
#define ENTRIES_FIRST_COLUMN 2

/*
 * Finds what kind of elements an array type has, or a domain over one. False for what is no
 * column of a layout: one of indices has integers.
 */
extern bool layout_element_type(Oid array, bool integers, LayoutType *type);

/* Returns "coo, csr, ...": the names of all layouts. */
extern char *layout_names(void);

#endif
