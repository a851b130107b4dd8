/*-------------------------------------------------------------------------
 *
 * store_layout.c
 *	  Writing the arrays of a table whose storage has a layout.
 *
 * The entries come sorted by the keys of their rows, and of one row in the order that the
 * layout asks for. Those of a row are collected, and written as its arrays once the next
 * row begins.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/params.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "catalog/query_scan.h"
#include "catalog/store_layout.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "kernels/layout/write.h"
#include "compat.h"
#include "type/entries.h"

/* The entries of a row, and what is needed to write them. */
typedef struct ArrayWriter
{
	const LayoutTable *table;
	const Storage *storage;
	const StoredLayout *stored;
	int rank; /* of the layout */
	int nkeys;
	SPIPlanPtr insert;
	ParamListInfo row;     /* its columns */
	MemoryContext context; /* of what is kept from row to row */
	TypeCacheEntry *key_types[TENSOR_MAX_RANK];
	bool begun;
	Datum keys[TENSOR_MAX_RANK]; /* of the row */
	/* its entries: indices and numbers, or an object's text */
	int64 *indices[LAYOUT_MAX_RANK];
	double *numbers;
	int64 count;
	int64 allocated;
	char *last_name; /* the last key of an object */
	StringInfo object;
} ArrayWriter;

/* Bytes beside the elements of an array, or the columns of a row, at the most. */
#define ROOM_FOR_HEADER 1024

/* ---- columns ---- */

static LayoutColumn
column_kind(const LayoutTable *table, int column)
{
	const StoredLayout *stored = table->storage->layout;

	return layout_column(stored->layout, table->storage->rank - stored->first, column);
}

static bool
is_array_column(const LayoutTable *table, int column)
{
	LayoutColumn kind = column_kind(table, column);

	return kind == LAYOUT_INDICES || kind == LAYOUT_VALUES;
}

/*
 * Are the values of a layout real numbers of 4 bytes? Those that begin with their values
 * have the fill among them, which is no other number there.
 */
static bool
has_float4_values(const LayoutTable *table)
{
	double fill = creal(table->storage->fill);

	return getBaseType(table->types[table->storage->rank]) == FLOAT4OID &&
		   (column_kind(table, 0) != LAYOUT_VALUES || isnan(fill) ||
			(double) (float) fill == fill);
}

/* The type of the elements of a column, or of the column itself if it is no array. */
static Oid
column_element(const LayoutTable *table, int column)
{
	const StoredLayout *stored = table->storage->layout;
	LayoutColumn kind = column_kind(table, column);
	int rank = table->storage->rank - stored->first;
	int index = layout_key_index(stored->layout, rank, column);
	const StorageDimension *dimension;
	Oid type;

	if (kind == LAYOUT_OBJECT)
		return JSONBOID;
	if (kind == LAYOUT_VALUES)
		return has_float4_values(table) ? FLOAT4OID : FLOAT8OID;
	/* no array has 2^31 elements that an offset could count */
	if (kind == LAYOUT_NUMBER || index < 0)
		return INT4OID;
	dimension = &table->storage->dimensions[stored->first + index];
	type = getBaseType(table->types[stored->first + index]);
	if (type == DATEOID)
		return DATEOID;
	if (bound_is_open(dimension->bound))
		return type == INT8OID ? INT8OID : INT4OID;
	return bound_fits(dimension->bound, INT4OID) ? INT4OID : INT8OID;
}

static LayoutType
layout_type(Oid element)
{
	return element == FLOAT4OID                       ? LAYOUT_FLOAT4
		   : element == FLOAT8OID                     ? LAYOUT_FLOAT8
		   : element == INT4OID || element == DATEOID ? LAYOUT_INT4
													  : LAYOUT_INT8;
}

void
append_layout_columns(StringInfo sql, const LayoutTable *table)
{
	const StoredLayout *stored = table->storage->layout;
	ListCell *cell;

	foreach (cell, stored->columns)
	{
		int column = foreach_current_index(cell);

		appendStringInfo(sql, "%s%s %s%s NOT NULL", column > 0 ? ", " : "",
						 quote_identifier(((ValuePart *) lfirst(cell))->column),
						 format_type_be_qualified(column_element(table, column)),
						 is_array_column(table, column) ? "[]" : "");
	}
}

char *
array_storage_sql(const LayoutTable *table, const char *name)
{
	StringInfoData sql;
	ListCell *cell;

	initStringInfo(&sql);
	foreach (cell, table->storage->layout->columns)
	{
		if (is_array_column(table, foreach_current_index(cell)))
			appendStringInfo(&sql, "%s ALTER %s SET STORAGE EXTERNAL", sql.len ? "," : "",
							 quote_identifier(((ValuePart *) lfirst(cell))->column));
	}
	return sql.len ? psprintf("ALTER TABLE %s%s", name, sql.data) : NULL;
}

