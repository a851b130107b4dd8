/*-------------------------------------------------------------------------
 *
 * ring_walk.h
 *	  Rewrites what is added and multiplied, wherever it is in an expression.
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
	/* the sums that are factors which are multiplied out: these, or all but these */
	const List *sums;
	bool all_but;
	/* what becomes of the products of a node; false if nothing does */
	bool (*rewrite)(struct RingWalk *walk, Expansion *expansion, List **products);
	int choice; /* for rewrite: which of the ways there are to begin */
	int most;   /* steps that rewrite may take in all */

	bool cancels; /* a square of a difference was multiplied out */
	int steps;
	SideTable *done[2];
} RingWalk;

/*
 * The expression with its sums of products rewritten; itself where there is nothing to
 * do. It has the same labels, type and fill, is normalized, and what is proven not to be
 * negative stays so.
 */
extern TensorExpr *walk_ring(RingWalk *walk, TensorExpr *expr);

#endif
