/*-------------------------------------------------------------------------
 *
 * prepared.h
 *	  An einsum of one or two operands of which all is settled that depends on
 *	  shapes only, for callers that run it again and again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_PREPARED_H
#define KERNELS_PREPARED_H

#include "kernels/dense/plan.h"
#include "kernels/equation.h"

typedef PreparedContraction PreparedEinsum;

/*
 * Prepares einsum_accumulate for operands and an output of these types, bounds
 * and strides. False if there are more than two operands, or it takes more than
 * one kernel; then einsum_accumulate is as good.
 */
extern bool einsum_prepare(const Equation *equation, const TensorView *const *operands,
						   const TensorView *out, PreparedEinsum *prepared);

/* out += scale * einsum, given the elements of the operands and of the output. */
extern void einsum_run(const PreparedEinsum *prepared, const void *const *operands,
					   double scale, void *out);

#endif
