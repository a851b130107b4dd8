/*-------------------------------------------------------------------------
 *
 * memory.h
 *	  What the kernels need from their host: work memory and a place to be
 *	  interrupted. Defaults are malloc and nothing; the extension sets palloc
 *	  and CHECK_FOR_INTERRUPTS. Either hook may leave by longjmp: kernels hold
 *	  nothing else that would leak.
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
