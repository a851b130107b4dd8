/*-------------------------------------------------------------------------
 *
 * matrix_template.h
 *	  The functions of matrix.h for one element type. Included by matrix.c with
 *	  LETTER (LAPACK's s, d, c or z), TYPE, REAL_TYPE, ELEMENT, REAL,
 *	  REAL_EPSILON and IS_COMPLEX, which it undefines.
 *
 * Real and complex functions of LAPACK differ in name (orgqr, ungqr).
 *
 *-------------------------------------------------------------------------
 */

#include "kernels/lapack/panels_template.h"

static double
FUNCTION(norm)(MatrixNorm norm, int m, int n, const void *a)
{
	static const char kinds[] = {'1', 'I', 'F', 'M'};
	REAL *work = ALLOCATE(REAL, m);
	double result = (double) CALL(lange)(&kinds[norm], &m, &n, a, &m, work);

	release(work);
	return result;
}

/* a becomes its LU factors; sets *rcond unless rcond is NULL. */
static int
FUNCTION(factor)(int n, ELEMENT *a, lapack_int *pivots, double *rcond)
{
	lapack_int info;
	REAL norm = rcond == NULL ? 0 : (REAL) FUNCTION(norm)(MATRIX_NORM_ONE, n, n, a);

	info = FUNCTION(lu)(n, a, pivots);
	if (rcond == NULL)
		return info;
	/* if the norm overflows, the condition number is not known */
	*rcond = info == 0;
	if (info == 0 && isfinite(norm))
	{
		REAL estimate = 0;
#if IS_COMPLEX
		ELEMENT *work = ALLOCATE(ELEMENT, 2 * n);
		REAL *more = ALLOCATE(REAL, 2 * n);
#else
		ELEMENT *work = ALLOCATE(ELEMENT, 4 * n);
		lapack_int *more = ALLOCATE(lapack_int, n);
#endif
		lapack_int ignored;

		CALL(gecon)("1", &n, a, &n, &norm, &estimate, work, more, &ignored);
		*rcond = estimate;
		release(more);
		release(work);
	}
	return info;
}

static int
FUNCTION(solve)(int n, int k, void *a, void *b, double *rcond)
{
	lapack_int *pivots = ALLOCATE(lapack_int, n);
	lapack_int info = FUNCTION(factor)(n, a, pivots, rcond);

	if (info == 0)
		FUNCTION(lu_solve)(n, k, a, pivots, b);
	release(pivots);
	return info;
}

static int
FUNCTION(invert)(int n, void *a, double *rcond)
{
	lapack_int *pivots = ALLOCATE(lapack_int, n);
	lapack_int info = FUNCTION(factor)(n, a, pivots, rcond);

	if (info == 0)
	{
		/*
		 * solves for the columns of the unit matrix, which can be done in panels, unlike
		 * getri
		 */
		ELEMENT *inverse = ALLOCATE(ELEMENT, (int64_t) n * n);

		memset(inverse, 0, sizeof(ELEMENT) * (size_t) n * (size_t) n);
		for (int64_t i = 0; i < n; i++)
			inverse[i + i * n] = 1;
		FUNCTION(lu_solve)(n, n, a, pivots, inverse);
		memcpy(a, inverse, sizeof(ELEMENT) * (size_t) n * (size_t) n);
		release(inverse);
	}
	release(pivots);
	return info;
}

static int
FUNCTION(determinant)(int n, void *a, void *determinant)
{
	lapack_int *pivots = ALLOCATE(lapack_int, n);
	lapack_int info = FUNCTION(factor)(n, a, pivots, NULL);
	double _Complex product = 1;
	int64_t exponent = 0;

	for (int i = 0; info >= 0 && i < n; i++)
	{
		int step;

		product *= ((ELEMENT *) a)[(int64_t) i * n + i];
		if (pivots[i] != i + 1)
			product = -product;
		/* scales so that the larger part stays near 1 */
		(void) frexp(MAX(fabs(creal(product)), fabs(cimag(product))), &step);
		product = CMPLX(ldexp(creal(product), -step), ldexp(cimag(product), -step));
		exponent += step;
	}
	product = CMPLX(scale_by_power(creal(product), exponent),
					scale_by_power(cimag(product), exponent));
	/* 0 if a pivot is 0, whatever the pivots before it */
	*(ELEMENT *) determinant = info > 0 ? 0 : (ELEMENT) product;
	release(pivots);
	return MIN(info, 0);
}

