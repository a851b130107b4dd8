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
 * A product of a semiring whose aggregated labels are summed out, in its words, along the cheapest contraction
 * path: a form whose leaves are tensors, aggregates and groups. The parts that sum
 * something on the way have become groups. Factors that sum nothing together stay
 * in one flat product, as far as one stage can read them all. *heuristic becomes true if
 * they were too many to look at all paths. Where there are more labels than an estimate has
 * room for, some of them are summed, and the product has a path when these groups
 * have been lowered.
 */
extern TensorExpr *contract_product(Algebra *algebra, const Semiring *semiring,
									TensorExpr *product, Bitmapset *aggregated,
									bool *heuristic);

/* Was a product of more factors than one join can order chosen to be one loop nest, with its labels as they are? */
extern bool is_one_nest(const Algebra *algebra, const TensorExpr *product);

/*
 * What is summed in a sum whose path is known, since that of a product in which it was cut off
 * told how, or since it was asked for before: as contract_product returns it. NULL: its own path
 * is to be found.
 */
extern TensorExpr *known_path(const Algebra *algebra, const TensorExpr *sum);

/* What is summed in a sum has been found. */
extern void note_path(Algebra *algebra, const TensorExpr *sum,
					  const TensorExpr *contracted);

#endif
