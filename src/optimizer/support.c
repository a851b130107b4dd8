/*-------------------------------------------------------------------------
 *
 * support.c
 *	  Which operands of an expression determine its support.
 *
 * An atom is a killer of an expression if the expression is 0 wherever the
 * atom is 0, whatever the other atoms are. With killers the support is the
 * intersection of theirs: they are joined, and the others are left joined with
 * their fill in place of what is absent. Without killers it is a union.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

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
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("an expression has more than %d operands", SUPPORT_MAX_ATOMS),
				 errhint("Define parts of it in statements of their own.")));
	return atoms;
}

/*
 * Two rules: an argument whose 0 forces the function's 0 passes its killers
 * on; and where every argument that is not a literal is 0, f(0, literals) may
 * be 0.
 */
uint64
killers(const TensorExpr *expr, List *atoms)
{
	const FunctionProperties *properties;
	double zeros[FUNCTION_MAX_ARGS];
	uint64 result = 0;
	uint64 common = KILLERS_ALL;
	ListCell *lc;

	check_stack_depth();
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			return expr->value == 0.0 ? KILLERS_ALL : 0;
		case EXPR_ACCESS:
		case EXPR_AGGREGATE:
			foreach (lc, atoms)
			{
				if (lfirst(lc) == expr)
					return expr->fill == 0.0 ? UINT64CONST(1) << foreach_current_index(lc)
											 : 0;
			}
			elog(ERROR, "atom not found");
		case EXPR_MAP:
			break;
	}

	properties = function_properties(expr->function);
	for (int i = 0; i < expr->nargs; i++)
	{
		const TensorExpr *arg = expr->args[i];

		if (arg->kind == EXPR_LITERAL)
		{
			zeros[i] = arg->value;
			/* if(c, a, 0): where c is 0, so is the result */
			if (expr->function == FUNCTION_IF && i == 2 && arg->value == 0.0)
				result |= killers(expr->args[0], atoms);
			continue;
		}
		zeros[i] = 0.0;
		common &= killers(arg, atoms);
		if (properties->zero_kills & (1u << i))
			result |= killers(arg, atoms);
	}
	if (function_value(expr->function, zeros) == 0.0)
		result |= common;
	return result;
}
