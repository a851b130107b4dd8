/*-------------------------------------------------------------------------
 *
 * factor.h
 *	  What several terms of a sum have in common, taken out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_FACTOR_H
#define ALGEBRA_FACTOR_H

#include "algebra/algebra.h"

/*
 * The expression with what terms have in common taken out, of LawForm *: as far as possible, by
 * one step, and with some other factors first.
 *
 * Source: SPORES, section 2.2, Figure 3 (rule 1, from right to left).
 */
extern List *factored_forms(Algebra *algebra, TensorExpr *expr);

#endif
