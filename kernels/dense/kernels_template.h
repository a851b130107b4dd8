/*-------------------------------------------------------------------------
 *
 * kernels_template.h
 *	  The kernels of one element type. Included by kernels.c, with
 *
 *	  T					the element type
 *	  SUM				the one of double precision
 *	  NAME(f)			the name of function f for it
 *	  FACTOR(s)			a Scalar as T
 *	  REAL				whether it is
 *	  MULTIPLICATIONS	of real numbers in one of two elements
 *	  DIRECT_WORK		multiplications in the largest product that is ours, and
 *	  DIRECT_ALWAYS		the rows from which it is ours if B is small
 *	  BLAS(f)			its routines; BLAS_FACTOR(s) how they take a factor,
 *	  BLAS_GER			the one whose name is irregular
 *	  DOT(n, a, b), AXPY(n, s, a, c)	of contiguous vectors
 *
 *	  No include guard.
 *
 *-------------------------------------------------------------------------
 */

/*
 * Returns s x. s = 1 is left out for complex numbers: it would make the imaginary part of
 * an infinite x NaN.
 */
static inline T
NAME(scaled)(T s, T x)
{
	return !REAL && s == 1 ? x : s * x;
}

/* c[i] += s a[i], with steps sa and sc */
static inline void
NAME(axpy_strip)(int64_t n, T s, const T *restrict a, int64_t sa, T *restrict c,
				 int64_t sc)
{
	if (sa == 1 && sc == 1)
		AXPY(n, s, a, c);
	else
		for (int64_t i = 0; i < n; i++)
			c[i * sc] += NAME(scaled)(s, a[i * sa]);
}

