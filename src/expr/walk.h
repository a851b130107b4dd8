/*-------------------------------------------------------------------------
 *
 * walk.h
 *	  Walks through expressions that visit shared nodes once.
 *
 * An expression is a graph: written out as a tree, it may have exponentially
 * many nodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_WALK_H
#define EXPR_WALK_H

#include "expr/expr.h"

/* Where a walk continues after it has visited a node. */
typedef enum Walk
{
	WALK_BELOW, /* to its arguments */
	WALK_ON,    /* past them */
	WALK_END    /* nowhere: what was looked for is found */
} Walk;

typedef Walk (*ExprVisit)(const TensorExpr *expr, void *context);

/*
 * Visits an expression and all nodes below it, from left to right, each node before its
 * arguments. Returns true if a visit has ended the walk.
 */
extern bool walk_expr(const TensorExpr *expr, ExprVisit visit, void *context);

/*
 * Returns what takes the place of a node; NULL to keep the node and change its arguments.
 */
typedef TensorExpr *(*ExprChange)(TensorExpr *expr, void *context);

/*
 * Replaces nodes in an expression by what change returns for each; change is called once
 * for each node.
 */
extern TensorExpr *change_expr(Program *program, TensorExpr *expr, ExprChange change,
							   void *context);

/* Replaces one node in an expression by another one. */
extern TensorExpr *replace_expr(Program *program, TensorExpr *expr,
								const TensorExpr *node, TensorExpr *other);

#endif
