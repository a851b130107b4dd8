/*-------------------------------------------------------------------------
 *
 * store_table.c
 *	  Making a table that holds a tensor, from a query that lists its entries.
 *
 * The keys get a primary key, which proves them unique, and CHECK constraints,
 * which prove them in range, as one proves the shape of values: programs that read
 * the table need not test them.
 * Values inside a tensor are stacked at their row-major offset. The arrays of a layout
 * are written by store_layout.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>

#include "access/htup_details.h"
#include "catalog/heap.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "tcop/cmdtag.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"

#include "catalog/declare.h"
#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "catalog/shape_proof.h"
#include "catalog/store_layout.h"
#include "catalog/store_table.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "compat.h"
#include "kernels/layout/write.h"
#include "type/entries.h"
#include "type/extension.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"
#include "type/tensor_text.h"

#define VALUE_COLUMN "value"

/* Checks that labels, which become columns, have no reserved names. */
static void
check_label_names(const Storage *storage)
{
	int i;

	for (i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];

		if (dimension->kind != DIMENSION_DEMOTED && !is_layout_index(storage, i) &&
			((strcmp(dimension->label, VALUE_COLUMN) == 0 && storage->layout == NULL) ||
			 SystemAttributeByName(dimension->label) != NULL))
			ereport(ERROR,
					(errcode(ERRCODE_RESERVED_NAME),
					 errmsg("label \"%s\" cannot be a key column", dimension->label),
					 errdetail("A table has another column of that name."),
					 errhint("Choose another label.")));
	}
}

/* Returns the query without semicolons and spaces at its end. */
static char *
trim_query(const char *query)
{
	char *trimmed = pstrdup(query);
	int length = strlen(trimmed);

	while (length > 0 &&
		   (trimmed[length - 1] == ';' || isspace((unsigned char) trimmed[length - 1])))
		trimmed[--length] = '\0';
	return trimmed;
}

/* Returns a hint that shows how the query for a tensor is written. */
static char *
query_form(const Storage *storage)
{
	StringInfoData buf;

	initStringInfo(&buf);
	for (int i = 0; i < storage->rank; i++)
		appendStringInfo(&buf, "%s, ", quote_identifier(storage->dimensions[i].label));
	return psprintf(_("Write a query such as SELECT %svalue FROM ...: a column for each "
					  "label, and the number."),
					buf.data);
}

/* Does the query seem to have the value first, and integers behind it? */
static bool
is_value_first(TupleDesc columns)
{
	Oid first = getBaseType(TupleDescAttr(columns, 0)->atttypid);
	Oid last = getBaseType(TupleDescAttr(columns, columns->natts - 1)->atttypid);

	return (first == FLOAT4OID || first == FLOAT8OID || first == NUMERICOID) &&
		   is_integer_type(last);
}

/* Is the text a statement of a program, like y[i] = x[i], instead of a query? */
static bool
is_program(const char *query)
{
	const char *end = query + strspn(query, " \t\n");

	while (isalnum((unsigned char) *end) || *end == '_' || *end == '.' || *end == '"' ||
		   IS_HIGHBIT_SET(*end))
		end++;
	end += strspn(end, " \t\n");
	if (*end == '[')
		end = strchr(end, ']') ? strchr(end, ']') + 1 : end;
	end += strspn(end, " \t\n");
	return *end == '=' || strncmp(end, ":=", 2) == 0 || strncmp(end, "<-", 2) == 0;
}

/* Raises an error if the query is a program, or only a name, as of a table to be read. */
static void
refuse_name(const Storage *storage, const char *query)
{
	const char *end = query;

	if (is_program(query))
		ereport(
			ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("the entries of tensor \"%s\" must come from one SELECT",
					storage->tensor),
			 errdetail("It is given a program."),
			 errhint("The result of a program is kept by einsum_decompose(program, "
					 "name, materialize => 'always'); a query of it is SELECT * FROM "
					 "einsum_rows(program) AS y(i integer, value double precision).")));
	while (isalnum((unsigned char) *end) || *end == '_' || *end == '.' || *end == '"' ||
		   IS_HIGHBIT_SET(*end))
		end++;
	if (end == query || *end != '\0')
		return;
	ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
					errmsg("the entries of tensor \"%s\" must come from one SELECT",
						   storage->tensor),
					errdetail("The query is \"%s\".", query),
					errhint("%s To use a table as it is, call einsum_register.",
							query_form(storage))));
}

