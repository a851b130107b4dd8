/*-------------------------------------------------------------------------
 *
 * kernel_support.c
 *	  The planner support function of kernels, aggregates and set-returning functions
 *	  over tensors: it estimates the cost of a call, and the number of rows.
 *
 * PostgreSQL knows one cost per function. But a product of two matrices may take a
 * million times as long as one of two short vectors, and the cost decides whether
 * parallel workers pay. Costs are those of the cost model (microseconds, by the settings
 * sparseeinsum.cost_*) in the planner's unit: a call of a float8 operator, which costs
 * cpu_operator_cost, takes 10 ns.
 *
 * The support function also makes preloading unnecessary: it is called while a query's
 * expressions are simplified, which loads the library and installs its planner hooks
 * before the query's relations and paths are examined. For a query that has only
 * aggregates, it is called when these are costed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "optimizer/settings.h"
#include "planner/aggregate_states.h"
#include "planner/estimate_shape.h"
#include "planner/time_cost.h"
#include "type/tensor.h"

PG_FUNCTION_INFO_V1(einsum_kernel_support);

/*
 * Microseconds of a byte that is read from the cache of detoasted values or from the
 * page.
 */
#define BYTE_TIME 0.00003

/*
 * The time to combine a state, relative to transferring its bytes. The state is
 * serialised, sent, received, deserialised and added: 2.1 ns per byte, where a transfer
 * takes 0.3. PostgreSQL's costs of a Gather ignore the width of rows.
 */
#define TRANSFERS_OF_STATE 7.0

/* Estimates the microseconds of one call; false if its operands are not known. */
static bool
call_time(PlannerInfo *root, const PlannedCall *call, double *time)
{
	EquationEstimate equation;
	ShapeEstimate shape;
	double operations;

	if (estimate_equation(root, call, &equation))
	{
		const char *expression = call_expression(call);
		double rate = expression           ? kernel_general_cost
					  : equation.is_matrix ? kernel_matrix_cost * 2
										   : kernel_streaming_cost;

		if (expression)
			rate *= expression_operations(expression) + 1.0;
		*time = CALL_TIME +
				Max(equation.indices * rate, (equation.read + equation.output.elements) *
												 sizeof(double) * BYTE_TIME);
		return true;
	}
	if (!estimate_call(root, call, &shape))
		return false;
	operations = call->spec->operations > 0 ? call->spec->operations : OTHER_OPERATIONS;
	*time = CALL_TIME + shape.elements * operations * kernel_general_cost;
	return true;
}

/*
 * Corrects the widths of the aggregation's targets, which the planner has made with 32
 * bytes for each value and state: sorting them, or sending them to the leader, costs
 * more.
 */
static void
widen_targets(PlannerInfo *root, UpperRelationKind kind)
{
	ListCell *lc;

	foreach (lc, root->upper_rels[kind])
	{
		PathTarget *target = ((RelOptInfo *) lfirst(lc))->reltarget;
		double bytes = 0.0;
		int n = 0;
		ListCell *cell;

		foreach (cell, target->exprs)
		{
			Node *node = lfirst(cell);
			ShapeEstimate shape;

			if (get_typlen(exprType(node)) > 0 || !estimate_shape(root, node, &shape))
				continue;
			bytes += shape.width;
			n++;
		}
		/* corrected only once, though the planner asks for each phase of each function */
		if (target->width < bytes)
			target->width += (int) Min(bytes, (double) MaxAllocSize) -
							 n * get_typavgwidth(tensor_type_oid(), -1);
	}
}

/*
 * Estimates the time of an aggregate's support function. The planner asks about it
 * without arguments, so the average over all aggregates that use the function is taken.
 */
static bool
aggregate_time(PlannerInfo *root, Oid function, double *time)
{
	double total = 0.0;
	int n = 0;
	ListCell *lc;

	estimate_aggregate_states(root);
	foreach (lc, root->aggtransinfos)
	{
		AggTransInfo *info = lfirst(lc);
		PlannedCall call;
		double one;
		int32 bytes;

		if (info->transfn_oid != function && info->combinefn_oid != function)
			continue;
		if (!read_call(info->transfn_oid, info->args, &call))
			continue;
		if (!info->transtypeByVal && aggregate_state_bytes(root, &call, &bytes))
			one = CALL_TIME + bytes / sizeof(double) * kernel_streaming_cost +
				  bytes * TRANSFERS_OF_STATE * transfer_cost;
		else if (info->transfn_oid != function)
			continue;
		if (info->transfn_oid == function && !call_time(root, &call, &one))
			continue;
		total += one;
		n++;
	}
	foreach (lc, root->agginfos)
	{
		AggInfo *info = lfirst(lc);
		AggTransInfo *state;

		if (info->finalfn_oid != function)
			continue;
		state = list_nth(root->aggtransinfos, info->transno);
		total += CALL_TIME + Max(state->aggtransspace, 0) * BYTE_TIME;
		n++;
	}
	if (n == 0)
		return false;
	widen_targets(root, UPPERREL_PARTIAL_GROUP_AGG);
	widen_targets(root, UPPERREL_GROUP_AGG);
	*time = total / n;
	return true;
}

static bool
cost_request(SupportRequestCost *request)
{
	double time;

	if (request->root == NULL)
		return false;
	if (request->node == NULL)
	{
		if (!aggregate_time(request->root, request->funcid, &time))
			return false;
	}
	else
	{
		PlannedCall call;
		List *args;

		if (IsA(request->node, FuncExpr))
			args = ((FuncExpr *) request->node)->args;
		else if (IsA(request->node, OpExpr))
			args = ((OpExpr *) request->node)->args;
		else
			return false;
		if (!read_call(request->funcid, args, &call) ||
			!call_time(request->root, &call, &time))
			return false;
	}
	request->startup = 0;
	request->per_tuple = cost_of_time(time);
	return true;
}

/*
 * Estimates the rows of a set-returning function: slices or blocks of a tensor, or its
 * elements.
 */
static bool
rows_request(SupportRequestRows *request)
{
	ShapeEstimate shape;
	double rows;
	List *args;

	if (!is_funcclause(request->node))
		return false;
	args = ((FuncExpr *) request->node)->args;
	if (list_length(args) > 1)
		rows = estimate_unstacked(request->root, args);
	else
	{
		/* tensor_entries */
		if (!estimate_shape(request->root, linitial(args), &shape))
			return false;
		rows = shape.elements;
	}
	if (rows <= 0.0)
		return false;
	request->rows = Max(rows, 1.0);
	return true;
}

/* Planner support function: answers requests for costs and rows. */
Datum
einsum_kernel_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	bool done = false;

	if (IsA(request, SupportRequestCost))
		done = cost_request((SupportRequestCost *) request);
	else if (IsA(request, SupportRequestRows))
		done = rows_request((SupportRequestRows *) request);
	PG_RETURN_POINTER(done ? request : NULL);
}
