/*-------------------------------------------------------------------------
 *
 * matrix_template.h
 *	  The functions of matrix.h for one element type. Included by matrix.c with
 *	  LETTER (LAPACK's s, d, c or z), TYPE, REAL_TYPE, ELEMENT, REAL,
 *	  REAL_EPSILON and IS_COMPLEX, which it undefines.
 *
 * Real and complex functions of LAPACK differ in name (orgqr, ungqr) and in the
 * real work space that the complex ones take besides.
 *
 *-------------------------------------------------------------------------
 */

static double
FUNCTION(norm)(MatrixNorm norm, int m, int n, const void *a)
{
	static const char kinds[] = {'1', 'I', 'F', 'M'};
	REAL *work = ALLOCATE(REAL, m);
	double result = (double) CALL(lange)(&kinds[norm], &m, &n, a, &m, work);

	release(work);
	return result;
}

/* LU factors; *rcond unless it is NULL. */
static int
FUNCTION(factor)(int n, ELEMENT *a, lapack_int *pivots, double *rcond)
{
	lapack_int info;
	REAL norm = rcond == NULL ? 0 : (REAL) FUNCTION(norm)(MATRIX_NORM_ONE, n, n, a);

	CALL(getrf)(&n, &n, a, &n, pivots, &info);
	if (rcond == NULL)
		return info;
	/* a norm that overflows says nothing */
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
		CALL(getrs)("N", &n, &k, a, &n, pivots, b, &n, &info);
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
		lapack_int size = -1;
		ELEMENT answer = 0;
		ELEMENT *work;

		CALL(getri)(&n, a, &n, pivots, &answer, &size, &info);
		size = MAX(work_size((double) answer), n);
		work = ALLOCATE(ELEMENT, size);
		CALL(getri)(&n, a, &n, pivots, work, &size, &info);
		release(work);
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
		/* keep the larger part near 1 */
		(void) frexp(MAX(fabs(creal(product)), fabs(cimag(product))), &step);
		product = CMPLX(ldexp(creal(product), -step), ldexp(cimag(product), -step));
		exponent += step;
	}
	product = CMPLX(scale_by_power(creal(product), exponent),
					scale_by_power(cimag(product), exponent));
	/* whatever the pivots before the one that is 0 */
	*(ELEMENT *) determinant = info > 0 ? 0 : (ELEMENT) product;
	release(pivots);
	return MIN(info, 0);
}

static int
FUNCTION(cholesky)(int n, void *a)
{
	lapack_int info;
	ELEMENT *columns = a;

	CALL(potrf)("L", &n, a, &n, &info);
	for (int64_t j = 1; j < n; j++)
		memset(columns + j * n, 0, sizeof(ELEMENT) * (size_t) j);
	return info;
}

static int
FUNCTION(qr)(int m, int n, void *a, void *r)
{
	int k = MIN(m, n);
	ELEMENT *tau = ALLOCATE(ELEMENT, k);
	ELEMENT *columns = a;
	ELEMENT answers[2] = {0, 0};
	ELEMENT *work;
	lapack_int size = -1;
	lapack_int info;

	CALL(geqrf)(&m, &n, a, &m, tau, &answers[0], &size, &info);
#if IS_COMPLEX
	CALL(ungqr)(&m, &k, &k, a, &m, tau, &answers[1], &size, &info);
#else
	CALL(orgqr)(&m, &k, &k, a, &m, tau, &answers[1], &size, &info);
#endif
	size = MAX(work_size((double) answers[0]), work_size((double) answers[1]));
	size = MAX(size, n);
	work = ALLOCATE(ELEMENT, size);
	CALL(geqrf)(&m, &n, a, &m, tau, work, &size, &info);
	if (info == 0)
	{
		for (int64_t j = 0; j < n; j++)
		{
			int64_t above = MIN(j + 1, k);
			ELEMENT *to = (ELEMENT *) r + j * k;

			memcpy(to, columns + j * m, sizeof(ELEMENT) * (size_t) above);
			memset(to + above, 0, sizeof(ELEMENT) * (size_t) (k - above));
		}
#if IS_COMPLEX
		CALL(ungqr)(&m, &k, &k, a, &m, tau, work, &size, &info);
#else
		CALL(orgqr)(&m, &k, &k, a, &m, tau, work, &size, &info);
#endif
	}
	release(work);
	release(tau);
	return info;
}

#if IS_COMPLEX
#define REAL_WORK real_work,
#else
#define REAL_WORK
#endif

