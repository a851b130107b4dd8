/*-------------------------------------------------------------------------
 *
 * allints.c
 *	  allints(lo, hi): the integers from lo up to and without hi.
 *
 * ALLINTS of SparseEinSum, section 6: the index set of a label as a relation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"

#include "type/allints.h"
#include "type/constant.h"

PG_FUNCTION_INFO_V1(allints_int4);
PG_FUNCTION_INFO_V1(allints_int8);
PG_FUNCTION_INFO_V1(allints_support);

double max_dense_tuples = 1e7;

/* The integers that a set-returning call has not yet returned. */
typedef struct AllintsState
{
	int64 next;
	int64 end;
} AllintsState;

/* Sets *value to the next integer; false at the end. */
static bool
next_integer(FunctionCallInfo fcinfo, int64 lo, int64 hi, FuncCallContext **context,
			 int64 *value)
{
	AllintsState *state;

	if (SRF_IS_FIRSTCALL())
	{
		*context = SRF_FIRSTCALL_INIT();
		state =
			MemoryContextAlloc((*context)->multi_call_memory_ctx, sizeof(AllintsState));
		state->next = lo;
		state->end = hi;
		(*context)->user_fctx = state;
	}
	*context = SRF_PERCALL_SETUP();
	state = (*context)->user_fctx;
	if (state->next >= state->end)
		return false;
	*value = state->next++;
	return true;
}

/* allints(int4, int4) */
Datum
allints_int4(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	int64 value;

	if (!next_integer(fcinfo, PG_GETARG_INT32(0), PG_GETARG_INT32(1), &context, &value))
		SRF_RETURN_DONE(context);
	SRF_RETURN_NEXT(context, Int32GetDatum((int32) value));
}

/* allints(int8, int8) */
Datum
allints_int8(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	int64 value;

	if (!next_integer(fcinfo, PG_GETARG_INT64(0), PG_GETARG_INT64(1), &context, &value))
		SRF_RETURN_DONE(context);
	SRF_RETURN_NEXT(context, Int64GetDatum(value));
}

/*
 * Planner support function: estimates the number of rows if both arguments are constants.
 */
Datum
allints_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestRows *rows;
	List *args;
	int64 lo;
	int64 hi;

	if (!IsA(request, SupportRequestRows))
		PG_RETURN_POINTER(NULL);
	rows = (SupportRequestRows *) request;
	if (!is_funcclause(rows->node))
		PG_RETURN_POINTER(NULL);
	args = ((FuncExpr *) rows->node)->args;
	if (!constant_integer(estimate_expression_value(rows->root, linitial(args)), &lo) ||
		!constant_integer(estimate_expression_value(rows->root, lsecond(args)), &hi))
		PG_RETURN_POINTER(NULL);
	rows->rows = Max((double) hi - (double) lo, 0);
	PG_RETURN_POINTER(rows);
}
