/*-------------------------------------------------------------------------
 *
 * barrier.c
 *	  A function that keeps conditions from being evaluated inside a view that they check.
 *
 * Generated SQL checks each row of a registered view. It must check the rows that the
 * view returns, not those which the view's own conditions and joins leave out. PostgreSQL
 * merges a view with the query that reads it and evaluates the cheapest condition first.
 * But it does not merge a subquery with a volatile function in its target list, and
 * conditions on the columns that call the function stay above the subquery. Conditions on
 * other columns still move into the subquery, and reach an index.
 *
 * Once PostgreSQL plans the subquery, this has been decided: the support function then
 * removes the call, which costs nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"

PG_FUNCTION_INFO_V1(einsum_barrier);
PG_FUNCTION_INFO_V1(einsum_barrier_support);

/* einsum_barrier(): returns true. It is declared volatile, though it does nothing. */
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
