/*-------------------------------------------------------------------------
 *
 * declare.h
 *	  Registering a relation as a tensor, and undoing it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_DECLARE_H
#define CATALOG_DECLARE_H

#include "catalog/registration.h"

/*
 * Registers storage->relid as a storage of storage->tensor, after checking the
 * owner, columns, constraints, every row, and the tensor's other storages.
 * Bounds may be BOUND_UNKNOWN: they are taken from the other storages, else
 * from the data. Without replace, a registration of that tensor on that
 * relation is an error.
 */
extern void declare_storage(Storage *storage, bool replace);

/* Removes a registration. Errors: 42704 if there is none. */
extern void retract_storage(Oid relid, const char *tensor);

/* Errors unless the current user owns the relation. */
extern void check_relation_owner(Oid relid);

/*
 * Two storages of one tensor agree in rank, bounds, fill and owner. Returns
 * NULL, or what they differ in, as an error detail.
 */
extern char *storage_disagreement(const Storage *one, const Storage *other);

#endif
