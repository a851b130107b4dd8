/*-------------------------------------------------------------------------
 *
 * key_cells.c
 *	  Cells: neighbouring keys that all ranges of a column have together, or not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"

#include "catalog/entry_sorter.h"
#include "catalog/key_cells.h"
#include "type/key_range.h"

struct KeyCells
{
	EntrySorter *sorter; /* of where cells start, until they are made */
	int64 *starts;
	double *weights; /* keys of each cell, and of others that it stands for in a sample */
	double keys;     /* of all cells */
	int64 ncells;
	int thinned; /* how often cells were left out */
};

KeyCells *
cells_begin(void)
{
	KeyCells *cells = palloc0(sizeof(KeyCells));
	IndexRange any = {.low = PG_INT64_MIN, .count = 1.9e19};

	cells->sorter = sorter_begin(1, &any, maintenance_work_mem / 2);
	return cells;
}

void
cells_put(KeyCells *cells, int64 first, int64 last)
{
	int64 end = last + 1;

	sorter_put(cells->sorter, &first);
	sorter_put(cells->sorter, &end);
}

void
cells_make(KeyCells *cells)
{
	int64 room = 64;
	int64 start;
	int64 n = 0;

	cells->starts = palloc(sizeof(int64) * room);
	sorter_sort(cells->sorter);
	while (sorter_get(cells->sorter, &start))
	{
		if ((n & 0xFFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		if (n > 0 && cells->starts[n - 1] == start)
			continue;
		if (n == room)
		{
			room *= 2;
			cells->starts = repalloc_huge(cells->starts, sizeof(int64) * room);
		}
		cells->starts[n++] = start;
	}
	sorter_end(cells->sorter);
	cells->ncells = Max(n - 1, 0);
	cells->weights = MemoryContextAllocHuge(CurrentMemoryContext,
											sizeof(double) * Max(cells->ncells, 1));
	for (int64 c = 0; c < cells->ncells; c++)
	{
		cells->weights[c] = key_count(cells->starts[c], cells->starts[c + 1]);
		cells->keys += cells->weights[c];
	}
}

void
cells_thin(KeyCells *cells)
{
	uint32 most = PG_UINT32_MAX;
	double kept_keys = 0;
	int64 kept = 0;

	cells->thinned = Min(cells->thinned + 1, 15);
	most >>= 2 * cells->thinned;
	for (int64 c = 0; c < cells->ncells; c++)
	{
		uint64 start = (uint64) cells->starts[c];

		if (hash_combine(murmurhash32((uint32) (start >> 32)),
						 murmurhash32((uint32) start)) > most)
			continue;
		kept_keys += cells->weights[c];
		cells->starts[kept] = cells->starts[c];
		cells->weights[kept++] = cells->weights[c];
	}
	cells->ncells = kept;
	for (int64 c = 0; c < kept; c++)
		cells->weights[c] *= cells->keys / kept_keys;
}

int64
cells_count(const KeyCells *cells)
{
	return cells->ncells;
}

const double *
cells_weights(const KeyCells *cells)
{
	return cells->weights;
}

/* Returns the cell that begins with a key. */
static int64
cell_at(const KeyCells *cells, int64 start)
{
	int64 low = 0;
	int64 high = cells->ncells;

	while (low < high)
	{
		int64 middle = (low + high) / 2;

		if (cells->starts[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
cells_of_range(const KeyCells *cells, int64 first, int64 last, int64 *cell, int64 *end)
{
	*cell = cell_at(cells, first);
	*end = cell_at(cells, last + 1);
}

void
cells_end(KeyCells *cells)
{
	pfree(cells->starts);
	pfree(cells->weights);
	pfree(cells);
}
