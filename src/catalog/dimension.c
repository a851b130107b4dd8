/*-------------------------------------------------------------------------
 *
 * dimension.c
 *	  Dimensions: finding them, and what holds of the keys of a table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "lib/stringinfo.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "catalog/citus.h"
#include "catalog/dimension.h"
#include "catalog/estimate.h"
#include "catalog/label.h"
#include "catalog/lookup.h"
#include "catalog/origin.h"
#include "catalog/query_label.h"
#include "catalog/query_scan.h"
#include "catalog/stored_layout.h"
#include "catalog/unique_proof.h"
#include "catalog/value_columns.h"
#include "type/extension.h"

#define ATTNO_BITS 16

int64
dimension_bound(Oid relid, AttrNumber attno)
{
	return BOUND_DIMENSION - (((int64) relid << ATTNO_BITS) | attno);
}

Oid
dimension_relation(int64 bound)
{
	Assert(bound <= BOUND_DIMENSION);
	return (Oid) ((BOUND_DIMENSION - bound) >> ATTNO_BITS);
}

AttrNumber
dimension_attno(int64 bound)
{
	Assert(bound <= BOUND_DIMENSION);
	return (AttrNumber) ((BOUND_DIMENSION - bound) & ((1 << ATTNO_BITS) - 1));
}

Oid
dimension_key_type(int64 bound)
{
	return get_atttype(dimension_relation(bound), dimension_attno(bound));
}

bool
is_dimension(const Storage *storage)
{
	return storage->rank == 1 && storage->dimensions[0].index_set != NULL &&
		   strcmp(storage->dimensions[0].index_set, quote_identifier(storage->tensor)) ==
			   0;
}

/* Is the storage a dimension with these keys? There may be several. */
static bool
is_dimension_of(const Storage *storage, int64 bound)
{
	return is_dimension(storage) &&
		   get_attnum(dimension_relation(bound), storage->dimensions[0].column) ==
			   dimension_attno(bound);
}

/* Returns the registration of a dimension by its bound; NULL if it no longer exists. */
static Storage *
dimension_storage(int64 bound)
{
	ListCell *lc;

	foreach (lc, relation_registrations(dimension_relation(bound)))
	{
		Storage *storage = lfirst(lc);

		if (is_dimension_of(storage, bound))
			return storage;
	}
	return NULL;
}

char *
dimension_position(int64 bound)
{
	Oid relid = dimension_relation(bound);
	ListCell *lc;

	/* dimensions with the same keys have the same positions, if any */
	foreach (lc, relation_registrations(relid))
	{
		Storage *storage = lfirst(lc);

		if (storage->position && get_attnum(relid, storage->position) > 0 &&
			is_dimension_of(storage, bound))
			return storage->position;
	}
	return NULL;
}

char *
dimension_name(int64 bound)
{
	const Storage *storage = bound <= BOUND_DIMENSION ? dimension_storage(bound) : NULL;
	char *name = storage                    ? storage->tensor
				 : bound <= BOUND_DIMENSION ? get_rel_name(dimension_relation(bound))
											: NULL;

	return name ? name : pstrdup("?");
}

char *
require_position(int64 bound)
{
	char *position = dimension_position(bound);

	if (position == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("dimension \"%s\" has no positions any more",
							   dimension_name(bound)),
						errhint("Declare it with einsum_dimension(name, relation, key, "
								"position).")));
	return position;
}

/* Returns the registration of a dimension. Errors: 42704. */
static Storage *
require_dimension(int64 bound)
{
	Storage *storage = dimension_storage(bound);

	if (storage == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("relation \"%s\" is no dimension any more",
							   dimension_name(bound)),
						errhint("Declare it with einsum_dimension.")));
	return storage;
}

char *
index_set_name(int64 bound, Oid schema)
{
	const Storage *storage = require_dimension(bound);
	Oid own = get_rel_namespace(storage->relid);

	if (own == schema)
		return pstrdup(quote_identifier(storage->tensor));
	return quote_qualified_identifier(get_namespace_name(own), storage->tensor);
}

TensorEntry *
dimension_entry(int64 bound)
{
	const Storage *storage = require_dimension(bound);
	char *schema = get_namespace_name(get_rel_namespace(storage->relid));
	TensorEntry *entry = lookup_tensor(schema, storage->tensor);

	if (entry == NULL || ((Storage *) linitial(entry->storages))->relid != storage->relid)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("there is another tensor \"%s\" in schema \"%s\"",
							   storage->tensor, schema),
						errhint("Give the dimension another name.")));
	return entry;
}

