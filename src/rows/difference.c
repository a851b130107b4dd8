/*-------------------------------------------------------------------------
 *
 * difference.c
 *	  Rows are written into the table that is to have them.
 *
 * What is written is the difference: rows that are gone are deleted, those that changed updated,
 * new ones inserted. Rows that stay as they are leave nothing for VACUUM. Where the table's rows hold
 * other tensors as well, in other columns, they stay, and only the value goes. Where that is
 * allowed and most rows differ, all are deleted and inserted: that costs less than to update them.
 *
 * The difference is found by one query: the three statements then join what they write, which often
 * is little or nothing, with the table. Rows of integers and a number that can be indexed are
 * looked up by those of the table, if it has such as well; else the query is a full join
 * of the two. Where a table has triggers, as that which deletes what refers to a row that is gone, the
 * difference is found anew behind a statement that has written.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/entry_value.h"
#include "catalog/label.h"
#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "catalog/tensor_storage.h"
#include "codegen/source.h"
#include "executor/integer_keys.h"
#include "rows/difference.h"
#include "type/extension.h"

/* What is done with a row of the difference. */
typedef enum Writing
{
	ROWS_GONE,
	ROWS_CHANGED,
	ROWS_NEW,
	NUM_WRITINGS
} Writing;

/* All rows are written where more than this part of them differs. */
#define MOST_CHANGED 0.5

/* The names of these rows; those of others are not like these. */
static const char *const names_of_rows[NUM_WRITINGS] = {
	[ROWS_GONE] = "@gone",
	[ROWS_CHANGED] = "@changed",
	[ROWS_NEW] = "@new",
};

/* The difference of a table and rows. A full join returns its rows with their Writing in the last column. */
typedef struct Difference
{
	DestReceiver pub;
	MemoryContext memory; /* of the rows */
	Rows *rows[NUM_WRITINGS];
	/* where rows of the table look for the others: */
	MemoryRows *looked_up;
	bool *found;   /* of these, whether the table has them */
	bool has_none; /* rows of this value have no entry: */
	double none;
	Oid key_types[TENSOR_MAX_RANK]; /* of the table */
	TupleDesc columns;              /* of the difference */
} Difference;

/* The parts of the statements. */
typedef struct Names
{
	const char *table;
	const char *columns; /* of keys, with a comma behind each */
	const char *value;   /* the column */
	const char *equals;  /* of values */
	const char
		*keys; /* the condition that rows of the table and of e have the same keys */
	const char *none; /* what stands for no entry in a row that stays; NULL: rows go */
	bool none_is_null;
} Names;

/* The value of a row as the table's column has it. */
static char *
value_for_table(const TableChange *change)
{
	Oid type = change->table->value_type;
	Oid base = getBaseType(type);
	const char *value = "e.value";

	if (type == FLOAT8OID ? !storage_has_tensors(change->place)
						  : type == tensor_type_oid())
		return pstrdup(value);
	/* tensors become numbers by way of float8 */
	if (storage_has_tensors(change->place) && base != tensor_type_oid() &&
		!type_is_array(base))
		value = "CAST(e.value AS pg_catalog.float8)";
	return psprintf("CAST(%s AS %s)", value, format_type_be_qualified(type));
}

/* The columns of a table's keys, and the condition that the table's rows and the others have the same. */
static void
name_keys(const Storage *table, Names *names)
{
	StringInfoData columns;
	StringInfoData condition;

	initStringInfo(&columns);
	initStringInfo(&condition);
	for (int d = 0; d < table->rank; d++)
	{
		const char *column;

		if (table->dimensions[d].kind == DIMENSION_DEMOTED)
			continue;
		column = quote_identifier(table->dimensions[d].column);
		appendStringInfo(&columns, "%s, ", column);
		appendStringInfo(&condition, "%st.%s OPERATOR(pg_catalog.=) e.d%d",
						 condition.len ? " AND " : "", column, d);
	}
	names->columns = columns.data;
	names->keys = condition.len ? condition.data : "true";
}

