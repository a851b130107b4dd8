/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  VectorEntries: returns a row for each element of the vector in each row of the child.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "executor/column_rows.h"
#include "executor/row_nodes.h"
#include "executor/vector_entries/vector_entries.h"
#include "type/call.h"
#include "type/unstack.h"

typedef struct VectorEntriesState
{
	ColumnNode node;
	PlanState *child;
	AttrNumber vector;
	double fill;
	int ncolumns;
	int *columns;
	TupleTableSlot *row; /* row of the child whose vector is unstacked */
	VectorElements elements;
	ShortValue shorter;   /* a copy of the vector if it is short */
	MemoryContext values; /* memory of other copies of the vector */
	/* indices and values of elements that are returned as columns */
	int64 *indices;
	double *numbers;
} VectorEntriesState;

static Node *create_state(CustomScan *scan);

const CustomScanMethods vector_entries_scan_methods = {
	.CustomName = "VectorEntries",
	.CreateCustomScanState = create_state,
};

/*
 * Reads the next row of the child; false behind the last. A row whose vector is NULL has
 * no elements.
 */
static bool
next_vector(VectorEntriesState *state)
{
	MemoryContext old;
	void *copy = NULL;
	Datum vector;
	bool isnull;

	state->elements.vector = NULL;
	MemoryContextReset(state->values);
	state->row = ExecProcNode(state->child);
	if (TupIsNull(state->row))
		return false;
	vector = slot_getattr(state->row, state->vector, &isnull);
	if (isnull)
		return true;
	old = MemoryContextSwitchTo(state->values);
	begin_elements(&state->elements, flatten_tensor(vector, &state->shorter, &copy),
				   state->fill);
	MemoryContextSwitchTo(old);
	return true;
}

/* Returns the next elements as columns; false behind the last. */
static bool
next_rows(ColumnNode *node, ColumnRows *rows)
{
	VectorEntriesState *state = (VectorEntriesState *) node;
	int32 index;

	if (state->indices == NULL)
	{
		MemoryContext query = node->css.ss.ps.state->es_query_cxt;

		state->indices = MemoryContextAlloc(query, sizeof(int64) * MOST_COLUMN_ROWS);
		state->numbers = MemoryContextAlloc(query, sizeof(double) * MOST_COLUMN_ROWS);
	}
	rows->count = 0;
	do
	{
		while (rows->count < MOST_COLUMN_ROWS &&
			   next_element(&state->elements, &index, &state->numbers[rows->count]))
			state->indices[rows->count++] = index;
	} while (rows->count == 0 && next_vector(state));
	for (int c = 0; c < state->ncolumns; c++)
	{
		rows->keys[c] = state->columns[c] == ENTRY_INDEX ? state->indices : NULL;
		rows->numbers[c] = state->columns[c] == ENTRY_VALUE ? state->numbers : NULL;
	}
	return rows->count > 0;
}

static void
begin_node(CustomScanState *node, EState *estate, int eflags)
{
	VectorEntriesState *state = (VectorEntriesState *) node;
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;
	const Const *fill = list_nth(scan->custom_private, ENTRIES_FILL);
	List *columns = list_nth(scan->custom_private, ENTRIES_COLUMNS);
	ListCell *lc;

	check_execute_permission(
		linitial_oid(list_nth(scan->custom_private, ENTRIES_FUNCTION)));
	state->child = begin_child(node, estate, eflags);
	state->vector = (AttrNumber) intVal(list_nth(scan->custom_private, ENTRIES_VECTOR));
	state->fill = DatumGetFloat8(fill->constvalue);
	state->ncolumns = list_length(columns);
	state->columns = palloc(sizeof(int) * state->ncolumns);
	state->node.next_rows = state->ncolumns <= MOST_COLUMNS ? next_rows : NULL;
	foreach (lc, columns)
	{
		int column = lfirst_int(lc);

		state->columns[foreach_current_index(lc)] = column;
		/* only columns of indices and elements can be returned as columns */
		if (column != ENTRY_INDEX && column != ENTRY_VALUE)
			state->node.next_rows = NULL;
	}
	state->values = AllocSetContextCreate(estate->es_query_cxt, "VectorEntries",
										  ALLOCSET_DEFAULT_SIZES);
}

static TupleTableSlot *
next_row(ScanState *node)
{
	VectorEntriesState *state = (VectorEntriesState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	int32 index;
	double value;

	ExecClearTuple(slot);
	while (!next_element(&state->elements, &index, &value))
	{
		CHECK_FOR_INTERRUPTS();
		if (!next_vector(state))
			return slot;
	}
	for (int c = 0; c < state->ncolumns; c++)
	{
		slot->tts_isnull[c] = false;
		if (state->columns[c] == ENTRY_INDEX)
			slot->tts_values[c] = Int32GetDatum(index);
		else if (state->columns[c] == ENTRY_VALUE)
			slot->tts_values[c] = Float8GetDatum(value);
		else
			slot->tts_values[c] =
				slot_getattr(state->row, state->columns[c], &slot->tts_isnull[c]);
	}
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
	end_child(node);
}

static void
rescan_node(CustomScanState *node)
{
	((VectorEntriesState *) node)->elements.vector = NULL;
	ExecScanReScan(&node->ss);
	rescan_child(node);
}

const CustomExecMethods vector_entries_exec_methods = {
	.CustomName = "VectorEntries",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = execute_node,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
};

static Node *
create_state(CustomScan *scan)
{
	return row_node_state(sizeof(VectorEntriesState), &vector_entries_exec_methods);
}

void
register_vector_entries(void)
{
	RegisterCustomScanMethods(&vector_entries_scan_methods);
}
