/*-------------------------------------------------------------------------
 *
 * single_row.c
 *	  einsum_single_row: the value of the only row of a tensor without keys.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(single_row_transfn);
PG_FUNCTION_INFO_V1(single_row_finalfn);

/* The value of the row that has been read. */
typedef struct SingleRow
{
	Datum value;
	bool isnull;
} SingleRow;

/*
 * single_row_transfn(state, value, tensor): keeps the value of the first row. Errors:
 * 21000 if there is another one.
 */
Datum
single_row_transfn(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	MemoryContext before;
	SingleRow *row;
	int16 length;
	bool by_value;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "single_row_transfn called in non-aggregate context");
	if (!PG_ARGISNULL(0))
		ereport(
			ERROR,
			(errcode(ERRCODE_CARDINALITY_VIOLATION),
			 errmsg("tensor \"%s\" is read from more than one row",
					PG_ARGISNULL(2) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(2))),
			 errdetail("It is registered without key columns, so that all its entries "
					   "are in one row."),
			 errhint("Register it with duplicates => 'sum', which adds up entries of "
					 "several rows, or 'trust' if no two have the same indices; or "
					 "with a column that tells the rows apart as the key of another "
					 "label.")));
	before = MemoryContextSwitchTo(context);
	row = palloc0(sizeof(SingleRow));
	row->isnull = PG_ARGISNULL(1);
	get_typlenbyval(get_fn_expr_argtype(fcinfo->flinfo, 1), &length, &by_value);
	if (!row->isnull)
		row->value = datumCopy(PG_GETARG_DATUM(1), by_value, length);
	MemoryContextSwitchTo(before);
	PG_RETURN_POINTER(row);
}

/* single_row_finalfn(state, ...): the value; NULL if there was no row. */
Datum
single_row_finalfn(PG_FUNCTION_ARGS)
{
	const SingleRow *row =
		PG_ARGISNULL(0) ? NULL : (const SingleRow *) PG_GETARG_POINTER(0);

	if (row == NULL || row->isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(row->value);
}
