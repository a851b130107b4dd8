/*-------------------------------------------------------------------------
 *
 * sparse.h
 *	  Sparse tensor values, format 2: a fill, and the entries that differ from it.
 *
 * Only sparse.c knows how the entries lie in memory. Positions are row-major and
 * ascend; no entry equals the fill, zeros have no sign and NaNs one form: with a
 * given fill each value has exactly one form. Functions that compute get a value by the
 * readers of call.h or DatumGetDenseTensor, which make it dense.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_SPARSE_H
#define TYPE_SPARSE_H

#include "postgres.h"

#include "type/tensor.h"

/* A flag: all entries, at least one, have the same element, which is stored once. */
#define SPARSE_ONE_ELEMENT 0x01

/* Room for one element of any type. */
typedef union SparseElement
{
	float singles[2];
	double doubles[2];
} SparseElement;

/* A sparse value being built from entries in ascending order of position. */
typedef struct SparseBuilder
{
	ElementType type;
	int rank;
	int64 bounds[TENSOR_MAX_RANK];
	SparseElement fill;
	int64 count;
	int64 capacity;
	uint64 *positions;
	char *elements;
} SparseBuilder;

/*
 * Returns the product of the bounds, which may exceed the limit of a dense tensor; -1 if
 * the product of the bounds other than 0 exceeds 2^63 - 1.
 */
extern int64 sparse_extent(int rank, const int64 *bounds);

/*
 * Begins a value whose fill is 0. Errors: 54000 if the product of its bounds, which
 * are int4 and not negative, is too large.
 */
extern void sparse_begin(SparseBuilder *builder, ElementType type, int rank,
						 const int64 *bounds);

/* Returns a number as an element of this type, in the one form that zero and NaN have. */
extern SparseElement sparse_element(ElementType type, double re, double im);

/* Adds an entry; its position must be greater than the last entry's. */
extern void sparse_append(SparseBuilder *builder, uint64 position, SparseElement element);

/* Adds an entry unless it is the fill. */
extern void sparse_append_other(SparseBuilder *builder, uint64 position, double re,
								double im);

/* Does an entry equal the fill? */
extern bool sparse_repeats_fill(const SparseBuilder *builder);

/*
 * Returns the finished value and frees the builder's memory. Errors: 54000 if it exceeds
 * 1 GB.
 */
extern Tensor *sparse_finish(SparseBuilder *builder);

/* Raises 22P04, as for corrupt data, if a value is not as long as its header says. */
extern void sparse_check(const Tensor *tensor);

/* The number of entries, the position of an entry, its element, and the fill. */
extern int64 sparse_count(const Tensor *tensor);
extern uint64 sparse_position(const Tensor *tensor, int64 entry);
extern const void *sparse_entry(const Tensor *tensor, int64 entry);
extern const void *sparse_fill(const Tensor *tensor);

/* Bytes of a stored position: 4 for fewer than 2^32 positions, else 8. */
extern int sparse_position_width(int rank, const int64 *bounds);

/* Converts a dense value to a sparse one with the given fill. */
extern Tensor *sparse_from_dense(const Tensor *tensor, double fill);

/*
 * Returns a sparse value with the elements from a position on replaced by those of a dense
 * value of the same element type.
 */
extern Tensor *sparse_replace(const Tensor *tensor, int64 position,
							  const Tensor *elements);

/* Converts a sparse value to another element type. */
extern Tensor *sparse_convert(const Tensor *tensor, ElementType type);

#endif
