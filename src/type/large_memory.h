/*-------------------------------------------------------------------------
 *
 * large_memory.h
 *	  Memory for many values at once, in large pages where the system has them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_LARGE_MEMORY_H
#define TYPE_LARGE_MEMORY_H

#include "postgres.h"

/* MemoryContextAllocHuge, asking the system for large pages. */
extern void *allocate_large(MemoryContext context, Size size);

#endif
