/*-------------------------------------------------------------------------
 *
 * fold.c
 *	  Reductions: sum, min, max, product, any and all, of single values and of
 *	  blocks.
 *
 * min and max propagate NaN: a value is taken if it compares or if it is NaN,
 * and nothing compares with a NaN that has been taken.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "kernels/clones.h"
#include "kernels/sweep.h"

#define FOLD_SUM(x, y) ((x) + (y))
#define FOLD_PROD(x, y) ((x) * (y))
#define FOLD_MIN(x, y) ((y) < (x) || (y) != (y) ? (y) : (x))
#define FOLD_MAX(x, y) ((y) > (x) || (y) != (y) ? (y) : (x))
#define FOLD_ANY(x, y) ((x) != 0 || (y) != 0)
#define FOLD_ALL(x, y) ((x) != 0 && (y) != 0)

/* Independent accumulators, which are faster and round less. */
#define LANES 8

/*
 * Defines fold_elements and fold_all for one reduction: of values of one type into
 * results of the same type or of double precision. values and out do not overlap. The
 * accumulators have double precision for sums and products.
 */
#define FOLD_LOOPS(name, real, lanes, result, fold, identity)                            \
	KERNEL_CLONES static void name##_elements(int64_t n, const real *restrict values,    \
											  result *restrict out, int64_t stride)      \
	{                                                                                    \
		if (stride == 1)                                                                 \
			for (int64_t i = 0; i < n; i++)                                              \
				out[i] = fold(out[i], (result) values[i]);                               \
		else                                                                             \
			for (int64_t i = 0; i < n; i++)                                              \
				out[i * stride] = fold(out[i * stride], (result) values[i]);             \
	}                                                                                    \
                                                                                         \
	KERNEL_CLONES static void name##_all(int64_t n, const real *restrict values,         \
										 result *out)                                    \
	{                                                                                    \
		lanes lane[LANES];                                                               \
		int64_t i = 0;                                                                   \
                                                                                         \
		for (int j = 0; j < LANES; j++)                                                  \
			lane[j] = identity;                                                          \
		for (; i + LANES <= n; i += LANES)                                               \
			for (int j = 0; j < LANES; j++)                                              \
				lane[j] = fold(lane[j], (lanes) values[i + j]);                          \
		for (; i < n; i++)                                                               \
			lane[0] = fold(lane[0], (lanes) values[i]);                                  \
		for (int width = LANES / 2; width > 0; width /= 2)                               \
			for (int j = 0; j < width; j++)                                              \
				lane[j] = fold(lane[j], lane[j + width]);                                \
		*out = (result) fold((lanes) *out, lane[0]);                                     \
	}

/* clang-format off */
FOLD_LOOPS(sum8, double, double, double, FOLD_SUM, 0)
FOLD_LOOPS(sum4, float, double, float, FOLD_SUM, 0)
FOLD_LOOPS(sum48, float, double, double, FOLD_SUM, 0)
FOLD_LOOPS(min8, double, double, double, FOLD_MIN, INFINITY)
FOLD_LOOPS(min4, float, float, float, FOLD_MIN, INFINITY)
FOLD_LOOPS(max8, double, double, double, FOLD_MAX, -INFINITY)
FOLD_LOOPS(max4, float, float, float, FOLD_MAX, -INFINITY)
FOLD_LOOPS(prod8, double, double, double, FOLD_PROD, 1)
FOLD_LOOPS(prod4, float, double, float, FOLD_PROD, 1)
FOLD_LOOPS(prod48, float, double, double, FOLD_PROD, 1)
FOLD_LOOPS(any8, double, double, double, FOLD_ANY, 0)
FOLD_LOOPS(any4, float, float, float, FOLD_ANY, 0)
FOLD_LOOPS(all8, double, double, double, FOLD_ALL, 1)
FOLD_LOOPS(all4, float, float, float, FOLD_ALL, 1)
FOLD_LOOPS(sumc8, float _Complex, double _Complex, float _Complex, FOLD_SUM, 0)
FOLD_LOOPS(sumc816, float _Complex, double _Complex, double _Complex, FOLD_SUM, 0)
FOLD_LOOPS(sumc16, double _Complex, double _Complex, double _Complex, FOLD_SUM, 0)
FOLD_LOOPS(prodc8, float _Complex, double _Complex, float _Complex, FOLD_PROD, 1)
FOLD_LOOPS(prodc816, float _Complex, double _Complex, double _Complex, FOLD_PROD, 1)
FOLD_LOOPS(prodc16, double _Complex, double _Complex, double _Complex, FOLD_PROD, 1)
/* clang-format on */

