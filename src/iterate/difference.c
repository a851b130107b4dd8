/*-------------------------------------------------------------------------
 *
 * difference.c
 *	  What a round has made of a state is written into its table.
 *
 * What is written is the difference: rows that are gone are deleted, those that changed updated,
 * new ones inserted. Rows that stay as they are leave nothing for VACUUM. Where rows hold other
 * tensors as well, in other columns, they stay, and only the value goes.
 *
 * It is found by one query: the three statements then join what they write, which often is little or nothing, with the table. Where a
 * state is rows of integers and a number in memory that can be indexed, and the table has such as well, each of its rows
 * looks for that of the state; else the query is a full join of the two. Where a table has triggers, as that which deletes
 * what refers to a row that is gone, it is found anew behind a statement that has written.
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
#include "iterate/changes.h"
#include "iterate/difference.h"
#include "type/extension.h"

/* What is done with a row of the difference. */
typedef enum Writing
{
	ROWS_GONE,
	ROWS_CHANGED,
	ROWS_NEW,
	NUM_WRITINGS
} Writing;

/* The names of these rows; those of a loop's other rows have a number. */
static const char *const names_of_rows[NUM_WRITINGS] = {
	[ROWS_GONE] = "@gone",
	[ROWS_CHANGED] = "@changed",
	[ROWS_NEW] = "@new",
};

/* The difference of a table and a state. A full join returns its rows with their Writing in the last column. */
typedef struct Difference
{
	DestReceiver pub;
	MemoryContext memory; /* of the rows */
	Rows *rows[NUM_WRITINGS];
	/* where rows of the table look for those of the state: */
	MemoryRows *state;
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
value_for_table(const LoopState *state)
{
	Oid type = state->table->value_type;
	Oid base = getBaseType(type);
	const char *value = "e.value";

	if (type == FLOAT8OID ? !storage_has_tensors(&state->place)
						  : type == tensor_type_oid())
		return pstrdup(value);
	/* tensors become numbers by way of float8 */
	if (storage_has_tensors(&state->place) && base != tensor_type_oid() &&
		!type_is_array(base))
		value = "CAST(e.value AS pg_catalog.float8)";
	return psprintf("CAST(%s AS %s)", value, format_type_be_qualified(type));
}

/* The columns of a table's keys, and the condition that rows of the table and of the state have the same. */
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
difference_query(const LoopState *state, const Names *names)
{
	const Storage *table = state->table;
	const char *value = value_for_table(state);
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
		names->table, quote_identifier(state->place.ephemeral), names->keys, names->value,
		names->equals, value, names->value);
	if (names->none)
		appendStringInfo(&query, " AND (t.%s %s %s) IS NOT TRUE", names->value,
						 names->equals, names->none);
	appendStringInfoChar(&query, ')');
	return query.data;
}

/* Runs a query of which the difference receives the rows. */
static void
run_comparison(const Loop *loop, Difference *difference, const char *query)
{
	SPIExecuteOptions options = {.dest = &difference->pub};
	int result =
		run_sql(labelled_query("einsum_iterate", loop->request->name, query), &options);

	if (result != SPI_OK_SELECT)
		elog(ERROR, "a loop's state could not be compared (%s)",
			 SPI_result_code_string(result));
}

/* Lookups */

