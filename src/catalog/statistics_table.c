/*-------------------------------------------------------------------------
 *
 * statistics_table.c
 *	  The table einsum_statistics: what einsum_analyze measured.
 *
 * A row belongs to a relation and a hash of its registration, so a row that has outlived
 * either is never read. Nor is a row from a time when the relation had less than half or
 * more than double its present pages: PostgreSQL's estimates, which follow the pages, are
 * closer then. The table belongs to the extension's owner, and only the owner may read
 * it, since counts tell about data. So reading bypasses the executor, and writing
 * switches to the owner.
 *
 * pg_dump would fail for a user who may not read a table of its dump, and relations have
 * other OIDs after a restore. So pg_dump dumps another table, with names instead of OIDs,
 * which all may read and which is always empty. The dumped rows are those of a function:
 * of relations that the caller may read. When they are restored, a trigger stores them in
 * einsum_statistics, for relations that exist and that the caller owns.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"
#include "utils/varlena.h"

#include "catalog/estimate.h"
#include "catalog/label.h"
#include "catalog/own_rows.h"
#include "catalog/query_run.h"
#include "catalog/readable.h"
#include "catalog/statistics_table.h"
#include "catalog/tensor_storage.h"
#include "compat.h"
#include "type/tensor.h"

#define STATISTICS_TABLE "einsum_statistics"
#define DUMP_TABLE "einsum_statistics_dump"

/* The columns of the table, in the order of the install script. */
enum
{
	COLUMN_RELID = 1,
	COLUMN_LABEL_HASH,
	COLUMN_PAGES,
	COLUMN_ENTRIES,
	COLUMN_NONFINITE,
	COLUMN_VALUE_COUNTS,
	COLUMN_DISTINCT_COUNTS,
	COLUMN_DEGREES,
	/* NULL if the version that measured did not count them */
	COLUMN_DEGREE_SQUARES,
	COLUMN_DEGREE_CUBES,
	COLUMN_MEETINGS,
	COLUMN_SQUARE_MEETINGS,
	COLUMN_ROWS,
	COLUMN_PAIRS,
	COLUMNS = COLUMN_PAIRS,
};

/* The last column that may not be NULL. */
#define LAST_REQUIRED COLUMN_DEGREES

/* Copies an array of double precision; false if it does not have that many elements. */
static bool
copy_array(Datum datum, int count, double *elements)
{
	ArrayType *array = DatumGetArrayTypeP(datum);

	if (ARR_ELEMTYPE(array) != FLOAT8OID || ARR_HASNULL(array) ||
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) != count)
		return false;
	/* a tensor without labels has no elements, and no memory for them */
	if (count > 0)
		memcpy(elements, ARR_DATA_PTR(array), count * sizeof(double));
	return true;
}

/* Returns the number of sets of labels that are counted; 0 for larger ranks. */
static int
set_count(int rank)
{
	return rank <= STATISTICS_MAX_RANK ? 1 << rank : 0;
}

/* Returns the number of dimensions whose meetings are counted. */
static int
meeting_count(int rank)
{
	return rank <= STATISTICS_MAX_RANK ? rank : 0;
}

/* Arguments of copy_table and array_of_table: one field of each of an array of structs. */
#define FIELD(structs, field)                                                            \
	((structs) ? &(structs)->field : NULL), sizeof(*(structs)) / sizeof(double)

/*
 * Copies a column that has n by n numbers. False, with all of them unknown, if it is NULL
 * or has another size.
 */
static bool
copy_table(Datum datum, bool isnull, int n, double *table, int step)
{
	double elements[1 << (2 * STATISTICS_MAX_RANK)];
	bool known = !isnull && copy_array(datum, n * n, elements);

	for (int i = 0; i < n * n; i++)
		table[(Size) i * step] = known ? elements[i] : -1.0;
	return known;
}

/*
 * Has a relation now more than double or less than half of the pages that it had when it
 * was measured?
 */
static bool
is_outdated(Oid relid, double measured)
{
	double pages = relation_pages(relid);

	return measured >= 0 && pages >= 0 && (pages > 2 * measured || pages < measured / 2);
}

/* Can a number be a sum or mean of products of this many counts, or is it unknown? */
static bool
is_moment(double moment, double entries, int factors)
{
	return moment <= pow(entries, factors) && moment >= -pow(Max(entries, 1.0), factors);
}

/*
 * Are the statistics possible counts? A dump may have been edited before it was restored.
 */
