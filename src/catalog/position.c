/*-------------------------------------------------------------------------
 *
 * position.c
 *	  Up to where in the logs of tables a result has been computed.
 *
 * The position of a result is a row of sparseeinsum_internal.positions, which is the
 * extension owner's and closed to others. It has a snapshot and not the number of a
 * transaction: of two transactions the younger may commit first. A snapshot counts the
 * transaction that took it as running, so its own changes are told apart by their
 * commands.
 *
 * Rows of a log are deleted when every result that reads the table has seen them. Another
 * session may compute a result at the same time, at an older snapshot, whose position is
 * not visible yet. For it a row stays that says from which transaction on rows are
 * missing: its command is -1, and it counts as pending, with sign 0, for every position
 * whose snapshot may not have seen all that was deleted.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
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
#include "catalog/change_trigger.h"
#include "catalog/own_rows.h"
#include "catalog/position.h"
#include "catalog/query_run.h"
#include "catalog/tensor_storage.h"
#include "compat.h"

#define INTERNAL_SCHEMA "sparseeinsum_internal"
#define POSITION_TABLE "positions"

/* After how many rows, and after what part of the most, their number is estimated. */
#define ROWS_BETWEEN 100.0
#define LEAST_FOUND 8.0

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

/*
 * Runs a statement with these values as the owner of the table of positions. *plan: stays
 * in the session.
 */
static void
write_positions(Relation table, SPIPlanPtr *plan, const char *statement, int count,
				Oid *types, Datum *values)
{
	Caller caller;

	begin_own_write(&caller, table);
	SPI_connect();
	if (run_kept(plan, statement, count, types, values) < 0)
		elog(ERROR, "positions could not be written");
	SPI_finish();
	become_caller(&caller);
}

Position *
store_position(Oid result, int64 registration, List *states, Snapshot snapshot,
			   bool is_new)
{
	static SPIPlanPtr put = NULL;
	static SPIPlanPtr clean = NULL;
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
		table, &put,
		"INSERT INTO " INTERNAL_SCHEMA "." POSITION_TABLE
		" VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (result) DO UPDATE SET "
		"registration = excluded.registration, snapshot = excluded.snapshot, "
		"xid = excluded.xid, statement = excluded.statement, "
		"relations = excluded.relations, fingerprints = excluded.fingerprints",
		COLUMNS, types, values);
	/*
	 * positions of results that are gone; what others are removing does not make us wait
	 */
	if (is_new)
		write_positions(
			table, &clean,
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
	static SPIPlanPtr forget = NULL;
	Relation table = open_positions(RowExclusiveLock);
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(result)};

	if (table == NULL)
		return;
	write_positions(table, &forget,
					"DELETE FROM " INTERNAL_SCHEMA "." POSITION_TABLE
					" WHERE result OPERATOR(pg_catalog.=) $1",
					1, types, values);
	table_close(table, NoLock);
}

static uint64
least_running(const Position *position)
{
	return U64FromFullTransactionId(DatumGetFullTransactionId(
		DirectFunctionCall1(pg_snapshot_xmin, position->snapshot)));
}

static uint64
next_transaction(const Position *position)
{
	return U64FromFullTransactionId(DatumGetFullTransactionId(
		DirectFunctionCall1(pg_snapshot_xmax, position->snapshot)));
}

/* The number of the command in a note that rows of a log were deleted. */
#define DELETED_ROWS (-1)

/* The transaction and command of a row of a log. */
typedef struct LogRow
{
	bool known; /* neither is NULL: the log's trigger has written the row */
	uint64 xid;
	int64 statement; /* DELETED_ROWS: a note */
} LogRow;

static LogRow
read_log_row(TupleTableSlot *slot)
{
	LogRow row = {false};
	bool no_xid;
	bool no_statement;
	Datum xid = slot_getattr(slot, LOG_XID + 1, &no_xid);
	Datum statement = slot_getattr(slot, LOG_STATEMENT + 1, &no_statement);

	row.known = !no_xid && !no_statement;
	if (row.known)
	{
		row.xid = U64FromFullTransactionId(DatumGetFullTransactionId(xid));
		row.statement = DatumGetInt64(statement);
	}
	return row;
}

/* Has the position's transaction written a row after its result was computed? */
static bool
is_later(const LogRow *row, const Position *position)
{
	return row->known && row->xid == position->xid &&
		   row->statement > position->statement;
}

/* Is a row a change that the result at a position may not have seen? */
static bool
is_pending(const LogRow *row, const Position *position)
{
	if (!row->known)
		return true;
	if (row->statement < 0)
		return row->xid != position->xid && row->xid >= least_running(position);
	if (row->xid == position->xid)
		return row->statement > position->statement;
	return !DatumGetBool(
		DirectFunctionCall2(pg_visible_in_snapshot,
							FullTransactionIdGetDatum(FullTransactionIdFromU64(row->xid)),
							position->snapshot));
}

