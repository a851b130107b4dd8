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
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "catalog/attempt.h"
#include "catalog/change_log.h"
#include "catalog/check_data.h"
#include "catalog/declare.h"
#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/locks.h"
#include "catalog/lookup.h"
#include "catalog/measure.h"
#include "catalog/registry.h"
#include "catalog/statistics_table.h"
#include "catalog/tensor_storage.h"
#include "compat.h"

void
report_dropped_relation(Oid relid, const char *name)
{
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
					name ? errmsg("relation \"%s\" does not exist", name)
						 : errmsg("relation with OID %u does not exist", relid),
					name ? errdetail("Another session has dropped it meanwhile.") : 0));
}

void
check_relation_owner(Oid relid)
{
	/* read once: another session may drop the relation between two looks at it */
	char *name = get_rel_name(relid);
	char kind = get_rel_relkind(relid);

	if (name == NULL)
		report_dropped_relation(relid, NULL);
	if (!owns_relation(relid))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(kind), name);
}

/* Opens a relation that can hold a tensor and whose label the user may change. */
static Relation
open_owned_relation(Oid relid)
{
	/* the same lock as SECURITY LABEL takes */
	Relation relation = try_relation_open(relid, ShareUpdateExclusiveLock);
	char kind;

	if (relation == NULL)
		report_dropped_relation(relid, NULL);
	kind = relation->rd_rel->relkind;
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
	int i;

	names[0] = get_rel_name(one->relid);
	names[1] = get_rel_name(other->relid);
	if (one->rank != other->rank)
		return psprintf("In relation \"%s\" it has rank %d, in \"%s\" %d.", names[0],
						one->rank, names[1], other->rank);
	/* the label has only names of dimensions: look them up, which changes nothing else */
	resolve_index_sets(unconstify(Storage *, one));
	resolve_index_sets(unconstify(Storage *, other));
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
	/* the element type is not known while registering, until values have been read */
	if (one->element_type != other->element_type && one->element_type != 0)
		return psprintf("In relation \"%s\" its element type is %s, in \"%s\" %s.",
						names[0], element_type_name(one->element_type), names[1],
						element_type_name(other->element_type));
	return NULL;
}

/*
 * Checks a storage against one of the tensor's other storages, which all agree, and takes
 * missing bounds from it.
 */
static void
agree_with(Storage *storage, const Storage *other)
{
	char *difference = storage_disagreement(storage, other);

	if (difference != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" cannot be a further storage of tensor \"%s\"",
						get_rel_name(storage->relid), storage->tensor),
				 errdetail_internal("%s", difference),
				 errhint("Use another name, or remove the other registration with "
						 "einsum_unregister.")));
	for (int i = 0; i < storage->rank; i++)
	{
		storage->dimensions[i].bound = other->dimensions[i].bound;
		storage->dimensions[i].index_set = other->dimensions[i].index_set;
	}
}

char *
drop_call(Oid schema, const char *program)
{
	List *path = fetch_search_path(false);
	bool is_first = path != NIL && linitial_oid(path) == schema;

	return psprintf("einsum_drop(%s%s%s)", quote_literal_cstr(program),
					is_first ? "" : ", schema => ",
					is_first ? "" : quote_literal_cstr(get_namespace_name(schema)));
}

/* The function that registers a tensor, which decides what hints suggest. */
typedef enum Registrar
{
	BY_REGISTER,
	BY_STORE,
	BY_DIMENSION,
	BY_PROGRAM,
} Registrar;

/*
 * Raises the error that the tensor has a storage already, which the call did not mention
 * and which may hold other entries.
 */
static void
already_registered(const char *tensor, const Storage *other, Registrar registrar)
{
	const char *further = registrar == BY_PROGRAM || registrar == BY_DIMENSION
							  ? ""
							  : " If the new relation holds the same entries once more, "
								"add it as a storage with storage => 'further'.";

	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_OBJECT),
			 errmsg("tensor \"%s\" is already registered on relation \"%s\"", tensor,
					get_rel_name(other->relid)),
			 other->program != NULL
				 ? errdetail("It is a result of program \"%s\".", other->program)
				 : 0,
			 other->program != NULL
				 ? errhint("Use another name, or drop the program with %s.%s",
						   drop_call(get_rel_namespace(other->relid), other->program),
						   further)
			 : registrar == BY_STORE
				 ? errhint("To give the tensor other entries, change the rows of that "
						   "relation; if einsum_store has made it, it may be dropped "
						   "first. Else use another name.%s",
						   further)
			 : registrar == BY_REGISTER
				 ? errhint("Use another name. With replace => true the tensor is on the "
						   "new relation instead.%s",
						   further)
			 : registrar == BY_DIMENSION
				 ? errhint("Use another name, or remove that registration with "
						   "einsum_unregister.%s",
						   further)
				 : errhint("Use another name. If no program reads that relation as "
						   "\"%s\", this one included, einsum_unregister may remove the "
						   "registration.%s",
						   tensor, further)));
}

