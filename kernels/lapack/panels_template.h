/*-------------------------------------------------------------------------
 *
 * panels_template.h
 *	  Factorisations in panels, for one element type: LAPACK's own blocked algorithms,
 *	  with an interrupt check after every panel of columns.
 *
 * Included by matrix_template.h, with its parameters.
 *
 * LAPACK's drivers cannot be interrupted, and their time grows with the cube of
 * the size: a singular value decomposition of 2048 x 2048 takes 5 s. But each
 * driver is a loop over panels, whose steps are functions of LAPACK too (getrf
 * and larft of a panel, labrd, latrd) or of BLAS. So this file has these loops,
 * and applies a panel to only as many columns at a time as may be computed
 * without a check. Not divided are bdsdc and stedc, the divide and conquer over
 * a matrix of two diagonals: 0.8 s and 0.3 s at 2048 (Zen 5, code for Haswell,
 * 2026-11), the largest size that callers allow.
 *
 * Method and formulas: LAPACK's dgetrf, dpotrf, dgeqrf, dorgqr, dgebrd, dsytrd
 * and dgesdd (LAPACK Users' Guide, section 2.4).
 *
 *-------------------------------------------------------------------------
 */

#if IS_COMPLEX
#define BLAS_HERMITIAN(name) BLAS(PASTE(he, name))
#define TRIDIAGONAL hetrd
#define CONJUGATE(number) (ELEMENT) conj(number)
#define ADJOINT "C"
#define UNITARY(name) CALL(PASTE(un, name))
#define FACTOR(number) (&(ELEMENT){number})
#else
#define BLAS_HERMITIAN(name) BLAS(PASTE(sy, name))
#define TRIDIAGONAL sytrd
#define CONJUGATE(number) (number)
#define ADJOINT "T"
#define UNITARY(name) CALL(PASTE(or, name))
#define FACTOR(number) (number)
#endif

/* LAPACKE's header does not declare these two functions of LAPACK. */
extern void CALL_UNDECLARED(labrd)(const lapack_int *m, const lapack_int *n,
								   const lapack_int *nb, ELEMENT *a,
								   const lapack_int *lda, REAL *d, REAL *e, ELEMENT *tauq,
								   ELEMENT *taup, ELEMENT *x, const lapack_int *ldx,
								   ELEMENT *y, const lapack_int *ldy);
extern void CALL_UNDECLARED(latrd)(const char *uplo, const lapack_int *n,
								   const lapack_int *nb, ELEMENT *a,
								   const lapack_int *lda, REAL *e, ELEMENT *tau,
								   ELEMENT *w, const lapack_int *ldw, size_t uplo_length);

/*
 * Returns how many columns are computed between two interrupt checks, if one column
 * takes the given number of multiplications.
 */
static int
FUNCTION(columns_at_once)(double multiplications, int columns)
{
	double most =
		matrix_work_between_checks / (IS_COMPLEX ? 4.0 : 1.0) / MAX(multiplications, 1);

	return most < 1 ? 1 : most < columns ? (int) most : columns;
}

/* c -= a b, where c is m x n and the sum is over k. */
static void
FUNCTION(subtract_product)(CBLAS_TRANSPOSE transpose, int m, int n, int k,
						   const ELEMENT *a, int lda, const ELEMENT *b, int ldb,
						   ELEMENT *c, int ldc)
{
	if (m > 0 && n > 0)
		BLAS(gemm)
	(CblasColMajor, CblasNoTrans, transpose, m, n, k, FACTOR(-1), a, lda, b, ldb,
	 FACTOR(1), c, ldc);
}

/* c = op(a) b, where c is m x n and the sum is over k; computed in panels of columns. */
static void
FUNCTION(product)(CBLAS_TRANSPOSE transpose, int m, int n, int k, const ELEMENT *a,
				  int lda, const ELEMENT *b, int ldb, ELEMENT *c, int ldc)
{
	int step = FUNCTION(columns_at_once)((double) m * k, n);

	for (int j = 0; j < n; j += step)
	{
		BLAS(gemm)
		(CblasColMajor, transpose, CblasNoTrans, m, MIN(step, n - j), k, FACTOR(1), a,
		 lda, b + (int64_t) j * ldb, ldb, FACTOR(0), c + (int64_t) j * ldc, ldc);
		kernel_host.check_interrupts();
	}
}

/*
 * a becomes its LU factors with partial pivoting. Returns the number (from 1) of the
 * first pivot that is 0, or 0.
 */