/* Finds the dimension of a name in a schema, or NULL. */
static Storage *
find_dimension(Oid schema, const char *name)
{
	List *storages = registrations_in_schema(schema, name);
	ListCell *lc;

	if (storages == NIL)
		return NULL;
	foreach (lc, storages_of_first_owner(storages, name, true))
	{
		if (is_dimension(lfirst(lc)))
			return lfirst(lc);
	}
	return NULL;
}

/*
 * Returns the bound that a name means for a relation in a schema; BOUND_UNRESOLVED if
 * there is no such dimension.
 */
static int64
bound_of_name(const char *index_set, Oid schema)
{
	SyntaxReference *reference = parse_notation(psprintf("%s[]", index_set));
	const Storage *storage;
	AttrNumber attno;

	if (reference->schema)
		schema = get_namespace_oid(reference->schema, true);
	storage = OidIsValid(schema) ? find_dimension(schema, reference->name) : NULL;
	if (storage == NULL)
		return BOUND_UNRESOLVED;
	attno = get_attnum(storage->relid, storage->dimensions[0].column);
	return attno > 0 ? dimension_bound(storage->relid, attno) : BOUND_UNRESOLVED;
}

void
resolve_index_sets(Storage *storage)
{
	for (int i = 0; i < storage->rank; i++)
	{
		StorageDimension *dimension = &storage->dimensions[i];

		if (dimension->bound == BOUND_UNRESOLVED)
			dimension->bound =
				bound_of_name(dimension->index_set, get_rel_namespace(storage->relid));
	}
}

void
qualify_index_sets(Storage *storage, Oid schema)
{
	for (int i = 0; i < storage->rank; i++)
	{
		StorageDimension *dimension = &storage->dimensions[i];
		SyntaxReference *reference;
		Oid found;

		if (dimension->index_set == NULL || is_dimension(storage))
			continue;
		reference = parse_notation(psprintf("%s[]", dimension->index_set));
		if (reference->schema != NULL ||
			(OidIsValid(schema) && find_dimension(schema, reference->name) != NULL))
			continue;
		found = schema_of_tensor(NULL, reference->name);
		if (OidIsValid(found))
			dimension->index_set =
				quote_qualified_identifier(get_namespace_name(found), reference->name);
	}
}

/* Can keys of these types be compared, also by an index? */
static bool
types_agree(Oid one, Oid other)
{
	one = getBaseType(one);
	other = getBaseType(other);
	return one == other || (is_integer_type(one) && is_integer_type(other)) ||
		   ((one == TEXTOID || one == VARCHAROID) &&
			(other == TEXTOID || other == VARCHAROID));
}

/* Do two collations agree on which keys are equal? */
static bool
collations_agree(Oid one, Oid other)
{
	return one == other || !OidIsValid(one) || !OidIsValid(other) ||
		   (get_collation_isdeterministic(one) && get_collation_isdeterministic(other));
}

/* Checks the column of a dimension's positions, if it has one. */
static bool
resolve_position(const Storage *storage, Relation relation, StorageProblem *problem)
{
	AttrNumber attno;
	Oid type;

	if (storage->position == NULL)
		return true;
	attno = get_attnum(RelationGetRelid(relation), storage->position);
	type = attno > 0 ? get_atttype(RelationGetRelid(relation), attno) : InvalidOid;
	if (OidIsValid(type) && is_integer_type(getBaseType(type)))
		return true;
	if (!OidIsValid(type))
	{
		problem->sqlstate = ERRCODE_UNDEFINED_COLUMN;
		problem->message = psprintf("column \"%s\" of relation \"%s\" does not exist",
									storage->position, RelationGetRelationName(relation));
		problem->detail =
			psprintf("It is to be the position of dimension \"%s\".", storage->tensor);
		problem->hint = pstrdup("Name an integer column of the dimension's table.");
		return false;
	}
	problem->sqlstate = ERRCODE_DATATYPE_MISMATCH;
	problem->message = psprintf(
		"column \"%s\" of relation \"%s\" cannot be the position of dimension \"%s\"",
		storage->position, RelationGetRelationName(relation), storage->tensor);
	problem->detail = psprintf("It is of type %s.", format_type_be(type));
	problem->hint = pstrdup("Positions are integers from 0 on, as of a column GENERATED "
							"BY DEFAULT AS IDENTITY (MINVALUE 0).");
	return false;
}

