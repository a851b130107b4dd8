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
 * Takes the factors that the sum over the aggregated labels does not concern out
 * of a product, where that is worth it: returns the product of those and of the
 * group that is the sum of the others, or NULL.
 */
extern TensorExpr *multiply_late(Algebra *algebra, TensorExpr *product,
								 const Bitmapset *aggregated);

#endif
