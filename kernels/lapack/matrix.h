/*-------------------------------------------------------------------------
 *
 * matrix.h
 *	  Factorisations of dense matrices by LAPACK: a table of functions for each
 *	  element type.
 *
 * LAPACK's conventions hold: matrices are column-major and contiguous, the
 * leading dimension is the number of rows, and a function overwrites its
 * arguments. Every bound is at least 1 and every element finite, as LAPACK may
 * loop forever over a NaN; callers check both.
 *
 * All functions compute in panels, with interrupt checks between them. The
 * exception is the core of svd, eigen and least_squares, which takes 0.8 s where
 * the smaller bound is 2048 and grows with its cube: callers limit that bound.
 *
 * Functions return LAPACK's info: 0 for success, a positive number for the
 * failure that each function's comment names. A negative number would be a bug
 * of the caller of LAPACK.
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
	 * Solves a x = b: b (n x k) becomes x, and a (n x n) its LU factors. *rcond becomes
	 * an estimate of the reciprocal condition number. Positive: a is exactly singular.
	 */
	int (*solve)(int n, int k, void *a, void *b, double *rcond);

	/* a (n x n) becomes its inverse. Returns info and sets *rcond as solve does. */
	int (*invert)(int n, void *a, double *rcond);

	/*
	 * Sets *determinant, an element, from the LU factors; no partial product overflows
	 * unless the determinant does. 0 for a singular matrix.
	 */
	int (*determinant)(int n, void *a, void *determinant);

	/*
	 * a (n x n) becomes its Cholesky factor L, with 0 in the upper triangle; only the
	 * lower triangle of a is read. Positive: the order of the first leading minor that is
	 * not positive.
	 */
	int (*cholesky)(int n, void *a);

	/* The first min(m, n) columns of a (m x n) become Q; r is min(m, n) x n. */
	int (*qr)(int m, int n, void *a, void *r);

	/*
	 * Singular value decomposition with k = min(m, n): u is m x k, vt is k x n, s has k
	 * numbers of the real type in descending order. If u and vt are NULL, only s is
	 * computed. Positive: no convergence.
	 */
	int (*svd)(int m, int n, void *a, void *s, void *u, void *vt);

	/*
	 * a (n x n, Hermitian) becomes its eigenvectors; only the lower triangle of a is
	 * read. eigenvalues are n numbers of the real type in ascending order. Positive: no
	 * convergence.
	 */
	int (*eigen)(int n, void *a, void *eigenvalues);

	/*
	 * The first n rows of b become the x of least norm among those that minimise |a x -
	 * b|. b is max(m, n) x k, with the right sides in its first m rows. Singular values
	 * below max(m, n) * epsilon times the largest count as 0. Positive: no convergence.
	 */
	int (*least_squares)(int m, int n, int k, void *a, void *b);

	double (*norm)(MatrixNorm norm, int m, int n, const void *a);

	/* Are all n elements neither NaN nor infinite? */
	bool (*all_finite)(int64_t n, const void *elements);

	/* Is a Hermitian, up to differences of tolerance times its largest element? */
	bool (*hermitian)(int n, const void *a, double tolerance);
} MatrixKernels;

/*
 * Real multiplications between two interrupt checks, at least those of one panel; tests
 * set it.
 */
extern int64_t matrix_work_between_checks;

extern const MatrixKernels *matrix_kernels(ElementType type);

#endif
