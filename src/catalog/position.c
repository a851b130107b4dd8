/*-------------------------------------------------------------------------
 *
 * position.c
 *	  Up to where in the logs of tables a result has been computed.
 *
 * The position of a result is a row of sparseeinsum_internal.positions, which is the extension
 * owner's and closed to others. It has a snapshot and not the number of a transaction: of two
 * transactions the younger may commit first. A snapshot counts the transaction that took it as
 * running, so its own changes are told apart by their commands.
 *
 * Rows of a log are deleted when every result that reads the table has seen them. Another session may
 * compute a result at the same time, at an older snapshot, whose position is not visible yet. For it a row
 * stays that says from which transaction on rows are missing: its command is -1, and it counts as
 * pending, with sign 0, for every position whose snapshot may not have seen all that was deleted.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/xid8.h"

#include "catalog/change_log.h"
#include "catalog/position.h"
#include "catalog/query_run.h"
#include "catalog/role.h"
#include "catalog/tensor_storage.h"
#include "compat.h"

#define INTERNAL_SCHEMA "sparseeinsum_internal"
#define POSITION_TABLE "positions"

/* Columns, in the order of the install script. */
enum
{
	COLUMN_RESULT,
	COLUMN_REGISTRATION,
	COLUMN_SNAPSHOT,
	COLUMN_XID,
	COLUMN_STATEMENT,
	COLUMN_RELATIONS,
	COLUMN_FINGERPRINTS,
	COLUMNS
};

static Relation
open_positions(LOCKMODE mode)
{
	Oid schema = get_namespace_oid(INTERNAL_SCHEMA, true);
	Oid relid =
		OidIsValid(schema) ? get_relname_relid(POSITION_TABLE, schema) : InvalidOid;

	/* the library may be newer than the extension in this database */
	return OidIsValid(relid) ? table_open(relid, mode) : NULL;
}

/* Elements of an array without NULLs. */
static Datum *
elements_of(Datum array, Oid type, int *count)
{
	Datum *elements;

	deconstruct_array(
		DatumGetArrayTypePCopy(array), type, type == OIDOID ? sizeof(Oid) : 8,
		type == OIDOID ? true : FLOAT8PASSBYVAL,
		type == OIDOID ? TYPALIGN_INT : TYPALIGN_DOUBLE, &elements, NULL, count);
	return elements;
}

static List *
states_of(Datum relations, Datum fingerprints)
{
	int count;
	int others;
	Datum *oids = elements_of(relations, OIDOID, &count);
	Datum *numbers = elements_of(fingerprints, INT8OID, &others);
	List *states = NIL;

	for (int i = 0; i < Min(count, others); i++)
	{
		RelationState *state = palloc(sizeof(RelationState));

		state->relid = DatumGetObjectId(oids[i]);
		state->fingerprint = DatumGetInt64(numbers[i]);
		states = lappend(states, state);
	}
	return states;
}

static Position *
position_of_row(HeapTuple tuple, TupleDesc columns)
{
	Position *position = palloc(sizeof(Position));
	Datum values[COLUMNS];
	bool nulls[COLUMNS];

	heap_deform_tuple(tuple, columns, values, nulls);
	position->result = DatumGetObjectId(values[COLUMN_RESULT]);
	position->registration = DatumGetInt64(values[COLUMN_REGISTRATION]);
	position->snapshot = PointerGetDatum(PG_DETOAST_DATUM_COPY(values[COLUMN_SNAPSHOT]));
	position->xid =
		U64FromFullTransactionId(DatumGetFullTransactionId(values[COLUMN_XID]));
	position->statement = DatumGetInt64(values[COLUMN_STATEMENT]);
	position->states = states_of(values[COLUMN_RELATIONS], values[COLUMN_FINGERPRINTS]);
	return position;
}

