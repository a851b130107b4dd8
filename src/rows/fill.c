/*-------------------------------------------------------------------------
 *
 * fill.c
 *	  Fills tables of results from their views.
 *
 * A table whose sources have not changed is left as it is, if their logs tell
 * (sources.c). Other tables get the rows that their views have now. Only the difference
 * is written (difference.c), so that a refresh after few changes writes little and leaves
 * few dead rows for VACUUM. If the two cannot be compared row by row, or the table is
 * empty, all rows are deleted, and those of the view inserted. TRUNCATE is not used: it
 * would lock out readers of the table, and show an empty table to those whose snapshot is
 * older.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/citus.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "portability/instr_time.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "catalog/label.h"
#include "catalog/position.h"
#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "catalog/role.h"
#include "catalog/tensor_storage.h"
#include "catalog/view_reads.h"
#include "codegen/log_rows.h"
#include "codegen/now.h"
#include "codegen/replace.h"
#include "codegen/tables.h"
#include "compat.h"
#include "recursion.h"
#include "rows/added.h"
#include "rows/difference.h"
#include "rows/fill.h"
#include "rows/sources.h"

#define CALLER "einsum program"

/* A table is analyzed after more than this share of its rows has been written. */
#define MOST_UNANALYZED 0.1

/*
 * Changes are often few, and what they are joined with is large: then indexes pay. What is
 * read by an index at random is most often in memory.
 */
#define RANDOM_PAGE_COST 1.1

#define WAS_EMPTY "the table was empty"

/* The number of calls that are filling tables now, each within the one before. */
static int depth = 0;

/* The number of calls so far: what one knows of changes, one within it may have written. */
static uint64 calls = 0;

/* A table that is filled, with its view; both are open. */
typedef struct Filling
{
	Relation table;
	Relation view;
	Storage *storage;
	Snapshot snapshot;
	bool ordered;    /* the types of its keys have an order */
	KeptTable *kept; /* what the session keeps of it; or NULL */
} Filling;

/* Adds a table to the list, after the tables of the same call that its view reads. */
static List *
add_in_order(List *ordered, Oid table, const List *tables, List **started)
{
	Storage *storage = filled_storage(table);
	Oid view = storage ? storage_filling_view(storage) : InvalidOid;
	ListCell *lc;

	enter_recursion();
	if (list_member_oid(*started, table))
		return ordered;
	*started = lappend_oid(*started, table);
	if (!OidIsValid(view))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the view that table \"%s\" is filled from does not exist",
						get_rel_name(table)),
				 storage ? errdetail("It is called \"%s\", in the schema of the table "
									 "and of the same owner.",
									 storage->query)
						 : 0,
				 errhint("Make the program again with einsum_decompose(..., replace "
						 "=> true).")));
	foreach (lc, tables_of_view(view))
	{
		if (list_member_oid(tables, lfirst_oid(lc)))
			ordered = add_in_order(ordered, lfirst_oid(lc), tables, started);
	}
	return lappend_oid(ordered, table);
}

static void
filling_context(void *table)
{
	errcontext("filling table \"%s\"", (char *) table);
}

/* Has a column the same type in the table and in the view? An INSERT would convert it. */
static bool
same_type(const Filling *filling, const char *name)
{
	Form_pg_attribute table = user_column(filling->table, name);
	Form_pg_attribute view = user_column(filling->view, name);

	return table && view && table->atttypid == view->atttypid &&
		   table->atttypmod == view->atttypmod &&
		   table->attcollation == view->attcollation;
}

/*
 * Have the columns of table and view the same types? The owner may have altered the
 * table, or created the view again.
 */
static bool
same_types(const Filling *filling)
{
	const Storage *storage = filling->storage;

	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];

		if (dimension->kind != DIMENSION_DEMOTED &&
			!same_type(filling, dimension->column))
			return false;
	}
	return same_type(filling, storage->value_column);
}

/*
 * Has the table columns that its query does not fill? Their values are lost if rows are
 * written again.
 */
static bool
has_other_columns(const Filling *filling)
{
	TupleDesc columns = RelationGetDescr(filling->table);
	int count = 0;

	for (int c = 0; c < columns->natts; c++)
		count += !TupleDescAttr(columns, c)->attisdropped;
	return count > storage_key_count(filling->storage) + 1 + has_moved(filling->storage);
}

