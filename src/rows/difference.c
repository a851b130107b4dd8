/*-------------------------------------------------------------------------
 *
 * difference.c
 *	  Writes rows into a table, by their difference from the rows that it has.
 *
 * Rows that are gone are deleted, rows that changed are updated, new rows are inserted.
 * Rows that stay as they are leave nothing for VACUUM. If the table's rows also hold
 * other tensors, in other columns, rows are not deleted: their value is set to NULL or
 * fill. If most rows differ and the caller allows it, all rows are deleted and inserted:
 * that costs less than to update them.
 *
 * One query finds the difference; then three statements join the rows to be written,
 * often few, with the table. Rows of integer keys and one number are indexed, and the
 * table's rows look them up, if they are of such types as well; otherwise the query is a
 * full join of the two. If the table has triggers, as those of foreign keys, the
 * difference is computed again after each statement that has written.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/entry_value.h"
#include "catalog/label.h"
#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "catalog/tensor_storage.h"
#include "codegen/log_rows.h"
#include "codegen/source.h"
#include "compat.h"
#include "executor/integer_keys.h"
#include "kernels/count.h"
#include "optimizer/settings.h"
#include "rows/difference.h"
#include "rows/fit.h"
#include "type/extension.h"
#include "type/tensor.h"

/* What is done with a row of the table that differs. */
typedef enum Writing
{
	ROWS_GONE,
	ROWS_CHANGED,
	ROWS_NEW,
	NUM_WRITINGS
} Writing;

/* The name of the rows that have moved too far; no others have it. */
#define NAME_OF_DRIFTED "@drifted"

/* If more than this share of the rows differs, all rows are written. */
#define MOST_CHANGED 0.5

/* The names by which queries read the rows of a difference; no other rows have them. */
static const char *const names_of_rows[NUM_WRITINGS] = {
	[ROWS_GONE] = "@gone",
	[ROWS_CHANGED] = "@changed",
	[ROWS_NEW] = "@new",
};

/*
 * The rows in which a table differs from the rows it should have. It receives the rows of
 * the full join, whose last column is their Writing.
 */
typedef struct Difference
{
	DestReceiver pub;
	MemoryContext memory; /* of the rows */
	Rows *rows[NUM_WRITINGS];
	/* when rows of the table look up the others (look_up_difference): */
	MemoryRows *looked_up;
	bool *found;   /* by row of looked_up: does the table have it? */
	bool has_none; /* rows of this value are as good as absent: */
	double none;
	/* when the rows are added to the table's: */
	const Storage *table;
	bool moves;                     /* and have magnitudes */
	bool not_finite;                /* some sum is NaN or infinite */
	Rows *drifted;                  /* keys of rows that have moved too far; or NULL */
	Oid key_types[TENSOR_MAX_RANK]; /* of the table */
	TupleDesc columns;              /* of the difference */
} Difference;

/* The parts of which the statements are made. */
typedef struct Names
{
	const char *table;
	const char *columns; /* of keys, each followed by a comma */
	const char *value;   /* the column */
	const char *equals;  /* of values */
	const char
		*keys; /* the condition that rows of the table and of e have the same keys */
	const char *none; /* the value that stands for no entry in a row that stays; NULL:
					   * rows are deleted */
	bool none_is_null;
	const char *moved; /* the column; NULL: the table has none */
} Names;

/*
 * Returns the expression that converts the value of a new row to the type of the table's
 * column.
 */
static char *
value_for_table(const TableChange *change)
{
	Oid type = change->table->value_type;
	Oid base = getBaseType(type);
	const char *value = "e.value";

	if (type == FLOAT8OID ? !storage_has_tensors(change->place)
						  : type == tensor_type_oid())
		return pstrdup(value);
	/* tensors are converted to other numbers by way of float8 */
	if (storage_has_tensors(change->place) && base != tensor_type_oid() &&
		!type_is_array(base))
		value = "CAST(e.value AS pg_catalog.float8)";
	return psprintf("CAST(%s AS %s)", value, format_type_be_qualified(type));
}

/*
 * Sets the list of a table's key columns, and the condition that its rows and the new
 * ones have equal keys.
 */
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

