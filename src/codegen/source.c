/*-------------------------------------------------------------------------
 *
 * source.c
 *	  Writes operands as items of a FROM list: stored tensors, results of stages, and the
 *	  conditions that hold for rows with entries.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>

#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/citus.h"
#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "catalog/unique_proof.h"
#include "catalog/value_columns.h"
#include "codegen/deparse.h"
#include "codegen/gather.h"
#include "codegen/shifted.h"
#include "codegen/source.h"
#include "codegen/value_shape.h"
#include "expr/analysis.h"
#include "recursion.h"
#include "type/extension.h"
#include "type/tensor.h"

char *
text_literal(const char *text)
{
	return psprintf("%s::pg_catalog.text", quote_literal_cstr(text));
}

/* Returns the key columns of a source: d0, d1, ... */
char **
dimension_names(int rank)
{
	char **names = palloc(sizeof(char *) * Max(rank, 1));

	for (int i = 0; i < rank; i++)
		names[i] = psprintf("d%d", i);
	return names;
}

/* Appends "t.i AS d0, " for each key of a source that is alone in its FROM list. */
static void
append_keys(StringInfo query, const Source *source, int rank, char **names)
{
	for (int i = 0; i < rank; i++)
	{
		if (keys_of(&source->decomposition) & (1u << i))
			appendStringInfo(query, "%s.%s AS %s, ", source_alias(source),
							 source->keys[i], names[i]);
	}
}

/* Escapes a text for use in a template. */
static char *
template_text(const char *text)
{
	StringInfoData escaped;

	initStringInfo(&escaped);
	for (const char *c = text; *c; c++)
	{
		if (*c == '%')
			appendStringInfoChar(&escaped, '%');
		appendStringInfoChar(&escaped, *c);
	}
	return escaped.data;
}

static void
add_not_null(Source *source, const char *column)
{
	source->conditions =
		lappend(source->conditions, psprintf("%%1$s.%s IS NOT NULL",
											 template_text(quote_identifier(column))));
}

/*
 * Returns a template that tests whether a key is in a dimension's table. The alias of the
 * table begins with another letter than the source's alias, which is the tensor's name.
 * Citus computes no subquery for each row of what it has gathered.
 */
static char *
lookup_of_key(const CodegenContext *context, const Storage *storage, int64 bound,
			  const char *column)
{
	Oid keys = dimension_relation(bound);
	bool gathered = is_citus_table(keys);
	const char *alias = storage->tensor[0] == 'd' ? "k" : "d";
	char *relation =
		gathered
			? gathered_relation(context, linitial(dimension_entry(bound)->storages), NULL)
			: qualified_relation_name(keys);
	char *key =
		template_text(quote_identifier(get_attname(keys, dimension_attno(bound), false)));

	relation = template_text(relation);
	column = template_text(quote_identifier(column));
	if (storage->citus || gathered || plan_gathers(context))
		return psprintf("COALESCE(%%1$s.%s OPERATOR(pg_catalog.=) ANY (SELECT %s.%s FROM "
						"%s AS %s), false)",
						column, alias, key, relation, alias);
	return psprintf("EXISTS (SELECT FROM %s AS %s WHERE %s.%s OPERATOR(pg_catalog.=) "
					"%%1$s.%s)",
					relation, alias, alias, key, column);
}

/* Returns the arguments of einsum_key_in_range that say which keys a label has. */
static char *
range_arguments(const StorageDimension *dimension)
{
	int64 first = dimension_first_key(dimension);
	int64 count = dimension_key_count(dimension);

	if (dimension_has_days(dimension))
		return psprintf("%s, %s", key_literal(first, dimension->bound),
						key_literal(first + count - 1, dimension->bound));
	if (first == 0)
		return psprintf("'" INT64_FORMAT "'::pg_catalog.int8", count);
	return psprintf("'" INT64_FORMAT "'::pg_catalog.int8, '" INT64_FORMAT
					"'::pg_catalog.int8",
					first, first + count - 1);
}

/*
 * Adds the conditions on a key: a NULL is an absent entry. A NOT NULL constraint does not
 * make the test unnecessary, since a view cannot depend on it. A view can depend on a
 * primary key; if that is dropped, the check of the range filters NULLs.
 */
