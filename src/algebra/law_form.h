/*-------------------------------------------------------------------------
 *
 * law_form.h
 *	  Forms that a law makes of an expression.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_LAW_FORM_H
#define ALGEBRA_LAW_FORM_H

#include "algebra/algebra.h"

typedef struct LawForm
{
	TensorExpr *expr;
	bool cancels; /* its terms may be much larger than their sum */
} LawForm;

/*
 * Returns the forms, of LawForm *, with another form of expr appended, unless that equals
 * expr or one of the forms.
 */
extern List *add_law_form(Algebra *algebra, List *forms, TensorExpr *expr,
						  TensorExpr *other, bool cancels);

#endif
