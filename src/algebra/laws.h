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

/* An equivalent form of an expression. */
typedef struct OtherForm
{
	TensorExpr *expr;
	FormOption option;
	bool preferred; /* taken by default where costs are not compared */
	bool last;      /* no law is applied to it */
} OtherForm;

/*
 * Returns the forms that the laws of a level make of a statement's right side or of a
 * part of it, by one application each: of OtherForm *, in the order of the laws. They are
 * normalized, and have the type and the labels of the expression.
 */
extern List *other_forms(Algebra *algebra, TensorExpr *expr, RewriteLevel level);

#endif
