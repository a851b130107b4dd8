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

/*
 * Scales another core as an expression is scaled, by one number if the core is scaled
 * itself.
 */
extern TensorExpr *scale_like(Program *program, const TensorExpr *scaled,
							  TensorExpr *core);

/*
 * If an expression scales a scaled expression, both by real numbers, returns one scaling
 * by their product; otherwise the expression.
 */
extern TensorExpr *merge_scales(Program *program, TensorExpr *expr);

#endif
