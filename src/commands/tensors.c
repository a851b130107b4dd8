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
#include "utils/tuplestore.h"

#include "catalog/citus.h"
#include "catalog/declare.h"
#include "catalog/first_owner.h"
#include "catalog/label.h"
#include "catalog/registry.h"
#include "catalog/statistics_table.h"
#include "catalog/stored_layout.h"
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
	COLUMN_LAYOUT,
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
	char *problem; /* or NULL */
} NamedStorage;

/*
 * What the row of a storage needs to know of all storages of its tensor. Their labels are
 * read once for rows that follow each other.
 */
typedef struct TensorStorages
{
	MemoryContext context; /* of the members below */
	Oid schema;
	char *tensor; /* NULL: no tensor has been read yet */
	Oid owner;    /* whose relations hold it (first_owner.h); InvalidOid: all are gone */
	Storage *first;     /* of that owner; NULL: it has none */
	Storage *differing; /* the first that does not agree with it, or NULL */
} TensorStorages;

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

/* Returns all storages of a tensor in a schema, in order of their relations' OIDs. */
static List *
storages_of_tensor(Oid schema, const char *tensor)
{
	List *storages = NIL;
	ListCell *cell;

	foreach (cell, registry_relations(REGISTRY_TENSOR, tensor))
	{
		Oid relid = lfirst_oid(cell);
		Storage *storage = NULL;

		CHECK_FOR_INTERRUPTS();
		if (get_rel_namespace(relid) == schema && !is_citus_shard(relid))
			storage = storage_on(tensor, relid);
		if (storage != NULL)
			storages = lappend(storages, storage);
	}
	return storages;
}

/* Reads the storages of this tensor, unless *known has them already. */
static void
know_tensor(TensorStorages *known, Oid schema, const char *tensor)
{
	MemoryContext context;
	List *storages;
	List *relations = NIL;
	ListCell *cell;

	if (known->tensor && known->schema == schema && strcmp(known->tensor, tensor) == 0)
		return;
	known->tensor = NULL;
	MemoryContextReset(known->context);
	context = MemoryContextSwitchTo(known->context);
	known->first = known->differing = NULL;
	storages = storages_of_tensor(schema, tensor);
	foreach (cell, storages)
		relations = lappend_oid(relations, ((Storage *) lfirst(cell))->relid);
	known->owner = first_owner(relations);
	foreach (cell, storages)
	{
		Storage *storage = lfirst(cell);

		if (relation_owner(storage->relid) != known->owner)
			continue;
		if (known->first == NULL)
			known->first = storage;
		else if (storage_disagreement(storage, known->first) != NULL)
		{
			known->differing = storage;
			break;
		}
	}
	known->schema = schema;
	known->tensor = pstrdup(tensor);
	MemoryContextSwitchTo(context);
}

/* Returns how a storage differs from another one of its tensor, or NULL. */
static char *
difference_from(Storage *storage, const TensorStorages *others)
{
	char *difference = NULL;

	if (others->first && others->first->relid != storage->relid)
		difference = storage_disagreement(storage, others->first);
	if (difference == NULL && others->differing &&
		others->differing->relid != storage->relid)
		difference = storage_disagreement(storage, others->differing);
	return difference;
}

/*
 * Returns "ok", or what is wrong with a storage, by itself or compared with the other
 * storages of its tensor.
 */
