/*-------------------------------------------------------------------------
 *
 * value_columns.c
 *	  Values that are no column: a vector of several columns, and the categories
 *	  of one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/query_label.h"
#include "catalog/query_scan.h"
#include "catalog/stored_layout.h"
#include "catalog/value_columns.h"
#include "type/extension.h"
#include "type/tensor.h"

/* The most categories of a column: every row has a number for each, most of them 0. */
#define MAX_CATEGORIES 1000

bool
has_made_value(const Storage *storage)
{
	return storage->value_parts != NIL || storage->one_hot;
}

bool
null_policy_by_name(const char *name, NullPolicy *policy)
{
	*policy = strcmp(name, "row") == 0 ? NULLS_ROW : NULLS_ENTRY;
	return *policy == NULLS_ROW || strcmp(name, "entry") == 0;
}

List *
needed_value_columns(const Storage *storage)
{
	List *columns = NIL;
	ListCell *cell;

	/* entries that come out of arrays have a value each */
	if (storage->value_column == NULL || storage->layout)
		return NIL;
	if (storage->value_parts == NIL)
		return list_make1(storage->value_column);
	foreach (cell, storage->value_parts)
	{
		const ValuePart *part = lfirst(cell);

		if (part->column && storage->nulls == NULLS_ROW)
			columns = lappend(columns, part->column);
	}
	return columns;
}

void
append_row_conditions(StringInfo query, const Storage *storage, const char *alias)
{
	List *columns = needed_value_columns(storage);
	ListCell *cell;

	for (int i = 0; i < storage->rank; i++)
	{
		/* indices of a layout are in arrays of the row, and are not NULL */
		if (storage->dimensions[i].kind != DIMENSION_DEMOTED &&
			!is_layout_index(storage, i))
			columns = lappend(columns, storage->dimensions[i].column);
	}
	foreach (cell, columns)
		appendStringInfo(query, " AND %s.%s IS NOT NULL", alias,
						 quote_identifier(lfirst(cell)));
}

/* Is the text a number rather than the name of a column? */
static bool
reads_as_number(const char *text, double *number)
{
	char *end;

	/* a column may be called "infinity" */
	if (text[0] == '\0' || strchr("+-.0123456789", text[0]) == NULL)
		return false;
	*number = strtod(text, &end);
	return *end == '\0' && isfinite(*number);
}

/* Returns the text of an array of texts. */
static char *
text_array(List *texts)
{
	ArrayBuildState *array = initArrayResult(TEXTOID, CurrentMemoryContext, false);
	ListCell *cell;

	foreach (cell, texts)
		(void) accumArrayResult(array, CStringGetTextDatum(lfirst(cell)), false, TEXTOID,
								CurrentMemoryContext);
	return OidOutputFunctionCall(F_ARRAY_OUT,
								 makeArrayResult(array, CurrentMemoryContext));
}

static char *
part_name(const ValuePart *part)
{
	return part->column ? part->column : float8_to_string(part->constant);
}

char *
value_parts_text(List *parts)
{
	List *names = NIL;
	ListCell *cell;

	foreach (cell, parts)
		names = lappend(names, part_name(lfirst(cell)));
	return text_array(names);
}

