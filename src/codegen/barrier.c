/*-------------------------------------------------------------------------
 *
 * barrier.c
 *	  The function that keeps conditions above the views that they are about.
 *
 * What generated SQL asks of each row of a registered view must be asked of the
 * rows that the view has, not of those that its own conditions and joins leave
 * out. PostgreSQL merges a view with the query that reads it and evaluates the
 * cheapest condition first; but it does not merge a subquery that has a volatile
 * function in its target list, and conditions on the columns that call it stay
 * above the subquery. Conditions on other columns still go below, and reach an
 * index.
 *
 * When the subquery itself is planned, that is decided. The call is then removed
 * and costs nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"

PG_FUNCTION_INFO_V1(einsum_barrier);
PG_FUNCTION_INFO_V1(einsum_barrier_support);

/* einsum_barrier(): true. Volatile, though it does nothing. */
Datum
einsum_barrier(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(true);
}

Datum
einsum_barrier_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);

	PG_RETURN_POINTER(IsA(request, SupportRequestSimplify) ? makeBoolConst(true, false)
														   : NULL);
}
