/*-------------------------------------------------------------------------
 *
 * statistics_table.h
 *	  The table einsum_statistics: what einsum_analyze measured.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_STATISTICS_TABLE_H
#define CATALOG_STATISTICS_TABLE_H

#include "catalog/tensor_statistics.h"

/*
 * Reads the statistics of a storage as it is registered now; false if there
 * are none, those that there are were measured under another registration, or
 * (then *statistics is outdated) the relation had another size.
 */
extern bool read_statistics(const Storage *storage, TensorStatistics *statistics);

/* What has been measured of a storage. */
typedef struct StorageStatistics
{
	const Storage *storage;
	const TensorStatistics *statistics; /* of its tensor */
	double rows;                        /* of its relation */
} StorageStatistics;

/*
 * Stores measured, a list of StorageStatistics, in the name of the extension's owner: the
 * caller has checked that the user owns the relations. Writes the rows of the table,
 * which stay locked until the transaction ends, in one order; after this the caller locks
 * nothing that others hold while they write theirs. Forgets what is stored about
 * relations that are gone.
 */
extern void write_statistics(List *measured);

/* Returns the rows that a storage had when it was measured; -1 if not known. */
extern double read_rows(const Storage *storage);

/*
 * Keeps others from dropping the extension until the transaction ends, so that no label
 * is left without it. Errors: 42704 without the extension.
 */
extern void keep_extension(void);

#endif
