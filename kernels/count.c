/*-------------------------------------------------------------------------
 *
 * count.c
 *	  Counts the elements of an array that differ from the fill, and those of them
 *	  that are NaN, infinite or negative.
 *
 *-------------------------------------------------------------------------
 */
#include <complex.h>
#include <math.h>

#include "kernels/clones.h"
#include "kernels/count.h"

/* Counts without branches, so that the loops vectorize. */
#define COUNT_REAL(name, real)                                                           \
	KERNEL_CLONES static void name(int64_t n, const real *x, double fill, bool nan_is,   \
								   ElementCounts *counts)                                \
	{                                                                                    \
		int64_t entries = 0;                                                             \
		int64_t nans = 0;                                                                \
		int64_t infinite = 0;                                                            \
		int64_t negative = 0;                                                            \
                                                                                         \
		for (int64_t i = 0; i < n; i++)                                                  \
		{                                                                                \
			double value = x[i];                                                         \
			int64_t nan = value != value;                                                \
			int64_t entry = !((value == fill) | (nan & nan_is));                         \
                                                                                         \
			entries += entry;                                                            \
			nans += entry & nan;                                                         \
			infinite += entry & (fabs(value) == INFINITY);                               \
			negative += entry & (value < 0);                                             \
		}                                                                                \
		counts->entries += entries;                                                      \
		counts->nans += nans;                                                            \
		counts->infinite += infinite;                                                    \
		counts->negative += negative;                                                    \
	}

COUNT_REAL(count_float8, double)
COUNT_REAL(count_float4, float)

#define COUNT_COMPLEX(real)                                                              \
	for (int64_t i = 0; i < n; i++)                                                      \
	{                                                                                    \
		double re = ((const real *) elements)[2 * i];                                    \
		double im = ((const real *) elements)[2 * i + 1];                                \
                                                                                         \
		if ((re == creal(fill) || (isnan(re) && isnan(creal(fill)))) &&                  \
			im == cimag(fill))                                                           \
			continue;                                                                    \
		counts->entries++;                                                               \
		if (isnan(re) || isnan(im))                                                      \
			counts->nans++;                                                              \
		else if (isinf(re) || isinf(im))                                                 \
			counts->infinite++;                                                          \
		counts->negative += re < 0;                                                      \
	}

void
count_elements(ElementType type, int64_t n, const void *elements, Number fill,
			   ElementCounts *counts)
{
	/*
	 * no real number equals a complex fill: NaN stands for the fill, as nothing equals it
	 */
	bool real_fill = cimag(fill) == 0;
	double number = real_fill ? creal(fill) : NAN;
	bool nan_is = real_fill && isnan(number);

	switch (type)
	{
		case ELEMENT_FLOAT8:
			count_float8(n, elements, number, nan_is, counts);
			break;
		case ELEMENT_FLOAT4:
			count_float4(n, elements, number, nan_is, counts);
			break;
		case ELEMENT_COMPLEX8:
			COUNT_COMPLEX(float);
			break;
		case ELEMENT_COMPLEX16:
			COUNT_COMPLEX(double);
			break;
	}
}
