/*-------------------------------------------------------------------------
 *
 * count.h
 *	  Counts the elements of an array that differ from the fill, and those of them
 *	  that are NaN, infinite or negative.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_COUNT_H
#define KERNELS_COUNT_H

#include "kernels/function_type.h"
#include "kernels/kernels.h"

/* What is counted among the elements of an array. */
typedef struct ElementCounts
{
	int64_t entries;  /* that differ from the fill; NaN is one, unless the fill is NaN */
	int64_t nans;     /* of these */
	int64_t infinite; /* of these */
	int64_t negative; /* of these; of complex numbers, whose real part is */
} ElementCounts;

/* Adds the counts of n contiguous elements to *counts. */
extern void count_elements(ElementType type, int64_t n, const void *elements, Number fill,
						   ElementCounts *counts);

#endif
