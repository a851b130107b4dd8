/*-------------------------------------------------------------------------
 *
 * kernels.c
 *	  The kernels of the four element types, generated from one template.
 *
 * Matrices and complex vectors go to BLAS, which chooses instructions at run
 * time; below the cutoffs, a plain loop is done before BLAS has looked at its
 * arguments. Real vectors have loops of their own (vector.c).
 *
 * Batches of small matrices are common (3 x 3 transformations, attention heads),
 * and a call of OpenBLAS costs as much as 4 x 4 x 4 multiplications by ten. The
 * direct products here take as little as half its time for real matrices B of up
 * to DIRECT_B elements.
 *
 *-------------------------------------------------------------------------
 */
#include <cblas.h>
#include <limits.h>

#include "kernels/clones.h"
#include "kernels/dense/plan.h"
#include "kernels/dense/workspace.h"
#include "kernels/vector.h"

/* Shortest complex vectors for which BLAS is faster than a loop. */
#define BLAS_VECTOR_MINIMUM 32
/* Matrices of fewer elements are multiplied with a vector by a loop, not by BLAS. */
#define BLAS_GEMV_MINIMUM 64
/*
 * Most elements of the matrix B in a direct product, without BLAS: DIRECT_B if the
 * product is small, DIRECT_B_SMALL with any number of rows. DIRECT_ROWS are between
 * interrupt checks.
 */
#define DIRECT_B 64
#define DIRECT_B_SMALL 16
#define DIRECT_ROWS (INT64_C(1) << 22)

/*
 * Real multiplications in one call of a matrix product, between two interrupt checks: 0.2
 * seconds on a core with registers of two numbers, 0.04 on one with eight.
 */
#define PANEL_WORK (INT64_C(1) << 30)
/*
 * Most contracted elements of a panel (BLAS blocks by these or fewer), and the fewest
 * rows for which it is worth that BLAS rearranges the panel of B.
 */
#define PANEL_DEPTH 384
#define PANEL_ROWS 512
/* Side of a square tile whose transposition stays in the first-level cache. */
#define TRANSPOSE_TILE 16
/* Elements between two interrupt checks; each may miss all caches. */
#define TRANSPOSE_WORK (INT64_C(1) << 23)
/* Long sums are added up in pieces, which limits rounding errors. */
#define SUM_PIECE 1024

/* Returns the size of equal parts into which an extent is cut, none larger than limit. */
static int64_t
even_part(int64_t extent, int64_t limit)
{
	int64_t parts = (extent + limit - 1) / limit;

	return (extent + parts - 1) / parts;
}

/*
 * Chooses the panels in which a matrix product of more than the given work is computed.
 * Cutting the contracted label costs least, as BLAS does it anyway; then the rows,
 * because BLAS is fastest with long columns.
 */
static void
gemm_panel(const DensePlan *plan, int64_t work, int64_t *m, int64_t *n, int64_t *k)
{
	*m = plan->m.extent;
	*n = plan->n.extent;
	*k = plan->k.extent;
	if (plan->work <= work)
		return;
	*k = even_part(*k, PANEL_DEPTH);
	*n = even_part(*n, work / (*k * (*m < PANEL_ROWS ? *m : PANEL_ROWS)));
	*m = even_part(*m, work / (*k * *n));
}

/* float */
#define T float
#define SUM double
#define REAL 1
#define MULTIPLICATIONS 1
#define DIRECT_WORK 512
#define DIRECT_ALWAYS 1
#define NAME(f) f##_float4
#define FACTOR(s) ((float) creal(s))
#define BLAS(f) cblas_s##f
#define BLAS_FACTOR(s) (s)
#define DOT vector_dot_float4
#define AXPY vector_axpy_float4
#define BLAS_GER cblas_sger
#include "kernels/dense/kernels_template.h"
#undef T
#undef SUM
#undef MULTIPLICATIONS
#undef DIRECT_WORK
#undef DIRECT_ALWAYS
#undef REAL
#undef NAME
#undef FACTOR
#undef BLAS
#undef BLAS_FACTOR
#undef DOT
#undef AXPY
#undef BLAS_GER

