/*-------------------------------------------------------------------------
 *
 * kernels.c
 *	  The kernels of the four element types, generated from one text.
 *
 * Large contiguous pieces go to BLAS, which chooses instructions at run time;
 * below the cutoffs, a plain loop is done before BLAS has looked at its
 * arguments.
 *
 *-------------------------------------------------------------------------
 */
#include <cblas.h>
#include <limits.h>

#include "kernels/dense/plan.h"
#include "kernels/memory.h"
#include "kernels/vector.h"

/* Shortest vectors that BLAS runs faster than a loop. */
#define BLAS_DOT_MINIMUM 32
#define BLAS_AXPY_MINIMUM 48
/* Matrices of fewer elements, products of fewer multiplications. */
#define BLAS_GEMV_MINIMUM 64
#define BLAS_GEMM_MINIMUM 64

/*
 * Multiplications in one call of a matrix product, between interrupt checks:
 * 0.2 seconds of a core without vector instructions, 0.01 of one with them.
 */
#define PANEL_WORK (INT64_C(1) << 28)
/* Rows and contracted elements of a panel are not fewer, which BLAS blocks by. */
#define PANEL_MINIMUM 256
/* Side of the square in which a transposition stays in the first cache. */
#define TRANSPOSE_TILE 16
/* Sums are added up in pieces, which keeps rounding errors apart. */
#define SUM_PIECE 1024

/* float */
#define T float
#define NAME(f) f##_float4
#define FACTOR(s) ((float) creal(s))
#define BLAS(f) cblas_s##f
#define BLAS_FACTOR(s) (s)
#define BLAS_DOT(n, x, incx, y, incy, result)                                            \
	(*(result) = cblas_sdot(n, x, incx, y, incy))
#define BLAS_GER cblas_sger
#include "kernels/dense/kernels_template.h"
#undef T
#undef NAME
#undef FACTOR
#undef BLAS
#undef BLAS_FACTOR
#undef BLAS_DOT
#undef BLAS_GER

/* double */
#define T double
#define NAME(f) f##_float8
#define FACTOR(s) creal(s)
#define BLAS(f) cblas_d##f
#define BLAS_FACTOR(s) (s)
#define BLAS_DOT(n, x, incx, y, incy, result)                                            \
	(*(result) = cblas_ddot(n, x, incx, y, incy))
#define BLAS_GER cblas_dger
#include "kernels/dense/kernels_template.h"
#undef T
#undef NAME
#undef FACTOR
#undef BLAS
#undef BLAS_FACTOR
#undef BLAS_DOT
#undef BLAS_GER

/* complex of float */
#define T float _Complex
#define NAME(f) f##_complex8
#define FACTOR(s) ((float _Complex)(s))
#define BLAS(f) cblas_c##f
#define BLAS_FACTOR(s) (&(s))
#define BLAS_DOT(n, x, incx, y, incy, result) cblas_cdotu_sub(n, x, incx, y, incy, result)
#define BLAS_GER cblas_cgeru
#include "kernels/dense/kernels_template.h"
#undef T
#undef NAME
#undef FACTOR
#undef BLAS
#undef BLAS_FACTOR
#undef BLAS_DOT
#undef BLAS_GER

/* complex of double */
#define T double _Complex
#define NAME(f) f##_complex16
#define FACTOR(s) (s)
#define BLAS(f) cblas_z##f
#define BLAS_FACTOR(s) (&(s))
#define BLAS_DOT(n, x, incx, y, incy, result) cblas_zdotu_sub(n, x, incx, y, incy, result)
#define BLAS_GER cblas_zgeru
#include "kernels/dense/kernels_template.h"

#define ROW(type)                                                                        \
	{                                                                                    \
		[KERNEL_ADD] = add_##type, [KERNEL_SUM] = sum_##type,                            \
		[KERNEL_TRANSPOSE] = transpose_##type, [KERNEL_MULTIPLY] = multiply_##type,      \
		[KERNEL_AXPY] = axpy_##type, [KERNEL_DOT] = dot_##type,                          \
		[KERNEL_GEMV] = gemv_##type, [KERNEL_GER] = ger_##type,                          \
		[KERNEL_GEMM] = gemm_##type,                                                     \
	}

const DenseKernelFunction dense_kernels[ELEMENT_TYPE_LAST][KERNEL_COUNT] = {
	[ELEMENT_FLOAT4 - 1] = ROW(float4),
	[ELEMENT_FLOAT8 - 1] = ROW(float8),
	[ELEMENT_COMPLEX8 - 1] = ROW(complex8),
	[ELEMENT_COMPLEX16 - 1] = ROW(complex16),
};

double
vector_dot(ElementType type, int64_t n, const void *a, const void *b)
{
	return type == ELEMENT_FLOAT4 ? (double) dot_strip_float4(n, a, 1, b, 1)
								  : dot_strip_float8(n, a, 1, b, 1);
}

void
vector_add(ElementType type, int64_t n, const void *a, void *c)
{
	/* a complex number is two real ones */
	if (element_is_complex(type))
		n *= 2;
	if (type == ELEMENT_FLOAT4 || type == ELEMENT_COMPLEX8)
		axpy_strip_float4(n, 1, a, 1, c, 1);
	else
		axpy_strip_float8(n, 1, a, 1, c, 1);
}