static int
FUNCTION(lu)(int n, ELEMENT *a, lapack_int *pivots)
{
	const lapack_int forward = 1;
	lapack_int singular = 0;

	for (int j = 0; j < n; j += PANEL)
	{
		int width = MIN(PANEL, n - j);
		int rows = n - j;
		int step = FUNCTION(columns_at_once)((double) rows * width, n);
		lapack_int first = j + 1;
		lapack_int last = j + width;
		ELEMENT *panel = a + j + (int64_t) j * n;
		lapack_int info;

		CALL(getrf)(&rows, &width, panel, &n, pivots + j, &info);
		if (info > 0 && singular == 0)
			singular = info + j;
		for (int i = j; i < j + width; i++)
			pivots[i] += j;
		if (j > 0)
			CALL(laswp)(&j, a, &n, &first, &last, pivots, &forward);
		for (int c = j + width; c < n; c += step)
		{
			int some = MIN(step, n - c);
			ELEMENT *columns = a + (int64_t) c * n;

			CALL(laswp)(&some, columns, &n, &first, &last, pivots, &forward);
			BLAS(trsm)
			(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, width, some,
			 FACTOR(1), panel, n, columns + j, n);
			FUNCTION(subtract_product)
			(CblasNoTrans, rows - width, some, width, panel + width, n, columns + j, n,
			 columns + j + width, n);
			kernel_host.check_interrupts();
		}
	}
	return singular;
}

/* Solves a system whose matrix has the LU factors a: b (n x k) becomes the solution. */
static void
FUNCTION(lu_solve)(int n, int k, const ELEMENT *a, const lapack_int *pivots, ELEMENT *b)
{
	int step = FUNCTION(columns_at_once)((double) n * n, k);

	for (int j = 0; j < k; j += step)
	{
		int some = MIN(step, k - j);
		lapack_int info;

		CALL(getrs)("N", &n, &some, a, &n, pivots, b + (int64_t) j * n, &n, &info);
		kernel_host.check_interrupts();
	}
}

/*
 * a becomes its lower Cholesky factor. Returns the order of the first minor that is not
 * positive, or 0.
 */
static int
FUNCTION(lower_cholesky)(int n, ELEMENT *a)
{
	for (int j = 0; j < n; j += PANEL)
	{
		int width = MIN(PANEL, n - j);
		int below = n - j - width;
		int step = FUNCTION(columns_at_once)((double) below * width, n);
		ELEMENT *panel = a + j + (int64_t) j * n;
		lapack_int info;

		CALL(potrf)("L", &width, panel, &n, &info);
		if (info != 0)
			return info + j;
		if (below > 0)
			BLAS(trsm)
		(CblasColMajor, CblasRight, CblasLower, CblasConjTrans, CblasNonUnit, below,
		 width, FACTOR(1), panel, n, panel + width, n);
		for (int c = j + width; c < n; c += step)
		{
			int some = MIN(step, n - c);
			ELEMENT *left = a + c + (int64_t) j * n;
			ELEMENT *right = a + c + (int64_t) c * n;

			BLAS_HERMITIAN(rk)
			(CblasColMajor, CblasLower, CblasNoTrans, some, width, -1, left, n, 1, right,
			 n);
			FUNCTION(subtract_product)
			(CblasConjTrans, n - c - some, some, width, left + some, n, left, n,
			 right + some, n);
			kernel_host.check_interrupts();
		}
	}
	return 0;
}

/*
 * Returns the number of columns in a panel of reflectors of m rows: fewer if columns are
 * long.
 */
static int
FUNCTION(reflectors_at_once)(int m)
{
	int panel = REFLECTORS;

	while (panel > 1 && (double) m * panel * panel > matrix_work_between_checks)
		panel /= 2;
	return panel;
}

/* Applies a panel of reflectors, or its adjoint, to columns of m rows. */
static void
FUNCTION(reflect)(const char *adjoint, int m, int columns, int reflectors,
				  const ELEMENT *v, int ldv, const ELEMENT *tau, ELEMENT *c, int ldc)
{
	int step = FUNCTION(columns_at_once)(2.0 * m * reflectors, columns);
	ELEMENT *t = ALLOCATE(ELEMENT, reflectors * reflectors);
	ELEMENT *work = ALLOCATE(ELEMENT, (int64_t) step * reflectors);

	CALL(larft)("F", "C", &m, &reflectors, v, &ldv, tau, t, &reflectors);
	for (int j = 0; j < columns; j += step)
	{
		int some = MIN(step, columns - j);

		CALL(larfb)
		("L", adjoint, "F", "C", &m, &some, &reflectors, v, &ldv, t, &reflectors,
		 c + (int64_t) j * ldc, &ldc, work, &step);
		kernel_host.check_interrupts();
	}
	release(work);
	release(t);
}

/*
 * QR-factors a (m x n): it becomes R, and below R the min(m, n) reflectors with factors
 * tau.
 */