/* ---- arrays ---- */

pg_noreturn static void
report_too_large(const ArrayWriter *writer)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("a row of tensor \"%s\" is too large for layout %s",
					writer->storage->tensor, layout_text(writer->storage)),
			 errdetail(
				 "Its arrays would have more than 1 GB. Entries in the row: " INT64_FORMAT
				 ".",
				 writer->count),
			 errhint("A layout such as lists has a row for each key of the other "
					 "labels; without a layout there is one for each entry.")));
}

/* Returns "(3,4)": the indices of an entry of the row, with its keys. */
static char *
describe_entry(const ArrayWriter *writer, int64 entry)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoChar(&text, '(');
	for (int k = 0; k < writer->nkeys; k++)
	{
		Oid output;
		bool varlena;

		getTypeOutputInfo(writer->key_types[k]->type_id, &output, &varlena);
		appendStringInfo(&text, "%s,", OidOutputFunctionCall(output, writer->keys[k]));
	}
	for (int d = 0; d < writer->rank; d++)
	{
		int64 bound = writer->storage->dimensions[writer->nkeys + d].bound;
		bool position = layout_by_position(writer->stored->layout, d);

		appendStringInfo(&text, "%s%s", d ? "," : "",
						 key_to_string(bound, writer->indices[d][entry] +
												  (position ? bound_first(bound) : 0)));
	}
	appendStringInfoChar(&text, ')');
	return text.data;
}

pg_noreturn static void
report_no_place(const ArrayWriter *writer, int64 entry)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("entry %s of tensor \"%s\" has no place in layout %s",
					describe_entry(writer, entry), writer->storage->tensor,
					layout_text(writer->storage)),
			 errdetail_internal("Its entries are %s.",
								layout_meaning(writer->stored->layout)),
			 errhint("The layouts csr, csc, coo and lists, and rows without a layout, "
					 "have a place for every entry.")));
}

/* Raises an error if a value is not 1, and the layout has no column of values. */
static void
check_ones(const ArrayWriter *writer)
{
	for (int64 p = 0; p < writer->count; p++)
	{
		if (writer->numbers[p] != 1)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("entry %s of tensor \"%s\" is %s, and layout %s has no "
							"column of values",
							describe_entry(writer, p), writer->storage->tensor,
							number_to_string(writer->numbers[p]),
							layout_text(writer->storage)),
					 errdetail("Without values, all entries are 1."),
					 errhint("Name one more column, the last of the layout.")));
	}
}

/* Returns an array of one dimension without elements yet. */
static ArrayType *
new_array_of_length(Oid element, int64 length)
{
	int64 size;
	ArrayType *array;

	if (length == 0)
		return construct_empty_array(element);
	size = ARR_OVERHEAD_NONULLS(1) + length * get_typlen(element);
	array = palloc0(size);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = element;
	ARR_DIMS(array)[0] = length;
	ARR_LBOUND(array)[0] = 1;
	return array;
}

/* Makes the arrays of the entries that have been collected. */
static void
make_arrays(ArrayWriter *writer, ParamExternData *values)
{
	int ncolumns = list_length(writer->stored->columns);
	LayoutSource source = {.layout = writer->stored->layout,
						   .rank = writer->rank,
						   .count = writer->count,
						   .numbers = writer->numbers,
						   .fill = creal(writer->storage->fill)};
	LayoutTarget targets[LAYOUT_MAX_COLUMNS];
	int64_t lengths[LAYOUT_MAX_COLUMNS];
	int64_t entry;
	int64 bytes = 0;
	int32 number[LAYOUT_MAX_COLUMNS];

	for (int d = 0; d < writer->rank; d++)
	{
		int64 bound = writer->storage->dimensions[writer->stored->first + d].bound;
		bool any =
			bound_is_open(bound) ||
			(bound_has_origin(bound) && !layout_by_position(writer->stored->layout, d));

		source.keys[d] = (const int64_t *) writer->indices[d];
		source.bounds[d] = any ? LAYOUT_ANY : bound_size(bound);
	}
	if (!writer->stored->with_values)
		check_ones(writer);
	if (!layout_measure(&source, lengths, &entry))
		report_no_place(writer, entry);
	for (int c = 0; c < ncolumns; c++)
	{
		Oid element = column_element(writer->table, c);

		if (lengths[c] > (int64) MaxAllocSize)
			report_too_large(writer);
		bytes += ROOM_FOR_HEADER + lengths[c] * get_typlen(element);
	}
	if (bytes > (int64) MaxAllocSize - ROOM_FOR_HEADER)
		report_too_large(writer);
	for (int c = 0; c < ncolumns; c++)
	{
		Oid element = column_element(writer->table, c);

		targets[c] = (LayoutTarget){.type = layout_type(element), .length = lengths[c]};
		if (column_kind(writer->table, c) == LAYOUT_NUMBER)
			targets[c].data = &number[c];
		else
		{
			ArrayType *array = new_array_of_length(element, lengths[c]);

			targets[c].data = ARR_DATA_PTR(array);
			values[c].value = PointerGetDatum(array);
		}
	}
	layout_write(&source, ncolumns, targets);
	for (int c = 0; c < ncolumns; c++)
	{
		if (column_kind(writer->table, c) == LAYOUT_NUMBER)
			values[c].value = Int32GetDatum(number[c]);
	}
}

