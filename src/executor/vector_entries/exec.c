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

#include "executor/row_nodes.h"
#include "executor/vector_entries/vector_entries.h"
#include "type/call.h"
#include "type/unstack.h"

typedef struct VectorEntriesState
{
	CustomScanState css;
	PlanState *child;
	AttrNumber vector;
	double fill;
	int ncolumns;
	int *columns;
	TupleTableSlot *row; /* of the child */
	VectorElements elements;
	ShortValue shorter;   /* its vector, or */
	MemoryContext values; /* where that is */
} VectorEntriesState;

static Node *create_state(CustomScan *scan);

const CustomScanMethods vector_entries_scan_methods = {
	.CustomName = "VectorEntries",
	.CreateCustomScanState = create_state,
};

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
	foreach (lc, columns)
		state->columns[foreach_current_index(lc)] = lfirst_int(lc);
	state->values = AllocSetContextCreate(estate->es_query_cxt, "VectorEntries",
										  ALLOCSET_DEFAULT_SIZES);
}

/* Goes on to the next row of the child; false if there is none. One without a vector has no elements. */
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

static const CustomExecMethods exec_methods = {
	.CustomName = "VectorEntries",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = execute_node,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
};

static Node *
create_state(CustomScan *scan)
{
	return row_node_state(sizeof(VectorEntriesState), &exec_methods);
}

void
register_vector_entries(void)
{
	RegisterCustomScanMethods(&vector_entries_scan_methods);
}
