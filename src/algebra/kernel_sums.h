/*-------------------------------------------------------------------------
 *
 * kernel_sums.h
 *	  Sums that the kernel of their reader computes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_KERNEL_SUMS_H
#define ALGEBRA_KERNEL_SUMS_H

#include "algebra/algebra.h"

/*
 * The expression with sums below functions as kernel sums (expr_kernel_sum), wherever
 * a killer beside them says where they are needed; the same one if there are no such
 * sums. What is in it is not taken apart any more.
 */
extern TensorExpr *sums_in_kernels(Algebra *algebra, TensorExpr *expr);

/*
 * What one join is to compute of an expression with kernel sums, of which it may be a part
 * only: those that nothing in it decides any more are aggregates again.
 */
extern TensorExpr *sums_in_kernel(Algebra *algebra, TensorExpr *expr);

#endif
