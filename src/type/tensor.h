/*-------------------------------------------------------------------------
 *
 * tensor.h
 *	  The tensor value: a varlena that describes itself.
 *
 * Layout: varlena length, format version, element type, rank, flags, int32
 * bounds, zero padding to a multiple of 8, elements row-major. The alignment
 * of the type is double, its storage external.
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

typedef struct Tensor
{
	int32 vl_len_; /* varlena header (do not touch directly!) */
	uint8 format;  /* TENSOR_FORMAT_DENSE, and no other yet */
	uint8 type;    /* ElementType */
	uint8 rank;
	uint8 flags; /* 0 of a value; of a tensor_state see state.h */
	int32 bounds[FLEXIBLE_ARRAY_MEMBER];
} Tensor;

#define TENSOR_HEADER_SIZE(rank)                                                         \
	MAXALIGN(offsetof(Tensor, bounds) + sizeof(int32) * (rank))

/* Raises 0A000: the value is not dense. */
pg_noreturn extern void refuse_format(const Tensor *tensor);

/*
 * The door to every value: what reads or fills elements takes them from here, and
 * so does what reads a header. Errors: 0A000 unless the value is dense.
 */
static inline void
check_dense(const Tensor *tensor)
{
	if (unlikely(tensor->format != TENSOR_FORMAT_DENSE))
		refuse_format(tensor);
}

/* The elements of a value. Errors: as check_dense. */
static inline void *
tensor_elements(const Tensor *tensor)
{
	check_dense(tensor);
	return (char *) tensor + TENSOR_HEADER_SIZE(tensor->rank);
}

/* A datum of type tensor, flat. Errors: as check_dense. */
static inline Tensor *
DatumGetDenseTensor(Datum datum)
{
	Tensor *tensor = (Tensor *) PG_DETOAST_DATUM(datum);

	check_dense(tensor);
	return tensor;
}

#define PG_GETARG_TENSOR_P(n) DatumGetDenseTensor(PG_GETARG_DATUM(n))
#define PG_RETURN_TENSOR_P(t) PG_RETURN_POINTER(t)

/*
 * Writes the header, with its padding, of a dense value whose elements are behind it:
 * every value is made by this. Bounds are such as shape_count accepts.
 */
extern void tensor_write_header(Tensor *tensor, ElementType type, int rank,
								const int64 *bounds);

/*
 * A new tensor with zeroed elements, in the current context. Errors: 54000 if
 * rank or size is beyond the limits.
 */
extern Tensor *tensor_new(ElementType type, int rank, const int64 *bounds);

/*
 * Between interrupt checks of what writes large values: memory that is new to
 * the process comes at less than 1 GB in a second.
 */
#define PIECE_BYTES ((Size) 1 << 24)

/* palloc0 and memcpy with interrupt checks. */
extern void *zeroed_in_pieces(Size bytes);
extern void copy_in_pieces(void *to, const void *from, Size bytes);

/* Number of elements. */
extern int64 tensor_count(const Tensor *tensor);

/* A view of the value's elements. Errors: as check_dense. */
extern void tensor_view(const Tensor *tensor, TensorView *view);

/* "2x3", for messages. */
extern char *tensor_shape_string(const Tensor *tensor);

/* Reads the text form; writes the text form. */
extern Tensor *tensor_parse(const char *text);
extern char *tensor_to_string(const Tensor *tensor);

#endif
