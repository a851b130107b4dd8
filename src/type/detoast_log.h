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

/* Identifies a value by the place where it is stored: the fields of a TOAST pointer. */
typedef struct CacheKey
{
	Oid toastrelid;
	Oid valueid;
	int32 rawsize;
	uint32 extinfo;
} CacheKey;

/* What happens to a value when its region is reused. */
typedef enum LogFate
{
	LOG_DROP,
	LOG_KEEP,
	LOG_IN_USE, /* the value is being read: it must not move */
} LogFate;

typedef struct DetoastLog
{
	MemoryContext memory;
	dlist_head regions; /* the last one is being filled */
	int nregions;
	Size bytes; /* of all regions */
	void *owner;
	/*
	 * Callbacks for each value in a region that is reused: fate decides what happens to
	 * the value; moved and dropped report what has happened.
	 */
	LogFate (*fate)(void *owner, const CacheKey *key);
	void (*moved)(void *owner, const CacheKey *key, struct varlena *value);
	void (*dropped)(void *owner, const CacheKey *key);
} DetoastLog;

/* Initialises an empty log; its regions are allocated in this context. */
extern void log_init(DetoastLog *log, MemoryContext memory);

/*
 * Allocates memory for up to count values of size bytes each; returns for how many it has
 * found memory within the limit. Memory is free for the next log_allocate unless
 * log_set_key has given it a key.
 */
extern int log_allocate(DetoastLog *log, Size size, Size limit, int count,
						struct varlena **values);

/* Records which value this memory, from log_allocate, now holds. */
extern void log_set_key(struct varlena *value, const CacheKey *key);

#endif
