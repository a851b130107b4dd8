/*-------------------------------------------------------------------------
 *
 * law_form.c
 *	  Forms that a law makes of an expression.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "algebra/keys.h"
#include "algebra/law_form.h"

List *
add_law_form(Algebra *algebra, List *forms, TensorExpr *expr, TensorExpr *other,
			 bool cancels)
{
	int number = key_of(algebra, other)->number;
	LawForm *form;
	ListCell *lc;

	if (number == key_of(algebra, expr)->number)
		return forms;
	foreach (lc, forms)
	{
		if (key_of(algebra, ((const LawForm *) lfirst(lc))->expr)->number == number)
			return forms;
	}
	form = palloc(sizeof(LawForm));
	form->expr = other;
	form->cancels = cancels;
	return lappend(forms, form);
}
