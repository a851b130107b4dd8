/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  Sums of scaled rows that lie anywhere in memory: c += s[0] a[0] + s[1] a[1] +
 *	  ...
 *
 * This is a product of a sparse and a dense matrix, one row of the result at a
 * time. Eight rows are read side by side: the sum is read and written once for
 * all eight, and eight streams wait for memory at the same time. For 36 rows of
 * 767 elements on average out of 84 MB, this takes 0.85 of the time of four rows
 * at a time, and half the time of one axpy for each row; sixteen rows are no
 * better.
 *
 * The processor detects late that it is reading a row from its beginning to its
 * end, and does so anew on each page. So while eight rows are added, the same
 * parts of the next eight are prefetched: 0.75 of the time for 256 elements out
 * of 28 MB, 0.65 for 767 out of 844 MB. Prefetching later parts of the eight
 * rows that are being added costs more than it gains.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/clones.h"
#include "kernels/vector.h"

/*
 * Declares row r of elements T and its factor, of the sum's type C; TERM(r) is their
 * product for element i.
 */
#define ROW(T, C, r)                                                                     \
	C s##r = (C) s[r];                                                                   \
	const T *restrict a##r = a[r];
#define TERM(r) (s##r * a##r[i])

/*
 * Bytes of each row that are added before the same part of the next rows is prefetched.
 */
#define PREFETCHED_BYTES 256
#define CACHE_LINE_BYTES 64

/* Prefetches a part of some rows into the second-level cache. */
static inline void
prefetch_rows(const void *const *rows, int nrows, int64_t offset)
{
	for (int row = 0; row < nrows; row++)
		for (int byte = 0; byte < PREFETCHED_BYTES; byte += CACHE_LINE_BYTES)
			__builtin_prefetch((const char *) rows[row] + offset + byte, 0, 2);
}

/*
 * Adds two, four or eight rows side by side; add_rows uses these for any number of rows.
 */
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
/* the product of two float4 numbers is exact in double precision, fused or not */
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
