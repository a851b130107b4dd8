/*-------------------------------------------------------------------------
 *
 * sum_inside.h
 *	  Moves sums inside a factor which is a sum of terms.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_SUM_INSIDE_H
#define ALGEBRA_SUM_INSIDE_H

#include "algebra/algebra.h"

/*
 * Returns the expression with sums over products moved inside those factors that are sums
 * of terms: a list of at most one LawForm *.
 */
extern List *summed_inside_forms(Algebra *algebra, TensorExpr *expr);

#endif
