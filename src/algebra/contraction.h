/*-------------------------------------------------------------------------
 *
 * contraction.h
 *	  The order in which the factors of a product are joined and summed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_CONTRACTION_H
#define ALGEBRA_CONTRACTION_H

#include "algebra/semiring.h"

/*
 * Returns a product of a semiring, whose aggregated labels are to be summed out, as a
 * form along the cheapest contraction path. The leaves of the form are tensors,
 * aggregates and groups: parts that sum a label before the last join become groups.
 * Factors that sum nothing together stay in one flat product, as far as one stage can
 * read them all. *heuristic becomes true if there were too many factors to try all paths.
 * If there are more labels than an estimate can hold, some are summed first, and the rest
 * gets its path when these groups have been lowered.
 */
extern TensorExpr *contract_product(Algebra *algebra, const Semiring *semiring,
									TensorExpr *product, Bitmapset *aggregated,
									bool *heuristic);

/*
 * Was the product, of more factors than one join can order, chosen to be one loop nest?
 */
extern bool is_one_nest(const Algebra *algebra, const TensorExpr *product);

/*
 * Returns the contracted body of a sum, if its path is known: from an earlier request, or
 * from the path of a product that the sum was cut from. NULL if the path is still to be
 * found.
 */
extern TensorExpr *known_path(const Algebra *algebra, const TensorExpr *sum);

/* Records the contracted body of a sum for known_path. */
extern void note_path(Algebra *algebra, const TensorExpr *sum,
					  const TensorExpr *contracted);

#endif
