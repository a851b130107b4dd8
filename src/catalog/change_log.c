/*-------------------------------------------------------------------------
 *
 * change_log.c
 *	  The log of a table: creating it, its triggers, and finding it.
 *
 * A log is found by its name, since nothing else survives a dump, and it is dropped with
 * its table. Four triggers fire after statements. Where changes are replicated, triggers
 * of statements do not fire; there a trigger for each row does. Children have the
 * triggers as well, since they may be written directly, and write the log of their
 * topmost parent. The log itself has a trigger that leaves out the rows of another
 * server's log (own_rows.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

#include "catalog/change_log.h"
#include "catalog/change_trigger.h"
#include "catalog/citus.h"
#include "catalog/fingerprint.h"
#include "catalog/label.h"
#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "catalog/role.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "compat.h"
#include "type/extension.h"

#define LOG_SUFFIX "__log"
#define OWN_TRIGGER "sparseeinsum_log_own"

static const struct
{
	const char *name;
	const char *type;
	Oid oid;
} fixed_columns[LOG_FIXED_COLUMNS] = {
	[LOG_XID] = {"xid", "pg_catalog.xid8", XID8OID},
	[LOG_STATEMENT] = {"statement", "pg_catalog.int8", INT8OID},
	[LOG_SIGN] = {"sign", "pg_catalog.int2", INT2OID},
};

/*
 * The triggers, in the order in which they fire; their names make them fire after most
 * others.
 */
static const struct
{
	const char *name;
	const char *fires;
	const char *enable; /* NULL: enabled as triggers are by default */
	int16 type;         /* pg_trigger.tgtype */
} triggers[] = {
	{"sparseeinsum_log_delete",
	 "AFTER DELETE ON %s REFERENCING OLD TABLE AS old FOR EACH STATEMENT", NULL,
	 TRIGGER_TYPE_DELETE},
	{"sparseeinsum_log_insert",
	 "AFTER INSERT ON %s REFERENCING NEW TABLE AS new FOR EACH STATEMENT", NULL,
	 TRIGGER_TYPE_INSERT},
	{"sparseeinsum_log_replicated", "AFTER INSERT OR DELETE OR UPDATE ON %s FOR EACH ROW",
	 "REPLICA",
	 TRIGGER_TYPE_ROW | TRIGGER_TYPE_INSERT | TRIGGER_TYPE_DELETE | TRIGGER_TYPE_UPDATE},
	{"sparseeinsum_log_truncate", "AFTER TRUNCATE ON %s FOR EACH STATEMENT", "ALWAYS",
	 TRIGGER_TYPE_TRUNCATE},
	{"sparseeinsum_log_update",
	 "AFTER UPDATE ON %s REFERENCING OLD TABLE AS old NEW TABLE AS new FOR EACH "
	 "STATEMENT",
	 NULL, TRIGGER_TYPE_UPDATE},
};

/*
 * Returns the relations from which a relation inherits, or of which it is a partition; or
 * its children. Adds how they inherit to the fingerprint, unless that is NULL.
 */
static List *
relatives_of(Oid relid, bool parents, Snapshot snapshot, uint64 *fingerprint)
{
	Relation inherits = table_open(InheritsRelationId, AccessShareLock);
	List *relatives = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, parents ? Anum_pg_inherits_inhrelid : Anum_pg_inherits_inhparent,
				BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relid));
	scan = systable_beginscan(inherits,
							  parents ? InheritsRelidSeqnoIndexId : InheritsParentIndexId,
							  true, snapshot, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_inherits row = (Form_pg_inherits) GETSTRUCT(tuple);

		relatives = lappend_oid(relatives, parents ? row->inhparent : row->inhrelid);
		if (fingerprint)
			add_version(fingerprint, tuple);
	}
	systable_endscan(scan);
	table_close(inherits, AccessShareLock);
	return relatives;
}

static List *
parents_of(Oid relid)
{
	return relatives_of(relid, true, NULL, NULL);
}

List *
topmost_parents(Oid relid)
{
	List *seen = list_make1_oid(relid);
	List *topmost = NIL;

	/* the list grows while the loop runs */
	for (int i = 0; i < list_length(seen); i++)
	{
		List *parents = parents_of(list_nth_oid(seen, i));

		if (parents == NIL)
			topmost = lappend_oid(topmost, list_nth_oid(seen, i));
		seen = list_concat_unique_oid(seen, parents);
	}
	return topmost;
}

/*
 * Does a table begin with the columns of a log, and does it accept rows with NULL in all
 * others?
 */
