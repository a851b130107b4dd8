/*-------------------------------------------------------------------------
 *
 * sources.c
 *	  What a result is computed from, and whether that has changed.
 *
 * Logs tell what changes in tables. Nothing tells what changes behind views that are
 * materialized, foreign tables, functions that are not immutable, policies of row-level
 * security, or a function of a user, which may be replaced: a result that reads one of
 * these is always computed.
 *
 * A statement writes the log when it ends. Where one of its triggers or functions
 * refreshes before, the log's rows have a later command than the position, and count as
 * pending.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/change_log.h"
#include "catalog/fingerprint.h"
#include "catalog/label.h"
#include "catalog/view_reads.h"
#include "compat.h"
#include "recursion.h"
#include "rows/sources.h"
#include "type/extension.h"

/*
 * Functions of ours that generated queries call, whose results are the same for the same
 * arguments.
 */
static const char *const steady_functions[] = {"einsum_barrier", "einsum_full",
											   "einsum_full_tensor", "einsum_once"};

/*
 * May a function return something else for the same arguments, now or when it is
 * replaced?
 */
static bool
may_change(Oid function, void *found)
{
	char *name;

	if (func_volatile(function) == PROVOLATILE_IMMUTABLE &&
		(function < FirstNormalObjectId ||
		 OidIsValid(getExtensionOfObject(ProcedureRelationId, function))))
		return false;
	name = extension_function_name(function);
	for (int i = 0; name && i < (int) lengthof(steady_functions); i++)
	{
		if (strcmp(name, steady_functions[i]) == 0)
			return false;
	}
	*(Oid *) found = function;
	return true;
}

static bool
may_change_walker(Node *node, void *found)
{
	enter_recursion();
	if (node == NULL)
		return false;
	/* CURRENT_DATE and the like, and samples, are no calls of functions */
	if (IsA(node, SQLValueFunction) || IsA(node, NextValueExpr) ||
		IsA(node, TableSampleClause))
		return true;
	if (check_functions_in_node(node, may_change, found))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, may_change_walker, found, 0);
	return expression_tree_walker(node, may_change_walker, found);
}

/*
 * Why the query of a view may return other rows though its tables have not changed; or
 * NULL.
 */
static const char *
reason_of_view(Oid view)
{
	Relation relation = relation_open(view, AccessShareLock);
	Oid function = InvalidOid;
	const char *reason = NULL;

	if (may_change_walker((Node *) get_view_query(relation), &function))
		reason = OidIsValid(function) && get_func_name(function)
					 ? psprintf("function \"%s\" may return other values",
								get_func_name(function))
					 : "its query may return other values at another time";
	relation_close(relation, NoLock);
	return reason;
}

/* Returns why changes of a table may be unknown to this user; or NULL. */
static const char *
reason_of_table(Oid relid, Oid user)
{
	Relation relation = relation_open(relid, AccessShareLock);
	const char *name = pstrdup(RelationGetRelationName(relation));
	bool hides_rows = relation->rd_rel->relrowsecurity;
	Relation log;
	Oid log_relid;

	relation_close(relation, NoLock);
	/* it stays until the transaction ends */
	log = open_change_log(relid, AccessShareLock);
	if (log == NULL)
		return says_no_log(relid);
	log_relid = RelationGetRelid(log);
	hides_rows |= log->rd_rel->relrowsecurity;
	relation_close(log, NoLock);
	if (pg_class_aclcheck(log_relid, user, ACL_SELECT) != ACLCHECK_OK)
		return psprintf("the owner of the result may not read the log of \"%s\"", name);
	if (hides_rows)
		return psprintf("table \"%s\" or its log has row-level security", name);
	return NULL;
}

static void
add_state(Sources *sources, Oid relid, uint64 fingerprint)
{
	RelationState *state = palloc(sizeof(RelationState));

	state->relid = relid;
	state->fingerprint = (int64) fingerprint;
	sources->states = lappend(sources->states, state);
}

/* Returns why triggers do not write the log of a table. */
static const char *
reason_of_triggers(Oid relid)
{
	const List *registrations = relation_registrations(relid);
	const char *why = psprintf("triggers that log table \"%s\" are missing or disabled",
							   get_rel_name(relid));

	if (get_rel_persistence(relid) != RELPERSISTENCE_PERMANENT)
		return psprintf("table \"%s\" is unlogged or temporary", get_rel_name(relid));
	if (registrations == NIL)
		return why;
	return psprintf("%s; einsum_log(%s) mends them", why,
					quote_literal_cstr(quote_qualified_identifier(
						get_namespace_name(get_rel_namespace(relid)),
						((const Storage *) linitial(registrations))->tensor)));
}

