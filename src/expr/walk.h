/*-------------------------------------------------------------------------
 *
 * walk.h
 *	  Walks through expressions, which visit what is shared once.
 *
 * An expression is a graph: written out as a tree it may have exponentially many nodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_WALK_H
#define EXPR_WALK_H

#include "expr/expr.h"

/* Where a walk goes after a node. */
typedef enum Walk
{
	WALK_BELOW, /* to its arguments */
	WALK_ON,    /* past them */
	WALK_END    /* nowhere: what was looked for is found */
} Walk;

typedef Walk (*ExprVisit)(const TensorExpr *expr, void *context);

/* Visits an expression and what is below it, from the left, each node before its arguments. Was one the end? */
extern bool walk_expr(const TensorExpr *expr, ExprVisit visit, void *context);

/* What takes the place of a node; NULL: itself, with its arguments changed. */
typedef TensorExpr *(*ExprChange)(TensorExpr *expr, void *context);

/* An expression with nodes in it replaced, each asked for once. */
extern TensorExpr *change_expr(Program *program, TensorExpr *expr, ExprChange change,
							   void *context);

/* An expression with one node in it replaced by another. */
extern TensorExpr *replace_expr(Program *program, TensorExpr *expr,
								const TensorExpr *node, TensorExpr *other);

#endif
