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
 * Of complex numbers, with a result of their type: imaginary part 0 where it is real. Callers
 * refuse functions that complex numbers do not have; here they leave out as it is.
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