static int
FUNCTION(cholesky)(int n, void *a)
{
	ELEMENT *columns = a;
	int info = FUNCTION(lower_cholesky)(n, a);

	for (int64_t j = 1; j < n; j++)
		memset(columns + j * n, 0, sizeof(ELEMENT) * (size_t) j);
	return info;
}

static int
FUNCTION(qr)(int m, int n, void *a, void *r)
{
	int k = MIN(m, n);
	ELEMENT *tau = ALLOCATE(ELEMENT, k);

	FUNCTION(qr_factor)(m, n, a, tau);
	FUNCTION(qr_upper)(m, n, a, r);
	FUNCTION(qr_form)(m, k, a, tau);
	release(tau);
	return 0;
}

/*
 * Scales a matrix if its largest element is so small or so large that squares of elements
 * leave the range of the type. *scaled is its largest element afterwards, the nearer
 * limit. Returns the largest element before.
 */
static REAL
FUNCTION(scale)(int m, int n, ELEMENT *a, REAL least, REAL most, REAL *scaled)
{
	const lapack_int zero = 0;
	REAL largest = (REAL) FUNCTION(norm)(MATRIX_NORM_MAX, m, n, a);
	lapack_int info;

	*scaled = largest == 0 ? 1 : MAX(MIN(largest, most), least);
	if (largest == 0)
		return 1;
	if (largest != *scaled)
		CALL(lascl)("G", &zero, &zero, &largest, scaled, &m, &n, a, &m, &info);
	return largest;
}

/* to (n x m) becomes the adjoint of a (m x n). */
static void
FUNCTION(adjoint)(int m, int n, const ELEMENT *a, ELEMENT *to)
{
	for (int64_t i = 0; i < m; i++)
	{
		for (int64_t j = 0; j < n; j++)
			to[j + i * n] = CONJUGATE(a[i + j * m]);
		kernel_host.check_interrupts();
	}
}

/* Singular value decomposition of a matrix with m >= n; u and vt may be NULL. */
static int
FUNCTION(svd_of_tall)(int m, int n, ELEMENT *a, REAL *s, ELEMENT *u, ELEMENT *vt)
{
	REAL *e = ALLOCATE(REAL, n);
	ELEMENT *tauq = ALLOCATE(ELEMENT, n);
	ELEMENT *taup = ALLOCATE(ELEMENT, n);
	lapack_int *integers = ALLOCATE(lapack_int, 8 * (int64_t) n);
	REAL *work = ALLOCATE(REAL, u == NULL ? 4 * (int64_t) n
										  : 3 * (int64_t) n * n + 4 * (int64_t) n);
	REAL no_vectors;
	lapack_int no_integers;
	const lapack_int one = 1;
	lapack_int info;

	FUNCTION(bidiagonal)(m, n, a, s, e, tauq, taup);
	if (u == NULL)
		REAL_CALL(bdsdc)
	("U", "N", &n, s, e, &no_vectors, &one, &no_vectors, &one, &no_vectors, &no_integers,
	 work, integers, &info);
	else
	{
		REAL *left = ALLOCATE(REAL, (int64_t) n * n);
		REAL *right = ALLOCATE(REAL, (int64_t) n * n);

		REAL_CALL(bdsdc)
		("U", "I", &n, s, e, left, &n, right, &n, &no_vectors, &no_integers, work,
		 integers, &info);
		memset(u, 0, sizeof(ELEMENT) * (size_t) m * (size_t) n);
		for (int64_t j = 0; j < n; j++)
			for (int64_t i = 0; i < n; i++)
			{
				u[i + j * m] = left[i + j * n];
				vt[i + j * n] = right[i + j * n];
			}
		release(right);
		release(left);
		FUNCTION(apply_bidiagonal_q)(m, n, a, tauq, u);
		FUNCTION(apply_bidiagonal_p)(m, n, a, taup, vt);
	}
	release(work);
	release(integers);
	release(taup);
	release(tauq);
	release(e);
	return info;
}

/*
 * Singular value decomposition as above, by way of the factor R of QR if the matrix has
 * many more rows than columns.
 */
