/*-------------------------------------------------------------------------
 *
 * matrix.c
 *	  Factorisations: each by the equation that defines it, for all element
 *	  types and all shapes, and without a byte written beyond the arguments or
 *	  the work space, which LAPACK asks for in words of its documentation.
 *
 *-------------------------------------------------------------------------
 */
#include "harness.h"

#include "kernels/lapack/matrix.h"

#define MARK 0x5A
#define MARKED_BYTES 64

/* Memory with marks behind it, which release checks: LAPACK is not built with
 * the sanitizers. */
static void *
marked_allocate(size_t bytes)
{
	char *memory = malloc(bytes + 2 * MARKED_BYTES);

	memcpy(memory, &bytes, sizeof(bytes));
	memset(memory + MARKED_BYTES, 0x7F, bytes);
	memset(memory + MARKED_BYTES + bytes, MARK, MARKED_BYTES);
	return memory + MARKED_BYTES;
}

static void
marked_release(void *pointer)
{
	char *memory = (char *) pointer - MARKED_BYTES;
	size_t bytes;
	bool intact = true;

	memcpy(&bytes, memory, sizeof(bytes));
	for (int i = 0; i < MARKED_BYTES; i++)
		intact = intact && memory[MARKED_BYTES + bytes + i] == MARK;
	check(intact, "something was written behind %zu bytes", bytes);
	free(memory);
}

/* A column-major matrix of double complex, as the tests compute. */
typedef struct Dense
{
	int rows;
	int columns;
	double _Complex *at;
} Dense;

#define AT(m, i, j) ((m).at[(size_t) (j) * (size_t) (m).rows + (size_t) (i)])

/* Those of a case, freed at its end. */
static double _Complex *arena[64];
static int narena;

static Dense
dense(int rows, int columns)
{
	Dense m = {rows, columns, calloc((size_t) (rows * columns) + 1, sizeof(*m.at))};

	if (narena == (int) (sizeof(arena) / sizeof(arena[0])))
		abort();
	arena[narena++] = m.at;
	return m;
}

static double
uniform(void)
{
	return (double) random_below(2000001) / 1000000 - 1;
}

static Dense
dense_random(int rows, int columns, bool is_complex)
{
	Dense m = dense(rows, columns);

	for (int i = 0; i < rows * columns; i++)
		m.at[i] = uniform() + (is_complex ? uniform() * I : 0);
	return m;
}

static Dense
product(Dense a, Dense b)
{
	Dense m = dense(a.rows, b.columns);

	for (int j = 0; j < b.columns; j++)
		for (int l = 0; l < a.columns; l++)
			for (int i = 0; i < a.rows; i++)
				AT(m, i, j) += AT(a, i, l) * AT(b, l, j);
	return m;
}

static Dense
adjoint(Dense a)
{
	Dense m = dense(a.columns, a.rows);

	for (int j = 0; j < a.rows; j++)
		for (int i = 0; i < a.columns; i++)
			AT(m, i, j) = conj(AT(a, j, i));
	return m;
}

static Dense
diagonal(int n, const Dense *values)
{
	Dense m = dense(n, n);

	for (int i = 0; i < n; i++)
		AT(m, i, i) = values == NULL ? 1 : values->at[i];
	return m;
}

static double
distance(Dense a, Dense b)
{
	double largest = a.rows == b.rows && a.columns == b.columns ? 0 : INFINITY;

	for (int i = 0; largest < INFINITY && i < a.rows * a.columns; i++)
		largest = fmax(largest, cabs(a.at[i] - b.at[i]) / (1 + cabs(b.at[i])));
	return largest;
}

/* In memory of the element type, with marks behind; and back. */
static void *
store(ElementType type, Dense m)
{
	int64_t count = (int64_t) m.rows * m.columns;
	void *memory = marked_allocate(element_size(type) * (size_t) count);
	TensorView from;
	TensorView to;

	view_contiguous(&from, ELEMENT_COMPLEX16, 1, &count, m.at);
	view_contiguous(&to, type, 1, &count, memory);
	view_copy(&from, &to);
	return memory;
}

static Dense
load(ElementType type, int rows, int columns, void *memory)
{
	Dense m = dense(rows, columns);
	int64_t count = (int64_t) rows * columns;
	TensorView from;
	TensorView to;

	view_contiguous(&from, type, 1, &count, memory);
	view_contiguous(&to, ELEMENT_COMPLEX16, 1, &count, m.at);
	view_copy(&from, &to);
	marked_release(memory);
	return m;
}

