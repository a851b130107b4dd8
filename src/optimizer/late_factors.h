/*-------------------------------------------------------------------------
 *
 * late_factors.h
 *	  Factors of a sum that are multiplied into its result.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_LATE_FACTORS_H
#define OPTIMIZER_LATE_FACTORS_H

#include "optimizer/contraction.h"

/*
 * Takes the factors that the sum over the aggregated labels does not concern out
 * of a product, where that is worth it: returns the product of what cut makes of
 * the sum of the others and of those, or NULL.
 */
extern TensorExpr *multiply_late(Program *program, const Estimator *estimator,
								 TensorExpr *product, const Bitmapset *aggregated,
								 ContractionCut cut, void *context);

#endif
