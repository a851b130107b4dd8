/*-------------------------------------------------------------------------
 *
 * register.c
 *	  einsum_register and einsum_unregister.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/declare.h"
#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/lookup.h"
#include "catalog/storage_advice.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "catalog/value_columns.h"
#include "codegen/known_programs.h"
#include "commands/arguments.h"
#include "compat.h"

/* Lists the labels that need a key column, for messages. */
static char *
key_labels(const Storage *storage)
{
	StringInfoData buf;
	int i;

	initStringInfo(&buf);
	for (i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind != DIMENSION_DEMOTED)
			appendStringInfo(&buf, "%s\"%s\"", buf.len > 0 ? ", " : "",
							 storage->dimensions[i].label);
	}
	return buf.data;
}

/* Lists the key columns, as "src, dst". */
static char *
columns_of_keys(const Storage *storage)
{
	StringInfoData buf;

	initStringInfo(&buf);
	for (int i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind != DIMENSION_DEMOTED &&
			!is_layout_index(storage, i))
			appendStringInfo(&buf, "%s%s", buf.len > 0 ? ", " : "",
							 quote_identifier(storage->dimensions[i].column));
	}
	return buf.data;
}

/*
 * Returns the notation in which count labels are keys, for a hint: the first labels that
 * are not keys become keys, or the last keys become labels of values.
 */
static char *
notation_with_keys(const Storage *storage, int count)
{
	int more = count - storage_key_count(storage);
	int keys = 0;
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf, "%s[", quote_identifier(storage->tensor));
	for (int i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		bool key = dimension->kind == DIMENSION_PROMOTED
					   ? more >= 0 || keys++ < count
					   : dimension->kind == DIMENSION_DEMOTED && more-- > 0;
		char *label = pstrdup(dimension->label);

		for (char *letter = label; key && *letter; letter++)
			*letter = pg_ascii_toupper((unsigned char) *letter);
		appendStringInfo(&buf, "%s%s", i ? "," : "", label);
		if (dimension->kind == DIMENSION_BLOCKED)
			appendStringInfo(&buf, ":" INT64_FORMAT, dimension->block);
	}
	appendStringInfoChar(&buf, ']');
	return buf.data;
}

/* Is it the name of a column of type jsonb? */
static bool
is_object_column(Oid relid, const char *name)
{
	AttrNumber column = name ? get_attnum(relid, name) : InvalidAttrNumber;

	return column != InvalidAttrNumber && get_atttype(relid, column) == JSONBOID;
}

/*
 * Assigns the given key columns to the labels that need one, in order; with a layout to
 * the first labels, since the others are its indices.
 */
static void
set_keys(Storage *storage, ArrayType *keys, const char *layout, const char *value)
{
	StorageProblem problem;
	Datum *names;
	bool *nulls;
	int count;
	int key = 0;
	int i;

	if (ARR_NDIM(keys) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("keys must be a one-dimensional array of column names")));
	deconstruct_array(keys, TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &count);
	if (layout && !set_layout(storage, layout, count, &problem))
		report_problem(&problem);
	if (count != key_column_count(storage))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg_plural("tensor \"%s\" needs %d key column, but has %d",
						   "tensor \"%s\" needs %d key columns, but has %d",
						   storage_key_count(storage), storage->tensor,
						   storage_key_count(storage), count),
			 storage_key_count(storage) > 0
				 ? errdetail("Labels in upper case or with a block size are keys: %s.",
							 key_labels(storage))
				 : errdetail("Labels in upper case or with a block size are keys, and it "
							 "has none of them."),
			 count > storage_key_count(storage) && count <= storage->rank
				 ? errhint("Write labels that are keys in upper case: %s.",
						   notation_with_keys(storage, count))
			 : is_object_column(storage->relid, value)
				 ? errhint("Column \"%s\" has objects of jsonb, whose keys are a label: "
						   "leave value out, and write layout => 'object(%s)'.",
						   value, quote_identifier(value))
			 : count < storage_key_count(storage)
				 ? errhint("Name one column for each of these labels, in their order. A "
						   "label of values, such as vectors or several columns, is in "
						   "lower case: %s.",
						   notation_with_keys(storage, count))
				 : errhint("Name one column for each of these labels, in their order.")));
	for (i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind == DIMENSION_DEMOTED ||
			is_layout_index(storage, i))
			continue;
		if (nulls[key])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("the key column of label \"%s\" is NULL",
								   storage->dimensions[i].label)));
		/* names are truncated, as names of columns are */
		storage->dimensions[i].column =
			NameStr(*DatumGetName(DirectFunctionCall1(text_name, names[key])));
		key++;
	}
}

