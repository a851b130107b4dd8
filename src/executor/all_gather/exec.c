/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  AllGather: a broadcast exchange. Each process gets the rows of all processes.
 *
 * Each process runs the child, a partial plan, to completion, writes the rows to shared
 * memory, and waits for the others. From then on every process can read all rows, and can
 * rescan them. A process that comes late writes nothing: the others have run the child to
 * completion.
 *
 * The leader alone runs a CTE, since all references to a CTE must read the same rows. It
 * writes the rows before workers are launched. Workers do not run the child.
 *
 * Deadlock freedom: other processes wait for a process only while it runs the child, and
 * it returns no rows then, so it never waits for a reader of its results. It may wait for
 * others in a node below, but no node is below itself.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "pgstat.h"

#include "compat.h"
#include "executor/all_gather/all_gather.h"
#include "executor/all_gather/row_values.h"
#include "executor/all_gather/shared_rows.h"
#include "executor/batched_projection/batched_projection.h"
#include "executor/row_nodes.h"
#include "type/kept_values.h"

typedef struct AllGatherState
{
	CustomScanState css;
	bool of_leader;     /* the child runs in the leader only */
	SharedRows *shared; /* NULL: no other process */
	dsa_area *area;     /* of the rows */
	bool written;       /* by all processes, as far as this one knows */
	RowReader reader;
	TupleTableSlot *row; /* as it is shared */

	RowValues *values; /* that lie apart from the rows; NULL: none */
} AllGatherState;

/* Finds the columns whose values may stay where they are shared, beside the rows. */
static void
begin_values(AllGatherState *state, bool fetches)
{
	CustomScanState *node = &state->css;
	TupleDesc columns = node->ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	bool *apart = columns_ending_in_kernels(node);

	for (int i = 0; i < columns->natts && state->values == NULL; i++)
	{
		if (apart[i])
			state->values = begin_row_values(node->ss.ps.state, columns, apart, fetches);
	}
}