static void
one_case(void)
{
	ElementType type = all_types[random_below(4)];
	const MatrixKernels *kernels = matrix_kernels(type);
	bool is_complex = element_is_complex(type);
	bool large = random_below(20) == 0;
	int m = 1 + (int) random_below(large ? 200 : 8);
	int n = 1 + (int) random_below(large ? 200 : 8);
	int k = m < n ? m : n;
	int columns = (int) random_below(4);
	double near = kernels->epsilon * 2000 * (m + n);
	double rcond = -1;
	Dense a = dense_random(m, n, is_complex);
	Dense square = dense_random(n, n, is_complex);
	Dense b = dense_random(n, columns, is_complex);
	Dense hermitian;
	Dense positive;
	Dense x;
	Dense q;
	Dense r;
	Dense s;
	bool ordered;
	void *first;
	void *second;
	void *third;

	/* panels of columns of all widths */
	matrix_work_between_checks = INT64_C(1) << random_below(31);
	check(kernels->type == type, "kernels of type %d", type);
	/* far from singular */
	for (int i = 0; i < n; i++)
		AT(square, i, i) += 2 * n;
	first = store(type, square);
	square = load(type, n, n, first);

	first = store(type, square);
	second = store(type, b);
	check(kernels->solve(n, columns, first, second, &rcond) == 0, "solve %d", n);
	check(rcond > 0.01 && rcond <= 1.01, "rcond %g", rcond);
	marked_release(first);
	x = load(type, n, columns, second);
	check(distance(product(square, x), b) < near, "solve %d x %d", n, columns);

	first = store(type, square);
	check(kernels->invert(n, first, &rcond) == 0, "invert %d", n);
	x = load(type, n, n, first);
	check(distance(product(square, x), diagonal(n, NULL)) < near, "inverse %d", n);

	positive = product(adjoint(square), square);
	first = store(type, positive);
	check(kernels->hermitian(n, first, 1e-4), "hermitian %d", n);
	check(kernels->cholesky(n, first) == 0, "cholesky %d", n);
	x = load(type, n, n, first);
	check(distance(product(x, adjoint(x)), positive) < near, "cholesky %d", n);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < j; i++)
			AT(x, i, j) *= 1e300;
	check(distance(product(x, adjoint(x)), positive) < near, "triangle of cholesky %d",
		  n);

	first = store(type, a);
	a = load(type, m, n, first);
	first = store(type, a);
	second = marked_allocate(element_size(type) * (size_t) (k * n));
	check(kernels->qr(m, n, first, second) == 0, "qr %dx%d", m, n);
	q = load(type, m, n, first);
	q.columns = k;
	r = load(type, k, n, second);
	check(distance(product(q, r), a) < near, "qr %dx%d", m, n);
	check(distance(product(adjoint(q), q), diagonal(k, NULL)) < near, "q of %dx%d", m, n);

	first = store(type, a);
	second = marked_allocate(element_size(kernels->real) * (size_t) k);
	check(kernels->svd(m, n, first, second, NULL, NULL) == 0, "singular values %dx%d", m,
		  n);
	marked_release(first);
	s = load(kernels->real, k, 1, second);
	first = store(type, a);
	second = marked_allocate(element_size(kernels->real) * (size_t) k);
	third = marked_allocate(element_size(type) * (size_t) (m * k));
	x = dense(k, n);
	{
		void *vt = store(type, x);

		check(kernels->svd(m, n, first, second, third, vt) == 0, "svd %dx%d", m, n);
		x = load(type, k, n, vt);
	}
	marked_release(first);
	check(distance(load(kernels->real, k, 1, second), s) < near,
		  "singular values of %dx%d alone", m, n);
	q = load(type, m, k, third);
	check(distance(product(product(q, diagonal(k, &s)), x), a) < near, "svd %dx%d", m, n);
	ordered = true;
	for (int i = 1; i < k; i++)
		ordered = ordered && creal(s.at[i]) <= creal(s.at[i - 1]);
	check(ordered, "order of singular values");

	hermitian = product(diagonal(n, NULL), square);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++)
			AT(hermitian, i, j) = (AT(square, i, j) + conj(AT(square, j, i))) / 2;
	first = store(type, hermitian);
	second = marked_allocate(element_size(kernels->real) * (size_t) n);
	check(kernels->eigen(n, first, second) == 0, "eigen %d", n);
	q = load(type, n, n, first);
	s = load(kernels->real, n, 1, second);
	check(distance(product(hermitian, q), product(q, diagonal(n, &s))) < near, "eigen %d",
		  n);
	ordered = true;
	for (int i = 1; i < n; i++)
		ordered = ordered && creal(s.at[i]) >= creal(s.at[i - 1]);
	check(ordered, "order of eigenvalues");

	/* the residual of least squares is orthogonal to the columns */
	if (columns > 0 && (m > n + 2 || m < n - 2))
	{
		int rows = m > n ? m : n;

		b = dense_random(rows, columns, is_complex);
		first = store(type, a);
		second = store(type, b);
		check(kernels->least_squares(m, n, columns, first, second) == 0, "lstsq %dx%d", m,
			  n);
		marked_release(first);
		x = load(type, rows, columns, second);
		r = dense(m, columns);
		for (int j = 0; j < columns; j++)
			for (int i = 0; i < m; i++)
			{
				AT(r, i, j) = -AT(b, i, j);
				for (int l = 0; l < n; l++)
					AT(r, i, j) += AT(a, i, l) * AT(x, l, j);
			}
		check(distance(product(adjoint(a), r), dense(n, columns)) < 100 * near,
			  "lstsq %dx%d", m, n);
	}
	while (narena > 0)
		free(arena[--narena]);
}

