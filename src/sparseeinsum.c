/*-------------------------------------------------------------------------
 *
 * sparseeinsum.c
 *	  The library: its magic block and what happens when it is loaded.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <cblas.h>

#include "compat.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "catalog/registration.h"
#include "commands/call_hints.h"
#include "kernels/dense/core.h"
#include "kernels/memory.h"
#include "optimizer/settings.h"
#include "planner/custom_nodes.h"
#include "planner/jit.h"
#include "planner/planner_hooks.h"
#include "recursion.h"
#include "type/detoast_cache.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static void *
host_allocate(size_t bytes)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, bytes);
}

static void
host_release(void *memory)
{
	pfree(memory);
}

static void
host_check_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

/*
 * Lends the kernels PostgreSQL's memory and interrupts, has BLAS run this
 * processor's code, and makes sure that the BLAS found at run time is a serial
 * one: threads inside a backend share its signal handlers and multiply with
 * max_connections.
 */
void
_PG_init(void)
{
	kernel_host.allocate = host_allocate;
	kernel_host.release = host_release;
	kernel_host.check_interrupts = host_check_interrupts;
	blas_choose_core();
	catalog_init();
	detoast_cache_init();
	custom_nodes_init();
	recursion_init();
	optimizer_init();
	planner_hooks_init();
	jit_init();
	call_hints_init();

	if (openblas_get_parallel() != OPENBLAS_SEQUENTIAL)
		ereport(WARNING,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("sparseeinsum runs with a multithreaded OpenBLAS"),
				 errdetail("The library starts threads inside every backend."),
				 errhint("Install the serial OpenBLAS (Debian: libopenblas0-serial).")));
}
