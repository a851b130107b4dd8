/*-------------------------------------------------------------------------
 *
 * keys.h
 *	  Which expressions are equal, up to the names of their labels.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_KEYS_H
#define ALGEBRA_KEYS_H

#include "algebra/algebra.h"

/* Expressions with the same number are equal if their labels are matched in order. */
typedef struct ExprKey
{
	int number;
	int nlabels;
	int *labels; /* free labels, in order of appearance */
} ExprKey;

extern struct Keys *new_keys(void);

extern const ExprKey *key_of(Algebra *algebra, const TensorExpr *expr);

#endif