/* Does a row with this sign, 0 for NULL, tell what has changed? */
static bool
tells_change(int sign)
{
	return sign == 1 || sign == -1;
}

/* A scan of a log. */
typedef struct LogScan
{
	Relation log;
	TableScanDesc scan;
	TupleTableSlot *slot; /* the row that was read last */
	LogRow row;           /* its transaction and command */
} LogScan;

/*
 * A log is read and changed as a heap: a result's owner needs no right to it but SELECT,
 * no code of its owner runs, and publications do not ask for a replica identity. The scan
 * sees what a snapshot does, and what this transaction has done; with the active snapshot
 * what the running query sees.
 */
static void
begin_log_scan(LogScan *scan, Relation log, Snapshot snapshot)
{
	bool is_of_query = ActiveSnapshotSet() && snapshot == GetActiveSnapshot();

	if (!is_of_query)
		CommandCounterIncrement();
	PushCopiedSnapshot(snapshot);
	if (!is_of_query)
		UpdateActiveSnapshotCommandId();
	scan->log = log;
	scan->slot = table_slot_create(log, NULL);
	scan->scan = table_beginscan(log, GetActiveSnapshot(), 0, NULL, 0);
}

/* Reads the next row of a log; false behind the last one. */
static bool
read_next_row(LogScan *scan)
{
	CHECK_FOR_INTERRUPTS();
	if (!table_scan_getnextslot(scan->scan, ForwardScanDirection, scan->slot))
		return false;
	scan->row = read_log_row(scan->slot);
	return true;
}

/* Reads the next row of a log that is pending at a position; false behind the last. */
static bool
read_next_pending(LogScan *scan, const Position *position)
{
	while (read_next_row(scan))
	{
		if (is_pending(&scan->row, position))
			return true;
	}
	return false;
}

static void
end_log_scan(LogScan *scan)
{
	table_endscan(scan->scan);
	ExecDropSingleTupleTableSlot(scan->slot);
	PopActiveSnapshot();
}

/* Begins to read the log of a table; false if it has none. */
static bool
open_log_scan(LogScan *scan, Oid table, Snapshot snapshot)
{
	Relation log = open_change_log(table, AccessShareLock);

	if (log)
		begin_log_scan(scan, log, snapshot);
	return log != NULL;
}

static void
close_log_scan(LogScan *scan)
{
	end_log_scan(scan);
	table_close(scan->log, NoLock);
}

bool
has_pending_rows(Oid table, const Position *position, Snapshot snapshot)
{
	LogScan scan;
	bool pending;

	if (!open_log_scan(&scan, table, snapshot))
		return true;
	pending = read_next_pending(&scan, position);
	close_log_scan(&scan);
	return pending;
}

bool
is_pending_change(const Position *position, bool known, uint64 xid, int64 statement)
{
	const LogRow row = {.known = known, .xid = xid, .statement = statement};

	return is_pending(&row, position);
}

bool
pending_rows_tell(Oid table, const Position *position, Snapshot snapshot)
{
	LogScan scan;
	bool told = true;

	if (!open_log_scan(&scan, table, snapshot))
		return false;
	while (told && read_next_pending(&scan, position))
	{
		bool isnull;
		int sign = DatumGetInt16(slot_getattr(scan.slot, LOG_SIGN + 1, &isnull));

		told = scan.row.known && tells_change(isnull ? 0 : sign);
	}
	close_log_scan(&scan);
	return told;
}

/* Returns the columns of a log from its sign on; *columns are their numbers, from 0. */
static TupleDesc
columns_of_changes(Relation log, int **numbers)
{
	TupleDesc all = RelationGetDescr(log);
	int count = 0;
	TupleDesc columns;

	*numbers = palloc(sizeof(int) * all->natts);
	for (int c = LOG_SIGN; c < all->natts; c++)
	{
		if (!TupleDescAttr(all, c)->attisdropped)
			(*numbers)[count++] = c;
	}
	columns = CreateTemplateTupleDesc(count);
	for (int c = 0; c < count; c++)
		TupleDescCopyEntry(columns, (AttrNumber) (c + 1), all,
						   (AttrNumber) ((*numbers)[c] + 1));
	TupleDescFinalize(columns);
	return columns;
}

/* Adds a row of a log to those that are collected; false if it does not tell a change. */
static bool
collect_row(TupleTableSlot *slot, const int *numbers, TupleDesc columns,
			Tuplestorestate *rows)
{
	Datum *values = palloc(sizeof(Datum) * columns->natts);
	bool *nulls = palloc(sizeof(bool) * columns->natts);
	int sign;

	slot_getallattrs(slot);
	for (int c = 0; c < columns->natts; c++)
	{
		values[c] = slot->tts_values[numbers[c]];
		nulls[c] = slot->tts_isnull[numbers[c]];
	}
	sign = nulls[0] ? 0 : DatumGetInt16(values[0]);
	if (tells_change(sign))
		tuplestore_putvalues(rows, columns, values, nulls);
	pfree(values);
	pfree(nulls);
	return tells_change(sign);
}

