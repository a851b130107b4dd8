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
 * nothing to gain, and keeping them would cost it as much again. The least
 * recently used give way when sparseeinsum.cache_size is reached; a value that a
 * kernel is reading is pinned. What an error leaves pinned is released with the
 * subtransaction that it ends.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/xact.h"
#include "funcapi.h"
#include "lib/ilist.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "compat.h"
#include "type/detoast_cache.h"

PG_FUNCTION_INFO_V1(einsum_cache_stats);

typedef struct CacheKey
{
	Oid toastrelid;
	Oid valueid;
	int32 rawsize;
	uint32 extinfo;
} CacheKey;

typedef struct DetoastCache DetoastCache;

struct CachedValue
{
	CacheKey key; /* first: the hash table's */
	dlist_node lru;
	struct varlena *value; /* NULL until it is asked for again */
	Size bytes;
	int pins;
};

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
	HTAB *values;
	dlist_head lru; /* least recently used first */
	Size bytes;
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
		dlist_iter value;

		if (cache->memory == NULL)
			continue;
		dlist_foreach(value, &cache->lru) dlist_container(CachedValue, lru, value.cur)
			->pins = 0;
	}
}

/* Sets up an empty cache. */
static void
set_up_cache(DetoastCache *cache)
{
	HASHCTL control = {.keysize = sizeof(CacheKey), .entrysize = sizeof(CachedValue)};

	cache->memory =
		AllocSetContextCreate(cache->query, "detoasted tensors", ALLOCSET_DEFAULT_SIZES);
	control.hcxt = cache->memory;
	cache->values = hash_create("detoasted tensors", 256, &control,
								HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	dlist_init(&cache->lru);
	cache->bytes = 0;
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

static DetoastCache *
find_cache(MemoryContext query)
{
	dlist_iter iter;

	dlist_foreach(iter, &caches)
	{
		DetoastCache *cache = dlist_container(DetoastCache, node, iter.cur);

		if (cache->query == query)
			return cache;
	}
	return make_cache(query);
}

/* Makes room for so many bytes; false if there is none. */
static bool
make_room(DetoastCache *cache, Size bytes)
{
	Size limit = (Size) detoast_cache_size * 1024;
	dlist_mutable_iter iter;

	if (bytes > limit)
		return false;
	dlist_foreach_modify(iter, &cache->lru)
	{
		CachedValue *entry = dlist_container(CachedValue, lru, iter.cur);

		if (cache->bytes + bytes <= limit)
			break;
		if (entry->pins > 0)
			continue;
		dlist_delete(&entry->lru);
		cache->bytes -= entry->bytes;
		cache->counts.evictions++;
		if (entry->value)
			pfree(entry->value);
		hash_search(cache->values, &entry->key, HASH_REMOVE, NULL);
	}
	return cache->bytes + bytes <= limit;
}

struct varlena *
detoast_cached(FunctionCallInfo fcinfo, Datum value, CachedValue **entry)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(value);
	struct varatt_external external;
	DetoastCache *cache;
	CacheKey key;
	MemoryContext old;
	struct varlena *flat;

	if (!VARATT_IS_EXTERNAL_ONDISK(pointer) || fcinfo->flinfo == NULL ||
		fcinfo->flinfo->fn_mcxt == NULL || detoast_cache_size == 0)
		return NULL;
	VARATT_EXTERNAL_GET_POINTER(external, pointer);
	memset(&key, 0, sizeof(key));
	key.toastrelid = external.va_toastrelid;
	key.valueid = external.va_valueid;
	key.rawsize = external.va_rawsize;
	key.extinfo = external.va_extinfo;

	cache = find_cache(fcinfo->flinfo->fn_mcxt);
	if (cache->memory == NULL)
		set_up_cache(cache);
	*entry = hash_search(cache->values, &key, HASH_FIND, NULL);
	if (*entry)
	{
		dlist_delete(&(*entry)->lru);
		dlist_push_tail(&cache->lru, &(*entry)->lru);
	}
	if (*entry && (*entry)->value)
	{
		cache->counts.hits++;
		(*entry)->pins++;
		return (*entry)->value;
	}
	cache->counts.misses++;

	/* a scan reads each value once: only what is asked for again is kept */
	if (*entry == NULL)
	{
		if (!make_room(cache, sizeof(CachedValue)))
			return NULL;
		*entry = hash_search(cache->values, &key, HASH_ENTER, NULL);
		(*entry)->value = NULL;
		(*entry)->bytes = sizeof(CachedValue);
		(*entry)->pins = 0;
		dlist_push_tail(&cache->lru, &(*entry)->lru);
		cache->bytes += sizeof(CachedValue);
		cache->counts.peak = Max(cache->counts.peak, (int64) cache->bytes);
		*entry = NULL;
		return NULL;
	}

	(*entry)->pins++; /* making room must not take it */
	if (!make_room(cache, external.va_rawsize))
	{
		(*entry)->pins--;
		*entry = NULL;
		return NULL;
	}
	old = MemoryContextSwitchTo(cache->memory);
	flat = detoast_attr(pointer);
	MemoryContextSwitchTo(old);
	(*entry)->value = flat;
	(*entry)->bytes += external.va_rawsize;
	cache->bytes += external.va_rawsize;
	cache->counts.peak = Max(cache->counts.peak, (int64) cache->bytes);
	return flat;
}

void
release_cached(CachedValue *entry)
{
	Assert(entry->pins > 0);
	entry->pins--;
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