/*
 * Returns the tensor's registrations on other relations of this owner (with take all of
 * them, else the first), after a warning of those of other owners. If the owner has none
 * of them (is_new: nor one on this relation), the name belongs to the other owners in
 * this schema: that is an error, unless take says to take it over; then theirs are
 * returned. Only labels that may matter are read.
 */
static List *
other_storages(const Storage *storage, Oid schema, Oid owner, bool is_new, bool take)
{
	List *own = NIL;
	List *foreign = NIL;
	ListCell *cell;

	foreach (cell, registry_relations(REGISTRY_TENSOR, storage->tensor))
	{
		Oid relid = lfirst_oid(cell);
		Oid other_owner = relation_owner(relid);
		Storage *other;

		if (relid == storage->relid || !OidIsValid(other_owner) ||
			(other_owner == owner && own != NIL && !take))
			continue;
		other = registration_on(relid, schema, storage->tensor);
		if (other != NULL && other_owner == owner)
			own = lappend(own, other);
		else if (other != NULL)
			foreign = lappend(foreign, other);
	}
	if (is_new && own == NIL && take)
		return foreign;
	foreach (cell, foreign)
	{
		Storage *other = (Storage *) lfirst(cell);
		char *relation = get_rel_name(other->relid);
		char *other_owner = GetUserNameFromId(relation_owner(other->relid), true);

		if (is_new && own == NIL)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_OBJECT),
					 errmsg("tensor \"%s\" is already registered on relation \"%s\"",
							storage->tensor, relation),
					 errdetail("The relation is owned by %s; the storages of a tensor "
							   "have one owner.",
							   other_owner),
					 errhint("Use another name, or another schema.")));
		ereport(WARNING,
				(errmsg("tensor \"%s\" is also registered on relation \"%s\"",
						storage->tensor, relation),
				 errdetail("The relation is owned by %s; the storages of a tensor have "
						   "one owner, so that it is left out.",
						   other_owner)));
	}
	return own;
}

/*
 * Returns the list with this registration in place of an earlier one of the tensor, or at
 * its end.
 */
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

static void
measure_if_small(void *argument)
{
	StorageStatistics *measured = argument;
	TensorStatistics *statistics = new_statistics(measured->storage->rank);

	if (!measure_small_table(unconstify(Storage *, measured->storage), statistics))
		return;
	measured->rows = statistics->rows;
	measured->statistics = statistics;
}

static void
write_measured(void *measured)
{
	write_statistics(measured);
}

void
measure_small_storages(List *storages)
{
	List *measured = NIL;
	ListCell *cell;

	foreach (cell, storages)
	{
		StorageStatistics *one = palloc0(sizeof(StorageStatistics));

		CHECK_FOR_INTERRUPTS();
		one->storage = lfirst(cell);
		(void) attempt(measure_if_small, one);
		if (one->statistics)
			measured = lappend(measured, one);
	}
	(void) attempt(write_measured, measured);
}

/* Removes a registration from a relation that open_owned_relation has opened. */
static void
remove_registration(Relation relation, const char *tensor)
{
	Oid relid = RelationGetRelid(relation);
	List *registered = relation_registrations(relid);
	Storage *storage = find_registration(registered, tensor);

	if (storage == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("relation \"%s\" is not registered as tensor \"%s\"",
							   RelationGetRelationName(relation), tensor)));
	set_relation_registrations(relid, list_delete_ptr(registered, storage));
}

/* Raises an error unless the tensor may be removed from the other relations. */
static void
check_movable(const char *tensor, const List *others)
{
	ListCell *cell;

	foreach (cell, others)
	{
		const Storage *other = (const Storage *) lfirst(cell);

		check_relation_owner(other->relid);
		if (other->program != NULL)
			already_registered(tensor, other, BY_REGISTER);
	}
}

/*
 * Removes the tensor's registration from other relations, because it has moved to
 * another.
 */
static void
move_from_others(const char *tensor, const List *others)
{
	ListCell *cell;

	foreach (cell, others)
	{
		Relation relation = open_owned_relation(((Storage *) lfirst(cell))->relid);

		remove_registration(relation, tensor);
		ereport(NOTICE,
				(errmsg("tensor \"%s\" is no longer registered on relation \"%s\"",
						tensor, RelationGetRelationName(relation))));
		relation_close(relation, NoLock);
	}
}

void
require_only_storage(const Storage *storage, Oid schema)
{
	List *others = other_storages(storage, schema, GetUserId(), true, false);

	if (others != NIL)
		already_registered(storage->tensor, (Storage *) linitial(others), BY_STORE);
}

