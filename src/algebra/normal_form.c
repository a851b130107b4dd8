/*-------------------------------------------------------------------------
 *
 * normal_form.c
 *	  Converts expressions to polyterms.
 *
 * The ring's laws are applied where both sides are the same function of finite entries:
 * statements are inlined, products are multiplied out, sums are moved through + and past
 * factors. If a fill is infinite or NaN, nothing is multiplied out and nothing cancels,
 * since the two sides differ in most entries. A quotient is an atom with the whole
 * numerator: 0 / 0 is 0, so that (a + b) / y is not a / y + b / y. Squares of sums stay
 * in float4 and complex8, and where they read an additive tensor.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "algebra/polyterm.h"
#include "expr/function_table.h"
#include "recursion.h"

static const Polyterm *form_of(Forms *forms, TensorExpr *expr, bool as_written);

/* Is the polyterm a number? */
static bool
is_only_a_number(const Polyterm *polyterm, Number *value)
{
	if (polyterm->nterms > 1 ||
		(polyterm->nterms == 1 && polyterm->terms[0].monomial->natoms > 0))
		return false;
	*value = polyterm->nterms ? polyterm->terms[0].coefficient : 0.0;
	return true;
}

/*
 * Evaluates a function of numbers as if they were literals of the program; NULL if some
 * argument is not a number.
 */
static const Polyterm *
map_constants(Forms *forms, const TensorExpr *expr, const Polyterm *const *args)
{
	Number values[FUNCTION_MAX_ARGS] = {0};
	ValueType types[FUNCTION_MAX_ARGS] = {0};

	for (int i = 0; i < expr->nargs; i++)
	{
		if (!is_only_a_number(args[i], &values[i]))
			return NULL;
		types[i].type = args[i]->type;
	}
	if (!function_type(expr->function, types).defined)
		return NULL;
	return polyterm_constant(forms, function_of_numbers(expr->function, types, values),
							 expr->type.type);
}

/* Returns a function as an atom over the keys of its arguments. */
static const Polyterm *
map_atom(Forms *forms, const TensorExpr *expr, const Polyterm *const *args,
		 bool as_written)
{
	FunctionId function = expr->function;
	const Polyterm *swapped[2];
	bool commutes = !as_written && function_properties(function)->commutative;

	if (!as_written && (function == FUNCTION_GT || function == FUNCTION_GE))
	{
		function = function == FUNCTION_GT ? FUNCTION_LT : FUNCTION_LE;
		swapped[0] = args[1];
		swapped[1] = args[0];
		args = swapped;
	}
	return function_atom(forms, function, expr->nargs, args, commutes, expr->type.type,
						 number_is_finite(expr->fill));
}

/*
 * Returns the form of the statement that defines a tensor, with the labels of an access
 * to it.
 */
static const Polyterm *
definition_form(Forms *forms, const TensorExpr *expr)
{
	const Statement *definition = expr->tensor->definition;
	const Polyterm *defined;
	int *renaming = forms->program->renaming;
	TensorExpr *renamed;

	if (bms_num_members(expr->labels) == expr->nindices)
	{
		defined = form_of(forms, definition->expr, false);
		return polyterm_rename(forms, defined, expr->nindices, definition->output,
							   expr->indices);
	}
	/* an access with equal labels, a diagonal, changes what is inside functions, too */
	for (int i = 0; i < expr->nindices; i++)
		renaming[definition->output[i]] = expr->indices[i];
	renamed = rename_labels(forms->program, definition->expr, renaming);
	for (int i = 0; i < expr->nindices; i++)
		renaming[definition->output[i]] = -1;
	return form_of(forms, renamed, false);
}

