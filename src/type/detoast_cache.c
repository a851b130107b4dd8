/*-------------------------------------------------------------------------
 *
 * detoast_cache.c
 *	  Values stored out of line, fetched once per query.
 *
 * A join passes a large value on as a pointer into the TOAST table, and every
 * kernel that reads it would fetch and assemble it again: for a value of 6 kB
 * 3.6 microseconds instead of 0.4. So each query of a process has a cache of
 * the values its kernels have read, in the memory context that all functions
 * of the query are set up in. It goes with that context, or at the end of the
 * transaction, before the toast table can have other values under the same
 * numbers.
 *
 * Only values on disk are cached: the key is where they are. A value is kept
 * when it is asked for the second time: a scan that reads each value once has
 * nothing to gain, and keeping them would cost it as much again. Once so many
 * reads have been of values asked for before that this is no such scan, values
 * are kept at once.
 *
 * Joined tuples come in no order, and what they read evicts the cache's own
 * memory from the processor's: a hit is a few accesses to memory and hardly
 * anything else. So the table has a slot of 32 bytes per value, in place and not
 * in a chain, and what was used of late is a bit in the slot: when
 * sparseeinsum.cache_size is reached, a hand goes around the table, takes the
 * bit away, and evicts whom it finds without (the clock algorithm, Corbato
 * 1968), where a list in the order of use would touch three values at each hit.
 *
 * A value that a kernel is reading is not evicted: those asked for since the
 * cache was last without readers are marked with a number, which changes when
 * the last reader is done. Readers that an error has left are forgotten with the
 * subtransaction that it ends.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "funcapi.h"
#include "lib/ilist.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "compat.h"
#include "type/detoast_cache.h"

PG_FUNCTION_INFO_V1(einsum_cache_stats);

/* Reads of values asked for before, one in so many, from which on all are kept. */
#define KEEP_AT_ONCE 16

typedef struct CacheKey
{
	Oid toastrelid;
	Oid valueid;
	int32 rawsize;
	uint32 extinfo;
} CacheKey;

typedef struct CacheSlot
{
	CacheKey key;
	struct varlena *value; /* NULL until it is asked for again */
	uint32 epoch;          /* of the readers who asked last */
	char status;           /* of the hash table */
	bool used;             /* since the hand came by */
} CacheSlot;

static inline uint32
hash_key(const CacheKey *key)
{
	return murmurhash32(key->valueid ^ (key->toastrelid << 16 | key->toastrelid >> 16));
}

static inline bool
same_key(const CacheKey *a, const CacheKey *b)
{
	return a->valueid == b->valueid && a->toastrelid == b->toastrelid &&
		   a->rawsize == b->rawsize && a->extinfo == b->extinfo;
}

#define SH_PREFIX slots
#define SH_ELEMENT_TYPE CacheSlot
#define SH_KEY_TYPE CacheKey
#define SH_KEY key
#define SH_HASH_KEY(table, key) hash_key(&(key))
#define SH_EQUAL(table, a, b) same_key(&(a), &(b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* What einsum_cache_stats shows. */
typedef struct CacheCounts
{
	int64 hits;
	int64 misses;
	int64 evictions;
	int64 peak; /* bytes */
} CacheCounts;

struct DetoastCache
{
	MemoryContext query;  /* whose functions share it */
	MemoryContext memory; /* of the table and the values; a child of query; or NULL */
	slots_hash *slots;
	uint64 hand; /* the slot that is looked at next to evict */
	Size bytes;
	int readers;
	uint32 epoch;
	int64 repeated; /* reads of values that had been asked for before */
	CacheCounts counts;
	dlist_node node; /* in caches */
	MemoryContextCallback callback;
};

static dlist_head caches = DLIST_STATIC_INIT(caches);
static CacheCounts last_counts; /* of the last query that had a cache */
int detoast_cache_size = 256 * 1024;

/* Lets go of the values, but not of the cache. */
static void
empty_cache(DetoastCache *cache)
{
	if (cache->memory == NULL)
		return;
	last_counts = cache->counts;
	memset(&cache->counts, 0, sizeof(cache->counts));
	MemoryContextDelete(cache->memory);
	cache->memory = NULL;
}

/* The query's context is going, and what is below it has gone already. */
static void
forget_cache(void *argument)
{
	DetoastCache *cache = argument;

	if (cache->memory)
		last_counts = cache->counts;
	dlist_delete(&cache->node);
}

