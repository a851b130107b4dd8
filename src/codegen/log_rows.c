/*-------------------------------------------------------------------------
 *
 * log_rows.c
 *	  A tensor's change, as a SELECT from rows of its table's log.
 *
 * The rows of a log are netted by all columns that the tensor reads before any number is
 * looked at: what came and is gone again leaves nothing, whatever it was, and rounding
 * has no part in it. Then the entries of the rows that are left are added up by keys,
 * those of rows that are gone with a minus. Rows are checked as those of the table are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "access/table.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "catalog/change_log.h"
#include "catalog/range_storage.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "codegen/deparse.h"
#include "codegen/log_rows.h"
#include "compat.h"
#include "type/extension.h"

const char *
reason_against_rows(const Storage *storage)
{
	if (storage->element_type != ELEMENT_FLOAT8)
		return psprintf("tensor \"%s\" has other numbers than float8", storage->tensor);
	if (storage->layout || storage->symmetric)
		return psprintf("rows of tensor \"%s\" have several entries in a layout",
						storage->tensor);
	if (has_ranges(storage))
		return psprintf("rows of tensor \"%s\" have ranges of keys", storage->tensor);
	if (!isfinite(creal(storage->fill)))
		return psprintf("tensor \"%s\" has an infinite fill", storage->tensor);
	if (storage->duplicates == DUPLICATES_SUM && storage->fill != 0.0)
		return psprintf("rows of tensor \"%s\" add up to another fill than 0",
						storage->tensor);
	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind == DIMENSION_DEMOTED &&
			bound_is_open(storage->dimensions[d].bound))
			return psprintf("values of tensor \"%s\" are as large as a dimension",
							storage->tensor);
	}
	return NULL;
}

const char *
reason_against_better(const Storage *storage)
{
	if (storage->layout || storage->symmetric || has_ranges(storage) ||
		storage->duplicates == DUPLICATES_SUM)
		return psprintf("rows of tensor \"%s\" are not its entries", storage->tensor);
	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind != DIMENSION_PROMOTED)
			return psprintf("values of tensor \"%s\" are not single numbers",
							storage->tensor);
	}
	if (storage->rank == 0 || storage->element_type != ELEMENT_FLOAT8 ||
		cimag(storage->fill) != 0.0 || isnan(creal(storage->fill)))
		return psprintf("tensor \"%s\" has no keys, or other numbers than float8",
						storage->tensor);
	return NULL;
}

static Oid
type_of_change(const Storage *storage)
{
	return storage_has_tensors(storage) ? tensor_type_oid() : FLOAT8OID;
}

Storage
storage_of_change(const Storage *storage, const char *name)
{
	Storage result = {.tensor = storage->tensor,
					  .rank = storage->rank,
					  .value_column = "value",
					  .value_type = type_of_change(storage),
					  .element_type = ELEMENT_FLOAT8,
					  .duplicates = DUPLICATES_TRUST,
					  .ephemeral = pstrdup(name)};

	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];

		result.dimensions[d] = (StorageDimension){.label = dimension->label,
												  .kind = dimension->kind,
												  .block = dimension->block,
												  .bound = dimension->bound,
												  .index_set = dimension->index_set,
												  .column = psprintf("d%d", d)};
		if (dimension->kind != DIMENSION_DEMOTED)
			result.dimensions[d].key_type = getBaseType(dimension->key_type);
	}
	return result;
}

TupleDesc
columns_of_change(const Storage *storage)
{
	TupleDesc columns = CreateTemplateTupleDesc(storage_key_count(storage) + 1);
	Relation table = table_open(storage->relid, AccessShareLock);
	AttrNumber column = 0;

	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind == DIMENSION_DEMOTED)
			continue;
		TupleDescCopyEntry(columns, ++column, RelationGetDescr(table),
						   storage->dimensions[d].attno);
		namestrcpy(&TupleDescAttr(columns, column - 1)->attname, psprintf("d%d", d));
	}
	TupleDescInitEntry(columns, ++column, "value", type_of_change(storage), -1, 0);
	TupleDescFinalize(columns);
	table_close(table, NoLock);
	return columns;
}

Bitmapset *
marked_dimensions(const Storage *storage)
{
	Bitmapset *dimensions = NULL;

	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];

		if (dimension->kind == DIMENSION_PROMOTED && dimension->attno > 0 &&
			!is_layout_index(storage, d) && !OidIsValid(dimension->range_type))
			dimensions = bms_add_member(dimensions, d);
	}
	return dimensions;
}

Storage
storage_of_marks(const Storage *storage, const char *name)
{
	Storage plain = *storage;
	const Bitmapset *marked = marked_dimensions(storage);
	int n = 0;
	int d = -1;

	plain.rank = bms_num_members(marked);
	while ((d = bms_next_member(marked, d)) >= 0)
		plain.dimensions[n++] = storage->dimensions[d];
	plain.element_type = ELEMENT_FLOAT8;
	return storage_of_change(&plain, name);
}

TupleDesc
columns_of_marks(const Storage *storage)
{
	const Bitmapset *marked = marked_dimensions(storage);
	int n = bms_num_members(marked);
	TupleDesc columns = CreateTemplateTupleDesc(n + 1);
	Relation table = table_open(storage->relid, AccessShareLock);
	AttrNumber column = 0;
	int d = -1;

	while ((d = bms_next_member(marked, d)) >= 0)
	{
		TupleDescCopyEntry(columns, ++column, RelationGetDescr(table),
						   storage->dimensions[d].attno);
		namestrcpy(&TupleDescAttr(columns, column - 1)->attname,
				   psprintf("d%d", column - 1));
	}
	TupleDescInitEntry(columns, ++column, "value", FLOAT8OID, -1, 0);
	TupleDescFinalize(columns);
	table_close(table, NoLock);
	return columns;
}

TupleDesc
columns_of_moving(const Storage *storage)
{
	TupleDesc change = columns_of_change(storage);
	TupleDesc columns = CreateTemplateTupleDesc(change->natts + 1);

	for (AttrNumber column = 1; column <= change->natts; column++)
		TupleDescCopyEntry(columns, column, change, column);
	TupleDescInitEntry(columns, (AttrNumber) columns->natts, "magnitude",
					   type_of_change(storage), -1, 0);
	TupleDescFinalize(columns);
	return columns;
}

TupleDesc
columns_of_touched(const Storage *storage, const Bitmapset *keys)
{
	TupleDesc columns = CreateTemplateTupleDesc(bms_num_members(keys) + 1);
	TupleDesc all = columns_of_change(storage);
	AttrNumber from = 0;
	AttrNumber to = 0;

	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind == DIMENSION_DEMOTED)
			continue;
		from++;
		if (bms_is_member(d, keys))
			TupleDescCopyEntry(columns, ++to, all, from);
	}
	TupleDescInitEntry(columns, ++to, "value", FLOAT8OID, -1, 0);
	TupleDescFinalize(columns);
	return columns;
}

/* Does a log have a column, and can rows be grouped by it? */
static bool
can_group_by(TupleDesc columns, const char *name)
{
	for (int c = 1; c < columns->natts; c++)
	{
		const TypeCacheEntry *type;

		if (strcmp(NameStr(TupleDescAttr(columns, c)->attname), name) != 0)
			continue;
		type =
			lookup_type_cache(TupleDescAttr(columns, c)->atttypid,
							  TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_HASH_PROC);
		return OidIsValid(type->eq_opr) &&
			   (OidIsValid(type->lt_opr) || OidIsValid(type->hash_proc));
	}
	return false;
}

