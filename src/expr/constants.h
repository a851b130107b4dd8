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

/* The same scaling of another core. */
extern TensorExpr *scale_like(Program *program, const TensorExpr *scaled,
							  TensorExpr *core);

#endif
