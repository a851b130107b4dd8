/*-------------------------------------------------------------------------
 *
 * now.c
 *	  What the view t__now of a result t asks when it is read.
 *
 * The view adds to the rows of t what follows from the rows of logs that are pending for
 * it, unless these do not tell all: then it computes the result (codegen/now.c). Both
 * functions see what the query that reads the view sees, and change nothing, so they are
 * also called on a standby.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/xid8.h"

#include "access/relation.h"
#include "catalog/change_log.h"
#include "catalog/label.h"
#include "catalog/position.h"
#include "catalog/tensor_storage.h"
#include "codegen/tables.h"
#include "rows/sources.h"

PG_FUNCTION_INFO_V1(einsum_is_followed);
PG_FUNCTION_INFO_V1(einsum_is_pending);

/* Returns an argument of type regclass[] as a list. */
static List *
relations_of(Datum array)
{
	List *relations = NIL;
	Datum *elements;
	bool *nulls;
	int count;

	deconstruct_array(DatumGetArrayTypeP(array), REGCLASSOID, sizeof(Oid), true,
					  TYPALIGN_INT, &elements, &nulls, &count);
	for (int i = 0; i < count; i++)
		relations =
			lappend_oid(relations, nulls[i] ? InvalidOid : DatumGetObjectId(elements[i]));
	return relations;
}

/* Do policies decide which rows of a relation are seen? */
static bool
hides_rows(Oid relid)
{
	Relation relation = relation_open(relid, AccessShareLock);
	bool hides = relation->rd_rel->relrowsecurity;

	relation_close(relation, NoLock);
	return hides;
}

/* Has a table's log, the one that the view reads, all that is pending? */
static bool
tells_all(Oid table, const List *tables, const List *logs, const Position *position,
		  Snapshot snapshot)
{
	ListCell *lc;
	ListCell *lc2;

	forboth (lc, tables, lc2, logs)
	{
		if (lfirst_oid(lc) == table)
			return change_log_of(table) == lfirst_oid(lc2) &&
				   pending_rows_tell(table, position, snapshot);
	}
	return false;
}

/* Do the logs tell what has changed below one of the results? */
static bool
is_followed(Oid result, const List *results, const List *tables, const List *logs,
			Snapshot snapshot)
{
	Storage *storage = filled_storage(result);
	Oid view = storage ? storage_filling_view(storage) : InvalidOid;
	Sources *sources;
	ListCell *lc;

	if (!OidIsValid(view) || storage->statement == NULL || hides_rows(result))
		return false;
	sources = sources_of_result(storage, view, results, true, snapshot);
	(void) reason_to_compute(storage, sources, NIL, snapshot);
	if (sources->position == NULL)
		return false;
	foreach (lc, sources->changed)
	{
		if (!tells_all(lfirst_oid(lc), tables, logs, sources->position, snapshot))
			return false;
	}
	return true;
}

/*
 * einsum_is_followed(results, tables, logs): true if rows of these logs, of these tables,
 * tell all that has changed for the results, of which each may read others.
 */
Datum
einsum_is_followed(PG_FUNCTION_ARGS)
{
	List *results = relations_of(PG_GETARG_DATUM(0));
	List *tables = relations_of(PG_GETARG_DATUM(1));
	List *logs = relations_of(PG_GETARG_DATUM(2));
	Snapshot snapshot = GetActiveSnapshot();
	ListCell *lc;

	foreach (lc, results)
	{
		if (!is_followed(lfirst_oid(lc), results, tables, logs, snapshot))
			PG_RETURN_BOOL(false);
	}
	PG_RETURN_BOOL(true);
}

/*
 * einsum_is_pending(result, xid, statement): true if the result has not seen what this
 * command of a transaction has changed.
 */
Datum
einsum_is_pending(PG_FUNCTION_ARGS)
{
	/* the result is the same for all rows of a query */
	Position *position = fcinfo->flinfo->fn_extra;
	bool known = !PG_ARGISNULL(1) && !PG_ARGISNULL(2);

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (position == NULL || position->result != PG_GETARG_OID(0))
	{
		MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

		position = read_position(PG_GETARG_OID(0), GetActiveSnapshot());
		fcinfo->flinfo->fn_extra = position;
		MemoryContextSwitchTo(old);
	}
	if (position == NULL)
		PG_RETURN_BOOL(true);
	PG_RETURN_BOOL(is_pending_change(
		position, known,
		known ? U64FromFullTransactionId(PG_GETARG_FULLTRANSACTIONID(1)) : 0,
		known ? PG_GETARG_INT64(2) : 0));
}
