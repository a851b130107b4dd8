/*-------------------------------------------------------------------------
 *
 * derivative.c
 *	  The derivative of one node by one of its arguments.
 *
 * Where a derivative does not exist, relu and abs have 0 at 0, and extremes
 * share it equally among the entries that attain them; sqrt has infinity at 0.
 * As 0 / x is 0, quotients, roots, logarithms and the base of a power pass back
 * 0 where they are passed 0.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>

#include "expr/analysis.h"
#include "expr/derivative.h"
#include "expr/function_table.h"

typedef const DerivativeContext Context;

static TensorExpr *
literal(Context *context, double value)
{
	return expr_literal(context->program, value, -1);
}

static TensorExpr *
unary(Context *context, FunctionId function, TensorExpr *a)
{
	return expr_map1(context->program, function, a);
}

static TensorExpr *
binary(Context *context, FunctionId function, TensorExpr *a, TensorExpr *b)
{
	return expr_map2(context->program, function, a, b);
}

static TensorExpr *
times(Context *context, TensorExpr *a, TensorExpr *b)
{
	return binary(context, FUNCTION_MULTIPLY, a, b);
}

static TensorExpr *
choose(Context *context, TensorExpr *condition, TensorExpr *yes, TensorExpr *no)
{
	TensorExpr *args[3] = {condition, yes, no};

	return expr_map(context->program, FUNCTION_IF, args, condition->location);
}

static TensorExpr *
comparison_with(Context *context, FunctionId comparison, TensorExpr *a, double value)
{
	return binary(context, comparison, a, literal(context, value));
}

static TensorExpr *
value_of_node(Context *context, TensorExpr *node)
{
	return context->value(context->state, node);
}

static TensorExpr *
conjugate(Context *context, TensorExpr *expr)
{
	return element_is_complex(expr->type.type) ? unary(context, FUNCTION_CONJ, expr)
											   : expr;
}

/*
 * Returns the adjoint times the conjugate of a derivative, as for complex differentiable
 * functions.
 */
static TensorExpr *
along(Context *context, TensorExpr *adjoint, TensorExpr *derivative)
{
	return times(context, adjoint, conjugate(context, derivative));
}

/*
 * Passes back through x^b. By x: b x^(b-1), written as a quotient, because 0 may be
 * passed to an infinite derivative; by b: x^b ln(x), or 0 where x is 0.
 */
static TensorExpr *
power_back(Context *context, TensorExpr *node, int arg, TensorExpr *adjoint)
{
	TensorExpr *base = value_of_node(context, node->args[0]);
	TensorExpr *exponent = value_of_node(context, node->args[1]);
	TensorExpr *power;

	if (arg == 1)
	{
		power = times(context, value_of_node(context, node),
					  unary(context, FUNCTION_LN, base));
		return along(context, adjoint,
					 choose(context, comparison_with(context, FUNCTION_NE, base, 0.0),
							power, literal(context, 0.0)));
	}
	if (exponent->kind == EXPR_LITERAL && exponent->value == 0.0)
		return NULL;
	adjoint = along(context, adjoint, exponent);
	if (exponent->kind == EXPR_LITERAL && creal(exponent->value) >= 1.0)
		return along(
			context, adjoint,
			binary(context, FUNCTION_POWER, base,
				   binary(context, FUNCTION_SUBTRACT, exponent, literal(context, 1.0))));
	power = binary(context, FUNCTION_POWER, base,
				   binary(context, FUNCTION_SUBTRACT, literal(context, 1.0), exponent));
	return binary(context, FUNCTION_DIVIDE, adjoint, conjugate(context, power));
}

