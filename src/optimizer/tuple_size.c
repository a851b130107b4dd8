/*-------------------------------------------------------------------------
 *
 * tuple_size.c
 *	  The cost model: bytes of values and of tuples.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "catalog/dimension.h"
#include "optimizer/cast_cost.h"
#include "optimizer/kernel_cost.h"
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

/* A sparse value has at most this part of the bytes of the dense one. */
#define MOST_SPARSE_BYTES (1.0 / 3.0)

/*
 * Does some stage that reads a result multiply it as a matrix? Sets *as_entries if all
 * have its entries as rows.
 */
static bool
is_multiplied_as_matrix(const ProgramPlan *plan, const Stage *stage, bool *as_entries)
{
	*as_entries = true;
	for (int s = stage->number + 1; s < list_length(plan->graph->stages); s++)
	{
		const StagePlan *reader = &plan->stages[s];

		for (int t = 0; t < reader->stage->nterms; t++)
		{
			const Term *term = &reader->stage->terms[t];

			for (int o = 0; o < term->noperands; o++)
			{
				if (term->operands[o].producer != stage)
					continue;
				if (multiplies_as_matrix(reader->stage, term, o, &reader->choice))
					return true;
				*as_entries &=
					reader->operands[t][o].to.promoted == (1u << stage->noutput) - 1;
			}
		}
	}
	return false;
}

double
saved_by_sparse_values(const ProgramPlan *plan, const Stage *stage)
{
	const StagePlan *chosen = &plan->stages[stage->number];
	double dense = chosen->bytes - KEY_BYTES * pg_popcount32(keys_of(&chosen->shape));
	double sparse = sparse_bytes(stage->estimate.entries / Max(chosen->tuples, 1.0));
	bool as_entries;

	if (sparse > dense * MOST_SPARSE_BYTES || cimag(stage->tensor->fill) != 0.0 ||
		is_multiplied_as_matrix(plan, stage, &as_entries))
		return 0.0;
	/* in memory, dense values that are read as they are take less time */
	if (!as_entries && !keeps_all_stages(plan->graph->options->materialize) &&
		chosen->tuples * chosen->bytes <= work_mem * 1024.0)
		return 0.0;
	return dense - sparse;
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
