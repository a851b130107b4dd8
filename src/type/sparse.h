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

#include "kernels/function_type.h"
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

/* Does the dense form of a sparse value take more than max_kernel_bytes? */
extern bool sparse_exceeds_dense(const Tensor *tensor);

/* Raises 22P04, as for corrupt data, if a value is not as long as its header says. */
extern void sparse_check(const Tensor *tensor);

/* The entries of a flat sparse value, which must stay where it is. */
typedef struct SparseEntries
{
	ElementType type;
	int64 count;
	bool wide; /* positions have 8 bytes, else 4 */
	const void *positions;
	const char *elements;
	Size step; /* bytes from an element to the next; 0 if all are the same */
} SparseEntries;

extern SparseEntries sparse_entries(const Tensor *tensor);

/* Returns the position of an entry. */
static inline uint64
entry_position(const SparseEntries *entries, int64 i)
{
	return entries->wide ? ((const uint64 *) entries->positions)[i]
						 : ((const uint32 *) entries->positions)[i];
}

/* Returns the element of an entry. */
static inline const void *
entry_element(const SparseEntries *entries, int64 i)
{
	return entries->elements + entries->step * i;
}

/* Returns the element of an entry as a number. */
extern Number entry_complex(const SparseEntries *entries, int64 i);

/* Does the same for an element of a real type. */
static inline double
entry_number(const SparseEntries *entries, int64 i)
{
	const void *element = entry_element(entries, i);

	return entries->type == ELEMENT_FLOAT4 ? *(const float *) element
										   : *(const double *) element;
}

/* Returns the number of entries whose positions are less than this one. */
extern int64 entries_before(const SparseEntries *entries, uint64 position);

/* Returns the fill, and its parts. */
extern const void *sparse_fill(const Tensor *tensor);
extern Number sparse_fill_number(const Tensor *tensor);

/*
 * Is this number, in the precision of the elements, the fill? Never if it is NaN, from
 * which every element differs.
 */
extern bool sparse_has_fill(const Tensor *tensor, Number fill);

/*
 * Returns a datum of type tensor in flat form, sparse if its fill is this one, or both
 * are NaN, else dense. Errors: as make_dense.
 */
extern Tensor *DatumGetTensorWithFill(Datum datum, Number fill);

/* The number of elements other than 0, gaps included. */
extern int64 sparse_count_nonzero(const Tensor *tensor);

/*
 * Returns the sub-tensor behind some first dimensions, whose first element has a row-major
 * position: sparse, but dense if it is one element.
 */
extern Tensor *sparse_sub_tensor(const Tensor *tensor, int given, uint64 position);

/*
 * Returns a sparse value of real elements times a number, as float8 and sparse, with the
 * fill times the number. NULL for another value.
 */
extern Tensor *sparse_times(const Tensor *tensor, double number);

/*
 * Adds the entries of a value of real elements, whose fill is 0, to a sum. Errors: 22P04
 * for a position beyond the bounds.
 */
extern void sparse_add(const Tensor *tensor, double *sum);

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

/*
 * Sets *x and *y to float8 vectors of the pairs of elements of two values that count in a
 * sum over all pairs (sparse_pairs.c); products: of their products. False if neither
 * is sparse, a sparse one has another fill than 0, one is complex, or shapes differ.
 */
extern bool sparse_pairs(const Tensor *a, const Tensor *b, bool products, Tensor **x,
						 Tensor **y);

/*
 * Return a sparse value with its elements under another shape of as many; with those whose
 * indices are from lower to upper - 1; or with dimension order[d] as dimension d
 * (sparse_arrange.c).
 */
extern Tensor *sparse_reshape(const Tensor *tensor, int rank, const int64 *bounds);
extern Tensor *sparse_slice(const Tensor *tensor, const int64 *lower, const int64 *upper);
extern Tensor *sparse_permute(const Tensor *tensor, const int64 *order);

/* Converts a sparse value to another element type. */
extern Tensor *sparse_convert(const Tensor *tensor, ElementType type);

#endif
