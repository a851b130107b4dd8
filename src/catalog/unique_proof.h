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
 * A unique index over a subset of the key columns of a resolved storage that
 * no two rows can agree in: immediate, valid, without predicate or
 * expressions, over NOT NULL columns, with the equality that queries use.
 * Fills unique_index, unique_dimensions and constraint; false if not found.
 */
extern bool find_unique_proof(Storage *storage, Relation relation);

/*
 * Is the column part of the primary key that proves the keys unique? Then it
 * has no NULL as long as what depends on that constraint exists.
 */
extern bool proved_not_null(const Storage *storage, AttrNumber attno);

/* The same whatever is NOT NULL, of the rows without NULL keys. */
extern bool present_keys_are_unique(const Storage *storage, Relation relation);

/*
 * Names of columns that are all that keeps a unique index from being a proof: they may be
 * NULL.
 */
extern List *nullable_unique_columns(const Storage *storage, Relation relation);

/* Fills range_proved: which keys, but for NULLs, CHECK constraints keep within
 * the bounds. */
extern void find_range_proofs(Storage *storage, Relation relation);

/*
 * Does the relation read rows of which its CHECK and NOT NULL need not hold? What
 * these say of a foreign table is a promise that PostgreSQL never tests, so
 * neither does it for the foreign partitions of a partitioned table. A plan that
 * reads a partitioned table does not survive the attachment of a partition, to it
 * or to a partition of it that the plan reads.
 */
extern bool has_unchecked_rows(Relation relation);

/* The CHECK constraints that hold of every row, as an implicit AND over variable 1. */
extern List *proven_checks(Relation relation);

/* Is the column NOT NULL in every row? */
extern bool has_no_null(Relation relation, AttrNumber attno);

/*
 * The set of dimensions, as a bitmask, whose key columns a unique index
 * covers: no two rows have the same index vector over them. 0 if none is known.
 */
extern int unique_dimensions(const Storage *storage, Relation relation);

#endif
