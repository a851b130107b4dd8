/*-------------------------------------------------------------------------
 *
 * linear_algebra.c
 *	  Linear systems and what belongs to them: mat_solve, mat_lstsq,
 *	  mat_inverse, mat_det, mat_norm.
 *
 * A matrix is a tensor of rank 2. The arguments are copied to column-major
 * order, which is LAPACK's and which it overwrites anyway; promoted to one
 * element type; and refused if an element is not finite, since LAPACK does not
 * say what it does then. A system whose matrix is singular to working precision
 * is an error rather than a solution of noise.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "type/linear_algebra.h"
#include "type/tensor_shape.h"

void
check_matrix(const char *function, const Tensor *tensor)
{
	if (tensor->rank != 2)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s takes a matrix", function),
						errdetail("The tensor has %d dimensions.", tensor->rank),
						errhint("tensor_reshape makes a matrix of a tensor.")));
}

void
check_square(const char *function, const Tensor *tensor)
{
	check_matrix(function, tensor);
	if (tensor->bounds[0] != tensor->bounds[1])
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s takes a square matrix", function),
						errdetail("The matrix is %s.", tensor_shape_string(tensor)),
						strcmp(function, "mat_solve") == 0
							? errhint("Of more or fewer equations than unknowns, "
									  "mat_lstsq(a, b) has the least squares.")
							: 0));
}

/* Makes a column-major view of a buffer whose columns are stored_rows elements apart. */
static void
column_view(TensorView *view, ElementType type, int rank, int64 rows, int64 columns,
			int64 stored_rows, void *elements)
{
	view->type = type;
	view->rank = rank;
	view->bounds[0] = rows;
	view->strides[0] = 1;
	if (rank == 2)
	{
		view->bounds[1] = columns;
		view->strides[1] = stored_rows;
	}
	view->data = elements;
}

void
check_value_count(const char *function, const Tensor *tensor)
{
	if (tensor->rank == 2 &&
		Min(tensor->bounds[0], tensor->bounds[1]) > MATRIX_MAX_VALUES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("matrix is too large for %s", function),
				 errdetail("The matrix is %s; the smaller of its bounds is at most %d.",
						   tensor_shape_string(tensor), MATRIX_MAX_VALUES),
				 errhint("mat_qr, mat_cholesky and mat_solve take larger matrices.")));
}

void
load_matrix(Matrix *matrix, const char *function, const Tensor *tensor, ElementType type,
			int64 rows)
{
	int64 tensor_rows = tensor->bounds[0];
	int64 columns = tensor->rank == 2 ? tensor->bounds[1] : 1;
	TensorView from;
	TensorView to;

	CHECK_FOR_INTERRUPTS();
	matrix->kernels = matrix_kernels(type);
	matrix->rows = (int) rows;
	matrix->columns = (int) columns;
	/* checks the size; allocates at least one byte */
	shape_count(type, 2, (int64[]){rows, columns});
	matrix->elements = zeroed_in_pieces(Max(rows * columns, 1) * element_size(type));
	tensor_view(tensor, &from);
	if (!matrix_kernels(from.type)->all_finite(tensor_count(tensor), from.data))
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("%s does not take NaN or infinite elements", function),
						errdetail("The tensor of shape %s has one.",
								  tensor_shape_string(tensor))));
	column_view(&to, type, tensor->rank, tensor_rows, columns, rows, matrix->elements);
	if (tensor_count(tensor) > 0)
		view_copy(&from, &to);
}

Tensor *
store_matrix(ElementType type, int64 rows, int64 columns, const void *elements,
			 int64 stored_rows, bool vector)
{
	Tensor *tensor = tensor_new(type, vector ? 1 : 2, (int64[]){rows, columns});
	TensorView from;
	TensorView to;

	column_view(&from, type, tensor->rank, rows, columns, stored_rows, (void *) elements);
	tensor_view(tensor, &to);
	if (tensor_count(tensor) > 0)
		view_copy(&from, &to);
	return tensor;
}

void
no_convergence(const char *function)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION), errmsg("%s did not converge", function),
			 errhint("Scale the matrix so that its elements are of similar size.")));
}

void
check_singular(const char *function, int info, double rcond, const MatrixKernels *kernels)
{
	if (info == 0 && rcond >= kernels->epsilon)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("matrix of %s is singular", function),
			 info > 0
				 ? errdetail("Column %d depends on the columns before it.", info - 1)
				 : errdetail("Its reciprocal condition number is about %.1e; elements of "
							 "type %s carry %.1e.",
							 rcond, element_type_name(kernels->type), kernels->epsilon),
			 errhint("mat_lstsq(a, b) gives the solution of least norm.")));
}

/*
 * Raises 2202E unless b is a right side for matrix a: a vector, or a column per system.
 */