static void
add_key_conditions(const CodegenContext *context, Source *source, const Storage *storage,
				   const StorageDimension *dimension, const char *column)
{
	bool check_range = dimension->bound != BOUND_OPEN && !storage_is_live(storage) &&
					   !is_dimension(storage);
	Oid type = getBaseType(dimension->key_type);
	char *key = psprintf("%%1$s.%s", template_text(quote_identifier(column)));

	/* cast a domain: users may declare a function of that name for it */
	if (type != dimension->key_type)
		key = psprintf("CAST(%s AS %s)", key, format_type_be_qualified(type));

	if (!check_range || !proved_not_null(storage, dimension->attno))
		add_not_null(source, column);
	/*
	 * a key out of range is an error; if a constraint rules that out, the planner removes
	 * the check (catalog/scan_support.c)
	 */
	if (check_range && bound_is_dimension(dimension->bound))
		source->conditions = lappend(
			source->conditions,
			psprintf("%s(%s, %s, %s, %s, %s)",
					 extension_function("einsum_key_in_dimension"), key,
					 lookup_of_key(context, storage, dimension->bound, column),
					 template_text(text_literal(storage->tensor)),
					 template_text(text_literal(dimension->label)),
					 template_text(text_literal(dimension_name(dimension->bound)))));
	else if (check_range)
		source->conditions =
			lappend(source->conditions,
					psprintf("%s(%s, %s, %s, %s)",
							 template_text(extension_function("einsum_key_in_range")),
							 key, range_arguments(dimension),
							 template_text(text_literal(storage->tensor)),
							 template_text(text_literal(dimension->label))));
}

/*
 * Adds the condition that a constraint proves the keys unique; if none does any more, the
 * query is an error when it is planned.
 */
static void
add_unique_condition(const CodegenContext *context, Source *source,
					 const Storage *storage)
{
	StringInfoData keys;

	/* what reads rows for mirror images, of ranges or from Citus has the condition */
	if (storage->duplicates != DUPLICATES_ERROR || keys_of(&source->decomposition) == 0 ||
		mirrored_by_rows(storage) || has_ranges(storage) || is_gathered(context, storage))
		return;
	initStringInfo(&keys);
	for (int i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind != DIMENSION_DEMOTED &&
			!is_layout_index(storage, i))
			appendStringInfo(&keys, ", %%1$s.%s", template_text(source->keys[i]));
	}
	/* the one row of a layout without keys is read by a scalar subquery */
	if (keys.len == 0)
		return;
	source->conditions =
		lappend(source->conditions,
				psprintf("%s(%s%s)", extension_function("einsum_keys_unique"),
						 template_text(text_literal(storage->tensor)), keys.data));
}

/*
 * Converts the template of a value, with %s for the alias, to one of a condition, with
 * %1$s.
 */
static char *
condition_text(const char *value)
{
	const char *alias = strstr(value, "%s");

	return psprintf("%.*s%%1$s%s", (int) (alias - value), value, alias + 2);
}

/*
 * Adds the condition that a value has the declared shape and element type; another value
 * is an error.
 */
static void
add_shape_condition(const CodegenContext *context, Source *source, const Storage *storage,
					const char *value)
{
	ValueShape shape = {0};

	if (storage_is_live(storage))
		return;
	for (int i = 0; i < storage->rank; i++)
	{
		bool has_key = (keys_of(&source->decomposition) & (1u << i)) != 0;

		add_extent(context, &shape, &source->decomposition, i,
				   storage->dimensions[i].bound,
				   has_key ? psprintf("%%1$s.%s", template_text(source->keys[i])) : NULL);
	}
	source->conditions = lappend(
		source->conditions,
		psprintf("%s(%s, %s, %s%s)",
				 template_text(extension_function("einsum_value_has_shape")),
				 condition_text(value), shape_sql(&shape),
				 template_text(text_literal(storage->tensor)),
				 storage->element_type == ELEMENT_FLOAT8
					 ? ""
					 : psprintf(", %s",
								text_literal(element_type_name(storage->element_type)))));
}