/*
 * Error context callback: adds hints to errors about an existing table of that name,
 * columns of one name, or rows with equal coordinates.
 */
static void
store_context(void *storage)
{
	if (geterrcode() == ERRCODE_DUPLICATE_TABLE)
		errhint("The table is named after the tensor. Say another name with relation => "
				"...; to use a table that is there, call einsum_register; one that "
				"einsum_store has made may be dropped first.");
	if (geterrcode() == ERRCODE_DUPLICATE_COLUMN)
		errhint("Columns of keys are named after their labels. Give the columns of the "
				"layout other names.");
	if (geterrcode() == ERRCODE_UNIQUE_VIOLATION)
		errhint("A tensor has one entry for each index vector. Add them up in the query, "
				"as in SELECT ..., sum(value) FROM ... GROUP BY ...");
}

/*
 * Checks that the values of a query are real numbers, as those of a layout, and that two
 * labels that are exchanged have keys of one type.
 */
static void
check_layout_query(const Storage *storage, TupleDesc columns)
{
	Form_pg_attribute value = TupleDescAttr(columns, storage->rank);
	Form_pg_attribute last[2];

	if (getBaseType(value->atttypid) == tensor_type_oid())
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column %d of the query for tensor \"%s\" must be a number, not %s",
					storage->rank + 1, storage->tensor, format_type_be(value->atttypid)),
			 errdetail("It has the values, and the layout is %s.", layout_text(storage)),
			 errhint("Without a layout, values are tensors of rank 0, too.")));
	for (int i = 0; i < storage->rank; i++)
	{
		Oid type = TupleDescAttr(columns, i)->atttypid;

		if (is_layout_index(storage, i) && !layout_is_object(storage->layout->layout) &&
			!is_integer_type(getBaseType(type)) && getBaseType(type) != DATEOID)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column %d of the query for tensor \"%s\" must be an "
							"integer, not %s",
							i + 1, storage->tensor, format_type_be(type)),
					 errdetail("Label \"%s\" is an index of layout %s.",
							   storage->dimensions[i].label, layout_text(storage)),
					 errhint("Texts are keys of a row, which the first labels are, or of "
							 "the layout object.")));
	}
	if (!storage->symmetric)
		return;
	for (int i = 0; i < 2; i++)
		last[i] = TupleDescAttr(columns, storage->rank - 2 + i);
	if (bound_is_open(storage->dimensions[storage->rank - 2].bound) &&
		getBaseType(last[0]->atttypid) != getBaseType(last[1]->atttypid))
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("columns %d and %d of the query for tensor \"%s\" must have one "
					"type, not %s and %s",
					storage->rank - 1, storage->rank, storage->tensor,
					format_type_be(last[0]->atttypid), format_type_be(last[1]->atttypid)),
			 errdetail("The tensor is symmetric in its last two labels.")));
}

/* Checks that a column of the query has the days of a label. */
static void
require_days(const Storage *storage, int i, TupleDesc columns)
{
	Oid type = TupleDescAttr(columns, i)->atttypid;

	if (getBaseType(type) == DATEOID)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column %d of the query for tensor \"%s\" must be a date, not "
					"%s",
					i + 1, storage->tensor, format_type_be(type)),
			 errdetail("The bound of label \"%s\" is %s.", storage->dimensions[i].label,
					   bounded_to_string(storage->dimensions[i].bound)),
			 errhint("Select a column of type date there, or give the label a bound of "
					 "integers.")));
}

