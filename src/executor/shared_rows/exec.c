/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  SharedRows: a scan of a CTE that every process of a parallel query can run.
 *
 * Only the leader has the rows of a CTE. Before workers are launched, the first node of a
 * Gather that reads the CTE writes all its rows to a file that processes share, from
 * which each worker reads them; the leader reads its CTE. Nodes of the same CTE below the
 * same Gather share the file. Among them is a relational plan's node (aggregate_join/),
 * which begins when workers already run.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>

#include "access/htup_details.h"
#include "access/parallel.h"
#include "executor/executor.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/buffile.h"
#include "storage/sharedfileset.h"

#include "compat.h"
#include "executor/shared_rows/shared_rows.h"

/* The name of the only file in a set of files. */
#define FILE_NAME "rows"

/* What processes share, for each node. */
typedef struct SharedRowFile
{
	SharedFileSet files;
	dsm_handle segment; /* the Gather's: when it is freed, the files are deleted */
	bool written;       /* the rows are in these files; else in another node's */
} SharedRowFile;

typedef struct SharedRowsState
{
	CustomScanState css;
	int cte;               /* plan_id of the CTE */
	SharedRowFile *shared; /* NULL: no process shares this node */
	dlist_node node;       /* in the list of all nodes */
	MemoryContextCallback callback;
	BufFile *file; /* of a worker that reads */
	TupleTableSlot *row;
	char *tuple; /* of the row */
	Size size;
} SharedRowsState;

/* All nodes of this process that have begun. */
static dlist_head all_nodes = DLIST_STATIC_INIT(all_nodes);

static void
forget_node(void *argument)
{
	dlist_delete(&((SharedRowsState *) argument)->node);
}

/*
 * Makes the node parallel-aware, in a plan of its own, so that its methods for shared
 * memory are called. PostgreSQL's planner wants such nodes below a Gather, and this one
 * may be elsewhere, too.
 */
static void
become_parallel_aware(CustomScanState *node)
{
	CustomScan *own = palloc(sizeof(CustomScan));

	*own = *(const CustomScan *) node->ss.ps.plan;
	own->scan.plan.parallel_aware = true;
	node->ss.ps.plan = &own->scan.plan;
}

static void
begin_node(CustomScanState *node, EState *estate, int eflags)
{
	SharedRowsState *state = (SharedRowsState *) node;
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;

	if (estate->es_plannedstmt->parallelModeNeeded || IsParallelWorker())
		become_parallel_aware(node);
	state->cte = linitial_node(CteScan, scan->custom_plans)->ctePlanId;
	/* a worker may not even have the CTE's plan */
	if (!IsParallelWorker())
		(void) begin_child(node, estate, eflags);
	dlist_push_tail(&all_nodes, &state->node);
	state->callback.func = forget_node;
	state->callback.arg = state;
	/* takes the node off the list, also after an error, when nodes are not ended */
	MemoryContextRegisterResetCallback(estate->es_query_cxt, &state->callback);
}

/*
 * Returns the shared file with the rows of a node's CTE, below the Gather with this
 * segment; in a worker, which runs below one Gather, the segment is 0. NULL if no node
 * has written it.
 */
static SharedRowFile *
find_file(const SharedRowsState *state, dsm_handle segment)
{
	dlist_iter iter;

	dlist_foreach(iter, &all_nodes)
	{
		const SharedRowsState *other = dlist_container(SharedRowsState, node, iter.cur);

		if (other->css.ss.ps.state == state->css.ss.ps.state &&
			other->cte == state->cte && other->shared && other->shared->written &&
			(segment == 0 || other->shared->segment == segment))
			return other->shared;
	}
	return NULL;
}

/* Reading */

/* Reads the next row of the file; false at its end. */
static bool
read_shared_row(SharedRowsState *state)
{
	uint32 size;
	Size read = BufFileRead(state->file, &size, sizeof(size));

	if (read == 0)
		return false;
	if (read == sizeof(size) && size > state->size)
	{
		state->tuple =
			state->tuple
				? repalloc_huge(state->tuple, size)
				: MemoryContextAllocHuge(state->css.ss.ps.state->es_query_cxt, size);
		state->size = size;
	}
	if (read != sizeof(size) || BufFileRead(state->file, state->tuple, size) != size)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not read the rows that processes share")));
	ExecStoreMinimalTuple((MinimalTuple) state->tuple, state->row, false);
	return true;
}

