/*-------------------------------------------------------------------------
 *
 * constants.h
 *	  Numbers that an expression is multiplied or divided by.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_CONSTANTS_H
#define EXPR_CONSTANTS_H

#include "expr/expr.h"

/*
 * Is the expression another one times or divided by a number, or negated?
 * Then *core is that other one.
 */
extern bool is_scaled(const TensorExpr *expr, TensorExpr **core);

/* The same scaling of another core, as one scaling if the core has one of its own. */
extern TensorExpr *scale_like(Program *program, const TensorExpr *scaled,
							  TensorExpr *core);

/*
 * Where an expression and what it scales are both multiplied by real numbers, their product times
 * what is scaled; else the expression.
 */
extern TensorExpr *merge_scales(Program *program, TensorExpr *expr);

#endif
