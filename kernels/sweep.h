/*-------------------------------------------------------------------------
 *
 * sweep.h
 *	  Evaluates a pointwise function or program over all values of the labels, in
 *	  blocks, and stores or folds the results.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_SWEEP_H
#define KERNELS_SWEEP_H

#include "kernels/kernels.h"

/*
 * Elements of a block: a few blocks fit the first-level cache. A block of complex16 has
 * half as many, so that blocks of all types have the same size.
 */
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
 * Computes n <= SWEEP_BLOCK results from n contiguous elements of each operand. Returns
 * where the results are: target or elsewhere.
 */
typedef const void *(*SweepEvaluate)(const Sweep *sweep, int64_t n,
									 const void *const *operands, void *target);

struct Sweep
{
	ElementType type; /* of the results of evaluate */
	ElementType
		out_type; /* of the output: type, or for sums and products its double precision */
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

/* out[i * stride] = fold(out[i * stride], values[i]); types as in a Sweep */
extern void fold_elements(Reduction reduction, ElementType type, ElementType out_type,
						  int64_t n, const void *values, void *out, int64_t stride);
/* *out = fold(*out, all of values) */
extern void fold_all(Reduction reduction, ElementType type, ElementType out_type,
					 int64_t n, const void *values, void *out);

#endif
