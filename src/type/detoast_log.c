/*-------------------------------------------------------------------------
 *
 * detoast_log.c
 *	  The memory of the cache of detoasted values: a log of regions.
 *
 * Values are laid one behind the other into regions of up to 16 MB. When there
 * may be no more regions, the oldest is used again: values that have been asked
 * for since it was last looked at are moved to its front, the others are
 * dropped. That is the clock algorithm (Corbato 1968) as a log: in whatever
 * sizes values come, there are no holes between them.
 *
 * A query that reads little begins with a small region.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "type/detoast_log.h"
#include "type/large_memory.h"

#define FIRST_REGION ((Size) 64 * 1024)
#define LARGEST_REGION ((Size) 16 * 1024 * 1024)

/*
 * The least number of regions. A region is at most an eighth of the limit, so that old
 * values can be dropped without the others.
 */
#define LEAST_REGIONS 8

/* A value larger than this fraction (a quarter) of a region gets a region of its own. */
#define REGION_SHARE 4

#define LINE 64

typedef struct LogRegion
{
	dlist_node node; /* in regions */
	Size size;       /* in bytes, including this struct */
	Size used;       /* bytes from start on */
	char *start;     /* aligned to a line of the processor's cache */
} LogRegion;

/*
 * The header of each value in a region. It is sized so that the elements of a vector or
 * matrix begin at a cache line.
 */
typedef struct LoggedValue
{
	CacheKey key; /* invalid toastrelid: no value */
	Size size;    /* in bytes, including this struct */
	char padding[LINE - 2 * 8 - sizeof(CacheKey) - sizeof(Size)];
} LoggedValue;

#define LOGGED_DATA(logged) ((struct varlena *) ((char *) (logged) + sizeof(LoggedValue)))

void
log_init(DetoastLog *log, MemoryContext memory)
{
	log->memory = memory;
	dlist_init(&log->regions);
	log->nregions = 0;
	log->bytes = 0;
}

static LogRegion *
add_region(DetoastLog *log, Size size)
{
	LogRegion *region = allocate_large(log->memory, size);

	region->size = size;
	region->used = 0;
	region->start = (char *) TYPEALIGN(LINE, region + 1);
	dlist_push_tail(&log->regions, &region->node);
	log->nregions++;
	log->bytes += size;
	return region;
}

/* Returns the bytes that are free in a region. */
static inline Size
region_room(const LogRegion *region)
{
	return (Size) ((const char *) region + region->size - region->start) - region->used;
}

/* Is a value in the region being read? */
static bool
region_in_use(DetoastLog *log, LogRegion *region)
{
	for (Size at = 0; at < region->used;)
	{
		LoggedValue *logged = (LoggedValue *) (region->start + at);

		if (OidIsValid(logged->key.toastrelid) &&
			log->fate(log->owner, &logged->key) == LOG_IN_USE)
			return true;
		at += logged->size;
	}
	return false;
}

/* Removes from the region all values that are not kept; moves the others to its front. */
static void
sweep_region(DetoastLog *log, LogRegion *region)
{
	Size to = 0;

	for (Size at = 0; at < region->used;)
	{
		LoggedValue *logged = (LoggedValue *) (region->start + at);
		LoggedValue *target = (LoggedValue *) (region->start + to);
		CacheKey key = logged->key;
		Size size = logged->size;

		at += size;
		if (!OidIsValid(key.toastrelid))
			continue;
		if (log->fate(log->owner, &key) == LOG_DROP)
		{
			log->dropped(log->owner, &key);
			continue;
		}
		if (target != logged)
			memmove(target, logged, size);
		log->moved(log->owner, &key, LOGGED_DATA(target));
		to += size;
	}
	region->used = to;
}

/* Returns a region with this many bytes free, or NULL. */
static LogRegion *
find_region(DetoastLog *log, Size need, Size limit)
{
	Size overhead = sizeof(LogRegion) + LINE;
	Size usual =
		Min(Min(LARGEST_REGION, limit / LEAST_REGIONS), Max(FIRST_REGION, log->bytes));

	if (need > limit || overhead > limit - need)
		return NULL;
	if (!dlist_is_empty(&log->regions))
	{
		LogRegion *last = dlist_tail_element(LogRegion, node, &log->regions);

		if (region_room(last) >= need)
			return last;
	}
	if (need > usual / REGION_SHARE)
		usual = need + overhead;
	if (log->bytes <= limit - usual)
		return add_region(log, usual);

	/* two rounds: in the first, values may only lose their marks of use */
	for (int tries = 2 * log->nregions; tries > 0; tries--)
	{
		LogRegion *region = dlist_head_element(LogRegion, node, &log->regions);
		bool small = region->size < need + overhead;

		dlist_delete(&region->node);
		dlist_push_tail(&log->regions, &region->node);
		if (region_in_use(log, region))
			continue;
		sweep_region(log, region);
		if (region_room(region) >= need)
			return region;
		if (small && region->used == 0)
		{
			dlist_delete(&region->node);
			log->nregions--;
			log->bytes -= region->size;
			pfree(region);
			if (log->bytes <= limit - usual)
				return add_region(log, usual);
		}
	}
	return NULL;
}

int
log_allocate(DetoastLog *log, Size size, Size limit, int count, struct varlena **values)
{
	Size need = TYPEALIGN(LINE, sizeof(LoggedValue) + size);
	LogRegion *region = find_region(log, need, limit);
	int n = 0;

	for (; region && n < count && region_room(region) >= need; n++)
	{
		LoggedValue *logged = (LoggedValue *) (region->start + region->used);

		region->used += need;
		memset(&logged->key, 0, sizeof(CacheKey));
		logged->size = need;
		values[n] = LOGGED_DATA(logged);
	}
	return n;
}

void
log_set_key(struct varlena *value, const CacheKey *key)
{
	((LoggedValue *) ((char *) value - sizeof(LoggedValue)))->key = *key;
}
