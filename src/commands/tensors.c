/*-------------------------------------------------------------------------
 *
 * tensors.c
 *	  The rows of the view einsum_tensors: every registration there is, and
 *	  whether it still fits its relation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/declare.h"
#include "catalog/first_owner.h"
#include "catalog/label.h"
#include "catalog/statistics_table.h"
#include "catalog/tensor_storage.h"
#include "compat.h"

enum
{
	COLUMN_TENSOR,
	COLUMN_SCHEMA,
	COLUMN_RELATION,
	COLUMN_NOTATION,
	COLUMN_KEYS,
	COLUMN_VALUE,
	COLUMN_BOUNDS,
	COLUMN_TYPE,
	COLUMN_FILL,
	COLUMN_DUPLICATES,
	COLUMN_PROGRAM,
	COLUMN_ROWS,
	COLUMN_ANALYZED,
	COLUMN_STATUS,
	COLUMN_POSITION,
	COLUMNS
};

/*
 * A registration of a tensor on a relation, or the reason why the relation's security
 * label cannot be read.
 */
typedef struct NamedStorage
{
	Oid schema;
	const char *tensor; /* "" if the label cannot be read */
	Oid relid;
	char *problem;   /* or NULL */
	List *relations; /* OIDs of the relations of all storages of the tensor */
} NamedStorage;

/*
 * Returns "ok", or what is wrong with a storage, by itself or compared with the other
 * storages of its tensor, which are on these relations.
 */
static char *
storage_status(Storage *storage, Relation relation, List *others, List *relations)
{
	StorageProblem problem;
	Oid owner;
	ListCell *cell;

	if (!storage_resolve(storage, relation, &problem))
		return problem.message;
	if (storage->query != NULL && !OidIsValid(storage_filling_view(storage)))
		return psprintf("the view that the table is filled from, \"%s\", does not exist "
						"or has another owner",
						storage->query);
	owner = first_owner(relations);
	if (OidIsValid(owner) && owner != relation->rd_rel->relowner)
		return psprintf("left out: owned by %s, not by %s as the others are",
						GetUserNameFromId(relation->rd_rel->relowner, true),
						GetUserNameFromId(owner, true));
	foreach (cell, others)
	{
		Storage *other = (Storage *) lfirst(cell);
		char *difference;

		if (other->relid == storage->relid || relation_owner(other->relid) != owner)
			continue;
		difference = storage_disagreement(storage, other);
		if (difference != NULL)
			return psprintf("the storages do not agree: %s", difference);
	}
	return pstrdup("ok");
}

static Datum
name_datum(const char *name)
{
	Name result = palloc0(NAMEDATALEN);

	namestrcpy(result, name);
	return NameGetDatum(result);
}

/* Shortens a list of columns to the length of a name; einsum_names shows all of them. */
static char *
abbreviated(const char *value)
{
	static const char rest[] = ",...}";
	int length = (int) strlen(value);

	if (length < NAMEDATALEN)
		return pstrdup(value);
	length = pg_mbcliplen(value, length, NAMEDATALEN - (int) sizeof(rest));
	while (length > 1 && value[length] != ',')
		length--;
	return psprintf("%.*s%s", length, value, length > 1 ? rest : "...}");
}

