/*-------------------------------------------------------------------------
 *
 * workspace.h
 *	  Zeroed memory for intermediate results; on the stack if it is small.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_DENSE_WORKSPACE_H
#define KERNELS_DENSE_WORKSPACE_H

#include <string.h>

#include "kernels/memory.h"
#include "kernels/tensor_view.h"

/* A workspace of up to this many bytes is on the stack. */
#define LOCAL_BYTES 2048

typedef struct Workspace
{
	void *data;
	bool allocated;
	char local[LOCAL_BYTES] __attribute__((aligned(16)));
} Workspace;

/* Provides zeroed memory for count elements. */
static inline void
workspace_open(Workspace *workspace, ElementType type, int64_t count)
{
	size_t bytes;

	/* a size beyond the address space becomes SIZE_MAX, which the host refuses */
	if (__builtin_mul_overflow((size_t) count, element_size(type), &bytes))
		bytes = SIZE_MAX;
	workspace->allocated = bytes > LOCAL_BYTES;
	workspace->data =
		workspace->allocated ? kernel_host.allocate(bytes) : workspace->local;
	memset(workspace->data, 0, bytes);
}

static inline void
workspace_close(Workspace *workspace)
{
	if (workspace->allocated)
		kernel_host.release(workspace->data);
}

#endif
