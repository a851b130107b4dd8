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

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "algebra/groups.h"
#include "algebra/proven.h"
#include "catalog/origin.h"
#include "expr/function_table.h"
#include "recursion.h"

/*
 * The binary digits that the number of keys of an open label may have, and the number of
 * rows with the same key.
 */
#define OPEN_DIGITS 32.0

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

static double
digits_of_number(Number number)
{
	double size = fabs(creal(number));

	if (cimag(number) != 0.0 || !isfinite(size) || size != floor(size))
		return INFINITY;
	return size > 1.0 ? log2(size) : 0.0;
}

static double
digits_of_sum(double a, double b)
{
	return Max(a, b) + log2(1.0 + exp2(-fabs(a - b)));
}

/* Returns the digits of the entries in a storage. */
static double
digits_of_storage(const Storage *storage, const List *tables)
{
	double rows = storage->duplicates == DUPLICATES_SUM ? OPEN_DIGITS : 0.0;
	ListCell *lc;

	foreach (lc, tables)
	{
		const IntegerTable *table = lfirst(lc);

		if (table->relid == storage->relid)
			return table->digits;
	}
	if (storage->layout)
		return storage->layout->with_values ? INFINITY : rows;
	if (storage->value_column == NULL || storage->categories != NIL || storage->one_hot)
		return rows;
	switch (OidIsValid(storage->value_type) ? getBaseType(storage->value_type)
											: InvalidOid)
	{
		case BOOLOID:
			return rows;
		case INT2OID:
			return rows + 15.0;
		case INT4OID:
			return rows + 31.0;
		default:
			return INFINITY;
	}
}

static double
digits_of_stored(const ProgramTensor *tensor, const List *tables)
{
	double digits = digits_of_number(tensor->fill);
	ListCell *lc;

	if (tensor->shifted)
		return digits_of_stored(tensor->shifted, tables);
	if (tensor->entry == NULL)
		return tensor->identity ? digits : INFINITY;
	if (tensor->is_state)
		return INFINITY;
	foreach (lc, tensor->entry->storages)
		digits = Max(digits, digits_of_storage(lfirst(lc), tables));
	return digits;
}

/* Returns the digits of the number of terms that are summed over labels. */
static double
digits_of_labels(const Program *program, const Bitmapset *labels)
{
	double digits = 0.0;
	int label = -1;

	while ((label = bms_next_member(labels, label)) >= 0)
	{
		int64 bound = program->labels[label].bound;

		digits += bound_is_open(bound) ? OPEN_DIGITS
									   : log2(Max((double) bound_size(bound), 1.0));
	}
	return digits;
}

double
proven_digits(const Algebra *algebra, const TensorExpr *expr, const List *tables)
{
	const TensorExpr *definition;

	enter_recursion();
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			return digits_of_number(expr->value);
		case EXPR_ACCESS:
			definition = definition_of(algebra, expr->tensor);
			return definition ? proven_digits(algebra, definition, tables)
							  : digits_of_stored(expr->tensor, tables);
		case EXPR_MAP:
			if (expr->is_truth_value)
				return 0.0;
			if (expr_is_map(expr, FUNCTION_NEGATE) || expr_is_map(expr, FUNCTION_FLOAT8))
				return proven_digits(algebra, expr->args[0], tables);
			if (expr_is_map(expr, FUNCTION_ADD) || expr_is_map(expr, FUNCTION_SUBTRACT))
				return digits_of_sum(proven_digits(algebra, expr->args[0], tables),
									 proven_digits(algebra, expr->args[1], tables));
			if (expr_is_map(expr, FUNCTION_MULTIPLY))
				return proven_digits(algebra, expr->args[0], tables) +
					   proven_digits(algebra, expr->args[1], tables);
			return INFINITY;
		case EXPR_AGGREGATE:
			if (expr->aggregate != AGGREGATE_SUM)
				return INFINITY;
			return proven_digits(algebra, expr->args[0], tables) +
				   digits_of_labels(algebra->program, expr->bound_labels);
		case EXPR_KERNEL_SUM:
		case EXPR_MATRIX:
			break;
	}
	return INFINITY;
}
