/*-------------------------------------------------------------------------
 *
 * change_trigger.c
 *	  The triggers that write changes of tables into their logs.
 *
 * An update is logged as its old row with sign -1 and its new row with sign 1. A row of
 * sign 0 stands for any change. It is written where rows cannot be logged: after
 * TRUNCATE; if the table lacks a column of the log, or has it with another type; if a row
 * might not fit on a page together with the log's own columns; and if the log has become
 * large compared with its table. So no statement fails because of a log.
 *
 * The log is written as a heap, without a query: a user who may write the table needs no
 * right to its log, and no code of users runs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/heap.h"
#include "catalog/pg_inherits.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"
#include "utils/xid8.h"

#include "catalog/change_log.h"
#include "catalog/change_trigger.h"
#include "catalog/tensor_storage.h"
#include "compat.h"

/* A batch is written when it has this many rows or bytes. */
#define MOST_ROWS 1000
#define MOST_BYTES 65536

/*
 * A log of at most this many pages may be larger than half of its table. Sessions that
 * wait for each other may extend a relation by 512 empty pages at once.
 */
#define SMALL_LOG_PAGES 1024

/* A value that can be stored out of line takes at most this many bytes of its row. */
#define LARGEST_INLINE 24

typedef struct LogWriter
{
	Relation log;
	Relation
		table; /* the table that the statement changed: the log's, or a child of it; or
			    * NULL */
	AttrNumber *source; /* by column of the log: the table's column, or 0 */
	bool all;           /* the rows cannot be logged: log that all may have changed */
	FullTransactionId xid;
	int64 statement;        /* the number of the command */
	TupleTableSlot **slots; /* MOST_ROWS, made when needed */
	int made;
	int count;
	Size bytes;
	double size_before; /* bytes of the log before this statement; -1: not computed */
	double live_before;
	MemoryContext memory; /* of a batch */
} LogWriter;

/* Returns the bytes of an open relation and its TOAST table. */
static double
relation_bytes(Relation relation)
{
	LOCAL_FCINFO(fcinfo, 1);
	Datum size;

	InitFunctionCallInfoData(*fcinfo, NULL, 1, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = ObjectIdGetDatum(RelationGetRelid(relation));
	fcinfo->args[0].isnull = false;
	size = pg_table_size(fcinfo);
	return fcinfo->isnull ? 0 : (double) DatumGetInt64(size);
}

/*
 * Returns the bytes of a log's table with its children: at present for the relation that
 * was changed; by the last count for the others, which are not locked.
 */
static double
table_bytes(const LogWriter *writer, Oid relid)
{
	double bytes = 0;
	ListCell *lc;

	foreach (lc, find_all_inheritors(relid, NoLock, NULL))
	{
		HeapTuple tuple;

		if (lfirst_oid(lc) == RelationGetRelid(writer->table))
		{
			bytes += relation_bytes(writer->table);
			continue;
		}
		tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(lfirst_oid(lc)));
		if (!HeapTupleIsValid(tuple))
			continue;
		bytes += (double) Max(((Form_pg_class) GETSTRUCT(tuple))->relpages, 0) * BLCKSZ;
		ReleaseSysCache(tuple);
	}
	return bytes;
}

static double
live_share(Oid relid)
{
	double live = (double) DatumGetInt64(
		DirectFunctionCall1(pg_stat_get_live_tuples, ObjectIdGetDatum(relid)));
	double dead = (double) DatumGetInt64(
		DirectFunctionCall1(pg_stat_get_dead_tuples, ObjectIdGetDatum(relid)));

	return live + dead > 0 ? live / (live + dead) : 1;
}

/*
 * Do the rows of the log take more bytes than half of its table, and more than a small
 * log?
 */
static bool
is_too_large(LogWriter *writer, Oid table)
{
	double size;

	if (!OidIsValid(writer->log->rd_rel->reltoastrelid) &&
		RelationGetNumberOfBlocks(writer->log) <= SMALL_LOG_PAGES)
	{
		/* if the log grows beyond this, all of its growth counts */
		writer->size_before = writer->live_before = 0;
		return false;
	}
	size = relation_bytes(writer->log);
	if (writer->size_before < 0)
	{
		writer->size_before = size;
		writer->live_before = size * live_share(RelationGetRelid(writer->log));
	}
	/* rows that this statement has written are live, but not in the statistics yet */
	size += writer->live_before - writer->size_before;
	return size > (double) SMALL_LOG_PAGES * BLCKSZ &&
		   size > 0.5 * table_bytes(writer, table);
}

/*
 * Returns the most bytes that a column may take within a row; more than a page if there
 * is no limit.
 */
