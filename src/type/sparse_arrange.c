/*-------------------------------------------------------------------------
 *
 * sparse_arrange.c
 *	  The entries of a sparse value in another arrangement: reshape, permute, slice.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>

#include "miscadmin.h"

#include "type/sparse.h"

/* Begins a value of this shape, with the type and fill of another one. */
static void
begin_shape(SparseBuilder *builder, const Tensor *tensor, int rank, const int64 *bounds)
{
	sparse_begin(builder, (ElementType) tensor->type, rank, bounds);
	memcpy(&builder->fill, sparse_fill(tensor), element_size(builder->type));
}

/* Adds an entry of another value at a position. */
static void
append_at(SparseBuilder *builder, const SparseEntries *entries, int64 i, uint64 position)
{
	SparseElement element = {{0}};

	if ((i & 0xFFFF) == 0)
		CHECK_FOR_INTERRUPTS();
	memcpy(&element, entry_element(entries, i), element_size(builder->type));
	sparse_append(builder, position, element);
}

/* Finds the indices of a position. */
static void
find_indices(const Tensor *tensor, uint64 position, int64 *indices)
{
	for (int d = tensor->rank - 1; d >= 0; d--)
	{
		indices[d] = (int64) (position % (uint64) tensor->bounds[d]);
		position /= (uint64) tensor->bounds[d];
	}
}

Tensor *
sparse_reshape(const Tensor *tensor, int rank, const int64 *bounds)
{
	SparseEntries entries = sparse_entries(tensor);
	SparseBuilder builder;

	begin_shape(&builder, tensor, rank, bounds);
	for (int64 i = 0; i < entries.count; i++)
		append_at(&builder, &entries, i, entry_position(&entries, i));
	return sparse_finish(&builder);
}

Tensor *
sparse_slice(const Tensor *tensor, const int64 *lower, const int64 *upper)
{
	SparseEntries entries = sparse_entries(tensor);
	SparseBuilder builder;
	int64 bounds[TENSOR_MAX_RANK];

	for (int d = 0; d < tensor->rank; d++)
		bounds[d] = upper[d] - lower[d];
	begin_shape(&builder, tensor, tensor->rank, bounds);
	for (int64 i = 0; i < entries.count; i++)
	{
		int64 indices[TENSOR_MAX_RANK];
		uint64 position = 0;
		bool inside = true;

		find_indices(tensor, entry_position(&entries, i), indices);
		for (int d = 0; inside && d < tensor->rank; d++)
		{
			inside = indices[d] >= lower[d] && indices[d] < upper[d];
			position = position * (uint64) bounds[d] + (uint64) (indices[d] - lower[d]);
		}
		if (inside)
			append_at(&builder, &entries, i, position);
	}
	return sparse_finish(&builder);
}

/* Where an entry comes. */
typedef struct MovedEntry
{
	uint64 position;
	int64 entry;
} MovedEntry;

static int
compare_positions(const void *a, const void *b)
{
	uint64 one = ((const MovedEntry *) a)->position;
	uint64 other = ((const MovedEntry *) b)->position;

	return (one > other) - (one < other);
}

Tensor *
sparse_permute(const Tensor *tensor, const int64 *order)
{
	SparseEntries entries = sparse_entries(tensor);
	MovedEntry *moved = MemoryContextAllocHuge(CurrentMemoryContext,
											   sizeof(MovedEntry) * (entries.count + 1));
	SparseBuilder builder;
	int64 bounds[TENSOR_MAX_RANK];

	for (int d = 0; d < tensor->rank; d++)
		bounds[d] = tensor->bounds[order[d]];
	for (int64 i = 0; i < entries.count; i++)
	{
		int64 indices[TENSOR_MAX_RANK];

		find_indices(tensor, entry_position(&entries, i), indices);
		moved[i] = (MovedEntry){.entry = i};
		for (int d = 0; d < tensor->rank; d++)
			moved[i].position =
				moved[i].position * (uint64) bounds[d] + (uint64) indices[order[d]];
	}
	qsort(moved, entries.count, sizeof(MovedEntry), compare_positions);
	begin_shape(&builder, tensor, tensor->rank, bounds);
	for (int64 i = 0; i < entries.count; i++)
		append_at(&builder, &entries, moved[i].entry, moved[i].position);
	pfree(moved);
	return sparse_finish(&builder);
}