/* Is a dimension inside the values one whose keys have positions in a table? */
static bool
is_by_position(const Storage *storage)
{
	for (int i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind == DIMENSION_DEMOTED &&
			bound_is_dimension(storage->dimensions[i].bound))
			return true;
	}
	return false;
}

/*
 * Returns the template of a value by place, made from one that is stored by position; it
 * checks the shape, too.
 */
static char *
value_by_place(const CodegenContext *context, const Storage *storage, const char *value)
{
	StringInfoData shape;
	StringInfoData positions;

	initStringInfo(&shape);
	initStringInfo(&positions);
	for (int i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		bool grows =
			dimension->kind == DIMENSION_DEMOTED && bound_is_dimension(dimension->bound);

		if (dimension->kind == DIMENSION_PROMOTED)
			continue;
		appendStringInfo(&shape, "%s" INT64_FORMAT, shape.len ? "," : "",
						 grows ? 0 : bound_size(dimension->bound));
		appendStringInfo(
			&positions, ", %s",
			grows ? template_text(dimension_positions(context, dimension->bound))
				  : "NULL::pg_catalog.int8[]");
	}
	return psprintf(
		"%s(%s, %s, %s, %s, '{%s}'::pg_catalog.int4[]%s)",
		extension_function("einsum_by_place"), value,
		template_text(tensor_literal(context, storage->element_type, storage->fill)),
		template_text(text_literal(storage->tensor)),
		text_literal(element_type_name(storage->element_type)), shape.data,
		positions.data);
}

/*
 * Reads a tensor without keys, which has at most one row. No constraint can say so, but a
 * scalar subquery fails if there are more.
 */
static void
read_single_row(Source *source)
{
	const char *alias = source_alias(source);
	char *conditions = source_conditions(source, alias);

	source->from = psprintf("(SELECT (SELECT %s AS value FROM %s AS %s%s%s) AS value)",
							source_value(source, alias), source->from, alias,
							conditions ? " WHERE " : "", conditions ? conditions : "");
	source->value = "%s.value";
	source->quoted_value = "value";
	source->conditions = list_make1("%1$s.value IS NOT NULL");
	source->one_row = true;
}

/*
 * Returns a source that adds up duplicates: it has one row for each combination of keys.
 */
static Source *
summed_source(const CodegenContext *context, Source *source, int rank)
{
	char **names = dimension_names(rank);
	const char *alias = source_alias(source);
	char *conditions = source_conditions(source, alias);
	StringInfoData query;
	StringInfoData groups;

	initStringInfo(&query);
	initStringInfo(&groups);
	appendStringInfoString(&query, "SELECT ");
	append_keys(&query, source, rank, names);
	for (int i = 0; i < rank; i++)
	{
		if (keys_of(&source->decomposition) & (1u << i))
			appendStringInfo(&groups, "%s%s.%s", groups.len ? ", " : " GROUP BY ", alias,
							 source->keys[i]);
	}
	appendStringInfo(&query, "%s(%s) AS value FROM %s AS %s%s%s%s",
					 extension_function("tensor_sum"), source_value(source, alias),
					 source->from, alias, conditions ? " WHERE " : "",
					 conditions ? conditions : "", groups.data);
	source =
		query_source(query.data, source->tensor, rank, names, &source->decomposition);
	/* without keys there is a row even if there is nothing to sum */
	if (keys_of(&source->decomposition) == 0)
	{
		source->conditions = list_make1("%1$s.value IS NOT NULL");
		source->one_row = true;
	}
	return source;
}

/*
 * Returns "(v.i, v.j) = ANY (SELECT d0, d1 FROM limit)"; keys: the key columns by
 * dimension.
 */
static char *
limit_condition(const OperandLimit *limit, const char *alias, char *const *keys)
{
	StringInfoData row;
	StringInfoData columns;

	initStringInfo(&row);
	initStringInfo(&columns);
	for (int d = 0; d < TENSOR_MAX_RANK; d++)
	{
		if (!(limit->dimensions & (1u << d)))
			continue;
		appendStringInfo(&row, "%s%s.%s", row.len ? ", " : "", alias, keys[d]);
		appendStringInfo(&columns, "%sd%d", columns.len ? ", " : "", d);
	}
	return psprintf("(%s) OPERATOR(pg_catalog.=) ANY (SELECT %s FROM %s)", row.data,
					columns.data, limit->relation);
}

