/*-------------------------------------------------------------------------
 *
 * constants.h
 *	  Numbers by which an expression is multiplied or divided.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_CONSTANTS_H
#define EXPR_CONSTANTS_H

#include "expr/expr.h"

/*
 * Is the expression another one that is multiplied or divided by a number, or negated?
 * Sets *core to that other expression.
 */
extern bool is_scaled(const TensorExpr *expr, TensorExpr **core);

/*
 * Scales core in the way that the expression scaled is scaled. If core is scaled itself,
 * both scales become one number.
 */
extern TensorExpr *scale_like(Program *program, const TensorExpr *scaled,
							  TensorExpr *core);

/*
 * If an expression scales a scaled expression, and both scales are real numbers, returns
 * an expression that scales by their product; otherwise returns the expression.
 */
extern TensorExpr *merge_scales(Program *program, TensorExpr *expr);

#endif