/* returns the sum of a[i] b[i], with steps sa and sb */
static inline T
NAME(dot_strip)(int64_t n, const T *restrict a, int64_t sa, const T *restrict b,
				int64_t sb)
{
	T sum[4] = {0, 0, 0, 0};
	int64_t i = 0;

	if (sa == 1 && sb == 1)
		return DOT(n, a, b);
	for (; i + 4 <= n; i += 4)
		for (int j = 0; j < 4; j++)
			sum[j] += a[(i + j) * sa] * b[(i + j) * sb];
	for (; i < n; i++)
		sum[0] += a[i * sa] * b[i * sb];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void
NAME(add)(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	NAME(axpy_strip)
	(plan->m.extent, FACTOR(scale), a, plan->m.stride[ROLE_A], c, plan->m.stride[ROLE_C]);
}

/* returns the sum of a[i], in double precision */
KERNEL_CLONES static SUM
NAME(sum_strip)(int64_t left, const T *a, int64_t stride)
{
	SUM total = 0;

	while (left > 0)
	{
		int64_t n = left < SUM_PIECE ? left : SUM_PIECE;
		SUM sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
		int64_t i = 0;

		if (stride == 1)
			for (; i + 8 <= n; i += 8)
				for (int j = 0; j < 8; j++)
					sum[j] += a[i + j];
		else
			for (; i + 8 <= n; i += 8)
				for (int j = 0; j < 8; j++)
					sum[j] += a[(i + j) * stride];
		for (; i < n; i++)
			sum[0] += a[i * stride];
		total += ((sum[0] + sum[1]) + (sum[2] + sum[3])) +
				 ((sum[4] + sum[5]) + (sum[6] + sum[7]));
		a += n * stride;
		left -= n;
	}
	return total;
}

static void
NAME(sum)(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	SUM total = NAME(sum_strip)(plan->m.extent, a, plan->m.stride[ROLE_A]);

	*(T *) c += (T) (!REAL && scale == 1 ? total : (SUM) scale * total);
}

static void
NAME(transpose)(const DensePlan *plan, const void *va, const void *vb, void *vc,
				Scalar scale)
{
	const T *restrict a = va;
	T *restrict c = vc;
	T s = FACTOR(scale);
	int64_t sa = plan->n.stride[ROLE_A];
	int64_t sc = plan->m.stride[ROLE_C];
	int64_t left = TRANSPOSE_WORK;

	for (int64_t i0 = 0; i0 < plan->m.extent; i0 += TRANSPOSE_TILE)
	{
		int64_t i1 = i0 + TRANSPOSE_TILE;

		left -= plan->n.extent * TRANSPOSE_TILE;
		if (left < 0)
		{
			kernel_host.check_interrupts();
			left = TRANSPOSE_WORK;
		}
		if (i1 > plan->m.extent)
			i1 = plan->m.extent;
		for (int64_t j0 = 0; j0 < plan->n.extent; j0 += TRANSPOSE_TILE)
		{
			int64_t j1 = j0 + TRANSPOSE_TILE;

			if (j1 > plan->n.extent)
				j1 = plan->n.extent;
			for (int64_t i = i0; i < i1; i++)
				for (int64_t j = j0; j < j1; j++)
					c[i * sc + j] += NAME(scaled)(s, a[i + j * sa]);
		}
	}
}

static void
NAME(multiply)(const DensePlan *plan, const void *va, const void *vb, void *vc,
			   Scalar scale)
{
	const T *restrict a = va;
	const T *restrict b = vb;
	T *restrict c = vc;
	T s = FACTOR(scale);
	int64_t n = plan->m.extent;
	int64_t sa = plan->m.stride[ROLE_A];
	int64_t sb = plan->m.stride[ROLE_B];
	int64_t sc = plan->m.stride[ROLE_C];

	if (sa == 1 && sb == 1 && sc == 1)
		for (int64_t i = 0; i < n; i++)
			c[i] += s * a[i] * b[i];
	else
		for (int64_t i = 0; i < n; i++)
			c[i * sc] += s * a[i * sa] * b[i * sb];
}

static void
NAME(axpy)(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	NAME(axpy_strip)
	(plan->m.extent, FACTOR(scale) * *(const T *) b, a, plan->m.stride[ROLE_A], c,
	 plan->m.stride[ROLE_C]);
}

static void
NAME(dot)(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	*(T *) c += FACTOR(scale) * NAME(dot_strip)(plan->m.extent, a, plan->m.stride[ROLE_A],
												b, plan->m.stride[ROLE_B]);
}

/* Returns the lowest address of a vector, which BLAS wants also for negative steps. */
static inline const T *
NAME(lowest)(const T *x, int64_t n, int64_t stride)
{
	return stride < 0 ? x + (n - 1) * stride : x;
}

static void
NAME(gemv)(const DensePlan *plan, const void *va, const void *vb, void *vc, Scalar scale)
{
	const T *a = va;
	const T *b = vb;
	T *c = vc;
	T s = FACTOR(scale);
	T one = 1;
	int64_t m = plan->m.extent;
	int64_t k = plan->k.extent;
	int64_t am = plan->m.stride[ROLE_A];
	int64_t ak = plan->k.stride[ROLE_A];
	int64_t sb = plan->k.stride[ROLE_B];
	int64_t sc = plan->m.stride[ROLE_C];
	bool rows = ak == 1 && am >= k; /* row-major */

	if (m * k < BLAS_GEMV_MINIMUM)
	{
		if (rows)
			for (int64_t i = 0; i < m; i++)
				c[i * sc] += s * NAME(dot_strip)(k, a + i * am, 1, b, sb);
		else
			for (int64_t p = 0; p < k; p++)
				NAME(axpy_strip)(m, s * b[p * sb], a + p * ak, am, c, sc);
		return;
	}
	b = NAME(lowest)(b, k, sb);
	if (rows)
		BLAS(gemv)
	(CblasRowMajor, CblasNoTrans, (int) m, (int) k, BLAS_FACTOR(s), a, (int) am, b,
	 (int) sb, BLAS_FACTOR(one), c, (int) sc);
	else BLAS(gemv)(CblasRowMajor, CblasTrans, (int) k, (int) m, BLAS_FACTOR(s), a,
					(int) ak, b, (int) sb, BLAS_FACTOR(one), c, (int) sc);
}

static void
NAME(ger)(const DensePlan *plan, const void *va, const void *vb, void *vc, Scalar scale)
{
	const T *a = va;
	const T *b = vb;
	T *c = vc;
	T s = FACTOR(scale);
	int64_t m = plan->m.extent;
	int64_t n = plan->n.extent;
	int64_t sa = plan->m.stride[ROLE_A];
	int64_t sb = plan->n.stride[ROLE_B];
	int64_t sc = plan->m.stride[ROLE_C];

	if (m * n < BLAS_GEMV_MINIMUM)
	{
		for (int64_t i = 0; i < m; i++)
			NAME(axpy_strip)(n, s * a[i * sa], b, sb, c + i * sc, 1);
		return;
	}
	a = NAME(lowest)(a, m, sa);
	b = NAME(lowest)(b, n, sb);
	BLAS_GER(CblasRowMajor, (int) m, (int) n, BLAS_FACTOR(s), a, (int) sa, b, (int) sb, c,
			 (int) sc);
}

/*
 * Adds m rows of a product to C, for as many columns as V has elements; the sums of a row
 * stay in a register. B must be contiguous along the columns.
 */
#define DEFINE_COLUMNS(name, V)                                                          \
	static inline __attribute__((always_inline)) void name(                              \
		const DensePlan *plan, int64_t m, const T *a, const T *b, int64_t bk, T *c, T s) \
	{                                                                                    \
		int64_t k = plan->k.extent;                                                      \
		int64_t am = plan->m.stride[ROLE_A];                                             \
		int64_t ak = plan->k.stride[ROLE_A];                                             \
		int64_t cm = plan->m.stride[ROLE_C];                                             \
                                                                                         \
		for (int64_t i = 0; i < m; i++, a += am, c += cm)                                \
		{                                                                                \
			V sum = a[0] * *(const V *) b;                                               \
                                                                                         \
			for (int64_t p = 1; p < k; p++)                                              \
				sum += a[p * ak] * *(const V *) (b + p * bk);                            \
			*(V *) c += s * sum;                                                         \
		}                                                                                \
	}

DEFINE_COLUMNS(NAME(gemm_column), T)
#if REAL
typedef T NAME(wide) __attribute__((vector_size(32), aligned(sizeof(T)), may_alias));
typedef T NAME(narrow) __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));
DEFINE_COLUMNS(NAME(gemm_wide), NAME(wide))
DEFINE_COLUMNS(NAME(gemm_narrow), NAME(narrow))
#endif
#undef DEFINE_COLUMNS