static bool
are_counts(const TensorStatistics *statistics)
{
	bool counts = isfinite(statistics->entries) && statistics->entries >= 0;

	for (int i = 0; i < statistics->rank; i++)
		counts = counts && isfinite(statistics->values[i]) && statistics->values[i] >= 0;
	for (int x = 0; x < set_count(statistics->rank); x++)
	{
		counts = counts && isfinite(statistics->distinct[x]);
		for (int y = 0; y < set_count(statistics->rank); y++)
			counts =
				counts && isfinite(degree_of(statistics, x, y)->most) &&
				is_moment(degree_of(statistics, x, y)->square, statistics->entries, 2) &&
				is_moment(degree_of(statistics, x, y)->cube, statistics->entries, 3);
	}
	for (int p = 0; p < meeting_count(statistics->rank); p++)
	{
		for (int q = 0; q < meeting_count(statistics->rank); q++)
			counts =
				counts &&
				is_moment(meetings_of(statistics, p, q)->product, statistics->entries,
						  2) &&
				is_moment(meetings_of(statistics, p, q)->square, statistics->entries,
						  3) &&
				is_moment(meetings_of(statistics, p, q)->pairs, statistics->entries, 2);
	}
	return counts;
}

static bool
read_statistics_row(HeapTuple tuple, TupleDesc desc, int rank,
					TensorStatistics *statistics)
{
	int sets = set_count(rank);
	int meetings = meeting_count(rank);
	Datum values[COLUMNS];
	bool nulls[COLUMNS];
	int x;

	if (desc->natts != COLUMNS)
		return false;
	heap_deform_tuple(tuple, desc, values, nulls);
	for (x = 0; x < LAST_REQUIRED; x++)
	{
		if (nulls[x])
			return false;
	}
	if (!copy_array(values[COLUMN_VALUE_COUNTS - 1], rank, statistics->values) ||
		!copy_array(values[COLUMN_DISTINCT_COUNTS - 1], sets, statistics->distinct) ||
		!copy_table(values[COLUMN_DEGREES - 1], false, sets,
					FIELD(statistics->degrees, most)))
		return false;
	copy_table(values[COLUMN_DEGREE_SQUARES - 1], nulls[COLUMN_DEGREE_SQUARES - 1], sets,
			   FIELD(statistics->degrees, square));
	copy_table(values[COLUMN_DEGREE_CUBES - 1], nulls[COLUMN_DEGREE_CUBES - 1], sets,
			   FIELD(statistics->degrees, cube));
	copy_table(values[COLUMN_MEETINGS - 1], nulls[COLUMN_MEETINGS - 1], meetings,
			   FIELD(statistics->meetings, product));
	copy_table(values[COLUMN_SQUARE_MEETINGS - 1], nulls[COLUMN_SQUARE_MEETINGS - 1],
			   meetings, FIELD(statistics->meetings, square));
	copy_table(values[COLUMN_PAIRS - 1], nulls[COLUMN_PAIRS - 1], meetings,
			   FIELD(statistics->meetings, pairs));
	statistics->rank = rank;
	statistics->entries = DatumGetFloat8(values[COLUMN_ENTRIES - 1]);
	statistics->nonfinite = DatumGetBool(values[COLUMN_NONFINITE - 1]);
	statistics->outdated = is_outdated(DatumGetObjectId(values[COLUMN_RELID - 1]),
									   DatumGetFloat8(values[COLUMN_PAGES - 1]));
	statistics->exact = !statistics->outdated;
	return statistics->exact && are_counts(statistics);
}

/*
 * Reads the number of rows that a relation had, from a row of the table; false if it is
 * outdated.
 */
static bool
read_row_count(HeapTuple tuple, TupleDesc desc, double *rows)
{
	Datum values[COLUMNS];
	bool nulls[COLUMNS];

	if (desc->natts != COLUMNS)
		return false;
	heap_deform_tuple(tuple, desc, values, nulls);
	if (nulls[COLUMN_ROWS - 1] || nulls[COLUMN_RELID - 1] || nulls[COLUMN_PAGES - 1] ||
		is_outdated(DatumGetObjectId(values[COLUMN_RELID - 1]),
					DatumGetFloat8(values[COLUMN_PAGES - 1])))
		return false;
	*rows = DatumGetFloat8(values[COLUMN_ROWS - 1]);
	return isfinite(*rows) && *rows >= 0;
}

static Oid
statistics_table(void)
{
	return get_relname_relid(STATISTICS_TABLE, extension_schema_oid());
}

/*
 * Reads the row of a storage: its statistics, or its number of rows, whichever pointer is
 * not NULL.
 */
