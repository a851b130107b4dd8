/*-------------------------------------------------------------------------
 *
 * stored_layout.h
 *	  Tensors whose entries are in arrays of a relation's rows.
 *
 * The first labels are keys of a row, the others the indices of a layout
 * (kernels/layout/layout.h): of 'lists(neighbours,weights)' with keys '{id}' a row has the
 * entries a[id, neighbours[p]] = weights[p]. All labels are promoted: whatever reads the
 * tensor reads a subquery in place of the relation, which has a row for each entry.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_STORED_LAYOUT_H
#define CATALOG_STORED_LAYOUT_H

#include "catalog/registration.h"
#include "catalog/tensor_storage.h"
#include "utils/relcache.h"

/*
 * Reads "csr(indptr,indices,data)" of a storage whose notation is set and whose rows have
 * row_keys keys, the first labels. Returns false with *problem filled if the text, or the
 * number of labels or columns, is no layout's.
 */
extern bool set_layout(Storage *storage, const char *text, int row_keys,
					   StorageProblem *problem);

/* Returns the text that set_layout reads, the same for the same layout. */
extern char *layout_text(const Storage *storage);

/* Is a label an index of the storage's layout, and so no key column? */
static inline bool
is_layout_index(const Storage *storage, int dimension)
{
	return storage->layout && dimension >= storage->layout->first;
}

/* The labels that are indices of the layout, as a bitmask; 0 without a layout. */
extern int layout_dimensions(const Storage *storage);

/* Returns the number of key columns: without labels inside of values, or of a layout. */
extern int key_column_count(const Storage *storage);

/* Finds the columns and their types. Returns false with *problem filled otherwise. */
extern bool resolve_layout(Storage *storage, Relation relation, StorageProblem *problem);

/*
 * True if no row has two entries of the same indices, whatever its arrays have. Returns
 * false with *problem filled otherwise.
 */
extern bool layout_has_unique_entries(const Storage *storage, StorageProblem *problem);

/*
 * Errors unless the relation has one row at most where no keys tell rows apart; reads the
 * bounds of labels that count positions off the data, where they are unknown.
 */
extern void check_layout_rows(Storage *storage, Relation relation);

/*
 * Returns the rows of a storage as an item of FROM, without alias: the quoted and qualified
 * name of its relation or, of a layout, a subquery with a column for each label and for the
 * value. Columns of keys and values are the same wherever they are read.
 */
extern char *storage_relation_sql(const Storage *storage);

#endif