/* Do rows of the table find those of the state? */
static bool
can_look_up(const LoopState *state)
{
	const Storage *table = state->table;

	if (table->value_type != FLOAT8OID || table->rank != state->place.rank ||
		!can_be_indexed(state))
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
	const MemoryRows *rows = difference->state;
	TupleDesc columns = CreateTemplateTupleDesc(rows->nkeys + 1);

	for (int k = 0; k < rows->nkeys; k++)
	{
		Oid table = difference->key_types[k];
		Oid state = rows->key_types[k];

		TupleDescInitEntry(columns, (AttrNumber) (k + 1), psprintf("d%d", k),
						   get_typlen(table) > get_typlen(state) ? table : state, -1, 0);
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

	for (int k = 0; k < difference->state->nkeys; k++)
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
	MemoryRows *rows = difference->state;
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

/* The rows of the state that the table has not. */
static void
put_new_rows(Difference *difference)
{
	const MemoryRows *rows = difference->state;
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
look_up_difference(const Loop *loop, const LoopState *state, const Names *names,
				   Difference *difference)
{
	MemoryRows *rows = state->rows->memory;
	bool indexed = rows_are_indexed(rows);

	difference->pub.rStartup = start_table;
	difference->pub.receiveSlot = receive_table_row;
	difference->state = rows;
	difference->has_none = names->none && !names->none_is_null;
	difference->none = creal(state->table->fill);
	difference->found = MemoryContextAllocExtended(
		difference->memory, sizeof(bool) * (Size) (rows->count + 1),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (!indexed)
		index_state(state);
	run_comparison(
		loop, difference,
		psprintf("SELECT %s%s FROM %s AS t", names->columns, names->value, names->table));
	put_new_rows(difference);
	if (!indexed)
		drop_row_index(rows);
	pfree(difference->found);
}

static void
find_difference(const Loop *loop, const LoopState *state, const Names *names,
				Difference *difference)
{
	*difference = (Difference){.pub = {.receiveSlot = receive_difference,
									   .rStartup = start_difference,
									   .rShutdown = end_difference,
									   .rDestroy = end_difference,
									   .mydest = DestTuplestore},
							   .memory = CurrentMemoryContext};
	if (can_look_up(state))
		look_up_difference(loop, state, names, difference);
	else
		run_comparison(loop, difference, difference_query(state, names));
	for (int w = 0; w < NUM_WRITINGS; w++)
	{
		Rows *rows = difference->rows[w];

		rows->relation.md.enrtuples =
			(double) tuplestore_tuple_count(rows->relation.reldata);
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

static void
execute_write(const Loop *loop, const char *statement)
{
	int result =
		run_writing(labelled_query("einsum_iterate", loop->request->name, statement));

	if (result == SPI_OK_REWRITTEN)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a loop's state cannot be written into a table with rules"),
				 errdetail("A rule turns the statement into another."),
				 errhint("Drop the rule, or write a trigger in its place.")));
	if (result != SPI_OK_DELETE && result != SPI_OK_UPDATE && result != SPI_OK_INSERT)
		elog(ERROR, "a loop's state could not be written (%s)",
			 SPI_result_code_string(result));
}

/* The statement that writes some rows of the difference. */
static char *
writing_statement(const LoopState *state, const Names *names, Writing writing)
{
	const Storage *table = state->table;
	const char *rows = names_of_rows[writing];
	StringInfoData selected;

	if (writing == ROWS_GONE && names->none)
		return psprintf("UPDATE %s AS t SET %s = %s FROM \"%s\" AS e WHERE %s",
						names->table, names->value, names->none, rows, names->keys);
	if (writing == ROWS_GONE)
		return psprintf("DELETE FROM %s AS t USING \"%s\" AS e WHERE %s", names->table,
						rows, names->keys);
	if (writing == ROWS_CHANGED)
		return psprintf("UPDATE %s AS t SET %s = e.value FROM \"%s\" AS e WHERE %s",
						names->table, names->value, rows, names->keys);
	initStringInfo(&selected);
	for (int d = 0; d < table->rank; d++)
	{
		if (table->dimensions[d].kind != DIMENSION_DEMOTED)
			appendStringInfo(&selected, "e.d%d, ", d);
	}
	return psprintf("INSERT INTO %s (%s%s) SELECT %se.value FROM \"%s\" AS e",
					names->table, names->columns, names->value, selected.data, rows);
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

bool
write_difference(const Loop *loop, const LoopState *state)
{
	const Storage *table = state->table;
	Names names = {.table = qualified_relation_name(table->relid),
				   .value = pstrdup(quote_identifier(table->value_column)),
				   .equals = getBaseType(table->value_type) == tensor_type_oid()
								 ? psprintf("OPERATOR(%s.=)",
											quote_identifier(extension_schema_name()))
								 : "OPERATOR(pg_catalog.=)"};
	bool triggers = may_have_triggers(table);
	Difference difference;
	bool any = false;

	name_keys(table, &names);
	if (shares_rows(table))
		name_no_entry(table, &names);
	find_difference(loop, state, &names, &difference);
	for (int w = 0; w < NUM_WRITINGS; w++)
	{
		bool written = difference.rows[w]->relation.md.enrtuples > 0;

		/* also where there is nothing to write: the caller needs the rights for all of it */
		execute_write(loop, writing_statement(state, &names, w));
		any = any || written;
		if (!triggers || !written || w == NUM_WRITINGS - 1)
			continue;
		/* triggers have written as well */
		give_back_difference(&difference);
		find_difference(loop, state, &names, &difference);
	}
	give_back_difference(&difference);
	return any;
}
