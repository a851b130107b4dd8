/*-------------------------------------------------------------------------
 *
 * proven.h
 *	  What is known of an expression's values whatever is stored.
 *
 * From literals, fills, functions and what registrations say of a tensor, never from
 * statistics or stored values: a view outlives the data that it was planned for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_PROVEN_H
#define ALGEBRA_PROVEN_H

#include "algebra/algebra.h"

/* Real, and no entry is less than 0; one may be infinite or NaN. */
extern bool proven_not_negative(const Algebra *algebra, const TensorExpr *expr);

/* Every entry is 0 or 1. */
extern bool proven_zero_or_one(const Algebra *algebra, const TensorExpr *expr);

#endif
