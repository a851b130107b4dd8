/*-------------------------------------------------------------------------
 *
 * inline.c
 *	  Statements read through: their right sides in the place of what they define.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/inline.h"

/*
 * Gives the labels that an expression binds other numbers than are taken, and lists them.
 * They depend on nothing else, so that what is inlined again is the same node.
 */
static void
rename_bound_labels(Program *program, const TensorExpr *expr, Bitmapset **taken,
					Bitmapset **renamed)
{
	int label = -1;

	check_stack_depth();
	if (!expr->has_aggregate)
		return;
	while ((label = bms_next_member(expr->bound_labels, label)) >= 0)
	{
		int own;

		if (program->renaming[label] >= 0)
			continue;
		own = program_twin_beside(program, label, *taken);
		program->renaming[label] = own;
		*taken = bms_add_member(*taken, own);
		*renamed = bms_add_member(*renamed, label);
	}
	for (int i = 0; i < expr->nargs; i++)
		rename_bound_labels(program, expr->args[i], taken, renamed);
}

static TensorExpr *
inlined_access(Program *program, const TensorExpr *access, const Statement *definition,
			   Bitmapset **taken)
{
	Bitmapset *renamed = NULL;
	TensorExpr *result;
	int label = -1;

	/* the only reader, with the labels of the definition */
	if (access->nindices > 0 &&
		memcmp(definition->output, access->indices, sizeof(int) * access->nindices) == 0)
		return definition->expr;
	rename_bound_labels(program, definition->expr, taken, &renamed);
	for (int i = 0; i < access->nindices; i++)
	{
		program->renaming[definition->output[i]] = access->indices[i];
		renamed = bms_add_member(renamed, definition->output[i]);
	}
	result = rename_labels(program, definition->expr, program->renaming);
	while ((label = bms_next_member(renamed, label)) >= 0)
		program->renaming[label] = -1;
	bms_free(renamed);
	return result;
}

static TensorExpr *
inline_accesses(Program *program, TensorExpr *expr, const Statement *definition,
				Bitmapset **taken)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];

	check_stack_depth();
	if (expr->kind == EXPR_ACCESS)
		return expr->tensor == definition->target
				   ? inlined_access(program, expr, definition, taken)
				   : expr;
	for (int i = 0; i < expr->nargs; i++)
		args[i] = inline_accesses(program, expr->args[i], definition, taken);
	return expr_with_args(program, expr, args);
}

TensorExpr *
inline_definition(Program *program, TensorExpr *expr, const Statement *definition)
{
	Bitmapset *taken = NULL;

	if (definition->expr->has_aggregate)
		collect_labels(expr, &taken);
	return inline_accesses(program, expr, definition, &taken);
}
