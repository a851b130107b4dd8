/*-------------------------------------------------------------------------
 *
 * large_memory.h
 *	  Memory for many values at once, in large pages where there are some.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_LARGE_MEMORY_H
#define TYPE_LARGE_MEMORY_H

#include "postgres.h"

/* As MemoryContextAllocHuge. */
extern void *allocate_large(MemoryContext context, Size size);

#endif