static bool
has_columns_of_log(Relation relation)
{
	TupleDesc columns = RelationGetDescr(relation);

	if (columns->natts < LOG_FIXED_COLUMNS)
		return false;
	for (int c = 0; c < columns->natts; c++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, c);

		if (column->attnotnull || column->attgenerated)
			return false;
		if (c < LOG_FIXED_COLUMNS &&
			(column->attisdropped || column->atttypid != fixed_columns[c].oid ||
			 strcmp(NameStr(column->attname), fixed_columns[c].name) != 0))
			return false;
	}
	return true;
}

static bool
is_log(Relation relation)
{
	return relation->rd_rel->relkind == RELKIND_RELATION &&
		   relation->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT &&
		   relation->rd_rel->relam == HEAP_TABLE_AM_OID && has_columns_of_log(relation) &&
		   RelationGetIndexList(relation) == NIL;
}

Oid
named_log(Oid table)
{
	char *name = get_rel_name(table);
	Oid log;

	if (name == NULL || strlen(name) + strlen(LOG_SUFFIX) >= NAMEDATALEN)
		return InvalidOid;
	log = get_relname_relid(psprintf("%s" LOG_SUFFIX, name), get_rel_namespace(table));
	return OidIsValid(log) && relation_owner(log) == relation_owner(table) ? log
																		   : InvalidOid;
}

Relation
open_change_log(Oid table, LOCKMODE mode)
{
	Oid relid = named_log(table);
	Relation log;

	if (!OidIsValid(relid) || has_superclass(table))
		return NULL;
	/* the log may have been dropped while we waited for its lock */
	log = try_relation_open(relid, mode);
	if (log == NULL)
		return NULL;
	if (is_log(log))
		return log;
	relation_close(log, mode);
	return NULL;
}

Oid
change_log_of(Oid table)
{
	Relation log = open_change_log(table, AccessShareLock);
	Oid relid = InvalidOid;

	if (log)
	{
		relid = RelationGetRelid(log);
		relation_close(log, AccessShareLock);
	}
	return relid;
}

char *
says_no_log(Oid relid)
{
	char kind = get_rel_relkind(relid);

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		return psprintf("relation \"%s\" is not a table", get_rel_name(relid));
	return psprintf("table \"%s\" has no log", get_rel_name(relid));
}

/* Is a trigger enabled as those of logs are? */
static bool
is_enabled(char enabled, const char *enable)
{
	if (enabled == TRIGGER_FIRES_ALWAYS)
		return true;
	if (enable == NULL)
		return enabled == TRIGGER_FIRES_ON_ORIGIN;
	return strcmp(enable, "REPLICA") == 0 && enabled == TRIGGER_FIRES_ON_REPLICA;
}

/*
 * Is a row of pg_trigger one of the triggers of a log, and does it fire for every change?
 */
static bool
is_log_trigger(HeapTuple tuple, TupleDesc columns)
{
	Form_pg_trigger trigger = (Form_pg_trigger) GETSTRUCT(tuple);
	char *function = extension_function_name(trigger->tgfoid);
	bool unconditional;

	(void) heap_getattr(tuple, Anum_pg_trigger_tgqual, columns, &unconditional);
	if (!unconditional || trigger->tgattr.dim1 != 0 || function == NULL ||
		strcmp(function, "log_change") != 0)
		return false;
	for (int i = 0; i < (int) lengthof(triggers); i++)
	{
		if (strcmp(NameStr(trigger->tgname), triggers[i].name) == 0)
			return trigger->tgtype == triggers[i].type &&
				   is_enabled(trigger->tgenabled, triggers[i].enable);
	}
	return false;
}

/*
 * Adds the triggers that log a relation's changes to the fingerprint. False if one is
 * missing or off.
 */
static bool
add_triggers(Oid relid, Snapshot snapshot, uint64 *fingerprint)
{
	Relation table = table_open(TriggerRelationId, AccessShareLock);
	int count = 0;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_trigger_tgrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(table, TriggerRelidNameIndexId, true, snapshot, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		if (!is_log_trigger(tuple, RelationGetDescr(table)))
			continue;
		count++;
		/* turning a trigger off and on makes a new version of its row */
		add_to_fingerprint(fingerprint, ((Form_pg_trigger) GETSTRUCT(tuple))->oid);
		add_version(fingerprint, tuple);
	}
	systable_endscan(scan);
	table_close(table, AccessShareLock);
	return count == lengthof(triggers);
}