static int
FUNCTION(svd)(int m, int n, void *a, void *s, void *u, void *vt)
{
	const char *job = u == NULL ? "N" : "S";
	int k = MIN(m, n);
	lapack_int *integers = ALLOCATE(lapack_int, 8 * (int64_t) k);
	ELEMENT answer = 0;
	ELEMENT *work;
	lapack_int size = -1;
	lapack_int info;
#if IS_COMPLEX
	int64_t wide = MAX(m, n);
	int64_t narrow = k;
	/* what zgesdd's documentation asks for, of all its versions the most */
	REAL *real_work = ALLOCATE(
		REAL, MAX(narrow * (5 * narrow + 7), 2 * narrow * (wide + narrow) + narrow));
#endif

	CALL(gesdd)
	(job, &m, &n, a, &m, s, u, &m, vt, &k, &answer, &size, REAL_WORK integers, &info);
	size = work_size((double) answer);
	work = ALLOCATE(ELEMENT, size);
	CALL(gesdd)
	(job, &m, &n, a, &m, s, u, &m, vt, &k, work, &size, REAL_WORK integers, &info);
	release(work);
#if IS_COMPLEX
	release(real_work);
#endif
	release(integers);
	return info;
}

static int
FUNCTION(eigen)(int n, void *a, void *eigenvalues)
{
	ELEMENT answer = 0;
	ELEMENT *work;
	lapack_int *integers;
	lapack_int size = -1;
	lapack_int nintegers = -1;
	lapack_int integers_answer = 0;
	lapack_int info;
#if IS_COMPLEX
	REAL real_answer = 0;
	REAL *real_work;
	lapack_int real_size = -1;

	CALL(heevd)
	("V", "L", &n, a, &n, eigenvalues, &answer, &size, &real_answer, &real_size,
	 &integers_answer, &nintegers, &info);
	real_size = work_size((double) real_answer);
	real_work = ALLOCATE(REAL, real_size);
#else
	CALL(syevd)
	("V", "L", &n, a, &n, eigenvalues, &answer, &size, &integers_answer, &nintegers,
	 &info);
#endif
	size = work_size((double) answer);
	nintegers = integers_answer;
	work = ALLOCATE(ELEMENT, size);
	integers = ALLOCATE(lapack_int, nintegers);
#if IS_COMPLEX
	CALL(heevd)
	("V", "L", &n, a, &n, eigenvalues, work, &size, real_work, &real_size, integers,
	 &nintegers, &info);
	release(real_work);
#else
	CALL(syevd)
	("V", "L", &n, a, &n, eigenvalues, work, &size, integers, &nintegers, &info);
#endif
	release(integers);
	release(work);
	return info;
}

static int
FUNCTION(least_squares)(int m, int n, int k, void *a, void *b)
{
	int rows = MAX(m, n);
	REAL *s = ALLOCATE(REAL, MIN(m, n));
	REAL rcond = REAL_EPSILON * (REAL) rows;
	ELEMENT answer = 0;
	ELEMENT *work;
	lapack_int integers_answer = 0;
	lapack_int *integers;
	lapack_int size = -1;
	lapack_int rank;
	lapack_int info;
#if IS_COMPLEX
	REAL real_answer = 0;
	REAL *real_work = &real_answer;
#endif

	CALL(gelsd)
	(&m, &n, &k, a, &m, b, &rows, s, &rcond, &rank, &answer, &size,
	 REAL_WORK & integers_answer, &info);
	size = work_size((double) answer);
	work = ALLOCATE(ELEMENT, size);
	integers = ALLOCATE(lapack_int, MAX(integers_answer, 1));
#if IS_COMPLEX
	real_work = ALLOCATE(REAL, work_size((double) real_answer));
#endif
	CALL(gelsd)
	(&m, &n, &k, a, &m, b, &rows, s, &rcond, &rank, work, &size, REAL_WORK integers,
	 &info);
#if IS_COMPLEX
	release(real_work);
#endif
	release(integers);
	release(work);
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
		for (int64_t i = 0; i <= j; i++)
			if (cabs((double _Complex) columns[j * n + i] -
					 conj((double _Complex) columns[i * n + j])) > allowed)
				return false;
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

#undef REAL_WORK
#undef LETTER
#undef TYPE
#undef REAL_TYPE
#undef ELEMENT
#undef REAL
#undef REAL_EPSILON
#undef IS_COMPLEX
