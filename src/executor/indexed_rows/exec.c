/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  IndexedRows: reads rows in memory, all or the one that keys are of.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "executor/indexed_rows/indexed_rows.h"
#include "executor/integer_keys.h"
#include "executor/row_nodes.h"

typedef struct IndexedRowsState
{
	CustomScanState css;
	IndexedRows *rows;
	List *keys; /* of ExprState *; NIL: all rows are read */
	Oid types[TENSOR_MAX_RANK];
	int64 next;
} IndexedRowsState;

static Node *create_state(CustomScan *scan);

const CustomScanMethods indexed_rows_scan_methods = {
	.CustomName = "IndexedRows",
	.CreateCustomScanState = create_state,
};

static void
begin_node(CustomScanState *node, EState *estate, int eflags)
{
	IndexedRowsState *state = (IndexedRowsState *) node;
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;
	const char *name = strVal(linitial(scan->custom_private));
	IndexedRows *rows = find_indexed_rows(name);
	ListCell *lc;

	/* others may have that name in another environment */
	if (rows == NULL || get_ENR(estate->es_queryEnv, name) != &rows->relation)
		elog(ERROR, "rows \"%s\" are not there", name);
	state->rows = rows;
	state->keys = ExecInitExprList(scan->custom_exprs, &node->ss.ps);
	foreach (lc, scan->custom_exprs)
		state->types[foreach_current_index(lc)] = getBaseType(exprType(lfirst(lc)));
}

/* Finds the row by its keys; -1 if there is none. */
static int64
find_row(IndexedRowsState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	int64 keys[TENSOR_MAX_RANK];
	const double *value;
	ListCell *lc;

	foreach (lc, state->keys)
	{
		int k = foreach_current_index(lc);
		bool isnull;
		Datum key = ExecEvalExprSwitchContext(lfirst(lc), econtext, &isnull);

		if (isnull)
			return -1;
		keys[k] = integer_key(key, state->types[k]);
	}
	value = find_indexed_row(state->rows, keys);
	return value ? value - state->rows->values : -1;
}

static TupleTableSlot *
next_row(ScanState *node)
{
	IndexedRowsState *state = (IndexedRowsState *) node;
	const IndexedRows *rows = state->rows;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	int64 row = state->next++;

	ExecClearTuple(slot);
	CHECK_FOR_INTERRUPTS();
	if (state->keys)
		row = row == 0 ? find_row(state) : -1;
	if (row < 0 || row >= rows->count)
		return slot;
	for (int k = 0; k < rows->nkeys; k++)
		slot->tts_values[k] =
			integer_datum(rows->keys[row * rows->nkeys + k], rows->key_types[k]);
	slot->tts_values[rows->nkeys] = Float8GetDatum(rows->values[row]);
	memset(slot->tts_isnull, false, sizeof(bool) * (rows->nkeys + 1));
	return ExecStoreVirtualTuple(slot);
}

static TupleTableSlot *
execute_node(CustomScanState *node)
{
	return scan_rows(node, next_row);
}

static void
end_node(CustomScanState *node)
{
}

static void
rescan_node(CustomScanState *node)
{
	((IndexedRowsState *) node)->next = 0;
	ExecScanReScan(&node->ss);
}

static void
explain_node(CustomScanState *node, List *ancestors, ExplainState *es)
{
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;

	ExplainPropertyText("Rows", strVal(linitial(scan->custom_private)), es);
	ExplainPropertyText("Found", scan->custom_exprs ? "by keys" : "all", es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "IndexedRows",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = execute_node,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
	.ExplainCustomScan = explain_node,
};

static Node *
create_state(CustomScan *scan)
{
	return row_node_state(sizeof(IndexedRowsState), &exec_methods);
}

void
register_indexed_rows(void)
{
	RegisterCustomScanMethods(&indexed_rows_scan_methods);
}