/*
 * Sets the value that stands for no entry: NULL, or fill if the column does not allow
 * NULL.
 */
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

/* Creates the empty rows of a difference, with these columns. */
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

/* Returns the greatest absolute value among the entries of a value. */
static double
greatest_entry(const Storage *table, Datum value)
{
	double greatest = 0.0;
	const Tensor *tensor;
	int64 count;

	if (!storage_has_tensors(table))
		return fabs(DatumGetFloat8(value));
	tensor = DatumGetDenseTensor(value);
	count = tensor_count(tensor);
	for (int64 i = 0; i < count; i++)
	{
		double real = 0.0;
		double imaginary;

		read_element(tensor, tensor_elements(tensor), i, &real, &imaginary);
		greatest = isnan(real) ? INFINITY : Max(greatest, fabs(real));
	}
	return greatest;
}

/* Is a sum finite? *all_fill: all of its entries are the fill. */
static bool
look_at_sum(const Storage *table, Datum sum, bool *all_fill)
{
	ElementCounts counts = {0};
	const Tensor *tensor;

	if (!storage_has_tensors(table))
	{
		double number = DatumGetFloat8(sum);

		*all_fill = is_fill(number, 0.0, table->fill);
		return isfinite(number);
	}
	tensor = DatumGetDenseTensor(sum);
	count_elements((ElementType) tensor->type, tensor_count(tensor),
				   tensor_elements(tensor), table->fill, &counts);
	*all_fill = counts.entries == 0;
	return counts.nans == 0 && counts.infinite == 0;
}

/* The columns at the end of a row to which something is added. */
enum
{
	SUM_WRITING = 1, /* the last */
	SUM_PLACE,       /* the row's ctid; NULL: there is no row */
	SUM_VALUE,       /* NULL: there is neither a row nor anything added to it */
	SUM_COLUMNS = SUM_VALUE,
	/* if rows move: */
	SUM_MAGNITUDE, /* of what is added */
	SUM_MOVED,     /* by how much it has moved before; NULL: there is no row */
	SUM_MOVED_COLUMNS = SUM_MOVED
};

/* Returns a number as a real that is not less. */
static float4
real_not_less(double number)
{
	float4 real = (float4) number;

	return (double) real < number ? nextafterf(real, INFINITY) : real;
}

/* Puts the keys of a row among those that have moved too far. */
static void
put_drifted(Difference *difference, Datum *values, bool *nulls, int nkeys)
{
	if (difference->drifted == NULL)
	{
		const Storage *table = difference->table;
		MemoryContext old = MemoryContextSwitchTo(difference->memory);
		Bitmapset *keys = NULL;

		for (int d = 0; d < table->rank; d++)
		{
			if (table->dimensions[d].kind != DIMENSION_DEMOTED)
				keys = bms_add_member(keys, d);
		}
		difference->drifted = new_rows(NAME_OF_DRIFTED, columns_of_touched(table, keys));
		difference->drifted->relation.reldata =
			tuplestore_begin_heap(false, false, work_mem);
		MemoryContextSwitchTo(old);
	}
	values[nkeys] = Float8GetDatum(1.0);
	nulls[nkeys] = false;
	tuplestore_putvalues(difference->drifted->relation.reldata,
						 difference->drifted->relation.md.tupdesc, values, nulls);
}

/*
 * Receives a row of the table to which something is added, with the sum as its value, and,
 * if rows move, what it has moved by. A row that becomes the fill means nothing, and goes.
 */
