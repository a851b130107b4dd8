/*-------------------------------------------------------------------------
 *
 * log.c
 *	  einsum_log: the tables of a tensor keep a log of their changes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

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
#include "catalog/registration.h"
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
				add_relation_locks(&wanted, list_make1_oid(log), AccessExclusiveLock);
		}
	} while (!take_locks(&wanted, &held));
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
			stop_change_log(lfirst_oid(lc));
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
