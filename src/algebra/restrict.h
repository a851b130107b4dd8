/*-------------------------------------------------------------------------
 *
 * restrict.h
 *	  Sums that are needed only where something else is not 0.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_RESTRICT_H
#define ALGEBRA_RESTRICT_H

#include "algebra/algebra.h"

/*
 * The expression with sums below the functions of a product restricted to where
 * a factor of the product is not 0, for all products in it; the same one if there
 * are no such sums.
 *
 * Source: Galley, section 5 (sparsity patterns as factors); a[i,j] * exp(sum[k] ...)
 * of graph attention.
 */
extern TensorExpr *restrict_sums(Algebra *algebra, TensorExpr *expr);

#endif
