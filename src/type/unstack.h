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
	const Tensor *vector; /* flat; NULL: there are none */
	double fill;          /* in the precision of the elements */
	int64 next;
} VectorElements;

/* Begins with the first. Errors: 2202E if it is not a vector of float4 or float8. */
extern void begin_elements(VectorElements *elements, const Tensor *vector, double fill);

/* The next element that is not fill: -0 is 0, NaN nothing. False at the end. */
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
