/*-------------------------------------------------------------------------
 *
 * laws.h
 *	  The laws that make other forms of an expression.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_LAWS_H
#define ALGEBRA_LAWS_H

#include "algebra/algebra.h"
#include "expr/normalize.h"

/* Another form of an expression, which means the same. */
typedef struct OtherForm
{
	TensorExpr *expr;
	FormOption option;
	bool preferred; /* to what it was made of, where costs are not asked for */
	bool last;      /* no law is applied to it */
} OtherForm;

/*
 * The other forms that the laws of a level make of a statement's right side or of a part of it, by one
 * application each: of OtherForm *, in the order of the laws. They have the type and the labels
 * of the expression, and are normalized.
 */
extern List *other_forms(Algebra *algebra, TensorExpr *expr, RewriteLevel level);

#endif
