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
 * Returns forms of the expression whose sums among the factors are multiplied out, of
 * LawForm *: all sums, no sum (which only merges sums), each of the first few alone, and
 * all but each of these.
 *
 * Source: SPORES, section 2.2, Figure 3 (rules 1 to 4); Galley,
 * section 4.
 */
extern List *distributed_forms(Algebra *algebra, TensorExpr *expr);

#endif
