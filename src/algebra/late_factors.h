/*-------------------------------------------------------------------------
 *
 * late_factors.h
 *	  Factors of a sum that are multiplied into its result.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_LATE_FACTORS_H
#define ALGEBRA_LATE_FACTORS_H

#include "algebra/algebra.h"

/*
 * Takes factors that have none of the aggregated labels out of a sum of a product, where
 * that pays. Returns the product of these factors and of the group that sums the others,
 * or NULL.
 */
extern TensorExpr *multiply_late(Algebra *algebra, TensorExpr *product,
								 const Bitmapset *aggregated);

#endif
