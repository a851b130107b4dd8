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
 * The largest smaller bound of a matrix whose singular values or eigenvalues are
 * computed. The last step of their computation cannot be interrupted; it takes 0.8 s at
 * this size, and its time grows with the cube of the bound.
 */
#define MATRIX_MAX_VALUES 2048

/* A column-major copy of a tensor of rank 1 (one column) or 2, with finite elements. */
typedef struct Matrix
{
	const MatrixKernels *kernels;
	int rows;
	int columns;
	void *elements;
} Matrix;

/* Raises 2202E if the tensor's rank is not 2. */
extern void check_matrix(const char *function, const Tensor *tensor);
/* Raises 2202E if the tensor's rank is not 2 or its bounds differ. */
extern void check_square(const char *function, const Tensor *tensor);

/* Raises 54000 if the smaller bound exceeds MATRIX_MAX_VALUES. */
extern void check_value_count(const char *function, const Tensor *tensor);

/*
 * Reads a tensor into a buffer of elements of this type with at least `rows` rows: more
 * than the tensor has only for a right side of mat_lstsq. Errors: 22000 for NaN or an
 * infinity.
 */
extern void load_matrix(Matrix *matrix, const char *function, const Tensor *tensor,
						ElementType type, int64 rows);

/*
 * Returns the first rows x columns of a column-major buffer as a tensor of rank 2, or of
 * rank 1 if vector is true and there is one column.
 */
extern Tensor *store_matrix(ElementType type, int64 rows, int64 columns,
							const void *elements, int64 stored_rows, bool vector);

/*
 * Raises 22000 if info or rcond, results of solve or invert, say that the matrix is
 * singular.
 */
extern void check_singular(const char *function, int info, double rcond,
						   const MatrixKernels *kernels);

/*
 * Raises 22000 if a square matrix is not symmetric (Hermitian), for callers that read
 * only its lower triangle. Elements may differ in half of their digits.
 */
extern void check_symmetric(const char *function, const Matrix *matrix);

/*
 * Raises 22000 if info, a result of cholesky, says that the matrix is not positive
 * definite.
 */
extern void check_definite(const char *function, int info);

/* Raises 22000: the iteration of a decomposition did not end. */
pg_noreturn extern void no_convergence(const char *function);

#endif
