/*-------------------------------------------------------------------------
 *
 * inline.c
 *	  Puts the right side of a statement in the place of the tensor that it defines.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/inline.h"
#include "expr/side_table.h"
#include "expr/walk.h"
#include "recursion.h"

/* A definition that takes the place of accesses to its tensor. */
typedef struct Inlining
{
	Program *program;
	const Statement *definition;
	Bitmapset *taken;   /* labels that what it binds cannot have */
	Bitmapset *renamed; /* those with another number in the renaming */
	/*
	 * what nodes become; NULL if the definition binds labels, which are renamed
	 * differently at each place
	 */
	SideTable *done;
} Inlining;

/*
 * Renames the labels that an expression binds to twins that are not taken, and lists
 * them. The twins depend on nothing else, so that inlining again gives the same node.
 */
static Walk
rename_bound_labels(const TensorExpr *expr, void *context)
{
	Inlining *inlining = context;
	Program *program = inlining->program;
	int label = -1;

	if (!expr->has_aggregate)
		return WALK_ON;
	while ((label = bms_next_member(expr->bound_labels, label)) >= 0)
	{
		int own;

		if (program->renaming[label] >= 0)
			continue;
		own = program_twin_beside(program, label, inlining->taken);
		program->renaming[label] = own;
		inlining->taken = bms_add_member(inlining->taken, own);
		inlining->renamed = bms_add_member(inlining->renamed, label);
	}
	return WALK_BELOW;
}

static TensorExpr *
inlined_access(Inlining *inlining, const TensorExpr *access)
{
	const Statement *definition = inlining->definition;
	Program *program = inlining->program;
	TensorExpr *result;
	int label = -1;

	/* this is the only access, with the labels of the definition */
	if (access->nindices > 0 &&
		memcmp(definition->output, access->indices, sizeof(int) * access->nindices) == 0)
		return definition->expr;
	inlining->renamed = NULL;
	(void) walk_expr(definition->expr, rename_bound_labels, inlining);
	for (int i = 0; i < access->nindices; i++)
	{
		program->renaming[definition->output[i]] = access->indices[i];
		inlining->renamed = bms_add_member(inlining->renamed, definition->output[i]);
	}
	result = rename_labels(program, definition->expr, program->renaming);
	while ((label = bms_next_member(inlining->renamed, label)) >= 0)
		program->renaming[label] = -1;
	bms_free(inlining->renamed);
	return result;
}

/*
 * Replaces the accesses in an expression. If the definition binds labels, each place is
 * visited by itself: callers limit the size of the expression as a tree.
 */
static TensorExpr *
inline_accesses(Inlining *inlining, TensorExpr *expr)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	enter_recursion();
	if (expr->kind == EXPR_ACCESS)
		return expr->tensor == inlining->definition->target
				   ? inlined_access(inlining, expr)
				   : expr;
	result = inlining->done ? side_value(inlining->done, expr) : NULL;
	if (result)
		return result;
	for (int i = 0; i < expr->nargs; i++)
		args[i] = inline_accesses(inlining, expr->args[i]);
	result = expr_with_args(inlining->program, expr, args);
	if (inlining->done)
		set_side_value(inlining->done, expr, result);
	return result;
}

TensorExpr *
inline_definition(Program *program, TensorExpr *expr, const Statement *definition)
{
	Inlining inlining = {.program = program, .definition = definition};

	if (definition->expr->has_aggregate)
		inlining.taken = bms_copy(expr->all_labels);
	else
		inlining.done = new_side_table(32);
	expr = inline_accesses(&inlining, expr);
	if (inlining.done)
		free_side_table(inlining.done);
	return expr;
}