/* Parses "{age,income,1}" into ValuePart *s. */
static List *
parse_value_parts(const char *tensor, const char *value)
{
	ArrayType *array;
	List *parts = NIL;
	ListCell *cell;
	Datum *names;
	bool *nulls;
	int count;
	int bounds = 0;

	array = DatumGetArrayTypeP(
		OidInputFunctionCall(F_ARRAY_IN, unconstify(char *, value), TEXTOID, -1));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &count);
	if (ARR_NDIM(array) != 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("the value of tensor \"%s\" must be a one-dimensional "
							   "list of columns, not \"%s\"",
							   tensor, value)));
	for (int i = 0; i < count; i++)
	{
		ValuePart *part = palloc0(sizeof(ValuePart));
		char *name = nulls[i] ? NULL : TextDatumGetCString(names[i]);

		if (name == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("a column of the value of tensor \"%s\" is NULL", tensor),
					 errhint("Name columns and numbers, as in "
							 "'{age,income,1}'.")));
		if (!reads_as_number(name, &part->constant))
			/* names are truncated, as names of columns are */
			part->column =
				NameStr(*DatumGetName(DirectFunctionCall1(text_name, names[i])));
		foreach (cell, parts)
		{
			const ValuePart *other = lfirst(cell);

			if (part->column != NULL && other->column != NULL &&
				strcmp(part->column, other->column) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("column \"%s\" is twice in the value of tensor \"%s\"",
								part->column, tensor)));
		}
		bounds += strspn(name, "0123456789") == strlen(name);
		parts = lappend(parts, part);
	}
	/* the user probably gave bounds, the fifth argument, as the fourth */
	if (bounds == list_length(parts) && bounds > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the value of tensor \"%s\" has no column", tensor),
				 errdetail("'%s' is taken for values.", value),
				 errhint("Bounds are the fifth argument: bounds => '%s'.", value)));
	return parts;
}

/*
 * Returns the dimension of the only label in lower case, whose indices are the columns or
 * categories; NULL if there is no such label.
 */
static StorageDimension *
made_dimension(Storage *storage)
{
	StorageDimension *dimension = NULL;
	int count = 0;

	for (int i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind != DIMENSION_PROMOTED)
			count++;
		if (storage->dimensions[i].kind == DIMENSION_DEMOTED)
			dimension = &storage->dimensions[i];
	}
	return count == 1 ? dimension : NULL;
}

char *
fit_made_value(Storage *storage)
{
	int bound =
		list_length(storage->one_hot ? storage->categories : storage->value_parts);
	StorageDimension *dimension = made_dimension(storage);

	if (dimension == NULL)
		return pstrdup("Its notation must have one label in lower case, without a block "
					   "size, which is the dimension.");
	/* categories are not known yet while registering */
	if (storage->one_hot && storage->categories == NIL)
		return NULL;
	if (dimension->bound == BOUND_UNKNOWN)
		dimension->bound = bound;
	if (dimension->index_set)
		return pstrdup(
			"Several columns, or categories, are not the keys of a dimension.");
	if (bound_size(dimension->bound) != bound)
		return psprintf("The bound of label \"%s\" is %s, but it has %d %s.",
						dimension->label, bound_to_string(dimension->bound), bound,
						storage->one_hot ? "categories" : "columns");
	return NULL;
}

static void
require_fit(Storage *storage)
{
	char *misfit = fit_made_value(storage);
	const StorageDimension *dimension = made_dimension(storage);

	if (misfit != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s cannot be the value of tensor \"%s\"",
							   storage->one_hot ? "categories" : "several columns",
							   storage->tensor),
						errdetail_internal("%s", misfit),
						dimension == NULL
							? errhint("Write it as in \"%s[I,k]\".", storage->tensor)
							: errhint("Leave the bound of label \"%s\" out: NULL in its "
									  "place in bounds, or no bounds.",
									  dimension->label)));
}

