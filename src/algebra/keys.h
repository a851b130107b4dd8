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

/* Expressions of one number are equal if their labels are identified in order. */
typedef struct ExprKey
{
	int number;
	int nlabels;
	int *labels; /* free, in order of appearance */
} ExprKey;

extern struct Keys *new_keys(void);

extern const ExprKey *key_of(Algebra *algebra, const TensorExpr *expr);

#endif
