/*-------------------------------------------------------------------------
 *
 * dimensions.h
 *	  Aggregates over labels whose index set is the keys of a table, a dimension.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_DIMENSIONS_H
#define EXPR_DIMENSIONS_H

#include "expr/expr.h"

/* Returns those of the labels whose bound is a dimension. */
extern Bitmapset *labels_of_dimensions(const Program *program, const Bitmapset *labels);

/*
 * Can labels of this bound be key columns only? The indices of an open label are the keys
 * that occur; those of a dimension have places in a value only if its table has a column
 * of positions.
 */
extern bool label_is_key(Program *program, int64 bound);

/*
 * Do labels of this bound have the same places in values in all queries of a program?
 * Those of a dimension do if the queries have one snapshot; without a column of
 * positions, the places follow the order of the keys.
 */
extern bool places_stay(const Program *program, int64 bound);

/*
 * Returns an expression without labels for the number of index vectors of labels, some of
 * which are of dimensions. It is real and has the precision of the type.
 */
extern TensorExpr *count_of_indices(Program *program, const Bitmapset *labels,
									ElementType type, int location);

/*
 * Returns aggregate[labels] child over all entries, also those that are not stored:
 * expr_aggregate, if the result for those is known; else an expression that counts them
 * and has an entry everywhere. Errors: as dimension_entry.
 */
extern TensorExpr *aggregate_entries(Program *program, AggregateOperator aggregate,
									 Bitmapset *labels, TensorExpr *child, int location);

#endif
