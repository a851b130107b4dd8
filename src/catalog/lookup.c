/*-------------------------------------------------------------------------
 *
 * lookup.c
 *	  Finding tensors by name.
 *
 * Where a name may be registered comes from memory (registry.c); what a label
 * says, from pg_seclabel.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/sinval.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/citus.h"
#include "catalog/declare.h"
#include "catalog/dimension.h"
#include "catalog/first_owner.h"
#include "catalog/label.h"
#include "catalog/lookup.h"
#include "catalog/registration.h"
#include "catalog/registry.h"
#include "catalog/tensor_storage.h"
#include "compat.h"
#include "parser/near_names.h"

#define MAX_SIMILAR_NAMES 3
#define MAX_PROGRAMS 10

Storage *
registration_on(Oid relid, Oid schema, const char *name)
{
	if (get_rel_namespace(relid) != schema || is_citus_shard(relid))
		return NULL;
	return find_registration(relation_registrations(relid), name);
}

/*
 * Returns the registrations of a tensor in a schema, among relations whose labels may
 * name it.
 */
static List *
registrations_among(const List *relations, Oid schema, const char *name)
{
	List *storages = NIL;
	ListCell *cell;

	if (isOtherTempNamespace(schema))
		return NIL;
	foreach (cell, relations)
	{
		Storage *storage = registration_on(lfirst_oid(cell), schema, name);

		if (storage != NULL)
			storages = lappend(storages, storage);
	}
	return storages;
}

/*
 * Returns the first such registration, or NULL; labels of later relations are not read.
 */
static const Storage *
first_registration(const List *relations, Oid schema, const char *name)
{
	const Storage *storage = NULL;
	ListCell *cell;

	if (isOtherTempNamespace(schema))
		return NULL;
	foreach (cell, relations)
	{
		storage = registration_on(lfirst_oid(cell), schema, name);
		if (storage != NULL)
			break;
	}
	return storage;
}

List *
registrations_in_schema(Oid schema, const char *name)
{
	return registrations_among(registry_relations(REGISTRY_TENSOR, name), schema, name);
}

List *
storages_of_first_owner(List *storages, const char *name, bool warn)
{
	List *relations = NIL;
	List *result = NIL;
	ListCell *cell;

	foreach (cell, storages)
		relations = lappend_oid(relations, ((Storage *) lfirst(cell))->relid);
	relations =
		relations_of_owner(relations, first_owner(relations),
						   warn ? psprintf("a storage of tensor \"%s\"", name) : NULL);
	/* relations is a part of storages, in the same order */
	foreach (cell, storages)
	{
		int found = list_length(result);

		if (found < list_length(relations) &&
			list_nth_oid(relations, found) == ((Storage *) lfirst(cell))->relid)
			result = lappend(result, lfirst(cell));
	}
	return result;
}

/*
 * Resolves the storages against their relations; NULL if none of the relations exists any
 * more.
 */
static TensorEntry *
make_entry(Oid schema, const char *name, List *storages)
{
	TensorEntry *entry = palloc0(sizeof(TensorEntry));
	ListCell *cell;
	int i;

	entry->schema = schema;
	entry->name = pstrdup(name);
	foreach (cell, storages)
	{
		Storage *storage = (Storage *) lfirst(cell);
		Relation relation = try_relation_open(storage->relid, AccessShareLock);
		StorageProblem problem;
		char *difference;

		/* the relation was dropped after its label was read */
		if (relation == NULL)
			continue;
		if (!storage_resolve(storage, relation, &problem))
			report_problem(&problem);
		/* the lock keeps the columns until the transaction ends */
		relation_close(relation, NoLock);

		if (entry->storages != NIL && (difference = storage_disagreement(
										   storage, linitial(entry->storages))) != NULL)
			ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
							errmsg("the storages of tensor \"%s\" do not agree", name),
							errdetail_internal("%s", difference),
							errhint("Remove one registration with einsum_unregister.")));
		entry->storages = lappend(entry->storages, storage);
	}
	if (entry->storages != NIL)
	{
		Storage *first = (Storage *) linitial(entry->storages);

		entry->rank = first->rank;
		entry->type = first->element_type;
		entry->fill = first->fill;
		for (i = 0; i < first->rank; i++)
			entry->bounds[i] = first->dimensions[i].bound;
		return entry;
	}
	return NULL;
}