/* Passes back through greatest and least: half to each argument where both are equal. */
static TensorExpr *
choice_back(Context *context, TensorExpr *node, int arg, TensorExpr *adjoint)
{
	TensorExpr *own = value_of_node(context, node->args[arg]);
	TensorExpr *other = value_of_node(context, node->args[1 - arg]);
	FunctionId wins = node->function == FUNCTION_GREATEST ? FUNCTION_GT : FUNCTION_LT;
	TensorExpr *tie = choose(context, binary(context, FUNCTION_EQ, own, other),
							 literal(context, 0.5), literal(context, 0.0));

	return times(
		context, adjoint,
		choose(context, binary(context, wins, own, other), literal(context, 1.0), tie));
}

/* Passes back through a quotient a/b. By b: -(a/b)/b, which reuses the quotient. */
static TensorExpr *
quotient_back(Context *context, TensorExpr *node, int arg, TensorExpr *adjoint)
{
	TensorExpr *divisor = conjugate(context, value_of_node(context, node->args[1]));

	if (arg == 0)
		return binary(context, FUNCTION_DIVIDE, adjoint, divisor);
	return unary(context, FUNCTION_NEGATE,
				 binary(context, FUNCTION_DIVIDE,
						along(context, adjoint, value_of_node(context, node)), divisor));
}

static TensorExpr *
unary_derivative(Context *context, TensorExpr *node)
{
	TensorExpr *x = node->args[0];
	TensorExpr *y;

	switch (node->function)
	{
		case FUNCTION_EXP:
			return value_of_node(context, node);
		case FUNCTION_SIN:
			return unary(context, FUNCTION_COS, value_of_node(context, x));
		case FUNCTION_COS:
			return unary(context, FUNCTION_NEGATE,
						 unary(context, FUNCTION_SIN, value_of_node(context, x)));
		case FUNCTION_TANH:
			y = value_of_node(context, node);
			return binary(context, FUNCTION_SUBTRACT, literal(context, 1.0),
						  times(context, y, y));
		case FUNCTION_SIGMOID:
			y = value_of_node(context, node);
			return times(context, y,
						 binary(context, FUNCTION_SUBTRACT, literal(context, 1.0), y));
		case FUNCTION_RELU:
			return comparison_with(context, FUNCTION_GT, value_of_node(context, x), 0.0);
		default:
			elog(ERROR, "no derivative of \"%s\"", function_written(node->function));
	}
}

static TensorExpr *
function_back(Context *context, TensorExpr *node, int arg, TensorExpr *adjoint)
{
	TensorExpr *x = node->args[arg];

	switch (node->function)
	{
		case FUNCTION_ADD:
			return adjoint;
		case FUNCTION_SUBTRACT:
			return arg == 0 ? adjoint : unary(context, FUNCTION_NEGATE, adjoint);
		case FUNCTION_NEGATE:
			return unary(context, FUNCTION_NEGATE, adjoint);
		case FUNCTION_MULTIPLY:
			return along(context, adjoint, value_of_node(context, node->args[1 - arg]));
		case FUNCTION_DIVIDE:
			return quotient_back(context, node, arg, adjoint);
		case FUNCTION_POWER:
			return power_back(context, node, arg, adjoint);
		case FUNCTION_GREATEST:
		case FUNCTION_LEAST:
			return choice_back(context, node, arg, adjoint);
		case FUNCTION_IF:
			if (arg == 0)
				return NULL;
			return times(context, adjoint,
						 comparison_with(context, arg == 1 ? FUNCTION_NE : FUNCTION_EQ,
										 value_of_node(context, node->args[0]), 0.0));
		case FUNCTION_ABS:
			if (element_is_complex(x->type.type))
				return times(context, adjoint,
							 binary(context, FUNCTION_DIVIDE, value_of_node(context, x),
									value_of_node(context, node)));
			return times(context, adjoint,
						 unary(context, FUNCTION_SIGN, value_of_node(context, x)));
		case FUNCTION_SQRT:
			return binary(context, FUNCTION_DIVIDE,
						  times(context, literal(context, 0.5), adjoint),
						  conjugate(context, value_of_node(context, node)));
		case FUNCTION_LN:
			return binary(context, FUNCTION_DIVIDE, adjoint,
						  conjugate(context, value_of_node(context, x)));
		case FUNCTION_CONJ:
			return unary(context, FUNCTION_CONJ, adjoint);
		case FUNCTION_REAL:
			return adjoint;
		case FUNCTION_IMAG:
			return times(context, expr_imaginary(context->program, 1.0, -1), adjoint);
		case FUNCTION_FLOAT4:
		case FUNCTION_FLOAT8:
		case FUNCTION_COMPLEX8:
		case FUNCTION_COMPLEX16:
			return adjoint;
		default:
			return along(context, adjoint, unary_derivative(context, node));
	}
}