static bool
receive_sum(TupleTableSlot *slot, DestReceiver *self)
{
	Difference *difference = (Difference *) self;
	const Storage *table = difference->table;
	TupleDesc columns = slot->tts_tupleDescriptor;
	int natts = columns->natts;
	int nkeys = natts - (difference->moves ? SUM_MOVED_COLUMNS : SUM_COLUMNS);
	Datum values[TENSOR_MAX_RANK + SUM_MOVED_COLUMNS];
	bool nulls[TENSOR_MAX_RANK + SUM_MOVED_COLUMNS];
	double greatest = fabs(creal(table->fill));
	double moved = 0.0;
	bool all_fill = true;
	Writing writing;

	slot_getallattrs(slot);
	memcpy(values, slot->tts_values, sizeof(Datum) * natts);
	memcpy(nulls, slot->tts_isnull, sizeof(bool) * natts);
	writing = (Writing) DatumGetInt32(values[natts - SUM_WRITING]);
	if (!nulls[natts - SUM_VALUE] &&
		!look_at_sum(table, values[natts - SUM_VALUE], &all_fill))
		difference->not_finite = true;
	if (difference->moves)
	{
		if (!nulls[natts - SUM_VALUE])
			greatest = greatest_entry(table, values[natts - SUM_VALUE]);
		moved = greatest_entry(table, values[natts - SUM_MAGNITUDE]);
		/* all that is added is 0 */
		if (moved == 0.0)
			return true;
		if (!nulls[natts - SUM_MOVED])
			moved += DatumGetFloat4(values[natts - SUM_MOVED]);
		/* NaN is too far as well */
		if (!(moved <= max_drift * greatest))
		{
			put_drifted(difference, values, nulls, nkeys);
			return true;
		}
		values[natts - SUM_MOVED] = Float4GetDatum(real_not_less(moved));
		nulls[natts - SUM_MOVED] = false;
	}
	if (all_fill && writing == ROWS_NEW)
		return true;
	if (all_fill && nkeys > 0)
		writing = ROWS_GONE;
	tuplestore_putvalues(difference->rows[writing]->relation.reldata, columns, values,
						 nulls);
	return true;
}

static void
end_difference(DestReceiver *self)
{
}

/*
 * Returns the condition that a row of the table is at one of the keys that are touched,
 * as " WHERE ..."; "" if all rows are compared.
 */
static char *
at_touched_keys(const TableChange *change)
{
	StringInfoData columns;
	StringInfoData keys;
	int d = -1;

	if (change->touched == NULL)
		return "";
	initStringInfo(&columns);
	initStringInfo(&keys);
	while ((d = bms_next_member(change->touched_keys, d)) >= 0)
	{
		const char *separator = keys.len ? ", " : "";

		appendStringInfo(&columns, "%so.%s", separator,
						 quote_identifier(change->table->dimensions[d].column));
		appendStringInfo(&keys, "%sk.d%d", separator, d);
	}
	return psprintf(" WHERE (%s) OPERATOR(pg_catalog.=) ANY (SELECT %s FROM %s AS k)",
					columns.data, keys.data,
					quote_identifier(change->touched->relation.md.name));
}

/*
 * Returns the query that finds the difference, as a full join. A row of the table with a
 * NULL value is a row without an entry; each row of e has a value. The query reads no
 * other columns, not even system columns: the caller may lack the right to.
 */
static char *
difference_query(const TableChange *change, const Names *names)
{
	const Storage *table = change->table;
	const char *value = value_for_table(change);
	/* rows that are computed again begin to move anew */
	bool again = names->moved && change->touched;
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
		"\"@there\"%s FROM %s AS o%s) AS t FULL JOIN %s AS e "
		"ON %s WHERE (t.%s %s %s%s) IS NOT TRUE AND (e.value IS NOT NULL OR "
		"t.%s IS NOT NULL",
		value, ROWS_GONE, ROWS_NEW, ROWS_CHANGED, names->columns, names->value,
		again ? psprintf(", %s", names->moved) : "", names->table,
		at_touched_keys(change), quote_identifier(change->rows->relation.md.name),
		names->keys, names->value, names->equals, value,
		again ? psprintf(" AND t.%s OPERATOR(pg_catalog.=) '0'::pg_catalog.float4",
						 names->moved)
			  : "",
		names->value);
	if (names->none)
		appendStringInfo(&query, " AND (t.%s %s %s) IS NOT TRUE", names->value,
						 names->equals, names->none);
	appendStringInfoChar(&query, ')');
	return query.data;
}

/* Returns "e.d0, e.d2, ": the key columns of the rows e, each followed by a comma. */
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