/* Resolves the key of a dimension itself: the keys must be unique and in a table. */
static bool
resolve_own_keys(const Storage *storage, StorageDimension *dimension, Relation relation,
				 StorageProblem *problem)
{
	if (relation->rd_rel->relkind != RELKIND_RELATION &&
		relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		problem->detail = pstrdup("It is no table, so that nothing proves that its keys "
								  "are unique and never NULL.");
	else if (dimension->kind != DIMENSION_PROMOTED || storage->value_column != NULL ||
			 storage->fill != 0.0 || storage->duplicates != DUPLICATES_ERROR)
		problem->detail =
			pstrdup("A dimension is 1 at each of its keys, and has no value column.");
	else
	{
		dimension->bound = dimension_bound(RelationGetRelid(relation), dimension->attno);
		return resolve_position(storage, relation, problem);
	}
	problem->sqlstate = ERRCODE_WRONG_OBJECT_TYPE;
	problem->message = psprintf("relation \"%s\" cannot be the dimension \"%s\"",
								RelationGetRelationName(relation), storage->tensor);
	problem->hint =
		pstrdup("Declare the table that has the keys with einsum_dimension; its primary "
				"key, say.");
	return false;
}

/* Checks a label inside of values: its dimension must have positions. */
static bool
resolve_places(const Storage *storage, const StorageDimension *dimension,
			   StorageProblem *problem)
{
	bool in_blocks = false;

	for (int i = 0; i < storage->rank; i++)
		in_blocks = in_blocks || storage->dimensions[i].kind == DIMENSION_BLOCKED;
	if (!in_blocks && dimension_position(dimension->bound))
		return true;
	problem->sqlstate = ERRCODE_FEATURE_NOT_SUPPORTED;
	problem->message =
		psprintf("label \"%s\" of tensor \"%s\" cannot be inside of values",
				 dimension->label, storage->tensor);
	problem->detail = psprintf(
		in_blocks ? "Its bound is dimension %s, and another label is split in blocks."
				  : "Dimension %s has no positions, so that its keys have no places in a "
					"value.",
		dimension->index_set);
	problem->hint = pstrdup(
		in_blocks ? "Store blocks without that label, which may be in "
					"upper case."
				  : "Declare it with einsum_dimension(name, relation, key, position), "
					"or store a row for each key and write the label in upper case.");
	return false;
}

bool
resolve_index_set(const Storage *storage, StorageDimension *dimension, Relation relation,
				  StorageProblem *problem)
{
	Oid type;
	Oid collation;
	Oid own;
	int32 modifier;
	bool same_types;

	if (is_dimension(storage))
		return resolve_own_keys(storage, dimension, relation, problem);
	dimension->bound =
		bound_of_name(dimension->index_set, RelationGetNamespace(relation));
	if (dimension->bound != BOUND_UNRESOLVED)
	{
		/* this lock keeps the key column of the dimension until the transaction ends */
		LockRelationOid(dimension_relation(dimension->bound), AccessShareLock);
		if (!OidIsValid(dimension_key_type(dimension->bound)))
			dimension->bound = BOUND_UNRESOLVED;
	}
	if (dimension->bound == BOUND_UNRESOLVED)
	{
		problem->sqlstate = ERRCODE_UNDEFINED_OBJECT;
		problem->message =
			psprintf("dimension \"%s\" does not exist", dimension->index_set);
		problem->detail = psprintf("It is the bound of label \"%s\" of tensor \"%s\".",
								   dimension->label, storage->tensor);
		problem->hint =
			unknown_dimension_hint(RelationGetNamespace(relation), dimension->index_set);
		return false;
	}
	if (dimension->kind == DIMENSION_DEMOTED)
		return resolve_places(storage, dimension, problem);
	get_atttypetypmodcoll(dimension_relation(dimension->bound),
						  dimension_attno(dimension->bound), &type, &modifier,
						  &collation);
	/* an index of a layout is in no column of its own */
	own = dimension->attno == InvalidAttrNumber
			  ? get_typcollation(dimension->key_type)
			  : TupleDescAttr(RelationGetDescr(relation), dimension->attno - 1)
					->attcollation;
	same_types = types_agree(type, dimension->key_type);
	if (same_types && collations_agree(collation, own))
		return true;
	problem->message =
		dimension->attno == InvalidAttrNumber
			? psprintf("label \"%s\" of tensor \"%s\" cannot have the bound %s",
					   dimension->label, storage->tensor, dimension->index_set)
			: psprintf(
				  "column \"%s\" of relation \"%s\" cannot be a key of tensor \"%s\"",
				  dimension->column, RelationGetRelationName(relation), storage->tensor);
	if (same_types)
	{
		problem->sqlstate = ERRCODE_COLLATION_MISMATCH;
		problem->detail = psprintf(
			"Its collation and that of dimension %s differ in which texts are equal.",
			dimension->index_set);
		problem->hint =
			pstrdup("Let the column have the collation of the keys that it refers to.");
		return false;
	}
	problem->sqlstate = ERRCODE_DATATYPE_MISMATCH;
	problem->detail = psprintf(
		dimension->attno == InvalidAttrNumber
			? "Its keys are of type %s, and those of dimension %s are of type %s."
			: "It is of type %s, and the keys of dimension %s are of type %s.",
		format_type_be(dimension->key_type), dimension->index_set, format_type_be(type));
	if (dimension->attno == InvalidAttrNumber)
		problem->hint = pstrdup("A view with unnest reads arrays of other types.");
	else
		problem->hint =
			pstrdup("Let the column have the type of the keys that it refers to.");
	return false;
}

double
estimated_bound(int64 bound)
{
	if (bound == BOUND_OPEN || bound == BOUND_UNRESOLVED)
		return INFINITY;
	if (bound_is_dimension(bound))
		return Max(1.0, estimated_rows(dimension_relation(bound)));
	return (double) bound_size(bound);
}

/*
 * Does a table have a disabled trigger of this constraint, or, if that is InvalidOid, of
 * any constraint?
 */
static bool
has_disabled_trigger(Relation relation, Oid constraint)
{
	const TriggerDesc *triggers = relation->trigdesc;

	for (int i = 0; triggers && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];

		if ((OidIsValid(constraint) ? trigger->tgconstraint == constraint
									: trigger->tgisinternal) &&
			trigger->tgenabled != TRIGGER_FIRES_ON_ORIGIN &&
			trigger->tgenabled != TRIGGER_FIRES_ALWAYS)
			return true;
	}
	return false;
}

