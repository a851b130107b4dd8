/*-------------------------------------------------------------------------
 *
 * matrix.h
 *	  Factorisations of dense matrices by LAPACK, one table of functions for
 *	  each element type.
 *
 * LAPACK's convention rules here: matrices are column-major and contiguous, the
 * leading dimension is the number of rows, and a function overwrites its
 * arguments. Every bound is at least 1 and every element finite: LAPACK may
 * loop forever over a NaN. Callers check both.
 *
 * All are computed in panels, with interrupt checks between them, but for the
 * core of svd, eigen and least_squares, which takes 0.8 s where the smaller
 * bound is 2048 and grows with its cube: callers limit that one.
 *
 * Functions return LAPACK's info: 0 for success, positive for what each says.
 * A negative one would be a mistake of ours.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_LAPACK_MATRIX_H
#define KERNELS_LAPACK_MATRIX_H

#include "kernels/tensor_view.h"

typedef enum MatrixNorm
{
	MATRIX_NORM_ONE,       /* largest sum of absolute values of a column */
	MATRIX_NORM_INFINITY,  /* largest sum of absolute values of a row */
	MATRIX_NORM_FROBENIUS, /* root of the sum of squares */
	MATRIX_NORM_MAX,       /* largest absolute value */
} MatrixNorm;

typedef struct MatrixKernels
{
	ElementType type;
	ElementType real; /* of singular values and eigenvalues */
	double epsilon;   /* distance from 1 to the next number */

	/*
	 * b (n x k) becomes the solution of a x = b; a (n x n) becomes its LU
	 * factors. *rcond estimates the reciprocal condition number. Positive: a
	 * is singular exactly.
	 */
	int (*solve)(int n, int k, void *a, void *b, double *rcond);

	/* a (n x n) becomes its inverse. Result and *rcond as of solve. */
	int (*invert)(int n, void *a, double *rcond);

	/*
	 * *determinant, an element, from the LU factors; no partial product
	 * overflows where the determinant does not. 0 for a singular matrix.
	 */
	int (*determinant)(int n, void *a, void *determinant);

	/*
	 * a (n x n), of which the lower triangle is read, becomes its Cholesky
	 * factor L, the upper triangle 0. Positive: the order of the first leading
	 * minor that is not positive.
	 */
	int (*cholesky)(int n, void *a);

	/* The first min(m, n) columns of a (m x n) become Q; r is min(m, n) x n. */
	int (*qr)(int m, int n, void *a, void *r);

	/*
	 * u is m x k, s k numbers of the real type in descending order, vt k x n,
	 * where k = min(m, n). With NULL for u and vt, singular values only.
	 * Positive: no convergence.
	 */
	int (*svd)(int m, int n, void *a, void *s, void *u, void *vt);

	/*
	 * a (n x n), Hermitian, of which the lower triangle is read, becomes its
	 * eigenvectors; eigenvalues are n numbers of the real type in ascending
	 * order. Positive: no convergence.
	 */
	int (*eigen)(int n, void *a, void *eigenvalues);

	/*
	 * b (max(m, n) x k, the right sides in its first m rows) has in its first n
	 * rows the x of least norm among those that minimise |a x - b|. Singular
	 * values below max(m, n) * epsilon times the largest count as 0. Positive:
	 * no convergence.
	 */
	int (*least_squares)(int m, int n, int k, void *a, void *b);

	double (*norm)(MatrixNorm norm, int m, int n, const void *a);

	/* Is every element of n neither NaN nor infinite? */
	bool (*all_finite)(int64_t n, const void *elements);

	/* Is a Hermitian but for tolerance times its largest element? */
	bool (*hermitian)(int n, const void *a, double tolerance);
} MatrixKernels;

/* Real multiplications between two interrupt checks, at least a panel's; for tests. */
extern int64_t matrix_work_between_checks;

extern const MatrixKernels *matrix_kernels(ElementType type);

#endif