static bool
may_use_schema(Oid schema)
{
	return schema_aclcheck(schema, GetUserId(), ACL_USAGE) == ACLCHECK_OK;
}

/* Returns the schemas in which a name is searched, in order. */
static List *
schemas_of_name(const char *schema)
{
	Oid oid;

	if (schema == NULL)
		return fetch_search_path(true);
	oid = LookupExplicitNamespace(schema, true);
	return OidIsValid(oid) ? list_make1_oid(oid) : NIL;
}

/*
 * Finds the first registration of the tensor that a name means, and its schema; NULL if
 * there is no such tensor.
 */
static const Storage *
meant_registration(const char *schema, const char *name, Oid *found)
{
	List *path = schemas_of_name(schema);
	List *relations = registry_relations(REGISTRY_TENSOR, name);
	ListCell *cell;

	foreach (cell, path)
	{
		const Storage *storage = first_registration(relations, lfirst_oid(cell), name);

		*found = lfirst_oid(cell);
		if (storage != NULL)
			return storage;
	}
	*found = InvalidOid;
	return NULL;
}

Oid
schema_of_tensor(const char *schema, const char *name)
{
	Oid found;

	(void) meant_registration(schema, name, &found);
	return found;
}

/*
 * Finds the tensor that a name means now, and locks its relations; warn as in
 * storages_of_first_owner.
 */
static TensorEntry *
find_tensor(const char *schema, const char *name, bool warn)
{
	List *path = schemas_of_name(schema);
	List *relations = registry_relations(REGISTRY_TENSOR, name);
	ListCell *cell;

	foreach (cell, path)
	{
		List *storages = registrations_among(relations, lfirst_oid(cell), name);
		TensorEntry *entry;

		if (storages == NIL)
			continue;
		entry = make_entry(lfirst_oid(cell), name,
						   storages_of_first_owner(storages, name, warn));
		if (entry != NULL)
			return entry;
	}
	return NULL;
}

TensorEntry *
lookup_tensor(const char *schema, const char *name)
{
	TensorEntry *entry;
	uint64 messages;
	bool warn = true;

	/* while we waited for locks, labels may have changed */
	do
	{
		CHECK_FOR_INTERRUPTS();
		messages = SharedInvalidMessageCounter;
		entry = find_tensor(schema, name, warn);
		warn = false;
	} while (messages != SharedInvalidMessageCounter);
	return entry;
}

void
notice_namesakes(const char *name, Oid schema)
{
	List *others = NIL;
	const Storage *meant;
	Oid found;
	char *qualified = quote_qualified_identifier(get_namespace_name(schema), name);
	List *relations = registry_relations(REGISTRY_TENSOR, name);
	ListCell *cell;

	foreach (cell, relations)
	{
		Oid other = get_rel_namespace(lfirst_oid(cell));

		if (OidIsValid(other) && other != schema && !list_member_oid(others, other) &&
			may_use_schema(other) && first_registration(relations, other, name) != NULL)
			others = lappend_oid(others, other);
	}
	if (others == NIL)
		return;
	meant = meant_registration(NULL, name, &found);
	ereport(
		NOTICE,
		(errmsg("there is another tensor \"%s\" in schema \"%s\"", name,
				get_namespace_name(linitial_oid(others))),
		 meant
			 ? errdetail("In the current search_path the name without a schema means "
						 "that of relation %s.",
						 qualified_relation_name(meant->relid))
			 : errdetail(
				   "In the current search_path the name without a schema means neither."),
		 errhint("%s is the one registered now.", qualified)));
}

/* Returns names of tensors in these schemas that are similar to a name; may be NIL. */
static List *
similar_tensor_names(List *schemas, const char *name)
{
	NearNames names = {.name = name};
	ListCell *cell;

	if (schemas == NIL)
		return NIL;
	foreach (cell, scan_labels(schemas))
	{
		LabelledRelation *relation = (LabelledRelation *) lfirst(cell);
		ListCell *inner;

		foreach (inner, label_parse(relation->label, relation->relid))
			offer_name(&names, ((Storage *) lfirst(inner))->tensor);
	}
	return near_names(&names, MAX_SIMILAR_NAMES);
}

/*
 * Returns schemas outside the search path that have a tensor of that name and that the
 * user may use.
 */