/* Inserts the row whose entries have been collected, and forgets them. */
static void
write_row(ArrayWriter *writer)
{
	ParamExternData *values = writer->row->params;
	SPIExecuteOptions options = {.params = writer->row};
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "sparseeinsum arrays", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	int status;

	CHECK_FOR_INTERRUPTS();
	for (int k = 0; k < writer->nkeys; k++)
		values[k].value = writer->keys[k];
	if (layout_is_object(writer->stored->layout))
	{
		appendStringInfoChar(writer->object, '}');
		values[writer->nkeys].value =
			DirectFunctionCall1(jsonb_in, CStringGetDatum(writer->object->data));
	}
	else
		make_arrays(writer, values + writer->nkeys);
	/* a level of its own, since the query of the entries runs in the one there is */
	SPI_connect();
	status = run_prepared(writer->insert, &options);
	SPI_finish();
	if (status != SPI_OK_INSERT)
		elog(ERROR, "SPI_execute_plan returned %s", SPI_result_code_string(status));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	for (int k = 0; k < writer->nkeys; k++)
		if (!writer->key_types[k]->typbyval)
			pfree(DatumGetPointer(writer->keys[k]));
	writer->begun = false;
}

/* ---- entries ---- */

/* Begins a row of arrays, with the keys of an entry; NULL: without keys. */
static void
begin_row(ArrayWriter *writer, TupleTableSlot *slot)
{
	MemoryContext old = MemoryContextSwitchTo(writer->context);

	for (int k = 0; slot && k < writer->nkeys; k++)
		writer->keys[k] = datumCopy(slot->tts_values[k], writer->key_types[k]->typbyval,
									writer->key_types[k]->typlen);
	writer->count = 0;
	writer->last_name = NULL;
	resetStringInfo(writer->object);
	appendStringInfoChar(writer->object, '{');
	writer->begun = true;
	MemoryContextSwitchTo(old);
}

/* Is an entry in the row that has begun? */
static bool
is_same_row(const ArrayWriter *writer, TupleTableSlot *slot)
{
	for (int k = 0; k < writer->nkeys; k++)
	{
		if (!DatumGetBool(FunctionCall2Coll(
				&writer->key_types[k]->eq_opr_finfo,
				TupleDescAttr(slot->tts_tupleDescriptor, k)->attcollation,
				writer->keys[k], slot->tts_values[k])))
			return false;
	}
	return true;
}

pg_noreturn static void
report_twice(const ArrayWriter *writer, const char *entry)
{
	ereport(ERROR, (errcode(ERRCODE_UNIQUE_VIOLATION),
					errmsg("entry %s of tensor \"%s\" occurs twice", entry,
						   writer->storage->tensor)));
}

/* Adds an entry to the object of the row. */
static void
append_member(ArrayWriter *writer, const char *name, double number)
{
	if (writer->last_name && strcmp(writer->last_name, name) == 0)
		report_twice(writer, name);
	if (!isfinite(number))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("entry %s of tensor \"%s\" has no place in layout %s", name,
						writer->storage->tensor, layout_text(writer->storage)),
				 errdetail("It is %s, which no number in jsonb is.",
						   number_to_string(number)),
				 errhint("The layout lists has a place for every number.")));
	if (writer->last_name)
	{
		pfree(writer->last_name);
		appendStringInfoChar(writer->object, ',');
	}
	escape_json(writer->object, name);
	appendStringInfo(writer->object, ":%s", float8_to_string(number));
	writer->last_name = MemoryContextStrdup(writer->context, name);
}

/* Makes room for one more entry. */
static void
grow(ArrayWriter *writer)
{
	MemoryContext old = MemoryContextSwitchTo(writer->context);
	Size bytes;

	if (writer->allocated > (int64) MaxAllocSize / (int64) sizeof(double))
		report_too_large(writer);
	writer->allocated = writer->allocated ? writer->allocated * 2 : 1024;
	bytes = sizeof(int64) * writer->allocated;
	for (int d = 0; d < writer->rank; d++)
		writer->indices[d] =
			writer->count ? repalloc_huge(writer->indices[d], bytes) : palloc(bytes);
	writer->numbers =
		writer->count ? repalloc_huge(writer->numbers, bytes) : palloc(bytes);
	MemoryContextSwitchTo(old);
}