void
set_value(Storage *storage, const char *value, bool one_hot)
{
	storage->value_column = value ? pstrdup(value) : NULL;
	storage->one_hot = one_hot;
	if (one_hot)
	{
		if (value == NULL || value[0] == '{')
			ereport(ERROR,
					(errcode(value ? ERRCODE_FEATURE_NOT_SUPPORTED
								   : ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("one_hot is of one column of categories"),
					 errhint("Register each column as a tensor of its own, all with the "
							 "same keys.")));
	}
	else if (value != NULL && value[0] == '{')
	{
		storage->value_parts = parse_value_parts(storage->tensor, value);
		storage->value_column = value_parts_text(storage->value_parts);
	}
	else if (value != NULL)
		storage->value_column = NameStr(
			*DatumGetName(DirectFunctionCall1(text_name, CStringGetTextDatum(value))));
	if (has_made_value(storage))
		require_fit(storage);
}

/* Can float4 hold a number, apart from its precision? */
static bool
fits_float4(double number)
{
	return !isfinite(number) ||
		   (isfinite((float) number) && (number == 0.0 || (float) number != 0.0f));
}

bool
resolve_value_parts(Storage *storage, Relation relation, StorageProblem *problem)
{
	bool all_real = fits_float4(creal(storage->fill));
	bool columns = false;
	ListCell *cell;

	foreach (cell, storage->value_parts)
	{
		ValuePart *part = lfirst(cell);
		Form_pg_attribute column;
		Oid type;

		if (part->column == NULL)
		{
			all_real = all_real && fits_float4(part->constant);
			continue;
		}
		column = user_column(relation, part->column);
		if (column == NULL)
			return no_column(storage, relation, part->column, "part of the value",
							 problem);
		part->attno = column->attnum;
		part->type = column->atttypid;
		type = getBaseType(column->atttypid);
		columns = true;
		all_real = all_real && type == FLOAT4OID;
		if (type == BOOLOID ||
			(TypeCategory(type) == TYPCATEGORY_NUMERIC && casts_to(type, FLOAT8OID)))
			continue;
		problem->sqlstate = ERRCODE_DATATYPE_MISMATCH;
		problem->message =
			psprintf("column \"%s\" of relation \"%s\" cannot be part of "
					 "the value of tensor \"%s\"",
					 part->column, RelationGetRelationName(relation), storage->tensor);
		problem->detail = psprintf("Type %s is no number.", format_type_be(part->type));
		problem->hint = pstrdup("A column of categories can be a tensor of its own, with "
								"one_hot => true; a view may convert others.");
		return false;
	}
	/* a constant has no type of its own: only the columns decide */
	if (storage->element_type == 0)
		storage->element_type = columns && all_real ? ELEMENT_FLOAT4 : ELEMENT_FLOAT8;
	storage->value_type = tensor_type_oid();
	return true;
}

bool
resolve_category(const Storage *storage, Relation relation, Oid type,
				 StorageProblem *problem)
{
	type = getBaseType(type);
	/* accepts the types whose text does not depend on the session's settings */
	if (TypeCategory(type) == TYPCATEGORY_STRING || type_is_enum(type) ||
		type == BOOLOID || is_integer_type(type))
		return true;
	problem->sqlstate = ERRCODE_DATATYPE_MISMATCH;
	problem->message = psprintf(
		"column \"%s\" of relation \"%s\" cannot be the categories of tensor \"%s\"",
		storage->value_column, RelationGetRelationName(relation), storage->tensor);
	problem->detail =
		psprintf("Categories are texts, values of an enum, integers or booleans, not %s.",
				 format_type_be(type));
	problem->hint = pstrdup("A view may convert it.");
	return false;
}

/* The categories read so far, and the memory context in which they are kept. */
typedef struct CategoryReader
{
	List *categories;
	MemoryContext context;
} CategoryReader;

static bool
take_category(TupleTableSlot *slot, void *state)
{
	CategoryReader *reader = state;
	MemoryContext old;

	if (slot->tts_isnull[0])
		return true;
	old = MemoryContextSwitchTo(reader->context);
	reader->categories =
		lappend(reader->categories, TextDatumGetCString(slot->tts_values[0]));
	MemoryContextSwitchTo(old);
	return list_length(reader->categories) <= MAX_CATEGORIES;
}

void
read_categories(Storage *storage, Relation relation)
{
	CategoryReader reader = {NIL, CurrentMemoryContext};
	const char *column;
	StringInfoData query;

	if (!storage->one_hot || storage->categories != NIL)
		return;
	column = quote_identifier(storage->value_column);
	initStringInfo(&query);
	appendStringInfo(&query,
					 "SELECT DISTINCT CAST(r.%s AS pg_catalog.text) COLLATE "
					 "pg_catalog.\"C\" FROM (SELECT * FROM %s OFFSET 0) r WHERE r.%s IS "
					 "NOT NULL",
					 column, qualified_relation_name(storage->relid), column);
	/* a row with a NULL key is an absent entry, and has no category */
	for (int i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind != DIMENSION_DEMOTED)
			appendStringInfo(&query, " AND r.%s IS NOT NULL",
							 quote_identifier(storage->dimensions[i].column));
	}
	appendStringInfoString(&query, " ORDER BY 1");
	scan_query(labelled_query("einsum_register", storage->tensor, query.data),
			   relation->rd_rel->relowner, true, take_category, &reader);
	if (reader.categories == NIL)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("tensor \"%s\" has no categories", storage->tensor),
						errdetail("They are the values that column \"%s\" has when it is "
								  "registered, and it has none.",
								  storage->value_column)));
	if (list_length(reader.categories) > MAX_CATEGORIES)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("tensor \"%s\" has too many categories", storage->tensor),
			 errdetail("Each row is a vector with an element for each; the limit is "
					   "%d.",
					   MAX_CATEGORIES),
			 errhint("Register the column as a key, without a value: a row then means "
					 "1.")));
	storage->categories = reader.categories;
	require_fit(storage);
}