/* Checks that the query lists entries; returns its columns. */
static TupleDesc
check_query(const Storage *storage, const char *query)
{
	SPIPlanPtr plan = prepare_sql(query, 0, NULL);
	CachedPlanSource *source;
	TupleDesc columns;
	int i;

	source = list_length(SPI_plan_get_plan_sources(plan)) == 1
				 ? (CachedPlanSource *) linitial(SPI_plan_get_plan_sources(plan))
				 : NULL;
	if (source == NULL || source->commandTag != CMDTAG_SELECT ||
		source->resultDesc == NULL)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("the entries of tensor \"%s\" must come from one SELECT",
							   storage->tensor),
						errhint("%s", query_form(storage))));
	columns = CreateTupleDescCopy(source->resultDesc);
	if (columns->natts != storage->rank + 1)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the query for tensor \"%s\" must have %d columns, not %d",
						storage->tensor, storage->rank + 1, columns->natts),
				 errdetail("They are the coordinates in the order of the labels, and the "
						   "value."),
				 errhint("%s", query_form(storage))));
	for (i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];

		if (bound_has_days(dimension->bound))
			require_days(storage, i, columns);
		else if (!bound_is_open(dimension->bound) &&
				 !is_integer_type(getBaseType(TupleDescAttr(columns, i)->atttypid)))
			ereport(
				ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column %d of the query for tensor \"%s\" must be an "
						"integer, not %s",
						i + 1, storage->tensor,
						format_type_be(TupleDescAttr(columns, i)->atttypid)),
				 errdetail("It has the coordinates of label \"%s\".", dimension->label),
				 i == 0 && is_value_first(columns)
					 ? errhint("The coordinates come first, in the order of the labels, "
							   "and the value last. %s",
							   query_form(storage))
					 : errhint("Give the label the bound '*' if its index set is the "
							   "keys that occur, or the name of a dimension, which "
							   "einsum_dimension declares.")));
	}
	if (!casts_to(getBaseType(TupleDescAttr(columns, i)->atttypid), FLOAT8OID) &&
		getBaseType(TupleDescAttr(columns, i)->atttypid) != BOOLOID)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column %d of the query for tensor \"%s\" must be a number, not %s",
					i + 1, storage->tensor,
					format_type_be(TupleDescAttr(columns, i)->atttypid)),
			 errdetail("It has the values."), errhint("%s", query_form(storage))));
	if (is_read_by_subquery(storage))
		check_layout_query(storage, columns);
	return columns;
}

/*
 * Returns the type of a key column: the smallest of int4 and int8 that holds its bound.
 */
static const char *
key_column_type(const StorageDimension *dimension, Form_pg_attribute column)
{
	if (bound_is_open(dimension->bound))
		return format_type_extended(column->atttypid, column->atttypmod,
									FORMAT_TYPE_TYPEMOD_GIVEN |
										FORMAT_TYPE_FORCE_QUALIFY);
	if (dimension_has_days(dimension))
		return "pg_catalog.date";
	return bound_fits(dimension->bound, INT4OID) || bound_has_days(dimension->bound)
			   ? "pg_catalog.int4"
			   : "pg_catalog.int8";
}

/* The type of the values that the query returns. */
typedef struct ValueKind
{
	bool tensors;     /* tensors of rank 0, and not numbers of type float8 */
	bool type_known;  /* otherwise it is found when the values are read */
	ElementType type; /* of the entries */
} ValueKind;

/*
 * Finds the type of the query's values: numbers are float8, real numbers float4, and
 * tensors as declared.
 */
static ValueKind
value_kind(const Storage *storage, TupleDesc columns)
{
	Form_pg_attribute column = TupleDescAttr(columns, storage->rank);
	int32 typmod = column->atttypmod;
	Oid type = getBaseTypeAndTypmod(column->atttypid, &typmod);
	ValueKind kind = {false, true, ELEMENT_FLOAT8};

	if (type == tensor_type_oid())
	{
		kind.tensors = true;
		kind.type_known = typmod >= 0;
		kind.type = tensor_typmod_type(typmod, ELEMENT_FLOAT8);
	}
	else if (type == FLOAT4OID)
	{
		kind.tensors = true;
		kind.type = ELEMENT_FLOAT4;
	}
	return kind;
}

static const Oid *
column_types(TupleDesc columns)
{
	Oid *types = palloc(sizeof(Oid) * columns->natts);

	for (int i = 0; i < columns->natts; i++)
		types[i] = TupleDescAttr(columns, i)->atttypid;
	return types;
}

