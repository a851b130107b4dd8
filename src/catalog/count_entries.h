/*-------------------------------------------------------------------------
 *
 * count_entries.h
 *	  Distinct counts, degrees and meetings of the index vectors of entries.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_COUNT_ENTRIES_H
#define CATALOG_COUNT_ENTRIES_H

#include "postgres.h"

#include "catalog/entry_sorter.h"
#include "catalog/registration.h"
#include "catalog/tensor_statistics.h"

/* Are the indices of two dimensions the same things, so that they may be joined? */
extern bool may_meet(const StorageDimension *a, const StorageDimension *b);

/*
 * Sorts the entries, vectors of an index for each dimension, and fills in
 * all that is counted in the statistics, which are new. Of more than
 * STATISTICS_MAX_RANK dimensions these are entries and values alone.
 */
extern void count_entries(EntrySorter *entries, int rank,
						  const StorageDimension *dimensions, const IndexRange *ranges,
						  TensorStatistics *statistics);

/*
 * The same where every row's value has an entry everywhere, from what was counted of the
 * rows' keys alone, of which there are some: a product with the dimensions inside. Of
 * rows, the dimensions are the keys in their order.
 */
extern void extend_statistics(const TensorStatistics *rows, int rank,
							  const StorageDimension *dimensions,
							  TensorStatistics *statistics);

#endif
