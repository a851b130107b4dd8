/*-------------------------------------------------------------------------
 *
 * normalize.c
 *	  Directed rewrites of expressions.
 *
 *	  sum[i] sum[j] x            is  sum[i,j] x
 *	  sum[j] (x + y)             is  (sum[j] x) + (sum[j] y), where a term
 *								 without j is multiplied by j's bound
 *	  sum[j] -x                  is  -(sum[j] x)
 *	  x * sum[k] y               is  sum[k] x * y, if every label of x is free
 *								 in the sum: then the product has a tuple for
 *								 each of the sum's, and no work is repeated
 *
 *	  max[j] exp(x), max[j] -x     is  exp(max[j] x), 0 - (min[j] x)
 *	  (c * x) * y, sum[k] c * x    is  c * (x * y), c * sum[k] x, for a number c
 *
 * The product of a sum makes a[i,j] * (sum[k] q[i,k] * p[j,k]) one three-way join with an
 * inner product, in which no tensor over i, j and k is ever stored. The last
 * leaves kernels that are pure products, and multiplies by c once per result.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "miscadmin.h"

#include "expr/function_table.h"
#include "expr/normalize.h"

static bool
is_sum(const TensorExpr *expr)
{
	return expr->kind == EXPR_AGGREGATE && expr->aggregate == AGGREGATE_SUM;
}

/*
 * Is it a number that may be taken out of sums, products and numerators? Not 0, for
 * 0 times x divided by 0 is 0, and not what times 0 is not.
 */
static bool
is_scale(const TensorExpr *expr)
{
	return expr->kind == EXPR_LITERAL && expr->fill != 0.0 &&
		   number_is_finite(expr->fill);
}

/*
 * Is the expression another one times or divided by a number, or negated?
 * Then *core is that other one.
 */
static bool
is_scaled(const TensorExpr *expr, TensorExpr **core)
{
	int position = 0;

	if (expr->kind != EXPR_MAP)
		return false;
	if (expr->function == FUNCTION_MULTIPLY)
		position = expr->args[0]->kind == EXPR_LITERAL ? 1 : 0;
	else if (expr->function != FUNCTION_DIVIDE && expr->function != FUNCTION_NEGATE)
		return false;
	if (expr->nargs == 2 && !is_scale(expr->args[1 - position]))
		return false;
	*core = expr->args[position];
	return true;
}

/* The same scaling of another core. */
static TensorExpr *
scale_like(Program *program, const TensorExpr *scaled, TensorExpr *core)
{
	if (scaled->nargs == 1)
		return expr_map1(program, scaled->function, core);
	if (scaled->args[0]->kind == EXPR_LITERAL)
		return expr_map2(program, scaled->function, scaled->args[0], core);
	return expr_map2(program, scaled->function, core, scaled->args[1]);
}

/* sum[labels] child, normalized; child is normalized. */
static TensorExpr *
sum_over(Program *program, Bitmapset *labels, TensorExpr *child, RewriteLevel level)
{
	Bitmapset *unused = bms_difference(labels, child->labels);
	TensorExpr *core;
	TensorExpr *result;

	check_stack_depth();
	if (level >= REWRITE_DISTRIBUTE && expr_is_addition(child))
		return expr_map2(program, child->function,
						 sum_over(program, labels, child->args[0], level),
						 sum_over(program, labels, child->args[1], level));
	if (level >= REWRITE_DISTRIBUTE && is_scaled(child, &core))
		return scale_like(program, child, sum_over(program, labels, core, level));

	/* a label that does not occur repeats its operand */
	if (!bms_is_empty(unused))
	{
		double repeats = product_of_bounds(program, unused);

		if (isinf(repeats))
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("label \"%s\" is open and does not index every term it is "
							"summed over",
							program->labels[bms_next_member(unused, -1)].name),
					 errhint("Register the tensors it indexes with a bound."),
					 program_errposition(program->text, child->location)));
		result = sum_over(program, bms_int_members(bms_copy(labels), child->labels),
						  child, level);
		return expr_map2(program, FUNCTION_MULTIPLY,
						 expr_literal(program, repeats, child->location), result);
	}
	if (is_sum(child))
		return expr_aggregate(program, AGGREGATE_SUM,
							  bms_union(labels, child->bound_labels), child->args[0],
							  child->location);
	return expr_aggregate(program, AGGREGATE_SUM, labels, child, child->location);
}

