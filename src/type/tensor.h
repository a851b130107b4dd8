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

#include "kernels/kernels.h"
#include "type/extension.h"

#define TENSOR_FORMAT_DENSE 1

typedef struct Tensor
{
	int32 vl_len_; /* varlena header (do not touch directly!) */
	uint8 format;  /* TENSOR_FORMAT_DENSE; later formats are sparse */
	uint8 type;    /* ElementType */
	uint8 rank;
	uint8 flags; /* 0 of a value; of a tensor_state see state.h */
	int32 bounds[FLEXIBLE_ARRAY_MEMBER];
} Tensor;

#define TENSOR_HEADER_SIZE(rank)                                                         \
	MAXALIGN(offsetof(Tensor, bounds) + sizeof(int32) * (rank))
#define TENSOR_DATA(t) ((void *) ((char *) (t) + TENSOR_HEADER_SIZE((t)->rank)))

#define DatumGetTensorP(d) ((Tensor *) PG_DETOAST_DATUM(d))
#define PG_GETARG_TENSOR_P(n) DatumGetTensorP(PG_GETARG_DATUM(n))
#define PG_RETURN_TENSOR_P(t) PG_RETURN_POINTER(t)

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

/* A view of the value's elements. */
extern void tensor_view(const Tensor *tensor, TensorView *view);

/* "2x3", for messages. */
extern char *tensor_shape_string(const Tensor *tensor);

/* Reads the text form; writes the text form. */
extern Tensor *tensor_parse(const char *text);
extern char *tensor_to_string(const Tensor *tensor);

#endif