static void
add_limit(Source *source, const OperandLimit *limit)
{
	char *keys[TENSOR_MAX_RANK] = {NULL};

	for (int d = 0; d < TENSOR_MAX_RANK; d++)
	{
		if (source->keys[d])
			keys[d] = template_text(source->keys[d]);
	}
	source->conditions =
		lappend(source->conditions, limit_condition(limit, "%1$s", keys));
}

/*
 * Returns a column of a view as an expression that keeps conditions on it above the view.
 */
static char *
behind_barrier(const CodegenContext *context, const char *alias, const char *column)
{
	/* both branches are the column, so that the type keeps its modifier */
	return psprintf("CASE WHEN %s() THEN %s.%s ELSE %s.%s END",
					extension_function("einsum_barrier"), alias, column, alias, column);
}

/*
 * Are the keys of these dimensions plain columns of tables, whose computation cannot
 * fail?
 */
static bool
keys_cannot_fail(const Storage *storage, DimensionMask dimensions)
{
	for (int d = 0; d < storage->rank; d++)
	{
		if ((dimensions & (1u << d)) && storage->dimensions[d].may_fail)
			return false;
	}
	return true;
}

/*
 * Returns the names, behind the barrier of a view, of the columns that a value is made
 * of.
 */
static char **
made_column_names(const Storage *storage)
{
	int count = list_length(storage->value_parts);
	char **names = palloc(sizeof(char *) * Max(count, 1));

	names[0] = "value";
	for (int i = 0; i < count; i++)
		names[i] = psprintf("v%d", i);
	return names;
}

/*
 * Adds the columns that a value is made of, behind the barrier of a view, so that the
 * value is not made for rows that the view leaves out. * value becomes the template with
 * their new names.
 */
static void
read_made_columns(const CodegenContext *context, const Storage *storage, StringInfo query,
				  char **value)
{
	char **names = made_column_names(storage);
	const char *alias = quote_identifier(storage->tensor);
	ListCell *lc;
	int i = 0;

	if (storage->one_hot)
		appendStringInfo(
			query, "%s%s AS %s", query->len ? ", " : "",
			behind_barrier(context, alias, quote_identifier(storage->value_column)),
			names[0]);
	foreach (lc, storage->value_parts)
	{
		const ValuePart *part = lfirst(lc);

		if (part->column)
			appendStringInfo(
				query, "%s%s AS %s", query->len ? ", " : "",
				behind_barrier(context, alias, quote_identifier(part->column)), names[i]);
		i++;
	}
	*value = made_value(storage, names);
}

/*
 * Reads a view in a subquery with a barrier. Each key is two columns: d<i> for joins and
 * for conditions of the query that reads the result, which may move into the view, and
 * c<i> behind the barrier for our checks, which must not. There is only d<i>, behind the
 * barrier, if computing the key may fail for rows that the view leaves out, or if the key
 * is compared with another of the same row. checked and value become the subquery's
 * columns.
 */
static void
read_view(const CodegenContext *context, Source *source, const Storage *storage,
		  const StoredRead *read, char **checked, char **value)
{
	bool limited = read->limit && read->limit->relation &&
				   keys_cannot_fail(storage, read->limit->dimensions);
	const char *alias = source_alias(source);
	StringInfoData query;
	char *limit = limited ? limit_condition(read->limit, alias, source->keys) : NULL;

	initStringInfo(&query);
	for (int d = 0; d < storage->rank; d++)
	{
		bool hidden = storage->dimensions[d].may_fail || (read->compared & (1u << d));
		char *column = source->keys[d];

		if (column == NULL)
			continue;
		source->keys[d] = psprintf("d%d", d);
		checked[d] = psprintf("%c%d", hidden ? 'd' : 'c', d);
		if (!hidden)
			appendStringInfo(&query, "%s%s.%s AS %s", query.len ? ", " : "", alias,
							 column, source->keys[d]);
		appendStringInfo(&query, "%s%s AS %s", query.len ? ", " : "",
						 behind_barrier(context, alias, column), checked[d]);
	}
	if (has_made_value(storage))
		read_made_columns(context, storage, &query, value);
	else if (*value)
	{
		appendStringInfo(&query, "%s%s AS value", query.len ? ", " : "",
						 behind_barrier(context, alias, quote_identifier(*value)));
		*value = "value";
	}
	source->from = psprintf("(SELECT %s FROM %s AS %s%s%s)", query.data, source->from,
							alias, limited ? " WHERE " : "", limited ? limit : "");
	if (read->limit && read->limit->relation && !limited)
		add_limit(source, read->limit);
}

