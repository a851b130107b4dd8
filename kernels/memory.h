/*-------------------------------------------------------------------------
 *
 * memory.h
 *	  What the kernels need from their host program: work memory, and a hook to be
 *	  interrupted. The defaults are malloc and no interrupts; the extension sets
 *	  palloc and CHECK_FOR_INTERRUPTS. Either hook may leave by longjmp: kernels hold
 *	  no other resources that would leak.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_MEMORY_H
#define KERNELS_MEMORY_H

#include <stddef.h>

typedef struct KernelHost
{
	void *(*allocate)(size_t bytes); /* never returns NULL */
	void (*release)(void *memory);
	void (*check_interrupts)(void);
} KernelHost;

extern KernelHost kernel_host;

#endif