bool
shares_rows(const Storage *table)
{
	ListCell *lc;

	foreach (lc, relation_registrations(table->relid))
	{
		const Storage *other = lfirst(lc);

		if (other->value_column == NULL ||
			strcmp(other->value_column, table->value_column) != 0)
			return true;
	}
	return false;
}

/* What stands in the value column for no entry: NULL, or where that is not allowed fill. */
static void
name_no_entry(const Storage *table, Names *names)
{
	Relation relation = table_open(table->relid, AccessShareLock);
	bool null =
		!TupleDescAttr(RelationGetDescr(relation), table->value_attno - 1)->attnotnull;

	table_close(relation, NoLock);
	names->none_is_null = null || storage_has_tensors(table);
	names->none = names->none_is_null
					  ? "NULL"
					  : psprintf("CAST(%s AS %s)", float8_literal(creal(table->fill)),
								 format_type_be_qualified(table->value_type));
}

/* No rows yet, of these columns. */
static void
begin_rows(Difference *difference, TupleDesc type)
{
	MemoryContext old = MemoryContextSwitchTo(difference->memory);

	for (int w = 0; w < NUM_WRITINGS; w++)
	{
		Rows *rows = difference->rows[w] = new_rows(names_of_rows[w], type);

		rows->relation.reldata = tuplestore_begin_heap(false, false, work_mem);
	}
	MemoryContextSwitchTo(old);
}

static void
start_difference(DestReceiver *self, int operation, TupleDesc type)
{
	begin_rows((Difference *) self, type);
}

static bool
receive_difference(TupleTableSlot *slot, DestReceiver *self)
{
	Difference *difference = (Difference *) self;
	bool isnull;
	int writing =
		DatumGetInt32(slot_getattr(slot, slot->tts_tupleDescriptor->natts, &isnull));

	tuplestore_puttupleslot(difference->rows[writing]->relation.reldata, slot);
	return true;
}

static void
end_difference(DestReceiver *self)
{
}

/*
 * The query that finds the difference. A row of the table without a value is one, of no entry; each row of e has a
 * value. It reads no other columns, also not those of the system: the caller may have no right to.
 */
static char *
difference_query(const TableChange *change, const Names *names)
{
	const Storage *table = change->table;
	const char *value = value_for_table(change);
	StringInfoData query;

	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT ");
	for (int d = 0; d < table->rank; d++)
	{
		if (table->dimensions[d].kind != DIMENSION_DEMOTED)
			appendStringInfo(&query, "COALESCE(t.%s, e.d%d) AS d%d, ",
							 quote_identifier(table->dimensions[d].column), d, d);
	}
	appendStringInfo(
		&query,
		"%s AS value, CASE WHEN e.value IS NULL THEN %d WHEN t.\"@there\" IS "
		"NULL THEN %d ELSE %d END AS writing FROM (SELECT %s%s, true AS "
		"\"@there\" FROM %s) AS t FULL JOIN %s AS e "
		"ON %s WHERE (t.%s %s %s) IS NOT TRUE AND (e.value IS NOT NULL OR "
		"t.%s IS NOT NULL",
		value, ROWS_GONE, ROWS_NEW, ROWS_CHANGED, names->columns, names->value,
		names->table, quote_identifier(change->rows->relation.md.name), names->keys,
		names->value, names->equals, value, names->value);
	if (names->none)
		appendStringInfo(&query, " AND (t.%s %s %s) IS NOT TRUE", names->value,
						 names->equals, names->none);
	appendStringInfoChar(&query, ')');
	return query.data;
}

/* "einsum_iterate: name" in front of a statement, which shows whose it is. */
static char *
labelled(const TableChange *change, const char *statement)
{
	return labelled_query(change->caller, change->name, statement);
}

/* Runs a query of which the difference receives the rows. */
static void
run_comparison(const TableChange *change, Difference *difference, const char *query)
{
	SPIExecuteOptions options = {.dest = &difference->pub};
	int result = change->snapshot
					 ? run_reading_at(labelled(change, query), &options, change->snapshot)
					 : run_sql(labelled(change, query), &options);

	if (result != SPI_OK_SELECT)
		elog(ERROR, "rows could not be compared with a table (%s)",
			 SPI_result_code_string(result));
}