/*
 * Returns the relation of a storage with its keys, or with ranges of these or their
 * lengths (StoredRead); columns become its unquoted key columns by dimension. A table of
 * Citus is gathered under a condition, or NULL.
 */
static Source *
stored_relation(const CodegenContext *context, const Storage *stored,
				DimensionMask contained, DimensionMask measured, const char *gathered,
				char **columns)
{
	Source *source = palloc0(sizeof(Source));
	Storage *storage = palloc(sizeof(Storage));

	*storage = *stored;
	if (is_gathered(context, stored))
		storage->gathered = gathered_relation(context, stored, gathered);
	source->tensor = storage->tensor;
	source->contained = contained;
	source->measured = measured;
	source->from = storage->ephemeral ? pstrdup(quote_identifier(storage->ephemeral))
				   : contained | measured
					   ? range_rows_sql(storage, (int) contained, (int) measured)
					   : storage_relation_sql(storage);
	source->decomposition = storage_decomposition(storage);
	for (int i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind == DIMENSION_DEMOTED)
			continue;
		columns[i] = storage->dimensions[i].column;
		source->keys[i] = pstrdup(quote_identifier(columns[i]));
	}
	return source;
}

/*
 * Adds a value made of several columns, which always has the right shape. It has no
 * column of its own: if a left join finds no row, it must not be made of constants.
 */
static void
add_made_value(Source *source, const Storage *storage, char *value)
{
	char **names = storage_has_barrier(storage) ? made_column_names(storage) : NULL;
	List *needed = needed_value_columns(storage);
	ListCell *cell;
	int i = 0;

	source->value = value;
	if (storage->one_hot)
		add_not_null(source, names ? names[0] : storage->value_column);
	foreach (cell, storage->value_parts)
	{
		const ValuePart *part = lfirst(cell);

		if (part->column && needed != NIL)
			add_not_null(source, names ? names[i] : part->column);
		i++;
	}
}

Source *
stored_source(const CodegenContext *context, const Storage *storage,
			  const StoredRead *read)
{
	char *checked[TENSOR_MAX_RANK] = {NULL};
	char *value =
		has_made_value(storage) ? made_value(storage, NULL) : storage->value_column;
	Source *source;
	bool demoted;

	enter_recursion();
	if (storage->shift)
		return shifted_source(context, storage, read);
	source = stored_relation(context, storage, read->contained, read->measured,
							 read->limit ? read->limit->gathered : NULL, checked);
	if (read->rows)
		source->from = read->rows;
	demoted = source->decomposition.promoted != (1u << storage->rank) - 1;
	if (storage_has_barrier(storage))
		read_view(context, source, storage, read, checked, &value);
	for (int i = 0; i < storage->rank; i++)
	{
		/* what makes indices of arrays or ranges has compared them with numbers */
		bool made =
			is_layout_index(storage, i) || OidIsValid(storage->dimensions[i].range_type);

		if (checked[i] && !storage->ephemeral &&
			!((read->contained | read->measured) & (1u << i)) &&
			(!made || bound_is_dimension(storage->dimensions[i].bound) ||
			 (is_layout_index(storage, i) &&
			  bound_has_origin(storage->dimensions[i].bound))))
			add_key_conditions(context, source, storage, &storage->dimensions[i],
							   checked[i]);
	}
	if (value == NULL)
		source->value = "'1'::pg_catalog.float8";
	else if (has_made_value(storage))
		add_made_value(source, storage, value);
	else
	{
		char *column = template_text(quote_identifier(value));

		bool tensors = demoted || storage->element_type != ELEMENT_FLOAT8;

		source->quoted_value = pstrdup(quote_identifier(value));
		if (storage->value_type == tensor_type_oid() || !tensors)
			source->value = psprintf("%%s.%s", column);
		else
			source->value = psprintf("CAST(%%s.%s AS %s)", column,
									 template_text(context->tensor_type));
		if (!tensors)
			source->value = number_value(storage, source->value);
		if (!storage->ephemeral && storage->layout == NULL)
			add_not_null(source, value);
		if (is_by_position(storage))
			source->value = value_by_place(context, storage, source->value);
		else if (demoted)
			add_shape_condition(context, source, storage, source->value);
		else if (getBaseType(storage->value_type) == tensor_type_oid())
			add_shape_condition(context, source, storage,
								storage->value_type == tensor_type_oid()
									? psprintf("%%s.%s", column)
									: psprintf("CAST(%%s.%s AS %s)", column,
											   template_text(context->tensor_type)));
	}
	if (read->rows == NULL)
		add_unique_condition(context, source, storage);
	if (read->limit && read->limit->relation && !storage_has_barrier(storage))
		add_limit(source, read->limit);
	if (keys_of(&source->decomposition) == 0 && storage->duplicates == DUPLICATES_ERROR &&
		!read->scalar)
		read_single_row(source);
	/* a round of a loop makes these rows: without keys always one */
	if (storage->ephemeral && keys_of(&source->decomposition) == 0)
		source->one_row = true;
	if (storage->duplicates == DUPLICATES_SUM && !read->linear)
		source = summed_source(context, source, storage->rank);
	return source;
}

