/*-------------------------------------------------------------------------
 *
 * tuple_size.c
 *	  The cost model: bytes of values and of tuples.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "catalog/dimension.h"
#include "optimizer/cast_cost.h"
#include "optimizer/tuple_size.h"

#define VALUE_HEADER_BYTES 24.0
#define POSITION_BYTES 4.0

double
value_bytes(bool scalar, double entries)
{
	return scalar ? ELEMENT_BYTES : VALUE_HEADER_BYTES + entries * ELEMENT_BYTES;
}

/*
 * Tables that grow are small when views are made over them: inside of values a dimension
 * is taken to have this number of keys at least, so that a vector is chosen for each row
 * only where that stays cheap, and no matrix of all pairs of keys is.
 */
#define DIMENSION_ROOM 10000.0

double
bound_in_values(int64 bound, double estimate)
{
	return bound_is_dimension(bound) ? Max(estimate, DIMENSION_ROOM) : estimate;
}

double
value_entries(const Stage *stage, LabelMask labels, const Decomposition *choice)
{
	LabelMask inside = labels & ~choice->promoted;
	double entries = 1.0;
	int i;

	FOREACH_LABEL (i, inside)
		entries *= block_extent(
			choice, i, bound_in_values(stage->labels[i].bound, stage->bounds[i]));
	return entries;
}

double
tuple_bytes(const Stage *stage, LabelMask labels, const Decomposition *choice,
			double *value)
{
	*value = value_bytes((labels & ~choice->promoted) == 0,
						 value_entries(stage, labels, choice));
	return *value + KEY_BYTES * pg_popcount32(labels & keys_of(choice));
}

double
sparse_bytes(double entries)
{
	return VALUE_HEADER_BYTES + entries * (POSITION_BYTES + ELEMENT_BYTES);
}

double
operand_bytes(const Stage *stage, const Operand *operand, const Decomposition *choice,
			  double tuples, double *value)
{
	double bytes = tuple_bytes(stage, operand->mask, choice, value);
	double dense = *value;
	const Storage *storage =
		dense > ELEMENT_BYTES ? storage_as_needed(operand, choice) : NULL;

	if (storage == NULL || !storage->sparse_values)
		return bytes;
	*value = sparse_bytes(operand->estimate->entries / Max(tuples, 1.0));
	return bytes - dense + *value;
}

double
allowed_bytes(const Stage *stage, LabelMask labels, const Decomposition *choice)
{
	LabelMask inside = labels & ~choice->promoted;
	LabelMask pinned = 0;
	int i;

	/* what a pin asks for is legal, however many keys there are */
	FOREACH_LABEL (i, inside)
	{
		if ((stage->must_demote & (1u << i)) &&
			bound_is_dimension(stage->labels[i].bound))
			pinned |= 1u << i;
	}
	return value_bytes(inside == 0, value_entries(stage, inside & ~pinned, choice));
}

double
key_values(const Estimate *estimate, int label, const Decomposition *choice, double bound)
{
	if (choice->blocked & (1u << label))
		return occupied_blocks(estimate->values[label], bound, choice->block[label]);
	return estimate->values[label];
}
