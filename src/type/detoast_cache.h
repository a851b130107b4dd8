/*-------------------------------------------------------------------------
 *
 * detoast_cache.h
 *	  Values stored out of line, fetched once per query.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_DETOAST_CACHE_H
#define TYPE_DETOAST_CACHE_H

#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "compat.h"

/* sparseeinsum.cache_size, in kB */
extern int detoast_cache_size;

/* Returns the bytes of tensors that a plan node may keep. */
static inline Size
tensor_memory_limit(void)
{
	return detoast_cache_size > 0 ? (Size) detoast_cache_size * 1024
								  : get_hash_memory_limit();
}

/* The cache of one query in this process. */
typedef struct DetoastCache DetoastCache;

/*
 * Returns the cache of the query whose functions are set up in this memory context; NULL
 * if the cache is turned off. The cache lives as long as the context.
 */
extern DetoastCache *query_cache(MemoryContext query);

/*
 * Returns the flat form of the value at a TOAST pointer, read-only. It stays in memory
 * until this caller and all later ones have called release_cached. NULL if the cache does
 * not keep the value; then there is nothing to release.
 */
extern struct varlena *cache_fetch(DetoastCache *cache,
								   const struct varatt_external *pointer);

/* Bytes of a value that cache_beginning returns, including the length word. */
#define CACHE_BEGINNING 128

/*
 * Returns the first CACHE_BEGINNING bytes of a value, valid until the next call of the
 * cache. When a scan asks for values in their stored order, the first bytes of the next
 * values are prefetched. NULL if the caller must read the value itself.
 */
extern const struct varlena *cache_beginning(DetoastCache *cache,
											 const struct varatt_external *pointer);

/*
 * Tells the cache that nearly all values of the pointer's table with OIDs from least to
 * greatest will be asked for, in any order, so that misses read neighbours, too.
 */
extern void cache_expect(DetoastCache *cache, const struct varatt_external *pointer,
						 Oid least, Oid greatest);

/*
 * Returns the flat form of the value at a TOAST pointer, palloc'd, read without the
 * cache.
 */
extern struct varlena *fetch_value(const struct varatt_external *pointer);

/* Prefetches into the processor's cache the hash slot that cache_fetch will read. */
extern void cache_prefetch(DetoastCache *cache, const struct varatt_external *pointer);

/*
 * Returns the address of a value in the cache, for prefetching only, since the value may
 * move; NULL if it is not in the cache.
 */
extern const void *cache_place(DetoastCache *cache,
							   const struct varatt_external *pointer);

/*
 * Does the same as cache_fetch for the cache of the call's query and any value, and sets
 * *used to the cache, for release_cached. NULL also if the value is not on disk, or the
 * call belongs to no query.
 */
extern struct varlena *detoast_cached(FunctionCallInfo fcinfo, Datum value,
									  DetoastCache **used);

/* Releases one value that the caller has got from the cache. */
extern void release_cached(DetoastCache *cache);

/* Defines the setting; called when the library is loaded. */
extern void detoast_cache_init(void);

#endif