static char *
storage_status(Storage *storage, Relation relation, const TensorStorages *all)
{
	StorageProblem problem;
	char *difference;

	if (!storage_resolve(storage, relation, &problem))
		return problem.message;
	if (storage->query != NULL && !OidIsValid(storage_filling_view(storage)))
		return psprintf("the view that the table is filled from, \"%s\", does not exist "
						"or has another owner",
						storage->query);
	if (OidIsValid(all->owner) && all->owner != relation->rd_rel->relowner)
		return psprintf("left out: owned by %s, not by %s as the others are",
						GetUserNameFromId(relation->rd_rel->relowner, true),
						GetUserNameFromId(all->owner, true));
	difference = difference_from(storage, all);
	return difference ? psprintf("the storages do not agree: %s", difference)
					  : pstrdup("ok");
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
put_storage(ReturnSetInfo *result, Storage *storage, Relation relation,
			const TensorStorages *all)
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
		if (dimension->kind != DIMENSION_DEMOTED && !is_layout_index(storage, i))
			keys[nkeys++] = name_datum(dimension->column);
	}
	values[COLUMN_TENSOR] = CStringGetTextDatum(storage->tensor);
	values[COLUMN_NOTATION] = CStringGetTextDatum(storage_notation(storage));
	values[COLUMN_KEYS] = PointerGetDatum(
		construct_array(keys, nkeys, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
	nulls[COLUMN_VALUE] = storage->value_column == NULL || storage->layout;
	if (!nulls[COLUMN_VALUE])
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
	values[COLUMN_STATUS] = CStringGetTextDatum(storage_status(storage, relation, all));
	nulls[COLUMN_POSITION] = storage->position == NULL;
	if (storage->position != NULL)
		values[COLUMN_POSITION] = name_datum(storage->position);
	nulls[COLUMN_LAYOUT] = layout_text(storage) == NULL;
	if (!nulls[COLUMN_LAYOUT])
		values[COLUMN_LAYOUT] = CStringGetTextDatum(layout_text(storage));
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
		NamedStorage named = {labelled->schema, "", labelled->relid, problem};
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

/*
 * registered_labels(): returns a row for every registration: tensor and relation. For a
 * label that cannot be read, it returns the relation and the problem. It opens no
 * relation, so that a condition on the tensor decides which are opened. Rows of one
 * tensor follow each other.
 */
PG_FUNCTION_INFO_V1(registered_labels);
Datum
registered_labels(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell *cell;

	InitMaterializedSRF(fcinfo, 0);
	foreach (cell, named_storages())
	{
		const NamedStorage *named = lfirst(cell);
		bool malformed = named->problem != NULL;
		Datum values[3] = {0};
		bool nulls[3] = {malformed, false, !malformed};

		values[1] = ObjectIdGetDatum(named->relid);
		if (malformed)
			values[2] = CStringGetTextDatum(named->problem);
		else
			values[0] = CStringGetTextDatum(named->tensor);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	PG_RETURN_NULL();
}

/*
 * Puts the row of a registration into the result; no row if the relation or the
 * registration has been dropped since the label was read. *known is what the row before
 * needed.
 */
static void
put_named(ReturnSetInfo *result, const NamedStorage *named, TensorStorages *known)
{
	Relation relation = try_relation_open(named->relid, AccessShareLock);
	Storage *storage;

	if (relation == NULL)
		return;
	if (named->problem != NULL)
		put_malformed(result, relation, named->problem);
	else if ((storage = storage_on(named->tensor, named->relid)) != NULL)
	{
		know_tensor(known, RelationGetNamespace(relation), named->tensor);
		put_storage(result, storage, relation, known);
	}
	relation_close(relation, AccessShareLock);
}

/* Returns an empty TensorStorages, allocated in this context. */
static TensorStorages *
new_known(MemoryContext parent)
{
	TensorStorages *known = MemoryContextAllocZero(parent, sizeof(TensorStorages));

	known->context =
		AllocSetContextCreate(parent, "storages of a tensor", ALLOCSET_DEFAULT_SIZES);
	return known;
}

/*
 * registered_tensor(name, labelled, problem): returns the registration of a row of
 * registered_labels(), and whether it fits its relation.
 */
PG_FUNCTION_INFO_V1(registered_tensor);
Datum
registered_tensor(PG_FUNCTION_ARGS)
{
	NamedStorage named = {InvalidOid, "", InvalidOid, NULL};

	InitMaterializedSRF(fcinfo, 0);
	if (fcinfo->flinfo->fn_extra == NULL)
		fcinfo->flinfo->fn_extra = new_known(fcinfo->flinfo->fn_mcxt);
	if (!PG_ARGISNULL(0))
		named.tensor = text_to_cstring(PG_GETARG_TEXT_PP(0));
	if (!PG_ARGISNULL(1))
		named.relid = PG_GETARG_OID(1);
	if (!PG_ARGISNULL(2))
		named.problem = text_to_cstring(PG_GETARG_TEXT_PP(2));
	put_named((ReturnSetInfo *) fcinfo->resultinfo, &named, fcinfo->flinfo->fn_extra);
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
	TensorStorages *known = new_known(CurrentMemoryContext);
	ListCell *cell;

	InitMaterializedSRF(fcinfo, 0);
	foreach (cell, named_storages())
		put_named((ReturnSetInfo *) fcinfo->resultinfo, lfirst(cell), known);
	PG_RETURN_NULL();
}