bool
is_constant_in_parts(const TensorExpr *node)
{
	if (node->kind == EXPR_MATRIX)
		return is_extreme_place(node->matrix);
	if (node->kind == EXPR_AGGREGATE)
		return node->aggregate == AGGREGATE_ANY || node->aggregate == AGGREGATE_ALL;
	switch (node->function)
	{
		case FUNCTION_SIGN:
		case FUNCTION_FLOOR:
		case FUNCTION_CEIL:
		case FUNCTION_ROUND:
			return true;
		default:
			return is_comparison(node->function);
	}
}

static TensorExpr *
aggregate_of(Context *context, const TensorExpr *node, AggregateOperator aggregate,
			 TensorExpr *child)
{
	return expr_aggregate(context->program, aggregate, node->bound_labels, child,
						  node->location);
}

/*
 * Returns the product of all other entries, without a division by 0. Let q be the product
 * of the entries that are not 0, and s the sum of those that are 0. Where x is not 0, the
 * result is q/x if no entry is 0, q s/x if one is, and 0 if more are. Where x is 0, it is
 * q if no other entry is 0, q (s - x) if one other is, and 0 if more are. s is 0, but its
 * derivative makes the derivative of this expression right as well.
 */
static TensorExpr *
product_of_others(Context *context, TensorExpr *node)
{
	TensorExpr *x = value_of_node(context, node->args[0]);
	TensorExpr *zero = comparison_with(context, FUNCTION_EQ, x, 0.0);
	TensorExpr *none = literal(context, 0.0);
	TensorExpr *one = literal(context, 1.0);
	TensorExpr *zeros = aggregate_of(context, node, AGGREGATE_SUM, zero);
	TensorExpr *q =
		aggregate_of(context, node, AGGREGATE_PROD, choose(context, zero, one, x));
	TensorExpr *s =
		aggregate_of(context, node, AGGREGATE_SUM, choose(context, zero, x, none));
	TensorExpr *beside_one =
		choose(context, comparison_with(context, FUNCTION_EQ, zeros, 1.0), s, none);
	TensorExpr *of_two =
		choose(context, comparison_with(context, FUNCTION_EQ, zeros, 2.0),
			   binary(context, FUNCTION_SUBTRACT, s, x), none);

	return times(
		context, q,
		choose(context, zero,
			   choose(context, comparison_with(context, FUNCTION_EQ, zeros, 1.0), one,
					  of_two),
			   binary(context, FUNCTION_DIVIDE,
					  choose(context, comparison_with(context, FUNCTION_EQ, zeros, 0.0),
							 one, beside_one),
					  x)));
}

/*
 * Returns whether an entry attains the extreme, up to rounding, as plans may compute the
 * two in different orders: x >= m (1 - sign(m) e), likewise <=, which also holds for
 * infinities.
 */
static TensorExpr *
nearly_attains(Context *context, TensorExpr *node)
{
	TensorExpr *extreme = value_of_node(context, node);
	bool least = node->aggregate == AGGREGATE_MIN;
	double rounding = node->type.type == ELEMENT_FLOAT4 ? 0x1p-20 : 0x1p-46;
	TensorExpr *slack = times(context, unary(context, FUNCTION_SIGN, extreme),
							  literal(context, rounding));

	return binary(context, least ? FUNCTION_LE : FUNCTION_GE,
				  value_of_node(context, node->args[0]),
				  times(context, extreme,
						binary(context, least ? FUNCTION_ADD : FUNCTION_SUBTRACT,
							   literal(context, 1.0), slack)));
}

