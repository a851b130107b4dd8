/*-------------------------------------------------------------------------
 *
 * kept_values.c
 *	  Values that a query has computed, kept in memory for the rest of it.
 *
 * A value that is computed lies in the row, and every node that keeps the row
 * keeps the value: a hash table of vectors of 2 kB is looked up in main memory,
 * three accesses for each probe. A stored value is a pointer to its TOAST table
 * there. So values may be computed into the memory that this file hands out, and
 * the rows have PostgreSQL's "indirect" pointers to them, which whoever reads a
 * value follows, and which is copied as the 10 bytes it is.
 *
 * Such a pointer must not outlive the query, nor reach another process. Who
 * makes one has to know where it ends (see
 * executor/batched_projection/destination.c). Nothing is freed before the query
 * ends, since it is not known what still refers to it: neither when a node
 * is rescanned, for the rows of its last run may be in a hash table. Hence a node
 * that is rescanned has its further results in the rows.
 *
 * Memory comes in blocks, each as large as all before it, so that there are few.
 * The nodes of a query share it, and the limit.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "lib/ilist.h"
#include "utils/memutils.h"

#include "compat.h"
#include "type/detoast_cache.h"
#include "type/kept_values.h"
#include "type/large_memory.h"

#define FIRST_BLOCK ((Size) 64 * 1024)

/* There are few, each as large as all before it. */
typedef struct Block
{
	struct Block *before;
	const char *start; /* of the values */
	const char *end;
} Block;

struct KeptValues
{
	MemoryContext query;
	Size bytes;  /* of all blocks */
	Block *last; /* NULL: there is none yet */
	char *free;  /* what is left of the last one of its own */
	Size left;
	dlist_node node; /* in queries */
	MemoryContextCallback callback;
};

static dlist_head queries = DLIST_STATIC_INIT(queries);

/* The query's context is going, with the values. */
static void
forget_kept_values(void *argument)
{
	dlist_delete(&((KeptValues *) argument)->node);
}

KeptValues *
make_kept_values(MemoryContext query)
{
	KeptValues *kept;
	dlist_iter iter;

	dlist_foreach(iter, &queries)
	{
		kept = dlist_container(KeptValues, node, iter.cur);
		if (kept->query == query)
			return kept;
	}
	kept = MemoryContextAllocZero(query, sizeof(KeptValues));
	kept->query = query;
	kept->callback.func = forget_kept_values;
	kept->callback.arg = kept;
	dlist_push_head(&queries, &kept->node);
	MemoryContextRegisterResetCallback(query, &kept->callback);
	return kept;
}

/* Begins a block with room for so many bytes; false if there is none. */
static bool
add_block(KeptValues *kept, Size bytes)
{
	Size limit = (Size) detoast_cache_size * 1024;
	Size head = MAXALIGN(sizeof(Block));
	Size size = Max(head + bytes, Max(kept->bytes, FIRST_BLOCK));
	Block *block;

	size = Min(size, limit - Min(kept->bytes, limit));
	if (size < head + bytes)
		return false;
	block = allocate_large(kept->query, size);
	block->before = kept->last;
	block->start = (char *) block + head;
	block->end = (char *) block + size;
	kept->last = block;
	kept->free = (char *) block + head;
	kept->left = size - head;
	kept->bytes += size;
	return true;
}

void *
keep_bytes(KeptValues *kept, Size bytes)
{
	char *place;

	bytes = MAXALIGN(bytes);
	if (bytes > kept->left && !add_block(kept, bytes))
		return NULL;
	place = kept->free;
	kept->free += bytes;
	kept->left -= bytes;
	return place;
}

const Tensor *
kept_value(const KeptValues *kept, const struct varlena *datum)
{
	struct varatt_indirect pointer;

	if (!VARATT_IS_EXTERNAL_INDIRECT(datum))
		return NULL;
	VARATT_EXTERNAL_GET_POINTER(pointer, datum);
	for (const Block *block = kept->last; block; block = block->before)
	{
		if ((const char *) pointer.pointer >= block->start &&
			(const char *) pointer.pointer < block->end)
			return (const Tensor *) pointer.pointer;
	}
	return NULL;
}

Datum
refer_to_kept(const Tensor *value, KeptReference *reference)
{
	struct varatt_indirect pointer = {(struct varlena *) value};

	SET_VARTAG_EXTERNAL(reference, VARTAG_INDIRECT);
	memcpy(VARDATA_EXTERNAL(reference), &pointer, sizeof(pointer));
	return PointerGetDatum(reference);
}
