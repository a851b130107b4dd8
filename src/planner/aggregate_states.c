/*-------------------------------------------------------------------------
 *
 * aggregate_states.c
 *	  How large the states of aggregates over tensors are.
 *
 * The size of a state decides between hashing and sorting, and into how many batches rows
 * are hashed. PostgreSQL takes it from the aggregate's SSPACE, one number for all shapes,
 * and calls no support function for it. But it calls the support function for the cost of
 * a transition function just before it reads the size from its list of states. So the
 * list is corrected then. A hook could not do this, since the first query of a session
 * loads the library by that very call. If no size is known, SSPACE stays.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heaptoast.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "planner/aggregate_states.h"
#include "planner/estimate_shape.h"
#include "type/tensor.h"

/* The size in bytes of the state of a sum that has collected a few dozen rows. */
#define COLLECTED_SPACE 512

bool
aggregate_state_bytes(PlannerInfo *root, const PlannedCall *call, int32 *bytes)
{
	ShapeEstimate shape;

	if (!estimate_call(root, call, &shape))
		return false;
	if (call->spec->pairs)
		shape.elements *= shape.elements + 1.0;
	*bytes = (int32) Min(estimated_bytes(shape.elements), (double) MaxAllocSize);
	/* PostgreSQL's allocator rounds small chunks up to powers of 2 */
	if (*bytes < 8192)
		*bytes = (int32) pg_nextpower2_32((uint32) *bytes);
	return true;
}

/*
 * Does a sum collect its rows as pointers to values out of line (see type/batch.h)? It
 * does if these are stored and wide, and are summed as they are or times a number.
 */
static bool
collects_rows(PlannerInfo *root, const PlannedCall *call, int32 bytes)
{
	const KernelSpec *spec = call->spec;
	const Var *stored = NULL;

	if (!spec->reduces || spec->reduction != REDUCTION_SUM || spec->form == FORM_MAP ||
		bytes <= TOAST_TUPLE_THRESHOLD)
		return false;
	for (int i = 0; i < list_length(call->args); i++)
	{
		Node *node = call_argument(call, i);

		if (!is_tensor_type(exprType(node)))
			continue;
		if (stored || !IsA(node, Var))
			return false;
		stored = (const Var *) node;
	}
	return stored && stored->varlevelsup == 0 && !IS_SPECIAL_VARNO(stored->varno) &&
		   planner_rt_fetch(stored->varno, root)->rtekind == RTE_RELATION;
}

void
estimate_aggregate_states(PlannerInfo *root)
{
	ListCell *lc;

	foreach (lc, root->aggtransinfos)
	{
		AggTransInfo *info = lfirst(lc);
		PlannedCall call;
		int32 bytes;

		if (info->transtypeByVal || !read_call(info->transfn_oid, info->args, &call) ||
			!aggregate_state_bytes(root, &call, &bytes))
			continue;
		info->aggtransspace =
			collects_rows(root, &call, bytes) ? Min(bytes, COLLECTED_SPACE) : bytes;
	}
}
