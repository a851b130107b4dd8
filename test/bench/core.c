/*-------------------------------------------------------------------------
 *
 * core.c
 *	  A product of matrices where OpenBLAS knows less than the processor can: by
 *	  the oldest code, by the core that is chosen then, and by the same core
 *	  named in the environment, in turns. Prints GFlop/s and their ratio.
 *
 *-------------------------------------------------------------------------
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/dense/core.h"

#define N 1000
#define RUNS 9

extern void gotoblas_dynamic_init(void) __attribute__((weak));
extern void gotoblas_dynamic_quit(void) __attribute__((weak));

static double a[N * N], b[N * N], c[N * N];

static void
take(const char *core)
{
	setenv("OPENBLAS_CORETYPE", core, 1);
	gotoblas_dynamic_quit();
	gotoblas_dynamic_init();
	unsetenv("OPENBLAS_CORETYPE");
}

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double
product(void)
{
	double start = seconds();

	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, b, N, 0, c,
				N);
	return seconds() - start;
}

static int
by_size(const void *x, const void *y)
{
	double d = *(const double *) x - *(const double *) y;

	return d < 0 ? -1 : d > 0;
}

int
main(void)
{
	char chosen[64];
	double times[3][RUNS];

	if (!gotoblas_dynamic_init || !gotoblas_dynamic_quit)
	{
		printf("this BLAS has the code of one processor: %s\n", blas_core());
		return 0;
	}
	for (int i = 0; i < N * N; i++)
		a[i] = b[i] = i % 7;
	for (int run = 0; run < RUNS; run++)
	{
		take("Prescott");
		times[0][run] = product();
		blas_choose_core();
		snprintf(chosen, sizeof(chosen), "%s", blas_core());
		product();
		times[1][run] = product();
		take(chosen);
		product();
		times[2][run] = product();
	}
	for (int i = 0; i < 3; i++)
	{
		qsort(times[i], RUNS, sizeof(double), by_size);
		printf("%-10s %-22s %6.1f GFlop/s (%.1f)\n", i ? chosen : "Prescott",
			   i == 1 ? "chosen" : "named by hand", 2e-9 * N * N * N / times[i][RUNS / 2],
			   2e-9 * N * N * N / times[i][0]);
	}
	printf("chosen over named by hand: %.3f; least: %.3f\n",
		   times[1][RUNS / 2] / times[2][RUNS / 2], times[1][0] / times[2][0]);
	return 0;
}