/* double */
#define T double
#define SUM double
#define REAL 1
#define MULTIPLICATIONS 1
#define DIRECT_WORK 343
#define DIRECT_ALWAYS 1
#define NAME(f) f##_float8
#define FACTOR(s) creal(s)
#define BLAS(f) cblas_d##f
#define BLAS_FACTOR(s) (s)
#define DOT vector_dot_float8
#define AXPY vector_axpy_float8
#define BLAS_GER cblas_dger
#include "kernels/dense/kernels_template.h"
#undef T
#undef SUM
#undef MULTIPLICATIONS
#undef DIRECT_WORK
#undef DIRECT_ALWAYS
#undef REAL
#undef NAME
#undef FACTOR
#undef BLAS
#undef BLAS_FACTOR
#undef DOT
#undef AXPY
#undef BLAS_GER

/* Dot product and axpy of contiguous complex vectors; vector.h has those of real ones. */
#define COMPLEX_VECTORS(type, element, name, letter)                                     \
	static type dot_contiguous_##name(int64_t n, const type *a, const type *b)           \
	{                                                                                    \
		type sum = 0;                                                                    \
                                                                                         \
		if (n >= BLAS_VECTOR_MINIMUM && n <= INT_MAX)                                    \
			cblas_##letter##dotu_sub((int) n, a, 1, b, 1, &sum);                         \
		else                                                                             \
			for (int64_t i = 0; i < n; i++)                                              \
				sum += a[i] * b[i];                                                      \
		return sum;                                                                      \
	}                                                                                    \
                                                                                         \
	static void axpy_contiguous_##name(int64_t n, type s, const type *restrict a,        \
									   type *restrict c)                                 \
	{                                                                                    \
		if (s == 1)                                                                      \
			vector_add(element, element, n, a, c);                                       \
		else if (n >= BLAS_VECTOR_MINIMUM && n <= INT_MAX)                               \
			cblas_##letter##axpy((int) n, &s, a, 1, c, 1);                               \
		else                                                                             \
			for (int64_t i = 0; i < n; i++)                                              \
				c[i] += s * a[i];                                                        \
	}

/* complex of float */
COMPLEX_VECTORS(float _Complex, ELEMENT_COMPLEX8, complex8, c)
#define T float _Complex
#define SUM double _Complex
#define REAL 0
#define MULTIPLICATIONS 4
#define DIRECT_WORK 63
#define DIRECT_ALWAYS 8
#define NAME(f) f##_complex8
#define FACTOR(s) ((float _Complex)(s))
#define BLAS(f) cblas_c##f
#define BLAS_FACTOR(s) (&(s))
#define DOT dot_contiguous_complex8
#define AXPY axpy_contiguous_complex8
#define BLAS_GER cblas_cgeru
#include "kernels/dense/kernels_template.h"
#undef T
#undef SUM
#undef MULTIPLICATIONS
#undef DIRECT_WORK
#undef DIRECT_ALWAYS
#undef REAL
#undef NAME
#undef FACTOR
#undef BLAS
#undef BLAS_FACTOR
#undef DOT
#undef AXPY
#undef BLAS_GER

/* complex of double */
COMPLEX_VECTORS(double _Complex, ELEMENT_COMPLEX16, complex16, z)
#define T double _Complex
#define SUM double _Complex
#define REAL 0
#define MULTIPLICATIONS 4
#define DIRECT_WORK 64
#define DIRECT_ALWAYS 1
#define NAME(f) f##_complex16
#define FACTOR(s) (s)
#define BLAS(f) cblas_z##f
#define BLAS_FACTOR(s) (&(s))
#define DOT dot_contiguous_complex16
#define AXPY axpy_contiguous_complex16
#define BLAS_GER cblas_zgeru
#include "kernels/dense/kernels_template.h"

#undef T
#undef SUM
#undef MULTIPLICATIONS
#undef DIRECT_WORK
#undef DIRECT_ALWAYS
#undef REAL
#undef NAME
#undef FACTOR
#undef BLAS
#undef BLAS_FACTOR
#undef DOT
#undef AXPY
#undef BLAS_GER

/* Axpy of contiguous vectors of two types that vector.h does not have. */
#define MIXED_AXPY(name, T, C, S)                                                        \
	KERNEL_CLONES static void axpy_contiguous_##name(int64_t n, S s,                     \
													 const T *restrict a, C *restrict c) \
	{                                                                                    \
		if (s == 1)                                                                      \
			for (int64_t i = 0; i < n; i++)                                              \
				c[i] += (C) a[i];                                                        \
		else                                                                             \
			for (int64_t i = 0; i < n; i++)                                              \
				c[i] += (C) (s * (S) a[i]);                                              \
	}