static TensorExpr *
aggregate_back(Context *context, TensorExpr *node, TensorExpr *adjoint)
{
	TensorExpr *attains;

	if (node->aggregate == AGGREGATE_SUM)
		return adjoint;
	if (node->aggregate == AGGREGATE_PROD)
		return along(context, adjoint, product_of_others(context, node));
	attains = nearly_attains(context, node);
	/* if rounding leaves no entry that attains it, 0 / 0 is 0 */
	return binary(context, FUNCTION_DIVIDE, times(context, adjoint, attains),
				  aggregate_of(context, node, AGGREGATE_SUM, attains));
}

/*
 * Makes new labels like those of a matrix. They are copies, because twins are used later
 * for the labels of tensors' derivatives.
 */
static void
fresh_labels(Context *context, const TensorExpr *node, int *fresh)
{
	for (int i = 0; i < 2; i++)
		fresh[i] = program_copy_label(context->program, node->inner[i]);
}

/* Returns an expression with n labels replaced by others, all at the same time. */
static TensorExpr *
renamed(Context *context, TensorExpr *expr, const int *labels, const int *others, int n)
{
	int *renaming = context->program->renaming;

	for (int i = 0; i < n; i++)
		renaming[labels[i]] = others[i];
	expr = rename_labels(context->program, expr, renaming);
	for (int i = 0; i < n; i++)
		renaming[labels[i]] = -1;
	return expr;
}

/*
 * Passes back through x, the solution of a x = b. The right side is passed y, the
 * solution of a* y = adjoint, in which equations and unknowns change roles; the matrix is
 * passed -y x*.
 */
static TensorExpr *
solve_back(Context *context, TensorExpr *node, int arg, TensorExpr *adjoint)
{
	int fresh[2];
	int inner[2];
	TensorExpr *args[2];
	TensorExpr *y;
	TensorExpr *x;

	fresh_labels(context, node, fresh);
	inner[0] = fresh[1];
	inner[1] = fresh[0];
	args[0] = conjugate(context, renamed(context, value_of_node(context, node->args[0]),
										 node->inner, fresh, 2));
	args[1] = renamed(context, adjoint, node->indices, fresh, 1);
	/* the adjoint is the same for each unknown: multiply it by 1 with a label for them */
	if (!bms_is_member(fresh[0], args[1]->labels))
		args[1] = times(context, args[1],
						binary(context, FUNCTION_POWER,
							   renamed(context, value_of_node(context, node),
									   node->indices, fresh, 1),
							   literal(context, 0.0)));
	if (args[0]->fill != 0.0 && args[1]->fill != 0.0)
		unsupported(context->program, node->location,
					"there is no derivative of solve of a matrix that is not 0 where "
					"nothing is stored",
					"Multiply the matrix by what is 0 there, as a comparison.");
	y = expr_matrix(context->program, MATRIX_SOLVE, inner, &node->inner[1], args,
					node->location);
	if (arg == 1)
		return y;
	x = renamed(context, value_of_node(context, node), node->indices, node->inner, 1);
	return unary(context, FUNCTION_NEGATE, along(context, y, x));
}

