/*-------------------------------------------------------------------------
 *
 * zeros.h
 *	  Terms and factors that are 0 and need not be there.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_ZEROS_H
#define EXPR_ZEROS_H

#include "expr/expr.h"

/* A sum or difference of two terms without the one that is 0; itself, if that has to stay. */
extern TensorExpr *addition_without_zeros(TensorExpr *addition);

/*
 * A product in which nothing is 0 that need not be: x * (1 + 0 * y) is x, and 0 * x * y
 * is 0 * x, where x has the labels of y.
 */
extern TensorExpr *product_without_zeros(Program *program, TensorExpr *product);

/* A function of arguments in which no term is 0 that need not be. */
extern TensorExpr *function_without_zeros(Program *program, TensorExpr *function);

#endif