Source *
keys_source(const CodegenContext *context, const Storage *storage, const char *gathered)
{
	char *columns[TENSOR_MAX_RANK] = {NULL};

	if (storage->shift ||
		(storage_has_barrier(storage) && !keys_cannot_fail(storage, ~0u)))
		return stored_source(context, storage, &(StoredRead){.linear = true});
	return stored_relation(context, storage, 0, 0, gathered, columns);
}

char *
dimension_keys(const CodegenContext *context, int64 bound)
{
	const TensorEntry *entry = dimension_entry(bound);
	Source *source =
		stored_source(context, linitial(entry->storages), &(StoredRead){.linear = true});
	const char *alias = source_alias(source);

	return psprintf("(SELECT %s.%s FROM %s AS %s WHERE %s)", alias, source->keys[0],
					source->from, alias, source_conditions(source, alias));
}

char *
dimension_size(const CodegenContext *context, int64 bound)
{
	return psprintf(
		"(SELECT GREATEST(pg_catalog.count(*), '1'::pg_catalog.int8) FROM %s AS e)",
		dimension_keys(context, bound));
}

char *
dimension_blocks(const CodegenContext *context, int64 bound, int64 block)
{
	return psprintf("((%s OPERATOR(pg_catalog.+) '" INT64_FORMAT
					"'::pg_catalog.int8) OPERATOR(pg_catalog./) '" INT64_FORMAT
					"'::pg_catalog.int8)",
					dimension_size(context, bound), block - 1, block);
}

/*
 * Returns "FROM ... WHERE ..." of a dimension's table and its columns, to order its keys
 * by position; without positions the keys themselves are the order.
 */
static char *
ordered_keys(const CodegenContext *context, int64 bound, char **key, char **position)
{
	const TensorEntry *entry = dimension_entry(bound);
	const char *column = dimension_position(bound);
	Source *source =
		stored_source(context, linitial(entry->storages), &(StoredRead){.linear = true});
	const char *alias = source_alias(source);

	*key = psprintf("%s.%s", alias, source->keys[0]);
	*position = column ? psprintf("%s.%s", alias, quote_identifier(column)) : *key;
	return psprintf("FROM %s AS %s WHERE %s", source->from, alias,
					source_conditions(source, alias));
}

/* Equal positions, from before a constraint ruled them out, are ordered by key. */
char *
dimension_places(const CodegenContext *context, int64 bound)
{
	char *key;
	char *position;
	char *from = ordered_keys(context, bound, &key, &position);

	return psprintf(
		"(SELECT %s AS key, CAST(pg_catalog.row_number() OVER (ORDER BY %s, %s) "
		"OPERATOR(pg_catalog.-) '1'::pg_catalog.int8 AS pg_catalog.int4) AS "
		"place %s)",
		key, position, key, from);
}

