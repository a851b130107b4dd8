/*-------------------------------------------------------------------------
 *
 * vector.c
 *	  Dot products and scaled additions of contiguous vectors.
 *
 * They do not use BLAS, for two reasons. The overhead of a BLAS call (a call by
 * name, checks, a table of processors) costs as much as a hundred
 * multiplications. And BLAS's loops do not align: the elements of a tensor begin
 * where palloc put them, 8 or 24 bytes behind a multiple of 32, so that every
 * other load touches two cache lines. The loops here first do a few elements,
 * until one operand is aligned. Mostly the other operand is aligned then too, as
 * tensors of one shape have the same alignment, and the loop takes as little as
 * 0.6 of BLAS's time. Beyond the second-level cache memory decides, and both
 * take the same time.
 *
 * Multiplication and addition are fused where the processor can, as in BLAS.
 * AVX-512 was measured and gains nothing over AVX2.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/clones.h"
#include "kernels/vector.h"

/* Bytes of an AVX2 register; on other processors the compiler uses several registers. */
#define REGISTER_BYTES 32
/* Vectors shorter than 1 kB are not worth aligning. */
#define ALIGNING_MINIMUM (1024 / (int64_t) sizeof(T))
/* Long sums are added up in pieces, which limits rounding errors. */
#define DOT_PIECE INT64_C(4096)

/* float */
#define T float
#define INTEGER int32_t
#define LANE_BITS -1, -1, -1, -1, -1, -1, -1, -1
#define SUM_OF_LANES(x)                                                                  \
	(((x)[0] + (x)[4] + ((x)[2] + (x)[6])) + ((x)[1] + (x)[5] + ((x)[3] + (x)[7])))
#define NAME(f) f##_float4
#include "kernels/vector_template.h"
#undef T
#undef INTEGER
#undef LANE_BITS
#undef SUM_OF_LANES
#undef NAME

/* double */
#define T double
#define INTEGER int64_t
#define LANE_BITS -1, -1, -1, -1
#define SUM_OF_LANES(x) ((x)[0] + (x)[2] + ((x)[1] + (x)[3]))
#define NAME(f) f##_float8
#include "kernels/vector_template.h"

double
vector_dot(ElementType type, int64_t n, const void *a, const void *b)
{
	return type == ELEMENT_FLOAT4 ? (double) vector_dot_float4(n, a, b)
								  : vector_dot_float8(n, a, b);
}

KERNEL_CLONES_FUSED void
vector_axpy_float4_float8(int64_t n, double s, const float *restrict a,
						  double *restrict c)
{
	for (int64_t i = 0; i < n; i++)
		c[i] += s * (double) a[i];
}

void
vector_add(ElementType type, ElementType out, int64_t n, const void *a, void *c)
{
	/* a complex number is two real ones */
	if (element_is_complex(type))
		n *= 2;
	if (type != out)
		vector_axpy_float4_float8(n, 1, a, c);
	else if (element_is_single(type))
		vector_axpy_float4(n, 1, a, c);
	else
		vector_axpy_float8(n, 1, a, c);
}

KERNEL_CLONES static void
multiply_float4(int64_t n, const float *a, const float *b, float *c)
{
	for (int64_t i = 0; i < n; i++)
		c[i] = a[i] * b[i];
}

KERNEL_CLONES static void
multiply_float8(int64_t n, const double *a, const double *b, double *c)
{
	for (int64_t i = 0; i < n; i++)
		c[i] = a[i] * b[i];
}

void
vector_multiply(ElementType type, int64_t n, const void *a, const void *b, void *c)
{
	if (type == ELEMENT_FLOAT4)
		multiply_float4(n, a, b, c);
	else
		multiply_float8(n, a, b, c);
}