static bool
read_storage_row(const Storage *storage, TensorStatistics *statistics, double *rows)
{
	Oid relid = statistics_table();
	Relation table;
	Oid index;
	SysScanDesc scan;
	ScanKeyData key[2];
	HeapTuple tuple;
	bool found = false;

	if (!OidIsValid(relid))
		return false;
	table = table_open(relid, AccessShareLock);
	(void) RelationGetIndexList(table);
	index = table->rd_pkindex;
	ScanKeyInit(&key[0], COLUMN_RELID, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(storage->relid));
	ScanKeyInit(&key[1], COLUMN_LABEL_HASH, BTEqualStrategyNumber, F_INT8EQ,
				Int64GetDatum(registration_hash(storage)));
	scan = systable_beginscan(table, index, OidIsValid(index), NULL, 2, key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple) && rows)
		found = read_row_count(tuple, RelationGetDescr(table), rows);
	else if (HeapTupleIsValid(tuple))
		found = read_statistics_row(tuple, RelationGetDescr(table), storage->rank,
									statistics);
	systable_endscan(scan);
	table_close(table, AccessShareLock);
	return found;
}

bool
read_statistics(const Storage *storage, TensorStatistics *statistics)
{
	return read_storage_row(storage, statistics, NULL);
}

double
read_rows(const Storage *storage)
{
	double rows;

	return read_storage_row(storage, NULL, &rows) ? rows : -1;
}

void
keep_extension(void)
{
	Oid relid = statistics_table();

	/*
	 * pg_upgrade creates the extension's members one by one, with other tables between
	 * them
	 */
	if (!OidIsValid(relid))
		return;
	/* DROP EXTENSION locks the table, like all that it drops */
	LockRelationOid(relid, AccessShareLock);
	/* raises an error if the lock waited for a drop */
	(void) extension_schema_oid();
}

