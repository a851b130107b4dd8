/*-------------------------------------------------------------------------
 *
 * fit.c
 *	  Whether rows fit the types of the columns that they are written into.
 *
 * A table that exists may have narrower columns than the rows of a result: of x[t-1] the
 * keys are bigint where those of x are smallint. PostgreSQL's conversion would only say
 * "smallint out of range". A query over the rows finds the entry that is out of range, if
 * there is a column that can be too narrow; most tables have none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "catalog/tensor_storage.h"
#include "codegen/source.h"
#include "rows/fit.h"
#include "type/extension.h"

/* A column that may be too narrow. */
typedef struct NarrowColumn
{
	const char *name;
	Oid type;
	int32 typmod;
	const char *wide; /* the type that has room */
	char *condition;  /* of a row e that does not fit */
} NarrowColumn;

static void
add_column(List **columns, const char *name, Oid type, int32 typmod, const char *wide,
		   char *condition)
{
	NarrowColumn *column = palloc(sizeof(NarrowColumn));

	*column = (NarrowColumn){name, type, typmod, wide, condition};
	*columns = lappend(*columns, column);
}

/* Returns the least and the largest integer of a type, as texts. */
static void
integer_range(Oid type, const char **least, const char **largest)
{
	*least = type == INT2OID   ? "-32768"
			 : type == INT4OID ? "-2147483648"
							   : "-9223372036854775808";
	*largest = type == INT2OID   ? "32767"
			   : type == INT4OID ? "2147483647"
								 : "9223372036854775807";
}

static void
find_narrow_keys(const TableChange *change, List **columns)
{
	const char *least;
	const char *largest;

	for (int d = 0; d < change->table->rank; d++)
	{
		const StorageDimension *dimension = &change->table->dimensions[d];
		Oid has;
		Oid comes;

		if (dimension->kind == DIMENSION_DEMOTED)
			continue;
		has = getBaseType(dimension->key_type);
		comes = getBaseType(change->place->dimensions[d].key_type);
		if (!is_integer_type(has) || !is_integer_type(comes) ||
			get_typlen(has) >= get_typlen(comes))
			continue;
		integer_range(has, &least, &largest);
		add_column(
			columns, dimension->column, has, -1, format_type_be(comes),
			psprintf("(e.d%d OPERATOR(pg_catalog.<) (%s)::pg_catalog.int8 OR e.d%d "
					 "OPERATOR(pg_catalog.>) (%s)::pg_catalog.int8)",
					 d, least, d, largest));
	}
}

/* Returns the condition that a number, an SQL expression, does not fit a type; or NULL. */
static char *
misfit(const char *value, Oid type, int32 typmod)
{
	const char *least;
	const char *largest;

	if (is_integer_type(type))
	{
		integer_range(type, &least, &largest);
		/* 2^63 is the least float8 beyond bigint, and NaN is larger than all */
		return psprintf("(pg_catalog.round(%s) OPERATOR(pg_catalog.<) "
						"(%s)::pg_catalog.float8 OR pg_catalog.round(%s) "
						"OPERATOR(pg_catalog.%s) (%s)::pg_catalog.float8)",
						value, least, value, type == INT8OID ? ">=" : ">", largest);
	}
	/* a numeric with digits has no infinity, but NaN */
	if (type == NUMERICOID && typmod >= (int32) VARHDRSZ)
	{
		int digits = ((typmod - VARHDRSZ) >> 16) & 0xffff;
		int scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;

		return psprintf(
			"(pg_catalog.abs(%s) OPERATOR(pg_catalog.<) "
			"'NaN'::pg_catalog.float8 AND pg_catalog.abs(%s) "
			"OPERATOR(pg_catalog.>=) %s)",
			value, value,
			float8_literal(pow(10.0, digits - scale) - 0.5 * pow(10.0, -scale)));
	}
	return NULL;
}

