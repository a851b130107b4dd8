/*-------------------------------------------------------------------------
 *
 * tensor_statistics.c
 *	  The statistics of a tensor, measured if somebody measured them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/estimate.h"
#include "catalog/origin.h"
#include "catalog/readable.h"
#include "catalog/shift.h"
#include "catalog/statistics_table.h"
#include "catalog/tensor_storage.h"

TensorStatistics *
new_statistics(int rank)
{
	int sets = rank <= STATISTICS_MAX_RANK ? 1 << rank : 0;
	int pairs = sets > 0 ? rank * rank : 0;
	Size size = sizeof(TensorStatistics) + sizeof(Skew) * rank + sizeof(double) * rank +
				sizeof(double) * sets + sizeof(Degree) * sets * sets +
				sizeof(Meetings) * pairs;
	TensorStatistics *statistics = palloc0(size);

	statistics->rank = rank;
	statistics->skew = (Skew *) (statistics + 1);
	statistics->values = (double *) (statistics->skew + rank);
	if (sets == 0)
		return statistics;
	statistics->distinct = statistics->values + rank;
	statistics->degrees = (Degree *) (statistics->distinct + sets);
	statistics->meetings = (Meetings *) (statistics->degrees + sets * sets);
	for (int s = 0; s < sets; s++)
		statistics->distinct[s] = -1;
	for (int d = 0; d < sets * sets; d++)
		statistics->degrees[d] = (Degree){-1, -1, -1};
	for (int m = 0; m < pairs; m++)
		statistics->meetings[m] = (Meetings){-1, -1, -1};
	return statistics;
}

/* Limits estimates to what the bounds allow. */
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
				Min(statistics->values[i], (double) bound_size(tensor->bounds[i]));
			product *= (double) bound_size(tensor->bounds[i]);
		}
	}
	statistics->entries = Min(statistics->entries, product);
}

/*
 * Sets the rows of storages whose rows hold several entries: the number of rows with any
 * entry does not follow from the number of entries. Nor does it from the rows of an
 * additive storage, several of which have the same keys.
 */
static void
set_counted_rows(const TensorEntry *tensor, TensorStatistics *statistics)
{
	ListCell *cell;

	statistics->ncounted = 0;
	if (tensor->rank > STATISTICS_MAX_RANK)
		return;
	statistics->counted = palloc(sizeof(StorageRows) * STATISTICS_MAX_STORAGES);
	foreach (cell, tensor->storages)
	{
		const Storage *storage = (const Storage *) lfirst(cell);
		StorageRows *counted = &statistics->counted[statistics->ncounted];
		bool all_promoted = true;

		if (statistics->ncounted == STATISTICS_MAX_STORAGES)
			return;
		if (storage->duplicates == DUPLICATES_SUM)
			continue;
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

/*
 * Returns the rows of each additive storage, estimated by its size alone: a user who may
 * not read it learns no more.
 */
static List *
count_unsummed(const TensorEntry *tensor)
{
	List *all = NIL;
	ListCell *cell;

	foreach (cell, tensor->storages)
	{
		const Storage *storage = (const Storage *) lfirst(cell);
		UnsummedRows *unsummed;

		if (storage->duplicates != DUPLICATES_SUM)
			continue;
		unsummed = palloc(sizeof(UnsummedRows));
		unsummed->relid = storage->relid;
		unsummed->rows = estimated_storage_rows(storage);
		all = lappend(all, unsummed);
	}
	return all;
}

double
unsummed_rows(const TensorStatistics *statistics, const Storage *storage)
{
	ListCell *cell;

	foreach (cell, statistics->unsummed)
	{
		const UnsummedRows *unsummed = lfirst(cell);

		if (unsummed->relid == storage->relid)
			return unsummed->rows;
	}
	return 0.0;
}

const TensorStatistics *
get_tensor_statistics(const TensorEntry *tensor)
{
	TensorStatistics *statistics;
	const Storage *best = NULL;
	bool outdated = false;
	bool readable;
	ListCell *cell;

	if (tensor->state)
		return tensor->state;
	if (tensor->shift)
		return shift_statistics(tensor->shift, get_tensor_statistics(tensor->shift->of));
	readable = tensor_is_readable(tensor);
	foreach (cell, tensor->storages)
	{
		const Storage *storage = (const Storage *) lfirst(cell);

		statistics = new_statistics(tensor->rank);
		/*
		 * counts tell about data, and plans would show them to users who may not read it
		 */
		if (readable && read_statistics(storage, statistics))
		{
			cap_statistics(tensor, statistics);
			set_counted_rows(tensor, statistics);
			statistics->unsummed = count_unsummed(tensor);
			return statistics;
		}
		outdated = outdated || statistics->outdated;
		/* with more keys, less has to be assumed about the inside of values */
		if (best == NULL || storage_key_count(storage) > storage_key_count(best))
			best = storage;
	}
	statistics = new_statistics(tensor->rank);
	estimate_statistics(best, readable, statistics);
	statistics->outdated = outdated;
	statistics->unsummed = count_unsummed(tensor);
	cap_statistics(tensor, statistics);
	return statistics;
}
