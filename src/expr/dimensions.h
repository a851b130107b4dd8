/*-------------------------------------------------------------------------
 *
 * dimensions.h
 *	  Aggregates over labels whose index set is the keys of a table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_DIMENSIONS_H
#define EXPR_DIMENSIONS_H

#include "expr/expr.h"

/* The labels among these whose bound is a dimension's. */
extern Bitmapset *labels_of_dimensions(const Program *program, const Bitmapset *labels);

/*
 * Are labels of this bound keys always? The indices of an open one are what occurs; those of
 * a dimension have places in a value only if its table says in which order.
 */
extern bool label_is_key(Program *program, int64 bound);

/*
 * Do labels of this bound have places in values that are the same in all queries of a program? Those of a
 * dimension do if the queries have one snapshot; without positions they are in the order of the keys.
 */
extern bool places_stay(const Program *program, int64 bound);

/*
 * How many index vectors labels have, some of which are of dimensions: an expression without labels, as real as
 * this type and as precise.
 */
extern TensorExpr *count_of_indices(Program *program, const Bitmapset *labels,
									ElementType type, int location);

/*
 * aggregate[labels] child, where every entry counts that is not stored: expr_aggregate, if
 * what those amount to is known; else an expression that counts them, and has an entry
 * everywhere. Errors: as dimension_entry.
 */
extern TensorExpr *aggregate_entries(Program *program, AggregateOperator aggregate,
									 Bitmapset *labels, TensorExpr *child, int location);

#endif
