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
 * Counts entries that differ from fill, distinct indices of every label and,
 * up to rank STATISTICS_MAX_RANK, distinct index vectors of every set of labels
 * and degrees of every pair of disjoint sets, with their moments; and how often
 * the indices of two dimensions meet. The statistics are new. Errors: as
 * check_storage_data for rows that do not fit.
 */
extern void measure_statistics(Storage *storage, TensorStatistics *statistics);

/* Returns how many rows of a storage have keys and a value. */
extern double count_rows(const Storage *storage);

/*
 * The same for a table of few pages and entries; false if it has more, or is a
 * view or a foreign table, which may take any time to read.
 */
extern bool measure_small_table(Storage *storage, TensorStatistics *statistics);

#endif