/*
 * Returns a relation, its children and theirs, as a snapshot sees them. Adds how they
 * inherit to the fingerprint.
 */
static List *
inheritors_at(Oid relid, Snapshot snapshot, uint64 *fingerprint)
{
	List *all = list_make1_oid(relid);

	/* the list grows while the loop runs */
	for (int i = 0; i < list_length(all); i++)
		all = list_concat_unique_oid(
			all, relatives_of(list_nth_oid(all, i), false, snapshot, fingerprint));
	list_sort(all, list_oid_cmp);
	return all;
}

int64
change_log_fingerprint(Oid table, Snapshot snapshot)
{
	Oid log = change_log_of(table);
	uint64 fingerprint = 1;
	ListCell *lc;

	if (!OidIsValid(log))
		return 0;
	add_storage_fingerprint(&fingerprint, log, snapshot);
	foreach (lc, inheritors_at(table, snapshot, &fingerprint))
	{
		add_storage_fingerprint(&fingerprint, lfirst_oid(lc), snapshot);
		/* what is not logged in WAL is empty after a crash */
		if (get_rel_persistence(lfirst_oid(lc)) != RELPERSISTENCE_PERMANENT ||
			!add_triggers(lfirst_oid(lc), snapshot, &fingerprint))
			return 0;
	}
	return fingerprint ? (int64) fingerprint : 1;
}

static void
refuse_kind(Relation relation)
{
	const char *name = RelationGetRelationName(relation);

	if (relation->rd_rel->relkind != RELKIND_RELATION &&
		relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("relation \"%s\" cannot have a log", name),
			 errdetail("It is not a table, and only tables have triggers after "
					   "statements that tell the rows."),
			 errhint("Register a table as the tensor, or call einsum_log for the tensors "
					 "that a view reads.")));
	if (citus_table_read(RelationGetRelid(relation)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("relation \"%s\" cannot have a log", name),
				 errdetail("Citus distributes it, and its rows change elsewhere.")));
	if (relation->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" cannot have a log", name),
				 errdetail("It is %s.",
						   relation->rd_rel->relpersistence == RELPERSISTENCE_TEMP
							   ? "temporary"
							   : "unlogged, and empty after a crash"),
				 relation->rd_rel->relpersistence == RELPERSISTENCE_TEMP
					 ? errhint("Make it a table that is not temporary.")
					 : errhint("Make it a logged one: ALTER TABLE %s SET LOGGED.",
							   qualified_relation_name(RelationGetRelid(relation)))));
}

static void
check_relation_may_log(Oid relid)
{
	Relation relation = relation_open(relid, AccessShareLock);

	refuse_kind(relation);
	relation_close(relation, NoLock);
}

void
check_may_log(Oid relid)
{
	Relation relation = relation_open(relid, AccessShareLock);
	const char *name = RelationGetRelationName(relation);
	List *parents = parents_of(relid);
	ListCell *lc;

	refuse_kind(relation);
	if (parents != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" cannot have a log", name),
				 errdetail("It is a part of \"%s\", and statements on that change it.",
						   get_rel_name(linitial_oid(parents))),
				 errhint("Register \"%s\" as a tensor, and call einsum_log for that.",
						 get_rel_name(linitial_oid(parents)))));
	if (has_columns_of_log(relation))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("relation \"%s\" cannot have a log", name),
						errdetail("It has the columns of a log itself.")));
	if (strlen(name) + strlen(LOG_SUFFIX) >= NAMEDATALEN)
		ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG),
						errmsg("relation \"%s\" cannot have a log", name),
						errdetail("The log is called as the table with \"" LOG_SUFFIX
								  "\" behind it, and that would be too long."),
						errhint("Give the table a name of at most %d bytes.",
								NAMEDATALEN - 1 - (int) strlen(LOG_SUFFIX))));
	relation_close(relation, NoLock);
	/* children are written through their parent, and directly */
	foreach (lc, find_all_inheritors(relid, NoLock, NULL))
		check_relation_may_log(lfirst_oid(lc));
}

static List *
add_column(List *columns, const char *name)
{
	ListCell *lc;

	foreach (lc, columns)
	{
		if (strcmp(lfirst(lc), name) == 0)
			return columns;
	}
	return lappend(columns, pstrdup(name));
}

/*
 * Adds the names of the columns that a storage reads: its keys, the columns of its value,
 * and its position.
 */
