/*-------------------------------------------------------------------------
 *
 * zeros.h
 *	  Removes terms and factors that are 0 and have no effect.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_ZEROS_H
#define EXPR_ZEROS_H

#include "expr/expr.h"

/*
 * Returns a sum or difference without a term that is 0; the expression itself if the term
 * must stay.
 */
extern TensorExpr *addition_without_zeros(TensorExpr *addition);

/*
 * Returns a product without terms and factors that are 0 and have no effect: x * (1 + 0 *
 * y) becomes x, and 0 * x * y becomes 0 * x, if x has the labels of y.
 */
extern TensorExpr *product_without_zeros(Program *program, TensorExpr *product);

/* Returns a function without the terms of its arguments that are 0 and have no effect. */
extern TensorExpr *function_without_zeros(Program *program, TensorExpr *function);

#endif
