/*-------------------------------------------------------------------------
 *
 * store.c
 *	  einsum_store: a table of a tensor, from a query that lists its entries.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/declare.h"
#include "catalog/locks.h"
#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/schema.h"
#include "catalog/tensor_storage.h"
#include "catalog/store_table.h"
#include "catalog/stored_layout.h"
#include "commands/arguments.h"
#include "compat.h"

/*
 * einsum_store(tensor, query, bounds, relation, storage, layout, fill): creates a table
 * that holds a tensor, and returns it.
 */
PG_FUNCTION_INFO_V1(einsum_store);
Datum
einsum_store(PG_FUNCTION_ARGS)
{
	Storage *storage = palloc0(sizeof(Storage));
	SyntaxReference *reference;
	char *query;
	char *relation;
	bool further;
	Oid schema;
	Oid stored;
	Locks held = {NIL};
	Locks wanted;
	StorageProblem problem;
	int i;

	require_argument(fcinfo, 0, "tensor");
	require_argument(fcinfo, 1, "query");
	require_argument(fcinfo, 4, "storage");
	further = is_further_storage(PG_GETARG_TEXT_PP(4));
	reference = parse_notation(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	query = text_to_cstring(PG_GETARG_TEXT_PP(1));
	storage_set_notation(storage, reference);
	/* an extension that has not been updated to this version declares no such arguments */
	if (PG_NARGS() > 6)
	{
		require_argument(fcinfo, 6, "fill");
		storage->fill = PG_GETARG_FLOAT8(6);
		if (!PG_ARGISNULL(5) &&
			!set_layout(storage, text_to_cstring(PG_GETARG_TEXT_PP(5)), KEYS_LEFT_OVER,
						&problem))
			report_problem(&problem);
	}
	set_bounds(storage, PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2), false);
	for (i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].bound == BOUND_UNKNOWN)
			ereport(
				ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("einsum_store needs the bound of label \"%s\"",
						storage->dimensions[i].label),
				 errhint(
					 "Pass the bounds, as in bounds => '{2708,1433}'; '*' is for a key "
					 "whose index set is the values that occur.")));
	}
	for (i = 0; i < storage->rank; i++)
	{
		if (bound_is_dimension(storage->dimensions[i].bound) &&
			storage->dimensions[i].kind != DIMENSION_PROMOTED)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("einsum_store cannot put label \"%s\" inside of values",
							storage->dimensions[i].label),
					 errdetail("Its bound is the dimension %s, which grows.",
							   storage->dimensions[i].index_set),
					 errhint("Write the label in upper case: a row is stored for each "
							 "key.")));
	}
	relation = PG_ARGISNULL(3) ? storage->tensor : pstrdup(NameStr(*PG_GETARG_NAME(3)));
	if (reference->schema)
		require_schema(reference->schema, NULL, 0);
	schema = RangeVarGetCreationNamespace(makeRangeVar(reference->schema, relation, -1));
	/* locked before the query locks the tables that it reads */
	do
	{
		wanted = (Locks){NIL};
		add_tensor_lock(&wanted, schema, storage->tensor, NIL);
		add_tensor_lock(&wanted, schema, relation, NIL);
	} while (!take_locks(&wanted, &held));
	/* checked early, so that a long query does not run in vain */
	if (!further)
		require_only_storage(storage, schema);
	stored = store_tensor(storage, get_namespace_name(schema), relation, query, further);
	notice_aggregate_name(reference);
	PG_RETURN_OID(stored);
}