/*
 * Are more rows than these pending? Some have been found, the last of them in this slot.
 * Those behind it are as dense, unless the log has been longer before; so a part of them
 * has to be found.
 */
static bool
are_too_many(Relation log, TupleTableSlot *slot, double found, double most)
{
	double blocks = (double) ItemPointerGetBlockNumber(&slot->tts_tid) + 1.0;

	return found > most ||
		   (found > most / LEAST_FOUND &&
			found / blocks * (double) RelationGetNumberOfBlocks(log) > most);
}

PendingRows
collect_pending_rows(Oid table, const Position *position, Snapshot snapshot, double most,
					 TupleDesc *columns, Tuplestorestate **rows)
{
	LogScan scan;
	PendingRows told = PENDING_TOLD;
	int *numbers;

	if (!open_log_scan(&scan, table, snapshot))
		return PENDING_NOT_TOLD;
	*columns = columns_of_changes(scan.log, &numbers);
	*rows = tuplestore_begin_heap(false, false, work_mem);
	while (told == PENDING_TOLD && read_next_pending(&scan, position))
	{
		double found;

		if (!scan.row.known || !collect_row(scan.slot, numbers, *columns, *rows))
			told = PENDING_NOT_TOLD;
		found = (double) tuplestore_tuple_count(*rows);
		if (fmod(found, ROWS_BETWEEN) == 0.0 &&
			are_too_many(scan.log, scan.slot, found, most))
			told = PENDING_TOO_MANY;
	}
	close_log_scan(&scan);
	if (told != PENDING_TOLD)
		tuplestore_end(*rows);
	return told;
}

/*
 * The least transaction that the snapshot of a position which reads a table may not have
 * seen; 0 if all results that read it have been computed at this position or, in the same
 * refresh, after it.
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
			least = Min(least, least_running(position));
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

/* What is deleted from a log. */
typedef struct Deletion
{
	const Position *position;
	uint64 least; /* that of least_unseen */
	uint64
		next; /* transactions from here on are of another server, whose dump was restored */
	uint64 noted; /* the last transaction whose rows were deleted */
	bool
		worth_it; /* more is deleted than an old note that says nothing to the position */
} Deletion;

static bool
is_deleted(Deletion *deletion, const LogRow *row)
{
	const Position *position = deletion->position;

	if (deletion->least == 0)
	{
		if (is_later(row, position))
			return false;
		deletion->noted = position->xid;
		deletion->worth_it |=
			!row->known || row->statement >= 0 || is_pending(row, position);
		return true;
	}
	if (!row->known)
		return false;
	if (row->xid >= deletion->next && row->xid != position->xid)
	{
		deletion->noted = position->xid;
		deletion->worth_it = true;
		return true;
	}
	if (row->xid >= deletion->least)
		return false;
	deletion->noted = Max(deletion->noted, row->xid);
	deletion->worth_it |= row->statement >= 0;
	return true;
}

/*
 * Visits the rows that are deleted, and deletes them or only looks whether that is worth
 * it.
 */
static void
visit_deleted(Relation log, Deletion *deletion, Snapshot snapshot, bool delete)
{
	LogScan scan;

	begin_log_scan(&scan, log, snapshot);
	while ((delete || !deletion->worth_it) && read_next_row(&scan))
	{
		TM_FailureData failure;

		if (!is_deleted(deletion, &scan.row) || !delete)
			continue;
		/* a row that its owner deletes meanwhile is not waited for */
		(void) table_tuple_delete(log, &scan.slot->tts_tid, GetCurrentCommandId(true), 0,
								  GetActiveSnapshot(), InvalidSnapshot, false, &failure);
	}
	end_log_scan(&scan);
}

void
delete_seen_rows(Oid table, const Position *position, Snapshot snapshot)
{
	Oid relid = change_log_of(table);
	Deletion deletion = {.position = position};
	Relation log;

	if (!OidIsValid(relid) ||
		!ConditionalLockRelationOid(relid, ShareUpdateExclusiveLock))
		return;
	log = open_change_log(table, ShareUpdateExclusiveLock);
	if (log == NULL)
		return;
	deletion.least = least_unseen(table, position);
	deletion.next = next_transaction(position);
	visit_deleted(log, &deletion, snapshot, false);
	if (deletion.worth_it)
	{
		visit_deleted(log, &deletion, snapshot, true);
		log_no_rows(log, FullTransactionIdFromU64(deletion.noted), DELETED_ROWS);
	}
	table_close(log, NoLock);
}
