/*-------------------------------------------------------------------------
 *
 * sent_results.c
 *	  SentResults: a worker sends tensors through memory that it shares with the
 *	  leader, beside its queue.
 *
 * PostgreSQL gives the rows of a worker a queue of 64 kB: 30 rows with vectors
 * of 2 kB. The leader, which computes too, looks at it between two of its own
 * batches of 256 rows. So the worker was through with a batch when the queue was full,
 * and waited until the leader was through with its own: two processes were hardly
 * faster than one. With a buffer for a batch or two both compute all the time. And
 * values are copied twice, not four times.
 *
 * In the leader, and where no column is requested (see send_column), the node
 * passes rows as they are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/shm_toc.h"

#include "compat.h"
#include "executor/kept_results/result_ring.h"
#include "executor/kept_results/sent_results.h"
#include "executor/row_nodes.h"
#include "executor/value_reference.h"
#include "type/kept_values.h"

/*
 * The buffer of a worker, at most: two batches of vectors of 2 kB. Larger ones were no
 * faster; memory that is new comes at 1 or 2 GB in a second, before workers start.
 */
#define MOST_BYTES ((Size) 1024 * 1024)

/* What the processes share; the rings of the workers follow. */
typedef struct SharedResults
{
	Size ring_bytes;                   /* of the buffer of each */
	bool sends[FLEXIBLE_ARRAY_MEMBER]; /* by column */
} SharedResults;

struct SentResultsState
{
	CustomScanState css;
	int ncolumns;
	bool *sends; /* in the leader: the requested columns; NULL: none */
	SharedResults *shared;

	/* in a worker that sends values, else NULL */
	TupleTableSlot *slot;
	ValueReferenceDatum *references; /* of a row */
	RingWriter writer;

	/* in the leader: what the last row was read from, or NULL, and up to where */
	ResultRing *last;
	uint64 last_end;
};

static const CustomExecMethods exec_methods;

static void
begin_sent_results(CustomScanState *node, EState *estate, int eflags)
{
	SentResultsState *state = (SentResultsState *) node;

	pass_child_rows(node, begin_child(node, estate, eflags));
	state->ncolumns = ExecGetResultType(&node->ss.ps)->natts;
}

/* Sharing */

/* The bytes that the processes share before the rings. */
static Size
shared_header(const SentResultsState *state)
{
	return CACHELINEALIGN(offsetof(SharedResults, sends) +
						  sizeof(bool) * state->ncolumns);
}

static ResultRing *
ring_of_worker(const SentResultsState *state, int worker)
{
	return (ResultRing *) ((char *) state->shared + shared_header(state) +
						   worker * result_ring_size(state->shared->ring_bytes));
}

/* The buffer of a worker: all that it may have to send, within limits. */
static Size
buffer_bytes(const SentResultsState *state)
{
	const Plan *plan = state->css.ss.ps.plan;
	double bytes = plan->plan_rows * plan->plan_width;

	if (state->sends == NULL)
		return 0;
	bytes = Min(bytes, (double) MOST_BYTES);
	return MAXALIGN((Size) Max(Min(bytes, work_mem * 1024.0), 64.0 * 1024));
}

static Size
estimate_shared(CustomScanState *node, ParallelContext *parallel)
{
	const SentResultsState *state = (SentResultsState *) node;

	return PG_CACHE_LINE_SIZE + shared_header(state) +
		   parallel->nworkers * result_ring_size(buffer_bytes(state));
}

/* Gives every worker an empty ring. */
static void
reinitialize_shared(CustomScanState *node, ParallelContext *parallel, void *memory)
{
	SentResultsState *state = (SentResultsState *) node;

	state->shared = (SharedResults *) CACHELINEALIGN(memory);
	for (int worker = 0; worker < parallel->nworkers; worker++)
		result_ring_init(ring_of_worker(state, worker), state->shared->ring_bytes);
	state->last = NULL;
}