/* float, added to double */
#define T float
#define C double
#define S double
#define NAME(f) f##_float4_float8
#define SAME(f) f##_float4
#define FACTOR(s) creal(s)
#define TYPE ELEMENT_FLOAT4
#define AXPY vector_axpy_float4_float8
#define PRODUCTS 1
#include "kernels/dense/mixed_template.h"
#undef T
#undef C
#undef S
#undef NAME
#undef SAME
#undef FACTOR
#undef TYPE
#undef AXPY
#undef PRODUCTS

/* complex of float, added to complex of double */
MIXED_AXPY(complex8_complex16, float _Complex, double _Complex, double _Complex)
#define T float _Complex
#define C double _Complex
#define S double _Complex
#define NAME(f) f##_complex8_complex16
#define SAME(f) f##_complex8
#define FACTOR(s) (s)
#define TYPE ELEMENT_COMPLEX8
#define AXPY axpy_contiguous_complex8_complex16
#define PRODUCTS 1
#include "kernels/dense/mixed_template.h"
#undef T
#undef C
#undef S
#undef NAME
#undef SAME
#undef FACTOR
#undef TYPE
#undef AXPY
#undef PRODUCTS

/* double, added to float */
MIXED_AXPY(float8_float4, double, float, double)
#define T double
#define C float
#define S double
#define NAME(f) f##_float8_float4
#define SAME(f) f##_float8
#define FACTOR(s) creal(s)
#define TYPE ELEMENT_FLOAT8
#define AXPY axpy_contiguous_float8_float4
#define PRODUCTS 0
#include "kernels/dense/mixed_template.h"
#undef T
#undef C
#undef S
#undef NAME
#undef SAME
#undef FACTOR
#undef TYPE
#undef AXPY
#undef PRODUCTS

/* complex of double, added to complex of float */
MIXED_AXPY(complex16_complex8, double _Complex, float _Complex, double _Complex)
#define T double _Complex
#define C float _Complex
#define S double _Complex
#define NAME(f) f##_complex16_complex8
#define SAME(f) f##_complex16
#define FACTOR(s) (s)
#define TYPE ELEMENT_COMPLEX16
#define AXPY axpy_contiguous_complex16_complex8
#define PRODUCTS 0
#include "kernels/dense/mixed_template.h"
#undef T
#undef C
#undef S
#undef NAME
#undef SAME
#undef FACTOR
#undef TYPE
#undef AXPY
#undef PRODUCTS

#define ROW(type)                                                                        \
	{                                                                                    \
		[KERNEL_ADD] = add_##type, [KERNEL_SUM] = sum_##type,                            \
		[KERNEL_TRANSPOSE] = transpose_##type, [KERNEL_MULTIPLY] = multiply_##type,      \
		[KERNEL_AXPY] = axpy_##type, [KERNEL_DOT] = dot_##type,                          \
		[KERNEL_GEMV] = gemv_##type, [KERNEL_GER] = ger_##type,                          \
		[KERNEL_GEMM] = gemm_##type,                                                     \
	}

#define ROW_OF_ONE_OPERAND(types)                                                        \
	{                                                                                    \
		[KERNEL_ADD] = add_##types, [KERNEL_TRANSPOSE] = transpose_##types,              \
	}

const DenseKernelFunction
	dense_kernels[ELEMENT_TYPE_LAST][ELEMENT_TYPE_LAST][KERNEL_COUNT] = {
		[ELEMENT_FLOAT4 - 1][ELEMENT_FLOAT4 - 1] = ROW(float4),
		[ELEMENT_FLOAT4 - 1][ELEMENT_FLOAT8 - 1] = ROW(float4_float8),
		[ELEMENT_FLOAT8 - 1][ELEMENT_FLOAT8 - 1] = ROW(float8),
		[ELEMENT_FLOAT8 - 1][ELEMENT_FLOAT4 - 1] = ROW_OF_ONE_OPERAND(float8_float4),
		[ELEMENT_COMPLEX8 - 1][ELEMENT_COMPLEX8 - 1] = ROW(complex8),
		[ELEMENT_COMPLEX8 - 1][ELEMENT_COMPLEX16 - 1] = ROW(complex8_complex16),
		[ELEMENT_COMPLEX16 - 1][ELEMENT_COMPLEX16 - 1] = ROW(complex16),
		[ELEMENT_COMPLEX16 - 1][ELEMENT_COMPLEX8 - 1] =
			ROW_OF_ONE_OPERAND(complex16_complex8),
};