/* Will the tensor's registration move to this relation from others? */
static bool
is_moved(const Storage *storage, bool further, bool replace)
{
	return replace && !further &&
		   find_registration(relation_registrations(storage->relid), storage->tensor) ==
			   NULL;
}

/*
 * Keeps other sessions from registering a storage of the tensor until the transaction
 * ends: two sessions would not see that their relations disagree. Locks also the
 * relations from which a tensor's registration moves.
 */
static void
lock_tensor(const Storage *storage, bool further, bool replace)
{
	char *name = get_rel_name(storage->relid);
	Locks held = {NIL};
	Locks wanted;

	do
	{
		Oid schema = get_rel_namespace(storage->relid);
		List *relations = list_make1_oid(storage->relid);
		List *others;
		ListCell *cell;

		if (!OidIsValid(schema))
			report_dropped_relation(storage->relid, name);
		others = is_moved(storage, further, replace)
					 ? registrations_in_schema(schema, storage->tensor)
					 : NIL;
		foreach (cell, others)
			relations = lappend_oid(relations, ((Storage *) lfirst(cell))->relid);
		wanted = (Locks){NIL};
		add_tensor_lock(&wanted, schema, storage->tensor, relations);
		add_tensor_locks_of(&wanted, relations);
		add_relation_locks(&wanted, relations, ShareUpdateExclusiveLock);
	} while (!take_locks(&wanted, &held));
}

/* Returns the column of the first key, or NULL. */
static const char *
first_key(const Storage *storage)
{
	for (int i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].column)
			return storage->dimensions[i].column;
	}
	return NULL;
}

/* Does the storage have the key columns of another one in another order? */
static bool
has_other_order(const Storage *storage, const Storage *other)
{
	bool same_order = true;

	if (storage->rank != other->rank)
		return false;
	for (int i = 0; i < storage->rank; i++)
	{
		const char *column = storage->dimensions[i].column;
		bool found = column == NULL;

		for (int j = 0; j < other->rank && !found; j++)
			found = other->dimensions[j].column &&
					strcmp(column, other->dimensions[j].column) == 0;
		if (!found)
			return false;
		same_order = same_order && other->dimensions[i].column != NULL &&
					 (column == NULL || strcmp(column, other->dimensions[i].column) == 0);
	}
	return !same_order && first_key(storage) != NULL && first_key(other) != NULL &&
		   strcmp(first_key(storage), first_key(other)) != 0;
}

void
declare_storage(Storage *storage, bool further, bool replace)
{
	Relation relation;
	List *registered;
	List *others;
	List *moved = NIL;
	const Storage *known;
	bool is_new;
	bool transposed;
	Oid schema;
	StorageProblem problem;

	PreventCommandIfReadOnly("einsum_register()");
	check_relation_owner(storage->relid);
	lock_tensor(storage, further, replace);
	relation = open_owned_relation(storage->relid);
	schema = RelationGetNamespace(relation);
	registered = relation_registrations(storage->relid);
	known = find_registration(registered, storage->tensor);
	is_new = known == NULL;
	transposed = known && has_other_order(storage, known);
	if (!replace && !is_new)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("relation \"%s\" is already registered as tensor \"%s\"",
						RelationGetRelationName(relation), storage->tensor),
				 is_dimension(storage)
					 ? errhint("To declare it anew, remove it with einsum_unregister "
							   "first.")
				 : transposed
					 ? errhint("The order of labels counts: replace => true would "
							   "transpose \"%s\" for all programs. The transpose of a "
							   "tensor is read as a[j,i], with no registration of its "
							   "own.",
							   storage->tensor)
					 : errhint("Use replace => true to register it anew.")));
	if (transposed)
		ereport(NOTICE,
				(errmsg("tensor \"%s\" is transposed: its first key is column \"%s\", "
						"and was \"%s\"",
						storage->tensor, first_key(storage), first_key(known)),
				 errhint("The transpose of a tensor is read as a[j,i], with no "
						 "registration of its own.")));
	others = other_storages(storage, schema, relation->rd_rel->relowner, is_new,
							is_new && replace && !further);
	/* a relation that is a storage already stays one beside the others */
	if (is_new && !further)
	{
		if (others != NIL && !replace)
			already_registered(storage->tensor, (Storage *) linitial(others),
							   is_dimension(storage) ? BY_DIMENSION : BY_REGISTER);
		check_movable(storage->tensor, others);
		moved = others;
		others = NIL;
	}
	qualify_index_sets(storage, schema);
	if (others != NIL)
		agree_with(storage, linitial(others));
	if (is_dimension(storage) && others != NIL)
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("dimension \"%s\" has a table already", storage->tensor),
						errdetail("Its keys are those of relation \"%s\".",
								  get_rel_name(((Storage *) linitial(others))->relid)),
						errhint("A dimension has one table.")));
	if (!storage_resolve(storage, relation, &problem))
		report_problem(&problem);
	check_storage_data(storage, relation);
	check_positions(storage, relation);
	check_values_by_position(storage, relation);
	/* compares the declarations again, now that the element type is known */
	if (others != NIL)
		agree_with(storage, linitial(others));
	set_relation_registrations(storage->relid, with_registration(registered, storage));
	move_from_others(storage->tensor, moved);
	relation_close(relation, NoLock);
	extend_change_log(storage->relid);
	measure_small_storages(list_make1(storage));
	if (is_new && others == NIL && moved == NIL)
		notice_namesakes(storage->tensor, schema);
}