static void
FUNCTION(qr_factor)(int m, int n, ELEMENT *a, ELEMENT *tau)
{
	int panel = FUNCTION(reflectors_at_once)(m);
	lapack_int size = panel * panel;
	ELEMENT *work = ALLOCATE(ELEMENT, size);

	for (int j = 0; j < MIN(m, n); j += panel)
	{
		int width = MIN(panel, MIN(m, n) - j);
		int rows = m - j;
		ELEMENT *v = a + j + (int64_t) j * m;
		lapack_int info;

		CALL(geqrf)(&rows, &width, v, &m, tau + j, work, &size, &info);
		kernel_host.check_interrupts();
		if (j + width < n)
			FUNCTION(reflect)
		(ADJOINT, rows, n - j - width, width, v, m, tau + j, v + (int64_t) width * m, m);
	}
	release(work);
}

/* Replaces the first k columns of a, which hold reflectors, by the columns of Q. */
static void
FUNCTION(qr_form)(int m, int k, ELEMENT *a, const ELEMENT *tau)
{
	int panel = FUNCTION(reflectors_at_once)(m);
	lapack_int size = panel * panel;
	ELEMENT *work = ALLOCATE(ELEMENT, size);

	for (int j = (k - 1) / panel * panel; j >= 0; j -= panel)
	{
		int width = MIN(panel, k - j);
		int rows = m - j;
		ELEMENT *v = a + j + (int64_t) j * m;
		lapack_int info;

		if (j + width < k)
			FUNCTION(reflect)
		("N", rows, k - j - width, width, v, m, tau + j, v + (int64_t) width * m, m);
		UNITARY(gqr)(&rows, &width, &width, v, &m, tau + j, work, &size, &info);
		for (int64_t c = j; c < j + width; c++)
			memset(a + c * m, 0, sizeof(ELEMENT) * (size_t) j);
		kernel_host.check_interrupts();
	}
	release(work);
}

/* r (k x n) becomes the upper triangle of a (m x n), where k = min(m, n). */
static void
FUNCTION(qr_upper)(int m, int n, const ELEMENT *a, ELEMENT *r)
{
	int k = MIN(m, n);

	for (int64_t j = 0; j < n; j++)
	{
		int64_t above = MIN(j + 1, k);
		ELEMENT *to = r + j * k;

		memcpy(to, a + j * m, sizeof(ELEMENT) * (size_t) above);
		memset(to + above, 0, sizeof(ELEMENT) * (size_t) (k - above));
	}
}

/*
 * Reduces a (m x n, m >= n) to two diagonals, d and above it e; a becomes the reflectors
 * that do this.
 */
static void
FUNCTION(bidiagonal)(int m, int n, ELEMENT *a, REAL *d, REAL *e, ELEMENT *tauq,
					 ELEMENT *taup)
{
	const int nb = REFLECTORS;
	ELEMENT *x = ALLOCATE(ELEMENT, (int64_t) m * nb);
	ELEMENT *y = ALLOCATE(ELEMENT, (int64_t) n * nb);
	ELEMENT answer = 0;
	ELEMENT *work;
	lapack_int size = -1;
	lapack_int info;
	int i = 0;

	for (; n - i > 2 * nb; i += nb)
	{
		int rows = m - i;
		int columns = n - i;
		ELEMENT *panel = a + i + (int64_t) i * m;
		ELEMENT *rest = panel + nb + (int64_t) nb * m;

		CALL_UNDECLARED(labrd)
		(&rows, &columns, &nb, panel, &m, d + i, e + i, tauq + i, taup + i, x, &m, y, &n);
		kernel_host.check_interrupts();
		FUNCTION(subtract_product)
		(CblasConjTrans, rows - nb, columns - nb, nb, panel + nb, m, y + nb, n, rest, m);
		kernel_host.check_interrupts();
		FUNCTION(subtract_product)
		(CblasNoTrans, rows - nb, columns - nb, nb, x + nb, m, panel + (int64_t) nb * m,
		 m, rest, m);
		kernel_host.check_interrupts();
		/* labrd leaves 1 in the places of the diagonals, for its reflectors */
		for (int64_t j = i; j < i + nb; j++)
		{
			a[j + j * m] = d[j];
			a[j + (j + 1) * m] = e[j];
		}
	}
	{
		int rows = m - i;
		int columns = n - i;

		CALL(gebrd)
		(&rows, &columns, a + i + (int64_t) i * m, &m, d + i, e + i, tauq + i, taup + i,
		 &answer, &size, &info);
		size = work_size((double) answer);
		work = ALLOCATE(ELEMENT, size);
		CALL(gebrd)
		(&rows, &columns, a + i + (int64_t) i * m, &m, d + i, e + i, tauq + i, taup + i,
		 work, &size, &info);
		release(work);
	}
	release(y);
	release(x);
}

/*
 * Reduces a (n x n, Hermitian, lower triangle) to its diagonal d and the diagonal e
 * beside it; a becomes the reflectors that do this.
 */