static void
put_relation(ReturnSetInfo *result, Relation relation, Datum *values, bool *nulls)
{
	values[COLUMN_SCHEMA] =
		name_datum(get_namespace_name(RelationGetNamespace(relation)));
	values[COLUMN_RELATION] = ObjectIdGetDatum(RelationGetRelid(relation));
	values[COLUMN_ROWS] = Float8GetDatum(relation->rd_rel->reltuples);
	/* views have no rows of their own, and a new table has not been counted */
	nulls[COLUMN_ROWS] =
		relation->rd_rel->reltuples < 0 || relation->rd_rel->relkind == RELKIND_VIEW;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
put_storage(ReturnSetInfo *result, Storage *storage, Relation relation, List *others,
			List *relations)
{
	TensorStatistics *statistics = new_statistics(storage->rank);
	Datum values[COLUMNS] = {0};
	bool nulls[COLUMNS] = {false};
	Datum keys[TENSOR_MAX_RANK];
	Datum bounds[TENSOR_MAX_RANK];
	int nkeys = 0;
	int i;

	for (i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];

		bounds[i] =
			CStringGetTextDatum(dimension->index_set ? dimension->index_set
													 : bound_to_string(dimension->bound));
		if (dimension->kind != DIMENSION_DEMOTED)
			keys[nkeys++] = name_datum(dimension->column);
	}
	values[COLUMN_TENSOR] = CStringGetTextDatum(storage->tensor);
	values[COLUMN_NOTATION] = CStringGetTextDatum(storage_notation(storage));
	values[COLUMN_KEYS] = PointerGetDatum(
		construct_array(keys, nkeys, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
	nulls[COLUMN_VALUE] = storage->value_column == NULL;
	if (storage->value_column != NULL)
		values[COLUMN_VALUE] = name_datum(abbreviated(storage->value_column));
	values[COLUMN_BOUNDS] = PointerGetDatum(
		construct_array(bounds, storage->rank, TEXTOID, -1, false, TYPALIGN_INT));
	values[COLUMN_TYPE] = CStringGetTextDatum(element_type_name(storage->element_type));
	/* the column fill is float8 and cannot show a complex number */
	nulls[COLUMN_FILL] = cimag(storage->fill) != 0.0;
	values[COLUMN_FILL] = Float8GetDatum(creal(storage->fill));
	values[COLUMN_DUPLICATES] =
		CStringGetTextDatum(duplicate_policy_name(storage->duplicates));
	nulls[COLUMN_PROGRAM] = storage->program == NULL;
	if (storage->program != NULL)
		values[COLUMN_PROGRAM] = CStringGetTextDatum(storage->program);
	values[COLUMN_ANALYZED] = BoolGetDatum(read_statistics(storage, statistics));
	values[COLUMN_STATUS] =
		CStringGetTextDatum(storage_status(storage, relation, others, relations));
	nulls[COLUMN_POSITION] = storage->position == NULL;
	if (storage->position != NULL)
		values[COLUMN_POSITION] = name_datum(storage->position);
	put_relation(result, relation, values, nulls);
}

/*
 * Puts the row of a label that cannot be read into the result: its relation and the
 * problem.
 */
static void
put_malformed(ReturnSetInfo *result, Relation relation, const char *message)
{
	Datum values[COLUMNS] = {0};
	bool nulls[COLUMNS];

	memset(nulls, true, sizeof(nulls));
	nulls[COLUMN_SCHEMA] = nulls[COLUMN_RELATION] = nulls[COLUMN_STATUS] = false;
	values[COLUMN_STATUS] = CStringGetTextDatum(message);
	put_relation(result, relation, values, nulls);
}

static int
compare_named(const ListCell *a, const ListCell *b)
{
	const NamedStorage *left = lfirst(a);
	const NamedStorage *right = lfirst(b);

	if (left->schema != right->schema)
		return left->schema < right->schema ? -1 : 1;
	if (strcmp(left->tensor, right->tensor) != 0)
		return strcmp(left->tensor, right->tensor);
	return left->relid < right->relid ? -1 : left->relid > right->relid;
}

static bool
same_tensor(const NamedStorage *a, const NamedStorage *b)
{
	return a->schema == b->schema && strcmp(a->tensor, b->tensor) == 0;
}

/* Returns all registrations as NamedStorages; those of one tensor are adjacent. */
static List *
named_storages(void)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, scan_labels(NIL))
	{
		const LabelledRelation *labelled = lfirst(cell);
		char *problem;
		List *storages = label_parse_softly(labelled->label, labelled->relid, &problem);
		NamedStorage named = {labelled->schema, "", labelled->relid, problem, NIL};
		ListCell *inner;

		if (problem != NULL)
			result =
				lappend(result, memcpy(palloc(sizeof(named)), &named, sizeof(named)));
		foreach (inner, storages)
		{
			named.tensor = ((Storage *) lfirst(inner))->tensor;
			result =
				lappend(result, memcpy(palloc(sizeof(named)), &named, sizeof(named)));
		}
	}
	list_sort(result, compare_named);
	return result;
}

/* Gives each NamedStorage the relations of all storages of its tensor. */
static void
gather_relations(List *storages)
{
	int first;
	int next;

	for (first = 0; first < list_length(storages); first = next)
	{
		const NamedStorage *named = list_nth(storages, first);
		List *relations = NIL;

		CHECK_FOR_INTERRUPTS();
		for (next = first; next < list_length(storages); next++)
		{
			const NamedStorage *other = list_nth(storages, next);

			if (!same_tensor(named, other))
				break;
			relations = lappend_oid(relations, other->relid);
		}
		for (; first < next; first++)
			((NamedStorage *) list_nth(storages, first))->relations = relations;
	}
}

/* Returns all registrations as NamedStorages, with the relations of their tensors. */
static List *
all_storages(void)
{
	List *result = named_storages();

	gather_relations(result);
	return result;
}

