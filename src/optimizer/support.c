/*-------------------------------------------------------------------------
 *
 * support.c
 *	  Which operands of an expression determine its support.
 *
 * An atom is a killer of an expression if the expression is at its fill
 * wherever the atom is at its own, whatever the other atoms are. With killers
 * the support is the intersection of theirs: they are joined, and the others
 * are left joined with their fill in place of what is absent. Without killers
 * it is a union.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "expr/function_table.h"
#include "optimizer/support.h"

static List *
add_atoms(List *atoms, TensorExpr *expr)
{
	check_stack_depth();
	if (expr->kind == EXPR_ACCESS || expr->kind == EXPR_AGGREGATE)
		return list_append_unique_ptr(atoms, expr);
	for (int i = 0; i < expr->nargs; i++)
		atoms = add_atoms(atoms, expr->args[i]);
	return atoms;
}

List *
collect_atoms(TensorExpr *expr)
{
	List *atoms = add_atoms(NIL, expr);

	if (list_length(atoms) > SUPPORT_MAX_ATOMS)
		elog(ERROR, "too many atoms");
	return atoms;
}

int
count_atoms(TensorExpr *expr)
{
	return list_length(add_atoms(NIL, expr));
}

/* Does an argument at its fill force the function's result, whatever the others are? */
static bool
fill_forces(const TensorExpr *expr, int argument)
{
	Number fill = expr->args[argument]->fill;

	switch (expr->function)
	{
		case FUNCTION_GREATEST:
			return fill == INFINITY;
		case FUNCTION_LEAST:
			return fill == -INFINITY;
		case FUNCTION_IF:
			/* the branch that the fill of the condition takes, if it is a number */
			return argument == 0 && expr->args[fill != 0.0 ? 1 : 2]->kind == EXPR_LITERAL;
		default:
			return fill == 0.0 &&
				   (function_properties(expr->function)->zero_kills & (1u << argument));
	}
}

/*
 * Two rules: an argument whose fill forces the function's result passes its
 * killers on; and where every argument is at its fill, so is the function, by
 * the definition of its fill.
 */
uint64
killers(const TensorExpr *expr, List *atoms)
{
	uint64 result = 0;
	uint64 common = KILLERS_ALL;
	ListCell *lc;

	check_stack_depth();
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			return KILLERS_ALL;
		case EXPR_ACCESS:
		case EXPR_AGGREGATE:
			foreach (lc, atoms)
			{
				if (lfirst(lc) == expr)
					return UINT64CONST(1) << foreach_current_index(lc);
			}
			elog(ERROR, "atom not found");
		case EXPR_MAP:
			break;
	}

	for (int i = 0; i < expr->nargs; i++)
	{
		uint64 argument = killers(expr->args[i], atoms);

		common &= argument;
		if (expr->args[i]->kind != EXPR_LITERAL && fill_forces(expr, i))
			result |= argument;
	}
	return result | common;
}

/*
 * Of a map without killers every argument adds to the support; of one with
 * killers the first of them bounds it.
 */
uint64
support_atoms(const TensorExpr *expr, List *atoms)
{
	uint64 deciding = killers(expr, atoms);
	uint64 result = 0;

	check_stack_depth();
	if (deciding == KILLERS_ALL)
		return 0;
	if (deciding != 0)
		return deciding & (~deciding + 1);
	for (int i = 0; i < expr->nargs; i++)
		result |= support_atoms(expr->args[i], atoms);
	return result;
}
