/*-------------------------------------------------------------------------
 *
 * unique_proof.h
 *	  What the constraints of a relation prove about the keys of a tensor.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_UNIQUE_PROOF_H
#define CATALOG_UNIQUE_PROOF_H

#include "catalog/registration.h"
#include "utils/relcache.h"

/*
 * Finds a unique index over some of the key columns of a resolved storage, in which no
 * two rows can agree: immediate, valid, without predicate or expressions, over NOT NULL
 * columns, and with the equality that queries use. Sets unique_index, unique_dimensions
 * and constraint; false if there is no such index.
 */
extern bool find_unique_proof(Storage *storage, Relation relation);

/*
 * Is the column part of the primary key that proves the keys unique? Then it has no NULL
 * as long as anything depends on that constraint.
 */
extern bool proved_not_null(const Storage *storage, AttrNumber attno);

/*
 * Are the keys unique among rows without NULL keys, even if the columns are not NOT NULL?
 */
extern bool present_keys_are_unique(const Storage *storage, Relation relation);

/*
 * Returns the names of columns that may be NULL if that is all that keeps a unique index
 * from being a proof.
 */
extern List *nullable_unique_columns(const Storage *storage, Relation relation);

/*
 * Sets range_proved of the keys that CHECK constraints keep within the bounds, apart from
 * NULLs.
 */
extern void find_range_proofs(Storage *storage, Relation relation);

/*
 * Does the relation read rows for which its CHECK and NOT NULL constraints need not hold?
 * PostgreSQL never tests those of a foreign table, nor of the foreign partitions of a
 * partitioned table. A plan that reads a partitioned table is invalidated when a
 * partition is attached to it, or to a partition of it that the plan reads.
 */
extern bool has_unchecked_rows(Relation relation);

/*
 * Returns the CHECK constraints that hold for every row, as an implicit AND over variable
 * 1.
 */
extern List *proven_checks(Relation relation);

/*
 * Does a CHECK constraint prove that one of two columns of the same type is nowhere
 * larger than the other? Whichever it is; rows with a NULL do not count.
 */
extern bool columns_are_ordered(Relation relation, AttrNumber one, AttrNumber other);

/* Is the column proved NOT NULL in every row? */
extern bool has_no_null(Relation relation, AttrNumber attno);

/*
 * Returns the set of dimensions, as a bitmask, whose key columns a unique index covers:
 * no two rows have the same index vector over them. 0 if there is no such index.
 */
extern int unique_dimensions(const Storage *storage, Relation relation);

#endif
