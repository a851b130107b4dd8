/*-------------------------------------------------------------------------
 *
 * range_storage.h
 *	  Tensors whose key columns have ranges of keys.
 *
 * A row of price[P,D] with the keys (7, '[2020-01-01,2020-02-01)') holds its value at each
 * day of January. What reads the tensor reads a subquery in place of the relation, which
 * has a row for each key in a range; or, where a join or a condition has the key already,
 * a row for each range, which contains the key or not.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_RANGE_STORAGE_H
#define CATALOG_RANGE_STORAGE_H

#include "catalog/registration.h"
#include "catalog/tensor_storage.h"
#include "utils/relcache.h"

/* Has a storage, once it is resolved, key columns with ranges of keys? */
static inline bool
has_ranges(const Storage *storage)
{
	return storage->ranges == RANGES_OF_KEYS;
}

/* The labels whose key columns have ranges, as a bitmask. */
extern int range_dimensions(const Storage *storage);

/*
 * If a key column has ranges, sets range_type, and key_type to that of the keys in them.
 * Returns false with *problem filled if the label cannot have ranges.
 */
extern bool resolve_range(Storage *storage, StorageDimension *dimension,
						  Relation relation, StorageProblem *problem);

/*
 * Returns a subquery with the columns of keys and values: for dimensions in contained (a
 * bitmask) the ranges, for those in measured the numbers of keys in ranges that are not
 * empty, as float8; else a row for each key in them.
 */
extern char *range_rows_sql(const Storage *storage, int contained, int measured);

/*
 * Returns the same for checks and statistics: a row for each range that is not empty,
 * with the last key in it, and in first_key_column the first one.
 */
extern char *range_ends_sql(const Storage *storage);
extern char *first_key_column(const Storage *storage, int dimension);

/*
 * Returns the statement that makes keys unique of which some are ranges: without overlap
 * in rows whose other keys are equal.
 */
extern char *exclude_statement(const Storage *storage, Relation relation);

/*
 * Returns the mean number of keys in the ranges of a column whose label has a bound, by
 * what ANALYZE has found.
 */
extern double mean_keys(Oid relid, AttrNumber attno, int64 bound);

/*
 * Returns the number of keys between the first and the last range of a column, by what
 * ANALYZE has found; -1 if not known.
 */
extern double spanned_keys(Oid relid, AttrNumber attno);

#endif