static Size
largest_column(Form_pg_attribute column, bool has_toast)
{
	int32 most;

	if (column->attlen > 0)
		return MAXALIGN(column->attlen);
	if (has_toast && column->attstorage != TYPSTORAGE_PLAIN)
		return LARGEST_INLINE;
	most = type_maximum_size(column->atttypid, column->atttypmod);
	return most >= 0 ? MAXALIGN(most) + MAXIMUM_ALIGNOF : BLCKSZ;
}

/*
 * Does every possible row fit on a page, so that no row of the table is too large for its
 * log?
 */
static bool
rows_fit(Relation log)
{
	TupleDesc columns = RelationGetDescr(log);
	Size size = MAXALIGN(SizeofHeapTupleHeader + BITMAPLEN(columns->natts));

	for (int c = 0; c < columns->natts; c++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, c);

		if (!column->attisdropped)
			size += largest_column(column, OidIsValid(log->rd_rel->reltoastrelid));
		if (size > MaxHeapTupleSize)
			return false;
	}
	return true;
}

/*
 * Finds the table's column for each column of the log. False if one is missing or has
 * another type.
 */
static bool
match_columns(LogWriter *writer)
{
	TupleDesc columns = RelationGetDescr(writer->log);

	writer->source = palloc0(sizeof(AttrNumber) * columns->natts);
	for (int c = LOG_FIXED_COLUMNS; c < columns->natts; c++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, c);
		Form_pg_attribute source;

		if (column->attisdropped)
			continue;
		source = user_column(writer->table, NameStr(column->attname));
		if (source == NULL || source->atttypid != column->atttypid ||
			source->atttypmod != column->atttypmod)
			return false;
		/* a virtual generated column has no value in the row */
		if (source->attgenerated != '\0' &&
			source->attgenerated != ATTRIBUTE_GENERATED_STORED)
			return false;
		writer->source[c] = source->attnum;
	}
	return true;
}

static void
begin_writing(LogWriter *writer, Relation log, Relation table)
{
	memset(writer, 0, sizeof(LogWriter));
	writer->log = log;
	writer->table = table;
	writer->xid = GetTopFullTransactionId();
	writer->statement = GetCurrentCommandId(true);
	writer->slots = palloc0(sizeof(TupleTableSlot *) * MOST_ROWS);
	writer->size_before = -1;
	writer->memory = AllocSetContextCreate(CurrentMemoryContext, "rows of a log",
										   ALLOCSET_DEFAULT_SIZES);
}

static void
write_batch(LogWriter *writer)
{
	MemoryContext old = MemoryContextSwitchTo(writer->memory);

	if (writer->count > 0)
		table_multi_insert(writer->log, writer->slots, writer->count,
						   GetCurrentCommandId(true), 0, NULL);
	MemoryContextSwitchTo(old);
	for (int i = 0; i < writer->count; i++)
		ExecClearTuple(writer->slots[i]);
	MemoryContextReset(writer->memory);
	writer->count = 0;
	writer->bytes = 0;
}

/*
 * Adds a row of the table to the log, with this sign; NULL adds a row that says all may
 * have changed.
 */
static void
add_log_row(LogWriter *writer, TupleTableSlot *row, int sign)
{
	TupleDesc columns = RelationGetDescr(writer->log);
	TupleTableSlot *slot;

	if (writer->count == writer->made)
		writer->slots[writer->made++] = table_slot_create(writer->log, NULL);
	slot = writer->slots[writer->count++];
	ExecClearTuple(slot);
	memset(slot->tts_values, 0, sizeof(Datum) * columns->natts);
	memset(slot->tts_isnull, true, sizeof(bool) * columns->natts);
	slot->tts_values[LOG_XID] = FullTransactionIdGetDatum(writer->xid);
	slot->tts_values[LOG_STATEMENT] = Int64GetDatum(writer->statement);
	slot->tts_values[LOG_SIGN] = Int16GetDatum((int16) sign);
	memset(slot->tts_isnull, false, sizeof(bool) * LOG_FIXED_COLUMNS);
	for (int c = LOG_FIXED_COLUMNS; row && c < columns->natts; c++)
	{
		if (writer->source[c] != 0)
			slot->tts_values[c] =
				slot_getattr(row, writer->source[c], &slot->tts_isnull[c]);
	}
	ExecStoreVirtualTuple(slot);
	/* copies the values, since the row is only valid until the next one is read */
	ExecMaterializeSlot(slot);
	writer->bytes += ((HeapTupleTableSlot *) slot)->tuple->t_len;
	if (writer->count == MOST_ROWS || writer->bytes >= MOST_BYTES)
		write_batch(writer);
}

