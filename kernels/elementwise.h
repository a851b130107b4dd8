/*-------------------------------------------------------------------------
 *
 * elementwise.h
 *	  The loops of elementwise_binary and elementwise_unary over complex numbers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_ELEMENTWISE_H
#define KERNELS_ELEMENTWISE_H

#include "kernels/kernels.h"

/*
 * Applies a function to complex tensors; out is complex too, with imaginary part 0 where
 * the result is real. If complex numbers do not have the function, out stays as it is;
 * callers report that before.
 */
extern void elementwise_complex(FunctionId function, int noperands,
								const TensorView *const *operands, TensorView *out);
/*
 * out[0..n) = f(args[k][0..n)), including "if", for arguments of a complex type; the
 * result is of that type or of its real type. out may be args[0].
 */
extern void complex_loop(FunctionId function, ElementType type, ElementType result_type,
						 int64_t n, const void *const *args, void *out);
/* out = a / b without the rule that 0 / x is 0 */
extern void elementwise_complex_divide(const TensorView *const *operands,
									   TensorView *out);

#endif