static List *
add_columns_of(List *columns, const Storage *storage)
{
	ListCell *lc;

	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind != DIMENSION_DEMOTED &&
			!is_layout_index(storage, d))
			columns = add_column(columns, storage->dimensions[d].column);
	}
	foreach (lc, storage->layout ? storage->layout->columns : NIL)
		columns = add_column(columns, ((const ValuePart *) lfirst(lc))->column);
	foreach (lc, storage->value_parts)
	{
		const ValuePart *part = lfirst(lc);

		if (part->column)
			columns = add_column(columns, part->column);
	}
	if (storage->value_parts == NIL && storage->layout == NULL && storage->value_column)
		columns = add_column(columns, storage->value_column);
	if (storage->position)
		columns = add_column(columns, storage->position);
	return columns;
}

List *
columns_of_registration(const Storage *storage)
{
	return add_columns_of(NIL, storage);
}

/* Returns the names of the columns that the registrations of a table read. */
static List *
columns_read(Oid table)
{
	List *columns = NIL;
	ListCell *lc;

	foreach (lc, relation_registrations(table))
		columns = add_columns_of(columns, lfirst(lc));
	return columns;
}

/*
 * Returns a column of the table as a column definition of its log: "weight double
 * precision".
 */
static char *
column_definition(Relation table, const char *name)
{
	Form_pg_attribute column = user_column(table, name);
	char *type;

	for (int c = 0; c < LOG_FIXED_COLUMNS; c++)
	{
		if (strcmp(name, fixed_columns[c].name) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" of relation \"%s\" cannot be in its log", name,
							RelationGetRelationName(table)),
					 errdetail("The log has a column of that name itself."),
					 errhint("Rename the column.")));
	}
	if (column == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("column \"%s\" of relation \"%s\" does not exist", name,
							   RelationGetRelationName(table)),
						errdetail("A registration of the relation names it."),
						errhint("See the column status of the view einsum_tensors.")));
	type = format_type_extended(column->atttypid, column->atttypmod,
								FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
	return psprintf("%s %s%s%s", quote_identifier(name), type,
					OidIsValid(column->attcollation) ? " COLLATE " : "",
					OidIsValid(column->attcollation)
						? generate_collation_name(column->attcollation)
						: "");
}

/* Runs a command with the rights that are in effect: those of the table's owner. */
static void
run_for_log(Oid table, const char *command)
{
	int result = run_writing(labelled_query("einsum_log", get_rel_name(table), command));

	if (result < 0)
		elog(ERROR, "SPI_execute returned %s", SPI_result_code_string(result));
}

static void
create_log(Oid relid)
{
	Relation table = table_open(relid, NoLock);
	Oid schema = RelationGetNamespace(table);
	char *name = psprintf("%s" LOG_SUFFIX, RelationGetRelationName(table));
	StringInfoData columns;
	ObjectAddress log;
	ObjectAddress of;
	ListCell *lc;

	initStringInfo(&columns);
	for (int c = 0; c < LOG_FIXED_COLUMNS; c++)
		appendStringInfo(&columns, "%s%s %s", c ? ", " : "", fixed_columns[c].name,
						 fixed_columns[c].type);
	foreach (lc, columns_read(relid))
		appendStringInfo(&columns, ", %s", column_definition(table, lfirst(lc)));
	table_close(table, NoLock);
	run_for_log(relid,
				psprintf("CREATE TABLE %s (%s) USING heap",
						 quote_qualified_identifier(get_namespace_name(schema), name),
						 columns.data));
	ObjectAddressSet(log, RelationRelationId, get_relname_relid(name, schema));
	ObjectAddressSet(of, RelationRelationId, relid);
	recordDependencyOn(&log, &of, DEPENDENCY_AUTO);
}

/*
 * Returns the actions of ALTER TABLE that give a log all columns of its table that
 * registrations read; NULL if there are none missing.
 */
static char *
missing_columns(Relation table, Relation log)
{
	StringInfoData actions;
	ListCell *lc;

	initStringInfo(&actions);
	foreach (lc, columns_read(RelationGetRelid(table)))
	{
		char *definition = column_definition(table, lfirst(lc));
		Form_pg_attribute source = user_column(table, lfirst(lc));
		Form_pg_attribute column = user_column(log, lfirst(lc));

		if (column && column->atttypid == source->atttypid &&
			column->atttypmod == source->atttypmod)
			continue;
		if (column)
			appendStringInfo(&actions, "%sDROP COLUMN %s", actions.len ? ", " : "",
							 quote_identifier(lfirst(lc)));
		appendStringInfo(&actions, "%sADD COLUMN %s", actions.len ? ", " : "",
						 definition);
	}
	return actions.len ? actions.data : NULL;
}

