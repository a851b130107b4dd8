/*-------------------------------------------------------------------------
 *
 * tensor_calls.c
 *	  What OpenBLAS itself takes, and what the kernels take without PostgreSQL:
 *	  the other sides of tensor_bench.py.
 *
 * Reads lines "who operation type size rows repeats", who being blas or kernel,
 * and answers each with the nanoseconds of processor time per call and a
 * checksum. A call does what a row does in SQL: dot adds to a number; axpy adds
 * to a vector; gemv and gemm add their result to an accumulated one. rows is
 * the number of different first operands, row r being (r % 3 + 1) times the
 * first; they are used in turn. The kernels are called as the SQL
 * functions call them when a call site has seen the shapes before.
 *
 *-------------------------------------------------------------------------
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/dense/core.h"
#include "kernels/kernels.h"
#include "kernels/prepared.h"
#include "kernels/vector.h"

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static char *blocks[3];
static int nblocks = 0;

/*
 * Zeroed memory that begins where that of malloc, of numpy's arrays and of a
 * tensor's elements does: not on a line of the cache, which would be up to
 * twice as fast for short vectors.
 */
static void *
allocate(size_t count, size_t size)
{
	char *memory = aligned_alloc(64, (count * size + 16 + 63) / 64 * 64);

	if (memory == NULL)
	{
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	memset(memory, 0, count * size + 16);
	blocks[nblocks++] = memory;
	return memory + 16;
}

static double
left(long i)
{
	return (double) ((i * 7 + 3) % 5 - 2);
}

static double
right(long i)
{
	return (double) ((i * 11 + 1) % 7 - 3);
}

/* ",i->i", "ij,j->i" or "ij,jk->ik" */
static void
prepare(const char *operation, bool single, long n, PreparedEinsum *einsum)
{
	static const Equation axpy = {2, {{0, {0}}, {1, {0}}}, {1, {0}}, 1};
	static const Equation gemv = {2, {{2, {0, 1}}, {1, {1}}}, {1, {0}}, 2};
	static const Equation gemm = {2, {{2, {0, 1}}, {2, {1, 2}}}, {2, {0, 2}}, 3};
	const Equation *equation = operation[0] == 'a'              ? &axpy
							   : strcmp(operation, "gemv") == 0 ? &gemv
																: &gemm;
	const int64_t bounds[2] = {n, n};
	TensorView views[3];
	const TensorView *operands[2] = {&views[0], &views[1]};

	for (int i = 0; i < 3; i++)
		view_contiguous(&views[i], single ? ELEMENT_FLOAT4 : ELEMENT_FLOAT8,
						i < 2 ? equation->operands[i].rank : equation->output.rank,
						bounds, NULL);
	if (!einsum_prepare(equation, operands, &views[2], einsum))
	{
		fprintf(stderr, "%s is not one kernel\n", operation);
		exit(1);
	}
}

#define RUN(T, P, F)                                                                     \
	static void run_##P(bool blas, const char *operation, long n, long rows,             \
						long repeats)                                                    \
	{                                                                                    \
		int vector = strcmp(operation, "dot") == 0 || strcmp(operation, "axpy") == 0;    \
		long size = vector ? n : n * n;                                                  \
		long other = strcmp(operation, "gemm") == 0 ? n * n : n;                         \
		T *a = allocate((size_t) (rows * size), sizeof(T));                              \
		T *b = allocate((size_t) other, sizeof(T));                                      \
		T *c = allocate((size_t) other, sizeof(T));                                      \
		double total = 0;                                                                \
		double start;                                                                    \
		double time;                                                                     \
		long r = 0;                                                                      \
		PreparedEinsum einsum;                                                           \
                                                                                         \
		for (long i = 0; i < rows; i++)                                                  \
			for (long j = 0; j < size; j++)                                              \
				a[i * size + j] = (T) (left(j) * (double) (i % 3 + 1));                  \
		for (long j = 0; j < other; j++)                                                 \
			b[j] = (T) right(j);                                                         \
		prepare(operation, sizeof(T) == sizeof(float), n, &einsum);                      \
		start = now();                                                                   \
		for (long i = 0; i < repeats; i++)                                               \
		{                                                                                \
			const T *row = a + r * size;                                                 \
                                                                                         \
			if (!blas && operation[0] == 'd')                                            \
				total += (double) vector_dot_##F(n, row, b);                             \
			else if (!blas)                                                              \
			{                                                                            \
				const T two = 2;                                                         \
				const void *operands[2] = {vector ? (const void *) &two : row,           \
										   vector ? row : b};                            \
                                                                                         \
				einsum_run(&einsum, operands, 1, c);                                     \
			}                                                                            \
			else if (operation[0] == 'd')                                                \
				total += (double) cblas_##P##dot((int) n, row, 1, b, 1);                 \
			else if (operation[0] == 'a')                                                \
				cblas_##P##axpy((int) n, 2, row, 1, c, 1);                               \
			else if (other == n)                                                         \
				cblas_##P##gemv(CblasRowMajor, CblasNoTrans, (int) n, (int) n, 1, row,   \
								(int) n, b, 1, 1, c, 1);                                 \
			else                                                                         \
				cblas_##P##gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int) n,      \
								(int) n, (int) n, 1, row, (int) n, b, (int) n, 1, c,     \
								(int) n);                                                \
			if (++r == rows)                                                             \
				r = 0;                                                                   \
		}                                                                                \
		time = (now() - start) / (double) repeats;                                       \
		for (long j = 0; j < other; j++)                                                 \
			total += (double) c[j];                                                      \
		printf("%.3f %.17g\n", time, total);                                             \
		while (nblocks > 0)                                                              \
			free(blocks[--nblocks]);                                                     \
	}

RUN(double, d, float8)
RUN(float, s, float4)

int
main(void)
{
	char who[8];
	char operation[8];
	char type[8];
	long n;
	long rows;
	long repeats;

	blas_choose_core();
	while (scanf("%7s %7s %7s %ld %ld %ld", who, operation, type, &n, &rows, &repeats) ==
		   6)
	{
		bool blas = strcmp(who, "blas") == 0;

		if (strcmp(type, "float4") == 0)
			run_s(blas, operation, n, rows, repeats);
		else
			run_d(blas, operation, n, rows, repeats);
		fflush(stdout);
	}
	return 0;
}