static int
FUNCTION(svd_by_qr)(int m, int n, ELEMENT *a, REAL *s, ELEMENT *u, ELEMENT *vt)
{
	ELEMENT *tau;
	ELEMENT *r;
	ELEMENT *left = NULL;
	int info;

	/* as LAPACK's gesdd chooses */
	if (m < 11 * (int64_t) n / 6 || m == n)
		return FUNCTION(svd_of_tall)(m, n, a, s, u, vt);
	tau = ALLOCATE(ELEMENT, n);
	r = ALLOCATE(ELEMENT, (int64_t) n * n);
	FUNCTION(qr_factor)(m, n, a, tau);
	FUNCTION(qr_upper)(m, n, a, r);
	if (u != NULL)
		left = ALLOCATE(ELEMENT, (int64_t) n * n);
	info = FUNCTION(svd_of_tall)(n, n, r, s, left, vt);
	if (u != NULL)
	{
		FUNCTION(qr_form)(m, n, a, tau);
		FUNCTION(product)(CblasNoTrans, m, n, n, a, m, left, n, u, m);
		release(left);
	}
	release(r);
	release(tau);
	return info;
}

static int
FUNCTION(svd)(int m, int n, void *a, void *s, void *u, void *vt)
{
	const REAL least = (REAL) (sqrt((double) REAL_MINIMUM) / REAL_EPSILON);
	const lapack_int zero = 0;
	const lapack_int one = 1;
	int k = MIN(m, n);
	REAL scaled;
	REAL largest = FUNCTION(scale)(m, n, a, least, 1 / least, &scaled);
	lapack_int info;

	if (m >= n)
		info = FUNCTION(svd_by_qr)(m, n, a, s, u, vt);
	else
	{
		/* a = u s vt where a* = vt* s u* */
		ELEMENT *tall = ALLOCATE(ELEMENT, (int64_t) m * n);
		ELEMENT *left = u == NULL ? NULL : ALLOCATE(ELEMENT, (int64_t) n * m);
		ELEMENT *right = u == NULL ? NULL : ALLOCATE(ELEMENT, (int64_t) m * m);

		FUNCTION(adjoint)(m, n, a, tall);
		info = FUNCTION(svd_by_qr)(n, m, tall, s, left, right);
		if (u != NULL)
		{
			FUNCTION(adjoint)(m, m, right, u);
			FUNCTION(adjoint)(n, m, left, vt);
			release(right);
			release(left);
		}
		release(tall);
	}
	if (scaled != largest)
	{
		lapack_int ignored;

		REAL_CALL(lascl)("G", &zero, &zero, &scaled, &largest, &k, &one, s, &k, &ignored);
	}
	return info;
}

static int
FUNCTION(eigen)(int n, void *a, void *eigenvalues)
{
	const REAL least = (REAL) sqrt((double) REAL_MINIMUM / REAL_EPSILON);
	const lapack_int zero = 0;
	const lapack_int one = 1;
	REAL scaled;
	REAL largest = FUNCTION(scale)(n, n, a, least, 1 / least, &scaled);
	REAL *e = ALLOCATE(REAL, n);
	ELEMENT *tau = ALLOCATE(ELEMENT, n);
	REAL *vectors = ALLOCATE(REAL, (int64_t) n * n);
	ELEMENT *result = ALLOCATE(ELEMENT, (int64_t) n * n);
	REAL answer = 0;
	REAL *work;
	lapack_int *integers;
	lapack_int integers_answer = 0;
	lapack_int size = -1;
	lapack_int nintegers = -1;
	lapack_int info;

	FUNCTION(tridiagonal)(n, a, eigenvalues, e, tau);
	REAL_CALL(stedc)
	("I", &n, eigenvalues, e, vectors, &n, &answer, &size, &integers_answer, &nintegers,
	 &info);
	size = work_size((double) answer);
	nintegers = integers_answer;
	work = ALLOCATE(REAL, size);
	integers = ALLOCATE(lapack_int, nintegers);
	REAL_CALL(stedc)
	("I", &n, eigenvalues, e, vectors, &n, work, &size, integers, &nintegers, &info);
	release(integers);
	release(work);
	for (int64_t i = 0; i < (int64_t) n * n; i++)
		result[i] = vectors[i];
	FUNCTION(apply_tridiagonal_q)(n, a, tau, result);
	memcpy(a, result, sizeof(ELEMENT) * (size_t) n * (size_t) n);
	release(result);
	release(vectors);
	release(tau);
	release(e);
	if (scaled != largest)
	{
		lapack_int ignored;

		REAL_CALL(lascl)
		("G", &zero, &zero, &scaled, &largest, &n, &one, eigenvalues, &n, &ignored);
	}
	return info;
}