/*
 * Are all triggers of a table's constraint enabled? Partitions have constraints and
 * triggers of their own for it.
 */
static bool
triggers_enabled(Relation relation, Oid constraint)
{
	bool enabled = !has_disabled_trigger(relation, constraint);
	ListCell *lc;

	foreach (lc, relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE
					 ? find_all_inheritors(RelationGetRelid(relation), NoLock, NULL)
					 : NIL)
	{
		Relation part = try_relation_open(lfirst_oid(lc), AccessShareLock);

		if (part == NULL)
			continue;
		enabled = enabled && !has_disabled_trigger(part, InvalidOid);
		relation_close(part, AccessShareLock);
	}
	return enabled;
}

/*
 * Is a foreign key valid, enforced, checked at the end of each statement, and a reference
 * to the whole table? A foreign key to a partitioned table has a further one to each
 * partition, which only says what may not be removed from that partition.
 */
static bool
constraint_holds(Oid constraint, Oid keys)
{
	bool holds = true;

	while (holds && OidIsValid(constraint))
	{
		HeapTuple tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(constraint));
		Form_pg_constraint form;

		if (!HeapTupleIsValid(tuple))
			return false;
		form = (Form_pg_constraint) GETSTRUCT(tuple);
		/* a constraint that is not enforced is not valid */
		holds = form->convalidated && !form->condeferrable && form->confrelid == keys;
		constraint = form->conparentid;
		ReleaseSysCache(tuple);
	}
	return holds;
}

bool
key_is_in_dimension(Relation relation, AttrNumber attno, Oid dimension,
					AttrNumber dimension_key)
{
	Oid relid = RelationGetRelid(relation);
	Relation keys;
	bool proved = false;
	ListCell *lc;

	if (relid == dimension && attno == dimension_key)
		return true;
	if (has_unchecked_rows(relation))
		return false;
	keys = table_open(dimension, NoLock);
	/*
	 * under row-level security, a user who does not see a key has another index set than
	 * the constraint
	 */
	foreach (lc, keys->rd_rel->relrowsecurity ? NIL : RelationGetFKeyList(relation))
	{
		const ForeignKeyCacheInfo *key = lfirst(lc);

		proved = proved || (key->conrelid == relid && key->confrelid == dimension &&
							key->nkeys == 1 && key->conkey[0] == attno &&
							key->confkey[0] == dimension_key &&
							constraint_holds(key->conoid, dimension) &&
							triggers_enabled(relation, key->conoid) &&
							triggers_enabled(keys, key->conoid));
	}
	table_close(keys, NoLock);
	return proved;
}

