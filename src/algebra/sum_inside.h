/*-------------------------------------------------------------------------
 *
 * sum_inside.h
 *	  Sums that are taken inside a factor.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_SUM_INSIDE_H
#define ALGEBRA_SUM_INSIDE_H

#include "algebra/algebra.h"

/*
 * The expression with sums of its products taken inside the factors that are sums of
 * terms: of LawForm *, one or none.
 */
extern List *summed_inside_forms(Algebra *algebra, TensorExpr *expr);

#endif