/* Passes back through y, the inverse of a matrix: -y* adjoint y*. */
static TensorExpr *
inverse_back(Context *context, TensorExpr *node, TensorExpr *adjoint)
{
	TensorExpr *y = value_of_node(context, node);
	Bitmapset *summed = NULL;
	int fresh[2];
	int left[2];
	int right[2];
	TensorExpr *product;

	fresh_labels(context, node, fresh);
	left[0] = fresh[0];
	left[1] = node->inner[0];
	right[0] = node->inner[1];
	right[1] = fresh[1];
	for (int i = 0; i < 2; i++)
		summed = bms_add_member(summed, fresh[i]);
	product =
		times(context, conjugate(context, renamed(context, y, node->indices, left, 2)),
			  renamed(context, adjoint, node->indices, fresh, 2));
	product = times(context, product,
					conjugate(context, renamed(context, y, node->indices, right, 2)));
	return unary(
		context, FUNCTION_NEGATE,
		expr_aggregate(context->program, AGGREGATE_SUM, summed, product, node->location));
}

TensorExpr *
identity_matrix(Program *program, int row, int column)
{
	ProgramTensor *eye = palloc0(sizeof(ProgramTensor));

	eye->name = "eye";
	eye->rank = 2;
	eye->identity = true;
	eye->type = ELEMENT_FLOAT8;
	eye->bounds[0] = eye->bounds[1] = program->labels[row].bound;
	return expr_access(program, eye, (int[]){row, column}, -1);
}

/* Returns the sum over one or two labels. */
static TensorExpr *
sum_over(Context *context, TensorExpr *expr, int label, int other)
{
	Bitmapset *summed = bms_make_singleton(label);

	return expr_aggregate(context->program, AGGREGATE_SUM, bms_add_member(summed, other),
						  expr, expr->location);
}

/*
 * Returns 1 in the lower triangle of a Cholesky factor, with the diagonal, and 0 above
 * it: where the factor of q q' + diag(q)^2 is not 0, with q the squares of the rows'
 * norms. A matrix of zeros has no factor, and no derivative either.
 */
static TensorExpr *
lower_triangle(Context *context, TensorExpr *node, const int *indices)
{
	TensorExpr *factor = value_of_node(context, node);
	TensorExpr *norms[2];
	TensorExpr *matrix;
	int summed[2];
	int inner[2];

	fresh_labels(context, node, summed);
	fresh_labels(context, node, inner);
	for (int i = 0; i < 2; i++)
	{
		TensorExpr *row =
			renamed(context, factor, node->indices, (int[]){inner[i], summed[1]}, 2);

		row = along(context, row, row);
		if (element_is_complex(row->type.type))
			row = unary(context, FUNCTION_REAL, row);
		norms[i] = sum_over(context, row, summed[1], summed[1]);
	}
	matrix = times(context, times(context, norms[0], norms[1]),
				   binary(context, FUNCTION_ADD, literal(context, 1.0),
						  identity_matrix(context->program, inner[0], inner[1])));
	return comparison_with(context, FUNCTION_NE,
						   expr_matrix(context->program, MATRIX_CHOLESKY, inner, indices,
									   &matrix, node->location),
						   0.0);
}

/*
 * Passes back through l, the Cholesky factor of a = l l*: the symmetric part of l^-*
 * phi(l* adjoint) l^-1. phi takes the lower triangle with half of the diagonal; it does
 * not use what the adjoint has above.
 *
 * Source: I. Murray, Differentiation of the Cholesky decomposition (2016).
 */