/*
 * Takes a sum out of a product: (sum[k] y) * x as sum[k] y * x. Null if that
 * would repeat work. A quotient stays as it is: a sum that is 0 divided by 0 is
 * 0, but its terms divided by 0 do not add up to that.
 */
static TensorExpr *
absorb_factor(Program *program, TensorExpr *sum, TensorExpr *factor, bool sum_first,
			  RewriteLevel level)
{
	TensorExpr *body;

	if (!is_sum(sum) || factor->kind == EXPR_LITERAL || factor->has_aggregate ||
		!bms_is_subset(factor->labels, sum->labels))
		return NULL;
	body = sum_first ? expr_map2(program, FUNCTION_MULTIPLY, sum->args[0], factor)
					 : expr_map2(program, FUNCTION_MULTIPLY, factor, sum->args[0]);
	return sum_over(program, sum->bound_labels, body, level);
}

/*
 * A product or quotient of normalized arguments: numbers outermost, then sums
 * that can be taken out.
 */
static TensorExpr *
normalize_product(Program *program, const TensorExpr *expr, TensorExpr **args,
				  RewriteLevel level)
{
	bool product = expr->function == FUNCTION_MULTIPLY;
	TensorExpr *absorbed = NULL;
	TensorExpr *core;

	check_stack_depth();
	if (level >= REWRITE_REASSOCIATE && args[0]->kind != EXPR_LITERAL &&
		args[1]->kind != EXPR_LITERAL)
	{
		if (is_scaled(args[0], &core))
			return scale_like(
				program, args[0],
				normalize_product(program, expr, (TensorExpr *[]){core, args[1]}, level));
		if (product && is_scaled(args[1], &core))
			return scale_like(
				program, args[1],
				normalize_product(program, expr, (TensorExpr *[]){args[0], core}, level));
	}
	if (level >= REWRITE_DISTRIBUTE && product)
	{
		absorbed = absorb_factor(program, args[0], args[1], true, level);
		if (!absorbed)
			absorbed = absorb_factor(program, args[1], args[0], false, level);
	}
	return absorbed ? absorbed : expr_map(program, expr->function, args, expr->location);
}

static TensorExpr *extreme_over(Program *program, AggregateOperator aggregate,
								Bitmapset *labels, TensorExpr *child, int location);

/*
 * The greatest of a rising function is the function of the greatest, of a falling one
 * that of the least. Not of those that make no number of some numbers, and not over
 * labels that may have no index, of which the greatest is -infinity.
 */
static TensorExpr *
extreme_of_function(Program *program, AggregateOperator aggregate, Bitmapset *labels,
					TensorExpr *child, int location)
{
	const FunctionProperties *function;
	AggregateOperator of_argument = aggregate;
	TensorExpr *result;

	if ((aggregate != AGGREGATE_MAX && aggregate != AGGREGATE_MIN) ||
		child->kind != EXPR_MAP || child->nargs != 1 ||
		element_is_complex(child->args[0]->type.type))
		return NULL;
	function = function_properties(child->function);
	if (!function->total || function->monotony == MONOTONE_NONE)
		return NULL;
	if (!labels_have_indices(program, labels))
		return NULL;
	if (function->monotony == MONOTONE_FALLING)
		of_argument = aggregate == AGGREGATE_MAX ? AGGREGATE_MIN : AGGREGATE_MAX;
	result = extreme_over(program, of_argument, labels, child->args[0], location);
	/* the negative of 0 would be -0 where nothing is stored */
	if (child->function == FUNCTION_NEGATE)
		return expr_map2(program, FUNCTION_SUBTRACT, expr_literal(program, 0.0, location),
						 result);
	return expr_map1(program, child->function, result);
}

/* The greatest or least, past functions that keep the order. */
static TensorExpr *
extreme_over(Program *program, AggregateOperator aggregate, Bitmapset *labels,
			 TensorExpr *child, int location)
{
	TensorExpr *result = extreme_of_function(program, aggregate, labels, child, location);

	check_stack_depth();
	return result ? result : expr_aggregate(program, aggregate, labels, child, location);
}

/*
 * An aggregate other than a sum over a normalized child. any and all are the
 * greatest and least truth value; over nothing they are 0 and 1, which the
 * comparison makes of the identities. A label that does not occur repeats its
 * operand: prod raises it to the bound, max and min leave it.
 */
