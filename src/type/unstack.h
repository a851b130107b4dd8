/*-------------------------------------------------------------------------
 *
 * unstack.h
 *	  The elements of a vector one by one, as einsum_unstack_scalar returns them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_UNSTACK_H
#define TYPE_UNSTACK_H

#include "postgres.h"

#include "type/tensor.h"

typedef struct VectorElements
{
	const Tensor *vector; /* flat; NULL: there are no elements */
	double fill;          /* rounded to the precision of the elements */
	int64 next;
} VectorElements;

/* Starts at element 0. Errors: 2202E unless vector is a vector of float4 or float8. */
extern void begin_elements(VectorElements *elements, const Tensor *vector, double fill);

/*
 * Gets the next element that differs from fill: -0 equals 0, and NaN differs from
 * everything. False at the end.
 */
static inline bool
next_element(VectorElements *elements, int32 *index, double *value)
{
	const Tensor *vector = elements->vector;

	for (; vector && elements->next < vector->bounds[0]; elements->next++)
	{
		*value = vector->type == ELEMENT_FLOAT4
					 ? ((const float *) tensor_elements(vector))[elements->next]
					 : ((const double *) tensor_elements(vector))[elements->next];
		if (*value == elements->fill)
			continue;
		*index = (int32) elements->next++;
		return true;
	}
	return false;
}

#endif
