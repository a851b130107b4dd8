/*-------------------------------------------------------------------------
 *
 * contraction.h
 *	  The order in which the factors of a product are joined and summed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_CONTRACTION_H
#define OPTIMIZER_CONTRACTION_H

#include "expr/expr.h"
#include "statistics/estimate.h"

/* Makes a stage of a part, sum[labels] product, and returns an access to it. */
typedef TensorExpr *(*ContractionCut)(void *context, TensorExpr *part);

/*
 * Finds the cheapest contraction path of a product whose aggregated labels are
 * summed out, and replaces the parts that sum something on the way by what cut
 * makes of them. Factors that sum nothing together stay in one flat product, as
 * far as one stage can read them all. *heuristic is set if they were too many to
 * look at all paths.
 */
extern TensorExpr *contract_product(Program *program, const Estimator *estimator,
									TensorExpr *product, Bitmapset *aggregated,
									ContractionCut cut, void *context, bool *heuristic);

#endif