static const Polyterm *
product(Forms *forms, const Polyterm *a, const Polyterm *b)
{
	bool sums = a->nterms > 1 && b->nterms > 1;
	const Polyterm *result = NULL;

	if ((a->nterms <= 1 && b->nterms <= 1) ||
		(forms->level >= REWRITE_DISTRIBUTE && a->finite && b->finite &&
		 !(sums && element_is_single(a->type))))
		result = polyterm_multiply(forms, a, b);
	if (result)
		return result;
	if (a->nterms > 1)
		a = key_atom(forms, a);
	if (b->nterms > 1)
		b = key_atom(forms, b);
	return polyterm_multiply(forms, a, b);
}

int
small_exponent(const TensorExpr *expr)
{
	double exponent;

	if (expr->args[1]->kind != EXPR_LITERAL || cimag(expr->args[1]->value) != 0.0)
		return 0;
	exponent = creal(expr->args[1]->value);
	return exponent >= 2 && exponent <= POLYTERM_MAX_DEGREE && exponent == floor(exponent)
			   ? (int) exponent
			   : 0;
}

static const Polyterm *
power(Forms *forms, const Polyterm *base, int exponent)
{
	const Polyterm *result = base;

	/* the rows of an additive tensor add up first: products of rows are not its square */
	if (base->additive)
		return NULL;
	for (int i = 1; i < exponent && result; i++)
		result = product(forms, result, base);
	if (result == NULL && base->nterms > 1)
	{
		result = base = key_atom(forms, base);
		for (int i = 1; i < exponent && result; i++)
			result = polyterm_multiply(forms, result, base);
	}
	return result;
}

/* Returns a quotient as an atom, times the coefficient of the numerator. */
static const Polyterm *
quotient(Forms *forms, const TensorExpr *expr, const Polyterm *const *args)
{
	const Polyterm *numerator = args[0];
	const TensorExpr *divisor = expr->args[1];
	Number coefficient = 1.0;
	const Polyterm *both[2];

	if (divisor->kind == EXPR_LITERAL && divisor->value != 0.0 &&
		number_is_finite(1.0 / divisor->value))
		return polyterm_scale(forms, numerator, 1.0 / divisor->value);
	if (numerator->nterms == 0)
		return numerator;
	if (numerator->nterms == 1)
	{
		coefficient = numerator->terms[0].coefficient;
		numerator = polyterm_unit(numerator);
	}
	both[0] = numerator;
	both[1] = args[1];
	return polyterm_scale(forms, map_atom(forms, expr, both, false), coefficient);
}

/*
 * Returns the form of a function by the laws of the ring; NULL where they do not apply.
 */
static const Polyterm *
map_form(Forms *forms, const TensorExpr *expr, const Polyterm *const *args)
{
	TensorExpr *argument;

	switch (expr->function)
	{
		case FUNCTION_ADD:
			return polyterm_add(forms, args[0], args[1]);
		case FUNCTION_SUBTRACT:
			argument = sign_argument(expr);
			if (argument)
			{
				const Polyterm *form = form_of(forms, argument, false);

				return function_atom(forms, FUNCTION_SIGN, 1, &form, false,
									 expr->type.type, true);
			}
			return polyterm_add(forms, args[0], polyterm_scale(forms, args[1], -1.0));
		case FUNCTION_NEGATE:
			return polyterm_scale(forms, args[0], -1.0);
		case FUNCTION_MULTIPLY:
			/* 0 * infinity is not 0 */
			if ((args[0]->nterms == 0 && !args[1]->finite) ||
				(args[1]->nterms == 0 && !args[0]->finite))
				return NULL;
			return product(forms, args[0], args[1]);
		case FUNCTION_DIVIDE:
			return quotient(forms, expr, args);
		case FUNCTION_POWER:
			return small_exponent(expr) ? power(forms, args[0], small_exponent(expr))
										: NULL;
		default:
			return NULL;
	}
}

/*
 * Returns the form of an access. Each label with a single index becomes a label of its
 * own that is summed, so that the form does not depend on which label it is.
 */