static void
check_right_side(const char *function, const Tensor *a, const Tensor *b)
{
	if (b->rank < 1 || b->rank > 2 || b->bounds[0] != a->bounds[0])
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("right side of %s does not fit the matrix", function),
						errdetail("The matrix is %s, the right side %s.",
								  tensor_shape_string(a), tensor_shape_string(b)),
						errhint("The right side is a vector, or a matrix with a column "
								"for each system, with as many rows as the matrix.")));
}

/* mat_solve(a, b): returns the x with a x = b, for a vector b or every column of b. */
PG_FUNCTION_INFO_V1(mat_solve);
Datum
mat_solve(PG_FUNCTION_ARGS)
{
	Tensor *a = PG_GETARG_TENSOR_P(0);
	Tensor *b = PG_GETARG_TENSOR_P(1);
	ElementType type = element_promote((ElementType) a->type, (ElementType) b->type);
	double rcond = 1;
	int info;
	Matrix matrix;
	Matrix right;

	check_square("mat_solve", a);
	check_right_side("mat_solve", a, b);
	load_matrix(&matrix, "mat_solve", a, type, a->bounds[0]);
	load_matrix(&right, "mat_solve", b, type, b->bounds[0]);
	if (matrix.rows > 0)
	{
		/* LAPACK also tells whether a is singular, even without right sides */
		info = matrix.kernels->solve(matrix.rows, right.columns, matrix.elements,
									 right.elements, &rcond);
		check_singular("mat_solve", info, rcond, matrix.kernels);
	}
	PG_RETURN_TENSOR_P(store_matrix(type, right.rows, right.columns, right.elements,
									right.rows, b->rank == 1));
}

/* mat_inverse(a) */
PG_FUNCTION_INFO_V1(mat_inverse);
Datum
mat_inverse(PG_FUNCTION_ARGS)
{
	Tensor *a = PG_GETARG_TENSOR_P(0);
	ElementType type = (ElementType) a->type;
	double rcond = 1;
	Matrix matrix;

	check_square("mat_inverse", a);
	load_matrix(&matrix, "mat_inverse", a, type, a->bounds[0]);
	if (matrix.rows > 0)
	{
		int info = matrix.kernels->invert(matrix.rows, matrix.elements, &rcond);

		check_singular("mat_inverse", info, rcond, matrix.kernels);
	}
	PG_RETURN_TENSOR_P(store_matrix(type, matrix.rows, matrix.columns, matrix.elements,
									matrix.rows, false));
}

/* Returns the determinant, in the type of the matrix: 0 if it is singular. */
static Tensor *
determinant(const char *function, const Tensor *a)
{
	ElementType type = (ElementType) a->type;
	Tensor *result;
	Matrix matrix;

	check_square(function, a);
	load_matrix(&matrix, function, a, type, a->bounds[0]);
	result = tensor_new(type, 0, NULL);
	/* a matrix without rows has determinant 1, the empty product, without LAPACK */
	if (matrix.rows == 0)
	{
		Tensor *one = tensor_new(ELEMENT_FLOAT8, 0, NULL);

		*(double *) tensor_elements(one) = 1;
		return tensor_convert(one, type);
	}
	matrix.kernels->determinant(matrix.rows, matrix.elements, tensor_elements(result));
	return result;
}

/*
 * mat_det(a): returns a tensor of rank 0, since complex matrices have complex
 * determinants.
 */
PG_FUNCTION_INFO_V1(mat_det);
Datum
mat_det(PG_FUNCTION_ARGS)
{
	PG_RETURN_TENSOR_P(determinant("mat_det", PG_GETARG_TENSOR_P(0)));
}

/* mat_det_scalar(a): as float8. */
PG_FUNCTION_INFO_V1(mat_det_scalar);
Datum
mat_det_scalar(PG_FUNCTION_ARGS)
{
	Tensor *a = PG_GETARG_TENSOR_P(0);

	if (element_is_complex((ElementType) a->type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("mat_det_scalar does not take complex elements"),
				 errhint("mat_det gives a complex determinant as a tensor of rank 0.")));
	a = tensor_convert(determinant("mat_det_scalar", a), ELEMENT_FLOAT8);
	PG_RETURN_FLOAT8(*(double *) tensor_elements(a));
}

/*
 * mat_lstsq(a, b): returns the x of least norm among those that minimise |a x - b|, for a
 * vector b or every column of b. As in numpy.linalg.lstsq, singular values count as 0 if
 * they are below the largest one times the precision times max(rows, columns). So any
 * finite matrix has an answer.
 */
