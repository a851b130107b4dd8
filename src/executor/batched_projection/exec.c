/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  The node: prefetches rows, computes the kernels for all of them, returns the rows.
 *
 * The first batch of a scan is one row, and each further batch is twice as long as the
 * last. So a plan above that stops early costs little more than the rows that it read.
 * Results are computed when the first row that needs them is returned, so a row that is
 * never fetched raises no error. Where reading a row could raise one, no row is
 * prefetched (executor/prefetch.h).
 *
 * Backward scans return the rows in memory first, and then read row by row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "catalog/pg_proc.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/prefetch.h"

/*
 * A row with more bytes than this is returned at once instead of copied into the buffer.
 */
#define KEPT_ROW_BYTES (64 * 1024)

typedef struct BatchedProjectionState
{
	CustomScanState css;
	int ncalls;
	BatchedCall *calls;
	RowBuffer rows;
	BatchMemory memory;
	BatchCounts counts;

	bool started;        /* a row of this scan has been read */
	bool finished;       /* the child has no more rows */
	bool ended;          /* the node has returned the end of its rows */
	bool wide;           /* the last row was too large to be kept */
	int prefetch_target; /* rows of the next batch, if prefetching is allowed */
	PrefetchRule prefetch_rule;

	/* of the table that a cursor over the node is at, for WHERE CURRENT OF, or NULL */
	ScanState *scan;

	bool *fixed; /* by column: whether it has one value in a scan */
	bool *tensor_column;
	bool *known; /* by column: whether its fixed value has been read */
	Datum *fixed_values;
} BatchedProjectionState;

/* Sets up a call of a kernel, whose arguments are the next of *arguments. */
static void
init_call(BatchedProjectionState *state, BatchedCall *call, FuncExpr *function,
		  ListCell **argument)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	int nargs = list_length(function->args);

	check_execute_permission(function->funcid);
	call->kernel = kernel_spec(function->funcid);
	if (call->kernel == NULL || !call->kernel->batched)
		elog(ERROR, "function %u cannot be computed in batches", function->funcid);
	fmgr_info(function->funcid, &call->function);
	fmgr_info_set_expr((Node *) function, &call->function);
	call->fcinfo = palloc0(SizeForFunctionCallInfo(nargs));
	InitFunctionCallInfoData(*call->fcinfo, &call->function, nargs, function->inputcollid,
							 NULL, NULL);
	call->expressions = palloc0(sizeof(ExprState *) * nargs);
	call->columns = palloc(sizeof(int) * nargs);
	for (int i = 0; i < nargs; i++)
	{
		Expr *expression = lfirst(*argument);

		*argument = lnext(scan->custom_exprs, *argument);
		call->columns[i] = -1;
		if (IsA(expression, Var) && ((Var *) expression)->varno == INDEX_VAR)
			call->columns[i] = ((Var *) expression)->varattno - 1;
		else
			call->expressions[i] = ExecInitExpr(expression, &state->css.ss.ps);
	}
}