/*
 * Returns why all rows must be written, in words; NULL if the table can be compared with
 * the view. Resolves the storage.
 */
static const char *
reason_for_all(Filling *filling, bool needs_keys)
{
	StorageProblem problem;

	if (needs_keys && RelationGetNumberOfBlocks(filling->table) == 0)
		return WAS_EMPTY;
	if (filling->table->rd_rel->relhasrules)
		return "the table has rules";
	/* old and new rows are joined by unique keys */
	if (needs_keys && storage_key_count(filling->storage) == 0)
		return "the table has no keys";
	if (filling->storage->duplicates != DUPLICATES_ERROR)
		return "keys may occur more than once";
	/*
	 * deleting all rows conflicts with a concurrent refresh; updating some may not, and
	 * would mix the two
	 */
	if (needs_keys && IsolationUsesXactSnapshot())
		return "the transaction keeps one snapshot";
	if (!storage_resolve(filling->storage, filling->table, &problem))
		return "the table does not fit its registration";
	if (!same_types(filling))
		return "the table's columns have other types than its query's";
	return NULL;
}

/*
 * May a table be empty since its result was computed, without a trace? TRUNCATE leaves none
 * in a table that its own transaction has made, nor does a crash in an unlogged one.
 */
static bool
may_be_emptied(const Filling *filling, const Position *position)
{
	HeapTuple row;
	TransactionId made;

	if (RelationGetNumberOfBlocks(filling->table) > 0)
		return false;
	if (filling->table->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		return true;
	row = SearchSysCache1(RELOID, ObjectIdGetDatum(RelationGetRelid(filling->table)));
	made = HeapTupleHeaderGetRawXmin(row->t_data);
	ReleaseSysCache(row);
	/* a subtransaction is later than its transaction */
	return !TransactionIdPrecedes(made, (TransactionId) position->xid);
}

/* May a trigger change rows, or leave them out, when they are written into the table? */
static bool
has_triggers_before(const Filling *filling)
{
	const TriggerDesc *triggers = filling->table->trigdesc;

	return triggers &&
		   (triggers->trig_insert_before_row || triggers->trig_update_before_row ||
			triggers->trig_delete_before_row);
}

/* A refresh of tables, which are filled one after the other. */
typedef struct Refresh
{
	Snapshot snapshot;
	FillMode mode;
	uint64 call;     /* its number */
	List *done;      /* OIDs of the tables that have been filled */
	List *changed;   /* OIDs of those of them whose rows have changed */
	List *known;     /* of TensorChange *: how, as far as that is known */
	List *positions; /* of Position: those that were stored */
} Refresh;

/* A trigger, or a function in a view, may fill tables in turn, and has other names. */
char *
name_of_change(Oid table, int number)
{
	return psprintf("@change %d.%u.%d", depth, table, number);
}

/* Keeps how a table has changed, for those that read it. */
static void
keep_change(Refresh *refresh, TensorChange *change)
{
	refresh->known = lappend(refresh->known, change);
}

/*
 * Returns the columns of rows that are compared with the table's: keys d0, d1, ... by
 * dimension, and value.
 */
static TupleDesc
columns_of_rows(const Filling *filling)
{
	const Storage *storage = filling->storage;
	TupleDesc table = RelationGetDescr(filling->table);
	TupleDesc columns = CreateTemplateTupleDesc(storage_key_count(storage) + 1);
	AttrNumber column = 0;

	for (int d = 0; d <= storage->rank; d++)
	{
		bool is_value = d == storage->rank;

		if (!is_value && storage->dimensions[d].kind == DIMENSION_DEMOTED)
			continue;
		TupleDescCopyEntry(columns, ++column, table,
						   is_value ? storage->value_attno
									: storage->dimensions[d].attno);
		namestrcpy(&TupleDescAttr(columns, column - 1)->attname,
				   is_value ? "value" : psprintf("d%d", d));
	}
	TupleDescFinalize(columns);
	return columns;
}

/* Returns "SELECT keys, value FROM view", with the columns of columns_of_rows. */
static char *
query_of_rows(const Filling *filling)
{
	const Storage *storage = filling->storage;
	StringInfoData query;

	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT ");
	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind != DIMENSION_DEMOTED)
			appendStringInfo(&query, "%s AS d%d, ",
							 quote_identifier(storage->dimensions[d].column), d);
	}
	appendStringInfo(&query, "%s AS value FROM %s",
					 quote_identifier(storage->value_column),
					 qualified_relation_name(RelationGetRelid(filling->view)));
	return query.data;
}

