/*-------------------------------------------------------------------------
 *
 * factor.h
 *	  Takes common factors out of the terms of a sum.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_FACTOR_H
#define ALGEBRA_FACTOR_H

#include "algebra/algebra.h"

/*
 * Returns forms of the expression with common factors of terms taken out, of LawForm *:
 * as many as possible, as many beginning with some other factors, and in one step only.
 *
 * Source: SPORES, section 2.2, Figure 3 (rule 1, from right to left).
 */
extern List *factored_forms(Algebra *algebra, TensorExpr *expr);

#endif