double
reduction_identity(Reduction reduction)
{
	switch (reduction)
	{
		case REDUCTION_SUM:
		case REDUCTION_ANY:
			return 0;
		case REDUCTION_MIN:
			return INFINITY;
		case REDUCTION_MAX:
			return -INFINITY;
		case REDUCTION_PROD:
		case REDUCTION_ALL:
			return 1;
	}
	return 0;
}

void
reduction_fold(Reduction reduction, double *accumulator, double value)
{
	fold_elements(reduction, ELEMENT_FLOAT8, ELEMENT_FLOAT8, 1, &value, accumulator, 1);
}

#define DISPATCH(loops, ...)                                                             \
	switch (reduction)                                                                   \
	{                                                                                    \
		case REDUCTION_SUM:                                                              \
			type == ELEMENT_FLOAT8 ? sum8_##loops(__VA_ARGS__)                           \
			: out_type != type     ? sum48_##loops(__VA_ARGS__)                          \
								   : sum4_##loops(__VA_ARGS__);                              \
			break;                                                                       \
		case REDUCTION_MIN:                                                              \
			type == ELEMENT_FLOAT8 ? min8_##loops(__VA_ARGS__)                           \
								   : min4_##loops(__VA_ARGS__);                          \
			break;                                                                       \
		case REDUCTION_MAX:                                                              \
			type == ELEMENT_FLOAT8 ? max8_##loops(__VA_ARGS__)                           \
								   : max4_##loops(__VA_ARGS__);                          \
			break;                                                                       \
		case REDUCTION_PROD:                                                             \
			type == ELEMENT_FLOAT8 ? prod8_##loops(__VA_ARGS__)                          \
			: out_type != type     ? prod48_##loops(__VA_ARGS__)                         \
								   : prod4_##loops(__VA_ARGS__);                             \
			break;                                                                       \
		case REDUCTION_ANY:                                                              \
			type == ELEMENT_FLOAT8 ? any8_##loops(__VA_ARGS__)                           \
								   : any4_##loops(__VA_ARGS__);                          \
			break;                                                                       \
		case REDUCTION_ALL:                                                              \
			type == ELEMENT_FLOAT8 ? all8_##loops(__VA_ARGS__)                           \
								   : all4_##loops(__VA_ARGS__);                          \
			break;                                                                       \
	}

/*
 * Of complex numbers only sums and products are defined; callers refuse other reductions.
 */
#define DISPATCH_COMPLEX(loops, ...)                                                     \
	if (reduction == REDUCTION_SUM)                                                      \
		type == ELEMENT_COMPLEX16 ? sumc16_##loops(__VA_ARGS__)                          \
		: out_type != type        ? sumc816_##loops(__VA_ARGS__)                         \
								  : sumc8_##loops(__VA_ARGS__);                                 \
	else if (reduction == REDUCTION_PROD)                                                \
		type == ELEMENT_COMPLEX16 ? prodc16_##loops(__VA_ARGS__)                         \
		: out_type != type        ? prodc816_##loops(__VA_ARGS__)                        \
								  : prodc8_##loops(__VA_ARGS__);

void
fold_elements(Reduction reduction, ElementType type, ElementType out_type, int64_t n,
			  const void *values, void *out, int64_t stride)
{
	if (element_is_complex(type))
	{
		DISPATCH_COMPLEX(elements, n, values, out, stride)
		return;
	}
	DISPATCH(elements, n, values, out, stride)
}

void
fold_all(Reduction reduction, ElementType type, ElementType out_type, int64_t n,
		 const void *values, void *out)
{
	if (element_is_complex(type))
	{
		DISPATCH_COMPLEX(all, n, values, out)
		return;
	}
	DISPATCH(all, n, values, out)
}