/* The same, and says what to send through it. */
static void
initialize_shared(CustomScanState *node, ParallelContext *parallel, void *memory)
{
	SentResultsState *state = (SentResultsState *) node;
	SharedResults *shared = (SharedResults *) CACHELINEALIGN(memory);

	shared->ring_bytes = buffer_bytes(state);
	for (int i = 0; i < state->ncolumns; i++)
		shared->sends[i] = state->sends != NULL && state->sends[i];
	reinitialize_shared(node, parallel, memory);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *memory)
{
	SentResultsState *state = (SentResultsState *) node;
	SharedResults *shared = (SharedResults *) CACHELINEALIGN(memory);

	if (shared->ring_bytes == 0)
		return;
	state->shared = shared;
	state->writer.ring = ring_of_worker(state, ParallelWorkerNumber);
	state->references = palloc(sizeof(ValueReferenceDatum) * state->ncolumns);
	state->slot = ExecInitExtraTupleSlot(node->ss.ps.state,
										 ExecGetResultType(&node->ss.ps), &TTSOpsVirtual);
}

/* Sending */

/* What a row has for a value: a reference, if there was room for the value. */
static Datum
send_value(SentResultsState *state, int column, Datum value)
{
	const struct varlena *datum = (const struct varlena *) DatumGetPointer(value);
	uint64 place;

	if (!VARATT_IS_4B_U(datum) || VARSIZE(datum) < KEPT_VALUE_BYTES ||
		!result_ring_write(&state->writer, datum, VARSIZE(datum), &place))
		return value;
	return make_value_reference(state->references[column], (uint32) ParallelWorkerNumber,
								place);
}

static TupleTableSlot *
send_row(SentResultsState *state, TupleTableSlot *row)
{
	TupleTableSlot *slot = state->slot;

	ExecClearTuple(slot);
	slot_getallattrs(row);
	for (int i = 0; i < state->ncolumns; i++)
	{
		slot->tts_isnull[i] = row->tts_isnull[i];
		slot->tts_values[i] = row->tts_values[i];
		if (state->shared->sends[i] && !row->tts_isnull[i])
			slot->tts_values[i] = send_value(state, i, row->tts_values[i]);
	}
	return ExecStoreVirtualTuple(slot);
}

static TupleTableSlot *
exec_sent_results(CustomScanState *node)
{
	SentResultsState *state = (SentResultsState *) node;
	TupleTableSlot *row = pass_row(node, ExecProcNode(linitial(node->custom_ps)));

	return state->slot == NULL || TupIsNull(row) ? row : send_row(state, row);
}

/* The workers end, and the memory with them. */
static void
shutdown_sent_results(CustomScanState *node)
{
	SentResultsState *state = (SentResultsState *) node;

	state->shared = NULL;
	state->last = NULL;
}

/* What the leader does */

SentResultsState *
as_sent_results(PlanState *node)
{
	return IsA(node, CustomScanState) &&
				   ((CustomScanState *) node)->methods == &exec_methods
			   ? (SentResultsState *) node
			   : NULL;
}

void
send_column(SentResultsState *state, AttrNumber column)
{
	if (state->sends == NULL)
		state->sends = palloc0(sizeof(bool) * state->ncolumns);
	state->sends[column - 1] = true;
}

Tensor *
sent_value(SentResultsState *state, Datum datum)
{
	ValueReference reference;
	Tensor *sent;

	if (!read_value_reference(datum, &reference))
		return NULL;
	state->last = ring_of_worker(state, reference.process);
	sent = result_ring_value(state->last, reference.place);
	state->last_end = reference.place + MAXALIGN(VARSIZE(sent));
	return sent;
}

void
release_sent_values(SentResultsState *state)
{
	if (state->last)
		result_ring_release(state->last, state->last_end);
	state->last = NULL;
}

static const CustomExecMethods exec_methods = {
	.CustomName = "SentResults",
	.BeginCustomScan = begin_sent_results,
	.ExecCustomScan = exec_sent_results,
	.EndCustomScan = end_child,
	.ReScanCustomScan = rescan_child,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = initialize_worker,
	.ShutdownCustomScan = shutdown_sent_results,
};

static Node *
create_sent_results_state(CustomScan *scan)
{
	return row_node_state(sizeof(SentResultsState), &exec_methods);
}

const CustomScanMethods sent_results_scan_methods = {
	.CustomName = "SentResults",
	.CreateCustomScanState = create_sent_results_state,
};
