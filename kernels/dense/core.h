/*-------------------------------------------------------------------------
 *
 * core.h
 *	  Which processor's code OpenBLAS runs, and how it is made to choose again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_DENSE_CORE_H
#define KERNELS_DENSE_CORE_H

/*
 * Makes OpenBLAS run the best code that it has for this processor: see core.c. Call it
 * once, before the first product. Never fails.
 */
extern void blas_choose_core(void);

/* Returns the name of the core whose code OpenBLAS runs. */
extern const char *blas_core(void);

/* Returns why the code of that core runs: a clause in English. */
extern const char *blas_core_reason(void);

/* Returns the file of the BLAS library in use; NULL where the system cannot tell. */
extern const char *blas_library(void);

#endif
