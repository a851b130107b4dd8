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

/* sparseeinsum.cache_size, in kB */
extern int detoast_cache_size;

/* A value in the cache while a kernel reads it. */
typedef struct CachedValue CachedValue;

/*
 * The flat form of a value stored out of line, from the cache of the call's
 * query, and the entry to release when it has been read. NULL if the value is
 * not to be cached: it is not on disk, too large, or the call belongs to no
 * query.
 */
extern struct varlena *detoast_cached(FunctionCallInfo fcinfo, Datum value,
									  CachedValue **entry);

extern void release_cached(CachedValue *entry);

/* Defines the setting; called when the library is loaded. */
extern void detoast_cache_init(void);

#endif
