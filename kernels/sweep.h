/*-------------------------------------------------------------------------
 *
 * sweep.h
 *	  Evaluates something pointwise over all values of the labels, in blocks,
 *	  and stores or folds the results.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_SWEEP_H
#define KERNELS_SWEEP_H

#include "kernels/kernels.h"

/* Elements evaluated at once: a few blocks fit the first cache. Of complex16
 * there are half as many, so that a block of any type is of one size. */
#define SWEEP_BLOCK 256
#define SWEEP_BLOCK_BYTES (SWEEP_BLOCK * sizeof(double))

typedef struct SweepLoop
{
	int64_t extent;
	int64_t stride[MAP_MAX_OPERANDS]; /* of the operands, in elements */
	int64_t out_stride;               /* 0: the loop is folded */
} SweepLoop;

typedef struct Sweep Sweep;

/*
 * Computes n <= SWEEP_BLOCK results from n contiguous elements of each
 * operand; returns where they are: in target or anywhere else.
 */
typedef const void *(*SweepEvaluate)(const Sweep *sweep, int64_t n,
									 const void *const *operands, void *target);

struct Sweep
{
	ElementType type; /* of the results of evaluate */
	ElementType
		out_type; /* of the output: type, or where sums and products are folded the one of double precision */
	int noperands;
	ElementType operand_types[MAP_MAX_OPERANDS];
	const void *data[MAP_MAX_OPERANDS];
	void *out;
	bool store; /* every result has an element of its own; else fold */
	Reduction reduction;
	SweepEvaluate evaluate;
	const void *context; /* for evaluate */
	int64_t work;        /* operations per element, for interrupt checks */
	int nloops;
	SweepLoop loops[EQUATION_MAX_LABELS];
};

extern void sweep_run(Sweep *sweep);

/* out[i * stride] = fold(out[i * stride], values[i]); types as a sweep's */
extern void fold_elements(Reduction reduction, ElementType type, ElementType out_type,
						  int64_t n, const void *values, void *out, int64_t stride);
/* *out = fold(*out, all of values) */
extern void fold_all(Reduction reduction, ElementType type, ElementType out_type,
					 int64_t n, const void *values, void *out);

#endif