/* Checks the schema of a qualified name: a tensor is in the schema of its relation. */
static void
check_schema(const SyntaxReference *reference, Oid relid)
{
	char *schema = get_namespace_name(get_rel_namespace(relid));

	if (schema == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", relid)));
	if (reference->schema != NULL && strcmp(reference->schema, schema) != 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("tensor \"%s\" cannot be in schema \"%s\"", reference->name,
					reference->schema),
			 errdetail(
				 "A tensor is in the schema of its relation: \"%s\" is in schema \"%s\".",
				 get_rel_name(relid), schema),
			 errhint("Leave the schema out, or write \"%s\".", schema)));
}

/*
 * Notices the programs that read a tensor as it was registered before: their views keep
 * its former columns, bounds and fill.
 */
static void
notice_former_readers(const Storage *storage, const List *former)
{
	List *relations = list_make1_oid(storage->relid);
	bool same = former == NIL;
	StringInfoData names;
	ListCell *lc;

	foreach (lc, former)
	{
		const Storage *before = lfirst(lc);

		relations = list_append_unique_oid(relations, before->relid);
		same = same || (before->relid == storage->relid &&
						registration_hash(before) == registration_hash(storage));
	}
	if (same)
		return;
	initStringInfo(&names);
	foreach (lc, programs_reading(known_programs(), relations))
	{
		const KnownProgram *program = lfirst(lc);

		appendStringInfo(&names, "%s%s", names.len ? ", " : "",
						 quote_qualified_identifier(get_namespace_name(program->schema),
													program->name));
	}
	if (names.len > 0)
		ereport(
			NOTICE,
			(errmsg("programs keep the former registration of tensor \"%s\": %s",
					storage->tensor, names.data),
			 errhint("Make each again with einsum_decompose(..., replace => true).")));
}

/*
 * einsum_register(tensor, relation, keys, value, bounds, fill, duplicates,
 * replace, storage, one_hot, nulls, layout): declares that a relation holds a tensor.
 */
PG_FUNCTION_INFO_V1(einsum_register);
Datum
einsum_register(PG_FUNCTION_ARGS)
{
	Storage *storage = palloc0(sizeof(Storage));
	SyntaxReference *reference;
	const char *value;
	char *duplicates;
	char *nulls = "row";
	char *layout = NULL;
	Oid schema;
	List *former;

	require_argument(fcinfo, 0, "tensor");
	require_argument(fcinfo, 1, "relation");
	require_argument(fcinfo, 2, "keys");
	require_argument(fcinfo, 5, "fill");
	require_argument(fcinfo, 6, "duplicates");
	require_argument(fcinfo, 7, "replace");
	require_argument(fcinfo, 8, "storage");
	require_argument(fcinfo, 9, "one_hot");
	/*
	 * an extension that has not been updated to this version declares no such arguments
	 */
	if (PG_NARGS() > 10)
	{
		require_argument(fcinfo, 10, "nulls");
		nulls = text_to_cstring(PG_GETARG_TEXT_PP(10));
	}
	if (PG_NARGS() > 11 && !PG_ARGISNULL(11))
		layout = text_to_cstring(PG_GETARG_TEXT_PP(11));

	reference = parse_notation(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	storage_set_notation(storage, reference);
	storage->relid = PG_GETARG_OID(1);
	check_schema(reference, storage->relid);
	set_keys(storage, PG_GETARG_ARRAYTYPE_P(2), layout,
			 PG_ARGISNULL(3) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(3)));
	if (storage->layout && (!PG_ARGISNULL(3) || PG_GETARG_BOOL(9)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a tensor with a layout has no value column"),
						errdetail("Tensor \"%s\" has the layout %s.", storage->tensor,
								  layout_text(storage)),
						errhint("Name the column of the values last in the layout.")));
	set_bounds(storage, PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4), true);
	set_value(storage, PG_ARGISNULL(3) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(3)),
			  PG_GETARG_BOOL(9));
	if (!null_policy_by_name(nulls, &storage->nulls))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown value for nulls: \"%s\"", nulls),
				 errhint("It is 'row' (a row with a NULL in one of several columns of "
						 "the value has no entries) or 'entry' (it lacks that one).")));
	storage->fill = PG_GETARG_FLOAT8(5);
	value = quote_identifier(storage->value_column ? storage->value_column : "value");
	duplicates = text_to_cstring(PG_GETARG_TEXT_PP(6));
	if (!duplicate_policy_by_name(duplicates, &storage->duplicates))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown value for duplicates: \"%s\"", duplicates),
			 errhint(
				 "It is 'error' (a unique constraint proves that there are none), "
				 "'trust' or 'sum'. For another aggregate register a view with "
				 "duplicates => 'trust': SELECT %s, avg(%s) AS %s FROM %s GROUP BY %s.",
				 columns_of_keys(storage), value, value,
				 quote_identifier(get_rel_name(storage->relid)),
				 columns_of_keys(storage))));
	schema = get_rel_namespace(storage->relid);
	former = PG_GETARG_BOOL(7) ? registrations_in_schema(schema, storage->tensor) : NIL;
	declare_storage(storage, is_further_storage(PG_GETARG_TEXT_PP(8)), PG_GETARG_BOOL(7));
	notice_former_readers(storage, former);
	notice_storage_advice(storage);
	notice_aggregate_name(reference);
	PG_RETURN_VOID();
}

