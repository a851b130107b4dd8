/*-------------------------------------------------------------------------
 *
 * vector.h
 *	  Sums and products of vectors whose elements are contiguous. Vectors may begin at
 *	  any address that suits an element.
 *
 * Where two element types are given, the second is the result's: either the
 * same, or the same kind with double precision, so that sums of float4 are
 * float8.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_VECTOR_H
#define KERNELS_VECTOR_H

#include <stdint.h>

#include "kernels/tensor_view.h"

/* Returns the sum of a[i] * b[i] over n elements, added up in the elements' type. */
extern float vector_dot_float4(int64_t n, const float *a, const float *b);
extern double vector_dot_float8(int64_t n, const double *a, const double *b);

/* c[i] += s * a[i] over n elements that do not overlap. */
extern void vector_axpy_float4(int64_t n, float s, const float *restrict a,
							   float *restrict c);
extern void vector_axpy_float8(int64_t n, double s, const double *restrict a,
							   double *restrict c);

/* Adds s times a float4 vector to a float8 vector. */
extern void vector_axpy_float4_float8(int64_t n, double s, const float *restrict a,
									  double *restrict c);

/* Returns the sum of a[i] * b[i] over n elements of a real type. */
extern double vector_dot(ElementType type, int64_t n, const void *a, const void *b);

/* c[i] += a[i] over n elements of any type that do not overlap. */
extern void vector_add(ElementType type, ElementType out, int64_t n, const void *a,
					   void *c);

/* c[i] = a[i] * b[i] over n elements of a real type; c may be a or b. */
extern void vector_multiply(ElementType type, int64_t n, const void *a, const void *b,
							void *c);

/* c[i] += s a[i] over n <= INT_MAX elements of a real type. */
extern void vector_axpy(ElementType type, ElementType out, int64_t n, double s,
						const void *a, void *c);

/*
 * c[i] += s[0] a[0][i] + ... + s[k - 1] a[k - 1][i], with types as in vector_axpy.
 * Meanwhile it prefetches the nnext <= 8 rows of the same length that are expected to be
 * added afterwards; they are never read, and need not be valid.
 */
extern void vector_axpy_rows(ElementType type, ElementType out, int64_t n, int k,
							 const double *s, const void *const *a,
							 const void *const *next, int nnext, void *c);

#endif
