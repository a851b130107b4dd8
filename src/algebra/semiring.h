/*-------------------------------------------------------------------------
 *
 * semiring.h
 *	  An aggregate and the function that it distributes over.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_SEMIRING_H
#define ALGEBRA_SEMIRING_H

#include "algebra/algebra.h"

/* Larger expressions are not taken apart; a shared part counts once for each use. */
#define SEMIRING_MAX_NODES 1000

/*
 * aggregate[j] product(x[j], y) is product(aggregate[j] x[j], y), and the product is
 * associative and commutative: it can be contracted along any path.
 */
typedef struct Semiring
{
	AggregateOperator aggregate;
	FunctionId product;
} Semiring;

extern const Semiring sums_of_products;

/*
 * Finds the semiring in which an aggregate of body can be contracted, by what is proven
 * about body; false if there is no such semiring.
 */
extern bool find_semiring(Algebra *algebra, AggregateOperator aggregate, TensorExpr *body,
						  const Bitmapset *aggregated, Semiring *semiring);

/*
 * Rewrites x <> 0. For a product x the result is the product of the same test of its
 * factors; for a sum of nonnegative terms it is the greatest of the tests of its terms.
 * any and all, the greatest and the least truth value, distribute over these. Returns
 * other expressions unchanged. Numbers so small that their product is 0 count as not 0.
 */
extern TensorExpr *truth_of_factors(Algebra *algebra, TensorExpr *expr);

#endif
