/*-------------------------------------------------------------------------
 *
 * tensor_view.h
 *	  Element types and strided views, which all kernels read and write.
 *
 * Nothing in kernels/ depends on PostgreSQL. A view does not own its elements.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_TENSOR_VIEW_H
#define KERNELS_TENSOR_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest number of dimensions that a tensor can have. */
#define TENSOR_MAX_RANK 16

/* Stored on disk as a byte of each value: numbers must never change, only be added. */
typedef enum ElementType
{
	ELEMENT_FLOAT4 = 1,
	ELEMENT_FLOAT8 = 2,
	ELEMENT_COMPLEX8 = 3,  /* two float4 */
	ELEMENT_COMPLEX16 = 4, /* two float8 */
} ElementType;

#define ELEMENT_TYPE_LAST ELEMENT_COMPLEX16

/*
 * A strided array: the element at index (i0, i1, ...) is strides[0] * i0 +
 * strides[1] * i1 + ... elements (not bytes) behind data. Strides may be 0 or
 * negative in operands; in results they address every element once.
 */
typedef struct TensorView
{
	ElementType type;
	int rank;
	int64_t bounds[TENSOR_MAX_RANK];
	int64_t strides[TENSOR_MAX_RANK];
	void *data;
} TensorView;

static inline bool
element_is_complex(ElementType type)
{
	return type == ELEMENT_COMPLEX8 || type == ELEMENT_COMPLEX16;
}

/* Does an element type consist of 4-byte numbers? */
static inline bool
element_is_single(ElementType type)
{
	return type == ELEMENT_FLOAT4 || type == ELEMENT_COMPLEX8;
}

/*
 * Returns the same kind of type with double precision, in which long sums and products
 * are accumulated.
 */
static inline ElementType
element_double(ElementType type)
{
	return type == ELEMENT_FLOAT4     ? ELEMENT_FLOAT8
		   : type == ELEMENT_COMPLEX8 ? ELEMENT_COMPLEX16
									  : type;
}

/* Returns the same kind of type with single precision. */
static inline ElementType
element_single(ElementType type)
{
	return type == ELEMENT_FLOAT8      ? ELEMENT_FLOAT4
		   : type == ELEMENT_COMPLEX16 ? ELEMENT_COMPLEX8
									   : type;
}

extern size_t element_size(ElementType type);
extern const char *element_type_name(ElementType type);
extern bool element_type_by_name(const char *name, ElementType *type);

/* Promotes as numpy does: float4 with complex16 is complex16, and so on. */
extern ElementType element_promote(ElementType a, ElementType b);

/* Makes *view a row-major contiguous view of data. */
extern void view_contiguous(TensorView *view, ElementType type, int rank,
							const int64_t *bounds, void *data);
extern int64_t view_count(const TensorView *view);

#endif