static TensorExpr *
cholesky_back(Context *context, TensorExpr *node, TensorExpr *adjoint)
{
	TensorExpr *factor = value_of_node(context, node);
	TensorExpr *product;
	TensorExpr *inverse;
	TensorExpr *transposed;
	int k[2];
	int p[2];
	int inner[2];

	fresh_labels(context, node, k);
	fresh_labels(context, node, p);
	fresh_labels(context, node, inner);
	product = times(context,
					conjugate(context, renamed(context, factor, node->indices,
											   (int[]){k[0], p[0]}, 2)),
					renamed(context, adjoint, node->indices, (int[]){k[0], p[1]}, 2));
	product =
		times(context, sum_over(context, product, k[0], k[0]),
			  times(context, lower_triangle(context, node, p),
					binary(context, FUNCTION_SUBTRACT, literal(context, 1.0),
						   times(context, literal(context, 0.5),
								 lower_triangle(context, node, (int[]){p[1], p[0]})))));
	transposed = renamed(context, product, p, (int[]){p[1], p[0]}, 2);
	product =
		times(context, literal(context, 0.5),
			  binary(context, FUNCTION_ADD, product, conjugate(context, transposed)));
	factor = renamed(context, factor, node->indices, inner, 2);
	inverse =
		expr_matrix(context->program, MATRIX_INVERSE, inner, k, &factor, node->location);
	product =
		times(context, product,
			  times(context,
					conjugate(context, renamed(context, inverse, k,
											   (int[]){p[0], node->inner[0]}, 2)),
					renamed(context, inverse, k, (int[]){p[1], node->inner[1]}, 2)));
	return sum_over(context, product, p[0], p[1]);
}

static TensorExpr *
matrix_back(Context *context, TensorExpr *node, int arg, TensorExpr *adjoint)
{
	switch (node->matrix)
	{
		case MATRIX_SOLVE:
			return solve_back(context, node, arg, adjoint);
		case MATRIX_INVERSE:
			return inverse_back(context, node, adjoint);
		default:
			return cholesky_back(context, node, adjoint);
	}
}

/*
 * Converts an adjoint to the type of the argument to which it is passed: real for a real
 * one, and of the same precision.
 */
static TensorExpr *
as_argument(Context *context, TensorExpr *adjoint, ElementType type)
{
	if (!element_is_complex(type) && element_is_complex(adjoint->type.type))
		adjoint = unary(context, FUNCTION_REAL, adjoint);
	return expr_convert(context->program, adjoint, type);
}

/* Is the argument exp of something, and a factor or numerator of the node? */
static bool
is_factor_exp(const TensorExpr *node, int arg)
{
	return (expr_is_map(node, FUNCTION_MULTIPLY) ||
			(expr_is_map(node, FUNCTION_DIVIDE) && arg == 0)) &&
		   expr_is_map(node->args[arg], FUNCTION_EXP);
}

bool
is_passed_value(const TensorExpr *node, int arg)
{
	return is_factor_exp(node, arg) ||
		   (expr_is_map(node, FUNCTION_DIVIDE) && is_factor_exp(node, 0));
}

TensorExpr *
adjoint_times_value(const DerivativeContext *context, TensorExpr *node,
					TensorExpr *adjoint)
{
	if (expr_is_map(node, FUNCTION_DIVIDE))
	{
		/* not the adjoint times the quotient: 0 may be passed to an infinite quotient */
		adjoint = quotient_back(context, node, 0, adjoint);
		node = node->args[0];
	}
	return along(context, adjoint, value_of_node(context, node));
}

TensorExpr *
pass_value(const DerivativeContext *context, TensorExpr *node, int arg,
		   TensorExpr *adjoint_times_value, TensorExpr **to)
{
	TensorExpr *result = adjoint_times_value;

	*to = node->args[arg];
	if (is_factor_exp(node, arg))
		*to = (*to)->args[0];
	else
		result =
			unary(context, FUNCTION_NEGATE,
				  binary(context, FUNCTION_DIVIDE, result,
						 conjugate(context, value_of_node(context, node->args[arg]))));
	return as_argument(context, result, (*to)->type.type);
}

TensorExpr *
pass_back(const DerivativeContext *context, TensorExpr *node, int arg,
		  TensorExpr *adjoint)
{
	TensorExpr *result;

	if (is_constant_in_parts(node))
		return NULL;
	if (node->kind == EXPR_MATRIX)
		result = matrix_back(context, node, arg, adjoint);
	else if (node->kind == EXPR_AGGREGATE)
		result = aggregate_back(context, node, adjoint);
	else
		result = function_back(context, node, arg, adjoint);
	return result ? as_argument(context, result, node->args[arg]->type.type) : NULL;
}