/* Returns "CREATE TABLE table (i int4 NOT NULL CHECK (...), ..., value ...)". */
static char *
create_table_sql(const Storage *storage, const char *table, TupleDesc columns)
{
	StringInfoData buf;
	ValueKind kind = value_kind(storage, columns);
	int value_rank = storage_value_rank(storage);
	char *shape;
	int i;

	initStringInfo(&buf);
	appendStringInfo(&buf, "CREATE TABLE %s (", table);
	for (i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		const char *column = quote_identifier(dimension->label);

		if (dimension->kind == DIMENSION_DEMOTED || is_layout_index(storage, i))
			continue;
		appendStringInfo(&buf, "%s %s NOT NULL", column,
						 key_column_type(dimension, TupleDescAttr(columns, i)));
		if (dimension_has_days(dimension))
			appendStringInfo(&buf, " CHECK (%s)",
							 between_keys_sql(column, bound_first(dimension->bound),
											  bound_end(dimension->bound) - 1,
											  dimension->bound));
		else if (!bound_is_open(dimension->bound))
			appendStringInfo(&buf,
							 " CHECK (%s OPERATOR(pg_catalog.>=) " INT64_FORMAT " AND %s "
							 "OPERATOR(pg_catalog.<) " INT64_FORMAT ")",
							 column, dimension_first_key(dimension), column,
							 dimension_first_key(dimension) +
								 dimension_key_count(dimension));
		appendStringInfoString(&buf, ", ");
	}
	if (storage->layout)
	{
		LayoutTable made = {.storage = storage, .types = column_types(columns)};

		append_layout_columns(&buf, &made);
		appendStringInfoChar(&buf, ')');
		return buf.data;
	}
	/* proves that no row is another one's mirror image */
	if (storage->symmetric)
		appendStringInfo(&buf, "CHECK (%s OPERATOR(pg_catalog.<=) %s), ",
						 quote_identifier(storage->dimensions[storage->rank - 2].label),
						 quote_identifier(storage->dimensions[storage->rank - 1].label));
	if (!kind.type_known)
		appendStringInfo(&buf, VALUE_COLUMN " %s NOT NULL)", tensor_type_name());
	else if (value_rank > 0 || element_is_complex(kind.type))
	{
		appendStringInfo(&buf, VALUE_COLUMN " %s(%s,%d) NOT NULL", tensor_type_name(),
						 element_type_name(kind.type), value_rank);
		/* for rank 0, the type modifier proves the shape */
		shape = value_rank > 0 ? shape_condition(storage, VALUE_COLUMN) : NULL;
		if (shape)
			appendStringInfo(&buf, " CHECK (%s)", shape);
		appendStringInfoChar(&buf, ')');
	}
	else if (kind.type == ELEMENT_FLOAT4)
		appendStringInfoString(&buf, VALUE_COLUMN " pg_catalog.float4 NOT NULL)");
	else
		appendStringInfoString(&buf, VALUE_COLUMN " pg_catalog.float8 NOT NULL)");
	return buf.data;
}

/* Returns "ALTER TABLE table ADD PRIMARY KEY (i, ...)", or NULL without keys. */
static char *
primary_key_sql(const Storage *storage, const char *table)
{
	StringInfoData buf;
	bool first = true;
	int i;

	initStringInfo(&buf);
	appendStringInfo(&buf, "ALTER TABLE %s ADD PRIMARY KEY (", table);
	for (i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind == DIMENSION_DEMOTED ||
			is_layout_index(storage, i))
			continue;
		appendStringInfo(&buf, "%s%s", first ? "" : ", ",
						 quote_identifier(storage->dimensions[i].label));
		first = false;
	}
	appendStringInfoChar(&buf, ')');
	return first ? NULL : buf.data;
}

/*
 * Returns SQL for a checked coordinate: "schema.store_coordinate(q.c0, first, end,
 * 'tensor', 'label')".
 */
