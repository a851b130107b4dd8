/*-------------------------------------------------------------------------
 *
 * assume.h
 *	  What a kernel may assume about its arguments.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_ASSUME_H
#define KERNELS_ASSUME_H

/*
 * Tells the reader and clang's analyzer that a condition holds. The unit tests check it;
 * otherwise it costs nothing.
 */
#if defined(KERNEL_CHECKS)
#include <assert.h>
#define ASSUME(condition) assert(condition)
#elif defined(__clang_analyzer__)
#define ASSUME(condition) ((condition) ? (void) 0 : __builtin_unreachable())
#else
#define ASSUME(condition) ((void) sizeof(condition))
#endif

#endif
