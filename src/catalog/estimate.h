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
 * Estimates all statistics of a resolved storage; distinct counts and degrees
 * that neither constraints nor shapes tell are -1. For a user who may not read
 * the columns' statistics, by the relation's size and its constraints alone.
 */
extern void estimate_statistics(const Storage *storage, bool readable,
								TensorStatistics *statistics);

/*
 * Distinct keys of a dimension that rows of a resolved storage have, by PostgreSQL's
 * statistics of its column; -1 if there are none, or the dimension is not a key by
 * itself.
 */
extern double counted_keys(const Storage *storage, int dimension);

/*
 * Pages of a relation with its children, and of what is stored out of line, as
 * they are now; -1 for a view or a foreign table.
 */
extern double relation_pages(Oid relid);

/*
 * Returns the rows of a relation with its children, estimated by its pages as they are
 * now.
 */
extern double estimated_rows(Oid relid);

#endif
