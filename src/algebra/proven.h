/*-------------------------------------------------------------------------
 *
 * proven.h
 *	  Facts about an expression's values that hold for any stored data.
 *
 * They follow from literals, fills, functions and the registrations of tensors, never
 * from statistics or stored values: a view outlives the data that it was planned for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_PROVEN_H
#define ALGEBRA_PROVEN_H

#include "algebra/algebra.h"

/* Is the expression real, with no entry less than 0? Entries may be infinite or NaN. */
extern bool proven_not_negative(const Algebra *algebra, const TensorExpr *expr);

/* Every entry is 0 or 1. */
extern bool proven_zero_or_one(const Algebra *algebra, const TensorExpr *expr);

#endif