static void
begin_batched_projection(CustomScanState *node, EState *estate, int eflags)
{
	BatchedProjectionState *state = (BatchedProjectionState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	TupleDesc descriptor = node->ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	RowBuffer *rows = &state->rows;
	ListCell *argument = list_head(scan->custom_exprs);
	Oid tensor = tensor_type_oid();
	int column = 0;
	ListCell *lc;

	(void) begin_child(node, estate, eflags);
	state->prefetch_rule = prefetch_rule_for(node, linitial(scan->custom_plans));
	state->scan = scan_of_cursor(linitial(node->custom_ps));
	if (state->scan)
		node->ss.ss_currentRelation = state->scan->ss_currentRelation;

	rows->ncolumns = intVal(list_nth(scan->custom_private, BATCH_PRIVATE_COLUMNS));
	rows->values = palloc(sizeof(Datum) * BATCH_MAX_ROWS * Max(rows->ncolumns, 1));
	rows->nulls = palloc(sizeof(bool) * BATCH_MAX_ROWS * Max(rows->ncolumns, 1));
	state->fixed = palloc0(sizeof(bool) * Max(rows->ncolumns, 1));
	state->known = palloc0(sizeof(bool) * Max(rows->ncolumns, 1));
	state->tensor_column = palloc0(sizeof(bool) * Max(rows->ncolumns, 1));
	state->fixed_values = palloc0(sizeof(Datum) * Max(rows->ncolumns, 1));
	foreach (lc, (List *) list_nth(scan->custom_private, BATCH_PRIVATE_FIXED))
	{
		state->fixed[column] = lfirst_int(lc) != 0;
		state->tensor_column[column] =
			getBaseType(TupleDescAttr(descriptor, column)->atttypid) == tensor;
		column++;
	}

	state->ncalls = list_length(scan->custom_scan_tlist) - rows->ncolumns;
	state->calls = palloc0(sizeof(BatchedCall) * state->ncalls);
	for (int i = 0; i < state->ncalls; i++)
	{
		TargetEntry *entry =
			list_nth_node(TargetEntry, scan->custom_scan_tlist, rows->ncolumns + i);

		init_call(state, &state->calls[i], castNode(FuncExpr, entry->expr), &argument);
		state->calls[i].fixed_columns = state->fixed;
	}

	state->memory.node = estate->es_query_cxt;
	state->memory.scan = AllocSetContextCreate(estate->es_query_cxt, "fixed operands",
											   ALLOCSET_DEFAULT_SIZES);
	state->memory.buffer = AllocSetContextCreate(estate->es_query_cxt, "batched rows",
												 ALLOCSET_DEFAULT_SIZES);
	state->memory.limit = (Size) work_mem * 1024;
	state->prefetch_target = 1;
}

/* Copies the values of a row that are not fixed into the buffer's memory. */
static void
copy_row(BatchedProjectionState *state, Datum *values, const bool *nulls, Size bytes)
{
	TupleDesc descriptor = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	char *copy = bytes ? MemoryContextAlloc(state->memory.buffer, bytes) : NULL;

	for (int c = 0; c < state->rows.ncolumns; c++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, c);
		Size size;

		if (nulls[c] || attribute->attbyval || state->fixed[c])
			continue;
		if (attribute->attlen == -1 &&
			VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(values[c])))
		{
			ExpandedObjectHeader *object = DatumGetEOHP(values[c]);

			size = EOH_get_flat_size(object);
			EOH_flatten_into(object, copy, size);
		}
		else
		{
			size = datumGetSize(values[c], false, attribute->attlen);
			memcpy(copy, DatumGetPointer(values[c]), size);
		}
		values[c] = PointerGetDatum(copy);
		copy += MAXALIGN(size);
	}
}

/* Returns the bytes that copy_row needs to copy a row. */
static Size
bytes_to_copy(BatchedProjectionState *state, const Datum *values, const bool *nulls)
{
	TupleDesc descriptor = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	Size bytes = 0;

	for (int c = 0; c < state->rows.ncolumns; c++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, c);

		if (nulls[c] || attribute->attbyval || state->fixed[c])
			continue;
		if (attribute->attlen == -1 &&
			VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(values[c])))
			bytes += MAXALIGN(EOH_get_flat_size(DatumGetEOHP(values[c])));
		else
			bytes += MAXALIGN(datumGetSize(values[c], false, attribute->attlen));
	}
	return bytes;
}

/* Replaces values of fixed columns by their copy, which is made once per scan. */
static void
use_fixed_values(BatchedProjectionState *state, Datum *values, const bool *nulls)
{
	TupleDesc descriptor = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;

	for (int c = 0; c < state->rows.ncolumns; c++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, c);

		if (!state->fixed[c] || nulls[c])
			continue;
		if (!state->known[c])
		{
			MemoryContext old = MemoryContextSwitchTo(state->memory.scan);
			Datum value = values[c];

			if (state->tensor_column[c])
				value = PointerGetDatum(
					detoast_attr((struct varlena *) DatumGetPointer(value)));
			if (value == values[c])
				value = datumCopy(value, attribute->attbyval, attribute->attlen);
			MemoryContextSwitchTo(old);
			state->fixed_values[c] = value;
			state->known[c] = true;
		}
		values[c] = state->fixed_values[c];
	}
}

