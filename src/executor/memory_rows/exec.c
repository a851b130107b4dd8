/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  MemoryRows: a scan of rows in memory. Reads all rows, or the one with given keys.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/queryenvironment.h"

#include "compat.h"
#include "executor/integer_keys.h"
#include "executor/memory_rows/memory_rows.h"

typedef struct MemoryRowsState
{
	ColumnNode node;
	MemoryRows *rows;
	/* of ExprState *, the keys of the one row to read; NIL: all rows are read */
	List *keys;
	Oid types[TENSOR_MAX_RANK];
	bool found; /* the row with these keys was found */
	MemoryRowReader reader;
	ColumnRows columns; /* rows that were read last */
	int64 next;         /* row of columns to return next */
} MemoryRowsState;

static bool
next_rows(ColumnNode *node, ColumnRows *rows)
{
	return read_memory_rows(&((MemoryRowsState *) node)->reader, rows);
}

static void
begin_node(CustomScanState *node, EState *estate, int eflags)
{
	MemoryRowsState *state = (MemoryRowsState *) node;
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;
	const char *name = strVal(linitial(scan->custom_private));
	MemoryRows *rows = find_memory_rows(name);
	EphemeralNamedRelation relation = get_ENR(estate->es_queryEnv, name);
	ListCell *lc;

	/* another environment may have other rows of that name */
	if (rows == NULL || relation == NULL || relation->reldata != rows ||
		(scan->custom_exprs != NIL && !rows_are_indexed(rows)))
		elog(ERROR, "rows \"%s\" are not there", name);
	state->rows = rows;
	begin_row_reader(&state->reader, rows);
	state->keys = ExecInitExprList(scan->custom_exprs, &node->ss.ps);
	foreach (lc, scan->custom_exprs)
		state->types[foreach_current_index(lc)] = getBaseType(exprType(lfirst(lc)));
	state->node.next_rows = state->keys ? NULL : next_rows;
}

/* Stores the next row of the columns in the slot. */
static TupleTableSlot *
put_row(MemoryRowsState *state, TupleTableSlot *slot)
{
	const MemoryRows *rows = state->rows;

	for (int k = 0; k < rows->nkeys; k++)
		slot->tts_values[k] =
			integer_datum(state->columns.keys[k][state->next], rows->key_types[k]);
	slot->tts_values[rows->nkeys] =
		Float8GetDatum(state->columns.numbers[rows->nkeys][state->next]);
	memset(slot->tts_isnull, false, sizeof(bool) * (rows->nkeys + 1));
	state->next++;
	return ExecStoreVirtualTuple(slot);
}

/*
 * Finds the row with the keys that the plan's expressions have; false if no row has them.
 */
static bool
look_row_up(MemoryRowsState *state)
{
	MemoryRows *rows = state->rows;
	ExprContext *econtext = state->node.css.ss.ps.ps_ExprContext;
	int64 keys[TENSOR_MAX_RANK];
	const double *value;
	ListCell *lc;

	foreach (lc, state->keys)
	{
		int k = foreach_current_index(lc);
		bool isnull;
		Datum key = ExecEvalExprSwitchContext(lfirst(lc), econtext, &isnull);

		if (isnull)
			return false;
		keys[k] = integer_key(key, state->types[k]);
	}
	value = find_memory_row(rows, keys);
	if (value == NULL)
		return false;
	for (int k = 0; k < rows->nkeys; k++)
		state->columns.keys[k] = rows->keys[k] + (value - rows->values);
	state->columns.numbers[rows->nkeys] = value;
	state->next = 0;
	return true;
}

static TupleTableSlot *
next_row(ScanState *node)
{
	MemoryRowsState *state = (MemoryRowsState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;

	ExecClearTuple(slot);
	if (state->keys)
	{
		if (state->found)
			return slot;
		state->found = true;
		return look_row_up(state) ? put_row(state, slot) : slot;
	}
	if (state->next == state->columns.count)
	{
		state->next = 0;
		if (!read_memory_rows(&state->reader, &state->columns))
			return slot;
	}
	return put_row(state, slot);
}

static void
end_node(CustomScanState *node)
{
	end_row_reader(&((MemoryRowsState *) node)->reader);
}

static void
rescan_node(CustomScanState *node)
{
	MemoryRowsState *state = (MemoryRowsState *) node;

	state->found = false;
	if (state->keys == NIL)
	{
		rewind_row_reader(&state->reader);
		state->columns.count = state->next = 0;
	}
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
	.CustomName = "MemoryRows",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = execute_row_node,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
	.ExplainCustomScan = explain_node,
};

const RowNode memory_rows_node = {
	.scan = {.CustomName = "MemoryRows", .CreateCustomScanState = row_node_state},
	.exec = &exec_methods,
	.next_row = next_row,
	.state_bytes = sizeof(MemoryRowsState),
	.has_columns = true,
};

const char *
rows_of_plan(const Plan *plan)
{
	const CustomScan *scan = (const CustomScan *) plan;

	return is_plan_of(plan, &memory_rows_node) && scan->custom_exprs == NIL
			   ? strVal(linitial(scan->custom_private))
			   : NULL;
}
