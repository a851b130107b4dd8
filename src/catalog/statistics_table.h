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
 * Reads the statistics of a storage as it is registered now. False if there are none, if
 * they were measured under another registration, or if the relation had a different size
 * then (*statistics is marked outdated).
 */
extern bool read_statistics(const Storage *storage, TensorStatistics *statistics);

/* What was measured of a storage. */
typedef struct StorageStatistics
{
	const Storage *storage;
	const TensorStatistics *statistics; /* of its tensor */
	double rows;                        /* of its relation */
} StorageStatistics;

/*
 * Stores measured, a list of StorageStatistics, as the extension's owner: the caller has
 * checked that the user owns the relations. Rows of the table are written in one order,
 * and stay locked until the transaction ends. So after this call the caller may lock
 * nothing that others hold while they write theirs. Also removes the rows of relations
 * that no longer exist.
 */
extern void write_statistics(List *measured);

/* Returns the rows that a storage had when it was measured; -1 if not known. */
extern double read_rows(const Storage *storage);

/*
 * Keeps other sessions from dropping the extension until the transaction ends, so that no
 * label is left without it. Errors: 42704 without the extension.
 */
extern void keep_extension(void);

#endif