/*
 * Returns the rows of a log as a FROM item: each row that a table has more than before, or
 * less, with "@times" how often. NULL if a column is missing, or not comparable.
 */
static char *
netted_rows(const Storage *storage, TupleDesc columns, const char *rows)
{
	StringInfoData list;
	ListCell *lc;

	initStringInfo(&list);
	foreach (lc, columns_of_registration(storage))
	{
		if (!can_group_by(columns, lfirst(lc)))
			return NULL;
		appendStringInfo(&list, "%sl.%s", list.len ? ", " : "",
						 quote_identifier(lfirst(lc)));
	}
	/* OFFSET 0 keeps checks of keys above: they are for rows that are left */
	return psprintf("(SELECT %s, CAST(pg_catalog.sum(l.sign) AS pg_catalog.float8) AS "
					"\"@times\" FROM %s GROUP BY %s HAVING "
					"pg_catalog.sum(l.sign) OPERATOR(pg_catalog.<>) "
					"'0'::pg_catalog.int8 OFFSET 0)",
					list.data, rows, list.data);
}

/* Returns a value * number or value - number, as SQL; the functions raise no error. */
static char *
combined_scalars(const Storage *storage, const char *value, const char *operation,
				 const char *number)
{
	if (storage_has_tensors(storage))
		return psprintf("(%s OPERATOR(%s.%s) %s)", value,
						quote_identifier(extension_schema_name()),
						strcmp(operation, "multiply") == 0 ? "*" : "-", number);
	return psprintf("%s(%s, %s)", extension_function(psprintf("scalar_%s", operation)),
					value, number);
}

