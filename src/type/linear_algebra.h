/*-------------------------------------------------------------------------
 *
 * linear_algebra.h
 *	  Tensors as matrices of LAPACK: what the mat_ functions share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_LINEAR_ALGEBRA_H
#define TYPE_LINEAR_ALGEBRA_H

#include "postgres.h"

#include "compat.h"
#include "kernels/lapack/matrix.h"
#include "type/tensor.h"

/*
 * LAPACK cannot be interrupted. rows * columns * the smaller of the two (or the
 * number of right sides, if that is larger) is at most this: 2048 x 2048, or
 * 8,000,000 x 32. The singular value decomposition is the slowest.
 */
#define MATRIX_MAX_WORK (INT64CONST(1) << 33)

/* A copy of a tensor of rank 1 (one column) or 2, column-major, finite. */
typedef struct Matrix
{
	const MatrixKernels *kernels;
	int rows;
	int columns;
	void *elements;
} Matrix;

/* Errors: 2202E if the tensor's rank is not 2. */
extern void check_matrix(const char *function, const Tensor *tensor);
/* Errors: 2202E if the tensor's rank is not 2 or its bounds differ. */
extern void check_square(const char *function, const Tensor *tensor);

/*
 * Reads a tensor as elements of that type into a buffer of at least `rows`
 * rows (more than the tensor has only for a right side of mat_lstsq). Errors:
 * 22000 for NaN or an infinity, 54000 if the work is beyond MATRIX_MAX_WORK
 * for k right sides.
 */
extern void load_matrix(Matrix *matrix, const char *function, const Tensor *tensor,
						ElementType type, int64 rows, int64 k);

/* The first rows x columns of a column-major buffer as a tensor of rank 2, or
 * of rank 1 if vector is true and there is one column. */
extern Tensor *store_matrix(ElementType type, int64 rows, int64 columns,
							const void *elements, int64 stored_rows, bool vector);

/* Raises 22000: the iteration of a decomposition did not end. */
pg_noreturn extern void no_convergence(const char *function);

#endif
