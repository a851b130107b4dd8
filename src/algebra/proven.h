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

/* A table whose entries are integers, of at most this many binary digits. */
typedef struct IntegerTable
{
	Oid relid;
	double digits;
} IntegerTable;

/* Not every integer of more binary digits is a float8. */
#define EXACT_DIGITS 53.0

/*
 * Returns the binary digits of the sum of the absolute values of all terms of an
 * expression, if that is an integer for any stored data; INFINITY if that is not proven.
 * Then sums and differences of such terms, in any order, are exact up to EXACT_DIGITS.
 * tables: of IntegerTable *, beside those whose columns are integers.
 */
extern double proven_digits(const Algebra *algebra, const TensorExpr *expr,
							const List *tables);

#endif