/* Returns an empty change of a table, of this number. */
static TensorChange *
change_of_table(const Filling *filling, int number)
{
	return new_change(filling->storage, name_of_change(filling->storage->relid, number));
}

/*
 * Returns an empty change of a table, if tables that read it may use that; else NULL.
 */
static TensorChange *
change_to_find(const Filling *filling)
{
	if (filling->storage->statement == NULL || has_triggers_before(filling) ||
		reason_against_rows(filling->storage))
		return NULL;
	return change_of_table(filling, 0);
}

static void
write_difference(const Filling *filling, TableFilled *filled, Refresh *refresh)
{
	/*
	 * a trigger, or a function in a view, may fill tables in turn, and needs another name
	 */
	Rows *rows = new_rows(depth > 1 ? psprintf("@rows %d", depth) : "@rows", NULL);
	TableChange change = {.table = filling->storage,
						  .place = filling->storage,
						  .rows = rows,
						  .snapshot = filling->snapshot,
						  .may_write_all = !has_other_columns(filling),
						  .ordered = filling->ordered,
						  .kept = filling->kept,
						  .caller = CALLER,
						  .name = filling->storage->program,
						  .changed = change_to_find(filling)};
	RowsWritten written;

	set_columns(rows, columns_of_rows(filling), false);
	fill_rows_at(rows, &(ReadingAt){.query = labelled_query(CALLER, change.name,
															query_of_rows(filling)),
									.snapshot = filling->snapshot,
									.kept = filling->kept});
	register_rows(rows);
	write_rows(&change, &written);
	filled->changed = written.changed;
	filled->written = written.written;
	filled->how = written.all            ? "whole"
				  : written.changed == 0 ? "unchanged"
										 : "difference";
	if (written.all)
		filled->why = "most rows differ";
	if (change.changed && written.all)
		free_change(change.changed);
	else if (change.changed)
		keep_change(refresh, change.changed);
	free_rows(rows);
}

/* Adds what was found to the table's rows, unless there are reasons not to. */
static RowsWritten
write_added(const Filling *filling, const FoundChange *found, TableFilled *filled)
{
	const TableChange change = {.table = filling->storage,
								.place = &found->added->storage,
								.rows =
									found->moving ? found->moving : found->added->rows,
								.moved = found->moving != NULL,
								.snapshot = filling->snapshot,
								.added = true,
								.kept = filling->kept,
								.caller = CALLER,
								.name = filling->storage->program};
	RowsWritten written;

	write_rows(&change, &written);
	if (!written.refused && written.drifted == NULL)
	{
		filled->changed = written.changed;
		filled->written = written.written;
		filled->how = "added";
	}
	return written;
}

/*
 * Writes the rows at some keys where they differ from those of the table. changed: gets
 * how; or NULL.
 */
static void
write_at_keys(const Filling *filling, const FoundChange *found, TableFilled *filled,
			  TensorChange *changed)
{
	const TableChange change = {.table = filling->storage,
								.place = filling->storage,
								.rows = found->computed,
								.snapshot = filling->snapshot,
								.touched = found->touched,
								.touched_keys = found->keys,
								.kept = filling->kept,
								.caller = CALLER,
								.name = filling->storage->program,
								.changed = changed};
	RowsWritten written;

	write_rows(&change, &written);
	filled->changed += written.changed;
	filled->written += written.written;
}

