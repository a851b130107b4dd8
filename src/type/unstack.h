/*-------------------------------------------------------------------------
 *
 * unstack.h
 *	  The elements of a vector one by one, as einsum_unstack_scalar returns them. Of a
 *	  sparse vector only the entries are read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_UNSTACK_H
#define TYPE_UNSTACK_H

#include "postgres.h"

#include "type/call.h"
#include "type/sparse.h"

typedef struct VectorElements
{
	const Tensor *vector;  /* flat; NULL: there are no elements */
	double fill;           /* rounded to the precision of the elements */
	bool sparse;           /* its fill is this fill */
	SparseEntries entries; /* if it is sparse */
	int64 next;            /* number of an element, or of an entry */
} VectorElements;

/*
 * Starts at element 0 of a datum of type tensor. A sparse vector with another fill is
 * made dense. Errors: 2202E unless it is a vector of float4 or float8; as make_dense.
 */
extern void begin_elements(VectorElements *elements, Datum vector, double fill,
						   ShortValue *shorter, void **copy);

/* Continues at the element with this index, or behind it. */
extern void seek_element(VectorElements *elements, int64 index);

/*
 * Gets the next element that differs from fill: -0 equals 0, and NaN differs from
 * everything. False at the end.
 */
static inline bool
next_element(VectorElements *elements, int32 *index, double *value)
{
	const Tensor *vector = elements->vector;

	if (elements->sparse)
	{
		if (elements->next >= elements->entries.count)
			return false;
		*index = (int32) entry_position(&elements->entries, elements->next);
		*value = entry_number(&elements->entries, elements->next++);
		return true;
	}
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
