/*-------------------------------------------------------------------------
 *
 * mixed_template.h
 *	  The kernels whose operands and results differ in precision. Included by
 *	  kernels.c after the kernels of the operands' type, with
 *
 *	  T				the operands' element type
 *	  C				the result's element type
 *	  S				the wider of the two, in which it computes
 *	  NAME(f)		the name of function f for both types
 *	  SAME(f)		the name of function f for the operands' type
 *	  FACTOR(s)		a Scalar as S
 *	  TYPE			the operands' ElementType
 *	  AXPY(n, s, a, c)	for contiguous vectors
 *	  PRODUCTS		whether there are kernels of two operands
 *
 *	  No include guard.
 *
 *-------------------------------------------------------------------------
 */

/* Returns s x; s = 1 is left out as in kernels_template.h. */
static inline S
NAME(scaled)(S s, S x)
{
	return s == 1 ? x : s * x;
}

/* c[i] += s a[i] */
static inline void
NAME(axpy_strip)(int64_t n, S s, const T *restrict a, int64_t sa, C *restrict c,
				 int64_t sc)
{
	if (sa == 1 && sc == 1)
		AXPY(n, s, a, c);
	else
		for (int64_t i = 0; i < n; i++)
			c[i * sc] += (C) NAME(scaled)(s, (S) a[i * sa]);
}

static void
NAME(add)(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	NAME(axpy_strip)
	(plan->m.extent, FACTOR(scale), a, plan->m.stride[ROLE_A], c, plan->m.stride[ROLE_C]);
}

static void
NAME(transpose)(const DensePlan *plan, const void *va, const void *vb, void *vc,
				Scalar scale)
{
	const T *restrict a = va;
	C *restrict c = vc;
	S s = FACTOR(scale);
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
		for (int64_t j = 0; j < plan->n.extent; j++)
			for (int64_t i = i0; i < i1; i++)
				c[i * sc + j] += (C) NAME(scaled)(s, (S) a[i + j * sa]);
	}
}

#if PRODUCTS
static void
NAME(sum)(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	*(C *) c += NAME(scaled)(FACTOR(scale),
							 SAME(sum_strip)(plan->m.extent, a, plan->m.stride[ROLE_A]));
}

static void
NAME(multiply)(const DensePlan *plan, const void *va, const void *vb, void *vc,
			   Scalar scale)
{
	const T *restrict a = va;
	const T *restrict b = vb;
	C *restrict c = vc;
	S s = FACTOR(scale);
	int64_t n = plan->m.extent;
	int64_t sa = plan->m.stride[ROLE_A];
	int64_t sb = plan->m.stride[ROLE_B];
	int64_t sc = plan->m.stride[ROLE_C];

	if (sa == 1 && sb == 1 && sc == 1)
		for (int64_t i = 0; i < n; i++)
			c[i] += s * (S) a[i] * (S) b[i];
	else
		for (int64_t i = 0; i < n; i++)
			c[i * sc] += s * (S) a[i * sa] * (S) b[i * sb];
}

static void
NAME(axpy)(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	NAME(axpy_strip)
	(plan->m.extent, FACTOR(scale) * (S) * (const T *) b, a, plan->m.stride[ROLE_A], c,
	 plan->m.stride[ROLE_C]);
}

static void
NAME(dot)(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	*(C *) c +=
		FACTOR(scale) * (S) SAME(dot_strip)(plan->m.extent, a, plan->m.stride[ROLE_A], b,
											plan->m.stride[ROLE_B]);
}

static void
NAME(ger)(const DensePlan *plan, const void *va, const void *vb, void *vc, Scalar scale)
{
	const T *a = va;
	C *c = vc;
	S s = FACTOR(scale);

	for (int64_t i = 0; i < plan->m.extent; i++)
		NAME(axpy_strip)
	(plan->n.extent, s * (S) a[i * plan->m.stride[ROLE_A]], vb, plan->n.stride[ROLE_B],
	 c + i * plan->m.stride[ROLE_C], 1);
}

/* Computes a product by BLAS in the operands' type, and adds s times it to the result. */
static void
NAME(add_product)(const DensePlan *plan, DenseKernelFunction kernel, const void *a,
				  const void *b, C *c, S s)
{
	DensePlan product = *plan;
	Workspace workspace;
	int64_t m = plan->m.extent;
	int64_t n = plan->n.extent;
	const T *row;

	workspace_open(&workspace, TYPE, m * n);
	product.m.stride[ROLE_C] = n;
	product.n.stride[ROLE_C] = 1;
	kernel(&product, a, b, workspace.data, 1);
	row = workspace.data;
	if (n == 1)
		NAME(axpy_strip)(m, s, row, 1, c, plan->m.stride[ROLE_C]);
	else
		for (int64_t i = 0; i < m; i++, row += n)
			NAME(axpy_strip)(n, s, row, 1, c + i * plan->m.stride[ROLE_C], 1);
	workspace_close(&workspace);
}

static void
NAME(gemv)(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	NAME(add_product)(plan, SAME(gemv), a, b, c, FACTOR(scale));
}

static void
NAME(gemm)(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	NAME(add_product)(plan, SAME(gemm), a, b, c, FACTOR(scale));
}
#endif