/* Leaves out those of the rows that move which are at keys of others. */
static void
leave_out_keys(const Filling *filling, FoundChange *found, const FoundChange *others)
{
	Rows *rest =
		new_rows(name_of_change(filling->storage->relid, ROWS_MOVING_APART), NULL);
	StringInfoData query;
	int d = -1;

	initStringInfo(&query);
	appendStringInfo(
		&query, "SELECT * FROM %s AS e WHERE NOT EXISTS (SELECT FROM %s AS k WHERE true",
		quote_identifier(found->moving->relation.md.name),
		quote_identifier(others->touched->relation.md.name));
	while ((d = bms_next_member(others->keys, d)) >= 0)
		appendStringInfo(&query, " AND k.d%d OPERATOR(pg_catalog.=) e.d%d", d, d);
	appendStringInfoChar(&query, ')');
	set_columns(rest, found->moving->relation.md.tupdesc, false);
	fill_rows_at(rest, &(ReadingAt){.query = labelled_query(
										CALLER, filling->storage->program, query.data),
									.snapshot = filling->snapshot,
									.kept = filling->kept});
	register_rows(rest);
	free_rows(found->moving);
	found->moving = rest;
}

/*
 * Adds what was found to the table's rows, but computes rows anew that have moved too far.
 * What that changes becomes found->added. Returns why that is not possible, and nothing is
 * written; or NULL.
 */
static const char *
write_apart(const Filling *filling, const Addition *addition, Rows *drifted,
			FoundChange *found, TableFilled *filled)
{
	TensorChange *changed = change_of_table(filling, ROWS_COMPUTED_APART);
	FoundChange again;
	const char *why = find_at_keys(addition, drifted, &again);

	if (why == NULL)
	{
		leave_out_keys(filling, found, &again);
		(void) write_added(filling, found, filled);
		write_at_keys(filling, &again, filled, changed);
		free_change(found->added);
		found->added = change_of_table(filling, 0);
		fill_change(
			found->added,
			&(ReadingAt){.query = labelled_query(
							 CALLER, filling->storage->program,
							 psprintf("%s UNION ALL SELECT * FROM %s",
									  query_of_moving(filling->storage, found->moving),
									  quote_identifier(changed->rows->relation.md.name))),
						 .snapshot = filling->snapshot,
						 .kept = filling->kept});
	}
	free_found(&again);
	free_change(changed);
	return why;
}

/* Deletes all rows, and inserts those of the view. */
static void
write_whole(const Filling *filling, TableFilled *filled)
{
	ListCell *lc;

	filled->how = "whole";
	filled->changed = -1;
	foreach (lc,
			 fill_statements(filling->storage,
							 qualified_relation_name(RelationGetRelid(filling->table)),
							 qualified_relation_name(RelationGetRelid(filling->view)),
							 filling->ordered))
	{
		int result =
			run_writing_at(labelled_query(CALLER, filling->storage->program, lfirst(lc)),
						   filling->snapshot);

		if (result < 0)
			elog(ERROR, "a table could not be filled (%s)",
				 SPI_result_code_string(result));
		filled->written += (double) SPI_processed;
	}
}

/*
 * Analyzes a table if enough of it was written: ANALYZE takes longer than writing few
 * rows, which change little for the planner.
 */
static void
analyze_filled(const Filling *filling, const TableFilled *filled)
{
	float4 rows = filling->table->rd_rel->reltuples;

	if (rows >= 0 && filled->written <= MOST_UNANALYZED * rows)
		return;
	execute_utility(labelled_query(
		CALLER, filling->storage->program,
		psprintf("ANALYZE %s",
				 qualified_relation_name(RelationGetRelid(filling->table)))));
}

/*
 * Stores up to where a table is computed, or that this is not known. Before that is done:
 * of two refreshes in transactions that keep their snapshots, the second fails here.
 */
static void
put_position(const Filling *filling, const Sources *sources, Refresh *refresh)
{
	Oid relid = RelationGetRelid(filling->table);
	Position *position = NULL;

	if (sources->unknown == NULL)
		position =
			store_position(relid, registration_hash(filling->storage), sources->states,
						   refresh->snapshot, sources->position == NULL);
	else if (read_position(relid, refresh->snapshot))
		forget_position(relid);
	if (position)
		refresh->positions = lappend(refresh->positions, position);
}

/* reason: why the table has to be computed */
static void
compute_table(Filling *filling, TableFilled *filled, const char *reason, Refresh *refresh)
{
	if (refresh->mode == FILL_WHOLE)
		filled->why = "whole => true";
	else
		filled->why = reason_for_all(filling, true);
	if (filled->why)
		write_whole(filling, filled);
	else
		write_difference(filling, filled, refresh);
	if (filled->why == NULL)
		filled->why = reason;
	analyze_filled(filling, filled);
}

