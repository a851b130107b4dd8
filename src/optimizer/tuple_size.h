/*-------------------------------------------------------------------------
 *
 * tuple_size.h
 *	  The cost model: bytes of values and of tuples.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_TUPLE_SIZE_H
#define OPTIMIZER_TUPLE_SIZE_H

#include "optimizer/decomposition.h"
#include "optimizer/plan.h"
#include "optimizer/stage.h"

/* Bytes of a key, and of an element of a value. */
#define KEY_BYTES 8.0
#define ELEMENT_BYTES 8.0

/* Returns the bytes of a value whose demoted labels have this many entries. */
extern double value_bytes(bool scalar, double entries);

/*
 * Returns the bound of a label that is inside of values: a dimension has some room there.
 */
extern double bound_in_values(int64 bound, double estimate);

/* Returns the entries of a value over these labels of a stage. */
extern double value_entries(const Stage *stage, LabelMask labels,
							const Decomposition *choice);

/*
 * Returns the bytes of a tuple over these labels of a stage, and sets *value to those of
 * its value alone.
 */
extern double tuple_bytes(const Stage *stage, LabelMask labels,
						  const Decomposition *choice, double *value);

/*
 * Returns the bytes of a sparse value of this many entries: of each a position and an
 * element.
 */
extern double sparse_bytes(double entries);

/*
 * As tuple_bytes, of an operand that a stage reads in this number of tuples: where it is
 * stored as sparse values, each has its share of the entries.
 */
extern double operand_bytes(const Stage *stage, const Operand *operand,
							const Decomposition *choice, double tuples, double *value);

/*
 * Returns by how many bytes a tuple of a result that is kept, by a query or in a table, is
 * smaller with a sparse value; 0 if it has a dense one. A value is sparse where that is
 * less than a third of its bytes, by estimate, no reader multiplies it as a matrix, and
 * it is on disk or all readers take its entries.
 */
extern double saved_by_sparse_values(const ProgramPlan *plan, const Stage *stage);

/*
 * Returns the bytes of a value over these labels of a stage by their bounds, for
 * comparison with what is allowed.
 */
extern double allowed_bytes(const Stage *stage, LabelMask labels,
							const Decomposition *choice);

/*
 * Returns the distinct values of a label that is a key: of its indices, or of its blocks.
 */
extern double key_values(const Estimate *estimate, int label, const Decomposition *choice,
						 double bound);

#endif