/* Lookups */

/* Do rows of the table find the others? */
static bool
can_look_up(const TableChange *change)
{
	const Storage *table = change->table;

	if (table->value_type != FLOAT8OID || table->rank != change->place->rank ||
		!can_index_rows(change->rows, change->place, number_of_rows(change->rows)))
		return false;
	for (int d = 0; d < table->rank; d++)
	{
		Oid type = getBaseType(table->dimensions[d].key_type);

		if (table->dimensions[d].kind != DIMENSION_PROMOTED || !is_integer_type(type))
			return false;
	}
	return true;
}

static void
put_difference(Difference *difference, Writing writing, const Datum *values,
			   const bool *nulls)
{
	tuplestore_putvalues(difference->rows[writing]->relation.reldata, difference->columns,
						 unconstify(Datum *, values), unconstify(bool *, nulls));
}

/* Columns wide enough for the keys of both. */
static TupleDesc
difference_columns(const Difference *difference)
{
	const MemoryRows *rows = difference->looked_up;
	TupleDesc columns = CreateTemplateTupleDesc(rows->nkeys + 1);

	for (int k = 0; k < rows->nkeys; k++)
	{
		Oid table = difference->key_types[k];
		Oid other = rows->key_types[k];

		TupleDescInitEntry(columns, (AttrNumber) (k + 1), psprintf("d%d", k),
						   get_typlen(table) > get_typlen(other) ? table : other, -1, 0);
	}
	TupleDescInitEntry(columns, (AttrNumber) (rows->nkeys + 1), "value", FLOAT8OID, -1,
					   0);
	return columns;
}

static void
start_table(DestReceiver *self, int operation, TupleDesc type)
{
	Difference *difference = (Difference *) self;
	MemoryContext old = MemoryContextSwitchTo(difference->memory);

	for (int k = 0; k < difference->looked_up->nkeys; k++)
	{
		Oid key_type = getBaseType(TupleDescAttr(type, k)->atttypid);

		/* a trigger or another session may have altered the table since the loop began */
		if (!is_integer_type(key_type))
			ereport(
				ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of a state's table is not of an integer type",
						NameStr(TupleDescAttr(type, k)->attname)),
				 errdetail("It is of type %s, and was an integer when the loop began.",
						   format_type_be(key_type)),
				 errhint("Begin the loop again.")));
		difference->key_types[k] = key_type;
	}
	difference->columns = difference_columns(difference);
	MemoryContextSwitchTo(old);
	begin_rows(difference, difference->columns);
}

static Datum
key_of_difference(const Difference *difference, int k, int64 key)
{
	return integer_datum(key, TupleDescAttr(difference->columns, k)->atttypid);
}

/* A row of the table: its keys and its value. */
static bool
receive_table_row(TupleTableSlot *slot, DestReceiver *self)
{
	Difference *difference = (Difference *) self;
	MemoryRows *rows = difference->looked_up;
	int nkeys = rows->nkeys;
	int64 keys[TENSOR_MAX_RANK];
	Datum values[TENSOR_MAX_RANK + 1];
	bool nulls[TENSOR_MAX_RANK + 1] = {0};
	bool any_null = false;
	const double *entry;
	double value;

	slot_getallattrs(slot);
	for (int k = 0; k < nkeys; k++)
	{
		nulls[k] = slot->tts_isnull[k];
		any_null = any_null || nulls[k];
		keys[k] =
			nulls[k] ? 0 : integer_key(slot->tts_values[k], difference->key_types[k]);
		values[k] = key_of_difference(difference, k, keys[k]);
	}
	value = slot->tts_isnull[nkeys] ? 0.0 : DatumGetFloat8(slot->tts_values[nkeys]);
	entry = any_null ? NULL : find_memory_row(rows, keys);
	if (entry)
	{
		difference->found[entry - rows->values] = true;
		if (!slot->tts_isnull[nkeys] && is_fill(value, 0.0, *entry))
			return true;
		values[nkeys] = Float8GetDatum(*entry);
		put_difference(difference, ROWS_CHANGED, values, nulls);
	}
	else if (!slot->tts_isnull[nkeys] &&
			 !(difference->has_none && is_fill(value, 0.0, difference->none)))
	{
		values[nkeys] = (Datum) 0;
		nulls[nkeys] = true;
		put_difference(difference, ROWS_GONE, values, nulls);
	}
	return true;
}

