/*-------------------------------------------------------------------------
 *
 * batch_pending.c
 *	  References on their way into the batches of their groups.
 *
 * Where groups are hashed, the next row's group is any: its state and the place
 * for another reference are in main memory, and a transition waits for both, as
 * the executor has waited for the group's entry and its key. Nothing but a
 * result needs them at once. So a reference waits some rows here while they
 * come: first the state, then, since the state says where that is, the place.
 *
 * They wait with the pool of their batches: no rows of others land in the midst of
 * another query, which an aggregate's argument may run, and freeing the pool frees
 * them. Other code that reads a batch calls pending_land first.
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

/* Puts the first that waits in its place. */
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
