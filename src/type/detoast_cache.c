/*-------------------------------------------------------------------------
 *
 * detoast_cache.c
 *	  Values stored out of line, fetched once per query.
 *
 * A join passes a large value on as a TOAST pointer, and every kernel that reads it would
 * detoast it again: for a value of 6 kB 3.6 microseconds instead of 0.4. So each query of
 * a process has a cache of the values its kernels have read, in the memory context that
 * all functions of the query are set up in. It ends with that context, or at the end of
 * the transaction, before the TOAST table can have other values under the same numbers.
 *
 * Only values on disk are cached: the key is the TOAST pointer. A value is kept from its
 * second read on: a scan that reads each value once gains nothing, and keeping values
 * would cost it as much again. Once enough reads were repeated, values are kept at once.
 *
 * Joined tuples come in no order, and what they read evicts the cache's own memory from
 * the processor's: a hit is a few memory accesses and hardly anything else. So the table
 * has a slot of 32 bytes per value, in place and not in a chain. A bit in the slot says
 * whether the value was used of late. By it the log that has the values (detoast_log.c)
 * decides what to evict when it reaches sparseeinsum.cache_size. An LRU list would touch
 * three values at each hit.
 *
 * Most of the time of fetching a value of 6 kB goes into finding it. Values that were
 * stored one after the other have consecutive numbers, and one scan of the TOAST table
 * reads up to TOAST_READ_MOST of them. So values are prefetched for a reader that asks
 * for them in that order, as a scan does; those that are read once use the same memory
 * again and again. A caller that knows that nearly all of a table's values will be read,
 * in any order, says so: then a miss reads its neighbours too. A scan that checks the
 * shape of each value prefetches their first bytes likewise.
 *
 * A value that a kernel is reading is pinned: values read since the cache was last
 * without readers are marked with a number, which changes when the last reader is done.
 * Readers that an error has left are forgotten with the subtransaction that it ends.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "funcapi.h"
#include "lib/ilist.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "compat.h"
#include "type/detoast_cache.h"
#include "type/detoast_log.h"
#include "type/toast_read.h"

PG_FUNCTION_INFO_V1(einsum_cache_stats);

/* Memory for prefetched values, small enough for the processor's cache. */
#define STREAM_BYTES (1024 * 1024)

/*
 * A scan may skip this many OIDs, which values of another column have, and still count as
 * reading in order.
 */
#define PREFETCH_GAP 3

/*
 * Slots without a value are dropped when slots take more than this fraction (one in 8) of
 * the memory.
 */
#define STRANGERS_SHARE 8

/* Once one in this many reads is a repeated one, values are kept at their first read. */
#define KEEP_AT_ONCE 16

