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
 * Registers storage->relid as a storage of storage->tensor, after checking the owner,
 * columns, constraints, every row, and the tensor's other storages. Bounds that are
 * BOUND_UNKNOWN are taken from the other storages, else from the data.
 *
 * If the relation is registered as this tensor already, replace changes the registration;
 * without replace that is an error. If only other relations are registered as this
 * tensor, further adds a storage; without further, replace moves the registration here
 * from the others, and without both it is an error.
 */
extern void declare_storage(Storage *storage, bool further, bool replace);

/*
 * Registers all storages of a tensor again with changed bounds, after the same checks.
 * The caller has locked the tensor's name and the relations, and measures them
 * afterwards.
 */
extern void redeclare_storages(List *storages);

/*
 * Measures these storages and stores their statistics, if that takes little time, so that
 * the optimizer need not guess. A storage that cannot be measured is left as it is.
 */
extern void measure_small_storages(List *storages);

/*
 * Raises the error of declare_storage without further if the tensor has a storage
 * already; to be called before the relation of the new one is created.
 */
extern void require_only_storage(const Storage *storage, Oid schema);

/* Returns the call that drops a program, for hints: einsum_drop('p1', schema => 'ml'). */
extern char *drop_call(Oid schema, const char *program);

/* Removes a registration. Errors: 42704 if it does not exist. */
extern void retract_storage(Oid relid, const char *tensor);

/*
 * Removes all registrations that a tensor's name means; schema NULL means the search
 * path. False if there is no such tensor. Errors: the user does not own one of the
 * relations.
 */
extern bool retract_tensor(const char *schema, const char *tensor);

/*
 * Raises 42P01 for a relation that has been dropped, with its former name, or, if that is
 * NULL, its OID.
 */
pg_noreturn extern void report_dropped_relation(Oid relid, const char *name);

/* Raises an error unless the relation exists and the current user owns it. */
extern void check_relation_owner(Oid relid);

/*
 * Compares two storages of one tensor, which must agree in rank, bounds, fill and type.
 * Returns NULL, or the difference as an error detail.
 */
extern char *storage_disagreement(const Storage *one, const Storage *other);

#endif
