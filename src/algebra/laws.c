/*-------------------------------------------------------------------------
 *
 * laws.c
 *	  The laws that make other forms of an expression.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "algebra/apart.h"
#include "algebra/distribute.h"
#include "algebra/factor.h"
#include "algebra/kernel_sums.h"
#include "algebra/law_form.h"
#include "algebra/laws.h"
#include "algebra/restrict.h"
#include "algebra/row_keys.h"
#include "algebra/sum_inside.h"

typedef struct Law
{
	const char *name;
	RewriteLevel level; /* lowest level at which it is applied */
	bool preferred;
	bool last; /* no law is applied to its forms */
	/* returns the forms that the law makes of an expression: of LawForm * */
	List *(*forms)(Algebra *algebra, TensorExpr *expr);
} Law;

static List *
restricted_form(Algebra *algebra, TensorExpr *expr)
{
	TensorExpr *restricted = restrict_sums(algebra, expr);

	return add_law_form(algebra, NIL, expr, restricted, false);
}

static List *
form_of_kernel_sums(Algebra *algebra, TensorExpr *expr)
{
	TensorExpr *fused = sums_in_kernels(algebra, expr);

	return add_law_form(algebra, NIL, expr, fused, false);
}

static const Law laws[] = {
	{"restricted sum", REWRITE_DISTRIBUTE, true, false, restricted_form},
	{"sum in the kernel", REWRITE_DISTRIBUTE, false, true, form_of_kernel_sums},
	{"one row", REWRITE_DISTRIBUTE, true, false, one_row_forms},
	{"taken apart", REWRITE_DISTRIBUTE, false, false, apart_forms},
	{"distributed", REWRITE_DISTRIBUTE, false, false, distributed_forms},
	{"summed inside", REWRITE_DISTRIBUTE, false, false, summed_inside_forms},
	{"factored", REWRITE_DISTRIBUTE, false, false, factored_forms},
};

/* Returns the forms that the laws of a level make of an expression: see other_forms. */
static List *
apply_laws(Algebra *algebra, TensorExpr *expr, RewriteLevel level)
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
			const LawForm *form = lfirst(lc);
			OtherForm *other = palloc(sizeof(OtherForm));

			other->expr = normalize_expr(algebra->program, form->expr, level);
			other->option = (FormOption){.law = law->name, .cancels = form->cancels};
			other->preferred = law->preferred;
			other->last = law->last;
			algebra->choices->nodes += other->expr->size;
			if (other->expr != expr)
				others = lappend(others, other);
		}
	}
	return others;
}

/* The known forms of an expression; they may be an empty list. */
typedef struct KnownLaws
{
	List *others;
} KnownLaws;

List *
other_forms(Algebra *algebra, TensorExpr *expr, RewriteLevel level)
{
	KnownLaws *known = side_value(algebra->laws[level], expr);
	int64 asked = algebra->asked;
	List *others;

	if (known)
		return known->others;
	/* laws apply to a matrix function's arguments, which are computed by themselves */
	if (expr->kind == EXPR_MATRIX)
		return NIL;
	others = apply_laws(algebra, expr, level);
	/* keep forms for other cuts unless they depend on groups or statistics of this cut */
	if (algebra->asked == asked)
	{
		known = palloc(sizeof(KnownLaws));
		known->others = others;
		set_side_value(algebra->laws[level], expr, known);
	}
	return others;
}
