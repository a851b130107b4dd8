/*-------------------------------------------------------------------------
 *
 * map_loops.h
 *	  What map.c and map_typed.c have in common.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_MAP_LOOPS_H
#define KERNELS_MAP_LOOPS_H

#include "kernels/dense/workspace.h"
#include "kernels/sweep.h"

/*
 * Prepares a sweep over the labels of an equation that folds the program's values into
 * out; the caller adds the function that evaluates a block.
 */
extern void map_loops(const MapProgram *program, const Equation *equation,
					  const TensorView *const *operands, Reduction reduction,
					  TensorView *out, Sweep *sweep);

/* The result of a map's sum or product in double precision, before it is rounded. */
typedef struct DoubleResult
{
	TensorView view;
	Workspace workspace;
} DoubleResult;

/*
 * Prepares a result of double precision to fold into, in place of an out of single
 * precision. False if that is not needed, as at most one value is folded into each
 * element. double_result_end folds the rounded result into out.
 */
extern bool double_result_begin(DoubleResult *sum, const Equation *equation,
								Reduction reduction, const TensorView *out);
extern void double_result_end(DoubleResult *sum, Reduction reduction, TensorView *out);

#endif