/*
 * Creates, or replaces, the triggers of a relation whose changes a table's log must have.
 */
static void
make_triggers(Oid table, Oid relid)
{
	char *name = qualified_relation_name(relid);
	bool partition = get_rel_relispartition(relid);

	for (int i = 0; i < (int) lengthof(triggers); i++)
	{
		/* a partition gets the row trigger from its parent */
		if (partition && strstr(triggers[i].fires, "EACH ROW"))
			continue;
		run_for_log(table, psprintf("CREATE OR REPLACE TRIGGER %s %s EXECUTE FUNCTION "
									"sparseeinsum_internal.log_change()",
									triggers[i].name, psprintf(triggers[i].fires, name)));
		if (triggers[i].enable)
			run_for_log(table, psprintf("ALTER TABLE %s ENABLE %s TRIGGER %s", name,
										triggers[i].enable, triggers[i].name));
	}
}

static void
drop_triggers(Oid table, Oid relid)
{
	for (int i = 0; i < (int) lengthof(triggers); i++)
	{
		if (OidIsValid(get_trigger_oid(relid, triggers[i].name, true)) &&
			!(get_rel_relispartition(relid) && strstr(triggers[i].fires, "EACH ROW")))
			run_for_log(table, psprintf("DROP TRIGGER %s ON %s", triggers[i].name,
										qualified_relation_name(relid)));
	}
}

/*
 * Creates, or replaces, the trigger that leaves out of a log what another server has
 * logged.
 */
static void
make_own_trigger(Oid table)
{
	char *log = qualified_relation_name(named_log(table));

	run_for_log(table, psprintf("CREATE OR REPLACE TRIGGER " OWN_TRIGGER " BEFORE INSERT "
								"OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION "
								"sparseeinsum_internal.leave_out_replicated()",
								log));
	run_for_log(table,
				psprintf("ALTER TABLE %s ENABLE REPLICA TRIGGER " OWN_TRIGGER, log));
}

/*
 * Continues as the table's owner, so that what is created belongs to it; the user may
 * only be a member of that role.
 */
static void
begin_as_owner(Caller *caller, Oid relid)
{
	become_role(caller, relation_owner(relid));
	SPI_connect();
}

static void
end_as_owner(const Caller *caller)
{
	SPI_finish();
	become_caller(caller);
}

/*
 * Adds missing columns to a log. If there were some, or always is true, the log says that
 * all rows may have changed.
 */
static void
renew_log(Oid relid, Oid log_relid, bool always)
{
	Relation table = table_open(relid, NoLock);
	Relation log = table_open(log_relid, AccessShareLock);
	char *actions = missing_columns(table, log);

	/* ALTER TABLE fails while this session has the log open */
	table_close(log, NoLock);
	table_close(table, NoLock);
	if (actions)
		run_for_log(relid, psprintf("ALTER TABLE %s %s",
									qualified_relation_name(log_relid), actions));
	if (!actions && !always)
		return;
	/*
	 * earlier rows lack the new columns, and changes were not logged while a trigger was
	 * off
	 */
	log = table_open(log_relid, RowExclusiveLock);
	log_no_rows(log, GetTopFullTransactionId(), GetCurrentCommandId(true));
	table_close(log, NoLock);
}

void
start_change_log(Oid relid)
{
	Oid log = change_log_of(relid);
	Caller caller;
	ListCell *lc;

	begin_as_owner(&caller, relid);
	if (!OidIsValid(log))
		create_log(relid);
	make_own_trigger(relid);
	foreach (lc, find_all_inheritors(relid, NoLock, NULL))
		make_triggers(relid, lfirst_oid(lc));
	if (OidIsValid(log))
		renew_log(relid, log, true);
	end_as_owner(&caller);
}

void
stop_change_log(Oid relid)
{
	Oid log = change_log_of(relid);
	Caller caller;
	ListCell *lc;

	begin_as_owner(&caller, relid);
	foreach (lc, find_all_inheritors(relid, NoLock, NULL))
		drop_triggers(relid, lfirst_oid(lc));
	if (OidIsValid(log))
		run_for_log(relid, psprintf("DROP TABLE %s", qualified_relation_name(log)));
	end_as_owner(&caller);
}

void
extend_change_log(Oid relid)
{
	Oid log = change_log_of(relid);
	Caller caller;

	if (!OidIsValid(log))
		return;
	begin_as_owner(&caller, relid);
	renew_log(relid, log, false);
	end_as_owner(&caller);
}
