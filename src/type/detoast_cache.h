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
 * The flat form of a value that lies where the pointer says. It must not be
 * written to, and stays where it is until the caller, and everyone else who
 * has asked for a value since, has called release_cached. NULL if the value is
 * not kept; then there is nothing to release.
 */
extern struct varlena *cache_fetch(DetoastCache *cache,
								   const struct varatt_external *pointer);

/* Bytes of a value that cache_beginning gets, with the length word. */
#define CACHE_BEGINNING 128

/*
 * The first bytes of a value, for a scan that looks at each, until the cache is
 * asked for something else: those of the values stored after it are prefetched when
 * the scan is seen to go on with them. NULL if they are to be got otherwise.
 */
extern const struct varlena *cache_beginning(DetoastCache *cache,
											 const struct varatt_external *pointer);

/*
 * Says that nearly all values with these numbers will be asked for, in any order.
 */
extern void cache_expect(DetoastCache *cache, const struct varatt_external *pointer,
						 Oid least, Oid greatest);

/* The flat form of such a value in the current context, without a cache. */
extern struct varlena *fetch_value(const struct varatt_external *pointer);

/* Brings what cache_fetch will look at near the processor. */
extern void cache_prefetch(DetoastCache *cache, const struct varatt_external *pointer);

/*
 * Where the cache has a value, once it has been read; NULL if it has none. The value is
 * not held: it may be asked for, but not be read.
 */
extern const void *cache_place(DetoastCache *cache,
							   const struct varatt_external *pointer);

/*
 * As cache_fetch for the call's query and any value. NULL also if the value is
 * not on disk, or the call belongs to no query. *used is the cache to release.
 */
extern struct varlena *detoast_cached(FunctionCallInfo fcinfo, Datum value,
									  DetoastCache **used);

/* The caller reads one of its values no more. */
extern void release_cached(DetoastCache *cache);

/* Defines the setting; called when the library is loaded. */
extern void detoast_cache_init(void);

#endif