static void
FUNCTION(tridiagonal)(int n, ELEMENT *a, REAL *d, REAL *e, ELEMENT *tau)
{
	const int nb = REFLECTORS;
	ELEMENT *w = ALLOCATE(ELEMENT, (int64_t) n * nb);
	ELEMENT answer = 0;
	ELEMENT *work;
	lapack_int size = -1;
	lapack_int info;
	int i = 0;
	int order;
	ELEMENT *rest;

	for (; n - i > 2 * nb; i += nb)
	{
		ELEMENT *panel = a + i + (int64_t) i * n;

		order = n - i;
		CALL_UNDECLARED(latrd)("L", &order, &nb, panel, &n, e + i, tau + i, w, &n, 1);
		kernel_host.check_interrupts();
		BLAS_HERMITIAN(r2k)
		(CblasColMajor, CblasLower, CblasNoTrans, order - nb, nb, FACTOR(-1), panel + nb,
		 n, w + nb, n, 1, panel + nb + (int64_t) nb * n, n);
		kernel_host.check_interrupts();
		for (int64_t j = i; j < i + nb; j++)
		{
			a[j + 1 + j * n] = e[j];
			d[j] = (REAL) a[j + j * n];
		}
	}
	order = n - i;
	rest = a + i + (int64_t) i * n;
	CALL(TRIDIAGONAL)
	("L", &order, rest, &n, d + i, e + i, tau + i, &answer, &size, &info);
	size = work_size((double) answer);
	work = ALLOCATE(ELEMENT, size);
	CALL(TRIDIAGONAL)("L", &order, rest, &n, d + i, e + i, tau + i, work, &size, &info);
	release(work);
	release(w);
}

/*
 * Multiplies c (m x n) by the Q of bidiagonal() from the left, in panels of columns; a is
 * m x n.
 */
static void
FUNCTION(apply_bidiagonal_q)(int m, int n, const ELEMENT *a, const ELEMENT *tauq,
							 ELEMENT *c)
{
	int step = FUNCTION(columns_at_once)(2.0 * m * n, n);
	ELEMENT answer = 0;
	ELEMENT *work;
	lapack_int size = -1;
	lapack_int info;

	UNITARY(mbr)
	("Q", "L", "N", &m, &step, &n, a, &m, tauq, c, &m, &answer, &size, &info);
	size = work_size((double) answer);
	work = ALLOCATE(ELEMENT, size);
	for (int j = 0; j < n; j += step)
	{
		int some = MIN(step, n - j);

		UNITARY(mbr)
		("Q", "L", "N", &m, &some, &n, a, &m, tauq, c + (int64_t) j * m, &m, work, &size,
		 &info);
		kernel_host.check_interrupts();
	}
	release(work);
}

/*
 * Multiplies c (n x n) by the adjoint of bidiagonal()'s P from the right, in panels of
 * rows.
 */
static void
FUNCTION(apply_bidiagonal_p)(int m, int n, const ELEMENT *a, const ELEMENT *taup,
							 ELEMENT *c)
{
	int step = FUNCTION(columns_at_once)(2.0 * n * n, n);
	ELEMENT answer = 0;
	ELEMENT *work;
	lapack_int size = -1;
	lapack_int info;

	UNITARY(mbr)
	("P", "R", ADJOINT, &step, &n, &n, a, &m, taup, c, &n, &answer, &size, &info);
	size = work_size((double) answer);
	work = ALLOCATE(ELEMENT, size);
	for (int i = 0; i < n; i += step)
	{
		int some = MIN(step, n - i);

		UNITARY(mbr)
		("P", "R", ADJOINT, &some, &n, &n, a, &m, taup, c + i, &n, work, &size, &info);
		kernel_host.check_interrupts();
	}
	release(work);
}

/* Multiplies c (n x n) by the Q of tridiagonal() from the left. */
static void
FUNCTION(apply_tridiagonal_q)(int n, const ELEMENT *a, const ELEMENT *tau, ELEMENT *c)
{
	int step = FUNCTION(columns_at_once)(2.0 * n * n, n);
	ELEMENT answer = 0;
	ELEMENT *work;
	lapack_int size = -1;
	lapack_int info;

	UNITARY(mtr)("L", "L", "N", &n, &step, a, &n, tau, c, &n, &answer, &size, &info);
	size = work_size((double) answer);
	work = ALLOCATE(ELEMENT, size);
	for (int j = 0; j < n; j += step)
	{
		int some = MIN(step, n - j);

		UNITARY(mtr)
		("L", "L", "N", &n, &some, a, &n, tau, c + (int64_t) j * n, &n, work, &size,
		 &info);
		kernel_host.check_interrupts();
	}
	release(work);
}
