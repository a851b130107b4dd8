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
#include "utils/typcache.h"

#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/query_label.h"
#include "catalog/query_scan.h"
#include "catalog/stored_layout.h"
#include "catalog/unique_proof.h"
#include "kernels/layout/layout.h"
#include "type/entries.h"
#include "type/extension.h"

/* ---- the text ---- */

/*
 * Reads one name, in double quotes or not, up to a comma or parenthesis; NULL if that is
 * empty.
 */
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

/*
 * Reads "name(column, ...)", maybe with the word symmetric before the name, or that word
 * alone; *name is empty then. False if it is not written so.
 */
static bool
read_layout(const char *text, bool *symmetric, const char **name, List **columns)
{
	size_t length;

	*columns = NIL;
	*name = read_name(&text);
	if (*name == NULL)
		return false;
	length = strlen(*name);
	*symmetric = layout_take_symmetric(name, &length);
	if (*symmetric && length == 0)
		return *text == '\0';
	if (*text != '(')
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

/*
 * Has each label a key, and are there two that can be exchanged if the tensor is
 * symmetric?
 */
static bool
check_labels(const Storage *storage, const char *text, StorageProblem *problem)
{
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
	if (!storage->symmetric || storage->rank >= 2)
		return true;
	return no_layout(
		storage, text, ERRCODE_ARRAY_SUBSCRIPT_ERROR,
		psprintf("Labels of tensor \"%s\": %d.", storage->tensor, storage->rank),
		pstrdup("A tensor is symmetric in its last two labels."), problem);
}

/* Has the layout as many indices as there are labels without a key column? */
static bool
check_rank(const Storage *storage, const char *text, const Layout *layout, int row_keys,
		   StorageProblem *problem)
{
	int most;
	int least = layout_rank(layout, &most);
	int left = storage->rank - row_keys;

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

/* Returns how many labels are not indices of a layout of this number of columns. */
static int
keys_left_over(const Storage *storage, const Layout *layout, int ncolumns)
{
	int most;
	int least = layout_rank(layout, &most);
	bool with_values;

	if (most > storage->rank)
		most = storage->rank;
	for (int rank = most; rank >= least; rank--)
	{
		if (layout_has(layout, rank, ncolumns, &with_values))
			return storage->rank - rank;
	}
	return storage->rank - Max(most, 0);
}

bool
set_layout(Storage *storage, const char *text, int row_keys, StorageProblem *problem)
{
	StoredLayout *stored = palloc0(sizeof(StoredLayout));
	const char *name;

	memset(problem, 0, sizeof(StorageProblem));
	if (!read_layout(text, &storage->symmetric, &name, &stored->columns))
	{
		if (name && strchr(text, '(') == NULL && layout_find(name, strlen(name)) == NULL)
			return no_layout(
				storage, text, ERRCODE_SYNTAX_ERROR,
				psprintf("The layouts are symmetric and, each with columns as in "
						 "csr(indptr,indices,data), %s.",
						 layout_names()),
				pstrdup(
					"Where each edge of an undirected graph is stored once: layout => "
					"'symmetric'. The view einsum_layouts says what the others mean."),
				problem);
		return no_layout(storage, text, ERRCODE_SYNTAX_ERROR,
						 pstrdup("A layout is its name and columns of the relation, as "
								 "in csr(indptr,indices,data)."),
						 pstrdup("The view einsum_layouts has the layouts."), problem);
	}
	if (!check_labels(storage, text, problem))
		return false;
	if (name[0] == '\0')
		return true;
	stored->layout = layout_find(name, strlen(name));
	if (stored->layout == NULL)
		return no_layout(storage, text, ERRCODE_SYNTAX_ERROR,
						 psprintf("The layouts are %s.", layout_names()),
						 pstrdup("The view einsum_layouts says what they mean; any other "
								 "one is a view with unnest."),
						 problem);
	if (row_keys == KEYS_LEFT_OVER)
		row_keys = keys_left_over(storage, stored->layout, list_length(stored->columns));
	if (!check_rank(storage, text, stored->layout, row_keys, problem))
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

	if (storage->layout == NULL)
		return storage->symmetric ? pstrdup("symmetric") : NULL;
	initStringInfo(&text);
	appendStringInfo(&text, "%s%s(", storage->symmetric ? "symmetric " : "",
					 layout_name(storage->layout->layout));
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

bool
mirrored_by_rows(const Storage *storage)
{
	return storage->symmetric &&
		   (storage->layout == NULL || !is_layout_index(storage, storage->rank - 2));
}

int
exchanged_dimensions(const Storage *storage)
{
	return storage->symmetric ? 3 << (storage->rank - 2) : 0;
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
	if (kind != LAYOUT_INDICES && kind != LAYOUT_VALUES)
		return false;
	if (!OidIsValid(get_element_type(getBaseType(part->type))))
		problem->hint = pstrdup("A table with an entry in each row needs no layout: keys "
								"=> '{i,j}', value => 'v', with the columns' names.");
	else
		problem->hint = psprintf(
			"The order of the columns is %s(%s)%s. A view with unnest(...) reads "
			"arrays of other types.",
			layout_name(storage->layout->layout), layout_columns(storage->layout->layout),
			strstr(layout_columns(storage->layout->layout), "ptr,idx,v")
				? ", of scipy (indptr,indices,data)"
				: "");
	return false;
}

/*
 * Checks that a column has dates if, and only if, it has the keys of a label whose keys
 * are days. Those of a label without bounds may be.
 */
static bool
resolve_days(const Storage *storage, Relation relation, int column,
			 StorageProblem *problem)
{
	const StoredLayout *stored = storage->layout;
	const ValuePart *part = list_nth(stored->columns, column);
	int index = layout_key_index(stored->layout, storage->rank - stored->first, column);
	const StorageDimension *dimension =
		index < 0 ? NULL : &storage->dimensions[stored->first + index];
	bool dates = get_element_type(getBaseType(part->type)) == DATEOID;

	if (dates == (dimension && bound_has_days(dimension->bound)) ||
		(dates && dimension && dimension->bound == BOUND_OPEN))
		return true;
	problem->sqlstate = ERRCODE_DATATYPE_MISMATCH;
	problem->message = psprintf(
		"column \"%s\" of relation \"%s\" cannot be in the layout of tensor \"%s\"",
		part->column, RelationGetRelationName(relation), storage->tensor);
	problem->detail =
		dimension ? psprintf("It has the keys of label \"%s\", whose bound is %s.",
							 dimension->label,
							 dimension->index_set ? dimension->index_set
												  : bound_to_string(dimension->bound))
				  : pstrdup("It has offsets, which are no dates.");
	problem->hint =
		!dates ? pstrdup("Where the keys are days, an array of type date has them.")
		: dimension
			? pstrdup("Give the label the first and the last day as its bound, as in "
					  "2020-01-01..2020-12-31; or '*', if the keys that occur are all "
					  "there are.")
			: NULL;
	return false;
}

/* Has an index of a layout keys that are dates, of whatever bound? */
static bool
has_dates(const Storage *storage, int d)
{
	const StoredLayout *stored = storage->layout;
	ListCell *cell;

	foreach (cell, stored->columns)
	{
		const ValuePart *part = lfirst(cell);

		if (layout_key_index(stored->layout, storage->rank - stored->first,
							 foreach_current_index(cell)) == d - stored->first)
			return get_element_type(getBaseType(part->type)) == DATEOID;
	}
	return false;
}

/* May keys of an object be any text? Else they are integers. */
static bool
has_texts(Storage *storage, const StorageDimension *dimension)
{
	resolve_index_sets(storage);
	if (dimension->bound != BOUND_UNRESOLVED && bound_is_dimension(dimension->bound))
		return !is_integer_type(getBaseType(dimension_key_type(dimension->bound)));
	return dimension->bound == BOUND_OPEN;
}

bool
resolve_layout(Storage *storage, Relation relation, StorageProblem *problem)
{
	const StoredLayout *stored = storage->layout;
	ListCell *cell;

	foreach (cell, stored->columns)
	{
		int column = foreach_current_index(cell);

		if (!resolve_column(
				storage, relation, lfirst(cell),
				layout_column(stored->layout, storage->rank - stored->first, column),
				problem) ||
			!resolve_days(storage, relation, column, problem))
			return false;
	}
	for (int d = stored->first; d < storage->rank; d++)
	{
		StorageDimension *dimension = &storage->dimensions[d];

		if (bound_has_days(dimension->bound) && layout_is_object(stored->layout))
		{
			problem->sqlstate = ERRCODE_FEATURE_NOT_SUPPORTED;
			problem->message =
				psprintf("indices of layout %s of tensor \"%s\" cannot be dates",
						 layout_text(storage), storage->tensor);
			problem->detail =
				psprintf("The bound of label \"%s\" is %s.", dimension->label,
						 bounded_to_string(dimension->bound));
			problem->hint = pstrdup("A view with unnest may have a column of dates.");
			return false;
		}
		dimension->attno = InvalidAttrNumber;
		dimension->column = free_name(storage, dimension->label, d);
		dimension->key_type =
			layout_is_object(stored->layout) && has_texts(storage, dimension) ? TEXTOID
			: bound_has_days(dimension->bound) || has_dates(storage, d)       ? DATEOID
																			  : INT8OID;
		if (dimension->index_set &&
			!resolve_index_set(storage, dimension, relation, problem))
			return false;
	}
	storage->value_column = free_name(storage, "value", storage->rank);
	storage->value_attno = InvalidAttrNumber;
	storage->value_type = FLOAT8OID;
	storage->element_type = ELEMENT_FLOAT8;
	return true;
}

/* Fills *problem with why labels that are exchanged cannot be; returns false. */
static bool
not_symmetric(const Storage *storage, int sqlstate, char *detail, char *hint,
			  StorageProblem *problem)
{
	problem->sqlstate = sqlstate;
	problem->message =
		psprintf("labels \"%s\" and \"%s\" of the symmetric tensor \"%s\" cannot be "
				 "exchanged",
				 storage->dimensions[storage->rank - 2].label,
				 storage->dimensions[storage->rank - 1].label, storage->tensor);
	problem->detail = detail;
	problem->hint = hint;
	return false;
}

/* Gives a bound that is to be read off the data the other one, if that is known. */
static void
take_bound(StorageDimension *dimension, const StorageDimension *other)
{
	if (dimension->bound == BOUND_UNKNOWN && other->index_set == NULL)
		dimension->bound = other->bound;
}

/* Returns the bound of a label as it is written. */
static char *
bound_text(const StorageDimension *dimension)
{
	return dimension->index_set ? dimension->index_set
								: bound_to_string(dimension->bound);
}

bool
resolve_symmetry(Storage *storage, Relation relation, StorageProblem *problem)
{
	StorageDimension *row;
	StorageDimension *column;
	bool same_collation = true;

	if (!storage->symmetric)
		return true;
	row = &storage->dimensions[storage->rank - 2];
	column = &storage->dimensions[storage->rank - 1];
	take_bound(row, column);
	take_bound(column, row);
	if (row->bound != column->bound ||
		(row->index_set && strcmp(row->index_set, column->index_set) != 0))
		return not_symmetric(
			storage, ERRCODE_ARRAY_SUBSCRIPT_ERROR,
			psprintf("Their bounds are %s and %s.", bound_text(row), bound_text(column)),
			pstrdup("Give both the same bound."), problem);
	if (!mirrored_by_rows(storage) && row->key_type == column->key_type)
		return true;
	/* the row's key, too, is read as an integer that holds every index of an array */
	if (storage->layout && column->key_type == INT8OID &&
		is_integer_type(getBaseType(row->key_type)))
		row->key_type = INT8OID;
	if (storage->layout == NULL)
		same_collation =
			TupleDescAttr(RelationGetDescr(relation), row->attno - 1)->attcollation ==
			TupleDescAttr(RelationGetDescr(relation), column->attno - 1)->attcollation;
	if (getBaseType(row->key_type) == getBaseType(column->key_type) && same_collation)
		return true;
	return not_symmetric(
		storage, ERRCODE_DATATYPE_MISMATCH,
		same_collation
			? psprintf("Their keys have the types %s and %s.",
					   format_type_be(row->key_type), format_type_be(column->key_type))
			: pstrdup("Their keys have different collations."),
		pstrdup("Change the type of one of the columns, or register a view that casts "
				"it."),
		problem);
}

/* Fills *problem with what may have an entry and its mirror image; returns false. */
static bool
nothing_proves_half(const Storage *storage, Relation relation, StorageProblem *problem)
{
	const StorageDimension *row = &storage->dimensions[storage->rank - 2];
	bool has_checks = storage->layout == NULL && !has_unchecked_rows(relation) &&
					  (relation->rd_rel->relkind == RELKIND_RELATION ||
					   relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE);

	problem->sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
	problem->message = psprintf(
		"nothing proves that the entries of tensor \"%s\" are unique", storage->tensor);
	problem->detail =
		psprintf("It is symmetric: an entry stands also for the one whose indices \"%s\" "
				 "and \"%s\" are exchanged, and that may be in another row.",
				 row[0].label, row[1].label);
	problem->hint = psprintf(
		"%sWith duplicates => 'sum' both are added up; one on the diagonal counts once. "
		"If there are no two such rows, say so with 'trust'; results are wrong where "
		"there are.",
		has_checks
			? psprintf("What proves it: ALTER TABLE %s ADD CHECK (%s <= %s). ",
					   quote_identifier(RelationGetRelationName(relation)),
					   quote_identifier(row[0].column), quote_identifier(row[1].column))
			: "");
	return false;
}

bool
layout_has_unique_entries(const Storage *storage, Relation relation,
						  StorageProblem *problem)
{
	if (storage->layout == NULL || layout_is_unique(storage->layout->layout))
	{
		const StorageDimension *last = &storage->dimensions[storage->rank];

		if (!mirrored_by_rows(storage) ||
			(storage->layout == NULL &&
			 columns_are_ordered(relation, last[-2].attno, last[-1].attno)))
			return true;
		return nothing_proves_half(storage, relation, problem);
	}
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

/*
 * Are the positions that one of two exchanged indices counts made keys, with the first of
 * their label, since arrays have the keys of the other one?
 */
static bool
has_keys_for_positions(const Storage *storage)
{
	return storage->symmetric && !mirrored_by_rows(storage) &&
		   bound_has_origin(storage->dimensions[storage->rank - 2].bound) &&
		   layout_mixes_positions(storage->layout->layout,
								  storage->rank - storage->layout->first);
}

/*
 * Does a dimension of a layout count positions, so that the first key of its label has to
 * be added to them?
 */
static bool
counts_positions(const Storage *storage, int d)
{
	return layout_by_position(storage->layout->layout, d - storage->layout->first) &&
		   !(d >= storage->rank - 2 && has_keys_for_positions(storage));
}

/*
 * "'{20,-1}'::int8[]": what the layout's indices may be, and behind them the first key
 * where positions are made keys.
 */
static char *
index_bounds(const Storage *storage)
{
	StringInfoData bounds;

	initStringInfo(&bounds);
	appendStringInfoString(&bounds, "'{");
	for (int d = storage->layout->first; d < storage->rank; d++)
	{
		int index = d - storage->layout->first;
		int64 bound = bound_size(storage->dimensions[d].bound);

		/* stored keys of a label with an origin are compared like those of columns */
		if (bound < 0 || (bound_has_origin(storage->dimensions[d].bound) &&
						  !layout_by_position(storage->layout->layout, index)))
			bound = LAYOUT_ANY;
		/* while it is read off the data, keys count from 0 already */
		if (storage->dimensions[d].bound == BOUND_UNKNOWN &&
			!layout_by_position(storage->layout->layout, index))
			bound = PG_INT64_MAX;
		appendStringInfo(&bounds, "%s" INT64_FORMAT, index ? "," : "", bound);
	}
	if (has_keys_for_positions(storage))
		appendStringInfo(&bounds, "," INT64_FORMAT,
						 bound_first(storage->dimensions[storage->rank - 2].bound));
	appendStringInfoString(&bounds, "}'::pg_catalog.int8[]");
	return bounds.data;
}

/* Is the row alone, so that only reading it can say that there is no other? */
static bool
has_single_row(const Storage *storage)
{
	return storage->layout->first == 0 && storage->duplicates == DUPLICATES_ERROR;
}

/*
 * "node AS r", or the columns of the one row, each by a scalar subquery, whose aggregate
 * fails if there are more rows. What the columns of a view are computed of is read whole,
 * so that no array is looked at that the view leaves out.
 */
static void
append_rows(StringInfo sql, const Storage *storage, List *columns)
{
	const char *relation = storage_relation_name(storage);
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
			appendStringInfo(sql,
							 "(SELECT %s(s.%s, %s::pg_catalog.text) FROM %s AS s) AS %s",
							 extension_function("einsum_single_row"), column,
							 quote_literal_cstr(storage->tensor), relation, column);
		else
			appendStringInfo(sql, "s.%s", column);
	}
	if (single)
		appendStringInfoString(sql, ") AS r");
	else
		appendStringInfo(sql, " FROM %s AS s OFFSET 0) AS r", relation);
}

/*
 * Appends "WHERE ..." with the conditions that constraints prove the keys of rows unique,
 * and no row to have those of another's mirror image. Where they do not any more, reading
 * a row is an error.
 */
static void
append_proof_conditions(StringInfo sql, const Storage *storage)
{
	const StorageDimension *row = &storage->dimensions[storage->rank - 2];
	const char *tensor =
		psprintf("%s::pg_catalog.text", quote_literal_cstr(storage->tensor));

	if (storage->gathered)
	{
		/* a condition may follow */
		appendStringInfoString(sql, " WHERE true");
		return;
	}
	appendStringInfo(sql, " WHERE %s(%s", extension_function("einsum_keys_unique"),
					 tensor);
	for (int d = 0; d < storage->rank; d++)
		appendStringInfo(sql, ", s.%s", quote_identifier(storage->dimensions[d].column));
	appendStringInfo(sql, ") AND %s(%s, s.%s, s.%s)",
					 extension_function("einsum_keys_ordered"), tensor,
					 quote_identifier(row[0].column), quote_identifier(row[1].column));
}

/* Appends the columns of keys and values, the last two keys maybe exchanged. */
static void
append_columns(StringInfo sql, const Storage *storage, bool exchanged)
{
	for (int d = 0; d < storage->rank; d++)
	{
		int from = exchanged && d >= storage->rank - 2 ? 2 * storage->rank - 3 - d : d;

		appendStringInfo(sql, "%ss.%s AS %s", d ? ", " : "",
						 quote_identifier(storage->dimensions[from].column),
						 quote_identifier(storage->dimensions[d].column));
	}
	if (storage->value_column)
		appendStringInfo(sql, ", s.%s", quote_identifier(storage->value_column));
}

/* "NOT i = j", which is not true of a NULL either. */
static void
append_off_diagonal(StringInfo sql, const Storage *storage)
{
	const StorageDimension *row = &storage->dimensions[storage->rank - 2];
	TypeCacheEntry *type =
		lookup_type_cache(getBaseType(row->key_type), TYPECACHE_EQ_OPR);

	appendStringInfo(sql, "NOT s.%s OPERATOR(%s.%s) s.%s",
					 quote_identifier(row[0].column),
					 quote_identifier(get_namespace_name(
						 get_func_namespace(get_opcode(type->eq_opr)))),
					 get_opname(type->eq_opr), quote_identifier(row[1].column));
}

/* Returns a subquery with the rows of one and their mirror images. */
static char *
mirrored_sql(const Storage *storage, const char *rows)
{
	StringInfoData sql;
	bool proved = storage->layout == NULL && storage->duplicates == DUPLICATES_ERROR;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	append_columns(&sql, storage, false);
	appendStringInfo(&sql, " FROM %s AS s", rows);
	if (proved)
		append_proof_conditions(&sql, storage);
	appendStringInfoString(&sql, " UNION ALL SELECT ");
	append_columns(&sql, storage, true);
	appendStringInfo(&sql, " FROM %s AS s", rows);
	/* a query may read rows of this half alone */
	if (proved)
		append_proof_conditions(&sql, storage);
	appendStringInfoString(&sql, proved ? " AND " : " WHERE ");
	append_off_diagonal(&sql, storage);
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

/* Returns what has the rows of a storage whose entries are rows. */
static char *
rows_sql(const Storage *storage)
{
	StringInfoData sql;

	if (get_rel_relkind(storage->relid) != RELKIND_VIEW)
		return storage_relation_name(storage);
	/* nothing is computed of rows that the view leaves out */
	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	append_columns(&sql, storage, false);
	appendStringInfo(&sql, " FROM %s AS s OFFSET 0)", storage_relation_name(storage));
	return sql.data;
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

/* Returns a subquery with a row for each entry of a layout. */
static char *
entries_sql(const Storage *storage)
{
	StringInfoData sql;
	const StoredLayout *stored = storage->layout;
	ListCell *cell;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];
		const char *column = quote_identifier(dimension->column);

		if (d < stored->first &&
			dimension->key_type != get_atttype(storage->relid, dimension->attno))
			appendStringInfo(&sql, "r.%s::%s AS %s, ", column,
							 format_type_be_qualified(dimension->key_type), column);
		else if (d >= stored->first && bound_has_origin(dimension->bound) &&
				 counts_positions(storage, d))
			appendStringInfo(
				&sql, "%s AS %s, ",
				bound_has_days(dimension->bound)
					? psprintf(
						  "(%s OPERATOR(pg_catalog.+) "
						  "e.%s::pg_catalog.int4)",
						  key_literal(bound_first(dimension->bound), dimension->bound),
						  column)
					: key_of_index_sql(dimension->bound, psprintf("e.%s", column)),
				column);
		else
			appendStringInfo(&sql, "%s.%s, ", d < stored->first ? "r" : "e", column);
	}
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
		appendStringInfo(
			&sql, "%s pg_catalog.%s, ", quote_identifier(storage->dimensions[d].column),
			storage->dimensions[d].key_type == TEXTOID ? "text"
			: storage->dimensions[d].key_type == DATEOID && !counts_positions(storage, d)
				? "date"
				: "int8");
	appendStringInfo(&sql, "%s pg_catalog.float8))",
					 quote_identifier(storage->value_column));
	return sql.data;
}

char *
storage_relation_sql(const Storage *storage)
{
	char *rows;

	if (!is_read_by_subquery(storage))
		return storage_relation_name(storage);
	if (has_ranges(storage))
		return range_rows_sql(storage, 0, 0);
	rows = storage->layout ? entries_sql(storage) : rows_sql(storage);
	return mirrored_by_rows(storage) ? mirrored_sql(storage, rows) : rows;
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
 * Returns the expression of the length of the first column of a row, or of one diagonal
 * of it where columns have the numbers of diagonals on both sides of the main one.
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
	/* rows without entries have keys, too */
	for (int d = 0; d < stored->first; d++)
	{
		StorageDimension *dimension = &storage->dimensions[d];
		int64 last;

		if (dimension->bound != BOUND_UNKNOWN)
			continue;
		last = query_number(
			storage, relation,
			psprintf("SELECT pg_catalog.max(r.%s)::pg_catalog.int8 FROM %s AS r",
					 quote_identifier(dimension->column),
					 qualified_relation_name(storage->relid)));
		if (last >= 0 && last < PG_INT64_MAX)
			dimension->bound = last + 1;
	}
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