static ArrayType *
oid_array(const List *oids)
{
	Datum *elements = palloc(sizeof(Datum) * list_length(oids));
	const ListCell *cell;

	foreach (cell, oids)
		elements[foreach_current_index(cell)] = ObjectIdGetDatum(lfirst_oid(cell));
	return construct_array(elements, list_length(oids), OIDOID, sizeof(Oid), true,
						   TYPALIGN_INT);
}

/* Converts an array of OIDs to a list. */
static List *
oid_list(ArrayType *array)
{
	List *result = NIL;
	Datum *elements;
	int count;
	int i;

	deconstruct_array(array, OIDOID, sizeof(Oid), true, TYPALIGN_INT, &elements, NULL,
					  &count);
	for (i = 0; i < count; i++)
		result = lappend_oid(result, DatumGetObjectId(elements[i]));
	return result;
}

/*
 * registered_labels(): returns a row for every registration: tensor, relation, and the
 * relations of all storages of the tensor. For a label that cannot be read, it returns
 * the relation and the problem. It opens no relation, so that a condition on the tensor
 * decides which are opened.
 */
PG_FUNCTION_INFO_V1(registered_labels);
Datum
registered_labels(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell *cell;

	InitMaterializedSRF(fcinfo, 0);
	foreach (cell, all_storages())
	{
		const NamedStorage *named = lfirst(cell);
		bool malformed = named->problem != NULL;
		Datum values[4] = {0};
		bool nulls[4] = {malformed, false, malformed, !malformed};

		values[1] = ObjectIdGetDatum(named->relid);
		if (malformed)
			values[3] = CStringGetTextDatum(named->problem);
		else
		{
			values[0] = CStringGetTextDatum(named->tensor);
			values[2] = PointerGetDatum(oid_array(named->relations));
		}
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	PG_RETURN_NULL();
}

/* Returns the registration of a tensor on a relation; NULL if it has been removed. */
static Storage *
storage_on(const char *tensor, Oid relid)
{
	char *label = relation_label(relid);
	char *problem;

	return label == NULL
			   ? NULL
			   : find_registration(label_parse_softly(label, relid, &problem), tensor);
}

static void
put_registration(ReturnSetInfo *result, Relation relation, const NamedStorage *named)
{
	Storage *storage = storage_on(named->tensor, named->relid);
	List *others = NIL;
	List *relations = NIL;
	ListCell *cell;

	if (storage == NULL)
		return;
	foreach (cell, named->relations)
	{
		Storage *other = storage_on(named->tensor, lfirst_oid(cell));

		CHECK_FOR_INTERRUPTS();
		if (other == NULL)
			continue;
		others = lappend(others, other);
		relations = lappend_oid(relations, other->relid);
	}
	put_storage(result, storage, relation, others, relations);
}

/*
 * Puts the row of a registration into the result; none if the relation has been dropped
 * since its label was read.
 */
static void
put_named(ReturnSetInfo *result, const NamedStorage *named)
{
	Relation relation = try_relation_open(named->relid, AccessShareLock);

	if (relation == NULL)
		return;
	if (named->problem != NULL)
		put_malformed(result, relation, named->problem);
	else
		put_registration(result, relation, named);
	relation_close(relation, AccessShareLock);
}

/*
 * registered_tensor(name, labelled, relations, problem): returns the registration for a
 * row of registered_labels(), and whether it fits its relation.
 */
PG_FUNCTION_INFO_V1(registered_tensor);
Datum
registered_tensor(PG_FUNCTION_ARGS)
{
	NamedStorage named = {InvalidOid, "", InvalidOid, NULL, NIL};

	InitMaterializedSRF(fcinfo, 0);
	if (!PG_ARGISNULL(0))
		named.tensor = text_to_cstring(PG_GETARG_TEXT_PP(0));
	if (!PG_ARGISNULL(1))
		named.relid = PG_GETARG_OID(1);
	if (!PG_ARGISNULL(2))
		named.relations = oid_list(PG_GETARG_ARRAYTYPE_P(2));
	if (!PG_ARGISNULL(3))
		named.problem = text_to_cstring(PG_GETARG_TEXT_PP(3));
	put_named((ReturnSetInfo *) fcinfo->resultinfo, &named);
	PG_RETURN_NULL();
}

/*
 * registered_tensors(): returns a row for every registration, for the catalogs of
 * versions up to 0.2.0.
 */
PG_FUNCTION_INFO_V1(registered_tensors);
Datum
registered_tensors(PG_FUNCTION_ARGS)
{
	ListCell *cell;

	InitMaterializedSRF(fcinfo, 0);
	foreach (cell, all_storages())
		put_named((ReturnSetInfo *) fcinfo->resultinfo, lfirst(cell));
	PG_RETURN_NULL();
}