/*
 * Solves by the singular value decomposition: x = v (u* b / s). LAPACK's own driver
 * (gelsd) takes 90 s for 2048 right sides of 2048 rows, as it does not form u and v, and
 * applies each of their steps to all right sides.
 */
static int
FUNCTION(least_squares)(int m, int n, int k, void *a, void *b)
{
	const REAL least = (REAL) (sqrt((double) REAL_MINIMUM) / REAL_EPSILON);
	const lapack_int zero = 0;
	int rows = MAX(m, n);
	int few = MIN(m, n);
	REAL *s = ALLOCATE(REAL, few);
	ELEMENT *u = ALLOCATE(ELEMENT, (int64_t) m * few);
	ELEMENT *vt = ALLOCATE(ELEMENT, (int64_t) few * n);
	ELEMENT *y = ALLOCATE(ELEMENT, (int64_t) few * k);
	REAL scaled;
	REAL largest = FUNCTION(scale)(rows, k, b, least, 1 / least, &scaled);
	int info = FUNCTION(svd)(m, n, a, s, u, vt);

	if (info == 0)
	{
		FUNCTION(product)(CblasConjTrans, few, k, m, u, m, b, rows, y, few);
		for (int64_t j = 0; j < k; j++)
			for (int64_t i = 0; i < few; i++)
				y[i + j * few] =
					s[i] > REAL_EPSILON * (REAL) rows * s[0] ? y[i + j * few] / s[i] : 0;
		FUNCTION(product)(CblasConjTrans, n, k, few, vt, few, y, few, b, rows);
		if (scaled != largest)
		{
			lapack_int ignored;

			CALL(lascl)("G", &zero, &zero, &scaled, &largest, &n, &k, b, &rows, &ignored);
		}
	}
	release(y);
	release(vt);
	release(u);
	release(s);
	return info;
}

static bool
FUNCTION(all_finite)(int64_t n, const void *elements)
{
	const REAL *parts = elements;

	for (int64_t i = 0; i < n * (1 + IS_COMPLEX); i++)
		if (!isfinite(parts[i]))
			return false;
	return true;
}

static bool
FUNCTION(hermitian)(int n, const void *a, double tolerance)
{
	const ELEMENT *columns = a;
	double allowed = tolerance * FUNCTION(norm)(MATRIX_NORM_MAX, n, n, a);

	for (int64_t j = 0; j < n; j++)
	{
		kernel_host.check_interrupts();
		for (int64_t i = 0; i <= j; i++)
			if (cabs((double _Complex) columns[j * n + i] -
					 conj((double _Complex) columns[i * n + j])) > allowed)
				return false;
	}
	return true;
}

static const MatrixKernels FUNCTION(kernels) = {
	.type = TYPE,
	.real = REAL_TYPE,
	.epsilon = REAL_EPSILON,
	.solve = FUNCTION(solve),
	.invert = FUNCTION(invert),
	.determinant = FUNCTION(determinant),
	.cholesky = FUNCTION(cholesky),
	.qr = FUNCTION(qr),
	.svd = FUNCTION(svd),
	.eigen = FUNCTION(eigen),
	.least_squares = FUNCTION(least_squares),
	.norm = FUNCTION(norm),
	.all_finite = FUNCTION(all_finite),
	.hermitian = FUNCTION(hermitian),
};

#undef ADJOINT
#undef UNITARY
#undef FACTOR
#undef REAL_LETTER
#undef BLAS_HERMITIAN
#undef TRIDIAGONAL
#undef CONJUGATE
#undef REAL_MINIMUM
#undef LETTER
#undef TYPE
#undef REAL_TYPE
#undef ELEMENT
#undef REAL
#undef REAL_EPSILON
#undef IS_COMPLEX
