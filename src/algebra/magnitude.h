/*-------------------------------------------------------------------------
 *
 * magnitude.h
 *	  What an expression would be if nothing in it had a sign.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_MAGNITUDE_H
#define ALGEBRA_MAGNITUDE_H

#include "algebra/algebra.h"

/*
 * Returns the expression with absolute values of what it adds, subtracts and multiplies:
 * at least the absolute value of each of its terms, with which rounding errors grow.
 */
extern TensorExpr *magnitude_of(const Algebra *algebra, TensorExpr *expr);

#endif