static char *
coordinate_sql(const Storage *storage, int i)
{
	const StorageDimension *dimension = &storage->dimensions[i];

	if (bound_is_open(dimension->bound))
		return psprintf("q.c%d", i);
	/* what is not in the range is an error */
	if (bound_has_days(dimension->bound))
		return psprintf(
			"(CASE WHEN %s(CAST(q.c%d AS pg_catalog.date), %s, %s, %s::pg_catalog.text, "
			"%s::pg_catalog.text) THEN CAST(q.c%d AS pg_catalog.date) END)",
			extension_function("einsum_key_in_range"), i,
			key_literal(bound_first(dimension->bound), dimension->bound),
			key_literal(bound_end(dimension->bound) - 1, dimension->bound),
			quote_literal_cstr(storage->tensor), quote_literal_cstr(dimension->label), i);
	return psprintf("%s(CAST(q.c%d AS pg_catalog.int8), '" INT64_FORMAT
					"'::pg_catalog.int8, '" INT64_FORMAT
					"'::pg_catalog.int8, %s::pg_catalog.text, %s::pg_catalog.text)",
					extension_function("store_coordinate"), i,
					bound_first(dimension->bound), bound_end(dimension->bound),
					quote_literal_cstr(storage->tensor),
					quote_literal_cstr(dimension->label));
}

/* Returns SQL for the index of a checked coordinate inside of values. */
static char *
index_sql(const Storage *storage, int i)
{
	return index_of_key_sql(storage->dimensions[i].bound, coordinate_sql(storage, i));
}

/* Returns SQL for the key of a row: the coordinate, or the number of its block. */
static char *
key_sql(const Storage *storage, int i)
{
	const StorageDimension *dimension = &storage->dimensions[i];

	if (dimension->kind != DIMENSION_BLOCKED)
		return coordinate_sql(storage, i);
	return psprintf("(%s OPERATOR(pg_catalog./) " INT64_FORMAT "::pg_catalog.int8)",
					index_sql(storage, i), dimension->block);
}

/* Returns the same with the type of the key column. */
static char *
typed_key_sql(const Storage *storage, int i, TupleDesc columns)
{
	const StorageDimension *dimension = &storage->dimensions[i];

	if (bound_is_open(dimension->bound))
		return key_sql(storage, i);
	return psprintf("%s::%s", key_sql(storage, i),
					key_column_type(dimension, TupleDescAttr(columns, i)));
}

/*
 * Returns SQL for the value of a row of blocks: its entries, each at its place in the
 * block, the last of which may be shorter.
 */
static char *
block_value_sql(const Storage *storage)
{
	StringInfoData places;
	StringInfoData shape;
	int rank = 0;

	initStringInfo(&places);
	initStringInfo(&shape);
	for (int i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		char *offset = index_sql(storage, i);
		char *extent =
			psprintf(INT64_FORMAT "::pg_catalog.int8", bound_size(dimension->bound));

		if (dimension->kind == DIMENSION_PROMOTED)
			continue;
		if (dimension->kind == DIMENSION_BLOCKED)
		{
			offset = psprintf("(%s OPERATOR(pg_catalog.%%) " INT64_FORMAT ")", offset,
							  dimension->block);
			extent = psprintf(
				"LEAST(" INT64_FORMAT "::pg_catalog.int8, %s OPERATOR(pg_catalog.-) (%s "
				"OPERATOR(pg_catalog.*) " INT64_FORMAT "::pg_catalog.int8))",
				dimension->block, extent, key_sql(storage, i), dimension->block);
		}
		appendStringInfo(&places, ", %s, %s", offset, extent);
		appendStringInfo(&shape, "%s%s", rank++ > 0 ? ", " : "", extent);
	}
	return psprintf(
		"%s(%s(q.v, '%s'::pg_catalog.float8, %u%s), ARRAY[%s]::pg_catalog.int4[])",
		extension_function("tensor_reshape"), extension_function("einsum_stack_blocks"),
		float8_to_string(creal(storage->fill)), (1u << rank) - 1, places.data,
		shape.data);
}

/* Are values made with a fill, or with a shape that differs from row to row? */
static bool
is_made_of_blocks(const Storage *storage)
{
	if (storage->fill != 0)
		return true;
	for (int i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind == DIMENSION_BLOCKED)
			return true;
	}
	return false;
}