#define WIDE ((int64_t) (32 / sizeof(T)))

/* Adds m rows of a product with a matrix B of up to DIRECT_B elements to C. */
KERNEL_CLONES_FUSED static void
NAME(direct_gemm)(const DensePlan *plan, int64_t m, const T *a, const T *b, T *c, T s)
{
	T copy[DIRECT_B];
	int64_t n = plan->n.extent;
	int64_t bk = plan->k.stride[ROLE_B];

	if (plan->n.stride[ROLE_B] != 1)
	{
		for (int64_t p = 0; p < plan->k.extent; p++)
			for (int64_t j = 0; j < n; j++)
				copy[p * n + j] = b[p * bk + j * plan->n.stride[ROLE_B]];
		b = copy;
		bk = n;
	}
#if REAL
	for (; n >= WIDE; n -= WIDE, b += WIDE, c += WIDE)
		NAME(gemm_wide)(plan, m, a, b, bk, c, s);
	if (n >= WIDE / 2)
	{
		NAME(gemm_narrow)(plan, m, a, b, bk, c, s);
		n -= WIDE / 2;
		b += WIDE / 2;
		c += WIDE / 2;
	}
#endif
	for (; n > 0; n--)
		NAME(gemm_column)(plan, m, a, b++, bk, c++, s);
}

