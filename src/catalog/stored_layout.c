/*-------------------------------------------------------------------------
 *
 * stored_layout.c
 *	  Tensors whose entries are in arrays of a relation's rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <ctype.h>

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/tuptable.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/label.h"
#include "catalog/query_label.h"
#include "catalog/query_scan.h"
#include "catalog/stored_layout.h"
#include "kernels/layout/layout.h"
#include "type/entries.h"
#include "type/extension.h"

/* ---- the text ---- */

/* Reads one name, in double quotes or not, up to a comma or parenthesis; NULL if that is empty. */
static char *
read_name(const char **text)
{
	StringInfoData name;
	const char *c = *text;

	initStringInfo(&name);
	while (isspace((unsigned char) *c))
		c++;
	if (*c == '"')
	{
		for (c++; *c && (*c != '"' || c[1] == '"'); c++)
		{
			appendStringInfoChar(&name, *c);
			c += *c == '"';
		}
		if (*c++ != '"')
			return NULL;
	}
	else
	{
		for (; *c && !strchr("(),\"", *c); c++)
			appendStringInfoChar(&name, *c);
		while (name.len > 0 && isspace((unsigned char) name.data[name.len - 1]))
			name.data[--name.len] = '\0';
	}
	while (isspace((unsigned char) *c))
		c++;
	*text = c;
	return name.len > 0 ? name.data : NULL;
}

/* Reads "name(column, ...)"; false if it is not written so. */
static bool
read_layout(const char *text, char **name, List **columns)
{
	*columns = NIL;
	*name = read_name(&text);
	if (*name == NULL || *text != '(')
		return false;
	do
	{
		char *column;
		ValuePart *part = palloc0(sizeof(ValuePart));

		text++;
		column = read_name(&text);
		if (column == NULL)
			return false;
		/* cut off where the name of a column would be */
		part->column = NameStr(
			*DatumGetName(DirectFunctionCall1(text_name, CStringGetTextDatum(column))));
		*columns = lappend(*columns, part);
	} while (*text == ',');
	if (*text++ != ')')
		return false;
	while (isspace((unsigned char) *text))
		text++;
	return *text == '\0';
}

static bool
no_layout(const Storage *storage, const char *text, int sqlstate, char *detail,
		  char *hint, StorageProblem *problem)
{
	problem->sqlstate = sqlstate;
	problem->message =
		psprintf("\"%s\" cannot be the layout of tensor \"%s\"", text, storage->tensor);
	problem->detail = detail;
	problem->hint = hint;
	return false;
}

/* Have all labels a key each, and a layout the number of them that are left? */
static bool
check_labels(const Storage *storage, const char *text, const Layout *layout, int row_keys,
			 StorageProblem *problem)
{
	int most;
	int least = layout_rank(layout, &most);
	int left = storage->rank - row_keys;

	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind != DIMENSION_PROMOTED)
			return no_layout(
				storage, text, ERRCODE_SYNTAX_ERROR,
				psprintf("Label \"%s\" is inside of values, or in blocks.",
						 storage->dimensions[d].label),
				pstrdup("Write all labels in upper case: a layout has no values "
						"but numbers."),
				problem);
	}
	if (left >= least && left <= most)
		return true;
	return no_layout(
		storage, text, ERRCODE_ARRAY_SUBSCRIPT_ERROR,
		psprintf(
			"Indices of layout %s: %s. Labels of tensor \"%s\": %d; key columns: %d.",
			layout_name(layout), psprintf(least == most ? "%d" : "%d or more", least),
			storage->tensor, storage->rank, row_keys),
		pstrdup("keys are those of the first labels, one for each; the other labels are "
				"the indices of the layout."),
		problem);
}

bool
set_layout(Storage *storage, const char *text, int row_keys, StorageProblem *problem)
{
	StoredLayout *stored = palloc0(sizeof(StoredLayout));
	char *name;

	memset(problem, 0, sizeof(StorageProblem));
	if (!read_layout(text, &name, &stored->columns))
		return no_layout(storage, text, ERRCODE_SYNTAX_ERROR,
						 pstrdup("A layout is its name and columns of the relation, as "
								 "in csr(indptr,indices,data)."),
						 pstrdup("The view einsum_layouts has the layouts."), problem);
	stored->layout = layout_find(name, strlen(name));
	if (stored->layout == NULL)
		return no_layout(storage, text, ERRCODE_SYNTAX_ERROR,
						 psprintf("The layouts are %s.", layout_names()),
						 pstrdup("The view einsum_layouts says what they mean; any other "
								 "one is a view with unnest."),
						 problem);
	if (!check_labels(storage, text, stored->layout, row_keys, problem))
		return false;
	if (!layout_has(stored->layout, storage->rank - row_keys,
					list_length(stored->columns), &stored->with_values))
		return no_layout(
			storage, text, ERRCODE_SYNTAX_ERROR,
			psprintf("It names %d columns; the columns of %s are %s.",
					 list_length(stored->columns), layout_name(stored->layout),
					 layout_columns(stored->layout)),
			pstrdup("Column v has the values; where others have their number, it "
					"may be left out, and they are 1."),
			problem);
	stored->first = row_keys;
	storage->layout = stored;
	return true;
}

