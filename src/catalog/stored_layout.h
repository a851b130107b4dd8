/*-------------------------------------------------------------------------
 *
 * stored_layout.h
 *	  Tensors whose entries are in arrays of a relation's rows.
 *
 * The first labels are keys of a row, the others the indices of a layout
 * (kernels/layout/layout.h): of 'lists(neighbours,weights)' with keys '{id}' a row has
 * the entries a[id, neighbours[p]] = weights[p]. All labels are promoted: whatever reads
 * the tensor reads a subquery in place of the relation, which has a row for each entry.
 *
 * 'symmetric', alone over rows or before the name of a layout, stores a symmetric tensor
 * by one half: each entry stands also for the one whose last two indices are exchanged.
 * With 'symmetric lists(neighbours)' these are a key of the row and an index of the
 * layout.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_STORED_LAYOUT_H
#define CATALOG_STORED_LAYOUT_H

#include "catalog/range_storage.h"
#include "catalog/registration.h"
#include "catalog/tensor_storage.h"
#include "utils/relcache.h"

/* As a number of keys: those of the labels that are left beside the layout's indices. */
#define KEYS_LEFT_OVER (-1)

/*
 * Reads "csr(indptr,indices,data)" of a storage whose notation is set and whose rows have
 * row_keys keys, the first labels. With KEYS_LEFT_OVER a layout that may have more
 * indices or fewer, for the same columns, has as many as it can. Returns false with
 * *problem filled if the text, or the number of labels or columns, is no layout's.
 */
extern bool set_layout(Storage *storage, const char *text, int row_keys,
					   StorageProblem *problem);

/*
 * Returns the text that set_layout reads, the same for the same layout; NULL for rows as
 * they are.
 */
extern char *layout_text(const Storage *storage);

/* Is a subquery read in place of the relation? */
static inline bool
is_read_by_subquery(const Storage *storage)
{
	return storage->layout || storage->symmetric || has_ranges(storage);
}

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
 * True unless the storage is symmetric and its last two labels cannot be exchanged: they
 * need the same bound, and keys of one type. A bound that is to be read off the data is
 * that of the other one, if that is known. Returns false with *problem filled otherwise.
 */
extern bool resolve_symmetry(Storage *storage, Relation relation,
							 StorageProblem *problem);

/*
 * Are mirror images made of the rows with the entries? Else einsum_stored_entries returns
 * them, or there are none.
 */
extern bool mirrored_by_rows(const Storage *storage);

/*
 * The last two labels of a symmetric storage, as a bitmask; 0 of others. Keys that are
 * unique in the relation are so among entries and images only together with these.
 */
extern int exchanged_dimensions(const Storage *storage);

/*
 * True if no row has two entries of the same indices, whatever its arrays have, and no
 * entry has the indices of another one's mirror image. Returns false with *problem filled
 * otherwise.
 */
extern bool layout_has_unique_entries(const Storage *storage, Relation relation,
									  StorageProblem *problem);

/*
 * Errors unless the relation has one row at most where no keys tell rows apart; reads the
 * bounds of labels that count positions off the data, where they are unknown.
 */
extern void check_layout_rows(Storage *storage, Relation relation);

/*
 * Returns the rows of a storage as an item of FROM, without alias: the quoted and
 * qualified name of its relation or, of a layout or of ranges of keys, a subquery with a
 * column for each label and for the value. Columns of keys and values are the same wherever they are read.
 */
extern char *storage_relation_sql(const Storage *storage);

#endif