/* Where a key was found that is not in its dimension. */
typedef struct StrayKey
{
	const Storage *storage;
	const StorageDimension *dimension;
	const char *relation;
} StrayKey;

static bool
report_stray_key(TupleTableSlot *slot, void *state)
{
	const StrayKey *stray = state;

	if (slot->tts_isnull[0])
		return true;
	ereport(
		ERROR,
		(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		 errmsg("key %s of label \"%s\" of tensor \"%s\" is not in its dimension",
				TextDatumGetCString(slot->tts_values[0]), stray->dimension->label,
				stray->storage->tensor),
		 stray->dimension->attno == InvalidAttrNumber
			 ? errdetail("Keys in layout %s of relation \"%s\" must be in dimension %s.",
						 layout_text(stray->storage), stray->relation,
						 stray->dimension->index_set)
			 : errdetail(
				   "Keys in column \"%s\" of relation \"%s\" must be in dimension %s.",
				   stray->dimension->column, stray->relation,
				   stray->dimension->index_set),
		 errhint("Add it to the dimension's table, or give the label the bound '*' if "
				 "its index set is the keys that occur.")));
}

static void
notice_no_foreign_key(const StrayKey *key, Oid keys)
{
	const char *column = quote_identifier(key->dimension->column);

	ereport(
		NOTICE,
		(errmsg("each key of label \"%s\" of tensor \"%s\" will be looked up in its "
				"dimension",
				key->dimension->label, key->storage->tensor),
		 errdetail("No foreign key says that the keys in column \"%s\" of relation "
				   "\"%s\" are in relation \"%s\".",
				   key->dimension->column, key->relation, get_rel_name(keys)),
		 errhint(
			 "After ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s), nothing is "
			 "looked up.",
			 qualified_relation_name(key->storage->relid), column,
			 qualified_relation_name(keys),
			 quote_identifier(
				 get_attname(keys, dimension_attno(key->dimension->bound), false)))));
}

static bool
has_row(TupleTableSlot *slot, void *state)
{
	return true;
}

void
check_values_by_position(const Storage *storage, Relation relation)
{
	const char *type = tensor_type_name();
	bool any = false;
	StringInfoData shape;
	StringInfoData positions;

	initStringInfo(&shape);
	initStringInfo(&positions);
	for (int i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		const char *position;

		if (dimension->kind != DIMENSION_DEMOTED)
			continue;
		appendStringInfo(&shape, "%s" INT64_FORMAT, shape.len ? "," : "",
						 Max(bound_size(dimension->bound), 0));
		if (!bound_is_dimension(dimension->bound))
		{
			appendStringInfoString(&positions, ", NULL::pg_catalog.int8[]");
			continue;
		}
		any = true;
		position = quote_identifier(require_position(dimension->bound));
		appendStringInfo(
			&positions,
			", (SELECT COALESCE(pg_catalog.array_agg(CAST(d.%s AS pg_catalog.int8) ORDER "
			"BY d.%s), '{}') FROM %s d)",
			position, position,
			qualified_relation_name(dimension_relation(dimension->bound)));
	}
	if (!any)
		return;
	scan_query(
		labelled_query(
			"einsum_register", storage->tensor,
			psprintf(
				"SELECT %s(CAST(r.%s AS %s), CAST(%s AS %s), %s, '%s'::pg_catalog.text, "
				"'{%s}'::pg_catalog.int4[]%s) IS NULL FROM %s r",
				extension_function("einsum_by_place"),
				quote_identifier(storage->value_column), type,
				quote_literal_cstr(number_to_string(storage->fill)), type,
				psprintf("%s::pg_catalog.text", quote_literal_cstr(storage->tensor)),
				element_type_name(storage->element_type), shape.data, positions.data,
				qualified_relation_name(storage->relid))),
		relation->rd_rel->relowner, true, has_row, NULL);
}

/* Checks that no dimension over the same keys has other positions. */
static void
check_same_positions(const Storage *storage)
{
	const char *other = dimension_position(storage->dimensions[0].bound);

	if (other && strcmp(other, storage->position) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("the keys of dimension \"%s\" have other positions already",
						storage->tensor),
				 errdetail("A dimension over column \"%s\" of relation \"%s\" has "
						   "its positions in column \"%s\".",
						   storage->dimensions[0].column, get_rel_name(storage->relid),
						   other),
				 errhint("Name the same column, or remove that dimension with "
						 "einsum_unregister.")));
}