char *
dimension_positions(const CodegenContext *context, int64 bound)
{
	char *key;
	char *position;
	char *from = ordered_keys(context, bound, &key, &position);

	/* the values that are read or made have them */
	(void) require_position(bound);
	return psprintf(
		"(SELECT COALESCE(pg_catalog.array_agg(CAST(%s AS pg_catalog.int8) ORDER "
		"BY %s, %s), '{}'::pg_catalog.int8[]) %s)",
		position, position, key, from);
}

Source *
identity_source(const CodegenContext *context, int64 bound)
{
	Decomposition promoted = promoting(3);
	if (bound_is_dimension(bound))
		return query_source(
			psprintf("SELECT e.index AS d0, e.index AS d1, '1'::pg_catalog.float8 AS "
					 "value FROM %s AS e(index)",
					 dimension_keys(context, bound)),
			"eye", 2, dimension_names(2), &promoted);
	return query_source(
		psprintf("SELECT e.index AS d0, e.index AS d1, '1'::pg_catalog.float8 AS value "
				 "FROM %s AS e(index)",
				 all_keys_sql(bound)),
		"eye", 2, dimension_names(2), &promoted);
}

char **
stage_columns(const Stage *stage)
{
	char **columns = palloc(sizeof(char *) * Max(stage->noutput, 1));

	for (int i = 0; i < stage->noutput; i++)
	{
		int copies = 0;
		bool taken = true;

		columns[i] = stage->labels[stage->output[i]].name;
		while (taken)
		{
			taken = false;
			for (int j = 0; j < i; j++)
				taken = taken || strcmp(columns[j], columns[i]) == 0;
			if (taken)
				columns[i] = makeObjectName(stage->labels[stage->output[i]].name, NULL,
											psprintf("%d", ++copies));
		}
	}
	return columns;
}

/* Returns the name of the rows that a round of a loop has of a stage already, or NULL. */
static const char *
ephemeral_stage(const CodegenContext *context, const Stage *stage)
{
	return context->round ? context->round->stages[stage->number] : NULL;
}

bool
is_shown_apart(const CodegenContext *context, const Stage *stage)
{
	return context->inner && context->inner[stage->number];
}

const char *
stage_relname(const CodegenContext *context, const Stage *stage)
{
	return is_shown_apart(context, stage) ? context->inner[stage->number] : stage->name;
}

char *
stage_relation(const CodegenContext *context, const Stage *stage)
{
	if (ephemeral_stage(context, stage))
		return pstrdup(quote_identifier(ephemeral_stage(context, stage)));
	if (context->uses_ctes ||
		(context->places && (context->places[stage->number] == STAGE_IN_CTE ||
							 context->places[stage->number] == STAGE_KEPT)))
		return pstrdup(quote_identifier(stage->name));
	return quote_qualified_identifier(stage->schema ? stage->schema : context->schema,
									  stage_relname(context, stage));
}

Source *
stage_source(const CodegenContext *context, const Stage *stage)
{
	Source *source = palloc0(sizeof(Source));
	char **columns = stage_columns(stage);
	const StagePlan *plan = &context->plan->stages[stage->number];

	source->tensor = stage->name;
	source->decomposition = plan->shape;
	source->by_row = !ephemeral_stage(context, stage) &&
					 stage_is_by_row(stage, keys_of(&plan->choice));
	if (context->places && context->places[stage->number] == STAGE_IN_FROM)
		source->from = psprintf("(%s)", deparse_stage(context, stage));
	else
		source->from = stage_relation(context, stage);
	for (int i = 0; i < stage->noutput; i++)
	{
		if (keys_of(&source->decomposition) & (1u << i))
			source->keys[i] = pstrdup(quote_identifier(columns[i]));
	}
	source->value = "%s.value";
	source->quoted_value = "value";
	source->one_row = keys_of(&source->decomposition) == 0;
	return source;
}

static Source *
columns_source(char *from, const char *tensor, int rank, char *const *names,
			   const Decomposition *decomposition)
{
	Source *source = palloc0(sizeof(Source));

	source->tensor = tensor;
	source->from = from;
	source->decomposition = *decomposition;
	for (int i = 0; i < rank; i++)
	{
		if (keys_of(decomposition) & (1u << i))
			source->keys[i] = pstrdup(quote_identifier(names[i]));
	}
	source->value = "%s.value";
	source->quoted_value = "value";
	return source;
}