static const Polyterm *
entries_form(Forms *forms, const TensorExpr *expr)
{
	const ProgramLabel *labels = forms->program->labels;
	TensorExpr own = *expr;
	Bitmapset *summed = NULL;
	const Polyterm *form;

	for (int i = 0; i < expr->nindices; i++)
	{
		if (labels[expr->indices[i]].bound != 1)
			continue;
		own.indices[i] = add_form_label(forms, expr->indices[i]);
		summed = bms_add_member(summed, own.indices[i]);
	}
	form = access_atom(forms, &own);
	return summed && form ? polyterm_sum(forms, form, summed) : form;
}

/*
 * Returns the labels of an aggregate without those of a single index, over which there is
 * nothing to aggregate; any and all keep theirs.
 */
static Bitmapset *
aggregated_labels(const Forms *forms, const TensorExpr *expr)
{
	Bitmapset *labels = bms_copy(expr->bound_labels);
	int label = -1;

	if (expr->aggregate == AGGREGATE_ANY || expr->aggregate == AGGREGATE_ALL)
		return labels;
	while ((label = bms_next_member(expr->bound_labels, label)) >= 0)
	{
		if (forms->program->labels[label].bound == 1)
			labels = bms_del_member(labels, label);
	}
	return labels;
}

static const Polyterm *
new_form(Forms *forms, TensorExpr *expr, bool as_written)
{
	const Polyterm *args[FUNCTION_MAX_ARGS] = {NULL};
	const Polyterm *form = NULL;
	Bitmapset *labels;

	assert_expr_arguments(expr);
	for (int i = 0; i < expr->nargs; i++)
		args[i] = form_of(forms, expr->args[i], as_written);
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			form = polyterm_constant(forms, expr->value, expr->type.type);
			return form ? form : number_atom(forms, expr);
		case EXPR_ACCESS:
			if (expr->tensor->definition && !expr->tensor->definition->body_pinned &&
				!as_written)
				form = definition_form(forms, expr);
			if (form == NULL && !as_written)
				form = entries_form(forms, expr);
			return form ? form : access_atom(forms, expr);
		case EXPR_MAP:
			if (!as_written)
			{
				form = map_constants(forms, expr, args);
				if (form == NULL)
					form = polyterm_as(map_form(forms, expr, args), expr->type.type);
			}
			return form ? form : map_atom(forms, expr, args, as_written);
		case EXPR_AGGREGATE:
		case EXPR_KERNEL_SUM:
			Assert(args[0] != NULL);
			if (expr->aggregate == AGGREGATE_SUM && !as_written &&
				(args[0]->nterms <= 1 ||
				 (forms->level >= REWRITE_DISTRIBUTE && args[0]->finite)))
				form = polyterm_as(polyterm_sum(forms, args[0], expr->bound_labels),
								   expr->type.type);
			labels = as_written ? expr->bound_labels : aggregated_labels(forms, expr);
			if (form == NULL && bms_is_empty(labels))
				form = polyterm_as(args[0], expr->type.type);
			return form ? form
						: aggregate_atom(forms, expr->aggregate, labels, args[0],
										 !as_written, expr->type.type,
										 number_is_finite(expr->fill));
		case EXPR_MATRIX:
			return matrix_atom(forms, expr, args);
	}
	return NULL;
}

static const Polyterm *
form_of(Forms *forms, TensorExpr *expr, bool as_written)
{
	SideTable *known = as_written ? forms->as_written : forms->by_node;
	const Polyterm *form = side_value(known, expr);

	enter_recursion();
	if (form)
		return form;
	form = new_form(forms, expr, as_written);
	set_side_value(known, expr, form);
	return form;
}

const Polyterm *
normal_form(Forms *forms, TensorExpr *expr)
{
	return form_of(forms, expr, forms->level == REWRITE_NONE);
}

const Polyterm *
statement_form(Forms *forms, const Statement *statement)
{
	/* pins prescribe each step: the statement stays as written */
	return form_of(forms, statement->expr,
				   statement->body_pinned || forms->level == REWRITE_NONE);
}