static TensorExpr *
normalize_aggregate(Program *program, const TensorExpr *expr, TensorExpr *child,
					RewriteLevel level)
{
	AggregateOperator aggregate = expr->aggregate;
	Bitmapset *unused = bms_difference(expr->bound_labels, child->labels);
	Bitmapset *used = bms_intersect(expr->bound_labels, child->labels);
	double repeats = product_of_bounds(program, unused);
	TensorExpr *zero = expr_literal(program, 0.0, expr->location);
	TensorExpr *result;

	if (aggregate == AGGREGATE_ANY || aggregate == AGGREGATE_ALL)
	{
		result = expr_aggregate(
			program, aggregate == AGGREGATE_ANY ? AGGREGATE_MAX : AGGREGATE_MIN,
			expr->bound_labels, expr_map2(program, FUNCTION_NE, child, zero),
			expr->location);
		if (result->kind == EXPR_AGGREGATE)
			result = normalize_aggregate(program, result, result->args[0], level);
		return expr_map2(program, FUNCTION_GT, result, zero);
	}
	if (repeats == 0.0)
		return expr_map2(
			program, FUNCTION_ADD,
			expr_literal(program, aggregate_identity(aggregate), expr->location),
			expr_map2(program, FUNCTION_MULTIPLY, zero,
					  expr_aggregate(program, AGGREGATE_SUM, used, child, -1)));
	result = level >= REWRITE_DISTRIBUTE
				 ? extreme_over(program, aggregate, used, child, expr->location)
				 : expr_aggregate(program, aggregate, used, child, expr->location);
	if (aggregate == AGGREGATE_PROD && !bms_is_empty(unused))
		result = expr_map2(program, FUNCTION_POWER, result,
						   expr_literal(program, repeats, expr->location));
	return result;
}

static TensorExpr *
normalize_new_expr(Program *program, TensorExpr *expr, RewriteLevel level)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];

	for (int i = 0; i < expr->nargs; i++)
		args[i] = normalize_expr(program, expr->args[i], level);

	switch (expr->kind)
	{
		case EXPR_LITERAL:
		case EXPR_ACCESS:
			return expr;
		case EXPR_AGGREGATE:
			if (expr->aggregate == AGGREGATE_SUM)
				return sum_over(program, expr->bound_labels, args[0], level);
			return normalize_aggregate(program, expr, args[0], level);
		case EXPR_MAP:
			if (expr->function == FUNCTION_MULTIPLY || expr->function == FUNCTION_DIVIDE)
				return normalize_product(program, expr, args, level);
			return expr_map(program, expr->function, args, expr->location);
	}
	return NULL;
}

TensorExpr *
normalize_expr(Program *program, TensorExpr *expr, RewriteLevel level)
{
	check_stack_depth();
	if (expr->normal == NULL)
		expr->normal = normalize_new_expr(program, expr, level);
	return expr->normal;
}

/* Gives the labels that an expression binds new numbers, and lists them. */
static void
refresh_bound_labels(Program *program, const TensorExpr *expr, Bitmapset **renamed)
{
	int label = -1;

	check_stack_depth();
	if (!expr->has_aggregate)
		return;
	while ((label = bms_next_member(expr->bound_labels, label)) >= 0)
	{
		int fresh;

		if (program->renaming[label] >= 0)
			continue;
		fresh = program_copy_label(program, label);
		program->renaming[label] = fresh;
		*renamed = bms_add_member(*renamed, label);
	}
	for (int i = 0; i < expr->nargs; i++)
		refresh_bound_labels(program, expr->args[i], renamed);
}

static TensorExpr *
inlined_access(Program *program, const TensorExpr *access, const Statement *definition)
{
	Bitmapset *renamed = NULL;
	TensorExpr *result;
	int label = -1;

	/* the only reader, with the labels of the definition */
	if (access->nindices > 0 &&
		memcmp(definition->output, access->indices, sizeof(int) * access->nindices) == 0)
		return definition->expr;
	refresh_bound_labels(program, definition->expr, &renamed);
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

TensorExpr *
inline_definition(Program *program, TensorExpr *expr, const Statement *definition)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];

	check_stack_depth();
	if (expr->kind == EXPR_ACCESS)
		return expr->tensor == definition->target
				   ? inlined_access(program, expr, definition)
				   : expr;
	for (int i = 0; i < expr->nargs; i++)
		args[i] = inline_definition(program, expr->args[i], definition);
	return expr_with_args(program, expr, args);
}