Source *
query_source(const char *query, const char *tensor, int rank, char *const *names,
			 const Decomposition *decomposition)
{
	return columns_source(psprintf("(%s)", query), tensor, rank, names, decomposition);
}

Source *
rows_source(const char *relation, const char *tensor, int rank, char *const *names,
			const Decomposition *decomposition)
{
	Source *source = columns_source(pstrdup(quote_identifier(relation)), tensor, rank,
									names, decomposition);

	source->one_row = keys_of(decomposition) == 0;
	return source;
}

const char *
source_alias(const Source *source)
{
	return quote_identifier(source->tensor);
}

char *
new_alias(List **aliases, const char *name)
{
	char *alias = pstrdup(name);
	int copies = 1;
	bool taken = true;

	while (taken)
	{
		ListCell *lc;

		taken = false;
		foreach (lc, *aliases)
			taken = taken || strcmp(lfirst(lc), alias) == 0;
		if (taken)
			alias = makeObjectName(name, NULL, psprintf("%d", ++copies));
	}
	*aliases = lappend(*aliases, alias);
	return pstrdup(quote_identifier(alias));
}

char *
source_value(const Source *source, const char *alias)
{
	return psprintf(source->value, alias);
}

char *
source_conditions(const Source *source, const char *alias)
{
	StringInfoData conditions;
	ListCell *lc;

	if (source->conditions == NIL)
		return NULL;
	initStringInfo(&conditions);
	foreach (lc, source->conditions)
	{
		if (conditions.len)
			appendStringInfoString(&conditions, " AND ");
		appendStringInfo(&conditions, (char *) lfirst(lc), alias);
	}
	return conditions.data;
}

Source *
filtered_source(Source *source, int rank)
{
	StringInfoData query;
	const char *alias = source_alias(source);
	char *conditions = source_conditions(source, alias);
	char **names = dimension_names(rank);
	Source *filtered;

	if (source->one_row)
	{
		source->conditions = NIL;
		return source;
	}
	/* a constant value must not be 1 where a left join finds no row */
	if (conditions == NULL && source->quoted_value)
		return source;
	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT ");
	append_keys(&query, source, rank, names);
	appendStringInfo(&query, "%s AS value FROM %s AS %s", source_value(source, alias),
					 source->from, alias);
	if (conditions)
		appendStringInfo(&query, " WHERE %s", conditions);
	filtered =
		query_source(query.data, source->tensor, rank, names, &source->decomposition);
	filtered->contained = source->contained;
	return filtered;
}

/*
 * A volatile function in the target list keeps PostgreSQL from merging the subquery.
 * OFFSET 0 would as well, but would also keep conditions on keys out of it.
 */
Source *
computed_source(const CodegenContext *context, Source *source, int rank)
{
	StringInfoData query;
	const char *alias = source_alias(source);
	char **names = dimension_names(rank);

	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT ");
	append_keys(&query, source, rank, names);
	appendStringInfo(&query, "%s(%s) AS value FROM %s AS %s",
					 extension_function("einsum_once"), source_value(source, alias),
					 source->from, alias);
	return query_source(query.data, source->tensor, rank, names, &source->decomposition);
}

char *
float8_literal(double value)
{
	/* not float8out: a program's meaning must not depend on extra_float_digits */
	return psprintf("'%s'::pg_catalog.float8", float8_to_string(value));
}

char *
tensor_literal(const CodegenContext *context, ElementType type, Number value)
{
	TensorView from = {.type = ELEMENT_COMPLEX16, .data = &value};
	TensorView to;
	Tensor *tensor = tensor_new(type, 0, NULL);

	tensor_view(tensor, &to);
	view_copy(&from, &to);
	return psprintf("'%s'::%s", tensor_to_string(tensor), context->tensor_type);
}

char *
number_literal(const CodegenContext *context, ElementType type, Number value)
{
	if (type == ELEMENT_FLOAT8)
		return float8_literal(creal(value));
	return tensor_literal(context, type, value);
}
