/*-------------------------------------------------------------------------
 *
 * row_keys.h
 *	  Merges factors that read the same row of a tensor.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_ROW_KEYS_H
#define ALGEBRA_ROW_KEYS_H

#include "algebra/algebra.h"

/*
 * Returns the expression with factors that read the same row merged into one: a list of
 * at most one LawForm *.
 */
extern List *one_row_forms(Algebra *algebra, TensorExpr *expr);

#endif
