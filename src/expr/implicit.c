/*-------------------------------------------------------------------------
 *
 * implicit.c
 *	  Einstein's convention: a label on the right that is not on the left is
 *	  summed, term by term.
 *
 * The sum goes through + and - into the terms that contain the label, and
 * around a term's product or quotient. It is refused where that is not clear:
 * where the label occurs only inside a function, power, comparison,
 * denominator or other aggregate, where some monomial of a product lacks it,
 * and where the statement also binds it explicitly.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "expr/implicit.h"

/* Labels are few: a list of names in order of appearance is enough. */

static bool
has_name(List *names, const char *name)
{
	ListCell *lc;

	foreach (lc, names)
	{
		if (strcmp((char *) lfirst(lc), name) == 0)
			return true;
	}
	return false;
}

static List *
add_name(List *names, const char *name)
{
	return has_name(names, name) ? names : lappend(names, (void *) name);
}

static List *
index_names(List *names, List *indices)
{
	ListCell *lc;

	foreach (lc, indices)
		names = add_name(names, ((SyntaxIndex *) lfirst(lc))->label);
	return names;
}

/* The free labels of an expression, appended to names. */
static List *
free_labels(List *names, SyntaxExpr *expr)
{
	ListCell *lc;

	check_stack_depth();
	if (expr->kind == SYNTAX_REFERENCE)
		return index_names(names, expr->reference->indices);
	if (expr->kind == SYNTAX_AGGREGATE)
	{
		List *bound = index_names(NIL, expr->labels);

		foreach (lc, free_labels(NIL, (SyntaxExpr *) linitial(expr->args)))
		{
			if (!has_name(bound, (char *) lfirst(lc)))
				names = add_name(names, (char *) lfirst(lc));
		}
		return names;
	}
	foreach (lc, expr->args)
		names = free_labels(names, (SyntaxExpr *) lfirst(lc));
	return names;
}

/* The labels that aggregates of an expression bind, appended to names. */
static List *
bound_labels(List *names, SyntaxExpr *expr)
{
	ListCell *lc;

	if (expr->kind == SYNTAX_AGGREGATE)
		names = index_names(names, expr->labels);
	foreach (lc, expr->args)
		names = bound_labels(names, (SyntaxExpr *) lfirst(lc));
	return names;
}

static bool
is_call(SyntaxExpr *expr, FunctionId function)
{
	return expr->kind == SYNTAX_CALL && expr->function == function;
}

/* Does every monomial of a product contain the label? */
static bool
every_monomial_has(SyntaxExpr *expr, const char *label)
{
	check_stack_depth();
	if (expr->kind == SYNTAX_REFERENCE)
		return has_name(index_names(NIL, expr->reference->indices), label);
	if (is_call(expr, FUNCTION_MULTIPLY))
		return every_monomial_has(linitial(expr->args), label) ||
			   every_monomial_has(lsecond(expr->args), label);
	if (is_call(expr, FUNCTION_DIVIDE) || is_call(expr, FUNCTION_NEGATE))
		return every_monomial_has(linitial(expr->args), label);
	if (is_call(expr, FUNCTION_ADD) || is_call(expr, FUNCTION_SUBTRACT))
		return every_monomial_has(linitial(expr->args), label) &&
			   every_monomial_has(lsecond(expr->args), label);
	return false;
}

static SyntaxExpr *
wrap_in_sum(SyntaxExpr *term, List *labels)
{
	SyntaxExpr *sum = palloc0(sizeof(SyntaxExpr));
	ListCell *lc;

	sum->kind = SYNTAX_AGGREGATE;
	sum->location = term->location;
	sum->aggregate = AGGREGATE_SUM;
	sum->args = list_make1(term);
	foreach (lc, labels)
	{
		SyntaxIndex *index = palloc0(sizeof(SyntaxIndex));

		index->label = (char *) lfirst(lc);
		index->pin = PIN_NONE;
		index->location = term->location;
		sum->labels = lappend(sum->labels, index);
	}
	return sum;
}

/* Wraps the terms of an expression; outputs and bound are the statement's. */
static SyntaxExpr *
sum_terms(const char *text, SyntaxExpr *expr, List *outputs, List *bound)
{
	List *missing = NIL;
	ListCell *lc;

	check_stack_depth();
	if (is_call(expr, FUNCTION_ADD) || is_call(expr, FUNCTION_SUBTRACT) ||
		is_call(expr, FUNCTION_NEGATE))
	{
		foreach (lc, expr->args)
			lfirst(lc) = sum_terms(text, (SyntaxExpr *) lfirst(lc), outputs, bound);
		return expr;
	}

	foreach (lc, free_labels(NIL, expr))
	{
		char *label = (char *) lfirst(lc);

		if (has_name(outputs, label))
			continue;
		if (has_name(bound, label))
			ereport(
				ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("label \"%s\" is both bound by an aggregate and free", label),
				 errdetail("The aggregate's body ends before the free occurrence."),
				 errhint("Put the aggregate's body in parentheses, or give one of the "
						 "two another name."),
				 program_errposition(text, expr->location)));
		if (!every_monomial_has(expr, label))
			ereport(
				ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("it is not clear where label \"%s\" is to be summed", label),
				 errdetail("The label is not on the left, and on the right it does not "
						   "occur in every product of its term."),
				 errhint("Write the sum where it belongs, for example f(sum[%s] ...) or "
						 "sum[%s] f(...).",
						 quote_identifier(label), quote_identifier(label)),
				 program_errposition(text, expr->location)));
		missing = lappend(missing, label);
	}
	return missing == NIL ? expr : wrap_in_sum(expr, missing);
}

void
make_sums_explicit(const char *text, SyntaxStatement *statement)
{
	List *outputs = index_names(NIL, statement->target->indices);
	List *bound = bound_labels(NIL, statement->expr);

	statement->expr = sum_terms(text, statement->expr, outputs, bound);
}
