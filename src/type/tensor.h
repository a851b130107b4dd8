/*-------------------------------------------------------------------------
 *
 * tensor.h
 *	  The tensor value: a varlena that describes itself.
 *
 * Layout: varlena length, format version, element type, rank, flags, int32
 * bounds, zero padding to a multiple of 8; then the elements of a dense value, row-major,
 * or the entries of a sparse one (see sparse.h). The type's alignment is double, its
 * storage external.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_TENSOR_H
#define TYPE_TENSOR_H

#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "kernels/kernels.h"
#include "type/extension.h"

#define TENSOR_FORMAT_DENSE 1
#define TENSOR_FORMAT_SPARSE 2 /* see sparse.h */

typedef struct Tensor
{
	int32 vl_len_; /* varlena header (do not touch directly!) */
	uint8 format;  /* TENSOR_FORMAT_DENSE or _SPARSE */
	uint8 type;    /* ElementType */
	uint8 rank;
	uint8 flags; /* 0 if dense; see sparse.h, and state.h for a tensor_state */
	int32 bounds[FLEXIBLE_ARRAY_MEMBER];
} Tensor;

#define TENSOR_HEADER_SIZE(rank)                                                         \
	MAXALIGN(offsetof(Tensor, bounds) + sizeof(int32) * (rank))

/*
 * Limit in kB of a kernel's operands and result, and of a sparse value that is made
 * dense.
 */
extern int max_kernel_bytes;

/* Raises 0A000: the caller cannot read a value of this format. */
pg_noreturn extern void refuse_format(const Tensor *tensor);

/*
 * Guards every access to elements: a sparse value must have been made dense before.
 * Errors: 0A000 unless the value is dense.
 */
static inline void
check_dense(const Tensor *tensor)
{
	if (unlikely(tensor->format != TENSOR_FORMAT_DENSE))
		refuse_format(tensor);
}

/* Returns the elements of a dense value. Errors: as check_dense. */
static inline void *
tensor_elements(const Tensor *tensor)
{
	check_dense(tensor);
	return (char *) tensor + TENSOR_HEADER_SIZE(tensor->rank);
}

static inline bool
is_sparse(const Tensor *tensor)
{
	return tensor->format == TENSOR_FORMAT_SPARSE;
}

/* Guards code that reads only headers. Errors: 0A000 for an unknown format. */
static inline void
check_format(const Tensor *tensor)
{
	if (unlikely(tensor->format != TENSOR_FORMAT_DENSE && !is_sparse(tensor)))
		refuse_format(tensor);
}

/*
 * Returns a new dense copy of a sparse value; messages name the function that fcinfo
 * calls, unless NULL. Errors: 54000 if it exceeds max_kernel_bytes.
 */
extern Tensor *sparse_to_dense(const Tensor *tensor, FunctionCallInfo fcinfo);

/*
 * Returns a flat value itself if it is dense, else a dense copy. Errors: as
 * sparse_to_dense.
 */
static inline Tensor *
make_dense(Tensor *tensor, FunctionCallInfo fcinfo)
{
	if (unlikely(is_sparse(tensor)))
		return sparse_to_dense(tensor, fcinfo);
	check_dense(tensor);
	return tensor;
}

/* Returns a datum of type tensor in flat and dense form. Errors: as make_dense. */
static inline Tensor *
DatumGetDenseTensor(Datum datum)
{
	return make_dense((Tensor *) PG_DETOAST_DATUM(datum), NULL);
}

/* Returns a tensor datum in flat form, dense or sparse. Errors: as check_format. */
extern Tensor *DatumGetTensorOfAnyFormat(Datum datum);

#define PG_GETARG_TENSOR_P(n)                                                            \
	make_dense((Tensor *) PG_DETOAST_DATUM(PG_GETARG_DATUM(n)), fcinfo)
#define PG_RETURN_TENSOR_P(t) PG_RETURN_POINTER(t)

/*
 * Writes the header and its padding of a dense value; the elements follow in memory.
 * Every value is made by this function. shape_count must accept the bounds.
 */
extern void tensor_write_header(Tensor *tensor, ElementType type, int rank,
								const int64 *bounds);

/*
 * Returns a new tensor with zeroed elements, in the current context. Errors: 54000 if
 * rank or size exceeds the limits.
 */
extern Tensor *tensor_new(ElementType type, int rank, const int64 *bounds);

/*
 * Bytes written between two checks for interrupts: the first write to new memory may take
 * more than a second per GB.
 */
#define PIECE_BYTES ((Size) 1 << 24)

/* Do the same as palloc0 and memcpy, with checks for interrupts. */
extern void *zeroed_in_pieces(Size bytes);
extern void copy_in_pieces(void *to, const void *from, Size bytes);

/* Number of elements. */
extern int64 tensor_count(const Tensor *tensor);

/* A view of the value's elements. Errors: as check_dense. */
extern void tensor_view(const Tensor *tensor, TensorView *view);

/* Returns the shape as "2x3", for messages. */
extern char *tensor_shape_string(const Tensor *tensor);

/*
 * tensor_parse reads a text form as a dense value, float8 unless the text names a type;
 * tensor_to_string writes a dense value. Errors: those of tensor_in, and as make_dense.
 */
extern Tensor *tensor_parse(const char *text);
extern char *tensor_to_string(const Tensor *tensor);

#endif