static void
add_table(Sources *sources, Oid relid, Oid user, Snapshot snapshot)
{
	int64 fingerprint;

	sources->unknown = reason_of_table(relid, user);
	if (sources->unknown)
		return;
	fingerprint = change_log_fingerprint(relid, snapshot);
	if (fingerprint == 0)
		sources->unknown = reason_of_triggers(relid);
	add_state(sources, relid, fingerprint);
	sources->logged = lappend_oid(sources->logged, relid);
}

/*
 * May a statement that has not ended have changed a table, so that its changes are not in
 * the log yet? A trigger may run before that of the log.
 */
static bool
is_being_changed(Oid relid)
{
	bool open = DatumGetInt32(DirectFunctionCall1(pg_trigger_depth, 0)) > 0;
	ListCell *lc;

	foreach (lc, find_all_inheritors(relid, NoLock, NULL))
	{
		Relation relation = relation_open(lfirst_oid(lc), AccessShareLock);

		open = open || relation->rd_refcnt > 1;
		relation_close(relation, NoLock);
	}
	return open;
}

/* Has this transaction written into a table, or a child of it? */
static bool
is_written_here(Oid relid)
{
	bool written = false;
	ListCell *lc;

	foreach (lc, find_all_inheritors(relid, NoLock, NULL))
	{
		Relation relation = relation_open(lfirst_oid(lc), AccessShareLock);

		written |= CheckRelationLockedByMe(relation, RowExclusiveLock, false);
		relation_close(relation, NoLock);
	}
	return written;
}

Sources *
sources_of_relations(const Storage *storage, const List *relations, const List *filled,
					 bool reading, Snapshot snapshot)
{
	Sources *sources = palloc0(sizeof(Sources));
	Oid result = storage->relid;
	Oid user = relation_owner(result);
	uint64 fingerprint = 0;
	ListCell *lc;

	add_storage_fingerprint(&fingerprint, result, snapshot);
	add_state(sources, result, fingerprint);
	foreach (lc, with_what_they_read(relations))
	{
		Oid relid = lfirst_oid(lc);

		fingerprint = 0;
		if (get_rel_relkind(relid) == RELKIND_VIEW)
		{
			sources->unknown = reason_of_view(relid);
			add_view_fingerprint(&fingerprint, relid, snapshot);
			add_state(sources, relid, fingerprint);
		}
		else if (list_member_oid(filled, relid))
		{
			add_storage_fingerprint(&fingerprint, relid, snapshot);
			add_state(sources, relid, fingerprint);
		}
		else
			add_table(sources, relid, user, snapshot);
		/* what is added must not be counted again when the statement has written the log */
		if (sources->unknown == NULL && storage->statement &&
			list_member_oid(sources->logged, relid) &&
			(reading ? is_written_here(relid) : is_being_changed(relid)))
			sources->unknown =
				psprintf("table \"%s\" may be changing, in a statement that "
						 "has not ended",
						 get_rel_name(relid));
		if (sources->unknown)
			break;
	}
	if (sources->unknown == NULL && reading && is_written_here(result))
		sources->unknown =
			psprintf("this transaction writes table \"%s\"", get_rel_name(result));
	return sources;
}

Sources *
sources_of_result(const Storage *storage, Oid view, const List *filled, bool reading,
				  Snapshot snapshot)
{
	return sources_of_relations(storage, list_make1_oid(view), filled, reading, snapshot);
}

/* Is a relation among these in the same state? */
static bool
same_state(const RelationState *state, const List *states)
{
	ListCell *lc;

	foreach (lc, states)
	{
		const RelationState *other = lfirst(lc);

		if (other->relid == state->relid)
			return other->fingerprint == state->fingerprint;
	}
	return false;
}

const char *
reason_to_compute(const Storage *result, Sources *sources, const List *changed,
				  Snapshot snapshot)
{
	Position *position;
	ListCell *lc;

	if (sources->unknown)
		return sources->unknown;
	position = read_position(result->relid, snapshot);
	if (position == NULL)
		return "up to where it is computed is not known";
	if (position->registration != registration_hash(result))
		return "it was registered anew";
	foreach (lc, sources->states)
	{
		const RelationState *state = lfirst(lc);

		if (!same_state(state, position->states))
			return psprintf("relation \"%s\", its log or its triggers were altered",
							get_rel_name(state->relid));
		if (list_member_oid(changed, state->relid))
			sources->changed = lappend_oid(sources->changed, state->relid);
	}
	sources->position = position;
	foreach (lc, sources->logged)
	{
		if (has_pending_rows(lfirst_oid(lc), position, snapshot))
			sources->changed = lappend_oid(sources->changed, lfirst_oid(lc));
	}
	if (sources->changed == NIL)
		return NULL;
	return psprintf("table \"%s\" has changed",
					get_rel_name(linitial_oid(sources->changed)));
}
