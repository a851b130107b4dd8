/*-------------------------------------------------------------------------
 *
 * dimension.h
 *	  Dimensions: tables whose keys are the index set of labels.
 *
 * A dimension is a registered tensor of rank 1 without a value column, whose bound is
 * itself: it is 1 at every key that there is, and programs read it by its name. Labels of
 * other tensors refer to it by name; in memory such a bound is a number that tells which
 * column of which table it is.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_DIMENSION_H
#define CATALOG_DIMENSION_H

#include "catalog/registration.h"
#include "catalog/tensor_storage.h"
#include "parser/syntax.h"
#include "utils/relcache.h"

/*
 * Converts between a column of a table, the keys of a dimension, and the number that
 * stands for it as the bound of labels.
 */
extern int64 dimension_bound(Oid relid, AttrNumber attno);
extern Oid dimension_relation(int64 bound);
extern AttrNumber dimension_attno(int64 bound);

/* Returns the type of a dimension's keys. */
extern Oid dimension_key_type(int64 bound);

/*
 * Returns the column that orders the keys of a dimension inside of values; labels over
 * the dimension may then be demoted, stacked and split in blocks. NULL if it has none.
 */
extern char *dimension_position(int64 bound);

/*
 * Like dimension_position, for a dimension that had positions when a label was resolved.
 * Errors: 42704 if it has lost them since.
 */
extern char *require_position(int64 bound);

/* Is a storage that of a dimension itself, rather than of a tensor over one? */
extern bool is_dimension(const Storage *storage);

/*
 * Returns the name of a dimension, or of its table if the dimension was removed; for
 * messages.
 */
extern char *dimension_name(int64 bound);

/*
 * Returns the name of a dimension as arguments and labels of a relation in this schema
 * write it. Errors: 42704 if it no longer exists.
 */
extern char *index_set_name(int64 bound, Oid schema);

/*
 * Returns the tensor that is 1 at each key of the dimension. Errors: 42704 if it no
 * longer exists, and those of looking it up.
 */
extern TensorEntry *dimension_entry(int64 bound);

/*
 * Looks up the dimensions that a storage names, from the schema of its relation, and sets
 * bounds that are BOUND_UNRESOLVED. Bounds of dimensions that do not exist stay as they
 * are.
 */
extern void resolve_index_sets(Storage *storage);

/*
 * Looks up the dimension of one key, whose column is known. Returns false with *problem
 * filled if the dimension does not fit.
 */
extern bool resolve_index_set(const Storage *storage, StorageDimension *dimension,
							  Relation relation, StorageProblem *problem);

/*
 * Qualifies names of dimensions that have no schema and are not found in the relation's
 * schema: they get the first schema of the search path that has them. schema may be
 * InvalidOid: then all names are qualified.
 */
extern void qualify_index_sets(Storage *storage, Oid schema);

/*
 * Returns how many indices a label has, for estimates: its bound; infinity if it is open;
 * for a dimension an estimate from the pages of its table.
 */
extern double estimated_bound(int64 bound);

/*
 * Does a foreign key prove that a column of a table has only keys of that dimension, and
 * NULLs? It must be checked at the end of each statement, and for all rows. The caller
 * holds locks on both tables.
 */
extern bool key_is_in_dimension(Relation relation, AttrNumber attno, Oid dimension,
								AttrNumber dimension_key);

/*
 * Checks the positions of a dimension: they must be unique integers, not NULL or
 * negative, and no larger than indices of a tensor may be. Errors: 55000, 22003, 42710.
 */
extern void check_positions(const Storage *storage, Relation relation);

/*
 * Checks values that have a dimension inside: they must be the fill at positions that no
 * key has. Errors: 22003.
 */
extern void check_values_by_position(const Storage *storage, Relation relation);

/*
 * Checks that all keys of a relation are in their dimensions. Errors: 22003 with the
 * first key that is not.
 */
extern void check_dimension_keys(const Storage *storage, Relation relation);

#endif