static void
find_narrow_value(const TableChange *change, const char *value, List **columns)
{
	const Storage *table = change->table;
	Oid type;
	int32 typmod;
	Oid collation;
	char *condition;

	if (storage_has_tensors(table))
		return;
	get_atttypetypmodcoll(table->relid, table->value_attno, &type, &typmod, &collation);
	condition = misfit(value, getBaseTypeAndTypmod(type, &typmod), typmod);
	if (condition)
		add_column(columns, table->value_column, type, typmod, "double precision",
				   condition);
}

/* Returns "t = 32768, s = 3", the keys of the row that was found. */
static char *
keys_found(const Storage *table, int column)
{
	StringInfoData keys;

	initStringInfo(&keys);
	for (int d = 0; d < table->rank; d++)
	{
		if (table->dimensions[d].kind == DIMENSION_DEMOTED)
			continue;
		appendStringInfo(
			&keys, "%s%s = %s", keys.len ? ", " : "", table->dimensions[d].label,
			SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column++));
	}
	return keys.data;
}

/* Reports the row that was found: it has a condition for each column, keys and value. */
static void
report_misfit(const TableChange *change, const List *columns)
{
	const Storage *table = change->table;
	HeapTuple row = SPI_tuptable->vals[0];
	TupleDesc type = SPI_tuptable->tupdesc;
	const NarrowColumn *column = NULL;
	char *keys = keys_found(table, list_length(columns) + 1);

	for (int i = 0; i < list_length(columns); i++)
	{
		const char *misfits = SPI_getvalue(row, type, i + 1);

		if (column == NULL && misfits && *misfits == 't')
			column = list_nth(columns, i);
	}
	if (column == NULL)
		elog(ERROR, "a row of tensor \"%s\" fits its table", table->tensor);
	ereport(
		ERROR,
		(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		 errmsg("an entry of tensor \"%s\" does not fit column \"%s\" of table \"%s\"",
				table->tensor, column->name, get_rel_name(table->relid)),
		 errdetail("The column is %s, and the entry%s%s has the value %s.",
				   format_type_with_typemod(column->type, column->typmod),
				   *keys ? " " : "", keys, SPI_getvalue(row, type, type->natts)),
		 errhint("Give the column room: ALTER TABLE %s ALTER COLUMN %s TYPE %s.",
				 qualified_relation_name(table->relid), quote_identifier(column->name),
				 column->wide)));
}

void
require_fit(const TableChange *change)
{
	const Storage *table = change->table;
	const char *value = storage_has_tensors(change->place)
							? "CAST(e.value AS pg_catalog.float8)"
							: "e.value";
	List *columns = NIL;
	StringInfoData query;
	StringInfoData any;
	ListCell *lc;

	/* the rows of a refresh have the table's types */
	if (change->place == table)
		return;
	find_narrow_keys(change, &columns);
	find_narrow_value(change, value, &columns);
	if (columns == NIL)
		return;
	initStringInfo(&query);
	initStringInfo(&any);
	appendStringInfoString(&query, "SELECT ");
	foreach (lc, columns)
	{
		const NarrowColumn *column = lfirst(lc);

		appendStringInfo(&query, "%s, ", column->condition);
		appendStringInfo(&any, "%s%s", any.len ? " OR " : "", column->condition);
	}
	for (int d = 0; d < table->rank; d++)
	{
		if (table->dimensions[d].kind != DIMENSION_DEMOTED)
			appendStringInfo(&query, "e.d%d, ", d);
	}
	appendStringInfo(&query, "e.value FROM %s AS e WHERE %s LIMIT 1",
					 quote_identifier(change->rows->relation.md.name), any.data);
	if (run_reading(labelled_query(change->caller, change->name, query.data)) !=
		SPI_OK_SELECT)
		elog(ERROR, "rows could not be compared with the columns of a table");
	if (SPI_processed > 0)
		report_misfit(change, columns);
	SPI_freetuptable(SPI_tuptable);
}