/* Returns SQL for the value of a row: its entries, each at its row-major offset. */
static char *
stacked_value_sql(const Storage *storage, ElementType type)
{
	StringInfoData shape;
	int64 bounds[TENSOR_MAX_RANK];
	char *offset = NULL;
	char *stacked;
	int rank = 0;
	int i;

	initStringInfo(&shape);
	for (i = 0; i < storage->rank; i++)
	{
		int64 bound = bound_size(storage->dimensions[i].bound);
		char *coordinate;

		if (storage->dimensions[i].kind != DIMENSION_DEMOTED)
			continue;
		coordinate = index_sql(storage, i);
		offset = offset == NULL ? coordinate
								: psprintf("(%s) OPERATOR(pg_catalog.*) " INT64_FORMAT
										   " OPERATOR(pg_catalog.+) %s",
										   offset, bound, coordinate);
		appendStringInfo(&shape, "%s" INT64_FORMAT, rank > 0 ? ", " : "", bound);
		bounds[rank++] = bound;
	}
	stacked =
		psprintf("%s(q.v, %s, 0, '" INT64_FORMAT "'::pg_catalog.int8)",
				 extension_function("stack"), offset, shape_count(type, rank, bounds));
	if (rank == 1)
		return stacked;
	return psprintf("%s(%s, ARRAY[%s]::pg_catalog.int4[])",
					extension_function("tensor_reshape"), stacked, shape.data);
}

/*
 * Returns "(query) AS q WHERE ...": the entries that are stored, with the coordinates c0,
 * c1, ... and the value v.
 */
static char *
query_entries_sql(const Storage *storage, const char *query, TupleDesc columns)
{
	bool tensors = value_kind(storage, columns).tensors && !is_read_by_subquery(storage);
	char *fill = float8_to_string(creal(storage->fill));
	StringInfoData buf;
	int i;

	/*
	 * A new line, in case the query ends in a comment. OFFSET 0 keeps our conditions
	 * above those of the query.
	 */
	initStringInfo(&buf);
	appendStringInfoString(&buf, "(SELECT ");
	for (i = 0; i < storage->rank; i++)
		appendStringInfo(&buf, "p.c%d, ", i);
	appendStringInfo(&buf, "p.v::%s AS v FROM (%s\n) AS p (",
					 tensors ? tensor_type_name()
					 : getBaseType(TupleDescAttr(columns, storage->rank)->atttypid) ==
							 BOOLOID
						 ? "pg_catalog.int4::pg_catalog.float8"
						 : "pg_catalog.float8",
					 query);
	for (i = 0; i < storage->rank; i++)
		appendStringInfo(&buf, "c%d, ", i);
	appendStringInfo(&buf, "v) OFFSET 0) AS q WHERE q.v OPERATOR(%s.<>) '%s'::%s",
					 tensors ? quote_identifier(extension_schema_name()) : "pg_catalog",
					 fill, tensors ? tensor_type_name() : "pg_catalog.float8");
	for (i = 0; i < storage->rank; i++)
		appendStringInfo(&buf, " AND q.c%d IS NOT NULL", i);
	return buf.data;
}

/*
 * Returns "(SELECT ...) AS q", like query_entries_sql: of each entry and its mirror image the
 * one that is stored.
 */
static char *
half_sql(const Storage *storage, const char *entries)
{
	int row = storage->rank - 2;
	char *lower = psprintf("LEAST(q.c%d, q.c%d)", row, row + 1);
	char *upper = psprintf("GREATEST(q.c%d, q.c%d)", row, row + 1);
	bool below = storage->layout && layout_is_lower(storage->layout->layout);
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfoString(&buf, "(SELECT ");
	for (int i = 0; i < row; i++)
		appendStringInfo(&buf, "q.c%d, ", i);
	appendStringInfo(
		&buf,
		"%s AS c%d, %s AS c%d, %s(%s::pg_catalog.text, pg_catalog.count(*), "
		"pg_catalog.count(*) FILTER (WHERE q.c%d OPERATOR(pg_catalog.<) q.c%d), "
		"pg_catalog.count(*) FILTER (WHERE q.c%d OPERATOR(pg_catalog.=) q.c%d), "
		"pg_catalog.min(q.v), pg_catalog.max(q.v), %s, %s) AS v FROM %s GROUP BY ",
		below ? upper : lower, row, below ? lower : upper, row + 1,
		extension_function("store_half"), quote_literal_cstr(storage->tensor), row,
		row + 1, row, row + 1, lower, upper, entries);
	for (int i = 0; i < row; i++)
		appendStringInfo(&buf, "q.c%d, ", i);
	appendStringInfo(&buf, "%s, %s) AS q", lower, upper);
	return buf.data;
}

