/*-------------------------------------------------------------------------
 *
 * row_keys.h
 *	  Products of two entries of one row.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_ROW_KEYS_H
#define ALGEBRA_ROW_KEYS_H

#include "algebra/algebra.h"

/*
 * The expression, in which what is read of one row is read once: of LawForm *, one or
 * none.
 */
extern List *one_row_forms(Algebra *algebra, TensorExpr *expr);

#endif