/* Returns why a table cannot be added to, whatever has changed; or NULL. */
static const char *
reason_against_adding(Filling *filling, const Refresh *refresh)
{
	const char *why = reason_for_all(filling, false);

	if (why == NULL && refresh->call != calls)
		why = "a trigger has refreshed tables meanwhile";
	if (why == NULL && filling->storage->moved && !has_moved(filling->storage))
		why = psprintf("the table has no column \"%s\" of type real",
					   filling->storage->moved);
	if (why == NULL && has_triggers_before(filling))
		why = "a trigger of the table may change its rows";
	return why;
}

/*
 * Adds to a table what follows from the changes of what it reads. Returns why that is not
 * possible, in words; NULL if the table has its new rows.
 */
static const char *
add_changes(Filling *filling, TableFilled *filled, const Sources *sources,
			Refresh *refresh)
{
	Addition addition = {.result = filling->storage,
						 .sources = sources,
						 .known = refresh->known,
						 .refreshed = refresh->changed,
						 .snapshot = refresh->snapshot,
						 .rows = filling->table->rd_rel->reltuples,
						 .ordered = filling->ordered,
						 .caller = CALLER,
						 .kept = filling->kept};
	const char *why = reason_against_adding(filling, refresh);
	RowsWritten written = {0};
	FoundChange found;

	if (why)
		return why;
	addition.columns = columns_of_rows(filling);
	why = find_addition(&addition, &found);
	if (why)
		return why;
	if (found.added)
		written = write_added(filling, &found, filled);
	if (written.refused)
	{
		/* a sum would be NaN or infinite */
		free_found(&found);
		addition.at_keys = true;
		why = find_addition(&addition, &found);
	}
	else if (written.drifted)
		why = write_apart(filling, &addition, written.drifted, &found, filled);
	if (why)
	{
		free_found(&found);
		return why;
	}
	if (found.added)
	{
		keep_change(refresh, found.added);
		found.added = NULL;
	}
	else if (found.touched)
	{
		TensorChange *changed = change_to_find(filling);

		filled->how = found.better ? "better" : "keys";
		write_at_keys(filling, &found, filled, changed);
		if (changed)
			keep_change(refresh, changed);
	}
	else
	{
		filled->how = "unchanged";
		filled->why = "what has changed comes to nothing";
	}
	free_found(&found);
	analyze_filled(filling, filled);
	return NULL;
}

/* Computes a table, unless nothing that it reads has changed. */
static void
compute_if_changed(Filling *filling, TableFilled *filled, Refresh *refresh)
{
	Sources *sources =
		sources_of_result(filling->storage, RelationGetRelid(filling->view),
						  refresh->done, false, refresh->snapshot);
	const char *reason = NULL;

	if (refresh->mode == FILL_CHANGED)
	{
		reason = reason_to_compute(filling->storage, sources, refresh->changed,
								   refresh->snapshot);
		if (sources->position && may_be_emptied(filling, sources->position))
		{
			sources->position = NULL;
			reason = WAS_EMPTY;
		}
		if (reason == NULL)
		{
			filled->how = "unchanged";
			filled->why = "nothing that it reads has changed";
			return;
		}
	}
	filling->kept = kept_of_table(filled->relid, sources->states);
	put_position(filling, sources, refresh);
	if (sources->position && filling->storage->statement)
	{
		const char *why = add_changes(filling, filled, sources, refresh);

		if (why)
			compute_table(filling, filled, NULL, refresh);
		if (filled->why == NULL || why)
			filled->why = why ? why : reason;
	}
	else
		compute_table(filling, filled, reason, refresh);
	if (filled->written > 0)
		refresh->changed = lappend_oid(refresh->changed, filled->relid);
}

