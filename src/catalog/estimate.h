/*-------------------------------------------------------------------------
 *
 * estimate.h
 *	  Statistics of a storage from what PostgreSQL knows about its relation.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_ESTIMATE_H
#define CATALOG_ESTIMATE_H

#include "catalog/tensor_statistics.h"

/*
 * Estimates all statistics of a resolved storage. Distinct counts and degrees that follow
 * neither from constraints nor from shapes are -1. If not readable, only the relation's
 * size and its constraints are used: the user may not see the statistics of its columns.
 */
extern void estimate_statistics(const Storage *storage, bool readable,
								TensorStatistics *statistics);

/*
 * Returns the number of distinct values of a column by PostgreSQL's statistics; -1 if
 * these are missing.
 */
extern double analyzed_distinct(Oid relid, AttrNumber attno);

/*
 * The same of a dimension's keys in the rows of a resolved storage; also -1 if the
 * dimension is not a key by itself.
 */
extern double counted_keys(const Storage *storage, int dimension);

/*
 * Returns the correlation between the order of a table's rows and that of a key column, as
 * ANALYZE has found it: 1 if the rows are sorted by it. -2 if not known.
 */
extern double row_correlation(Oid relid, AttrNumber attno);

/*
 * Returns the present number of pages of a relation, with its children and TOAST tables;
 * -1 for a view or a foreign table.
 */
extern double relation_pages(Oid relid);

/* Estimates the rows of a relation with its children from its present pages. */
extern double estimated_rows(Oid relid);

/* The same of what a storage is read from: where rows have a layout, their entries. */
extern double estimated_storage_rows(const Storage *storage);

#endif
