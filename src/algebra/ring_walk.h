/*-------------------------------------------------------------------------
 *
 * ring_walk.h
 *	  Rewrites the sums of products in all parts of an expression.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_RING_WALK_H
#define ALGEBRA_RING_WALK_H

#include "algebra/products.h"

/* A way to rewrite the sums of products in an expression. */
typedef struct RingWalk
{
	Algebra *algebra;
	/* sums among the factors that are multiplied out: these, or all but these */
	const List *sums;
	bool all_but;
	/* rewrites the products of a node; false if nothing changes */
	bool (*rewrite)(struct RingWalk *walk, Expansion *expansion, List **products);
	int choice; /* for rewrite: which of several factors it takes first */
	int most;   /* steps that rewrite may take in all */

	bool cancels; /* a square of a difference was multiplied out */
	int steps;
	SideTable *done[2];
} RingWalk;

/*
 * Returns the expression with its sums of products rewritten; the same expression if
 * there is nothing to do. The result is normalized, has the same labels, type and fill,
 * and is still proven not negative if the expression is.
 */
extern TensorExpr *walk_ring(RingWalk *walk, TensorExpr *expr);

#endif
