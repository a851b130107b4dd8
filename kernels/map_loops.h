/*-------------------------------------------------------------------------
 *
 * map_loops.h
 *	  What the two kinds of map kernels share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_MAP_LOOPS_H
#define KERNELS_MAP_LOOPS_H

#include "kernels/sweep.h"

/*
 * A sweep over the labels of an equation that folds what the program makes of
 * the operands into out: all but what evaluates a block.
 */
extern void map_loops(const MapProgram *program, const Equation *equation,
					  const TensorView *const *operands, Reduction reduction,
					  TensorView *out, Sweep *sweep);

#endif