/* Begins a scan at its first row: evaluates arguments that do not depend on rows. */
static void
start_scan(BatchedProjectionState *state)
{
	for (int i = 0; i < state->ncalls; i++)
		begin_batched_call(&state->calls[i], state->css.ss.ps.ps_ExprContext,
						   &state->memory);
	state->started = true;
}

static void
empty_buffer(BatchedProjectionState *state)
{
	MemoryContextReset(state->memory.buffer);
	state->rows.count = 0;
	state->rows.next = 0;
	for (int i = 0; i < state->ncalls; i++)
		state->calls[i].done = 0;
}

/*
 * Adds a row of the child to the buffer and returns its size in bytes. A row that is
 * alone in the buffer stays in the child's slot, and is valid until the child's next row;
 * others are copied.
 */
static Size
buffer_row(BatchedProjectionState *state, TupleTableSlot *slot, bool alone)
{
	RowBuffer *rows = &state->rows;
	Datum *values = rows->values + rows->count * rows->ncolumns;
	bool *nulls = rows->nulls + rows->count * rows->ncolumns;
	Size size;

	if (!state->started)
		start_scan(state);
	slot_getallattrs(slot);
	memcpy(values, slot->tts_values, sizeof(Datum) * rows->ncolumns);
	memcpy(nulls, slot->tts_isnull, sizeof(bool) * rows->ncolumns);
	use_fixed_values(state, values, nulls);
	if (state->scan)
		rows->places[rows->count] = place_of_row(state->scan);
	rows->count++;
	size = bytes_to_copy(state, values, nulls);
	state->wide = size > KEPT_ROW_BYTES;
	if (!alone)
		copy_row(state, values, nulls, size);
	return size;
}

/* Reads rows of the child into the empty buffer; false if the child has no more. */
static bool
fill_row_buffer(BatchedProjectionState *state)
{
	int limit = 1;
	Size bytes = 0;

	/*
	 * the reader of a scan may ask only for its first row, so no other is prefetched with
	 * it
	 */
	if (state->started && !state->wide && may_prefetch(&state->css, state->prefetch_rule))
	{
		state->prefetch_target = Min(2 * state->prefetch_target, BATCH_MAX_ROWS);
		limit = state->prefetch_target;
	}
	empty_buffer(state);
	while (state->rows.count < limit && bytes <= state->memory.limit && !state->finished)
	{
		TupleTableSlot *slot = ExecProcNode(linitial(state->css.custom_ps));

		if (TupIsNull(slot))
		{
			state->finished = true;
			break;
		}
		bytes += buffer_row(state, slot, limit == 1);
		if (state->wide)
			break;
	}
	return state->rows.count > 0;
}

/* Moves to the next row and returns its number in the buffer; -1 behind the last. */
static int
next_row(BatchedProjectionState *state)
{
	RowBuffer *rows = &state->rows;

	if (rows->next >= rows->count && !fill_row_buffer(state))
	{
		state->ended = true;
		return -1;
	}
	return rows->next++;
}

/* Moves one row back and returns its number in the buffer; -1 before the first. */
static int
previous_row(BatchedProjectionState *state)
{
	RowBuffer *rows = &state->rows;
	int row = state->ended ? rows->count - 1 : rows->next - 2;
	TupleTableSlot *slot = NULL;

	state->ended = false;
	if (row < 0)
	{
		/*
		 * the child is at the buffer's last row or behind it: move it to the row before
		 * the first
		 */
		for (int steps = rows->count + (state->finished ? 1 : 0); steps > 1; steps--)
			(void) ExecProcNode(linitial(state->css.custom_ps));
		slot = ExecProcNode(linitial(state->css.custom_ps));
		state->finished = false;
		empty_buffer(state);
		if (TupIsNull(slot))
			return -1;
		(void) buffer_row(state, slot, true);
		row = 0;
	}
	rows->next = row + 1;
	return row;
}

