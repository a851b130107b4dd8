/*-------------------------------------------------------------------------
 *
 * batch_pending.c
 *	  References on their way into the batches of their groups.
 *
 * With hashed groups, successive rows belong to unrelated groups: the group's state
 * and the memory for its next reference are in main memory, not in the processor's
 * caches. Only a result needs the reference in place at once. So a reference waits here
 * for some rows during two prefetches: of the state, then of the memory to which the
 * state points.
 *
 * Each pool has its own waiting references: a query that an aggregate's argument runs
 * does not store those of the outer query, and freeing the pool frees them. Other code
 * that reads a batch calls pending_land first.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "type/batch.h"

static inline PendingRow *
pending_row(PendingRows *pending, uint32 number)
{
	return &pending->rows[number % PENDING_ROWS];
}

/* Stores the reference that has waited longest in its batch. */
static inline void
land_first(PendingRows *pending)
{
	PendingRow row = *pending_row(pending, pending->first++);

	*batch_place(row.batch, row.toastrelid, row.rawsize) = row.reference;
}

void
pending_add(PendingRows *pending, BatchState *batch, Oid toastrelid, int32 rawsize,
			const BatchReference *reference)
{
	PendingRow *row;

	if (pending->next - pending->first == PENDING_ROWS)
		land_first(pending);
	row = pending_row(pending, pending->next++);
	row->batch = batch;
	row->toastrelid = toastrelid;
	row->rawsize = rawsize;
	row->reference = *reference;
	__builtin_prefetch(batch);
	__builtin_prefetch(&batch->nrows);
	if (pending->next - pending->first > PENDING_ROWS / 2)
	{
		batch = pending_row(pending, pending->next - 1 - PENDING_ROWS / 2)->batch;
		__builtin_prefetch(&batch->rows.references[batch->nrows], 1);
	}
}

void
pending_land(PendingRows *pending)
{
	while (pending->first != pending->next)
		land_first(pending);
}
