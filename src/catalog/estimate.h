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
 * that neither constraints nor shapes tell are -1.
 */
extern void estimate_statistics(const Storage *storage, TensorStatistics *statistics);

#endif