/* Has an entry the indices of the one before in its row? */
static bool
repeats_indices(const ArrayWriter *writer, TupleTableSlot *slot)
{
	if (writer->count == 0)
		return false;
	for (int d = 0; d < writer->rank; d++)
		if (writer->indices[d][writer->count - 1] !=
			DatumGetInt64(slot->tts_values[writer->nkeys + d]))
			return false;
	return true;
}

static bool
collect_entry(TupleTableSlot *slot, void *state)
{
	ArrayWriter *writer = state;
	double number = DatumGetFloat8(slot->tts_values[writer->nkeys + writer->rank]);

	if (writer->begun && !is_same_row(writer, slot))
		write_row(writer);
	if (!writer->begun)
		begin_row(writer, slot);
	if (layout_is_object(writer->stored->layout))
	{
		append_member(writer, TextDatumGetCString(slot->tts_values[writer->nkeys]),
					  number);
		return true;
	}
	if (repeats_indices(writer, slot))
		report_twice(writer, describe_entry(writer, writer->count - 1));
	if (writer->count == writer->allocated)
		grow(writer);
	for (int d = 0; d < writer->rank; d++)
		writer->indices[d][writer->count] =
			DatumGetInt64(slot->tts_values[writer->nkeys + d]);
	writer->numbers[writer->count++] = number;
	return true;
}

/* Returns an index of an entry: its position, or the key that arrays have. */
static char *
index_sql(const ArrayWriter *writer, int d)
{
	int i = writer->nkeys + d;
	char *key = psprintf("q.c%d", i);

	if (layout_by_position(writer->stored->layout, d))
		return index_of_key_sql(writer->storage->dimensions[i].bound, key);
	return getBaseType(writer->table->types[i]) == DATEOID &&
				   !layout_is_object(writer->stored->layout)
			   ? psprintf("%s OPERATOR(pg_catalog.-) '2000-01-01'::pg_catalog.date", key)
			   : key;
}

/* "SELECT keys ..., indices ..., number FROM ... ORDER BY ...". */
static char *
entries_query(const ArrayWriter *writer, const char *entries, char *const *key_sql)
{
	bool object = layout_is_object(writer->stored->layout);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int k = 0; k < writer->nkeys; k++)
		appendStringInfo(&sql, "%s AS k%d, ", key_sql[k], k);
	for (int d = 0; d < writer->rank; d++)
		appendStringInfo(&sql, "(%s)::pg_catalog.%s AS i%d, ", index_sql(writer, d),
						 object ? "text" : "int8", d);
	appendStringInfo(&sql, "q.v FROM %s ORDER BY ", entries);
	for (int k = 0; k < writer->nkeys; k++)
		appendStringInfo(&sql, "k%d, ", k);
	if (!object && layout_is_by_column(writer->stored->layout))
		appendStringInfoString(&sql, "i1, i0");
	else
		for (int d = 0; d < writer->rank; d++)
			appendStringInfo(&sql, "%si%d", d ? ", " : "", d);
	return sql.data;
}

/* Prepares "INSERT INTO table VALUES ($1, ...)". */
static void
prepare_insert(ArrayWriter *writer)
{
	Oid types[TENSOR_MAX_RANK + LAYOUT_MAX_COLUMNS];
	int count = writer->nkeys + list_length(writer->stored->columns);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s VALUES (",
					 qualified_relation_name(writer->table->relid));
	writer->row = makeParamList(count);
	for (int c = 0; c < count; c++)
	{
		types[c] = get_atttype(writer->table->relid, c + 1);
		writer->row->params[c] = (ParamExternData){.ptype = types[c]};
		appendStringInfo(&sql, "%s$%d", c ? ", " : "", c + 1);
		if (c < writer->nkeys)
			writer->key_types[c] = lookup_type_cache(types[c], TYPECACHE_EQ_OPR_FINFO);
	}
	appendStringInfoChar(&sql, ')');
	writer->insert = prepare_sql(
		labelled_query("einsum_store", writer->storage->tensor, sql.data), count, types);
}

void
store_arrays(const LayoutTable *table, const char *entries, char *const *key_sql)
{
	ArrayWriter writer = {.table = table,
						  .storage = table->storage,
						  .stored = table->storage->layout,
						  .rank = table->storage->rank - table->storage->layout->first,
						  .nkeys = table->storage->layout->first,
						  .context = CurrentMemoryContext};

	writer.object = makeStringInfo();
	prepare_insert(&writer);
	scan_query_as_caller(labelled_query("einsum_store", table->storage->tensor,
										entries_query(&writer, entries, key_sql)),
						 collect_entry, &writer);
	if (!writer.begun && writer.nkeys == 0)
		begin_row(&writer, NULL);
	if (writer.begun)
		write_row(&writer);
}
