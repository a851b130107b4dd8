/*-------------------------------------------------------------------------
 *
 * vector.h
 *	  Sums over contiguous elements, for callers that know that theirs are.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_VECTOR_H
#define KERNELS_VECTOR_H

#include <stdint.h>

#include "kernels/tensor_view.h"

/* The sum of a[i] * b[i] over n <= INT_MAX elements of a real type, added up in
 * that type. */
extern double vector_dot(ElementType type, int64_t n, const void *a, const void *b);

/* c[i] += a[i] over n <= INT_MAX elements of any type. */
extern void vector_add(ElementType type, int64_t n, const void *a, void *c);

#endif
