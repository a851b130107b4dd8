/*-------------------------------------------------------------------------
 *
 * entry_sorter.h
 *	  Sorting index vectors, within a memory limit.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_ENTRY_SORTER_H
#define CATALOG_ENTRY_SORTER_H

#include "postgres.h"

#include "kernels/tensor_view.h"

typedef struct EntrySorter EntrySorter;

/*
 * The least index and the number of indices that a label can have. Where an index stands
 * for several keys (key_cells.h), weights has their numbers; else it is NULL.
 */
typedef struct IndexRange
{
	int64 low;
	double count;
	const double *weights;
} IndexRange;

/*
 * Begins sorting vectors of `width` indices lexicographically. Indices must be within
 * their ranges. Sorts on disk beyond `memory` kilobytes.
 */
extern EntrySorter *sorter_begin(int width, const IndexRange *ranges, int memory);
extern void sorter_put(EntrySorter *sorter, const int64 *indices);
extern void sorter_sort(EntrySorter *sorter);

/* Reads the next vector in order; false after the last. */
extern bool sorter_get(EntrySorter *sorter, int64 *indices);

/* Continues reading from the first vector. */
extern void sorter_rescan(EntrySorter *sorter);
extern void sorter_end(EntrySorter *sorter);

#endif
