/*-------------------------------------------------------------------------
 *
 * distribute.h
 *	  Products and small powers of sums, multiplied out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_DISTRIBUTE_H
#define ALGEBRA_DISTRIBUTE_H

#include "algebra/algebra.h"

/*
 * The expression with its sums that are factors multiplied out: all of them, none, which
 * only brings sums together, each by itself, and all but each; of LawForm *.
 *
 * Source: SPORES, section 2.2, Figure 3 (rules 1 to 4); Galley,
 * section 4.
 */
extern List *distributed_forms(Algebra *algebra, TensorExpr *expr);

#endif