static TupleTableSlot *
exec_batched_projection(CustomScanState *node)
{
	BatchedProjectionState *state = (BatchedProjectionState *) node;
	RowBuffer *rows = &state->rows;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;
	int row;

	CHECK_FOR_INTERRUPTS();
	ExecClearTuple(slot);
	row = ScanDirectionIsForward(node->ss.ps.state->es_direction) ? next_row(state)
																  : previous_row(state);
	if (row < 0)
		return node->ss.ps.ps_ProjInfo
				   ? ExecClearTuple(node->ss.ps.ps_ProjInfo->pi_state.resultslot)
				   : slot;

	memcpy(slot->tts_values, rows->values + row * rows->ncolumns,
		   sizeof(Datum) * rows->ncolumns);
	memcpy(slot->tts_isnull, rows->nulls + row * rows->ncolumns,
		   sizeof(bool) * rows->ncolumns);
	for (int i = 0; i < state->ncalls; i++)
	{
		BatchedCall *call = &state->calls[i];

		if (row >= call->done)
			compute_batch(call, rows, row, &state->memory, &state->counts);
		slot->tts_values[rows->ncolumns + i] = call->results[row];
		slot->tts_isnull[rows->ncolumns + i] = call->nulls[row];
	}
	ExecStoreVirtualTuple(slot);
	if (state->scan)
	{
		slot->tts_tid = rows->places[row];
		slot->tts_tableOid = RelationGetRelid(state->scan->ss_currentRelation);
	}
	if (node->ss.ps.ps_ProjInfo == NULL)
		return slot;
	ResetExprContext(econtext);
	econtext->ecxt_scantuple = slot;
	return ExecProject(node->ss.ps.ps_ProjInfo);
}

static void
rescan_batched_projection(CustomScanState *node)
{
	BatchedProjectionState *state = (BatchedProjectionState *) node;

	/* a reader that has not read all rows may not do so in the next scan either */
	if (!state->finished)
		state->prefetch_target = 1;
	state->finished = false;
	state->ended = false;
	memset(state->known, 0, sizeof(bool) * state->rows.ncolumns);
	for (int i = 0; i < state->ncalls; i++)
		end_batched_call(&state->calls[i]);
	state->started = false;
	empty_buffer(state);
	MemoryContextReset(state->memory.scan);
	rescan_child(node);
}

static void
explain_batched_projection(CustomScanState *node, List *ancestors, ExplainState *es)
{
	BatchedProjectionState *state = (BatchedProjectionState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	List *context =
		set_deparse_context_plan(es->deparse_cxt, &scan->scan.plan, ancestors);
	bool prefix = list_length(es->rtable) > 1 || es->verbose;
	List *calls = NIL;

	for (int i = 0; i < state->ncalls; i++)
	{
		TargetEntry *entry =
			list_nth_node(TargetEntry, scan->custom_scan_tlist, state->rows.ncolumns + i);

		calls = lappend(calls,
						deparse_expression((Node *) entry->expr, context, prefix, false));
	}
	ExplainPropertyList("Batched", calls, es);
	if (!es->analyze)
		return;
	ExplainPropertyInteger("Batches", NULL, state->counts.batches, es);
	ExplainPropertyInteger("Results in Batches", NULL, state->counts.batched, es);
	ExplainPropertyInteger("Single Results", NULL, state->counts.single, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "BatchedProjection",
	.BeginCustomScan = begin_batched_projection,
	.ExecCustomScan = exec_batched_projection,
	.EndCustomScan = end_child,
	.ReScanCustomScan = rescan_batched_projection,
	.ExplainCustomScan = explain_batched_projection,
};

const RowNode batched_projection_node = {
	.scan = {.CustomName = "BatchedProjection", .CreateCustomScanState = row_node_state},
	.exec = &exec_methods,
	.state_bytes = sizeof(BatchedProjectionState),
};