char *
layout_text(const Storage *storage)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	appendStringInfo(&text, "%s(", layout_name(storage->layout->layout));
	foreach (cell, storage->layout->columns)
		appendStringInfo(&text, "%s%s", foreach_current_index(cell) ? "," : "",
						 quote_identifier(((ValuePart *) lfirst(cell))->column));
	appendStringInfoChar(&text, ')');
	return text.data;
}

int
layout_dimensions(const Storage *storage)
{
	int set = 0;

	for (int d = 0; d < storage->rank; d++)
		if (is_layout_index(storage, d))
			set |= 1 << d;
	return set;
}

int
key_column_count(const Storage *storage)
{
	return storage->layout ? storage->layout->first : storage_key_count(storage);
}

/* ---- its relation ---- */

/* Is it the name of a key column of a row, or of the columns before dimension last? */
static bool
is_taken(const Storage *storage, const char *name, int last)
{
	for (int d = 0; d < storage->rank; d++)
	{
		if ((d < storage->layout->first || d < last) &&
			strcmp(storage->dimensions[d].column, name) == 0)
			return true;
	}
	return false;
}

/* Returns a name that no other column of the subquery has. */
static char *
free_name(const Storage *storage, const char *name, int last)
{
	char *chosen = pstrdup(name);

	for (int n = 1; is_taken(storage, chosen, last); n++)
		chosen = makeObjectName(name, NULL, psprintf("%d", n));
	return chosen;
}

/* Finds the type of a column, and whether it can be one of the layout. */
static bool
resolve_column(const Storage *storage, Relation relation, ValuePart *part,
			   LayoutColumn kind, StorageProblem *problem)
{
	Form_pg_attribute column = user_column(relation, part->column);
	LayoutType type;

	if (column == NULL)
		return no_column(storage, relation, part->column, "in the layout", problem);
	part->attno = column->attnum;
	part->type = column->atttypid;
	if (layout_column_type(part->type, kind, &type))
		return true;
	problem->sqlstate = ERRCODE_DATATYPE_MISMATCH;
	problem->message = psprintf(
		"column \"%s\" of relation \"%s\" cannot be in the layout of tensor \"%s\"",
		part->column, RelationGetRelationName(relation), storage->tensor);
	problem->detail =
		psprintf("%s, not %s.", layout_column_types(kind), format_type_be(part->type));
	if (kind != LAYOUT_NUMBER)
		problem->hint = pstrdup("A view with unnest(...) reads arrays of other types.");
	return false;
}

bool
resolve_layout(Storage *storage, Relation relation, StorageProblem *problem)
{
	const StoredLayout *stored = storage->layout;
	ListCell *cell;

	foreach (cell, stored->columns)
	{
		if (!resolve_column(storage, relation, lfirst(cell),
							layout_column(stored->layout, storage->rank - stored->first,
										  foreach_current_index(cell)),
							problem))
			return false;
	}
	for (int d = stored->first; d < storage->rank; d++)
	{
		StorageDimension *dimension = &storage->dimensions[d];

		if (dimension->index_set)
			return no_layout(
				storage, layout_text(storage), ERRCODE_FEATURE_NOT_SUPPORTED,
				psprintf("The bound of label \"%s\" is dimension %s.", dimension->label,
						 dimension->index_set),
				pstrdup("An index of a layout has a number as its bound, or '*'. A view "
						"with einsum_entries can have its column in a dimension."),
				problem);
		dimension->attno = InvalidAttrNumber;
		dimension->key_type = INT8OID;
		dimension->column = free_name(storage, dimension->label, d);
	}
	storage->value_column = free_name(storage, "value", storage->rank);
	storage->value_attno = InvalidAttrNumber;
	storage->value_type = FLOAT8OID;
	storage->element_type = ELEMENT_FLOAT8;
	return true;
}

