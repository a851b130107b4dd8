/*-------------------------------------------------------------------------
 *
 * memory.c
 *	  The default host of the kernels: malloc, and no interrupts.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/memory.h"

static void *
default_allocate(size_t bytes)
{
	void *memory = malloc(bytes > 0 ? bytes : 1);

	if (memory == NULL)
	{
		fprintf(stderr, "kernels: out of memory (%zu bytes)\n", bytes);
		abort();
	}
	return memory;
}

static void
default_check_interrupts(void)
{
}

KernelHost kernel_host = {
	.allocate = default_allocate,
	.release = free,
	.check_interrupts = default_check_interrupts,
};
