/*-------------------------------------------------------------------------
 *
 * laws.c
 *	  The laws that make other forms of an expression.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "algebra/laws.h"
#include "algebra/restrict.h"

typedef struct Law
{
	const char *name;
	RewriteLevel level; /* from which on it is applied */
	bool preferred;
	/* of TensorExpr *, for each of the forms that it makes of an expression */
	List *(*forms)(Algebra *algebra, TensorExpr *expr);
} Law;

static List *
restricted_form(Algebra *algebra, TensorExpr *expr)
{
	TensorExpr *restricted = restrict_sums(algebra, expr);

	return restricted == expr ? NIL : list_make1(restricted);
}

static const Law laws[] = {
	{"restricted sum", REWRITE_DISTRIBUTE, true, restricted_form},
};

List *
other_forms(Algebra *algebra, TensorExpr *expr, RewriteLevel level)
{
	List *others = NIL;
	ListCell *lc;

	for (int i = 0; i < (int) lengthof(laws); i++)
	{
		const Law *law = &laws[i];

		CHECK_FOR_INTERRUPTS();
		if (level < law->level)
			continue;
		foreach (lc, law->forms(algebra, expr))
		{
			OtherForm *other = palloc(sizeof(OtherForm));

			other->expr = normalize_expr(algebra->program, lfirst(lc), level);
			other->option = (FormOption){.law = law->name};
			other->preferred = law->preferred;
			if (other->expr != expr)
				others = lappend(others, other);
		}
	}
	return others;
}
