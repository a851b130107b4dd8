/*-------------------------------------------------------------------------
 *
 * tensor_statistics.c
 *	  The statistics of a tensor, measured if somebody measured them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/estimate.h"
#include "catalog/readable.h"
#include "catalog/shift.h"
#include "catalog/statistics_table.h"
#include "catalog/tensor_storage.h"

void
clear_statistics(int rank, TensorStatistics *statistics)
{
	int x;
	int y;

	memset(statistics, 0, sizeof(TensorStatistics));
	statistics->rank = rank;
	for (x = 0; x < 1 << STATISTICS_MAX_RANK; x++)
	{
		statistics->distinct[x] = -1;
		for (y = 0; y < 1 << STATISTICS_MAX_RANK; y++)
			statistics->degree[x][y] = statistics->square[x][y] = statistics->cube[x][y] =
				-1;
	}
	for (x = 0; x < STATISTICS_MAX_RANK; x++)
	{
		for (y = 0; y < STATISTICS_MAX_RANK; y++)
			statistics->meetings[x][y] = statistics->square_meetings[x][y] = -1;
	}
}

/* No estimate may exceed what the bounds allow. */
static void
cap_statistics(const TensorEntry *tensor, TensorStatistics *statistics)
{
	double product = 1;
	int i;

	for (i = 0; i < tensor->rank; i++)
	{
		if (bound_is_open(tensor->bounds[i]))
			product *= statistics->values[i];
		else
		{
			statistics->values[i] =
				Min(statistics->values[i], (double) tensor->bounds[i]);
			product *= (double) tensor->bounds[i];
		}
	}
	statistics->entries = Min(statistics->entries, product);
}

/*
 * The rows of storages in which a row has several entries: how many of those have any
 * follows from no count of entries.
 */
static void
add_rows(const TensorEntry *tensor, TensorStatistics *statistics)
{
	ListCell *cell;

	statistics->ncounted = 0;
	if (tensor->rank > STATISTICS_MAX_RANK)
		return;
	foreach (cell, tensor->storages)
	{
		const Storage *storage = (const Storage *) lfirst(cell);
		StorageRows *counted = &statistics->counted[statistics->ncounted];
		bool all_promoted = true;

		if (statistics->ncounted == STATISTICS_MAX_STORAGES)
			return;
		for (int i = 0; i < tensor->rank; i++)
		{
			const StorageDimension *dimension = &storage->dimensions[i];

			counted->block[i] = dimension->kind == DIMENSION_PROMOTED  ? 1
								: dimension->kind == DIMENSION_BLOCKED ? dimension->block
																	   : 0;
			all_promoted = all_promoted && dimension->kind == DIMENSION_PROMOTED;
		}
		counted->rows = all_promoted ? -1 : read_rows(storage);
		if (counted->rows >= 0)
			statistics->ncounted++;
	}
}

void
get_tensor_statistics(const TensorEntry *tensor, TensorStatistics *statistics)
{
	const Storage *best = NULL;
	bool outdated = false;
	bool readable;
	ListCell *cell;

	if (tensor->state)
	{
		*statistics = *tensor->state;
		return;
	}
	if (tensor->shift)
	{
		TensorStatistics of;

		get_tensor_statistics(tensor->shift->of, &of);
		shift_statistics(tensor->shift, &of, statistics);
		return;
	}
	readable = tensor_is_readable(tensor);
	foreach (cell, tensor->storages)
	{
		const Storage *storage = (const Storage *) lfirst(cell);

		clear_statistics(tensor->rank, statistics);
		/* counts tell about data: a plan would show them to who may not read it */
		if (readable && read_statistics(storage, statistics))
		{
			cap_statistics(tensor, statistics);
			add_rows(tensor, statistics);
			return;
		}
		outdated = outdated || statistics->outdated;
		/* the more keys, the less has to be assumed about the inside of values */
		if (best == NULL || storage_key_count(storage) > storage_key_count(best))
			best = storage;
	}
	clear_statistics(tensor->rank, statistics);
	estimate_statistics(best, readable, statistics);
	statistics->outdated = outdated;
	cap_statistics(tensor, statistics);
}