PG_FUNCTION_INFO_V1(mat_lstsq);
Datum
mat_lstsq(PG_FUNCTION_ARGS)
{
	Tensor *a = PG_GETARG_TENSOR_P(0);
	Tensor *b = PG_GETARG_TENSOR_P(1);
	ElementType type = element_promote((ElementType) a->type, (ElementType) b->type);
	int64 columns;
	Matrix matrix;
	Matrix right;

	check_matrix("mat_lstsq", a);
	check_value_count("mat_lstsq", a);
	columns = a->bounds[1];
	check_right_side("mat_lstsq", a, b);
	load_matrix(&matrix, "mat_lstsq", a, type, a->bounds[0]);
	load_matrix(&right, "mat_lstsq", b, type, Max(b->bounds[0], columns));
	if (matrix.rows == 0)
		memset(right.elements, 0, (Size) right.rows * right.columns * element_size(type));
	else if (matrix.columns > 0 && right.columns > 0 &&
			 matrix.kernels->least_squares(matrix.rows, matrix.columns, right.columns,
										   matrix.elements, right.elements) != 0)
		no_convergence("mat_lstsq");
	PG_RETURN_TENSOR_P(store_matrix(type, columns, right.columns, right.elements,
									right.rows, b->rank == 1));
}

/* Returns the sum, or the largest, of the singular values. */
static double
norm_of_singular_values(Tensor *tensor, bool sum)
{
	ElementType type = element_double((ElementType) tensor->type);
	Matrix matrix;
	Tensor *values;
	double result = 0;
	int64 k;

	check_value_count("mat_norm", tensor);
	load_matrix(&matrix, "mat_norm", tensor, type, tensor->bounds[0]);
	k = Min(matrix.rows, matrix.columns);
	if (k == 0)
		return 0;
	values = tensor_new(matrix.kernels->real, 1, &k);
	if (matrix.kernels->svd(matrix.rows, matrix.columns, matrix.elements,
							tensor_elements(values), NULL, NULL) != 0)
		no_convergence("mat_norm");
	values = tensor_convert(values, ELEMENT_FLOAT8);
	for (int64 i = 0; i < (sum ? k : 1); i++)
		result += ((double *) tensor_elements(values))[i];
	return result;
}

/*
 * Returns an entrywise norm, or one of row or column sums; elements may be of any type.
 */
static double
norm_of_elements(Tensor *tensor, MatrixNorm norm)
{
	ElementType type = element_double((ElementType) tensor->type);
	int64 count = tensor_count(tensor);
	int64 rows = tensor->rank == 2 ? tensor->bounds[0] : count;
	int64 columns = tensor->rank == 2 ? tensor->bounds[1] : 1;

	if (count == 0)
		return 0;
	/* float4 is computed in float8: norms may exceed the range of float4 */
	tensor = tensor_convert(tensor, type);
	if (!matrix_kernels(type)->all_finite(count, tensor_elements(tensor)))
	{
		int64 parts = count * (element_is_complex(type) ? 2 : 1);

		for (int64 i = 0; i < parts; i++)
			if (isnan(((double *) tensor_elements(tensor))[i]))
				return get_float8_nan();
		return get_float8_infinity();
	}
	/* to LAPACK, whose matrices are column-major, the tensor's rows are columns */
	if (norm == MATRIX_NORM_ONE)
		norm = MATRIX_NORM_INFINITY;
	else if (norm == MATRIX_NORM_INFINITY)
		norm = MATRIX_NORM_ONE;
	return matrix_kernels(type)->norm(norm, (int) columns, (int) rows,
									  tensor_elements(tensor));
}

/*
 * mat_norm(a, kind): returns a norm of a matrix, or of a vector, which counts as a matrix
 * of one column. The kinds fro and max take tensors of any rank.
 */
PG_FUNCTION_INFO_V1(mat_norm);
Datum
mat_norm(PG_FUNCTION_ARGS)
{
	Tensor *tensor = PG_GETARG_TENSOR_P(0);
	char *kind = text_to_cstring(PG_GETARG_TEXT_PP(1));

	if (strcmp(kind, "fro") == 0)
		PG_RETURN_FLOAT8(norm_of_elements(tensor, MATRIX_NORM_FROBENIUS));
	if (strcmp(kind, "max") == 0)
		PG_RETURN_FLOAT8(norm_of_elements(tensor, MATRIX_NORM_MAX));
	if (strcmp(kind, "1") != 0 && strcmp(kind, "inf") != 0 && strcmp(kind, "2") != 0 &&
		strcmp(kind, "nuc") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("unknown norm \"%s\"", kind),
						errhint("Norms are fro, max, 1, inf, 2 and nuc.")));
	if (tensor->rank != 1 && tensor->rank != 2)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("norm \"%s\" takes a vector or a matrix", kind),
						errdetail("The tensor has %d dimensions.", tensor->rank),
						errhint("fro and max take tensors of any rank.")));
	if (strcmp(kind, "1") == 0)
		PG_RETURN_FLOAT8(norm_of_elements(tensor, MATRIX_NORM_ONE));
	if (strcmp(kind, "inf") == 0)
		PG_RETURN_FLOAT8(norm_of_elements(tensor, MATRIX_NORM_INFINITY));
	/* the only singular value of a vector is its Euclidean norm */
	if (tensor->rank == 1)
		PG_RETURN_FLOAT8(norm_of_elements(tensor, MATRIX_NORM_FROBENIUS));
	PG_RETURN_FLOAT8(norm_of_singular_values(tensor, strcmp(kind, "nuc") == 0));
}
