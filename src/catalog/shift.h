/*-------------------------------------------------------------------------
 *
 * shift.h
 *	  Stored tensors read at shifted and at constant indices.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_SHIFT_H
#define CATALOG_SHIFT_H

#include "catalog/registration.h"
#include "catalog/tensor_statistics.h"

/*
 * How a shifted tensor y reads another one, x. The entry of y at index i is x's entry
 * whose index, in each dimension d of x, is i[place[d]] + offset[d], or offset[d] if
 * place[d] is -1. Where x has no such index, it is x's fill.
 */
typedef struct TensorShift
{
	const TensorEntry *of; /* x; NULL: x is not stored */
	int rank;              /* of x */
	int64 bounds[TENSOR_MAX_RANK];
	int place[TENSOR_MAX_RANK];
	int64 offset[TENSOR_MAX_RANK];
} TensorShift;

/*
 * Does the index in a dimension of x differ from the shifted tensor's: is it shifted or
 * constant?
 */
extern bool shift_moves(const TensorShift *shift, int dimension);

/*
 * Can a shifted or constant index of this dimension be computed from the key, or found in
 * the value?
 */
extern bool dimension_can_move(const StorageDimension *dimension);

/*
 * Returns the type of shifted keys with this bound. Shifted keys of an open label may be
 * larger than those that are stored.
 */
extern Oid shifted_key_type(int64 bound);

/*
 * Returns the number of dimensions of the shifted tensor, and sets their bounds. They are
 * those dimensions of x that have a place, in their order.
 */
extern int shift_bounds(const TensorShift *shift, int64 *bounds);

/*
 * Returns the shifted tensor, with a storage for each storage of x from which it can be
 * read. It cannot be read where a shifted or constant index is split in blocks, or is not
 * an integer. So there may be no storage.
 */
extern TensorEntry *shift_tensor(const TensorShift *shift);

/* Returns the statistics of the shifted tensor, from those of x. */
extern const TensorStatistics *shift_statistics(const TensorShift *shift,
												const TensorStatistics *of);

#endif
