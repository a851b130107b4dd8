/*-------------------------------------------------------------------------
 *
 * declare.c
 *	  Registering a relation as a tensor, and undoing it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "catalog/attempt.h"
#include "catalog/check_data.h"
#include "catalog/declare.h"
#include "catalog/label.h"
#include "catalog/measure.h"
#include "catalog/statistics_table.h"
#include "catalog/tensor_storage.h"
#include "compat.h"

void
check_relation_owner(Oid relid)
{
	if (!relation_ownercheck(relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relid)),
					   get_rel_name(relid));
}

/* Opens a relation that can hold a tensor and whose label may be changed. */
static Relation
open_owned_relation(Oid relid)
{
	/* the lock that SECURITY LABEL takes */
	Relation relation = relation_open(relid, ShareUpdateExclusiveLock);
	char kind = relation->rd_rel->relkind;

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE &&
		kind != RELKIND_FOREIGN_TABLE && kind != RELKIND_VIEW && kind != RELKIND_MATVIEW)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not a table or view",
							   RelationGetRelationName(relation))));
	check_relation_owner(relid);
	if (IsCatalogRelation(relation) && !allowSystemTableMods)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("permission denied: \"%s\" is a system catalog",
							   RelationGetRelationName(relation)),
						errhint("A view of it can be registered.")));
	return relation;
}

char *
storage_disagreement(const Storage *one, const Storage *other)
{
	char *names[2];
	Oid owners[2];
	int i;

	names[0] = get_rel_name(one->relid);
	names[1] = get_rel_name(other->relid);
	if (one->rank != other->rank)
		return psprintf("In relation \"%s\" it has rank %d, in \"%s\" %d.", names[0],
						one->rank, names[1], other->rank);
	for (i = 0; i < one->rank; i++)
	{
		int64 bound = one->dimensions[i].bound;

		if (bound != BOUND_UNKNOWN && bound != other->dimensions[i].bound)
			return psprintf(
				"In relation \"%s\" label \"%s\" has the bound %s, in \"%s\" label "
				"\"%s\" has %s.",
				names[0], one->dimensions[i].label, bound_to_string(bound), names[1],
				other->dimensions[i].label, bound_to_string(other->dimensions[i].bound));
	}
	if (one->fill != other->fill &&
		!(isnan(creal(one->fill)) && isnan(creal(other->fill))))
		return psprintf("In relation \"%s\" its fill is %s, in \"%s\" %s.", names[0],
						number_to_string(one->fill), names[1],
						number_to_string(other->fill));
	/* while registering, before the values have been read, it is not known */
	if (one->element_type != other->element_type && one->element_type != 0)
		return psprintf("In relation \"%s\" its element type is %s, in \"%s\" %s.",
						names[0], element_type_name(one->element_type), names[1],
						element_type_name(other->element_type));
	owners[0] = relation_owner(one->relid);
	owners[1] = relation_owner(other->relid);
	if (owners[0] != owners[1] && OidIsValid(owners[0]) && OidIsValid(owners[1]))
		return psprintf("Relation \"%s\" is owned by %s, \"%s\" by %s.", names[0],
						GetUserNameFromId(owners[0], true), names[1],
						GetUserNameFromId(owners[1], true));
	return NULL;
}

/*
 * Checks a new storage against the tensor's storages in other relations, and
 * takes the bounds it was not given from them.
 */
static void
agree_with_others(Storage *storage, Oid schema)
{
	ListCell *cell;

	foreach (cell, scan_labels(list_make1_oid(schema)))
	{
		LabelledRelation *relation = (LabelledRelation *) lfirst(cell);
		Storage *other;
		char *difference;
		int i;

		if (relation->relid == storage->relid)
			continue;
		other = find_registration(label_parse(relation->label, relation->relid),
								  storage->tensor);
		if (other == NULL)
			continue;
		difference = storage_disagreement(storage, other);
		if (difference != NULL)
			ereport(
				ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" cannot be a further storage of tensor \"%s\"",
						get_rel_name(storage->relid), storage->tensor),
				 errdetail_internal("%s", difference),
				 errhint("Use another name, or remove the other registration with "
						 "einsum_unregister.")));
		for (i = 0; i < storage->rank; i++)
			storage->dimensions[i].bound = other->dimensions[i].bound;
	}
}

/* The list with this registration in the place of an earlier one, or last. */
static List *
with_registration(List *storages, const Storage *storage)
{
	ListCell *cell;

	foreach (cell, storages)
	{
		if (strcmp(((Storage *) lfirst(cell))->tensor, storage->tensor) == 0)
		{
			lfirst(cell) = unconstify(Storage *, storage);
			return storages;
		}
	}
	return lappend(storages, unconstify(Storage *, storage));
}

/*
 * Until the end of the transaction nobody else registers a storage of this
 * tensor: two sessions with a relation each would not see that they disagree.
 * The lock is on a part of the schema that has no other use.
 */
static void
lock_tensor(const char *tensor, Oid schema)
{
	uint32 hash =
		DatumGetUInt32(hash_any((const unsigned char *) tensor, strlen(tensor)));

	LockDatabaseObject(NamespaceRelationId, schema, (uint16) (hash | 1),
					   AccessExclusiveLock);
}

/* What the optimizer would otherwise guess is known where that costs little. */
static void
measure_if_small(void *storage)
{
	TensorStatistics *statistics = palloc(sizeof(TensorStatistics));

	if (measure_small_table(storage, statistics))
		write_statistics(storage, statistics);
}

void
declare_storage(Storage *storage, bool replace)
{
	Relation relation;
	List *registered;
	StorageProblem problem;

	PreventCommandIfReadOnly("einsum_register()");
	relation = open_owned_relation(storage->relid);
	registered = relation_registrations(storage->relid);
	if (!replace && find_registration(registered, storage->tensor) != NULL)
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("relation \"%s\" is already registered as tensor \"%s\"",
							   RelationGetRelationName(relation), storage->tensor),
						errhint("Use replace => true to register it anew.")));
	lock_tensor(storage->tensor, RelationGetNamespace(relation));
	agree_with_others(storage, RelationGetNamespace(relation));
	if (!storage_resolve(storage, relation, &problem))
		report_problem(&problem);
	check_storage_data(storage, relation);
	/* what is known only now: the element type */
	agree_with_others(storage, RelationGetNamespace(relation));
	set_relation_registrations(storage->relid, with_registration(registered, storage));
	relation_close(relation, NoLock);
	(void) attempt(measure_if_small, storage);
}

void
set_registration(Oid relid, const Storage *storage)
{
	Relation relation = open_owned_relation(relid);

	set_relation_registrations(relid,
							   with_registration(relation_registrations(relid), storage));
	relation_close(relation, NoLock);
}

void
retract_storage(Oid relid, const char *tensor)
{
	Relation relation;
	List *registered;
	Storage *storage;

	PreventCommandIfReadOnly("einsum_unregister()");
	relation = open_owned_relation(relid);
	registered = relation_registrations(relid);
	storage = find_registration(registered, tensor);
	if (storage == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("relation \"%s\" is not registered as tensor \"%s\"",
							   RelationGetRelationName(relation), tensor)));
	set_relation_registrations(relid, list_delete_ptr(registered, storage));
	relation_close(relation, NoLock);
}