/*
 * Contexts that outlive the transaction, such as those of a session's prepared
 * expressions, must not keep values beyond it.
 */
static void
end_of_transaction(XactEvent event, void *argument)
{
	dlist_iter iter;

	if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT &&
		event != XACT_EVENT_PARALLEL_COMMIT && event != XACT_EVENT_PARALLEL_ABORT &&
		event != XACT_EVENT_PREPARE)
		return;
	dlist_foreach(iter, &caches)
		empty_cache(dlist_container(DetoastCache, node, iter.cur));
}

/* A kernel that an error has left does not read its values any more. */
static void
end_of_subtransaction(SubXactEvent event, SubTransactionId id, SubTransactionId parent,
					  void *argument)
{
	dlist_iter iter;

	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	dlist_foreach(iter, &caches)
	{
		DetoastCache *cache = dlist_container(DetoastCache, node, iter.cur);

		cache->readers = 0;
		cache->epoch++;
	}
}

/* Sets up an empty cache. */
static void
set_up_cache(DetoastCache *cache)
{
	/* of blocks so small that values get their own, not rounded up to powers of 2 */
	cache->memory =
		AllocSetContextCreate(cache->query, "detoasted tensors", ALLOCSET_SMALL_MINSIZE,
							  ALLOCSET_SMALL_INITSIZE, ALLOCSET_SMALL_MAXSIZE);
	cache->slots = slots_create(cache->memory, 256, NULL);
	cache->hand = 0;
	cache->bytes = 0;
	cache->readers = 0;
	cache->epoch = 1; /* a new slot's is 0 */
	cache->repeated = 0;
}

static DetoastCache *
make_cache(MemoryContext query)
{
	/* outside the cache's memory: the callback finds it when that has gone */
	DetoastCache *cache = MemoryContextAllocZero(query, sizeof(DetoastCache));

	cache->query = query;
	dlist_push_head(&caches, &cache->node);
	cache->callback.func = forget_cache;
	cache->callback.arg = cache;
	MemoryContextRegisterResetCallback(query, &cache->callback);
	return cache;
}

DetoastCache *
query_cache(MemoryContext query)
{
	DetoastCache *cache = NULL;
	dlist_iter iter;

	if (query == NULL || detoast_cache_size == 0)
		return NULL;
	dlist_foreach(iter, &caches)
	{
		cache = dlist_container(DetoastCache, node, iter.cur);
		if (cache->query == query)
			break;
		cache = NULL;
	}
	if (cache == NULL)
		cache = make_cache(query);
	if (cache->memory == NULL)
		set_up_cache(cache);
	return cache;
}

/*
 * Makes room for so many bytes; false if there is none. Slots may move.
 */
static bool
make_room(DetoastCache *cache, Size bytes)
{
	Size limit = (Size) detoast_cache_size * 1024;
	slots_hash *slots = cache->slots;
	uint64 steps = 0;

	if (bytes > limit)
		return false;
	/* twice around: the first time the hand may only take bits away */
	for (; cache->bytes + bytes > limit && steps < 2 * slots->size; steps++)
	{
		CacheSlot *slot;

		if (cache->hand >= slots->size)
			cache->hand = 0;
		slot = &slots->data[cache->hand];
		if (slot->status != slots_SH_IN_USE ||
			(cache->readers > 0 && slot->epoch == cache->epoch))
			cache->hand++;
		else if (slot->used)
		{
			slot->used = false;
			cache->hand++;
		}
		else
		{
			cache->bytes -= sizeof(CacheSlot);
			if (slot->value)
			{
				cache->bytes -= slot->key.rawsize;
				pfree(slot->value);
			}
			cache->counts.evictions++;
			/* those behind it may move up: the hand looks here again */
			slots_delete_item(slots, slot);
		}
	}
	return cache->bytes + bytes <= limit;
}

static inline CacheKey
key_of(const struct varatt_external *pointer)
{
	CacheKey key;

	key.toastrelid = pointer->va_toastrelid;
	key.valueid = pointer->va_valueid;
	key.rawsize = pointer->va_rawsize;
	key.extinfo = pointer->va_extinfo;
	return key;
}

void
cache_prefetch(DetoastCache *cache, const struct varatt_external *pointer)
{
	CacheKey key = key_of(pointer);

	__builtin_prefetch(&cache->slots->data[hash_key(&key) & cache->slots->sizemask]);
}

