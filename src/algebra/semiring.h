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

/* What is larger is not taken apart: shared parts count each time. */
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
 * The semiring in which an aggregate of an expression can be contracted, by what is
 * proven of it; false if not found.
 */
extern bool find_semiring(Algebra *algebra, AggregateOperator aggregate, TensorExpr *body,
						  const Bitmapset *aggregated, Semiring *semiring);

/*
 * x <> 0 of a product as the product of the same of its factors, and of a sum of what is not
 * negative as the greatest of its terms': any and all, which are the greatest and least of
 * it, distribute over these. The expression itself, if it is something else. Numbers so
 * small that their product is 0 are not 0 here.
 */
extern TensorExpr *truth_of_factors(Algebra *algebra, TensorExpr *expr);

#endif
