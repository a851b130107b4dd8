/*-------------------------------------------------------------------------
 *
 * once.c
 *	  A function that keeps a view's values from being computed repeatedly.
 *
 * PostgreSQL merges a subquery without aggregation into the query that reads
 * it, whatever its expressions cost: the vector of a node would be computed
 * for every edge at it. A volatile function in the subquery's target list
 * prevents that, and still lets conditions on the other columns through.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

PG_FUNCTION_INFO_V1(einsum_once);

/*
 * einsum_once(anyelement): returns its argument. It is declared volatile, though it does
 * nothing.
 */
Datum
einsum_once(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