/* The rows of a log that are left, from which a query takes entries of a tensor. */
typedef struct NettedRows
{
	const char *alias;
	const char *value; /* of a row */
	char *keys;        /* of the SELECT list, each followed by a comma */
	char *names;       /* that they get there */
	char *groups;      /* the same of GROUP BY */
	char *from;        /* what follows FROM, with conditions */
} NettedRows;

/* Sets the parts of a query of rows of a log. False as query_of_log is NULL. */
static bool
read_netted(const Storage *storage, TupleDesc columns, const char *rows,
			NettedRows *netted)
{
	char *list = netted_rows(storage, columns, rows);
	const Source *source;
	const char *conditions;
	StringInfoData keys;
	StringInfoData names;
	StringInfoData groups;

	if (list == NULL)
		return false;
	/* without keys these may be two rows, the old one and the new one */
	source = stored_source(codegen_context(NULL, NULL), storage,
						   &(StoredRead){.linear = true, .scalar = true, .rows = list});
	netted->alias = source_alias(source);
	netted->value = source_value(source, netted->alias);
	conditions = source_conditions(source, netted->alias);
	netted->from = psprintf("%s AS %s%s%s", source->from, netted->alias,
							conditions ? " WHERE " : "", conditions ? conditions : "");
	initStringInfo(&keys);
	initStringInfo(&names);
	initStringInfo(&groups);
	for (int d = 0; d < storage->rank; d++)
	{
		if (source->keys[d] == NULL)
			continue;
		appendStringInfo(&keys, "%s.%s AS d%d, ", netted->alias, source->keys[d], d);
		appendStringInfo(&names, "%sd%d", names.len ? ", " : "", d);
		appendStringInfo(&groups, "%s%s.%s", groups.len ? ", " : "", netted->alias,
						 source->keys[d]);
	}
	netted->keys = keys.data;
	netted->names = names.data;
	netted->groups = groups.data;
	return true;
}

/*
 * Returns what a query of the log of a tensor without keys has behind FROM: no row, if
 * nothing has changed. It fails as queries of the tensor do if the table has several rows.
 */
static char *
having_one_row(const Storage *storage)
{
	const Source *source = stored_source(codegen_context(NULL, NULL), storage,
										 &(StoredRead){.linear = true, .scalar = true});
	const char *alias = source_alias(source);
	const char *conditions = source_conditions(source, alias);
	const char *some =
		"HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) '0'::pg_catalog.int8";

	if (storage->duplicates != DUPLICATES_ERROR)
		return pstrdup(some);
	return psprintf("%s AND COALESCE((SELECT true FROM %s AS %s%s%s), true)", some,
					source->from, alias, conditions ? " WHERE " : "",
					conditions ? conditions : "");
}