static void
end_writing(LogWriter *writer)
{
	write_batch(writer);
	for (int i = 0; i < writer->made; i++)
		ExecDropSingleTupleTableSlot(writer->slots[i]);
	MemoryContextDelete(writer->memory);
}

/* Adds the rows of a transition table to the log, until the log becomes too large. */
static void
add_log_rows(LogWriter *writer, Oid table, Tuplestorestate *rows, int sign)
{
	TupleTableSlot *slot;

	if (rows == NULL || writer->all)
		return;
	slot = MakeSingleTupleTableSlot(RelationGetDescr(writer->table), &TTSOpsMinimalTuple);
	/* with a read pointer of its own, since other readers have other positions */
	tuplestore_select_read_pointer(rows,
								   tuplestore_alloc_read_pointer(rows, EXEC_FLAG_REWIND));
	tuplestore_rescan(rows);
	while (tuplestore_gettupleslot(rows, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		add_log_row(writer, slot, sign);
		if (writer->count == 0 && is_too_large(writer, table))
		{
			writer->all = true;
			break;
		}
	}
	tuplestore_select_read_pointer(rows, 0);
	ExecDropSingleTupleTableSlot(slot);
}

void
log_no_rows(Relation log, FullTransactionId xid, int64 statement)
{
	LogWriter writer;

	begin_writing(&writer, log, NULL);
	writer.xid = xid;
	writer.statement = statement;
	add_log_row(&writer, NULL, 0);
	end_writing(&writer);
}

/* Adds the old and new row for which a row trigger was called. */
static void
add_trigger_row(LogWriter *writer, const TriggerData *trigger)
{
	if (!TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		add_log_row(writer, trigger->tg_trigslot, -1);
	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		add_log_row(writer, trigger->tg_trigslot, 1);
	else if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		add_log_row(writer, trigger->tg_newslot, 1);
}

static void
write_change(Relation log, Oid table, const TriggerData *trigger)
{
	LogWriter writer;

	begin_writing(&writer, log, trigger->tg_relation);
	writer.all = TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event) ||
				 (TRIGGER_FIRED_FOR_STATEMENT(trigger->tg_event) &&
				  trigger->tg_oldtable == NULL && trigger->tg_newtable == NULL) ||
				 !match_columns(&writer) || !rows_fit(log) ||
				 is_too_large(&writer, table);
	if (!writer.all && TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		add_trigger_row(&writer, trigger);
	else
	{
		add_log_rows(&writer, table, trigger->tg_oldtable, -1);
		add_log_rows(&writer, table, trigger->tg_newtable, 1);
	}
	if (writer.all)
		add_log_row(&writer, NULL, 0);
	end_writing(&writer);
}

/* Has the statement changed no row? */
static bool
changed_nothing(const TriggerData *trigger)
{
	return TRIGGER_FIRED_FOR_STATEMENT(trigger->tg_event) &&
		   (trigger->tg_oldtable || trigger->tg_newtable) &&
		   (!trigger->tg_oldtable || tuplestore_tuple_count(trigger->tg_oldtable) == 0) &&
		   (!trigger->tg_newtable || tuplestore_tuple_count(trigger->tg_newtable) == 0);
}

/*
 * Does another trigger of the log write this change? Each row is to be logged once, even
 * if the owner has enabled all triggers alike: changes that are replicated by the row
 * trigger, all others by those for statements.
 */
static bool
is_for_other_role(const TriggerData *trigger)
{
	bool replicated = SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA;

	return !TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event) &&
		   replicated != (TRIGGER_FIRED_FOR_ROW(trigger->tg_event) != 0);
}

/*
 * log_change(): AFTER trigger, for statements with transition tables or for each row.
 * Writes the changes into the log of the table, or of its topmost parents.
 */
PG_FUNCTION_INFO_V1(log_change);
Datum
log_change(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	ListCell *lc;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_AFTER(trigger->tg_event))
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("log_change() must be called as an AFTER trigger"),
						errhint("einsum_log makes the triggers that call it.")));
	if (is_for_other_role(trigger) || changed_nothing(trigger))
		PG_RETURN_POINTER(NULL);
	foreach (lc, topmost_parents(RelationGetRelid(trigger->tg_relation)))
	{
		Relation log = open_change_log(lfirst_oid(lc), RowExclusiveLock);

		if (log == NULL)
			continue;
		write_change(log, lfirst_oid(lc), trigger);
		table_close(log, NoLock);
	}
	PG_RETURN_POINTER(NULL);
}
