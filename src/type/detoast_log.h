/*-------------------------------------------------------------------------
 *
 * detoast_log.h
 *	  The memory of the cache of detoasted values: a log of regions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_DETOAST_LOG_H
#define TYPE_DETOAST_LOG_H

#include "postgres.h"

#include "lib/ilist.h"

/* Where a value is stored, which it is known by. */
typedef struct CacheKey
{
	Oid toastrelid;
	Oid valueid;
	int32 rawsize;
	uint32 extinfo;
} CacheKey;

/* What becomes of a value when its region is to be used again. */
typedef enum LogFate
{
	LOG_DROP,
	LOG_KEEP,
	LOG_IN_USE, /* it must stay in its place */
} LogFate;

typedef struct DetoastLog
{
	MemoryContext memory;
	dlist_head regions; /* the last one is being filled */
	int nregions;
	Size bytes; /* of all regions */
	void *owner;
	/* Asked of each value in a region, and told what has been decided. */
	LogFate (*fate)(void *owner, const CacheKey *key);
	void (*moved)(void *owner, const CacheKey *key, struct varlena *value);
	void (*dropped)(void *owner, const CacheKey *key);
} DetoastLog;

/* Makes a log empty; regions are allocated in this context, and go with it. */
extern void log_init(DetoastLog *log, MemoryContext memory);

/*
 * Memory for up to count values of the given bytes each; returns for how many
 * there is memory within the limit. It may be used for others when log_allocate is called
 * again, unless it has got a key.
 */
extern int log_allocate(DetoastLog *log, Size size, Size limit, int count,
						struct varlena **values);

/* Says which value is now in this memory. */
extern void log_set_key(struct varlena *value, const CacheKey *key);

#endif
