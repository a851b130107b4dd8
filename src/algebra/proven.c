/*-------------------------------------------------------------------------
 *
 * proven.c
 *	  Facts about an expression's values that hold for any stored data.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "algebra/groups.h"
#include "algebra/proven.h"
#include "expr/function_table.h"
#include "recursion.h"

/*
 * Returns the expression that computes a tensor, of a statement or a group; NULL if it is
 * stored.
 */
static const TensorExpr *
definition_of(const Algebra *algebra, const ProgramTensor *tensor)
{
	const EqualGroup *group;

	if (tensor->definition)
		return tensor->definition->expr;
	group = group_of_tensor(algebra, tensor);
	return group ? group->expr : NULL;
}

/* Does a row of a stored tensor mean the value 1? *once: has an entry at most one row? */
static bool
rows_mean_one(const ProgramTensor *tensor, bool *once)
{
	ListCell *lc;

	*once = true;
	if (tensor->entry == NULL)
		return tensor->identity;
	if (tensor->is_state)
		return false;
	foreach (lc, tensor->entry->storages)
	{
		const Storage *storage = lfirst(lc);

		if (storage->value_column != NULL || storage->rank == 0)
			return false;
		*once = *once && storage->duplicates == DUPLICATES_ERROR;
	}
	return true;
}

/*
 * Is the function never negative for nonnegative arguments, since it rises and is 0 at 0?
 */
static bool
keeps_sign(FunctionId function)
{
	const FunctionProperties *properties = function_properties(function);

	return properties->monotony == MONOTONE_RISING && properties->zero_kills != 0;
}

/* Proves a property, and keeps the answer: definitions may be read many times. */
static bool
prove(const Algebra *algebra, SideTable *answers,
	  bool (*find)(const Algebra *algebra, const TensorExpr *expr),
	  const TensorExpr *expr)
{
	bool proven;

	if (side_answer(answers, expr, &proven))
		return proven;
	return set_side_answer(answers, expr, find(algebra, expr));
}

static bool
map_not_negative(const Algebra *algebra, const TensorExpr *expr)
{
	bool first = proven_not_negative(algebra, expr->args[0]);

	switch (expr->function)
	{
		case FUNCTION_ADD:
		case FUNCTION_DIVIDE:
		case FUNCTION_LEAST:
			return first && proven_not_negative(algebra, expr->args[1]);
		case FUNCTION_MULTIPLY:
			return expr->args[0] == expr->args[1] ||
				   (first && proven_not_negative(algebra, expr->args[1]));
		case FUNCTION_POWER:
			return first || (expr->args[1]->kind == EXPR_LITERAL &&
							 fmod(creal(expr->args[1]->value), 2.0) == 0.0);
		case FUNCTION_GREATEST:
			return first || proven_not_negative(algebra, expr->args[1]);
		case FUNCTION_IF:
			return proven_not_negative(algebra, expr->args[1]) &&
				   proven_not_negative(algebra, expr->args[2]);
		default:
			return function_properties(expr->function)->never_negative ||
				   (first && keeps_sign(expr->function));
	}
}

static bool
find_not_negative(const Algebra *algebra, const TensorExpr *expr)
{
	const TensorExpr *definition;
	bool once;

	if (element_is_complex(expr->type.type))
		return false;
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			return creal(expr->value) >= 0.0;
		case EXPR_ACCESS:
			definition = definition_of(algebra, expr->tensor);
			if (definition)
				return proven_not_negative(algebra, definition);
			return rows_mean_one(expr->tensor, &once) && creal(expr->fill) >= 0.0;
		case EXPR_MAP:
			return map_not_negative(algebra, expr);
		case EXPR_AGGREGATE:
		case EXPR_KERNEL_SUM:
			/* the greatest of nothing is -infinity */
			return proven_not_negative(algebra, expr->args[0]) &&
				   (expr->aggregate != AGGREGATE_MAX ||
					labels_have_indices(algebra->program, expr->bound_labels));
		case EXPR_MATRIX:
			return is_extreme_place(expr->matrix);
	}
	return false;
}

bool
proven_not_negative(const Algebra *algebra, const TensorExpr *expr)
{
	enter_recursion();
	return prove(algebra, algebra->not_negative, find_not_negative, expr);
}

static bool
find_zero_or_one(const Algebra *algebra, const TensorExpr *expr)
{
	const TensorExpr *definition;
	bool once;

	if (expr->kind == EXPR_LITERAL)
		return expr->value == 0.0 || expr->value == 1.0;
	if (expr->kind == EXPR_ACCESS)
	{
		definition = definition_of(algebra, expr->tensor);
		if (definition)
			return proven_zero_or_one(algebra, definition);
		return rows_mean_one(expr->tensor, &once) && once &&
			   (expr->fill == 0.0 || expr->fill == 1.0);
	}
	if (expr_is_map(expr, FUNCTION_MULTIPLY))
		return proven_zero_or_one(algebra, expr->args[0]) &&
			   proven_zero_or_one(algebra, expr->args[1]);
	/* every type holds 0 and 1 exactly */
	if (expr_is_map(expr, FUNCTION_FLOAT4) || expr_is_map(expr, FUNCTION_FLOAT8))
		return proven_zero_or_one(algebra, expr->args[0]);
	/* extremes do not count: the greatest over no index is infinite */
	return expr->kind == EXPR_MAP && expr->is_truth_value;
}

bool
proven_zero_or_one(const Algebra *algebra, const TensorExpr *expr)
{
	enter_recursion();
	return prove(algebra, algebra->zero_or_one, find_zero_or_one, expr);
}
