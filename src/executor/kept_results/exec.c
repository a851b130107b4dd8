/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  Leaves the tensors of rows that come from workers in the query's memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"

#include "compat.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/kept_results/kept_results.h"
#include "executor/row_nodes.h"

typedef struct KeptResultsState
{
	CustomScanState css;
	KeptValues *kept; /* NULL: no more are kept */
	int ncolumns;
	bool *keeps;               /* by column */
	KeptReference *references; /* of the last row */
	int64 count;
} KeptResultsState;

static void
begin_kept_results(CustomScanState *node, EState *estate, int eflags)
{
	KeptResultsState *state = (KeptResultsState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	TupleDesc columns = node->ss.ss_ScanTupleSlot->tts_tupleDescriptor;

	node->custom_ps =
		list_make1(ExecInitNode(linitial(scan->custom_plans), estate,
								eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK)));
	state->ncolumns = columns->natts;
	state->keeps = palloc0(sizeof(bool) * state->ncolumns);
	state->references = palloc(sizeof(KeptReference) * state->ncolumns);
	for (int i = 0; i < state->ncolumns; i++)
	{
		if (TupleDescAttr(columns, i)->atttypid == tensor_type_oid() &&
			results_end_in_kernels(estate->es_plannedstmt, scan, i + 1))
			state->keeps[i] = true;
	}
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
		state->kept = make_kept_values(estate->es_query_cxt);
}

/* What a row has instead of a value, if that is kept. */
static Datum
keep_value(KeptResultsState *state, int column, Datum value)
{
	const struct varlena *datum = (struct varlena *) DatumGetPointer(value);
	void *place;

	if (!VARATT_IS_4B_U(datum) || VARSIZE(datum) < KEPT_VALUE_BYTES)
		return value;
	place = keep_bytes(state->kept, VARSIZE(datum));
	if (place == NULL)
		return value;
	memcpy(place, datum, VARSIZE(datum));
	state->count++;
	return refer_to_kept(place, &state->references[column]);
}

/* The next row of the child with its values kept, in the node's scan slot. */
static TupleTableSlot *
next_row(ScanState *node)
{
	KeptResultsState *state = (KeptResultsState *) node;
	TupleTableSlot *row = ExecProcNode(linitial(state->css.custom_ps));
	TupleTableSlot *slot = node->ss_ScanTupleSlot;

	ExecClearTuple(slot);
	if (TupIsNull(row))
		return slot;
	slot_getallattrs(row);
	for (int i = 0; i < state->ncolumns; i++)
	{
		slot->tts_isnull[i] = row->tts_isnull[i];
		slot->tts_values[i] = row->tts_values[i];
		if (state->kept && state->keeps[i] && !row->tts_isnull[i])
			slot->tts_values[i] = keep_value(state, i, row->tts_values[i]);
	}
	return ExecStoreVirtualTuple(slot);
}

static bool
recheck_row(ScanState *node, TupleTableSlot *slot)
{
	return true;
}

static TupleTableSlot *
exec_kept_results(CustomScanState *node)
{
	return ExecScan(&node->ss, next_row, recheck_row);
}

static void
rescan_kept_results(CustomScanState *node)
{
	KeptResultsState *state = (KeptResultsState *) node;

	/* results that are kept stay: those of every run would add up */
	state->kept = NULL;
	ExecScanReScan(&node->ss);
	rescan_child(node);
}

static void
explain_kept_results(CustomScanState *node, List *ancestors, ExplainState *es)
{
	if (es->analyze)
		ExplainPropertyInteger("Results out of Line", NULL,
							   ((KeptResultsState *) node)->count, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "KeptResults",
	.BeginCustomScan = begin_kept_results,
	.ExecCustomScan = exec_kept_results,
	.EndCustomScan = end_child,
	.ReScanCustomScan = rescan_kept_results,
	.ExplainCustomScan = explain_kept_results,
};

static Node *
create_kept_results_state(CustomScan *scan)
{
	KeptResultsState *state = palloc0(sizeof(KeptResultsState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &exec_methods;
	return (Node *) state;
}

const CustomScanMethods kept_results_scan_methods = {
	.CustomName = "KeptResults",
	.CreateCustomScanState = create_kept_results_state,
};

void
register_kept_results(void)
{
	RegisterCustomScanMethods(&kept_results_scan_methods);
}