/* Opens the file, in a worker, or moves to its beginning. */
static void
rewind_file(SharedRowsState *state)
{
	EState *estate = state->css.ss.ps.state;
	SharedRowFile *shared;
	MemoryContext old;

	if (state->file)
	{
		if (BufFileSeek(state->file, 0, 0, SEEK_SET) != 0)
			ereport(ERROR, (errcode_for_file_access(),
							errmsg("could not read the rows that processes share")));
		return;
	}
	shared = find_file(state, 0);
	if (shared == NULL)
		elog(ERROR, "the rows of CTE %d are not shared", state->cte);
	old = MemoryContextSwitchTo(estate->es_query_cxt);
	state->file = BufFileOpenFileSet(FILES_OF_SHARED_SET(&shared->files), FILE_NAME,
									 O_RDONLY, false);
	state->row = ExecInitExtraTupleSlot(
		estate, state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	MemoryContextSwitchTo(old);
}

/* Returns the next row of the CTE, in a slot of another kind than the scan's; or NULL. */
static TupleTableSlot *
cte_row(SharedRowsState *state)
{
	TupleTableSlot *slot;

	if (!IsParallelWorker())
	{
		slot = ExecProcNode(linitial(state->css.custom_ps));
		return TupIsNull(slot) ? NULL : slot;
	}
	if (state->file == NULL)
		rewind_file(state);
	return read_shared_row(state) ? state->row : NULL;
}

static TupleTableSlot *
next_row(ScanState *node)
{
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	TupleTableSlot *row = cte_row((SharedRowsState *) node);

	ExecClearTuple(slot);
	if (row == NULL)
		return slot;
	slot_getallattrs(row);
	memcpy(slot->tts_values, row->tts_values, sizeof(Datum) * row->tts_nvalid);
	memcpy(slot->tts_isnull, row->tts_isnull, sizeof(bool) * row->tts_nvalid);
	return ExecStoreVirtualTuple(slot);
}

static void
end_node(CustomScanState *node)
{
	SharedRowsState *state = (SharedRowsState *) node;

	if (state->file)
		BufFileClose(state->file);
	state->file = NULL;
	if (node->custom_ps)
		end_child(node);
}

static void
rescan_node(CustomScanState *node)
{
	SharedRowsState *state = (SharedRowsState *) node;

	if (node->custom_ps)
		rescan_child(node);
	if (state->file)
		rewind_file(state);
	ExecScanReScan(&node->ss);
}

/* Sharing */

static Size
estimate_shared(CustomScanState *node, ParallelContext *context)
{
	return sizeof(SharedRowFile);
}

/*
 * Writes the rows of the CTE, whose query may itself be parallel and then leaves the
 * executor with another DSA area.
 */
static void
write_rows(SharedRowsState *state)
{
	PlanState *child = linitial(state->css.custom_ps);
	EState *estate = state->css.ss.ps.state;
	dsa_area *area = estate->es_query_dsa;
	BufFile *file =
		BufFileCreateFileSet(FILES_OF_SHARED_SET(&state->shared->files), FILE_NAME);

	/* it may have been read before, and its rescan put off */
	ExecReScan(child);
	for (;;)
	{
		TupleTableSlot *slot = ExecProcNode(child);
		MinimalTuple tuple;
		uint32 size;
		bool made;

		CHECK_FOR_INTERRUPTS();
		if (TupIsNull(slot))
			break;
		tuple = ExecFetchSlotMinimalTuple(slot, &made);
		size = tuple->t_len;
		BufFileWrite(file, &size, sizeof(size));
		BufFileWrite(file, tuple, size);
		if (made)
			heap_free_minimal_tuple(tuple);
	}
	BufFileExportFileSet(file);
	BufFileClose(file);
	ExecReScan(child);
	estate->es_query_dsa = area;
	state->shared->written = true;
}

/* Makes the shared file, in the leader, before workers are launched. */
static void
initialize_shared(CustomScanState *node, ParallelContext *context, void *memory)
{
	SharedRowsState *state = (SharedRowsState *) node;
	const PlanState *child = linitial(node->custom_ps);

	/* without dynamic shared memory there are no workers */
	if (context->seg == NULL)
		return;
	state->shared = memory;
	state->shared->segment = dsm_segment_handle(context->seg);
	state->shared->written = false;
	/* the executor may not have set parameters yet */
	if (!bms_is_empty(child->plan->extParam))
		ReinitializeParallelWorkers(context, 0);
	else if (find_file(state, state->shared->segment) == NULL)
	{
		SharedFileSetInit(&state->shared->files, context->seg);
		write_rows(state);
	}
}

/* The rows depend on no parameter: they are the same when workers are launched again. */
static void
reinitialize_shared(CustomScanState *node, ParallelContext *context, void *memory)
{
	const PlanState *child = linitial(node->custom_ps);

	if (!bms_is_empty(child->plan->extParam))
		ReinitializeParallelWorkers(context, 0);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *memory)
{
	SharedRowsState *state = (SharedRowsState *) node;

	state->shared = memory;
	if (state->shared->written)
		SharedFileSetAttach(&state->shared->files,
							dsm_find_mapping(state->shared->segment));
}

/* The leader's shared memory is about to be freed. */
static void
shutdown_shared(CustomScanState *node)
{
	if (!IsParallelWorker())
		((SharedRowsState *) node)->shared = NULL;
}

static const CustomExecMethods exec_methods = {
	.CustomName = "SharedRows",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = execute_row_node,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = initialize_worker,
	.ShutdownCustomScan = shutdown_shared,
};

const RowNode shared_rows_node = {
	.scan = {.CustomName = "SharedRows", .CreateCustomScanState = row_node_state},
	.exec = &exec_methods,
	.next_row = next_row,
	.state_bytes = sizeof(SharedRowsState),
};