bool
layout_has_unique_entries(const Storage *storage, StorageProblem *problem)
{
	if (layout_is_unique(storage->layout->layout))
		return true;
	problem->sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
	problem->message = psprintf(
		"nothing proves that the entries of tensor \"%s\" are unique", storage->tensor);
	problem->detail =
		psprintf("Layout %s may have the same indices at several positions of a row.",
				 layout_name(storage->layout->layout));
	problem->hint =
		pstrdup("With duplicates => 'sum' such entries are added up. If there "
				"are none, say so with 'trust'; results are wrong where indices "
				"do occur twice.");
	return false;
}

/* "'{id}'::text[]": names of the keys of a row. */
static char *
key_names(const Storage *storage)
{
	StringInfoData names;

	initStringInfo(&names);
	appendStringInfoString(&names, "ARRAY[");
	for (int d = 0; d < storage->layout->first; d++)
		appendStringInfo(&names, "%s%s", d ? ", " : "",
						 quote_literal_cstr(storage->dimensions[d].column));
	appendStringInfoString(&names, "]::pg_catalog.text[]");
	return names.data;
}

/* "'{20,-1}'::int8[]": what the layout's indices may be. */
static char *
index_bounds(const Storage *storage)
{
	StringInfoData bounds;

	initStringInfo(&bounds);
	appendStringInfoString(&bounds, "'{");
	for (int d = storage->layout->first; d < storage->rank; d++)
	{
		int index = d - storage->layout->first;
		int64 bound = storage->dimensions[d].bound;

		if (bound < 0)
			bound = LAYOUT_ANY;
		/* while it is read off the data, keys count from 0 already */
		if (storage->dimensions[d].bound == BOUND_UNKNOWN &&
			!layout_by_position(storage->layout->layout, index))
			bound = PG_INT64_MAX;
		appendStringInfo(&bounds, "%s" INT64_FORMAT, index ? "," : "", bound);
	}
	appendStringInfoString(&bounds, "}'::pg_catalog.int8[]");
	return bounds.data;
}

/* Is the row alone, so that only a subquery can say that there is no other? */
static bool
has_single_row(const Storage *storage)
{
	return storage->layout->first == 0 && storage->duplicates == DUPLICATES_ERROR;
}

/*
 * "node AS r", or the columns of the one row, each by a scalar subquery, which fails if there are more rows. What the
 * columns of a view are computed of is read whole, so that no array is looked at that the view leaves out.
 */
static void
append_rows(StringInfo sql, const Storage *storage, List *columns)
{
	const char *relation = qualified_relation_name(storage->relid);
	bool single = has_single_row(storage);
	ListCell *cell;

	if (!single && get_rel_relkind(storage->relid) != RELKIND_VIEW)
	{
		appendStringInfo(sql, "%s AS r", relation);
		return;
	}
	appendStringInfoString(sql, "(SELECT ");
	foreach (cell, columns)
	{
		const char *column = quote_identifier(lfirst(cell));

		appendStringInfoString(sql, foreach_current_index(cell) ? ", " : "");
		if (single)
			appendStringInfo(sql, "(SELECT s.%s FROM %s AS s) AS %s", column, relation,
							 column);
		else
			appendStringInfo(sql, "s.%s", column);
	}
	if (single)
		appendStringInfoString(sql, ") AS r");
	else
		appendStringInfo(sql, " FROM %s AS s OFFSET 0) AS r", relation);
}

/* The columns of the relation that are read, each once. */
static List *
columns_read(const Storage *storage)
{
	List *columns = NIL;
	ListCell *cell;

	for (int d = 0; d < storage->layout->first; d++)
		columns = list_append_unique(columns, makeString(storage->dimensions[d].column));
	foreach (cell, storage->layout->columns)
		columns =
			list_append_unique(columns, makeString(((ValuePart *) lfirst(cell))->column));
	foreach (cell, columns)
		lfirst(cell) = strVal(lfirst(cell));
	return columns;
}

