/*-------------------------------------------------------------------------
 *
 * lookup.c
 *	  Finding tensors by name.
 *
 * Nothing is cached: one scan of pg_seclabel per look-up costs little beside
 * planning a program, and always sees what other sessions committed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/varlena.h"

#include "catalog/declare.h"
#include "catalog/label.h"
#include "catalog/registration.h"
#include "catalog/tensor_storage.h"

#define MAX_SIMILAR_NAMES 3

/* The storages of a tensor in one schema, not yet resolved. */
static List *
storages_in_schema(List *labels, Oid schema, const char *name)
{
	List *storages = NIL;
	ListCell *cell;

	foreach (cell, labels)
	{
		LabelledRelation *relation = (LabelledRelation *) lfirst(cell);
		Storage *storage;

		if (relation->schema != schema)
			continue;
		storage = find_registration(label_parse(relation->label, relation->relid), name);
		if (storage != NULL)
			storages = lappend(storages, storage);
	}
	return storages;
}

/* Resolves the storages against their relations; NULL if all are gone. */
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

		/* dropped since we read its label */
		if (relation == NULL)
			continue;
		if (!storage_resolve(storage, relation, &problem))
			report_problem(&problem);
		/* the columns we found stay until the transaction ends */
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

TensorEntry *
lookup_tensor(const char *schema, const char *name)
{
	List *path;
	List *labels;
	ListCell *cell;

	if (schema != NULL)
	{
		Oid oid = LookupExplicitNamespace(schema, true);

		if (!OidIsValid(oid))
			return NULL;
		path = list_make1_oid(oid);
	}
	else
		path = fetch_search_path(true);
	if (path == NIL)
		return NULL;

	labels = scan_labels(path);
	foreach (cell, path)
	{
		List *storages = storages_in_schema(labels, lfirst_oid(cell), name);
		TensorEntry *entry;

		if (storages == NIL)
			continue;
		entry = make_entry(lfirst_oid(cell), name, storages);
		if (entry != NULL)
			return entry;
	}
	return NULL;
}

typedef struct SimilarName
{
	char *name;
	int distance;
} SimilarName;

static int
compare_similar(const ListCell *a, const ListCell *b)
{
	const SimilarName *left = (const SimilarName *) lfirst(a);
	const SimilarName *right = (const SimilarName *) lfirst(b);

	if (left->distance != right->distance)
		return left->distance < right->distance ? -1 : 1;
	return strcmp(left->name, right->name);
}

List *
similar_tensor_names(const char *name)
{
	List *path = fetch_search_path(true);
	List *found = NIL;
	List *names = NIL;
	int length = strlen(name);
	int limit = Max(1, length / 3);
	ListCell *cell;

	if (path == NIL)
		return NIL;
	foreach (cell, scan_labels(path))
	{
		LabelledRelation *relation = (LabelledRelation *) lfirst(cell);
		ListCell *inner;

		foreach (inner, label_parse(relation->label, relation->relid))
		{
			char *other = ((Storage *) lfirst(inner))->tensor;
			SimilarName *similar;
			int distance;

			/* names in labels set by hand may be longer than the function takes */
			if (length > NAMEDATALEN || strlen(other) > NAMEDATALEN)
				continue;
			distance = varstr_levenshtein_less_equal(name, length, other, strlen(other),
													 1, 1, 1, limit, true);
			/* of names of one letter each is near to all */
			if (distance > limit || (distance >= Max(length, (int) strlen(other)) &&
									 pg_strcasecmp(name, other) != 0))
				continue;
			similar = palloc(sizeof(SimilarName));
			similar->name = other;
			similar->distance = distance;
			found = lappend(found, similar);
		}
	}
	list_sort(found, compare_similar);
	foreach (cell, found)
	{
		char *other = ((SimilarName *) lfirst(cell))->name;

		if (list_length(names) == MAX_SIMILAR_NAMES)
			break;
		if (names == NIL || strcmp(llast(names), other) != 0)
			names = lappend(names, other);
	}
	return names;
}

List *
relations_of_program(Oid schema, const char *program)
{
	List *relations = NIL;
	char *elsewhere = quote_qualified_identifier(get_namespace_name(schema), program);
	ListCell *cell;

	foreach (cell, scan_labels(NIL))
	{
		LabelledRelation *relation = (LabelledRelation *) lfirst(cell);
		const char *name = relation->schema == schema ? program : elsewhere;
		ListCell *inner;

		foreach (inner, label_parse(relation->label, relation->relid))
		{
			Storage *storage = (Storage *) lfirst(inner);

			if (storage->program != NULL && strcmp(storage->program, name) == 0)
			{
				relations = lappend_oid(relations, relation->relid);
				break;
			}
		}
	}
	return relations;
}