Position *
read_position(Oid result, Snapshot snapshot)
{
	Relation table = open_positions(AccessShareLock);
	Position *position = NULL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	if (table == NULL)
		return NULL;
	(void) RelationGetIndexList(table);
	ScanKeyInit(&key, COLUMN_RESULT + 1, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(result));
	scan = systable_beginscan(table, table->rd_pkindex, OidIsValid(table->rd_pkindex),
							  snapshot, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		position = position_of_row(tuple, RelationGetDescr(table));
	systable_endscan(scan);
	table_close(table, AccessShareLock);
	return position;
}

/* What pg_current_snapshot() would return if this snapshot were active. */
static Datum
snapshot_as_value(Snapshot snapshot)
{
	LOCAL_FCINFO(fcinfo, 0);
	Datum value;

	InitFunctionCallInfoData(*fcinfo, NULL, 0, InvalidOid, NULL, NULL);
	PushActiveSnapshot(snapshot);
	value = pg_current_snapshot(fcinfo);
	PopActiveSnapshot();
	return value;
}

/* Runs a statement with these values as the owner of the table of positions. */
static void
write_positions(Relation table, const char *statement, int count, Oid *types,
				Datum *values)
{
	Caller caller;

	become_role(&caller, table->rd_rel->relowner);
	SPI_connect();
	if (run_with_args(statement, count, types, values, NULL, false) < 0)
		elog(ERROR, "positions could not be written");
	SPI_finish();
	become_caller(&caller);
}

Position *
store_position(Oid result, int64 registration, List *states, Snapshot snapshot)
{
	Oid types[COLUMNS] = {OIDOID,  INT8OID,     PG_SNAPSHOTOID, XID8OID,
						  INT8OID, OIDARRAYOID, INT8ARRAYOID};
	int count = list_length(states);
	Datum *relations = palloc(sizeof(Datum) * Max(count, 1));
	Datum *fingerprints = palloc(sizeof(Datum) * Max(count, 1));
	Relation table = open_positions(RowExclusiveLock);
	Position *position = palloc(sizeof(Position));
	Datum values[COLUMNS];

	if (table == NULL)
		return NULL;
	for (int i = 0; i < count; i++)
	{
		const RelationState *state = list_nth(states, i);

		relations[i] = ObjectIdGetDatum(state->relid);
		fingerprints[i] = Int64GetDatum(state->fingerprint);
	}
	*position = (Position){
		.result = result,
		.registration = registration,
		.snapshot = snapshot_as_value(snapshot),
		.xid = U64FromFullTransactionId(GetTopFullTransactionId()),
		.statement = (int64) GetCurrentCommandId(true),
		.states = states,
	};
	values[COLUMN_RESULT] = ObjectIdGetDatum(result);
	values[COLUMN_REGISTRATION] = Int64GetDatum(registration);
	values[COLUMN_SNAPSHOT] = position->snapshot;
	values[COLUMN_XID] =
		FullTransactionIdGetDatum(FullTransactionIdFromU64(position->xid));
	values[COLUMN_STATEMENT] = Int64GetDatum(position->statement);
	values[COLUMN_RELATIONS] = PointerGetDatum(
		construct_array(relations, count, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
	values[COLUMN_FINGERPRINTS] = PointerGetDatum(construct_array(
		fingerprints, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	write_positions(
		table,
		"INSERT INTO " INTERNAL_SCHEMA "." POSITION_TABLE
		" VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (result) DO UPDATE SET "
		"registration = excluded.registration, snapshot = excluded.snapshot, "
		"xid = excluded.xid, statement = excluded.statement, "
		"relations = excluded.relations, fingerprints = excluded.fingerprints",
		COLUMNS, types, values);
	/* positions of results that are gone; what others are removing does not make us wait */
	write_positions(table,
					"DELETE FROM " INTERNAL_SCHEMA "." POSITION_TABLE
					" p WHERE p.ctid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT g.ctid "
					"FROM " INTERNAL_SCHEMA "." POSITION_TABLE
					" g WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid "
					"OPERATOR(pg_catalog.=) g.result) FOR UPDATE SKIP LOCKED))",
					0, NULL, NULL);
	table_close(table, NoLock);
	return position;
}

void
forget_position(Oid result)
{
	Relation table = open_positions(RowExclusiveLock);
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(result)};

	if (table == NULL)
		return;
	write_positions(table,
					"DELETE FROM " INTERNAL_SCHEMA "." POSITION_TABLE
					" WHERE result OPERATOR(pg_catalog.=) $1",
					1, types, values);
	table_close(table, NoLock);
}

/* A literal of type xid8. */
static char *
xid_literal(uint64 xid)
{
	return psprintf("'" UINT64_FORMAT "'::pg_catalog.xid8", xid);
}

/* A row whose transaction or command is NULL is nothing that a trigger has written. */
char *
pending_condition(const Position *position)
{
	char *own = xid_literal(position->xid);
	char *snapshot = psprintf(
		"'%s'::pg_catalog.pg_snapshot",
		DatumGetCString(DirectFunctionCall1(pg_snapshot_out, position->snapshot)));

	return psprintf("COALESCE(CASE WHEN statement OPERATOR(pg_catalog.<) 0 "
					"THEN xid OPERATOR(pg_catalog.<>) %s AND xid OPERATOR(pg_catalog.>=) "
					"pg_catalog.pg_snapshot_xmin(%s) "
					"WHEN xid OPERATOR(pg_catalog.=) %s THEN statement "
					"OPERATOR(pg_catalog.>) " INT64_FORMAT
					" ELSE NOT pg_catalog.pg_visible_in_snapshot(xid, %s) END, true)",
					own, snapshot, own, position->statement, snapshot);
}

/*
 * The least transaction that the snapshot of a position which reads a table may not have seen; 0 if
 * all results that read it have been computed at this position or, in the same refresh, behind it.
 */
static uint64
least_unseen(Oid table, const Position *own)
{
	Relation positions = open_positions(AccessShareLock);
	SysScanDesc scan = systable_beginscan(positions, InvalidOid, false, NULL, 0, NULL);
	uint64 least = PG_UINT64_MAX;
	bool only_own = true;
	HeapTuple tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Position *position = position_of_row(tuple, RelationGetDescr(positions));
		ListCell *lc;

		/* a result that was dropped needs no log */
		if (get_rel_name(position->result) == NULL)
			continue;
		foreach (lc, position->states)
		{
			if (((RelationState *) lfirst(lc))->relid != table)
				continue;
			least = Min(least,
						U64FromFullTransactionId(DatumGetFullTransactionId(
							DirectFunctionCall1(pg_snapshot_xmin, position->snapshot))));
			/* an earlier refresh of this transaction may have had an equal snapshot */
			only_own &= datumIsEqual(position->snapshot, own->snapshot, false, -1) &&
						position->xid == own->xid &&
						position->statement >= own->statement;
		}
	}
	systable_endscan(scan);
	table_close(positions, AccessShareLock);
	return only_own ? 0 : least;
}

/*
 * Deletes the rows of a log that has no results but those of this refresh: all that its snapshot sees.
 * The note tells other sessions to look at no position whose snapshot may be older than this transaction.
 */
static void
delete_all_rows(const char *log, const Position *position, Snapshot snapshot)
{
	char *own = xid_literal(position->xid);
	char *later = psprintf("xid OPERATOR(pg_catalog.=) %s AND statement "
						   "OPERATOR(pg_catalog.>) " INT64_FORMAT,
						   own, position->statement);
	SPIExecuteOptions options = {0};

	/* an old note alone is replaced only if it says something to this position */
	run_reading_at(psprintf("SELECT FROM %s WHERE (%s) IS NOT TRUE AND (statement "
							"OPERATOR(pg_catalog.>=) 0 OR %s) LIMIT 1",
							log, later, pending_condition(position)),
				   &options, snapshot);
	if (SPI_processed == 0)
		return;
	run_writing_at(psprintf("DELETE FROM %s WHERE (%s) IS NOT TRUE", log, later),
				   snapshot);
	run_writing(
		psprintf("INSERT INTO %s (xid, statement, sign) VALUES (%s, -1, 0)", log, own));
}

/*
 * Deletes the rows of transactions before this one, which all results have seen. The note is of the
 * last that was deleted.
 */
static void
delete_rows_before(const char *log, uint64 least, Snapshot snapshot)
{
	char *seen = psprintf("xid OPERATOR(pg_catalog.<) %s", xid_literal(least));
	SPIExecuteOptions options = {0};

	run_reading_at(
		psprintf(
			"SELECT FROM %s WHERE statement OPERATOR(pg_catalog.>=) 0 AND %s LIMIT 1",
			log, seen),
		&options, snapshot);
	if (SPI_processed == 0)
		return;
	run_writing_at(psprintf("WITH gone AS (DELETE FROM %s WHERE %s RETURNING xid) "
							"INSERT INTO %s (xid, statement, sign) SELECT xid, -1, 0 "
							"FROM gone ORDER BY xid DESC LIMIT 1",
							log, seen, log),
				   snapshot);
}

void
delete_seen_rows(Oid table, const Position *position, Snapshot snapshot)
{
	Oid log = change_log_of(table);
	uint64 least = least_unseen(table, position);
	const char *name;
	Caller caller;

	if (!OidIsValid(log) || !ConditionalLockRelationOid(log, ShareUpdateExclusiveLock))
		return;
	name = qualified_relation_name(log);
	become_role(&caller, relation_owner(log));
	SPI_connect();
	if (least == 0)
		delete_all_rows(name, position, snapshot);
	else
		delete_rows_before(name, least, snapshot);
	SPI_finish();
	become_caller(&caller);
}
