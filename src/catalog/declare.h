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
#include "compat.h"

/*
 * Registers storage->relid as a storage of storage->tensor, after checking the
 * owner, columns, constraints, every row, and the tensor's other storages.
 * Bounds may be BOUND_UNKNOWN: they are taken from the other storages, else
 * from the data. If the relation is registered as this tensor already, that is
 * changed with replace, else an error. If it is not, but others are, it becomes
 * a further storage with further; without, the registration moves here from the
 * others with replace, and is else an error.
 */
extern void declare_storage(Storage *storage, bool further, bool replace);

/*
 * Registers all storages of a tensor with the bounds that they have now, after the same
 * checks. The caller has locked the tensor's name and the relations, and measures them
 * afterwards.
 */
extern void redeclare_storages(List *storages);

/*
 * Measures and stores what the optimizer would otherwise guess of these storages, where
 * that takes little time. What cannot be measured is left as it is.
 */
extern void measure_small_storages(List *storages);

/*
 * Errors, as declare_storage without further, if the tensor has a storage,
 * before the relation of this one is there.
 */
extern void require_only_storage(const Storage *storage, Oid schema);

/* The call that drops a program, for hints: einsum_drop('p1', schema => 'ml'). */
extern char *drop_call(Oid schema, const char *program);

/* Removes a registration. Errors: 42704 if it does not exist. */
extern void retract_storage(Oid relid, const char *tensor);

/*
 * Removes all registrations that a tensor's name means, schema NULL being the
 * search path. False if not found. Errors: not the owner of one of them.
 */
extern bool retract_tensor(const char *schema, const char *tensor);

/*
 * Raises 42P01 for a relation that is not there: by the name that it had, or NULL, and
 * then by its OID.
 */
pg_noreturn extern void report_dropped_relation(Oid relid, const char *name);

/* Errors unless the relation is there and the current user owns it. */
extern void check_relation_owner(Oid relid);

/*
 * Two storages of one tensor agree in rank, bounds, fill and type. Returns
 * NULL, or what they differ in, as an error detail.
 */
extern char *storage_disagreement(const Storage *one, const Storage *other);

#endif