/* The rows that the table does not have. */
static void
put_new_rows(Difference *difference)
{
	const MemoryRows *rows = difference->looked_up;
	Datum values[TENSOR_MAX_RANK + 1];
	const bool nulls[TENSOR_MAX_RANK + 1] = {0};

	for (int64 row = 0; row < rows->count; row++)
	{
		if ((row & 0xffff) == 0)
			CHECK_FOR_INTERRUPTS();
		if (difference->found[row])
			continue;
		for (int k = 0; k < rows->nkeys; k++)
			values[k] = key_of_difference(difference, k, rows->keys[k][row]);
		values[rows->nkeys] = Float8GetDatum(rows->values[row]);
		put_difference(difference, ROWS_NEW, values, nulls);
	}
}

static void
look_up_difference(const TableChange *change, const Names *names, Difference *difference)
{
	MemoryRows *rows = change->rows->memory;
	bool indexed = rows_are_indexed(rows);

	difference->pub.rStartup = start_table;
	difference->pub.receiveSlot = receive_table_row;
	difference->looked_up = rows;
	difference->has_none = names->none && !names->none_is_null;
	difference->none = creal(change->table->fill);
	difference->found = MemoryContextAllocExtended(
		difference->memory, sizeof(bool) * (Size) (rows->count + 1),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (!indexed)
		index_rows(change->rows, change->place);
	run_comparison(
		change, difference,
		psprintf("SELECT %s%s FROM %s AS t", names->columns, names->value, names->table));
	put_new_rows(difference);
	if (!indexed)
		drop_row_index(rows);
	pfree(difference->found);
}

static void
find_difference(const TableChange *change, const Names *names, Difference *difference)
{
	*difference = (Difference){.pub = {.receiveSlot = receive_difference,
									   .rStartup = start_difference,
									   .rShutdown = end_difference,
									   .rDestroy = end_difference,
									   .mydest = DestTuplestore},
							   .memory = CurrentMemoryContext};
	if (can_look_up(change))
		look_up_difference(change, names, difference);
	else
		run_comparison(change, difference, difference_query(change, names));
	for (int w = 0; w < NUM_WRITINGS; w++)
	{
		Rows *rows = difference->rows[w];

		rows->relation.md.enrtuples = number_of_rows(rows);
		register_rows(rows);
	}
}

static void
give_back_difference(Difference *difference)
{
	for (int w = 0; w < NUM_WRITINGS; w++)
	{
		unregister_rows(difference->rows[w]);
		clear_rows(difference->rows[w]);
	}
}

/* Returns how many rows it has written. */
static double
execute_write(const TableChange *change, const char *statement)
{
	int result = change->snapshot
					 ? run_writing_at(labelled(change, statement), change->snapshot)
					 : run_writing(labelled(change, statement));

	if (result == SPI_OK_REWRITTEN)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a loop's state cannot be written into a table with rules"),
				 errdetail("A rule turns the statement into another."),
				 errhint("Drop the rule, or write a trigger in its place.")));
	if (result != SPI_OK_DELETE && result != SPI_OK_UPDATE && result != SPI_OK_INSERT)
		elog(ERROR, "rows could not be written into a table (%s)",
			 SPI_result_code_string(result));
	return (double) SPI_processed;
}

/* "e.d0, e.d2, ": the keys of the rows e, with a comma behind each. */
static char *
keys_of_rows(const Storage *table)
{
	StringInfoData keys;

	initStringInfo(&keys);
	for (int d = 0; d < table->rank; d++)
	{
		if (table->dimensions[d].kind != DIMENSION_DEMOTED)
			appendStringInfo(&keys, "e.d%d, ", d);
	}
	return keys.data;
}