/* Makes queries reach few rows of large tables by their indexes. */
static void
prefer_indexes(void)
{
	char *cost = psprintf("%g", RANDOM_PAGE_COST * seq_page_cost);

	if (random_page_cost > RANDOM_PAGE_COST * seq_page_cost)
		(void) set_config_option("random_page_cost", cost, PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
}

static void
fill_table(TableFilled *filled, Refresh *refresh)
{
	Storage *storage = filled_storage(filled->relid);
	Filling filling = {.table = table_open(filled->relid, NoLock),
					   .view = table_open(storage_filling_view(storage), AccessShareLock),
					   .storage = storage,
					   .snapshot = refresh->snapshot};
	ErrorContextCallback context = {.previous = error_context_stack,
									.callback = filling_context,
									.arg = RelationGetRelationName(filling.table)};
	instr_time start;
	instr_time end;
	Caller caller;

	if (is_citus_table(filled->relid))
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("table \"%s\" cannot be filled because it is distributed by Citus",
					RelationGetRelationName(filling.table)),
			 errhint("undistribute_table() makes it local.")));
	INSTR_TIME_SET_CURRENT(start);
	filling.ordered = keys_have_order(storage, RelationGetDescr(filling.view));
	/*
	 * Functions in a view run with the rights of its reader. So the view is read as the
	 * table's owner: a user who refreshes another user's table must not run that user's
	 * code with more rights.
	 */
	become_role(&caller, filling.table->rd_rel->relowner);
	if (storage->statement)
		prefer_indexes();
	error_context_stack = &context;
	compute_if_changed(&filling, filled, refresh);
	if (OidIsValid(storage_now_view(storage)))
		grant_now_view(filled->relid, storage_now_view(storage));
	refresh->done = lappend_oid(refresh->done, filled->relid);
	/* SPI_finish frees what is allocated here */
	if (filled->why)
		filled->why = MemoryContextStrdup(GetMemoryChunkContext(filled), filled->why);
	error_context_stack = context.previous;
	become_caller(&caller);
	table_close(filling.view, AccessShareLock);
	table_close(filling.table, NoLock);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	filled->milliseconds = INSTR_TIME_GET_MILLISEC(end);
}

/* Returns a TableFilled for each table, each after those that its view reads. */
static List *
tables_in_order(const List *tables)
{
	List *sorted = list_copy(tables);
	List *ordered = NIL;
	List *started = NIL;
	List *result = NIL;
	ListCell *lc;

	list_sort(sorted, list_oid_cmp);
	foreach (lc, sorted)
		ordered = add_in_order(ordered, lfirst_oid(lc), sorted, &started);
	foreach (lc, ordered)
	{
		TableFilled *filled = palloc0(sizeof(TableFilled));

		filled->relid = lfirst_oid(lc);
		result = lappend(result, filled);
	}
	return result;
}

static void
fill_in_order(List *tables, Refresh *refresh)
{
	ListCell *lc;

	depth++;
	PG_TRY();
	{
		foreach (lc, tables)
			fill_table(lfirst(lc), refresh);
	}
	PG_FINALLY();
	{
		depth--;
	}
	PG_END_TRY();
}

/* Deletes what all results have seen from the logs of the tables that these read. */
static void
delete_from_logs(const Refresh *refresh)
{
	List *tables = NIL;
	ListCell *lc;
	ListCell *lc2;

	foreach (lc, refresh->positions)
	{
		Position *position = lfirst(lc);

		foreach (lc2, position->states)
		{
			Oid relid = ((RelationState *) lfirst(lc2))->relid;

			if (list_member_oid(tables, relid) || list_member_oid(refresh->done, relid) ||
				get_rel_relkind(relid) == RELKIND_VIEW)
				continue;
			/* the first of them has seen the least of what this transaction did */
			delete_seen_rows(relid, position, refresh->snapshot);
			tables = lappend_oid(tables, relid);
		}
	}
}

List *
fill_tables(const List *tables, FillMode mode)
{
	List *result = tables_in_order(tables);
	Refresh refresh = {.mode = mode, .call = ++calls};
	ListCell *lc;

	if (tables == NIL)
		return NIL;
	if (depth == 0)
		forget_invalid();
	SPI_connect();
	/* taken behind the locks: it includes what others have committed while we waited */
	refresh.snapshot = RegisterSnapshot(GetTransactionSnapshot());
	fill_in_order(result, &refresh);
	foreach (lc, refresh.known)
		free_change(lfirst(lc));
	delete_from_logs(&refresh);
	UnregisterSnapshot(refresh.snapshot);
	SPI_finish();
	return result;
}
