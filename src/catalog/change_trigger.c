/*-------------------------------------------------------------------------
 *
 * change_trigger.c
 *	  What statements change goes into the logs of tables.
 *
 * An update is its old row with sign -1 and its new one with sign 1. A row of sign 0 stands for any
 * change, and is written where rows cannot be: after TRUNCATE, where the table lacks a column
 * of the log or has it with another type, where a row might not fit a page with the log's own columns,
 * and where the log has become large beside its table. So no statement fails because of a log.
 *
 * The log is written as a heap, without a query: a user who may write the table needs no right to its
 * log, and no code of users runs.
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

/* Rows that are written at once, and their bytes. */
#define MOST_ROWS 1000
#define MOST_BYTES 65536

/*
 * A log of no more pages may be larger than half of its table. Sessions that wait for each other extend a
 * relation by as many as 512 empty pages at once.
 */
#define SMALL_LOG_PAGES 1024

/* A value that can be stored out of line takes at most so much of a row. */
#define LARGEST_INLINE 24

typedef struct LogWriter
{
	Relation log;
	Relation
		table; /* that the statement changed: of the log, or a child of it; NULL: none */
	AttrNumber *source; /* of each column of the log the table's, or 0 */
	bool all;           /* rows cannot be told */
	FullTransactionId xid;
	CommandId statement;
	TupleTableSlot **slots; /* MOST_ROWS, made when needed */
	int made;
	int count;
	Size bytes;
	double
		size_before; /* bytes of the log, and of these what holds rows; -1: not known yet */
	double live_before;
	MemoryContext memory; /* of a batch */
} LogWriter;

/* The bytes of a relation and its TOAST table. The caller has it open. */
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
 * The bytes of a log's table with its children: of the relation that was changed as they are, of
 * others, which are not locked, as they were last counted.
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

/* Do the rows of the log take more than half of its table's bytes, and more than those of a small log? */
static bool
is_too_large(LogWriter *writer, Oid table)
{
	double size;

	if (!OidIsValid(writer->log->rd_rel->reltoastrelid) &&
		RelationGetNumberOfBlocks(writer->log) <= SMALL_LOG_PAGES)
	{
		/* if it grows from here, all of it counts */
		writer->size_before = writer->live_before = 0;
		return false;
	}
	size = relation_bytes(writer->log);
	if (writer->size_before < 0)
	{
		writer->size_before = size;
		writer->live_before = size * live_share(RelationGetRelid(writer->log));
	}
	/* what this statement has written is live, and is not in the statistics yet */
	size += writer->live_before - writer->size_before;
	return size > (double) SMALL_LOG_PAGES * BLCKSZ &&
		   size > 0.5 * table_bytes(writer, table);
}

/* The most bytes that a column takes within a row, or more than a page has. */
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

/* Does every row fit a page? Then no row of the table is too large for its log. */
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

/* Finds the table's column for each of the log's. False if it lacks one, or has it otherwise. */
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
		/* a virtual column has no value in a row */
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
		table_multi_insert(writer->log, writer->slots, writer->count, writer->statement,
						   0, NULL);
	MemoryContextSwitchTo(old);
	for (int i = 0; i < writer->count; i++)
		ExecClearTuple(writer->slots[i]);
	MemoryContextReset(writer->memory);
	writer->count = 0;
	writer->bytes = 0;
}

/* Adds a row of the table, or NULL for one of sign 0. */
static void
add_row(LogWriter *writer, TupleTableSlot *row, int sign)
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
	slot->tts_values[LOG_STATEMENT] = Int64GetDatum((int64) writer->statement);
	slot->tts_values[LOG_SIGN] = Int16GetDatum((int16) sign);
	memset(slot->tts_isnull, false, sizeof(bool) * LOG_FIXED_COLUMNS);
	for (int c = LOG_FIXED_COLUMNS; row && c < columns->natts; c++)
	{
		if (writer->source[c] != 0)
			slot->tts_values[c] =
				slot_getattr(row, writer->source[c], &slot->tts_isnull[c]);
	}
	ExecStoreVirtualTuple(slot);
	/* the row that the values are of is only there until the next is read */
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

/* Adds the rows of a transition table, unless the log becomes too large on the way. */
static void
add_rows(LogWriter *writer, Oid table, Tuplestorestate *rows, int sign)
{
	TupleTableSlot *slot;

	if (rows == NULL || writer->all)
		return;
	slot = MakeSingleTupleTableSlot(RelationGetDescr(writer->table), &TTSOpsMinimalTuple);
	/* others who read it are at other places */
	tuplestore_select_read_pointer(rows,
								   tuplestore_alloc_read_pointer(rows, EXEC_FLAG_REWIND));
	tuplestore_rescan(rows);
	while (tuplestore_gettupleslot(rows, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		add_row(writer, slot, sign);
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
log_all_rows(Relation log)
{
	LogWriter writer;

	begin_writing(&writer, log, NULL);
	add_row(&writer, NULL, 0);
	end_writing(&writer);
}

/* The row that a trigger for each row was called for, new or old. */
static void
add_trigger_row(LogWriter *writer, const TriggerData *trigger)
{
	if (!TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		add_row(writer, trigger->tg_trigslot, -1);
	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		add_row(writer, trigger->tg_trigslot, 1);
	else if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		add_row(writer, trigger->tg_newslot, 1);
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
		add_rows(&writer, table, trigger->tg_oldtable, -1);
		add_rows(&writer, table, trigger->tg_newtable, 1);
	}
	if (writer.all)
		add_row(&writer, NULL, 0);
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
 * log_change(): an AFTER trigger, of a statement with transition tables or for each row, that writes
 * what has changed into the log of the table, or of the tables that it is a part of.
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
	if (changed_nothing(trigger))
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