/*
 * Is the tensor registered already as the same dimension, but without positions, so that
 * they may be added?
 */
static bool
adds_position(const Storage *storage)
{
	const Storage *known =
		find_registration(relation_registrations(storage->relid), storage->tensor);

	return storage->position && known && known->position == NULL && is_dimension(known) &&
		   strcmp(known->dimensions[0].column, storage->dimensions[0].column) == 0;
}

/*
 * einsum_dimension(name, relation, key, position): declares a dimension, whose index set
 * is the keys of a table, and which is a tensor of that name with 1 at each key.
 * position, or NULL, is a column that orders the keys, so that they have places in
 * values. Errors: no such column, nothing proves that keys or positions are unique,
 * another tensor of that name in the schema.
 */
PG_FUNCTION_INFO_V1(einsum_dimension);
Datum
einsum_dimension(PG_FUNCTION_ARGS)
{
	Storage *storage = palloc0(sizeof(Storage));
	StorageDimension *dimension = &storage->dimensions[0];
	SyntaxReference *reference;

	require_argument(fcinfo, 0, "name");
	require_argument(fcinfo, 1, "relation");
	require_argument(fcinfo, 2, "key");
	reference = parse_tensor_name(PG_GETARG_TEXT_PP(0));
	storage->relid = PG_GETARG_OID(1);
	check_schema(reference, storage->relid);
	storage->tensor = pstrdup(reference->name);
	storage->rank = 1;
	dimension->label = pstrdup("i");
	dimension->kind = DIMENSION_PROMOTED;
	dimension->column = pstrdup(NameStr(*PG_GETARG_NAME(2)));
	dimension->index_set = pstrdup(quote_identifier(reference->name));
	dimension->bound = BOUND_UNRESOLVED;
	storage->duplicates = DUPLICATES_ERROR;
	if (!PG_ARGISNULL(3))
		storage->position = pstrdup(NameStr(*PG_GETARG_NAME(3)));
	declare_storage(storage, false, adds_position(storage));
	notice_aggregate_name(reference);
	PG_RETURN_VOID();
}

/*
 * einsum_unregister(tensor, relation): removes the registration of a tensor on a
 * relation, or on all relations if none is given.
 */
PG_FUNCTION_INFO_V1(einsum_unregister);
Datum
einsum_unregister(PG_FUNCTION_ARGS)
{
	SyntaxReference *reference;

	require_argument(fcinfo, 0, "tensor");
	reference = parse_tensor_name(PG_GETARG_TEXT_PP(0));
	if (PG_ARGISNULL(1))
	{
		if (!retract_tensor(reference->schema, reference->name))
			report_no_tensor(reference);
	}
	else
	{
		check_schema(reference, PG_GETARG_OID(1));
		retract_storage(PG_GETARG_OID(1), reference->name);
	}
	PG_RETURN_VOID();
}