/* Checks the least and the greatest position, which a query has read. */
static bool
check_extreme_positions(TupleTableSlot *slot, void *state)
{
	const Storage *storage = state;

	for (int i = 0; i < 2; i++)
	{
		int64 position;

		if (slot->tts_isnull[i])
			continue;
		position = DatumGetInt64(slot->tts_values[i]);
		if (position < 0 || position >= PG_INT32_MAX)
			ereport(
				ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("position " INT64_FORMAT " of dimension \"%s\" is out of range",
						position, storage->tensor),
				 errdetail("Positions in column \"%s\" of relation \"%s\" must be at "
						   "least 0 and less than %d.",
						   storage->position, get_rel_name(storage->relid), PG_INT32_MAX),
				 errhint("Positions count from 0, as the places in a tensor do; gaps "
						 "between them are no places.")));
	}
	return true;
}

void
check_positions(const Storage *storage, Relation relation)
{
	Storage by_position = *storage;

	if (storage->position == NULL)
		return;
	by_position.dimensions[0].column = storage->position;
	by_position.dimensions[0].attno = get_attnum(storage->relid, storage->position);
	if (!find_unique_proof(&by_position, relation))
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("nothing proves that the positions of dimension \"%s\" are unique",
					storage->tensor),
			 errdetail("There is no valid unique index on column \"%s\" of relation "
					   "\"%s\", or the column is not NOT NULL.",
					   storage->position, RelationGetRelationName(relation)),
			 errhint("After ALTER TABLE %s ALTER %s SET NOT NULL, ADD UNIQUE (%s), "
					 "they are.",
					 qualified_relation_name(storage->relid),
					 quote_identifier(storage->position),
					 quote_identifier(storage->position))));
	check_same_positions(storage);
	scan_query(
		labelled_query("einsum_dimension", storage->tensor,
					   psprintf("SELECT CAST(pg_catalog.min(%s) AS pg_catalog.int8), "
								"CAST(pg_catalog.max(%s) AS pg_catalog.int8) FROM %s",
								quote_identifier(storage->position),
								quote_identifier(storage->position),
								qualified_relation_name(storage->relid))),
		relation->rd_rel->relowner, true, check_extreme_positions,
		unconstify(Storage *, storage));
}

void
check_dimension_keys(const Storage *storage, Relation relation)
{
	for (int i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		StrayKey stray = {storage, dimension, RelationGetRelationName(relation)};
		Oid keys;
		const char *key;
		StringInfoData query;
		const char *rows;
		bool of_row; /* several keys are made of a row */

		if (!bound_is_dimension(dimension->bound) || dimension->kind == DIMENSION_DEMOTED)
			continue;
		keys = dimension_relation(dimension->bound);
		LockRelationOid(keys, AccessShareLock);
		of_row = is_layout_index(storage, i) || OidIsValid(dimension->range_type);
		if (!of_row && key_is_in_dimension(relation, dimension->attno, keys,
										   dimension_attno(dimension->bound)))
			continue;
		if (!of_row && relation->rd_rel->relkind == RELKIND_RELATION)
			notice_no_foreign_key(&stray, keys);
		key =
			quote_identifier(get_attname(keys, dimension_attno(dimension->bound), false));
		rows = of_row ? psprintf("%s AS e", storage_relation_sql(storage))
					  : qualified_relation_name(storage->relid);
		initStringInfo(&query);
		/* Citus joins what it has gathered with anything */
		if (storage->citus || is_citus_table(keys))
			appendStringInfo(&query,
							 "WITH stored AS MATERIALIZED (SELECT * FROM %s), keys AS "
							 "MATERIALIZED (SELECT %s FROM %s) ",
							 rows, key, qualified_relation_name(keys));
		appendStringInfo(&query,
						 "SELECT CAST(r.%s AS pg_catalog.text) FROM (SELECT * FROM %s "
						 "OFFSET 0) r WHERE NOT EXISTS (SELECT FROM %s d WHERE d.%s "
						 "OPERATOR(pg_catalog.=) r.%s)",
						 quote_identifier(dimension->column), query.len ? "stored" : rows,
						 query.len ? "keys" : qualified_relation_name(keys), key,
						 quote_identifier(dimension->column));
		append_row_conditions(&query, storage, "r");
		scan_query(labelled_query("einsum_register", storage->tensor, query.data),
				   relation->rd_rel->relowner, true, report_stray_key, &stray);
	}
}
