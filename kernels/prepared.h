/*-------------------------------------------------------------------------
 *
 * prepared.h
 *	  An einsum of one or two operands that is prepared once for operands of certain
 *	  shapes, for callers that run it again and again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_PREPARED_H
#define KERNELS_PREPARED_H

#include "kernels/dense/plan.h"
#include "kernels/equation.h"

typedef PreparedContraction PreparedEinsum;

/*
 * Prepares einsum_accumulate for operands and an output of these types, bounds and
 * strides. False if there are more than two operands or one kernel is not enough;
 * einsum_accumulate is as good then.
 */
extern bool einsum_prepare(const Equation *equation, const TensorView *const *operands,
						   const TensorView *out, PreparedEinsum *prepared);

/* out += scale * einsum; operands and out point to elements. */
extern void einsum_run(const PreparedEinsum *prepared, const void *const *operands,
					   double scale, void *out);

#endif