void
redeclare_storages(List *storages)
{
	ListCell *cell;

	foreach (cell, storages)
	{
		Storage *storage = (Storage *) lfirst(cell);
		Relation relation = open_owned_relation(storage->relid);
		StorageProblem problem;
		char *difference;

		CHECK_FOR_INTERRUPTS();
		qualify_index_sets(storage, RelationGetNamespace(relation));
		storage->element_type = 0;
		if (!storage_resolve(storage, relation, &problem))
			report_problem(&problem);
		check_storage_data(storage, relation);
		check_values_by_position(storage, relation);
		difference = storage_disagreement(storage, linitial(storages));
		if (difference != NULL)
			ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
							errmsg("the storages of tensor \"%s\" do not agree",
								   storage->tensor),
							errdetail_internal("%s", difference)));
		relation_close(relation, NoLock);
	}
	foreach (cell, storages)
	{
		Storage *storage = (Storage *) lfirst(cell);

		set_relation_registrations(
			storage->relid,
			with_registration(relation_registrations(storage->relid), storage));
	}
}

void
set_registration(Oid relid, Storage *storage)
{
	Relation relation = open_owned_relation(relid);
	Oid schema = RelationGetNamespace(relation);
	List *registered;
	List *others;
	bool is_new;

	for (int i = 0; i < storage->rank; i++)
	{
		StorageDimension *dimension = &storage->dimensions[i];

		if (bound_is_dimension(dimension->bound))
			dimension->index_set = index_set_name(dimension->bound, schema);
	}
	registered = relation_registrations(relid);
	is_new = find_registration(registered, storage->tensor) == NULL;
	others = other_storages(storage, schema, relation->rd_rel->relowner, is_new, false);
	if (is_new && others != NIL)
		already_registered(storage->tensor, (Storage *) linitial(others), BY_PROGRAM);
	set_relation_registrations(relid, with_registration(registered, storage));
	relation_close(relation, NoLock);
}

/*
 * Locks relations whose registrations change. False if it had to wait or lock anew: then
 * the caller must look at the registrations again.
 */
static bool
lock_registered(const List *relations, Locks *held)
{
	Locks wanted = {NIL};

	add_tensor_locks_of(&wanted, relations);
	add_relation_locks(&wanted, relations, ShareUpdateExclusiveLock);
	return take_locks(&wanted, held);
}

void
retract_storage(Oid relid, const char *tensor)
{
	Relation relation;
	Locks held = {NIL};

	PreventCommandIfReadOnly("einsum_unregister()");
	check_relation_owner(relid);
	while (!lock_registered(list_make1_oid(relid), &held))
		;
	relation = open_owned_relation(relid);
	remove_registration(relation, tensor);
	relation_close(relation, NoLock);
}

bool
retract_tensor(const char *schema, const char *tensor)
{
	List *storages;
	List *relations;
	ListCell *cell;
	Locks held = {NIL};

	PreventCommandIfReadOnly("einsum_unregister()");
	/* waits for a storage that is being added; meanwhile others may disappear */
	do
	{
		Oid found = schema_of_tensor(schema, tensor);

		if (!OidIsValid(found))
			return false;
		storages = storages_of_first_owner(registrations_in_schema(found, tensor), tensor,
										   held.locks == NIL);
		relations = NIL;
		foreach (cell, storages)
		{
			Oid relid = ((Storage *) lfirst(cell))->relid;

			/* what another session has just dropped is no longer of the tensor */
			if (!OidIsValid(relation_owner(relid)))
				continue;
			check_relation_owner(relid);
			relations = lappend_oid(relations, relid);
		}
	} while (!lock_registered(relations, &held));
	foreach (cell, relations)
	{
		Relation relation = open_owned_relation(lfirst_oid(cell));

		remove_registration(relation, tensor);
		relation_close(relation, NoLock);
	}
	return relations != NIL;
}