static List *
other_schemas_with(const char *name)
{
	List *relations = registry_relations(REGISTRY_TENSOR, name);
	List *schemas = NIL;
	ListCell *cell;

	foreach (cell, relations)
	{
		Oid schema = get_rel_namespace(lfirst_oid(cell));

		if (OidIsValid(schema) && may_use_schema(schema) &&
			!list_member_oid(schemas, schema) &&
			first_registration(relations, schema, name) != NULL)
			schemas = lappend_oid(schemas, schema);
	}
	return schemas;
}

/* Does the label of a relation name the program by this name? */
static bool
is_of_program(Oid relid, const char *name)
{
	ListCell *cell;

	foreach (cell, relation_registrations(relid))
	{
		const Storage *storage = (const Storage *) lfirst(cell);

		if (storage->program != NULL && strcmp(storage->program, name) == 0)
			return true;
	}
	return false;
}

List *
relations_of_program(Oid schema, const char *program, bool warn)
{
	char *elsewhere = quote_qualified_identifier(get_namespace_name(schema), program);
	List *candidates = list_concat(registry_relations(REGISTRY_PROGRAM, program),
								   registry_relations(REGISTRY_PROGRAM, elsewhere));
	List *relations = NIL;
	ListCell *cell;

	list_sort(candidates, list_oid_cmp);
	list_deduplicate_oid(candidates);
	foreach (cell, candidates)
	{
		Oid relid = lfirst_oid(cell);
		Oid found = get_rel_namespace(relid);

		if (OidIsValid(found) && !isOtherTempNamespace(found) && !is_citus_shard(relid) &&
			is_of_program(relid, found == schema ? program : elsewhere))
			relations = lappend_oid(relations, relid);
	}
	return relations_of_owner(relations, first_owner(relations),
							  warn ? psprintf("part of program \"%s\"", program) : NULL);
}

/* Joins names of tensors with "or", each in quotes. */
static char *
list_of_names(List *names)
{
	StringInfoData list;
	ListCell *cell;

	initStringInfo(&list);
	foreach (cell, names)
		appendStringInfo(&list, "%s\"%s\"", list.len > 0 ? " or " : "",
						 (char *) lfirst(cell));
	return list.data;
}

char *
unknown_dimension_hint(Oid schema, const char *name)
{
	NearNames names = {.name = name};
	char *relation = get_rel_name(get_relname_relid(name, schema));
	const char *dot = strchr(name, '.');
	const char *nearest;
	ListCell *cell;

	foreach (cell, scan_labels(list_concat_unique_oid(list_make1_oid(schema),
													  fetch_search_path(true))))
	{
		LabelledRelation *labelled = (LabelledRelation *) lfirst(cell);
		ListCell *inner;

		foreach (inner, label_parse(labelled->label, labelled->relid))
		{
			if (is_dimension(lfirst(inner)))
				offer_name(&names, ((Storage *) lfirst(inner))->tensor);
		}
	}
	nearest = nearest_name(&names);
	if (nearest)
		return psprintf(_("Perhaps you meant \"%s\"."), nearest);
	/* a column is meant: person.name */
	if (dot && OidIsValid(get_relname_relid(pnstrdup(name, dot - name), schema)))
		return psprintf(_("A bound is the name of a dimension, not of a column: SELECT "
						  "einsum_dimension('%.*s', '%.*s', '%s'), and then '%.*s'."),
						(int) (dot - name), name, (int) (dot - name), name, dot + 1,
						(int) (dot - name), name);
	return psprintf(
		_("Declare a table to be a dimension, as in SELECT einsum_dimension("
		  "'%s', '%s', 'id'); einsum_dimensions lists what there is. A bound is "
		  "otherwise a number, or '*' for the keys that occur."),
		name, relation ? relation : "...");
}

