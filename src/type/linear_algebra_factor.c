/*-------------------------------------------------------------------------
 *
 * linear_algebra_factor.c
 *	  Factorisations with named results: mat_cholesky, mat_qr, mat_svd,
 *	  mat_eigh.
 *
 * Reduced forms, as numpy's by default: with k = min(m, n), an m x n matrix has
 * factors m x k and k x n. A factorisation is unique up to signs (phases), for
 * which LAPACK's choice stands.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "type/linear_algebra.h"

/* Returns a row of n tensors, of the type that the function's OUT parameters declare. */
static Datum
row_of_tensors(FunctionCallInfo fcinfo, int n, Tensor *const *tensors)
{
	TupleDesc descriptor;
	Datum values[3];
	bool nulls[3] = {false, false, false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE ||
		descriptor->natts != n)
		elog(ERROR, "function must return a row of %d tensors", n);
	for (int i = 0; i < n; i++)
		values[i] = PointerGetDatum(tensors[i]);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

void
check_symmetric(const char *function, const Matrix *matrix)
{
	bool is_complex = element_is_complex(matrix->kernels->type);

	if (matrix->rows > 0 && !matrix->kernels->hermitian(matrix->rows, matrix->elements,
														sqrt(matrix->kernels->epsilon)))
		ereport(
			ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("matrix of %s is not %s", function,
					is_complex ? "Hermitian" : "symmetric"),
			 errhint(
				 is_complex
					 ? "An element and the conjugate of its mirror image must agree."
					 : "(a + tensor_permute(a, '{1,0}')) / 2 is its symmetric part.")));
}

void
check_definite(const char *function, int info)
{
	if (info > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("matrix of %s is not positive definite", function),
				 errdetail("Its leading minor of order %d is not positive.", info)));
}

/*
 * Loads a square matrix of which only the lower triangle will be read. It must be
 * symmetric: other elements would be ignored silently.
 */
static void
load_symmetric(Matrix *matrix, const char *function, const Tensor *a)
{
	check_square(function, a);
	load_matrix(matrix, function, a, (ElementType) a->type, a->bounds[0]);
	check_symmetric(function, matrix);
}

/* mat_cholesky(a): returns the lower triangular L with a = L L*. */
PG_FUNCTION_INFO_V1(mat_cholesky);
Datum
mat_cholesky(PG_FUNCTION_ARGS)
{
	Tensor *a = PG_GETARG_TENSOR_P(0);
	Matrix matrix;

	load_symmetric(&matrix, "mat_cholesky", a);
	if (matrix.rows > 0)
		check_definite("mat_cholesky",
					   matrix.kernels->cholesky(matrix.rows, matrix.elements));
	PG_RETURN_TENSOR_P(store_matrix((ElementType) a->type, matrix.rows, matrix.columns,
									matrix.elements, matrix.rows, false));
}

/* mat_qr(a): returns q with orthonormal columns and upper triangular r, with a = q r. */
PG_FUNCTION_INFO_V1(mat_qr);
Datum
mat_qr(PG_FUNCTION_ARGS)
{
	Tensor *a = PG_GETARG_TENSOR_P(0);
	ElementType type = (ElementType) a->type;
	Tensor *tensors[2];
	Matrix matrix;
	int k;
	void *r;

	check_matrix("mat_qr", a);
	load_matrix(&matrix, "mat_qr", a, type, a->bounds[0]);
	k = Min(matrix.rows, matrix.columns);
	r = palloc(Max((int64) k * matrix.columns, 1) * element_size(type));
	if (k > 0)
		matrix.kernels->qr(matrix.rows, matrix.columns, matrix.elements, r);
	tensors[0] = store_matrix(type, matrix.rows, k, matrix.elements, matrix.rows, false);
	tensors[1] = store_matrix(type, k, matrix.columns, r, k, false);
	PG_RETURN_DATUM(row_of_tensors(fcinfo, 2, tensors));
}

/*
 * mat_svd(a): returns u, s and vt with a = u diag(s) vt; s is in descending order, and
 * the columns of u and the rows of vt are orthonormal.
 */
PG_FUNCTION_INFO_V1(mat_svd);
Datum
mat_svd(PG_FUNCTION_ARGS)
{
	Tensor *a = PG_GETARG_TENSOR_P(0);
	ElementType type = (ElementType) a->type;
	Size size = element_size(type);
	Tensor *tensors[3];
	Matrix matrix;
	int64 k;
	void *u;
	void *vt;

	check_matrix("mat_svd", a);
	check_value_count("mat_svd", a);
	load_matrix(&matrix, "mat_svd", a, type, a->bounds[0]);
	k = Min(matrix.rows, matrix.columns);
	u = palloc(Max(matrix.rows * k, 1) * size);
	vt = palloc(Max(k * matrix.columns, 1) * size);
	tensors[1] = tensor_new(matrix.kernels->real, 1, &k);
	if (k > 0 && matrix.kernels->svd(matrix.rows, matrix.columns, matrix.elements,
									 tensor_elements(tensors[1]), u, vt) != 0)
		no_convergence("mat_svd");
	tensors[0] = store_matrix(type, matrix.rows, k, u, matrix.rows, false);
	tensors[2] = store_matrix(type, k, matrix.columns, vt, k, false);
	PG_RETURN_DATUM(row_of_tensors(fcinfo, 3, tensors));
}

/*
 * mat_eigh(a): returns the eigenvalues of a symmetric or Hermitian matrix in ascending
 * order, and orthonormal eigenvectors as columns: column i belongs to value i.
 */
PG_FUNCTION_INFO_V1(mat_eigh);
Datum
mat_eigh(PG_FUNCTION_ARGS)
{
	Tensor *a = PG_GETARG_TENSOR_P(0);
	ElementType type = (ElementType) a->type;
	Tensor *tensors[2];
	Matrix matrix;
	int64 n;

	check_value_count("mat_eigh", a);
	load_symmetric(&matrix, "mat_eigh", a);
	n = matrix.rows;
	tensors[0] = tensor_new(matrix.kernels->real, 1, &n);
	if (n > 0 && matrix.kernels->eigen(matrix.rows, matrix.elements,
									   tensor_elements(tensors[0])) != 0)
		no_convergence("mat_eigh");
	tensors[1] = store_matrix(type, n, n, matrix.elements, n, false);
	PG_RETURN_DATUM(row_of_tensors(fcinfo, 2, tensors));
}