char *
storage_relation_sql(const Storage *storage)
{
	StringInfoData sql;
	const StoredLayout *stored = storage->layout;
	ListCell *cell;

	if (stored == NULL)
		return qualified_relation_name(storage->relid);
	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	for (int d = 0; d < storage->rank; d++)
		appendStringInfo(&sql, "%s.%s, ", d < stored->first ? "r" : "e",
						 quote_identifier(storage->dimensions[d].column));
	appendStringInfo(&sql, "e.%s FROM ", quote_identifier(storage->value_column));
	append_rows(&sql, storage, columns_read(storage));
	appendStringInfo(&sql,
					 ", LATERAL %s(%s::pg_catalog.text, %s::pg_catalog.text, %s, %s, "
					 "'%s'::pg_catalog.float8",
					 extension_function("einsum_stored_entries"),
					 quote_literal_cstr(storage->tensor),
					 quote_literal_cstr(layout_text(storage)), key_names(storage),
					 index_bounds(storage), float8_to_string(creal(storage->fill)));
	for (int d = 0; d < stored->first; d++)
		appendStringInfo(&sql, ", r.%s", quote_identifier(storage->dimensions[d].column));
	foreach (cell, stored->columns)
		appendStringInfo(&sql, ", r.%s",
						 quote_identifier(((ValuePart *) lfirst(cell))->column));
	appendStringInfoString(&sql, ") AS e(");
	for (int d = stored->first; d < storage->rank; d++)
		appendStringInfo(&sql, "%s pg_catalog.int8, ",
						 quote_identifier(storage->dimensions[d].column));
	appendStringInfo(&sql, "%s pg_catalog.float8))",
					 quote_identifier(storage->value_column));
	return sql.data;
}

/* ---- checks while registering ---- */

static bool
read_number(TupleTableSlot *slot, void *state)
{
	if (!slot->tts_isnull[0])
		*(int64 *) state = DatumGetInt64(slot->tts_values[0]);
	return true;
}

/* Returns what a query of one bigint returns, as the relation's owner; -1 for NULL. */
static int64
query_number(const Storage *storage, Relation relation, const char *query)
{
	int64 number = -1;

	scan_query(labelled_query("einsum_register", storage->tensor, query),
			   relation->rd_rel->relowner, true, read_number, &number);
	return number;
}

static void
check_single_row(const Storage *storage, Relation relation)
{
	int64 rows = query_number(
		storage, relation,
		psprintf("SELECT pg_catalog.count(*) FROM (SELECT FROM %s LIMIT 2) AS r",
				 qualified_relation_name(storage->relid)));

	if (rows > 1)
		ereport(
			ERROR,
			(errcode(ERRCODE_CARDINALITY_VIOLATION),
			 errmsg("relation \"%s\" has more than one row",
					RelationGetRelationName(relation)),
			 errdetail("Tensor \"%s\" has no key columns, so that all its entries are "
					   "in one row.",
					   storage->tensor),
			 errhint("Register a view of the one row; or give a column that tells the "
					 "rows apart, with a label before the others; or say with "
					 "duplicates => 'sum' that entries of several rows are added up, "
					 "or with 'trust' that no two have the same indices.")));
}

/*
 * Returns the expression of the length of the first column of a row, or of one diagonal of
 * it where columns have the numbers of diagonals on both sides of the main one.
 */
static char *
length_expression(const StoredLayout *stored)
{
	StringInfoData expression;
	int rank = layout_rank(stored->layout, &(int){0});
	bool has_numbers = false;
	ListCell *cell;

	initStringInfo(&expression);
	foreach (cell, stored->columns)
	{
		const char *column = quote_identifier(((ValuePart *) lfirst(cell))->column);

		if (foreach_current_index(cell) == 0)
			appendStringInfo(&expression, "pg_catalog.cardinality(r.%s)::pg_catalog.int8",
							 column);
		else if (layout_column(stored->layout, rank, foreach_current_index(cell)) ==
				 LAYOUT_NUMBER)
		{
			appendStringInfo(&expression, "%s r.%s::pg_catalog.numeric",
							 has_numbers ? " +" : " / NULLIF(1 +", column);
			has_numbers = true;
		}
	}
	if (has_numbers)
		appendStringInfoString(&expression, ", 0)");
	return expression.data;
}

void
check_layout_rows(Storage *storage, Relation relation)
{
	const StoredLayout *stored = storage->layout;

	if (stored == NULL)
		return;
	if (has_single_row(storage))
		check_single_row(storage, relation);
	for (int d = stored->first; d < storage->rank; d++)
	{
		StorageDimension *dimension = &storage->dimensions[d];
		int64 length;

		if (dimension->bound != BOUND_UNKNOWN ||
			!layout_by_position(stored->layout, d - stored->first))
			continue;
		length = query_number(
			storage, relation,
			psprintf("SELECT pg_catalog.trunc(pg_catalog.max(%s))::pg_catalog.int8 "
					 "FROM %s AS r",
					 length_expression(stored), qualified_relation_name(storage->relid)));
		/* a length that no bound has is an error once the row is read */
		if (length >= 0 && layout_extent(stored->layout, length) >= 0)
			dimension->bound = layout_extent(stored->layout, length);
	}
}