#undef WIDE

/* Multiplies many rows by a small matrix B, with interrupt checks. */
static void
NAME(gemm_by_rows)(const DensePlan *plan, const T *a, const T *b, T *c, T s)
{
	for (int64_t i = 0; i < plan->m.extent; i += DIRECT_ROWS)
	{
		int64_t left = plan->m.extent - i;

		if (i > 0)
			kernel_host.check_interrupts();
		NAME(direct_gemm)
		(plan, left < DIRECT_ROWS ? left : DIRECT_ROWS, a + i * plan->m.stride[ROLE_A], b,
		 c + i * plan->m.stride[ROLE_C], s);
	}
}

/* Calls BLAS for the part of a product that is m x n x k and begins at these elements. */
static inline void
NAME(call_gemm)(const DensePlan *plan, const T *a, const T *b, T *c, int64_t m, int64_t n,
				int64_t k, T s)
{
	T one = 1;
	int64_t am = plan->m.stride[ROLE_A];
	int64_t ak = plan->k.stride[ROLE_A];
	int64_t bk = plan->k.stride[ROLE_B];
	int64_t bn = plan->n.stride[ROLE_B];
	bool a_rows = ak == 1 && am >= plan->k.extent;
	bool b_rows = bn == 1 && bk >= plan->n.extent;

	BLAS(gemm)
	(CblasRowMajor, a_rows ? CblasNoTrans : CblasTrans,
	 b_rows ? CblasNoTrans : CblasTrans, (int) m, (int) n, (int) k, BLAS_FACTOR(s), a,
	 (int) (a_rows ? am : ak), b, (int) (b_rows ? bk : bn), BLAS_FACTOR(one), c,
	 (int) plan->m.stride[ROLE_C]);
}

/* Computes a large product in panels, with an interrupt check between two panels. */
static void
NAME(gemm_by_panels)(const DensePlan *plan, const T *a, const T *b, T *c, T s)
{
	int64_t m = plan->m.extent;
	int64_t n = plan->n.extent;
	int64_t k = plan->k.extent;
	int64_t m_step;
	int64_t n_step;
	int64_t k_step;

	gemm_panel(plan, PANEL_WORK / MULTIPLICATIONS, &m_step, &n_step, &k_step);
	for (int64_t i = 0; i < m; i += m_step)
		for (int64_t j = 0; j < n; j += n_step)
			for (int64_t p = 0; p < k; p += k_step)
			{
				const T *from_a =
					a + i * plan->m.stride[ROLE_A] + p * plan->k.stride[ROLE_A];
				const T *from_b =
					b + p * plan->k.stride[ROLE_B] + j * plan->n.stride[ROLE_B];

				if (i + j + p > 0)
					kernel_host.check_interrupts();
				NAME(call_gemm)
				(plan, from_a, from_b, c + i * plan->m.stride[ROLE_C] + j,
				 m - i < m_step ? m - i : m_step, n - j < n_step ? n - j : n_step,
				 k - p < k_step ? k - p : k_step, s);
			}
}

static void
NAME(gemm)(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	T s = FACTOR(scale);
	int64_t b_count = plan->n.extent * plan->k.extent;

	if (b_count <= DIRECT_B_SMALL && plan->m.extent >= DIRECT_ALWAYS)
	{
		NAME(gemm_by_rows)(plan, a, b, c, s);
	}
	else if (plan->work <= DIRECT_WORK && b_count <= DIRECT_B)
	{
		NAME(direct_gemm)(plan, plan->m.extent, a, b, c, s);
	}
	else if (plan->work <= PANEL_WORK / MULTIPLICATIONS)
	{
		NAME(call_gemm)
		(plan, a, b, c, plan->m.extent, plan->n.extent, plan->k.extent, s);
	}
	else
	{
		NAME(gemm_by_panels)(plan, a, b, c, s);
	}
}
