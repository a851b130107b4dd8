/*-------------------------------------------------------------------------
 *
 * map_loops.h
 *	  What the two kinds of map kernels share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_MAP_LOOPS_H
#define KERNELS_MAP_LOOPS_H

#include "kernels/dense/workspace.h"
#include "kernels/sweep.h"

/*
 * A sweep over the labels of an equation that folds what the program makes of
 * the operands into out: all but what evaluates a block.
 */
extern void map_loops(const MapProgram *program, const Equation *equation,
					  const TensorView *const *operands, Reduction reduction,
					  TensorView *out, Sweep *sweep);

/* Of a map's sum or product: the result in double precision, until it is rounded. */
typedef struct DoubleResult
{
	TensorView view;
	Workspace workspace;
} DoubleResult;

/*
 * A result to fold into in place of one of single precision into whose elements several values are folded; false if
 * there is no need. double_result_end folds it, rounded, into out.
 */
extern bool double_result_begin(DoubleResult *sum, const Equation *equation,
								Reduction reduction, const TensorView *out);
extern void double_result_end(DoubleResult *sum, Reduction reduction, TensorView *out);

#endif
