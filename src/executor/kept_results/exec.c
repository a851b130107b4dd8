/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  KeptResults: takes the tensors of rows that come from workers out of the memory
 *	  that these share with the leader, and leaves them in the query's memory.
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
#include "executor/kept_results/sent_results.h"
#include "executor/row_nodes.h"

typedef struct KeptResultsState
{
	CustomScanState css;
	KeptValues *kept; /* NULL: no more are kept */
	int ncolumns;
	bool *tensors;             /* by column */
	bool *keeps;               /* of these, those whose values may be kept */
	KeptReference *references; /* of the last row */
	int64 count;

	SentResultsState *sent; /* NULL: values of workers come in the rows */
	int64 received;
} KeptResultsState;

/*
 * Makes columns of a node's rows those of the rows it reads; 0 stays. False if it
 * looks at values, or changes any.
 */
static bool
follow_down(const Plan *node, int varno, AttrNumber *columns, int ncolumns)
{
	ListCell *lc;

	if (node->qual)
		return false;
	foreach (lc, node->targetlist)
	{
		const Expr *expr = lfirst_node(TargetEntry, lc)->expr;

		if (!IsA(expr, Var) && !IsA(expr, Const))
			return false;
	}
	for (int i = 0; i < ncolumns; i++)
	{
		const Var *var;

		if (columns[i] == 0)
			continue;
		var = (const Var *) list_nth_node(TargetEntry, node->targetlist, columns[i] - 1)
				  ->expr;
		if (!IsA(var, Var))
			columns[i] = 0;
		else if (var->varno == varno && var->varattno > 0)
			columns[i] = var->varattno;
		else
			return false;
	}
	return true;
}

/*
 * Has workers send their tensors in another way than in their rows, if all that
 * is between this node and them passes rows as they are.
 */
static void
ask_for_values(KeptResultsState *state)
{
	PlanState *node = linitial(state->css.custom_ps);
	AttrNumber *columns = palloc(sizeof(AttrNumber) * state->ncolumns);

	for (int i = 0; i < state->ncolumns; i++)
		columns[i] = (AttrNumber) (state->tensors[i] ? i + 1 : 0);
	if (IsA(node, SubqueryScanState))
	{
		if (!follow_down(node->plan, (int) ((Scan *) node->plan)->scanrelid, columns,
						 state->ncolumns))
			return;
		node = ((SubqueryScanState *) node)->subplan;
	}
	if (!IsA(node, GatherState) ||
		!follow_down(node->plan, OUTER_VAR, columns, state->ncolumns))
		return;
	state->sent = as_sent_results(outerPlanState(node));
	for (int i = 0; state->sent && i < state->ncolumns; i++)
	{
		if (columns[i] > 0)
			send_column(state->sent, columns[i]);
	}
}

static void
begin_kept_results(CustomScanState *node, EState *estate, int eflags)
{
	KeptResultsState *state = (KeptResultsState *) node;
	TupleDesc columns = node->ss.ss_ScanTupleSlot->tts_tupleDescriptor;

	(void) begin_child(node, estate, eflags);
	state->ncolumns = columns->natts;
	state->tensors = palloc0(sizeof(bool) * state->ncolumns);
	state->keeps = columns_ending_in_kernels(node);
	state->references = palloc(sizeof(KeptReference) * state->ncolumns);
	for (int i = 0; i < state->ncolumns; i++)
		state->tensors[i] = TupleDescAttr(columns, i)->atttypid == tensor_type_oid();
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
		state->kept = make_kept_values(estate->es_query_cxt);
	ask_for_values(state);
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

/* What a row has for a value of the child's row. */
static Datum
take_value(KeptResultsState *state, int column, Datum value)
{
	const Tensor *sent = state->sent ? sent_value(state->sent, value) : NULL;

	if (sent)
	{
		value = PointerGetDatum(sent);
		state->received++;
	}
	if (state->kept && state->keeps[column])
		value = keep_value(state, column, value);
	return value;
}

/* The next row of the child with its values kept, in the node's scan slot. */
static TupleTableSlot *
next_row(ScanState *node)
{
	KeptResultsState *state = (KeptResultsState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	TupleTableSlot *row;

	ExecClearTuple(slot);
	if (state->sent)
		release_sent_values(state->sent);
	row = ExecProcNode(linitial(state->css.custom_ps));
	if (TupIsNull(row))
		return slot;
	slot_getallattrs(row);
	for (int i = 0; i < state->ncolumns; i++)
	{
		slot->tts_isnull[i] = row->tts_isnull[i];
		slot->tts_values[i] = row->tts_values[i];
		if (state->tensors[i] && !row->tts_isnull[i])
			slot->tts_values[i] = take_value(state, i, row->tts_values[i]);
	}
	return ExecStoreVirtualTuple(slot);
}

static TupleTableSlot *
exec_kept_results(CustomScanState *node)
{
	return scan_rows(node, next_row);
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
	const KeptResultsState *state = (KeptResultsState *) node;

	if (!es->analyze)
		return;
	ExplainPropertyInteger("Results out of Line", NULL, state->count, es);
	if (state->received > 0)
		ExplainPropertyInteger("Results in Shared Memory", NULL, state->received, es);
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
	return row_node_state(sizeof(KeptResultsState), &exec_methods);
}

const CustomScanMethods kept_results_scan_methods = {
	.CustomName = "KeptResults",
	.CreateCustomScanState = create_kept_results_state,
};

void
register_kept_results(void)
{
	RegisterCustomScanMethods(&kept_results_scan_methods);
	RegisterCustomScanMethods(&sent_results_scan_methods);
}