static void
test_known(void)
{
	/* columns (1, 3) and (-2, 4) */
	double a[] = {1, 3, -2, 4};
	double tiny[] = {3e-200, 0, 0, 4e-200};
	double huge[] = {3e200, 0, 0, 4e200};
	double deficient[] = {1, 1, 1, 1};
	double sides[] = {1e308, 1e308};
	double values[2];
	double left[4];
	double right[4];
	double singular[] = {1, 2, 2, 4};
	double large[] = {1e200, 0, 0, 1e-200};
	double odd[] = {1, NAN, INFINITY};
	double _Complex skew[] = {1, 2 + 1 * I, 2 - 1 * I, 1};
	double b[] = {1, 1};
	double result;
	double rcond;

	test_start(0);
	check(matrix_kernels(ELEMENT_FLOAT8)->norm(MATRIX_NORM_ONE, 2, 2, a) == 6, "norm 1");
	check(matrix_kernels(ELEMENT_FLOAT8)->norm(MATRIX_NORM_INFINITY, 2, 2, a) == 7,
		  "norm inf");
	check(matrix_kernels(ELEMENT_FLOAT8)->norm(MATRIX_NORM_MAX, 2, 2, a) == 4,
		  "norm max");
	check(fabs(matrix_kernels(ELEMENT_FLOAT8)->norm(MATRIX_NORM_FROBENIUS, 2, 2, a) -
			   sqrt(30)) < 1e-14,
		  "norm fro");
	check(!matrix_kernels(ELEMENT_FLOAT8)->hermitian(2, a, 1e-8), "not symmetric");
	check(matrix_kernels(ELEMENT_COMPLEX16)->hermitian(2, skew, 1e-8), "Hermitian");
	check(matrix_kernels(ELEMENT_FLOAT8)->determinant(2, a, &result) == 0 &&
			  fabs(result - 10) < 1e-13,
		  "determinant %g", result);
	check(matrix_kernels(ELEMENT_FLOAT8)->determinant(2, large, &result) == 0 &&
			  fabs(result - 1) < 1e-13,
		  "determinant of large and small %g", result);
	/* whose squares are no numbers */
	check(matrix_kernels(ELEMENT_FLOAT8)->svd(2, 2, tiny, values, left, right) == 0 &&
			  fabs(values[0] / 4e-200 - 1) < 1e-14 &&
			  fabs(values[1] / 3e-200 - 1) < 1e-14,
		  "tiny singular values %g %g", values[0], values[1]);
	check(matrix_kernels(ELEMENT_FLOAT8)->eigen(2, huge, values) == 0 &&
			  fabs(values[0] / 3e200 - 1) < 1e-14 && fabs(values[1] / 4e200 - 1) < 1e-14,
		  "huge eigenvalues %g %g", values[0], values[1]);
	check(matrix_kernels(ELEMENT_FLOAT8)->least_squares(2, 2, 1, deficient, sides) == 0 &&
			  fabs(sides[0] / 5e307 - 1) < 1e-14 && fabs(sides[1] / 5e307 - 1) < 1e-14,
		  "solution of least norm %g %g", sides[0], sides[1]);
	check(matrix_kernels(ELEMENT_FLOAT8)->all_finite(1, odd), "finite");
	check(!matrix_kernels(ELEMENT_FLOAT8)->all_finite(2, odd), "NaN");
	check(!matrix_kernels(ELEMENT_FLOAT8)->all_finite(1, odd + 2), "infinite");
	check(matrix_kernels(ELEMENT_FLOAT8)->solve(2, 1, singular, b, &rcond) == 2 &&
			  rcond == 0,
		  "singular");
	singular[0] = -1;
	singular[1] = singular[2] = 0;
	check(matrix_kernels(ELEMENT_FLOAT8)->cholesky(2, singular) == 1, "not positive");
}

int
main(int argc, char **argv)
{
	kernel_host.allocate = marked_allocate;
	kernel_host.release = marked_release;
	run_cases(argc, argv, 1000, one_case);
	if (argc == 1)
		test_known();
	return test_finish();
}
