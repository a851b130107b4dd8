/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  Sums of scaled rows that lie anywhere: c += s[0] a[0] + s[1] a[1] + ...
 *
 * A product of a sparse and a dense matrix, one row of it at a time. Eight rows
 * are read side by side: the sum is read and written once for the eight, and as
 * many streams wait for memory at a time. For 36 rows of 767 elements on average
 * out of 84 MB, this takes 0.85 of the time of four at a time, and half of that of
 * one axpy for each row; sixteen are no better.
 *
 * Rows lie anywhere, and the processor finds out late that it is reading one from
 * its beginning to its end, page by page. So while eight rows are added, the same
 * places of the next eight are asked for: 0.75 of the time for 256 elements out of
 * 28 MB, 0.65 for 767 out of 844 MB. Asking for what is further on in the eight
 * that are being added costs more than it gains.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/clones.h"
#include "kernels/vector.h"

/* Row r of elements T and its number, of the sum's type C, and an element of the one times the other. */
#define ROW(T, C, r)                                                                     \
	C s##r = (C) s[r];                                                                   \
	const T *restrict a##r = a[r];
#define TERM(r) (s##r * a##r[i])

/* What is added of rows before the same of the next ones is asked for. */
#define PREFETCHED_BYTES 256
#define CACHE_LINE_BYTES 64

/* Asks for a part of each of some rows, to be in the second cache. */
static inline void
prefetch_rows(const void *const *rows, int nrows, int64_t offset)
{
	for (int row = 0; row < nrows; row++)
		for (int byte = 0; byte < PREFETCHED_BYTES; byte += CACHE_LINE_BYTES)
			__builtin_prefetch((const char *) rows[row] + offset + byte, 0, 2);
}

/* Two, four and eight rows side by side, and by these any number. */
#define DEFINE_ROWS(T, C, name, CLONES)                                                  \
	CLONES static void add_2_rows_##name(int64_t n, const double *s,                     \
										 const void *const *a, void *out)                \
	{                                                                                    \
		ROW(T, C, 0)                                                                     \
		ROW(T, C, 1)                                                                     \
		C *restrict c = out;                                                             \
                                                                                         \
		for (int64_t i = 0; i < n; i++)                                                  \
			c[i] += TERM(0) + TERM(1);                                                   \
	}                                                                                    \
                                                                                         \
	CLONES static void add_4_rows_##name(int64_t n, const double *s,                     \
										 const void *const *a, void *out)                \
	{                                                                                    \
		ROW(T, C, 0)                                                                     \
		ROW(T, C, 1)                                                                     \
		ROW(T, C, 2)                                                                     \
		ROW(T, C, 3)                                                                     \
		C *restrict c = out;                                                             \
                                                                                         \
		for (int64_t i = 0; i < n; i++)                                                  \
			c[i] += (TERM(0) + TERM(1)) + (TERM(2) + TERM(3));                           \
	}                                                                                    \
                                                                                         \
	CLONES static void add_8_rows_##name(int64_t n, const double *s,                     \
										 const void *const *a, const void *const *next,  \
										 int nnext, void *out)                           \
	{                                                                                    \
		ROW(T, C, 0)                                                                     \
		ROW(T, C, 1)                                                                     \
		ROW(T, C, 2)                                                                     \
		ROW(T, C, 3)                                                                     \
		ROW(T, C, 4)                                                                     \
		ROW(T, C, 5)                                                                     \
		ROW(T, C, 6)                                                                     \
		ROW(T, C, 7)                                                                     \
		C *restrict c = out;                                                             \
		const int64_t step = PREFETCHED_BYTES / sizeof(T);                               \
                                                                                         \
		for (int64_t start = 0; start < n; start += step)                                \
		{                                                                                \
			int64_t end = start + step < n ? start + step : n;                           \
                                                                                         \
			prefetch_rows(next, nnext, start * sizeof(T));                               \
			for (int64_t i = start; i < end; i++)                                        \
				c[i] += ((TERM(0) + TERM(1)) + (TERM(2) + TERM(3))) +                    \
						((TERM(4) + TERM(5)) + (TERM(6) + TERM(7)));                     \
		}                                                                                \
	}                                                                                    \
                                                                                         \
	static void add_rows_##name(int64_t n, int k, const double *s, const void *const *a, \
								const void *const *next, int nnext, void *c)             \
	{                                                                                    \
		int row = 0;                                                                     \
                                                                                         \
		for (; row + 16 <= k; row += 8)                                                  \
			add_8_rows_##name(n, s + row, a + row, a + row + 8, 8, c);                   \
		if (row + 8 <= k)                                                                \
		{                                                                                \
			add_8_rows_##name(n, s + row, a + row, next, nnext, c);                      \
			row += 8;                                                                    \
		}                                                                                \
		if (row + 4 <= k)                                                                \
		{                                                                                \
			add_4_rows_##name(n, s + row, a + row, c);                                   \
			row += 4;                                                                    \
		}                                                                                \
		if (row + 2 <= k)                                                                \
		{                                                                                \
			add_2_rows_##name(n, s + row, a + row, c);                                   \
			row += 2;                                                                    \
		}                                                                                \
		if (row < k)                                                                     \
			vector_axpy_##name(n, (C) s[row], a[row], c);                                \
	}

DEFINE_ROWS(float, float, float4, KERNEL_CLONES)
DEFINE_ROWS(double, double, float8, KERNEL_CLONES)
/* a number of float4 times another is exact in double precision, fused or not */
DEFINE_ROWS(float, double, float4_float8, KERNEL_CLONES_FUSED)

void
vector_axpy(ElementType type, ElementType out, int64_t n, double s, const void *a,
			void *c)
{
	if (type != out)
		vector_axpy_float4_float8(n, s, a, c);
	else if (type == ELEMENT_FLOAT4)
		vector_axpy_float4(n, (float) s, a, c);
	else
		vector_axpy_float8(n, s, a, c);
}

void
vector_axpy_rows(ElementType type, ElementType out, int64_t n, int k, const double *s,
				 const void *const *a, const void *const *next, int nnext, void *c)
{
	if (type != out)
		add_rows_float4_float8(n, k, s, a, next, nnext, c);
	else if (type == ELEMENT_FLOAT4)
		add_rows_float4(n, k, s, a, next, nnext, c);
	else
		add_rows_float8(n, k, s, a, next, nnext, c);
}