/* Returns a + b or a - b of values, as SQL; the functions raise no error. */
static char *
combined_values(const TableChange *change, const char *a, const char *operation,
				const char *b)
{
	if (storage_has_tensors(change->table))
		return psprintf("(%s OPERATOR(%s.%s) %s)", a,
						quote_identifier(extension_schema_name()),
						strcmp(operation, "add") == 0 ? "+" : "-", b);
	return psprintf("%s(%s, %s)", extension_function(psprintf("scalar_%s", operation)), a,
					b);
}

/*
 * Returns the query that finds the sums of rows that are added and those of the table, and
 * the places of these; if rows move, with the magnitudes of what is added, which may be
 * where nothing is: what is added may come to nothing.
 */
static char *
query_of_sums(const TableChange *change, const Names *names)
{
	char *fill = float8_literal(creal(change->table->fill));
	char *old = psprintf("t.%s", names->value);
	const char *moved = change->moved ? psprintf("%s, ", names->moved) : "";

	return psprintf(
		"SELECT %s%sCASE WHEN e.value IS NULL THEN t.%s WHEN t.%s IS NULL THEN %s ELSE "
		"%s END AS value, t.\"@place\" AS place, CASE WHEN t.\"@place\" IS NULL THEN %d "
		"ELSE %d END AS writing FROM %s AS e LEFT JOIN (SELECT %s%s%s, ctid AS "
		"\"@place\" FROM %s) AS t ON %s",
		keys_of_rows(change->table),
		change->moved ? psprintf("t.%s AS moved, e.magnitude, ", names->moved) : "",
		names->value, names->value, combined_values(change, "e.value", "add", fill),
		combined_values(change, old, "add", "e.value"), ROWS_NEW, ROWS_CHANGED,
		quote_identifier(change->rows->relation.md.name), names->columns, moved,
		names->value, names->table, names->keys);
}

/*
 * Prefixes a statement with a comment, "einsum_iterate: name", that shows which program
 * runs it.
 */
static char *
labelled(const TableChange *change, const char *statement)
{
	return labelled_query(change->caller, change->name, statement);
}

static double
changed_rows(const Difference *difference)
{
	double result = 0.0;

	for (int w = 0; w < NUM_WRITINGS; w++)
		result += difference->rows[w]->relation.md.enrtuples;
	return result;
}

/*
 * Finds by what the table's entries are about to be changed. The difference is
 * registered.
 */
static void
find_what_changes(const TableChange *change, const Names *names,
				  const Difference *difference)
{
	char *keys = keys_of_rows(change->table);
	char *fill = float8_literal(creal(change->table->fill));
	char *old = psprintf("t.%s", names->value);
	char *query = psprintf(
		"SELECT %s%s AS value FROM \"%s\" AS e JOIN %s AS t ON %s UNION ALL SELECT %s%s "
		"FROM \"%s\" AS e JOIN %s AS t ON %s UNION ALL SELECT %s%s FROM \"%s\" AS e",
		keys, combined_values(change, "e.value", "subtract", old),
		names_of_rows[ROWS_CHANGED], names->table, names->keys, keys,
		combined_values(change, fill, "subtract", old), names_of_rows[ROWS_GONE],
		names->table, names->keys, keys,
		combined_values(change, "e.value", "subtract", fill), names_of_rows[ROWS_NEW]);

	fill_change(change->changed, &(ReadingAt){.query = labelled(change, query),
											  .snapshot = change->snapshot,
											  .kept = change->kept,
											  .rows = changed_rows(difference)});
}

/*
 * Processor time in microseconds of a row of the table that is found by an index, and of
 * one that a join reads.
 */
#define LOOKED_UP_ROW 2.0
#define JOINED_ROW 0.3

/* Is each of the rows that are added to be found in the table by an index? */
static bool
looks_rows_up(const TableChange *change)
{
	Relation table;
	double rows;

	if (!change->added)
		return false;
	table = table_open(change->table->relid, AccessShareLock);
	rows = table->rd_rel->reltuples;
	table_close(table, NoLock);
	return LOOKED_UP_ROW * number_of_rows(change->rows) < JOINED_ROW * rows;
}