static void
begin_all_gather(CustomScanState *node, EState *estate, int eflags)
{
	AllGatherState *state = (AllGatherState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;

	state->of_leader =
		intVal(list_nth(scan->custom_private, ALL_GATHER_PRIVATE_OF_LEADER)) != 0;
	/* workers cannot begin a CTE scan */
	if (!state->of_leader || !IsParallelWorker())
		(void) begin_child(node, estate, eflags);
	state->row = ExecInitExtraTupleSlot(
		estate, node->ss.ss_ScanTupleSlot->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
		begin_values(state, intVal(list_nth(scan->custom_private,
											ALL_GATHER_PRIVATE_FETCHES)) != 0);
	pass_rows_of_any_kind(node);
}

/* Does this process return rows as its child does? */
static bool
passes_rows(const AllGatherState *state)
{
	return state->shared == NULL || (state->of_leader && !IsParallelWorker());
}

/* Writing */

/* Writes the rows of the child. */
static void
write_rows(AllGatherState *state)
{
	PlanState *child = linitial(state->css.custom_ps);
	RowWriter writer;

	begin_writing_rows(&writer, state->shared, state->area, ParallelWorkerNumber + 1);
	for (;;)
	{
		TupleTableSlot *slot = ExecProcNode(child);

		if (TupIsNull(slot))
			break;
		if (state->values)
			write_row_values(state->values, &writer, slot);
		else
			write_shared_row(&writer, slot);
	}
	if (state->values)
	{
		end_writing_row_values(state->values, &writer);
		InstrCountTuples2(state, state->values->fetched);
		state->values->fetched = 0;
	}
	end_writing_rows(&writer);
}

/*
 * Returns once all rows have been written. Nobody can attach to the barrier in its first
 * phase who would find rows left to write in a later one.
 */
static void
wait_for_rows(AllGatherState *state)
{
	Barrier *barrier = &state->shared->written;

	if (BarrierAttach(barrier) == 0)
	{
		write_rows(state);
		BarrierArriveAndWait(barrier, PG_WAIT_EXTENSION);
	}
	BarrierDetach(barrier);
}

/* Reading */

static void
begin_reading(AllGatherState *state)
{
	if (!state->of_leader)
		wait_for_rows(state);
	state->written = true;
	if (state->values)
		keep_shared_values(state->shared, state->area, state->values->kept);
	begin_reading_rows(&state->reader, state->shared, state->area);
}

static TupleTableSlot *
exec_all_gather(CustomScanState *node)
{
	AllGatherState *state = (AllGatherState *) node;
	MinimalTuple row;

	if (passes_rows(state))
		return pass_row(node, ExecProcNode(linitial(node->custom_ps)));
	CHECK_FOR_INTERRUPTS();
	if (!state->written)
		begin_reading(state);
	row = read_shared_row(&state->reader);
	if (row == NULL)
		return pass_row(node, ExecClearTuple(state->row));
	ExecStoreMinimalTuple(row, state->row, false);
	return pass_row(node, state->values ? refer_to_row_values(state->values,
															  &state->reader, state->row)
										: state->row);
}

/* Nobody reads the rows any more. */
static void
end_reading(AllGatherState *state)
{
	ExecClearTuple(state->row);
	if (state->values)
		ExecClearTuple(state->values->slot);
	end_reading_rows(&state->reader);
	if (state->written && state->values)
		forget_shared_values(state->shared, state->area, state->values->kept);
	state->written = false;
}

static void
rescan_all_gather(CustomScanState *node)
{
	AllGatherState *state = (AllGatherState *) node;

	if (state->written)
		begin_reading_rows(&state->reader, state->shared, state->area);
	else if (node->custom_ps)
		rescan_child(node);
}

/* Sharing */

static Size
estimate_shared(CustomScanState *node, ParallelContext *parallel)
{
	return shared_rows_size(parallel->nworkers + 1);
}

/*
 * Has workers find the rows that only the leader can compute. The scan may have been left
 * to begin again later, for other parameters than those that it has rows of. Its query may
 * be a parallel one itself, which leaves the executor without the memory of this one.
 */
static void
write_rows_of_leader(AllGatherState *state)
{
	EState *estate = state->css.ss.ps.state;
	PlanState *child = linitial(state->css.custom_ps);

	ExecReScan(child);
	write_rows(state);
	ExecReScan(child);
	estate->es_query_dsa = state->area;
}

/* In the leader, before workers are launched. */
static void
initialize_shared(CustomScanState *node, ParallelContext *parallel, void *memory)
{
	AllGatherState *state = (AllGatherState *) node;

	/* there are no workers where there is no memory to share */
	if (parallel->seg == NULL)
		return;
	state->shared = memory;
	state->area = node->ss.ps.state->es_query_dsa;
	shared_rows_init(state->shared, parallel->nworkers + 1, parallel->seg);
	if (state->of_leader)
		write_rows_of_leader(state);
}

/* In the leader, before they are launched again. */
static void
reinitialize_shared(CustomScanState *node, ParallelContext *parallel, void *memory)
{
	AllGatherState *state = (AllGatherState *) node;

	if (state->shared == NULL)
		return;
	end_reading(state);
	shared_rows_clear(state->shared, state->area);
	if (state->of_leader)
		write_rows_of_leader(state);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *memory)
{
	AllGatherState *state = (AllGatherState *) node;

	state->shared = memory;
	state->area = node->ss.ps.state->es_query_dsa;
	shared_rows_attach(state->shared);
}

/* The shared memory is about to go. */
static void
shutdown_all_gather(CustomScanState *node)
{
	AllGatherState *state = (AllGatherState *) node;

	end_reading(state);
	state->shared = NULL;
}

static void
end_all_gather(CustomScanState *node)
{
	end_reading((AllGatherState *) node);
	if (node->custom_ps)
		end_child(node);
}

static void
explain_all_gather(CustomScanState *node, List *ancestors, ExplainState *es)
{
	const Instrumentation *instrument = node->ss.ps.instrument;

	/* by all processes, in all loops */
	if (es->analyze && instrument && instrument->ntuples2 > 0)
		ExplainPropertyFloat("Values Fetched", NULL, instrument->ntuples2, 0, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "AllGather",
	.BeginCustomScan = begin_all_gather,
	.ExecCustomScan = exec_all_gather,
	.EndCustomScan = end_all_gather,
	.ReScanCustomScan = rescan_all_gather,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = initialize_worker,
	.ShutdownCustomScan = shutdown_all_gather,
	.ExplainCustomScan = explain_all_gather,
};

static Node *
create_all_gather_state(CustomScan *scan)
{
	return row_node_state(sizeof(AllGatherState), &exec_methods);
}

const CustomScanMethods all_gather_scan_methods = {
	.CustomName = "AllGather",
	.CreateCustomScanState = create_all_gather_state,
};

void
register_all_gather(void)
{
	RegisterCustomScanMethods(&all_gather_scan_methods);
}
