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
 * Whoever looks at a batch otherwise calls pending_land first, and rows of a
 * pool that goes are forgotten with it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "type/batch.h"

/* Rows that wait, a power of two: half of them for the state, half for the place. */
#define PENDING 8

typedef struct PendingRow
{
	BatchState *batch; /* NULL: forgotten */
	Oid toastrelid;
	int32 rawsize;
	BatchReference reference;
} PendingRow;

static PendingRow pending[PENDING];
static uint32 first; /* numbers of rows; the place in pending is by remainder */
static uint32 next;

static inline PendingRow *
pending_row(uint32 number)
{
	return &pending[number % PENDING];
}

/* Puts the first that waits in its place. It is gone if that is an error. */
static inline void
land_first(void)
{
	PendingRow row = *pending_row(first++);

	if (row.batch)
		*batch_place(row.batch, row.toastrelid, row.rawsize) = row.reference;
}

void
pending_add(BatchState *batch, Oid toastrelid, int32 rawsize,
			const BatchReference *reference)
{
	PendingRow *row;

	if (next - first == PENDING)
		land_first();
	row = pending_row(next++);
	row->batch = batch;
	row->toastrelid = toastrelid;
	row->rawsize = rawsize;
	row->reference = *reference;
	__builtin_prefetch(batch);
	__builtin_prefetch(&batch->nrows);
	if (next - first > PENDING / 2)
	{
		batch = pending_row(next - 1 - PENDING / 2)->batch;
		if (batch)
			__builtin_prefetch(&batch->rows.references[batch->nrows], 1);
	}
}

void
pending_land(void)
{
	while (first != next)
		land_first();
}

void
pending_forget(MemoryContext pool)
{
	for (uint32 number = first; number != next; number++)
	{
		PendingRow *row = pending_row(number);

		if (row->batch && row->batch->header.eoh_context == pool)
			row->batch = NULL;
	}
}