/*
 * Lets joins find rows of the table one by one, until AtEOXact_GUC: PostgreSQL would
 * rather read the table, whose rows are in memory as a rule.
 */
static int
begin_lookups(bool wanted)
{
	static const char *const others[] = {"enable_hashjoin", "enable_mergejoin"};
	int level = NewGUCNestLevel();

	for (int i = 0; wanted && i < (int) lengthof(others); i++)
		(void) set_config_option(others[i], "off", PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	return level;
}

/* Runs a query whose rows the difference receives. */
static void
run_comparison(const TableChange *change, Difference *difference, const char *query)
{
	int level = begin_lookups(looks_rows_up(change));
	SPIExecuteOptions options = {.dest = &difference->pub};
	int result =
		change->snapshot
			? run_kept_reading(change->kept, labelled(change, query),
							   number_of_rows(change->rows), &options, change->snapshot)
			: run_sql(labelled(change, query), &options);

	if (result != SPI_OK_SELECT)
		elog(ERROR, "rows could not be compared with a table (%s)",
			 SPI_result_code_string(result));
	AtEOXact_GUC(true, level);
}

/* Lookups */

/* Can rows of the table look up the new rows, by integer keys, instead of a join? */
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

/*
 * Returns columns of keys and a value; keys have the wider type of the table's and the
 * rows'.
 */
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
	TupleDescFinalize(columns);
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

/*
 * Receives a row of the table, looks its keys up in the new rows, and notes what differs.
 */
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

/* Notes the new rows that no row of the table has found. */
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
	if (change->added)
	{
		difference->pub.receiveSlot = receive_sum;
		difference->table = change->table;
		difference->moves = change->moved;
		run_comparison(change, difference, query_of_sums(change, names));
	}
	else if (change->touched == NULL && can_look_up(change))
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

/*
 * Runs a statement that writes rows in memory, about as many as given, into the table;
 * returns the number of rows written.
 */
static double
execute_write(const TableChange *change, const char *statement, bool by_place,
			  double rows)
{
	int level = begin_lookups(by_place);
	int result = change->snapshot
					 ? run_kept_writing(change->kept, labelled(change, statement), rows,
										change->snapshot)
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
	AtEOXact_GUC(true, level);
	return (double) SPI_processed;
}

/*
 * Returns the statement that writes the rows of one kind of the difference. by_place: rows
 * of the table are where they were found.
 */
static char *
writing_statement(const TableChange *change, const Names *names, bool by_place,
				  Writing writing)
{
	const char *rows = names_of_rows[writing];
	const char *same = by_place ? "t.ctid OPERATOR(pg_catalog.=) e.place" : names->keys;
	const char *moved = change->moved ? "e.moved" : "'0'::pg_catalog.float4";

	if (writing == ROWS_GONE && names->none)
		return psprintf("UPDATE %s AS t SET %s = %s FROM \"%s\" AS e WHERE %s",
						names->table, names->value, names->none, rows, same);
	if (writing == ROWS_GONE)
		return psprintf("DELETE FROM %s AS t USING \"%s\" AS e WHERE %s", names->table,
						rows, same);
	if (writing == ROWS_CHANGED)
		return psprintf("UPDATE %s AS t SET %s = e.value%s FROM \"%s\" AS e WHERE %s",
						names->table, names->value,
						names->moved ? psprintf(", %s = %s", names->moved, moved) : "",
						rows, same);
	return psprintf(
		"INSERT INTO %s (%s%s%s) SELECT %s%se.value FROM \"%s\" AS e", names->table,
		names->columns, names->moved ? psprintf("%s, ", names->moved) : "", names->value,
		keys_of_rows(change->table), names->moved ? psprintf("%s, ", moved) : "", rows);
}

/*
 * Deletes all rows of the table and inserts the new ones, sorted by their keys if these
 * can be sorted. Returns the number of rows written.
 */
static double
write_all(const TableChange *change, const Names *names)
{
	char *keys = keys_of_rows(change->table);
	char *order = change->ordered && keys[0]
					  ? psprintf(" ORDER BY %.*s", (int) strlen(keys) - 2, keys)
					  : "";
	double deleted =
		execute_write(change, psprintf("DELETE FROM %s", names->table), false, 0.0);

	return deleted +
		   execute_write(
			   change,
			   psprintf("INSERT INTO %s (%s%s) SELECT %s%s FROM %s AS e%s", names->table,
						names->columns, names->value, keys, value_for_table(change),
						quote_identifier(change->rows->relation.md.name), order),
			   false, number_of_rows(change->rows));
}

/*
 * May writing some rows of the table change others? Actions of foreign keys are triggers,
 * too.
 */
static bool
may_have_triggers(const Storage *table)
{
	Relation relation = table_open(table->relid, AccessShareLock);
	bool result = relation->rd_rel->relhastriggers || relation->rd_rel->relhassubclass;

	table_close(relation, NoLock);
	return result;
}

/* Do more than MOST_CHANGED of the rows differ, of the table's or of the new ones? */
static bool
most_differ(const TableChange *change, const Difference *difference)
{
	double rows = number_of_rows(change->rows);
	double before = rows - difference->rows[ROWS_NEW]->relation.md.enrtuples +
					difference->rows[ROWS_GONE]->relation.md.enrtuples;

	return changed_rows(difference) > MOST_CHANGED * Max(rows, before);
}

/*
 * Writes the difference. For a loop all three statements run even if there is nothing to
 * write: the caller needs the rights for them. Returns the number of rows written.
 */
static double
write_changed(const TableChange *change, const Names *names, Difference *difference)
{
	bool triggers = may_have_triggers(change->table);
	/* a trigger, as one of a foreign key, may write rows that are to be written, too */
	bool by_place = change->added && !triggers;
	double written = 0.0;

	for (int w = 0; w < NUM_WRITINGS; w++)
	{
		double rows = difference->rows[w]->relation.md.enrtuples;

		if (rows == 0 && change->snapshot)
			continue;
		rows = execute_write(change, writing_statement(change, names, by_place, w),
							 by_place && w != ROWS_NEW, rows);
		written += rows;
		/* what was added must not be added again */
		if (change->added || !triggers || rows == 0 || w == NUM_WRITINGS - 1)
			continue;
		/* triggers may have written as well: compute the difference again */
		give_back_difference(difference);
		find_difference(change, names, difference);
	}
	return written;
}

bool
has_moved(const Storage *table)
{
	return table->moved != NULL &&
		   get_atttype(table->relid, get_attnum(table->relid, table->moved)) == FLOAT4OID;
}

void
write_rows(const TableChange *change, RowsWritten *written)
{
	const Storage *table = change->table;
	Names names = {.table = qualified_relation_name(table->relid),
				   .value = pstrdup(quote_identifier(table->value_column)),
				   .moved = has_moved(table) ? quote_identifier(table->moved) : NULL,
				   .equals = getBaseType(table->value_type) == tensor_type_oid()
								 ? psprintf("OPERATOR(%s.=)",
											quote_identifier(extension_schema_name()))
								 : "OPERATOR(pg_catalog.=)"};
	Difference difference;

	require_fit(change);
	name_keys(table, &names);
	if (change->rows_stay)
		name_no_entry(table, &names);
	find_difference(change, &names, &difference);
	written->changed = changed_rows(&difference);
	written->refused = difference.not_finite;
	if (difference.drifted && written->refused)
	{
		free_rows(difference.drifted);
		difference.drifted = NULL;
	}
	written->drifted = difference.drifted;
	if (difference.drifted)
	{
		difference.drifted->relation.md.enrtuples = number_of_rows(difference.drifted);
		register_rows(difference.drifted);
	}
	/*
	 * if rows are deleted and inserted, triggers of foreign keys would act on rows that
	 * refer to them
	 */
	written->all = change->may_write_all && !change->added && !may_have_triggers(table) &&
				   most_differ(change, &difference);
	if (change->changed && !written->all)
		find_what_changes(change, &names, &difference);
	if (written->refused || written->drifted)
		written->written = 0;
	else
		written->written = written->all ? write_all(change, &names)
										: write_changed(change, &names, &difference);
	give_back_difference(&difference);
}