/* The statement that writes some rows of the difference. */
static char *
writing_statement(const TableChange *change, const Names *names, Writing writing)
{
	const char *rows = names_of_rows[writing];

	if (writing == ROWS_GONE && names->none)
		return psprintf("UPDATE %s AS t SET %s = %s FROM \"%s\" AS e WHERE %s",
						names->table, names->value, names->none, rows, names->keys);
	if (writing == ROWS_GONE)
		return psprintf("DELETE FROM %s AS t USING \"%s\" AS e WHERE %s", names->table,
						rows, names->keys);
	if (writing == ROWS_CHANGED)
		return psprintf("UPDATE %s AS t SET %s = e.value FROM \"%s\" AS e WHERE %s",
						names->table, names->value, rows, names->keys);
	return psprintf("INSERT INTO %s (%s%s) SELECT %se.value FROM \"%s\" AS e",
					names->table, names->columns, names->value,
					keys_of_rows(change->table), rows);
}

/* Deletes all rows of the table and inserts the others; in the order of their keys, where that may be. */
static double
write_all(const TableChange *change, const Names *names)
{
	char *keys = keys_of_rows(change->table);
	char *order = change->ordered && keys[0]
					  ? psprintf(" ORDER BY %.*s", (int) strlen(keys) - 2, keys)
					  : "";
	double deleted = execute_write(change, psprintf("DELETE FROM %s", names->table));

	return deleted +
		   execute_write(
			   change,
			   psprintf("INSERT INTO %s (%s%s) SELECT %s%s FROM %s AS e%s", names->table,
						names->columns, names->value, keys, value_for_table(change),
						quote_identifier(change->rows->relation.md.name), order));
}

/* May writing some rows change others? Those of a foreign key's action are triggers, too. */
static bool
may_have_triggers(const Storage *table)
{
	Relation relation = table_open(table->relid, AccessShareLock);
	bool result = relation->rd_rel->relhastriggers || relation->rd_rel->relhassubclass;

	table_close(relation, NoLock);
	return result;
}

static double
changed_rows(const Difference *difference)
{
	double result = 0.0;

	for (int w = 0; w < NUM_WRITINGS; w++)
		result += difference->rows[w]->relation.md.enrtuples;
	return result;
}

/* Do most of the rows differ, of the table or of those that it is to have? */
static bool
most_differ(const TableChange *change, const Difference *difference)
{
	double rows = number_of_rows(change->rows);
	double before = rows - difference->rows[ROWS_NEW]->relation.md.enrtuples +
					difference->rows[ROWS_GONE]->relation.md.enrtuples;

	return changed_rows(difference) > MOST_CHANGED * Max(rows, before);
}

/* Also where there is nothing to write: the caller needs the rights for all statements. */
static double
write_changed(const TableChange *change, const Names *names, Difference *difference)
{
	bool triggers = may_have_triggers(change->table);
	double written = 0.0;

	for (int w = 0; w < NUM_WRITINGS; w++)
	{
		double rows = execute_write(change, writing_statement(change, names, w));

		written += rows;
		if (!triggers || rows == 0 || w == NUM_WRITINGS - 1)
			continue;
		/* triggers have written as well */
		give_back_difference(difference);
		find_difference(change, names, difference);
	}
	return written;
}

void
write_rows(const TableChange *change, RowsWritten *written)
{
	const Storage *table = change->table;
	Names names = {.table = qualified_relation_name(table->relid),
				   .value = pstrdup(quote_identifier(table->value_column)),
				   .equals = getBaseType(table->value_type) == tensor_type_oid()
								 ? psprintf("OPERATOR(%s.=)",
											quote_identifier(extension_schema_name()))
								 : "OPERATOR(pg_catalog.=)"};
	Difference difference;

	name_keys(table, &names);
	if (change->rows_stay)
		name_no_entry(table, &names);
	find_difference(change, &names, &difference);
	written->changed = changed_rows(&difference);
	/* rows that stay keep what refers to them, which are triggers */
	written->all = change->may_write_all && !may_have_triggers(table) &&
				   most_differ(change, &difference);
	written->written = written->all ? write_all(change, &names)
									: write_changed(change, &names, &difference);
	give_back_difference(&difference);
}
