/*-------------------------------------------------------------------------
 *
 * count.h
 *	  How many elements of an array differ from the fill, and are not finite numbers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_COUNT_H
#define KERNELS_COUNT_H

#include "kernels/function_type.h"
#include "kernels/kernels.h"

/* What is counted of an array. */
typedef struct ElementCounts
{
	int64_t entries;  /* that differ from the fill; NaN is one, unless the fill is NaN */
	int64_t nans;     /* of these */
	int64_t infinite; /* of these */
	int64_t negative; /* of these; of complex numbers, whose real part is */
} ElementCounts;

/* Adds what n contiguous elements have to *counts. */
extern void count_elements(ElementType type, int64_t n, const void *elements, Number fill,
						   ElementCounts *counts);

#endif
