/*-------------------------------------------------------------------------
 *
 * measure.h
 *	  Exact statistics of a storage, by reading it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_MEASURE_H
#define CATALOG_MEASURE_H

#include "catalog/tensor_statistics.h"

/*
 * Measures a storage: counts the entries that differ from fill, and the distinct indices
 * of every label. Up to rank STATISTICS_MAX_RANK it also counts distinct index vectors of
 * every set of labels, the degrees of every pair of disjoint sets, with their moments,
 * and how often the indices of two dimensions meet. The statistics are new. Errors: as
 * check_storage_data for rows that do not fit.
 */
extern void measure_statistics(Storage *storage, TensorStatistics *statistics);

/* Returns how many rows of a storage have keys and a value. */
extern double count_rows(const Storage *storage);

/*
 * Measures a table that has few pages and entries; false if it has more, or is a view or
 * a foreign table, which may take any time to read.
 */
extern bool measure_small_table(Storage *storage, TensorStatistics *statistics);

#endif
