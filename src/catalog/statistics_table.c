/*-------------------------------------------------------------------------
 *
 * statistics_table.c
 *	  The table einsum_statistics: what einsum_analyze measured.
 *
 * A row belongs to a relation and a hash of its registration, so one that has
 * outlived either is never read. The table is the extension owner's and nobody
 * else may read it, since counts tell about data. Reading therefore goes below
 * the executor, and writing switches to the owner.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/label.h"
#include "catalog/statistics_table.h"
#include "type/tensor.h"

#define STATISTICS_TABLE "einsum_statistics"

/* Columns, in the order of the install script. */
enum
{
	COLUMN_RELID = 1,
	COLUMN_LABEL_HASH,
	COLUMN_ENTRIES,
	COLUMN_NONFINITE,
	COLUMN_VALUE_COUNTS,
	COLUMN_DISTINCT_COUNTS,
	COLUMN_DEGREES,
};

/* Copies an array of double precision that must have that many elements. */
static bool
copy_array(Datum datum, int count, double *elements)
{
	ArrayType *array = DatumGetArrayTypeP(datum);

	if (ARR_ELEMTYPE(array) != FLOAT8OID || ARR_HASNULL(array) ||
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) != count)
		return false;
	memcpy(elements, ARR_DATA_PTR(array), count * sizeof(double));
	return true;
}

/* The number of sets of labels that are kept, 0 above the largest rank. */
static int
set_count(int rank)
{
	return rank <= STATISTICS_MAX_RANK ? 1 << rank : 0;
}

static bool
read_row(HeapTuple tuple, TupleDesc desc, int rank, TensorStatistics *statistics)
{
	int sets = set_count(rank);
	double degrees[1 << (2 * STATISTICS_MAX_RANK)];
	Datum values[COLUMN_DEGREES];
	bool nulls[COLUMN_DEGREES];
	int x;
	int y;

	if (desc->natts != COLUMN_DEGREES)
		return false;
	heap_deform_tuple(tuple, desc, values, nulls);
	for (x = 0; x < COLUMN_DEGREES; x++)
	{
		if (nulls[x])
			return false;
	}
	if (!copy_array(values[COLUMN_VALUE_COUNTS - 1], rank, statistics->values) ||
		!copy_array(values[COLUMN_DISTINCT_COUNTS - 1], sets, statistics->distinct) ||
		!copy_array(values[COLUMN_DEGREES - 1], sets * sets, degrees))
		return false;
	for (x = 0; x < sets; x++)
	{
		for (y = 0; y < sets; y++)
			statistics->degree[x][y] = degrees[x * sets + y];
	}
	statistics->rank = rank;
	statistics->exact = true;
	statistics->entries = DatumGetFloat8(values[COLUMN_ENTRIES - 1]);
	statistics->nonfinite = DatumGetBool(values[COLUMN_NONFINITE - 1]);
	return true;
}

bool
read_statistics(const Storage *storage, TensorStatistics *statistics)
{
	Oid relid = get_relname_relid(STATISTICS_TABLE, extension_schema_oid());
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
	if (HeapTupleIsValid(tuple))
		found = read_row(tuple, RelationGetDescr(table), storage->rank, statistics);
	systable_endscan(scan);
	table_close(table, AccessShareLock);
	return found;
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

void
write_statistics(const Storage *storage, const TensorStatistics *statistics)
{
	int sets = set_count(storage->rank);
	double *degrees = palloc(sizeof(double) * Max(sets * sets, 1));
	char *name = quote_qualified_identifier(extension_schema_name(), STATISTICS_TABLE);
	Relation table;
	Datum values[COLUMN_DEGREES];
	Oid types[COLUMN_DEGREES] = {OIDOID,         INT8OID,        FLOAT8OID,     BOOLOID,
								 FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID};
	Oid user;
	int context;
	int x;
	int y;

	for (x = 0; x < sets; x++)
	{
		for (y = 0; y < sets; y++)
			degrees[x * sets + y] = statistics->degree[x][y];
	}
	values[COLUMN_RELID - 1] = ObjectIdGetDatum(storage->relid);
	values[COLUMN_LABEL_HASH - 1] = Int64GetDatum(registration_hash(storage));
	values[COLUMN_ENTRIES - 1] = Float8GetDatum(statistics->entries);
	values[COLUMN_NONFINITE - 1] = BoolGetDatum(statistics->nonfinite);
	values[COLUMN_VALUE_COUNTS - 1] = make_array(statistics->values, storage->rank);
	values[COLUMN_DISTINCT_COUNTS - 1] = make_array(statistics->distinct, sets);
	values[COLUMN_DEGREES - 1] = make_array(degrees, sets * sets);

	table = table_open(get_relname_relid(STATISTICS_TABLE, extension_schema_oid()),
					   RowExclusiveLock);
	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(table->rd_rel->relowner, context |
														SECURITY_LOCAL_USERID_CHANGE |
														SECURITY_RESTRICTED_OPERATION);
	SPI_connect();
	if (SPI_execute_with_args(
			psprintf(
				"INSERT INTO %s VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (relid, "
				"label_hash) DO UPDATE SET entries = excluded.entries, nonfinite = "
				"excluded.nonfinite, value_counts = excluded.value_counts, "
				"distinct_counts = "
				"excluded.distinct_counts, degrees = excluded.degrees",
				name),
			COLUMN_DEGREES, types, values, NULL, false, 0) != SPI_OK_INSERT)
		elog(ERROR, "statistics could not be stored");
	if (SPI_execute(
			psprintf(
				"DELETE FROM %s s WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_class c "
				"WHERE c.oid OPERATOR(pg_catalog.=) s.relid)",
				name),
			false, 0) != SPI_OK_DELETE)
		elog(ERROR, "old statistics could not be removed");
	SPI_finish();
	SetUserIdAndSecContext(user, context);
	table_close(table, NoLock);
}