char *
query_of_log(const Storage *storage, TupleDesc columns, const char *rows)
{
	NettedRows netted;
	char *value;

	if (!read_netted(storage, columns, rows, &netted))
		return NULL;
	value = combined_scalars(storage, netted.value, "multiply",
							 psprintf("%s.\"@times\"", netted.alias));
	value = psprintf("%s(%s)", extension_function("tensor_sum"), value);
	/* behind the sum: an entry may be small beside the fill that it had and has again */
	if (storage->fill != 0.0)
		value = combined_scalars(
			storage, value, "subtract",
			psprintf("(%s OPERATOR(pg_catalog.*) pg_catalog.sum(%s.\"@times\"))",
					 float8_literal(creal(storage->fill)), netted.alias));
	return psprintf("SELECT %s%s AS value FROM %s %s", netted.keys, value, netted.from,
					netted.groups[0] == '\0' ? having_one_row(storage)
											 : psprintf("GROUP BY %s", netted.groups));
}

/*
 * Returns the entry that the rows of a key had or have, as SQL: those with a positive sign
 * or those with a negative one. Without such a row it is the fill.
 */
static char *
entry_by_sign(const NettedRows *netted, const char *comparison, const char *fill)
{
	return psprintf(
		"COALESCE(pg_catalog.min(CAST(%s AS pg_catalog.float8)) FILTER (WHERE "
		"%s.\"@times\" OPERATOR(pg_catalog.%s) '0'::pg_catalog.float8), %s)",
		netted->value, netted->alias, comparison, fill);
}

char *
query_of_better(const Storage *storage, TupleDesc columns, const char *rows, bool greater)
{
	const char *fill = float8_literal(creal(storage->fill));
	const char *nan = float8_literal(NAN);
	NettedRows netted;

	if (!read_netted(storage, columns, rows, &netted))
		return NULL;
	/* NaN is equal to itself, and greater than all else */
	return psprintf(
		"SELECT %s, CASE WHEN n.\"@rows\" OPERATOR(pg_catalog.>) '1'::pg_catalog.float8 "
		"OR n.\"@new\" OPERATOR(pg_catalog.=) %s OR n.\"@old\" OPERATOR(pg_catalog.=) %s "
		"THEN %s WHEN n.\"@new\" OPERATOR(pg_catalog.%s) n.\"@old\" THEN n.\"@new\" "
		"WHEN n.\"@new\" OPERATOR(pg_catalog.=) n.\"@old\" THEN %s ELSE %s END AS value "
		"FROM (SELECT %s%s AS \"@new\", %s AS \"@old\", "
		"GREATEST(pg_catalog.sum(GREATEST(%s.\"@times\", '0'::pg_catalog.float8)), "
		"pg_catalog.sum(GREATEST(OPERATOR(pg_catalog.-) %s.\"@times\", "
		"'0'::pg_catalog.float8))) AS \"@rows\" FROM %s GROUP BY %s) AS n",
		netted.names, nan, nan, nan, greater ? ">" : "<",
		float8_literal(greater ? -INFINITY : INFINITY), nan, netted.keys,
		entry_by_sign(&netted, ">", fill), entry_by_sign(&netted, "<", fill),
		netted.alias, netted.alias, netted.from, netted.groups);
}

char *
query_of_marks(const Storage *storage, TupleDesc columns, const char *rows)
{
	const char *netted = netted_rows(storage, columns, rows);
	const Bitmapset *marked = marked_dimensions(storage);
	StringInfoData keys;
	int d = -1;

	if (netted == NULL)
		return NULL;
	initStringInfo(&keys);
	while ((d = bms_next_member(marked, d)) >= 0)
		appendStringInfo(&keys, "%sn.%s", keys.len ? ", " : "",
						 quote_identifier(storage->dimensions[d].column));
	return psprintf("SELECT %s, '1'::pg_catalog.float8 FROM %s AS n GROUP BY %s",
					keys.data, netted, keys.data);
}
