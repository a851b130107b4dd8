/*-------------------------------------------------------------------------
 *
 * walk.c
 *	  Walks through expressions that visit shared nodes once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/side_table.h"
#include "expr/walk.h"
#include "recursion.h"

typedef struct Walking
{
	ExprVisit visit;
	ExprChange change;
	void *context;
	Program *program;
	SideTable *done; /* nodes that have arguments, and what they have become */
} Walking;

static bool
walk_node(const Walking *walking, const TensorExpr *expr)
{
	enter_recursion();
	if (expr->nargs > 0)
	{
		if (side_value(walking->done, expr))
			return false;
		set_side_value(walking->done, expr, expr);
	}
	switch (walking->visit(expr, walking->context))
	{
		case WALK_END:
			return true;
		case WALK_ON:
			return false;
		case WALK_BELOW:
			break;
	}
	for (int i = 0; i < expr->nargs; i++)
	{
		if (walk_node(walking, expr->args[i]))
			return true;
	}
	return false;
}

bool
walk_expr(const TensorExpr *expr, ExprVisit visit, void *context)
{
	Walking walking = {.visit = visit, .context = context};
	bool ended;

	if (expr->nargs == 0)
		return visit(expr, context) == WALK_END;
	walking.done = new_side_table(32);
	ended = walk_node(&walking, expr);
	free_side_table(walking.done);
	return ended;
}

static TensorExpr *
change_node(const Walking *walking, TensorExpr *expr)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	enter_recursion();
	result = side_value(walking->done, expr);
	if (result)
		return result;
	result = walking->change(expr, walking->context);
	if (result == NULL)
	{
		for (int i = 0; i < expr->nargs; i++)
			args[i] = change_node(walking, expr->args[i]);
		result = expr_with_args(walking->program, expr, args);
	}
	set_side_value(walking->done, expr, result);
	return result;
}

TensorExpr *
change_expr(Program *program, TensorExpr *expr, ExprChange change, void *context)
{
	Walking walking = {.change = change, .context = context, .program = program};
	TensorExpr *result;

	walking.done = new_side_table(32);
	result = change_node(&walking, expr);
	free_side_table(walking.done);
	return result;
}

typedef struct Replacement
{
	const TensorExpr *node;
	TensorExpr *other;
} Replacement;

static TensorExpr *
replace_node(TensorExpr *expr, void *context)
{
	const Replacement *replacement = context;

	return expr == replacement->node ? replacement->other : NULL;
}

TensorExpr *
replace_expr(Program *program, TensorExpr *expr, const TensorExpr *node,
			 TensorExpr *other)
{
	Replacement replacement = {node, other};

	return change_expr(program, expr, replace_node, &replacement);
}
