/*-------------------------------------------------------------------------
 *
 * normalize.h
 *	  Rewrites expressions into the normal form that stages are cut from.
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

/*
 * Returns x of (x > 0) - (x < 0), which is sign(x) except for NaN; NULL for other
 * expressions.
 */
extern TensorExpr *sign_argument(const TensorExpr *expr);

#endif
