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

#include "compat.h"

/* sparseeinsum.cache_size, in kB */
extern int detoast_cache_size;

/* The cache of one query in this process. */
typedef struct DetoastCache DetoastCache;

/*
 * The cache of the query whose functions live in this context; NULL if the
 * cache is turned off. It lives as long as the context.
 */
extern DetoastCache *query_cache(MemoryContext query);

/*
 * The flat form of the value at a TOAST pointer, read-only. It stays in its place
 * until the caller and all later callers have called release_cached. NULL if the
 * cache does not keep the value; then there is nothing to release.
 */
extern struct varlena *cache_fetch(DetoastCache *cache,
								   const struct varatt_external *pointer);

/* Bytes of a value that cache_beginning returns, including the length word. */
#define CACHE_BEGINNING 128

/*
 * The first CACHE_BEGINNING bytes of a value, valid until the next call of the cache.
 * When a scan asks for values in their stored order, the beginnings of the next ones
 * are prefetched. NULL if the caller must read the value itself.
 */
extern const struct varlena *cache_beginning(DetoastCache *cache,
											 const struct varatt_external *pointer);

/*
 * Announces that nearly all values of the pointer's table with OIDs from least to
 * greatest will be asked for, in any order.
 */
extern void cache_expect(DetoastCache *cache, const struct varatt_external *pointer,
						 Oid least, Oid greatest);

/* The flat form of the value at a TOAST pointer, palloc'd, read without the cache. */
extern struct varlena *fetch_value(const struct varatt_external *pointer);

/* Prefetches into the processor's cache the hash slot that cache_fetch will read. */
extern void cache_prefetch(DetoastCache *cache, const struct varatt_external *pointer);

/*
 * The address of a value in the cache, for prefetching only, as the value is not
 * pinned; NULL if the cache does not have it.
 */
extern const void *cache_place(DetoastCache *cache,
							   const struct varatt_external *pointer);

/*
 * As cache_fetch for the call's query and any value. NULL also if the value is
 * not on disk, or the call belongs to no query. *used is the cache to release.
 */
extern struct varlena *detoast_cached(FunctionCallInfo fcinfo, Datum value,
									  DetoastCache **used);

/* Releases one value that the caller has got from the cache. */
extern void release_cached(DetoastCache *cache);

/* Defines the setting; called when the library is loaded. */
extern void detoast_cache_init(void);

#endif
