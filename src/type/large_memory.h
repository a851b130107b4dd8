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

/*
 * Allocates memory like MemoryContextAllocHuge, and asks the system to use large pages
 * for it.
 */
extern void *allocate_large(MemoryContext context, Size size);

#endif
