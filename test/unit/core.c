/*-------------------------------------------------------------------------
 *
 * core.c
 *	  Which processor's code OpenBLAS runs: a library that took its oldest code
 *	  is made to run what the processor can do, and one that was told by the
 *	  environment is left alone.
 *
 * The library is put into the state that an unknown processor leaves it in by
 * the same two functions that choose again.
 *
 *-------------------------------------------------------------------------
 */
#include <cblas.h>

#include "harness.h"
#include "kernels/dense/core.h"

#define N 384

/* Builds of OpenBLAS for one processor, and other libraries, lack them. */
extern void gotoblas_dynamic_init(void) __attribute__((weak));
extern void gotoblas_dynamic_quit(void) __attribute__((weak));

static double a[N * N], b[N * N], c[N * N];

/* Whether the product of the two matrices of small integers is exact. */
static bool
product_is_right(void)
{
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, b, N, 0, c,
				N);
	for (int trial = 0; trial < 1000; trial++)
	{
		int i = random_below(N);
		int j = random_below(N);
		double sum = 0;

		for (int k = 0; k < N; k++)
			sum += a[i * N + k] * b[k * N + j];
		if (c[i * N + j] != sum)
			return false;
	}
	return true;
}

#ifdef __x86_64__
static void
take(const char *core)
{
	setenv("OPENBLAS_CORETYPE", core, 1);
	gotoblas_dynamic_quit();
	gotoblas_dynamic_init();
	unsetenv("OPENBLAS_CORETYPE");
}

static void
check_better_core(void)
{
	char best[64] = "Prescott";

	/* what a newer library takes for itself is not asked here */
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		strcpy(best, "Haswell");
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("avx512cd"))
		strcpy(best, "SkylakeX");
	take("Prescott");
	check(strcmp(blas_core(), "Prescott") == 0, "core %s is not the one set",
		  blas_core());
	check(product_is_right(), "product of %s", blas_core());
	blas_choose_core();
	check(strcmp(blas_core(), best) == 0, "core %s where %s is best", blas_core(), best);
	check(product_is_right(), "product of %s", blas_core());
	check(getenv("OPENBLAS_CORETYPE") == NULL, "the environment keeps %s",
		  getenv("OPENBLAS_CORETYPE"));
	blas_choose_core();
	check(strcmp(blas_core(), best) == 0, "core %s chosen after %s", blas_core(), best);
}

static void
check_given_core(void)
{
	take("Prescott");
	setenv("OPENBLAS_CORETYPE", "Prescott", 1);
	blas_choose_core();
	check(strcmp(blas_core(), "Prescott") == 0, "core %s in spite of the environment",
		  blas_core());
	check(strcmp(getenv("OPENBLAS_CORETYPE"), "Prescott") == 0,
		  "the environment is changed");
	check(strstr(blas_core_reason(), "OPENBLAS_CORETYPE") != NULL, "the reason is \"%s\"",
		  blas_core_reason());
	unsetenv("OPENBLAS_CORETYPE");
}
#endif

int
main(void)
{
	test_start(1);
	for (int i = 0; i < N * N; i++)
	{
		a[i] = random_integer(9);
		b[i] = random_integer(9);
	}
	blas_choose_core();
	check(blas_core() != NULL && blas_core_reason() != NULL, "no core");
	check(product_is_right(), "product of %s", blas_core());
#ifdef __x86_64__
	if (gotoblas_dynamic_init && gotoblas_dynamic_quit)
	{
		check_better_core();
		check_given_core();
	}
	else
		printf("this BLAS cannot choose again: only what it is was tested\n");
#endif
	return test_finish();
}