/* Appends text to a template, doubling each "%". */
static void
append_plain(StringInfo buf, const char *text)
{
	for (; *text; text++)
	{
		if (*text == '%')
			appendStringInfoChar(buf, '%');
		appendStringInfoChar(buf, *text);
	}
}

/* Appends "alias.column" to a template. */
static void
append_column_of_alias(StringInfo buf, const char *column)
{
	appendStringInfoString(buf, "%1$s.");
	append_plain(buf, quote_identifier(column));
}

static char *
made_category(const Storage *storage, const char *column)
{
	StringInfoData buf;

	initStringInfo(&buf);
	append_plain(&buf, extension_function("einsum_one_hot"));
	appendStringInfoString(&buf, "(CAST(");
	append_column_of_alias(&buf, column);
	appendStringInfoString(&buf, " AS pg_catalog.text), ");
	append_plain(&buf, quote_literal_cstr(text_array(storage->categories)));
	appendStringInfoString(&buf, "::pg_catalog.text[], ");
	append_plain(&buf, quote_literal_cstr(storage->tensor));
	appendStringInfoString(&buf, "::pg_catalog.text)");
	return buf.data;
}

char *
made_value(const Storage *storage, char *const *columns)
{
	const char *number = storage->element_type == ELEMENT_FLOAT4 ? "pg_catalog.float4"
																 : "pg_catalog.float8";
	StringInfoData buf;
	ListCell *cell;
	int i = 0;

	if (storage->one_hot)
		return made_category(storage, columns ? columns[0] : storage->value_column);
	initStringInfo(&buf);
	appendStringInfoString(&buf, "CAST(ARRAY[");
	foreach (cell, storage->value_parts)
	{
		const ValuePart *part = lfirst(cell);

		appendStringInfoString(&buf, i > 0 ? ", " : "");
		if (part->column == NULL)
			appendStringInfo(&buf, "'%s'::%s", float8_to_string(part->constant), number);
		else
		{
			bool boolean = getBaseType(part->type) == BOOLOID;

			/* under NULLS_ROW, rows with a NULL have been removed before */
			appendStringInfo(&buf, "%sCAST(%s",
							 storage->nulls == NULLS_ENTRY ? "COALESCE(" : "",
							 boolean ? "CAST(" : "");
			append_column_of_alias(&buf, columns ? columns[i] : part->column);
			appendStringInfo(&buf, "%s AS %s)", boolean ? " AS pg_catalog.int4)" : "",
							 number);
			if (storage->nulls == NULLS_ENTRY)
				appendStringInfo(&buf, ", '%s'::%s)",
								 float8_to_string(creal(storage->fill)), number);
		}
		i++;
	}
	appendStringInfoString(&buf, "] AS ");
	append_plain(&buf, tensor_type_name());
	appendStringInfoChar(&buf, ')');
	return buf.data;
}

char *
value_index_name(const Storage *storage, int i)
{
	if (storage->one_hot)
		return list_nth(storage->categories, i);
	return part_name(list_nth(storage->value_parts, i));
}
