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
 * power, negate, eq, ne, abs, real and imag (whose imaginary part is 0), conj,
 * sqrt, exp, ln, sin, cos and tanh. Callers refuse others; here they leave out
 * as it is.
 */
extern void elementwise_complex(FunctionId function, int noperands,
								const TensorView *const *operands, TensorView *out);
/*
 * out[0..n) = f(args[k][0..n)), "if" too; arguments of a complex type, a result
 * of it or of its real type. out may be args[0].
 */
extern void complex_loop(FunctionId function, ElementType type, ElementType result_type,
						 int64_t n, const void *const *args, void *out);
/* out = a / b without the rule that 0 / x is 0 */
extern void elementwise_complex_divide(const TensorView *const *operands,
									   TensorView *out);

#endif
