/*-------------------------------------------------------------------------
 *
 * log.c
 *	  einsum_log: the tables of a tensor keep a log of their changes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "catalog/change_log.h"
#include "catalog/declare.h"
#include "catalog/locks.h"
#include "catalog/lookup.h"
#include "catalog/tensor_storage.h"
#include "catalog/view_reads.h"
#include "codegen/tables.h"
#include "commands/arguments.h"
#include "compat.h"

/* Returns the tables that hold a tensor; if it is in no table, its other relations. */
static List *
relations_to_log(const SyntaxReference *reference, bool warn)
{
	Oid schema = schema_of_tensor(reference->schema, reference->name);
	List *tables = NIL;
	List *others = NIL;
	ListCell *lc;

	if (!OidIsValid(schema))
		report_no_tensor(reference);
	foreach (lc, storages_of_first_owner(registrations_in_schema(schema, reference->name),
										 reference->name, warn))
	{
		Oid relid = ((Storage *) lfirst(lc))->relid;
		char kind = get_rel_relkind(relid);

		check_relation_owner(relid);
		if (kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE)
			tables = lappend_oid(tables, relid);
		else
			others = lappend_oid(others, relid);
	}
	return tables ? tables : others;
}

/*
 * Locks the children of tables that are locked already, so that none is added, and then
 * the logs. A statement that changes a child, whose trigger writes the log, locks in the
 * same order.
 */
static void
lock_children_and_logs(const List *tables, LOCKMODE mode)
{
	Locks held = {NIL};
	Locks wanted;
	ListCell *lc;

	foreach (lc, tables)
		(void) find_all_inheritors(lfirst_oid(lc), mode, NULL);
	do
	{
		wanted = (Locks){NIL};
		foreach (lc, tables)
		{
			Oid log = named_log(lfirst_oid(lc));

			if (OidIsValid(log))
				add_locks_to_drop(&wanted, list_make1_oid(log));
		}
	} while (!take_locks(&wanted, &held));
}

/* Is it the view of a result that is current between refreshes? */
static bool
is_now_view(Oid view)
{
	ListCell *lc;

	foreach (lc, relations_of_view(view))
	{
		Storage *storage = filled_storage(lfirst_oid(lc));

		if (storage && storage_now_view(storage) == view)
			return true;
	}
	return false;
}

/*
 * Drops the views of results that are current because they read a table's log, which is
 * about to be dropped. Errors: 2BP01 if others depend on one.
 */
static void
drop_now_views(Oid table)
{
	Oid log = named_log(table);
	ListCell *lc;

	foreach (lc, OidIsValid(log) ? with_readers(list_make1_oid(log)) : NIL)
	{
		Oid view = lfirst_oid(lc);
		ObjectAddress object;

		if (get_rel_relkind(view) != RELKIND_VIEW ||
			!list_member_oid(relations_of_view(view), log) || !is_now_view(view))
			continue;
		ereport(NOTICE, (errmsg("view \"%s\" is dropped, which reads the log of table "
								"\"%s\"",
								get_rel_name(view), get_rel_name(table)),
						 errdetail("The result is as of its last refresh.")));
		ObjectAddressSet(object, RelationRelationId, view);
		performDeletion(&object, DROP_RESTRICT, 0);
		CommandCounterIncrement();
	}
}

/* Raises an error for a formula: a logarithm was meant, and not a log of changes. */
static void
refuse_formula(const text *tensor)
{
	if (strpbrk(text_to_cstring(tensor), "=(") == NULL)
		return;
	ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
					errmsg("einsum_log takes the name of a tensor, and no formula"),
					errdetail("It keeps a log of the changes of the tensor's table."),
					errhint("A logarithm is ln(x) in a program, as in einsum_value('y[i] "
							"= ln(x[i])').")));
}

/*
 * einsum_log(tensor, log): starts or stops a log of changes for each table that holds the
 * tensor. Errors: 42704, 42501, those of check_may_log and start_change_log.
 */
PG_FUNCTION_INFO_V1(einsum_log);
Datum
einsum_log(PG_FUNCTION_ARGS)
{
	SyntaxReference *reference;
	List *relations;
	Locks held = {NIL};
	Locks wanted;
	/* creating a trigger needs a weaker lock than dropping one */
	LOCKMODE mode;
	bool log;
	ListCell *lc;

	require_argument(fcinfo, 0, "tensor");
	require_argument(fcinfo, 1, "log");
	PreventCommandIfReadOnly("einsum_log()");
	refuse_formula(PG_GETARG_TEXT_PP(0));
	reference = parse_tensor_name(PG_GETARG_TEXT_PP(0));
	log = PG_GETARG_BOOL(1);
	mode = log ? ShareRowExclusiveLock : AccessExclusiveLock;
	do
	{
		relations = relations_to_log(reference, held.locks == NIL);
		wanted = (Locks){NIL};
		add_tensor_locks_of(&wanted, relations);
		add_relation_locks(&wanted, relations, mode);
	} while (!take_locks(&wanted, &held));
	lock_children_and_logs(relations, mode);
	foreach (lc, relations)
	{
		CHECK_FOR_INTERRUPTS();
		if (log)
		{
			check_may_log(lfirst_oid(lc));
			start_change_log(lfirst_oid(lc));
		}
		else
		{
			drop_now_views(lfirst_oid(lc));
			stop_change_log(lfirst_oid(lc));
		}
	}
	PG_RETURN_VOID();
}

/*
 * change_log(table): returns the log of a table; NULL if it has none, or triggers that
 * write it are off.
 */
PG_FUNCTION_INFO_V1(change_log);
Datum
change_log(PG_FUNCTION_ARGS)
{
	Oid table = PG_GETARG_OID(0);

	if (change_log_fingerprint(table, GetActiveSnapshot()) == 0)
		PG_RETURN_NULL();
	PG_RETURN_OID(change_log_of(table));
}
