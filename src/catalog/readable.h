/*-------------------------------------------------------------------------
 *
 * readable.h
 *	  Which users may see the statistics of a tensor's data.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_READABLE_H
#define CATALOG_READABLE_H

#include "catalog/registration.h"

/*
 * May the user read all rows of one of the tensor's storages, and the columns that its
 * registration names? The storages have been resolved.
 */
extern bool tensor_is_readable(const TensorEntry *tensor);

/* May the user read all rows and columns of a relation? False if it no longer exists. */
extern bool relation_is_readable(Oid relid);

#endif
