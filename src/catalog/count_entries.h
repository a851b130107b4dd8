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

/*
 * Sorts the entries, which are vectors with an index for each dimension, and sets all
 * counts of the new statistics. For more than STATISTICS_MAX_RANK dimensions only entries
 * and values are counted.
 */
extern void count_entries(EntrySorter *entries, int rank,
						  const StorageDimension *dimensions, const IndexRange *ranges,
						  TensorStatistics *statistics);

/*
 * Derives the statistics of a tensor whose values have an entry everywhere from those of
 * its rows' keys, of which there are some. The tensor's counts are products with the
 * dimensions inside values. In rows, the dimensions are the keys, in their order.
 */
extern void extend_statistics(const TensorStatistics *rows, int rank,
							  const StorageDimension *dimensions,
							  TensorStatistics *statistics);

#endif