typedef struct CacheSlot
{
	CacheKey key;
	struct varlena *value; /* NULL until the value is read again */
	uint32 epoch;          /* number of the readers that asked last */
	char status;           /* used by the hash table */
	bool used;             /* asked for since its region was looked at */
	bool prefetched;       /* not asked for yet */
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

/* A reader that asks for the values of a TOAST table in the order of their OIDs. */
typedef struct ValueStream
{
	Oid toastrelid;      /* InvalidOid: unused */
	Oid next;            /* the OID that is expected next */
	int prefetch_target; /* how many values were read at once */
} ValueStream;

/* The number of streams that are followed at a time: one for each operand of a join. */
#define STREAMS 4

typedef union Beginning
{
	struct varlena value;
	double align;
	char bytes[CACHE_BEGINNING];
} Beginning;

struct DetoastCache
{
	MemoryContext query;  /* the context of the query whose functions share the cache */
	MemoryContext memory; /* of the table and the values; a child of query; or NULL */
	slots_hash *slots;
	int64 strangers; /* slots whose value is not kept */
	DetoastLog log;
	int readers;
	uint32 epoch;
	int64 repeated; /* reads of values that had been asked for before */
	ValueStream streams[STREAMS];
	int oldest_stream;
	CacheKey expected; /* valueid is the least OID; toastrelid may be invalid: none */
	Oid expected_greatest;
	ValueStream scan; /* the scan that asks for beginnings of values */
	bool has_beginning[TOAST_READ_MOST];
	Beginning beginnings[TOAST_READ_MOST];
	CacheCounts counts;
	dlist_node node; /* in caches */
	MemoryContextCallback callback;
};

static dlist_head caches = DLIST_STATIC_INIT(caches);
static CacheCounts last_counts; /* of the last query that had a cache and has ended */
int detoast_cache_size = 256 * 1024;

/* Frees the cached values, but not the cache itself. */
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

/* Unlists a cache when its query's context is freed; child contexts are freed already. */
static void
forget_cache(void *argument)
{
	DetoastCache *cache = argument;

	if (cache->memory)
		last_counts = cache->counts;
	dlist_delete(&cache->node);
}

/*
 * Empties all caches at the end of the transaction: contexts that outlive it, such as
 * those of a session's prepared expressions, must not keep values.
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

/*
 * After an error in a subtransaction, releases the values that its kernels were reading.
 */
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

/* Callback of the log: decides what happens to a value when its region is reused. */
static LogFate
value_fate(void *owner, const CacheKey *key)
{
	const DetoastCache *cache = owner;
	const CacheSlot *slot = slots_lookup(cache->slots, *key);

	if (cache->readers > 0 && slot->epoch == cache->epoch)
		return LOG_IN_USE;
	return slot->used ? LOG_KEEP : LOG_DROP;
}

static void
value_moved(void *owner, const CacheKey *key, struct varlena *value)
{
	CacheSlot *slot = slots_lookup(((DetoastCache *) owner)->slots, *key);

	slot->value = value;
	slot->used = false;
}

static void
value_dropped(void *owner, const CacheKey *key)
{
	DetoastCache *cache = owner;

	slots_delete(cache->slots, *key);
	cache->counts.evictions++;
}

/* Sets up an empty cache. */
static void
set_up_cache(DetoastCache *cache)
{
	cache->memory =
		AllocSetContextCreate(cache->query, "detoasted tensors", ALLOCSET_SMALL_SIZES);
	cache->slots = slots_create(cache->memory, 256, NULL);
	cache->strangers = 0;
	log_init(&cache->log, cache->memory);
	cache->log.owner = cache;
	cache->log.fate = value_fate;
	cache->log.moved = value_moved;
	cache->log.dropped = value_dropped;
	cache->readers = 0;
	cache->epoch = 1; /* a new slot has epoch 0: no reader */
	cache->repeated = 0;
	memset(cache->streams, 0, sizeof(cache->streams));
	memset(&cache->scan, 0, sizeof(cache->scan));
	cache->oldest_stream = 0;
	cache->expected.toastrelid = InvalidOid;
}

static DetoastCache *
make_cache(MemoryContext query)
{
	/*
	 * not in the cache's own memory, which is freed before the callback uses the struct
	 */
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

/* Returns the bytes that the log may use: cache_size less the slots. */
static Size
log_limit(const DetoastCache *cache)
{
	Size limit = (Size) detoast_cache_size * 1024;
	Size slots = cache->slots->members * sizeof(CacheSlot);

	return limit > slots ? limit - slots : 0;
}

static void
note_peak(DetoastCache *cache)
{
	Size bytes = cache->log.bytes + cache->slots->members * sizeof(CacheSlot);

	cache->counts.peak = Max(cache->counts.peak, (int64) bytes);
}

/* Adds a slot, without a value, for a key that has none. */
static CacheSlot *
add_slot(DetoastCache *cache, CacheKey key)
{
	Size limit = (Size) detoast_cache_size * 1024;
	slots_iterator iterator;
	CacheSlot *slot;
	bool found;

	/* slots without a value are dropped when there are many, so that this is seldom */
	if (cache->slots->members * sizeof(CacheSlot) * STRANGERS_SHARE > limit &&
		cache->strangers * 2 > cache->slots->members)
	{
		slots_start_iterate(cache->slots, &iterator);
		while ((slot = slots_iterate(cache->slots, &iterator)) != NULL)
		{
			if (slot->value == NULL)
				slots_delete_item(cache->slots, slot);
		}
		cache->counts.evictions += cache->strangers;
		cache->strangers = 0;
	}
	slot = slots_insert(cache->slots, key, &found);
	slot->value = NULL;
	slot->epoch = 0;
	slot->used = false;
	slot->prefetched = false;
	cache->strangers++;
	return slot;
}

/* Stores the value of a key in its slot, which is added if needed. */
static CacheSlot *
keep_value(DetoastCache *cache, CacheKey key, struct varlena *value)
{
	CacheSlot *slot = slots_lookup(cache->slots, key);

	if (slot == NULL)
		slot = add_slot(cache, key);
	cache->strangers--;
	slot->value = value;
	slot->used = false;
	slot->prefetched = true;
	log_set_key(value, &key);
	return slot;
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

const void *
cache_place(DetoastCache *cache, const struct varatt_external *pointer)
{
	CacheSlot *slot = slots_lookup(cache->slots, key_of(pointer));

	return slot ? slot->value : NULL;
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

/*
 * Reads a value into the log, within the limit, together with the other values of the
 * count OIDs from first on. NULL if there is no memory for it.
 */
static struct varlena *
read_into_log(DetoastCache *cache, const struct varatt_external *pointer, Oid first,
			  int count, Size limit)
{
	CacheKey key = key_of(pointer);
	struct varlena *values[TOAST_READ_MOST];
	bool complete[TOAST_READ_MOST] = {false};
	int asked = (int) (key.valueid - first);
	CacheSlot *slot;

	count = log_allocate(&cache->log, key.rawsize, limit, count, values);
	if (count == 0)
		return NULL;
	if (count <= asked)
	{
		/* reads as many as there is memory for, the needed one last */
		first = key.valueid - (count - 1);
		asked = count - 1;
	}
	if (toast_is_readable(pointer))
		toast_read(pointer, first, count, values, complete);
	if (!complete[asked])
	{
		struct varlena *value = fetch_value(pointer);

		/* the allocated memory has the size that the pointer says */
		if (VARSIZE(value) != (Size) pointer->va_rawsize)
			ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
							errmsg("a stored tensor of %d bytes has %zu",
								   pointer->va_rawsize, (Size) VARSIZE(value))));
		memcpy(values[asked], value, VARSIZE(value));
		pfree(value);
		complete[asked] = true;
	}
	for (int i = 0; i < count; i++)
	{
		key.valueid = first + i;
		if (complete[i])
			keep_value(cache, key, values[i]);
	}
	slot = slots_lookup(cache->slots, key_of(pointer));
	slot->epoch = cache->epoch;
	slot->prefetched = false;
	cache->readers++;
	note_peak(cache);
	return slot->value;
}

static bool
has_value(DetoastCache *cache, CacheKey key, Oid valueid)
{
	CacheSlot *slot;

	key.valueid = valueid;
	slot = slots_lookup(cache->slots, key);
	return slot && slot->value;
}

/*
 * Returns the number of OIDs around an expected value whose values are not cached yet,
 * and sets *first.
 */
static int
missing_around(DetoastCache *cache, const CacheKey *key, Oid *first)
{
	int most = Min(TOAST_READ_MOST, PREFETCH_BYTES / key->rawsize);
	Oid least = key->valueid - (key->valueid - cache->expected.valueid) % most;
	Oid greatest = least + Min((Oid) most - 1, cache->expected_greatest - least);

	*first = key->valueid;
	while (*first > least && !has_value(cache, *key, *first - 1))
		(*first)--;
	least = key->valueid;
	while (least < greatest && !has_value(cache, *key, least + 1))
		least++;
	return (int) (least - *first) + 1;
}

/*
 * If a stream asks for its next value, lets it read twice as many values at once, and
 * returns true.
 */
static bool
continue_stream(ValueStream *stream, const CacheKey *key, int most)
{
	if (stream->toastrelid != key->toastrelid ||
		key->valueid - stream->next > PREFETCH_GAP || key->valueid > PG_UINT32_MAX - most)
		return false;
	stream->prefetch_target = Min(stream->prefetch_target * 2, most);
	return true;
}

/* Returns how many values to read at once, from this one on. */
static int
prefetch_count(DetoastCache *cache, const CacheKey *key)
{
	int most = Min(TOAST_READ_MOST, PREFETCH_BYTES / key->rawsize);
	int count = 1;
	ValueStream *stream;

	for (int i = 0; i < STREAMS; i++)
	{
		stream = &cache->streams[i];
		if (!continue_stream(stream, key, most))
			continue;
		while (count < stream->prefetch_target &&
			   !has_value(cache, *key, key->valueid + count))
			count++;
		stream->next = key->valueid + count;
		return count;
	}
	stream = &cache->streams[cache->oldest_stream];
	cache->oldest_stream = (cache->oldest_stream + 1) % STREAMS;
	stream->toastrelid = key->toastrelid;
	stream->next = key->valueid + 1;
	stream->prefetch_target = 1;
	return 1;
}

/* Has cache_expect announced the value? */
static inline bool
is_expected(const DetoastCache *cache, const CacheKey *key)
{
	return key->toastrelid == cache->expected.toastrelid &&
		   key->rawsize == cache->expected.rawsize &&
		   key->valueid >= cache->expected.valueid &&
		   key->valueid <= cache->expected_greatest;
}

struct varlena *
cache_fetch(DetoastCache *cache, const struct varatt_external *pointer)
{
	CacheKey key = key_of(pointer);
	CacheSlot *slot = slots_lookup(cache->slots, key);
	Oid first = key.valueid;
	int count = 1;
	bool keep;

	if (slot && slot->value)
	{
		/* a prefetched value counts as used only from its second use on */
		slot->used = !slot->prefetched;
		cache->repeated += !slot->prefetched;
		slot->prefetched = false;
		slot->epoch = cache->epoch;
		cache->counts.hits++;
		cache->readers++;
		return slot->value;
	}
	cache->counts.misses++;
	if (slot)
		cache->repeated++;
	/* a scan reads each value once, so only values that are asked for again are kept */
	keep = slot != NULL ||
		   cache->repeated * KEEP_AT_ONCE > cache->counts.hits + cache->counts.misses;
	if (toast_is_readable(pointer))
	{
		if (is_expected(cache, &key))
		{
			keep = true;
			count = missing_around(cache, &key, &first);
		}
		else
			count = prefetch_count(cache, &key);
	}
	if (!keep && count == 1)
	{
		if (slot == NULL)
			add_slot(cache, key);
		note_peak(cache);
		return NULL;
	}
	return read_into_log(cache, pointer, first, count,
						 keep ? log_limit(cache) : Min(log_limit(cache), STREAM_BYTES));
}

void
cache_expect(DetoastCache *cache, const struct varatt_external *pointer, Oid least,
			 Oid greatest)
{
	Size bytes = ((Size) greatest - least + 1) * pointer->va_rawsize;

	/* if the values do not all fit, prefetched ones would be dropped before they are used */
	if (bytes > (Size) detoast_cache_size * 1024)
		return;
	cache->expected = key_of(pointer);
	cache->expected.valueid = least;
	cache->expected_greatest = greatest;
}

const struct varlena *
cache_beginning(DetoastCache *cache, const struct varatt_external *pointer)
{
	CacheKey key = key_of(pointer);
	ValueStream *scan = &cache->scan;
	Oid i = key.valueid - (scan->next - scan->prefetch_target);

	if (VARATT_EXTERNAL_IS_COMPRESSED(*pointer))
		return NULL;
	if (key.toastrelid != scan->toastrelid || i >= (Oid) scan->prefetch_target)
	{
		struct varlena *values[TOAST_READ_MOST];
		bool continued = continue_stream(scan, &key, TOAST_READ_MOST);

		if (!continued)
			scan->prefetch_target = 1;
		memset(cache->has_beginning, 0, sizeof(cache->has_beginning));
		scan->toastrelid = key.toastrelid;
		scan->next = key.valueid + scan->prefetch_target;
		i = 0;
		if (!continued)
			return NULL;
		for (int k = 0; k < scan->prefetch_target; k++)
			values[k] = &cache->beginnings[k].value;
		toast_read_beginnings(pointer, scan->prefetch_target, CACHE_BEGINNING, values,
							  cache->has_beginning);
	}
	if (!cache->has_beginning[i])
		return NULL;
	SET_VARSIZE(&cache->beginnings[i], key.rawsize);
	return &cache->beginnings[i].value;
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
 * einsum_cache_stats(): returns counts of the last query of this process that has ended
 * and has read values stored out of line.
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