struct varlena *
fetch_value(const struct varatt_external *pointer)
{
	union
	{
		struct varlena header;
		char bytes[VARHDRSZ_EXTERNAL + sizeof(struct varatt_external)];
	} datum;

	SET_VARTAG_EXTERNAL(&datum, VARTAG_ONDISK);
	memcpy(VARDATA_EXTERNAL(&datum), pointer, sizeof(struct varatt_external));
	return detoast_attr(&datum.header);
}

struct varlena *
cache_fetch(DetoastCache *cache, const struct varatt_external *pointer)
{
	CacheKey key = key_of(pointer);
	CacheSlot *slot = slots_lookup(cache->slots, key);
	MemoryContext old;
	struct varlena *value;
	bool repeated = slot != NULL;
	bool found;

	if (repeated)
	{
		slot->used = true;
		cache->repeated++;
	}
	if (repeated && slot->value)
	{
		cache->counts.hits++;
		cache->readers++;
		slot->epoch = cache->epoch;
		return slot->value;
	}
	cache->counts.misses++;

	/* a scan reads each value once: only what is asked for again is kept */
	if (slot == NULL)
	{
		if (!make_room(cache, sizeof(CacheSlot)))
			return NULL;
		slot = slots_insert(cache->slots, key, &found);
		slot->value = NULL;
		slot->epoch = 0;
		slot->used = false;
		cache->bytes += sizeof(CacheSlot);
		cache->counts.peak = Max(cache->counts.peak, (int64) cache->bytes);
		if (cache->repeated * KEEP_AT_ONCE <= cache->counts.hits + cache->counts.misses)
			return NULL;
	}
	if (cache->bytes + key.rawsize > (Size) detoast_cache_size * 1024)
	{
		/* making room must not take its slot, and may move it */
		slot->epoch = cache->epoch;
		cache->readers++;
		found = make_room(cache, key.rawsize);
		cache->readers--;
		if (!found)
			return NULL;
	}
	old = MemoryContextSwitchTo(cache->memory);
	value = fetch_value(pointer);
	MemoryContextSwitchTo(old);
	/* fetching it has not used the cache, but making room has */
	slot = slots_lookup(cache->slots, key);
	slot->value = value;
	slot->used = true;
	slot->epoch = cache->epoch;
	cache->readers++;
	cache->bytes += key.rawsize;
	cache->counts.peak = Max(cache->counts.peak, (int64) cache->bytes);
	return value;
}

struct varlena *
detoast_cached(FunctionCallInfo fcinfo, Datum value, DetoastCache **used)
{
	struct varlena *datum = (struct varlena *) DatumGetPointer(value);
	struct varatt_external pointer;
	struct varlena *flat;
	DetoastCache *cache;

	if (!VARATT_IS_EXTERNAL_ONDISK(datum) || fcinfo->flinfo == NULL)
		return NULL;
	cache = query_cache(fcinfo->flinfo->fn_mcxt);
	if (cache == NULL)
		return NULL;
	VARATT_EXTERNAL_GET_POINTER(pointer, datum);
	flat = cache_fetch(cache, &pointer);
	if (flat)
		*used = cache;
	return flat;
}

void
release_cached(DetoastCache *cache)
{
	Assert(cache->readers > 0);
	if (--cache->readers == 0)
		cache->epoch++;
}

void
detoast_cache_init(void)
{
	DefineCustomIntVariable(
		"sparseeinsum.cache_size", "Memory for detoasted values, per query and process.",
		"Costs count an operand that fits it as read once; 0 turns the "
		"cache off.",
		&detoast_cache_size, detoast_cache_size, 0, MAX_KILOBYTES, PGC_USERSET,
		GUC_UNIT_KB, NULL, NULL, NULL);
	RegisterXactCallback(end_of_transaction, NULL);
	RegisterSubXactCallback(end_of_subtransaction, NULL);
}

/*
 * einsum_cache_stats(): of the last query of this process that has ended and
 * read values stored out of line.
 */
Datum
einsum_cache_stats(PG_FUNCTION_ARGS)
{
	TupleDesc descriptor;
	Datum values[4];
	bool nulls[4] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int64GetDatum(last_counts.hits);
	values[1] = Int64GetDatum(last_counts.misses);
	values[2] = Int64GetDatum(last_counts.evictions);
	values[3] = Int64GetDatum(last_counts.peak);
	PG_RETURN_DATUM(
		HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}
