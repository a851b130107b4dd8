/*-------------------------------------------------------------------------
 *
 * assume.h
 *	  What a kernel may take for granted of its arguments.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_ASSUME_H
#define KERNELS_ASSUME_H

/* Tells the reader, and clang's analyzer. The unit tests check it; else it costs nothing. */
#if defined(KERNEL_CHECKS)
#include <assert.h>
#define ASSUME(condition) assert(condition)
#elif defined(__clang_analyzer__)
#define ASSUME(condition) ((condition) ? (void) 0 : __builtin_unreachable())
#else
#define ASSUME(condition) ((void) sizeof(condition))
#endif

#endif