char *
unknown_program_hint(Oid schema, const char *name)
{
	NearNames names = {.name = name};
	ListCell *cell;

	foreach (cell, scan_labels(list_make1_oid(schema)))
	{
		LabelledRelation *labelled = (LabelledRelation *) lfirst(cell);
		ListCell *inner;

		foreach (inner, label_parse(labelled->label, labelled->relid))
		{
			const Storage *storage = (const Storage *) lfirst(inner);

			if (storage->program && strcmp(storage->tensor, name) == 0)
				return psprintf(_("\"%s\" is a tensor of the program \"%s\"."), name,
								storage->program);
			if (storage->program)
				offer_name(&names, storage->program);
		}
	}
	if (first_registration(registry_relations(REGISTRY_TENSOR, name), schema, name))
		return psprintf(_("\"%s\" is a registered tensor, and no program: "
						  "einsum_unregister(%s) undoes its registration."),
						name, quote_literal_cstr(name));
	/* a qualified name, as ml.p1 */
	if (strchr(name, '.') &&
		OidIsValid(get_namespace_oid(pnstrdup(name, strchr(name, '.') - name), true)))
		return psprintf(_("The schema is an argument of its own: %s, schema => %s."),
						quote_literal_cstr(strchr(name, '.') + 1),
						quote_literal_cstr(pnstrdup(name, strchr(name, '.') - name)));
	if (names.offered == NIL)
		return pstrdup(
			_("The schema has no programs. Another one is named with schema => "
			  "...; einsum_tensors shows those there are."));
	return psprintf(_("Its programs are %s."), names_by_nearness(&names, MAX_PROGRAMS));
}

/* Returns a hint that names a tensor in another schema, and says how to read it. */
static char *
other_schema_hint(const char *name)
{
	List *schemas = other_schemas_with(name);
	char *schema;

	if (schemas == NIL)
		return NULL;
	schema = get_namespace_name(linitial_oid(schemas));
	return psprintf(
		_("There is %s, which is not in the search_path: write its schema, or "
		  "SET search_path = %s, ..."),
		quote_qualified_identifier(schema, name), quote_identifier(schema));
}

/* Returns a hint for a.b where a is not a schema but a table or a tensor. */
static char *
column_hint(const char *table, const char *column)
{
	if (get_namespace_oid(table, true) != InvalidOid)
		return NULL;
	if (!OidIsValid(RelnameGetRelid(table)) && !OidIsValid(schema_of_tensor(NULL, table)))
		return NULL;
	return psprintf(
		_("A name before a point is a schema, and \"%s\" is a table or tensor. "
		  "einsum_register says which column is the value of a tensor: "
		  "register \"%s\" under a name of its own."),
		table, column);
}

char *
similar_tensor_hint(const char *schema, const char *name)
{
	RangeVar *relation = makeRangeVar((char *) schema, (char *) name, -1);
	Oid relid = RangeVarGetRelid(relation, NoLock, true);
	List *names = NIL;
	char *hint;

	if (OidIsValid(relid))
	{
		ListCell *cell;

		foreach (cell, relation_registrations(relid))
			names = lappend(names, ((Storage *) lfirst(cell))->tensor);
		return names
				   ? psprintf(_("Relation \"%s\" holds tensor %s."), name,
							  list_of_names(names))
				   : psprintf(
						 _("Relation \"%s\" is not registered: say with einsum_register "
						   "which of its columns are keys and values."),
						 name);
	}
	hint = schema ? column_hint(schema, name) : NULL;
	if (hint == NULL)
		hint = other_schema_hint(name);
	if (hint)
		return hint;
	names = similar_tensor_names(
		schema ? schemas_of_name(schema) : fetch_search_path(true), name);
	return names ? psprintf(_("Perhaps you meant %s."), list_of_names(names)) : NULL;
}

char *
unknown_tensor_hint(const char *schema, const char *name)
{
	char *hint = similar_tensor_hint(schema, name);

	return hint ? hint
				: pstrdup(_("Declare a table to be a tensor with einsum_register; "
							"einsum_tensors lists what there is."));
}

void
notice_hidden_tensor(const char *schema, const char *name)
{
	Oid found = schema_of_tensor(NULL, name);
	ListCell *lc;

	/* a result of that schema takes the place of the stored tensor */
	if (schema && found == LookupExplicitNamespace(schema, true))
		return;
	foreach (lc, OidIsValid(found) ? registrations_in_schema(found, name) : NIL)
	{
		/* a tensor that an earlier program made may well come from this one */
		if (((const Storage *) lfirst(lc))->program != NULL)
			continue;
		ereport(NOTICE,
				(errmsg("statement \"%s\" hides the stored tensor of that name", name),
				 errdetail("The statements behind it read what it makes."),
				 errhint("To read the stored tensor, give the statement another name, or "
						 "write %s.",
						 quote_qualified_identifier(get_namespace_name(found), name))));
		return;
	}
}
