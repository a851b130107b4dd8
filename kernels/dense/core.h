/*-------------------------------------------------------------------------
 *
 * core.h
 *	  Which processor's code OpenBLAS runs, and choosing it again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_DENSE_CORE_H
#define KERNELS_DENSE_CORE_H

/*
 * Has OpenBLAS run the best code that it has for this processor: see core.c.
 * To be called once, before the first product. Never fails.
 */
extern void blas_choose_core(void);

/* The name of the core whose code runs, as OpenBLAS calls it. */
extern const char *blas_core(void);

/* Why it is that core: a clause in English. */
extern const char *blas_core_reason(void);

/* The file of the BLAS library in use, or NULL where the system cannot tell. */
extern const char *blas_library(void);

#endif
