/*-------------------------------------------------------------------------
 *
 * normalize.h
 *	  Directed rewrites of expressions into the form that stages are cut from.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_NORMALIZE_H
#define EXPR_NORMALIZE_H

#include "expr/expr.h"

/* How far rewriting may go; each level includes those before it. */
typedef enum RewriteLevel
{
	REWRITE_NONE,        /* products and sums as written */
	REWRITE_REASSOCIATE, /* factors of a product in any order */
	REWRITE_DISTRIBUTE,  /* sums through products */
} RewriteLevel;

/*
 * Merges nested sums, takes sums through + and -, and takes a sum out of a
 * product where that repeats no work. A program is normalized to one level.
 */
extern TensorExpr *normalize_expr(Program *program, TensorExpr *expr, RewriteLevel level);

/* x of (x > 0) - (x < 0), which is sign(x) but for NaN; NULL of any other expression. */
extern TensorExpr *sign_argument(const TensorExpr *expr);

#endif