static Datum
make_array(const double *elements, int count)
{
	Datum *datums = palloc(sizeof(Datum) * Max(count, 1));
	int i;

	for (i = 0; i < count; i++)
		datums[i] = Float8GetDatum(elements[i]);
	return PointerGetDatum(construct_array(datums, count, FLOAT8OID, sizeof(float8),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* Makes an array of a square table of numbers, row by row. */
static Datum
array_of_table(int n, const double *table, int step)
{
	double elements[1 << (2 * STATISTICS_MAX_RANK)];

	Assert(n == 0 || table != NULL);
	for (int i = 0; i < n * n; i++)
		elements[i] = table[(Size) i * step];
	return make_array(elements, n * n);
}

/*
 * Stores a row, values in the order of the columns, in place of an earlier one. Also
 * removes rows of relations that no longer exist.
 */
static void
store_statistics_row(Datum *values, const bool *nulls)
{
	char *name = quote_qualified_identifier(extension_schema_name(), STATISTICS_TABLE);
	Oid types[COLUMNS] = {OIDOID,         INT8OID,        FLOAT8OID,      FLOAT8OID,
						  BOOLOID,        FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID,
						  FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID,
						  FLOAT8OID,      FLOAT8ARRAYOID};
	char unknown[COLUMNS];
	Relation table = table_open(statistics_table(), RowExclusiveLock);
	Caller caller;

	for (int i = 0; i < COLUMNS; i++)
		unknown[i] = nulls && nulls[i] ? 'n' : ' ';
	begin_own_write(&caller, table);
	SPI_connect();
	if (run_with_args(
			psprintf(
				"INSERT INTO %s VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
				"$12, $13, $14) ON CONFLICT (relid, label_hash) DO UPDATE SET pages = "
				"excluded.pages, "
				"entries = excluded.entries, nonfinite = excluded.nonfinite, "
				"value_counts = excluded.value_counts, "
				"distinct_counts = excluded.distinct_counts, degrees = excluded.degrees, "
				"degree_squares = excluded.degree_squares, "
				"degree_cubes = excluded.degree_cubes, meetings = excluded.meetings, "
				"square_meetings = excluded.square_meetings, rows = excluded.rows, "
				"pairs = excluded.pairs",
				name),
			COLUMNS, types, values, unknown, false) != SPI_OK_INSERT)
		elog(ERROR, "statistics could not be stored");
	/* skips locked rows, so that we do not wait for others who are removing them */
	if (run_writing(psprintf(
			"DELETE FROM %s d WHERE d.ctid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT "
			"s.ctid FROM %s s WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_class c "
			"WHERE c.oid OPERATOR(pg_catalog.=) s.relid) FOR UPDATE SKIP LOCKED))",
			name, name)) != SPI_OK_DELETE)
		elog(ERROR, "old statistics could not be removed");
	SPI_finish();
	become_caller(&caller);
	table_close(table, NoLock);
}

static void
write_statistics_row(const StorageStatistics *measured)
{
	const Storage *storage = measured->storage;
	const TensorStatistics *statistics = measured->statistics;
	int sets = set_count(storage->rank);
	int meetings = meeting_count(storage->rank);
	Datum values[COLUMNS];

	values[COLUMN_RELID - 1] = ObjectIdGetDatum(storage->relid);
	values[COLUMN_LABEL_HASH - 1] = Int64GetDatum(registration_hash(storage));
	values[COLUMN_PAGES - 1] = Float8GetDatum(relation_pages(storage->relid));
	values[COLUMN_ENTRIES - 1] = Float8GetDatum(statistics->entries);
	values[COLUMN_NONFINITE - 1] = BoolGetDatum(statistics->nonfinite);
	values[COLUMN_VALUE_COUNTS - 1] = make_array(statistics->values, storage->rank);
	values[COLUMN_DISTINCT_COUNTS - 1] = make_array(statistics->distinct, sets);
	values[COLUMN_DEGREES - 1] = array_of_table(sets, FIELD(statistics->degrees, most));
	values[COLUMN_DEGREE_SQUARES - 1] =
		array_of_table(sets, FIELD(statistics->degrees, square));
	values[COLUMN_DEGREE_CUBES - 1] =
		array_of_table(sets, FIELD(statistics->degrees, cube));
	values[COLUMN_MEETINGS - 1] =
		array_of_table(meetings, FIELD(statistics->meetings, product));
	values[COLUMN_SQUARE_MEETINGS - 1] =
		array_of_table(meetings, FIELD(statistics->meetings, square));
	values[COLUMN_ROWS - 1] = Float8GetDatum(measured->rows);
	values[COLUMN_PAIRS - 1] =
		array_of_table(meetings, FIELD(statistics->meetings, pairs));
	store_statistics_row(values, NULL);
}

/* Compares by the key of the table, for sorting. */
static int
compare_statistics(const ListCell *one, const ListCell *other)
{
	const Storage *a = ((const StorageStatistics *) lfirst(one))->storage;
	const Storage *b = ((const StorageStatistics *) lfirst(other))->storage;
	int64 a_hash;
	int64 b_hash;

	if (a->relid != b->relid)
		return a->relid < b->relid ? -1 : 1;
	a_hash = registration_hash(a);
	b_hash = registration_hash(b);
	return a_hash < b_hash ? -1 : a_hash > b_hash;
}

void
write_statistics(List *measured)
{
	ListCell *lc;

	list_sort(measured, compare_statistics);
	foreach (lc, measured)
		write_statistics_row(lfirst(lc));
}

/* dumped_statistics(): returns the rows of einsum_statistics that pg_dump should dump. */
PG_FUNCTION_INFO_V1(dumped_statistics);
Datum
dumped_statistics(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation table = table_open(statistics_table(), AccessShareLock);
	SysScanDesc scan;
	HeapTuple tuple;

	InitMaterializedSRF(fcinfo, 0);
	scan = systable_beginscan(table, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Datum values[COLUMNS];
		bool nulls[COLUMNS];
		Oid relid;

		heap_deform_tuple(tuple, RelationGetDescr(table), values, nulls);
		relid = DatumGetObjectId(values[COLUMN_RELID - 1]);
		/* other sessions could not name a temporary table */
		if (!relation_is_readable(relid) ||
			get_rel_persistence(relid) == RELPERSISTENCE_TEMP)
			continue;
		values[COLUMN_RELID - 1] = CStringGetTextDatum(qualified_relation_name(relid));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	systable_endscan(scan);
	table_close(table, AccessShareLock);
	PG_RETURN_NULL();
}

/* Returns the relation of that qualified name, or InvalidOid. */
static Oid
find_relation(text *name)
{
	List *names = textToQualifiedNameList(name);

	return RangeVarGetRelid(makeRangeVarFromNameList(names), NoLock, true);
}

/*
 * restore_statistics(): the trigger of the table that pg_dump dumps. It skips statistics
 * of a relation that was not restored, or that the user does not own; they can be
 * measured again.
 */
PG_FUNCTION_INFO_V1(restore_statistics);
Datum
restore_statistics(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	Datum values[COLUMNS];
	bool nulls[COLUMNS];
	Oid relid;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event) ||
		!TRIGGER_FIRED_BY_INSERT(trigger->tg_event) ||
		RelationGetRelid(trigger->tg_relation) !=
			get_relname_relid(DUMP_TABLE, extension_schema_oid()))
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("function \"%s\" is the trigger of another table",
							   "restore_statistics")));
	heap_deform_tuple(trigger->tg_trigtuple, RelationGetDescr(trigger->tg_relation),
					  values, nulls);
	for (int i = 0; i < LAST_REQUIRED; i++)
	{
		if (nulls[i])
			return PointerGetDatum(NULL);
	}
	relid = find_relation(DatumGetTextPP(values[COLUMN_RELID - 1]));
	if (OidIsValid(relid) && owns_relation(relid))
	{
		values[COLUMN_RELID - 1] = ObjectIdGetDatum(relid);
		store_statistics_row(values, nulls);
	}
	return PointerGetDatum(NULL);
}
