/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  Sums of scaled rows that lie anywhere: c += s[0] a[0] + s[1] a[1] + ...
 *
 * A product of a sparse and a dense matrix, one row of it at a time. Four rows
 * are read side by side: the sum is read and written once for the four, and
 * as many streams wait for memory at a time as the processor follows. For 36
 * rows of 767 elements on average out of 84 MB, this takes 0.6 of the time of
 * one axpy for each row; for rows of 64 elements, which stay in the caches,
 * 0.8. Asking for the next rows' memory ahead of time gained nothing over it.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/clones.h"
#include "kernels/vector.h"

#define ROWS 4

#define DEFINE_ROWS(T, name)                                                             \
	KERNEL_CLONES static void add_rows_##name(int64_t n, const double *s,                \
											  const void *const *a, void *out)           \
	{                                                                                    \
		T s0 = (T) s[0];                                                                 \
		T s1 = (T) s[1];                                                                 \
		T s2 = (T) s[2];                                                                 \
		T s3 = (T) s[3];                                                                 \
		const T *restrict a0 = a[0];                                                     \
		const T *restrict a1 = a[1];                                                     \
		const T *restrict a2 = a[2];                                                     \
		const T *restrict a3 = a[3];                                                     \
		T *restrict c = out;                                                             \
                                                                                         \
		for (int64_t i = 0; i < n; i++)                                                  \
			c[i] += (s0 * a0[i] + s1 * a1[i]) + (s2 * a2[i] + s3 * a3[i]);               \
	}

DEFINE_ROWS(float, float4)
DEFINE_ROWS(double, float8)

void
vector_axpy(ElementType type, int64_t n, double s, const void *a, void *c)
{
	if (type == ELEMENT_FLOAT4)
		vector_axpy_float4(n, (float) s, a, c);
	else
		vector_axpy_float8(n, s, a, c);
}

void
vector_axpy_rows(ElementType type, int64_t n, int k, const double *s,
				 const void *const *a, void *c)
{
	int row = 0;

	for (; row + ROWS <= k; row += ROWS)
	{
		if (type == ELEMENT_FLOAT4)
			add_rows_float4(n, s + row, a + row, c);
		else
			add_rows_float8(n, s + row, a + row, c);
	}
	for (; row < k; row++)
		vector_axpy(type, n, s[row], a[row], c);
}
