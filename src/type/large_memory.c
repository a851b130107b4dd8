/*-------------------------------------------------------------------------
 *
 * large_memory.c
 *	  Memory for many values at once, in large pages where there are some.
 *
 * Values that are read in no order, a few kB each, lie on other pages than the
 * last: the processor's table of pages holds a few MB of the usual 4 kB, and a page
 * that is written for the first time interrupts for each 4 kB. With pages of 2 MB
 * a product of an adjacency with features of 84 MB takes a tenth less time. Linux
 * gives them to whoever asks, as numpy does for its arrays.
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

		/* a wish: a kernel without such pages is as good */
		(void) madvise(begin, end - begin, MADV_HUGEPAGE);
	}
#endif
	return memory;
}