/* Returns "INSERT INTO table SELECT keys ..., value FROM entries ...". */
static char *
insert_sql(const Storage *storage, const char *table, const char *entries,
		   TupleDesc columns)
{
	ValueKind kind = value_kind(storage, columns);
	StringInfoData buf;
	StringInfoData groups;
	int i;

	initStringInfo(&buf);
	initStringInfo(&groups);
	appendStringInfo(&buf, "INSERT INTO %s SELECT ", table);
	for (i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind == DIMENSION_DEMOTED)
			continue;
		appendStringInfo(&buf, "%s, ", typed_key_sql(storage, i, columns));
		appendStringInfo(&groups, "%s%s", groups.len > 0 ? ", " : "",
						 storage->dimensions[i].kind == DIMENSION_BLOCKED
							 ? key_sql(storage, i)
							 : psprintf("q.c%d", i));
	}
	if (storage_value_rank(storage) > 0)
		appendStringInfoString(
			&buf, is_made_of_blocks(storage)
					  ? block_value_sql(storage)
					  : stacked_value_sql(storage, kind.type_known ? kind.type
																   : ELEMENT_COMPLEX16));
	else
		appendStringInfo(
			&buf, "q.v%s",
			!kind.tensors || !kind.type_known || element_is_complex(kind.type) ? ""
			: kind.type == ELEMENT_FLOAT4 ? "::pg_catalog.float8::pg_catalog.float4"
										  : "::pg_catalog.float8");
	appendStringInfo(&buf, " FROM %s", entries);
	if (storage_value_rank(storage) > 0)
	{
		if (groups.len > 0)
			appendStringInfo(&buf, " GROUP BY %s", groups.data);
		/* without keys, no entries must give no row */
		appendStringInfoString(&buf,
							   " HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 0");
	}
	/* rows in the order of their keys are faster to group later */
	if (groups.len > 0)
		appendStringInfo(&buf, " ORDER BY %s", groups.data);
	return buf.data;
}

static void
run(const Storage *storage, const char *sql, int expected)
{
	int status = run_writing(labelled_query("einsum_store", storage->tensor, sql));

	if (status != expected)
		elog(ERROR, "SPI_execute returned %s", SPI_result_code_string(status));
}

/* Fills the table of a layout, once it has been created. */
static void
fill_arrays(const Storage *storage, const char *schema, const char *relation,
			const char *entries, TupleDesc columns)
{
	LayoutTable table = {
		.storage = storage,
		.types = column_types(columns),
		.relid = get_relname_relid(relation, get_namespace_oid(schema, false))};
	char *keys[TENSOR_MAX_RANK];
	StringInfoData checked;

	/* the arrays have checked indices, too */
	initStringInfo(&checked);
	appendStringInfoString(&checked, "(SELECT ");
	for (int i = 0; i < storage->rank; i++)
	{
		keys[i] = psprintf("q.c%d", i);
		appendStringInfo(&checked, "%s AS c%d, ", typed_key_sql(storage, i, columns), i);
	}
	appendStringInfo(&checked, "q.v FROM %s) AS q", entries);
	store_arrays(&table, checked.data, keys);
}

Oid
store_tensor(Storage *storage, const char *schema, const char *relation,
			 const char *query, bool further)
{
	const char *table = quote_qualified_identifier(schema, relation);
	TupleDesc columns;
	char *create;
	char *entries;
	char *insert;
	char *primary_key;
	ErrorContextCallback context = {.callback = store_context,
									.previous = error_context_stack};
	int i;

	check_label_names(storage);
	query = trim_query(query);
	refuse_name(storage, query);
	SPI_connect();
	columns = check_query(storage, query);
	/* composed before the table is created, so that errors come early */
	entries = query_entries_sql(storage, query, columns);
	if (storage->symmetric)
		entries = half_sql(storage, entries);
	insert = storage->layout ? NULL : insert_sql(storage, table, entries, columns);
	create = create_table_sql(storage, table, columns);
	error_context_stack = &context;
	run(storage, create, SPI_OK_UTILITY);
	if (storage->layout)
	{
		LayoutTable made = {.storage = storage};
		char *arrays = array_storage_sql(&made, table);

		if (arrays)
			run(storage, arrays, SPI_OK_UTILITY);
	}
	if (insert)
		run(storage, insert, SPI_OK_INSERT);
	else
		fill_arrays(storage, schema, relation, entries, columns);
	/* building an index afterwards is faster than maintaining it during the insert */
	primary_key = primary_key_sql(storage, table);
	if (primary_key != NULL)
		run(storage, primary_key, SPI_OK_UTILITY);
	error_context_stack = context.previous;
	run(storage, psprintf("ANALYZE %s", table), SPI_OK_UTILITY);
	SPI_finish();

	storage->relid = get_relname_relid(relation, get_namespace_oid(schema, false));
	for (i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind != DIMENSION_DEMOTED &&
			!is_layout_index(storage, i))
			storage->dimensions[i].column = pstrdup(storage->dimensions[i].label);
	}
	if (storage->layout == NULL)
		storage->value_column = pstrdup(VALUE_COLUMN);
	/* what has been written has each entry once, though nothing proves that it stays so */
	storage->duplicates =
		storage->layout &&
				(!layout_is_unique(storage->layout->layout) || mirrored_by_rows(storage))
			? DUPLICATES_TRUST
			: DUPLICATES_ERROR;
	declare_storage(storage, further, false);
	return storage->relid;
}

