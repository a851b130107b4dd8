/*-------------------------------------------------------------------------
 *
 * law_form.h
 *	  What a law makes of an expression.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_LAW_FORM_H
#define ALGEBRA_LAW_FORM_H

#include "algebra/algebra.h"

typedef struct LawForm
{
	TensorExpr *expr;
	bool cancels; /* what it adds up may be much larger than the sum */
} LawForm;

/*
 * The forms, of LawForm *, and the other expression as one more, unless it is among them
 * or the expression itself.
 */
extern List *add_law_form(Algebra *algebra, List *forms, TensorExpr *expr,
						  TensorExpr *other, bool cancels);

#endif
