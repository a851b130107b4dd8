/*-------------------------------------------------------------------------
 *
 * elementwise.h
 *	  What elementwise_binary and elementwise_unary are made of.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_ELEMENTWISE_H
#define KERNELS_ELEMENTWISE_H

#include "kernels/kernels.h"

/*
 * The functions that complex numbers have: add, subtract, multiply, divide,
 * negate, eq, ne, abs (whose imaginary part is 0), sqrt, exp, ln, sin, cos and
 * tanh. Callers refuse others; here they leave out as it is.
 */
extern void elementwise_complex(FunctionId function, int noperands,
								const TensorView *const *operands, TensorView *out);
/* out = a / b without the rule that 0 / x is 0 */
extern void elementwise_complex_divide(const TensorView *const *operands,
									   TensorView *out);

#endif