/*
 * store_coordinate(coordinate, first, end, tensor, label): returns the coordinate after
 * checking it. Errors: 22003.
 */
PG_FUNCTION_INFO_V1(store_coordinate);
Datum
store_coordinate(PG_FUNCTION_ARGS)
{
	int64 coordinate = PG_GETARG_INT64(0);
	int64 first = PG_GETARG_INT64(1);
	int64 end = PG_GETARG_INT64(2);

	if (coordinate < first || coordinate >= end)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("coordinate " INT64_FORMAT
							   " of label \"%s\" of tensor \"%s\" is out of "
							   "range",
							   coordinate, text_to_cstring(PG_GETARG_TEXT_PP(4)),
							   text_to_cstring(PG_GETARG_TEXT_PP(3))),
						first == 0 ? errdetail("The bound is " INT64_FORMAT
											   "; coordinates count from 0.",
											   end)
								   : errdetail("Coordinates are " INT64_FORMAT
											   " to " INT64_FORMAT ".",
											   first, end - 1)));
	PG_RETURN_INT64(coordinate);
}

/* Returns the text of an argument of any type. */
static char *
argument_text(FunctionCallInfo fcinfo, int argument)
{
	Oid output;
	bool varlena;

	getTypeOutputInfo(get_fn_expr_argtype(fcinfo->flinfo, argument), &output, &varlena);
	return OidOutputFunctionCall(output, PG_GETARG_DATUM(argument));
}

/*
 * store_half(tensor, count, above, diagonal, smallest, largest, row, column): the value of
 * the entries with the indices row and column, in this order or exchanged. There are
 * count of them, above of which have them in this order, and diagonal of which are on the
 * diagonal; their values are from smallest to largest. Errors: 22003 if an entry and its
 * mirror image differ, 23505 if one occurs twice.
 */
PG_FUNCTION_INFO_V1(store_half);
Datum
store_half(PG_FUNCTION_ARGS)
{
	int64 count = PG_GETARG_INT64(1);
	int64 above = PG_GETARG_INT64(2);
	int64 diagonal = PG_GETARG_INT64(3);
	Datum smallest = PG_GETARG_DATUM(4);

	if (diagonal > 1 || above > 1 || count - above - diagonal > 1)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("an entry of tensor \"%s\" with the indices %s and %s occurs "
						"twice",
						text_to_cstring(PG_GETARG_TEXT_PP(0)), argument_text(fcinfo, 6),
						argument_text(fcinfo, 7))));
	if ((diagonal == 0 && count < 2) ||
		!DatumGetBool(DirectFunctionCall2(float8eq, smallest, PG_GETARG_DATUM(5))))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("tensor \"%s\" is not symmetric",
						text_to_cstring(PG_GETARG_TEXT_PP(0))),
				 errdetail("The entries with the indices %s and %s, in this order and "
						   "exchanged, are not the same number.",
						   argument_text(fcinfo, 6), argument_text(fcinfo, 7)),
				 errhint("The query for a symmetric tensor returns both of them.")));
	PG_RETURN_DATUM(smallest);
}
