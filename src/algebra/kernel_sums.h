/*-------------------------------------------------------------------------
 *
 * kernel_sums.h
 *	  Sums that are computed in the kernel of the join that reads them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_KERNEL_SUMS_H
#define ALGEBRA_KERNEL_SUMS_H

#include "algebra/algebra.h"

/*
 * Returns the expression with sums below functions as kernel sums (expr_kernel_sum),
 * wherever a killer beside them decides where they are needed; the same expression if
 * there are no such sums. No other law is applied to the result.
 */
extern TensorExpr *sums_in_kernels(Algebra *algebra, TensorExpr *expr);

/*
 * Returns an expression with kernel sums, or a part of one, as one join is to compute it:
 * kernel sums for which no killer of this part decides where they are needed become
 * aggregates again.
 */
extern TensorExpr *sums_in_kernel(Algebra *algebra, TensorExpr *expr);

#endif
