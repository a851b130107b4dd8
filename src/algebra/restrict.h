/*-------------------------------------------------------------------------
 *
 * restrict.h
 *	  Restricts sums to where another factor is not 0.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_RESTRICT_H
#define ALGEBRA_RESTRICT_H

#include "algebra/algebra.h"

/*
 * Returns the expression with all sums below functions in products restricted to where a
 * factor of the product is not 0; the same expression if there are no such sums.
 *
 * Source: Galley, section 5 (sparsity patterns as factors); a[i,j] * exp(sum[k] ...)
 * of graph attention.
 */
extern TensorExpr *restrict_sums(Algebra *algebra, TensorExpr *expr);

#endif
