/*-------------------------------------------------------------------------
 *
 * clones.h
 *	  Loops that are compiled twice, for any processor and for AVX2; the loader
 *	  chooses the AVX2 version on a processor that has it.
 *
 * KERNEL_CLONES is for loops over blocks in the first-level cache, which then
 * take up to half the time. AVX-512 was measured and gains nothing over AVX2.
 * Fused multiply-add is not enabled, so that results are the same bits on every
 * processor; KERNEL_CLONES_FUSED is for loops that replace a call of BLAS, which
 * promises no such thing.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_CLONES_H
#define KERNELS_CLONES_H

#include <limits.h> /* defines __GLIBC__ where there is one */

/*
 * The choice is a relocation by a function (ifunc), which only glibc has, and which runs
 * before the address sanitizer is ready.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) &&                    \
	!defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define KERNEL_CLONES __attribute__((target_clones("avx2", "default")))
#define KERNEL_CLONES_FUSED __attribute__((target_clones("fma", "default")))
#else
#define KERNEL_CLONES
#define KERNEL_CLONES_FUSED
#endif

#endif
