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
 * The entry of a shifted tensor y at i is that of another, x, at i[place] + offset in
 * each dimension, or at offset where place is -1; and x's fill where x has no such index.
 */
typedef struct TensorShift
{
	const TensorEntry *of; /* x; NULL: it is not stored */
	int rank;              /* of x */
	int64 bounds[TENSOR_MAX_RANK];
	int place[TENSOR_MAX_RANK];
	int64 offset[TENSOR_MAX_RANK];
} TensorShift;

/*
 * Is the index of a dimension of x another than the shifted tensor's: shifted, or
 * constant?
 */
extern bool shift_moves(const TensorShift *shift, int dimension);

/* Can another index of this dimension be computed from the key, or found in the value? */
extern bool dimension_can_move(const StorageDimension *dimension);

/*
 * The type of shifted keys of this bound. Open ones may be further than those of what is
 * shifted.
 */
extern Oid shifted_key_type(int64 bound);

/*
 * The number of dimensions of the shifted tensor, and their bounds. The places of x's are
 * of these in their order.
 */
extern int shift_bounds(const TensorShift *shift, int64 *bounds);

/*
 * The shifted tensor, in the decompositions in which it can be read off a storage of x:
 * not where a dimension is in blocks in which the index is shifted or constant, or where
 * it is not an integer. So there may be no storage.
 */
extern TensorEntry *shift_tensor(const TensorShift *shift);

/* Returns the statistics of the shifted tensor, from those of x. */
extern const TensorStatistics *shift_statistics(const TensorShift *shift,
												const TensorStatistics *of);

#endif
