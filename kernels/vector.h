/*-------------------------------------------------------------------------
 *
 * vector.h
 *	  Sums over contiguous elements, for callers that know that theirs are.
 *	  Vectors may lie at any address that suits an element.
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

/* c[i] += s a[i] over n <= INT_MAX elements of a real type. */
extern void vector_axpy(ElementType type, int64_t n, double s, const void *a, void *c);

/* c[i] += s[0] a[0][i] + ... + s[k - 1] a[k - 1][i], as vector_axpy. */
extern void vector_axpy_rows(ElementType type, int64_t n, int k, const double *s,
							 const void *const *a, void *c);

#endif
