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

/*
 * Merges nested sums, takes sums through + and -, and takes a sum out of a
 * product where that repeats no work.
 */
extern TensorExpr *normalize_expr(Program *program, TensorExpr *expr, RewriteLevel level);

/* x of (x > 0) - (x < 0), which is sign(x) but for NaN; NULL of any other expression. */
extern TensorExpr *sign_argument(const TensorExpr *expr);

#endif
