/*-------------------------------------------------------------------------
 *
 * clones.h
 *	  Loops that are compiled once more for AVX2, and chosen when the library
 *	  is loaded on a processor that has it.
 *
 * For loops over blocks that lie in the first cache, which take up to half the
 * time then. AVX-512 was measured and gains nothing over it. Fused
 * multiplication and addition is not enabled, so that results are the same
 * bits on every processor; KERNEL_CLONES_FUSED is for what would otherwise be
 * a call of BLAS, which promises no such thing.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_CLONES_H
#define KERNELS_CLONES_H

#include <limits.h> /* defines __GLIBC__ where there is one */

/* The choice is a relocation by a function, which only glibc has, and which
 * runs before the address sanitizer is ready. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) &&                    \
	!defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define KERNEL_CLONES __attribute__((target_clones("avx2", "default")))
#define KERNEL_CLONES_FUSED __attribute__((target_clones("fma", "default")))
#else
#define KERNEL_CLONES
#define KERNEL_CLONES_FUSED
#endif

#endif
