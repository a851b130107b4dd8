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

/* "ok", or what is wrong with a storage beside the others of its tensor. */
static char *
storage_status(Storage *storage, Relation relation, List *all)
{
	StorageProblem problem;
	List *others = NIL;
	List *relations = NIL;
	Oid owner;
	ListCell *cell;

	if (!storage_resolve(storage, relation, &problem))
		return problem.message;
	if (storage->query != NULL && !OidIsValid(storage_filling_view(storage)))
		return psprintf("the view that the table is filled from, \"%s\", does not exist "
						"or has another owner",
						storage->query);
	foreach (cell, all)
	{
		Storage *other = (Storage *) lfirst(cell);

		if (strcmp(other->tensor, storage->tensor) != 0 ||
			get_rel_namespace(other->relid) != RelationGetNamespace(relation))
			continue;
		others = lappend(others, other);
		relations = lappend_oid(relations, other->relid);
	}
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

/* A list of columns as long as a name can be; einsum_names has all of them. */
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
put_storage(ReturnSetInfo *result, Storage *storage, Relation relation, List *all)
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
	/* a complex number is not a float8 */
	nulls[COLUMN_FILL] = cimag(storage->fill) != 0.0;
	values[COLUMN_FILL] = Float8GetDatum(creal(storage->fill));
	values[COLUMN_DUPLICATES] =
		CStringGetTextDatum(duplicate_policy_name(storage->duplicates));
	nulls[COLUMN_PROGRAM] = storage->program == NULL;
	if (storage->program != NULL)
		values[COLUMN_PROGRAM] = CStringGetTextDatum(storage->program);
	values[COLUMN_ANALYZED] = BoolGetDatum(read_statistics(storage, statistics));
	values[COLUMN_STATUS] = CStringGetTextDatum(storage_status(storage, relation, all));
	nulls[COLUMN_POSITION] = storage->position == NULL;
	if (storage->position != NULL)
		values[COLUMN_POSITION] = name_datum(storage->position);
	put_relation(result, relation, values, nulls);
}

/* A label that cannot be read: only its relation is known, and what is wrong. */
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

/* registered_tensors(): a row for every registration on every relation. */
PG_FUNCTION_INFO_V1(registered_tensors);
Datum
registered_tensors(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	List *relations = scan_labels(NIL);
	List *all = NIL;
	ListCell *cell;
	char *message;

	InitMaterializedSRF(fcinfo, 0);
	foreach (cell, relations)
	{
		LabelledRelation *labelled = (LabelledRelation *) lfirst(cell);

		all = list_concat(all,
						  label_parse_softly(labelled->label, labelled->relid, &message));
	}

	foreach (cell, relations)
	{
		LabelledRelation *labelled = (LabelledRelation *) lfirst(cell);
		Relation relation = try_relation_open(labelled->relid, AccessShareLock);
		List *storages;
		ListCell *inner;

		/* dropped since its label was read */
		if (relation == NULL)
			continue;
		storages = label_parse_softly(labelled->label, labelled->relid, &message);
		if (message != NULL)
			put_malformed(result, relation, message);
		foreach (inner, storages)
			put_storage(result, (Storage *) lfirst(inner), relation, all);
		relation_close(relation, AccessShareLock);
	}
	PG_RETURN_NULL();
}
