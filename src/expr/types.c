/*-------------------------------------------------------------------------
 *
 * types.c
 *	  Element types of expressions.
 *
 * Types promote as numpy's. Two kinds of values have no type of their own and
 * take the type of what they are combined with: numbers, and truth values
 * (results of comparisons, any and all), which numpy keeps as booleans.
 *
 * Rewriting moves factors, terms and sums about within + - * / and sum. So all
 * of such an arithmetic expression is computed in one type, to which its
 * operands are converted first: sum[j] a[i,j] * b[j] + c[i] with only c of
 * float8 multiplies and adds in float8. Functions, comparisons, other
 * aggregates, and tensors that other statements define keep the types that they
 * have by themselves, and are converted where they are used. The type of a
 * result is the one numpy gives it; intermediate results may have more precision
 * than in numpy, never less.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/analysis.h"
#include "expr/function_table.h"
#include "expr/side_table.h"
#include "expr/types.h"
#include "expr/walk.h"
#include "recursion.h"

/* The type to which the operands of an arithmetic expression promote. */
typedef struct Promotion
{
	bool any;       /* some operand has a type */
	ValueType type; /* what these promote to */
	bool imaginary; /* some number is complex */
} Promotion;

bool
is_arithmetic(const TensorExpr *expr)
{
	if (expr->kind == EXPR_AGGREGATE)
		return expr->aggregate == AGGREGATE_SUM;
	if (expr->kind != EXPR_MAP)
		return false;
	switch (expr->function)
	{
		case FUNCTION_ADD:
		case FUNCTION_SUBTRACT:
		case FUNCTION_MULTIPLY:
		case FUNCTION_DIVIDE:
		case FUNCTION_NEGATE:
			return true;
		default:
			return false;
	}
}

bool
makes_truth_value(const TensorExpr *expr)
{
	if (expr->kind == EXPR_AGGREGATE)
	{
		if (expr->aggregate == AGGREGATE_ANY || expr->aggregate == AGGREGATE_ALL)
			return true;
		return expr->aggregate != AGGREGATE_SUM && expr->args[0]->is_truth_value;
	}
	if (expr->kind != EXPR_MAP)
		return false;
	if (is_comparison(expr->function))
		return true;
	switch (expr->function)
	{
		case FUNCTION_GREATEST:
		case FUNCTION_LEAST:
			return expr->args[0]->is_truth_value && expr->args[1]->is_truth_value;
		case FUNCTION_IF:
			for (int i = 1; i < 3; i++)
			{
				if (expr->args[i]->kind != EXPR_LITERAL && !expr->args[i]->is_truth_value)
					return false;
			}
			return true;
		default:
			return false;
	}
}

static void
promote(Promotion *promotion, const TensorExpr *operand)
{
	if (operand->kind == EXPR_LITERAL || operand->is_truth_value)
	{
		promotion->imaginary =
			promotion->imaginary || element_is_complex(operand->type.type);
		return;
	}
	promotion->type = promotion->any ? value_type_promote(promotion->type, operand->type)
									 : operand->type;
	promotion->any = true;
}

static ElementType
promoted_type(const Promotion *promotion)
{
	ElementType type = promotion->any ? promotion->type.type : ELEMENT_FLOAT8;

	return promotion->imaginary ? element_complex_type(type) : type;
}

/* The state while the types of a statement's expression are fixed. */
typedef struct Typing
{
	Program *program;
	SideTable *fixed; /* what its operands have become */
} Typing;

/* One arithmetic expression, to whose type its operands are converted. */
typedef struct Arithmetic
{
	const Typing *typing;
	Promotion promotion;
	ElementType type; /* that they are converted to */
} Arithmetic;

static TensorExpr *fix_operand(const Typing *typing, TensorExpr *expr);

/*
 * Fixes the types within an operand of an arithmetic expression, and promotes to its
 * type.
 */
static TensorExpr *
fix_and_promote(TensorExpr *expr, void *context)
{
	Arithmetic *arithmetic = context;

	if (is_arithmetic(expr))
		return NULL;
	expr = fix_operand(arithmetic->typing, expr);
	promote(&arithmetic->promotion, expr);
	return expr;
}

/* Converts an operand of an arithmetic expression to its type. */
static TensorExpr *
converted_operand(TensorExpr *expr, void *context)
{
	const Arithmetic *arithmetic = context;

	return is_arithmetic(expr)
			   ? NULL
			   : expr_convert(arithmetic->typing->program, expr, arithmetic->type);
}

static TensorExpr *
fix_whole_arithmetic(const Typing *typing, TensorExpr *expr)
{
	Arithmetic arithmetic = {.typing = typing};

	expr = change_expr(typing->program, expr, fix_and_promote, &arithmetic);
	arithmetic.type = promoted_type(&arithmetic.promotion);
	return change_expr(typing->program, expr, converted_operand, &arithmetic);
}

/*
 * Converts the arguments of a function of matrices to one type, also if they are truth
 * values.
 */
static void
convert_matrices(Program *program, const TensorExpr *expr, TensorExpr **args)
{
	Promotion promotion = {0};

	for (int i = 0; i < expr->nargs; i++)
		promote(&promotion, args[i]);
	for (int i = 0; i < expr->nargs; i++)
	{
		ElementType type = promoted_type(&promotion);

		if (args[i]->type.type != type || args[i]->is_truth_value)
			args[i] = expr_map1(program, conversion_function(type), args[i]);
	}
}

/*
 * Fixes the types of an operand of an arithmetic expression, or of a whole one. The types
 * of its arguments are fixed first; a truth value keeps the type that its comparison
 * gives it.
 */
static TensorExpr *
fix_new_operand(const Typing *typing, TensorExpr *expr)
{
	Program *program = typing->program;
	TensorExpr *args[FUNCTION_MAX_ARGS];
	Promotion promotion = {0};
	int first = 0;

	if (is_arithmetic(expr))
		return fix_whole_arithmetic(typing, expr);
	for (int i = 0; i < expr->nargs; i++)
		args[i] = fix_operand(typing, expr->args[i]);
	if (expr->kind == EXPR_MATRIX)
		convert_matrices(program, expr, args);
	if (expr->kind == EXPR_MATRIX || expr->kind == EXPR_AGGREGATE ||
		expr->function >= FUNCTION_FLOAT4)
		return expr_with_args(program, expr, args);

	/* the condition of if does not determine the type of the result */
	if (expr->function == FUNCTION_IF)
		first = 1;
	for (int i = first; i < expr->nargs; i++)
		promote(&promotion, args[i]);
	/*
	 * an operation on truth values alone gives a truth value only if it chooses among
	 * them
	 */
	if (promotion.any || !expr_with_args(program, expr, args)->is_truth_value)
	{
		for (int i = first; i < expr->nargs; i++)
			args[i] = expr_convert(program, args[i], promoted_type(&promotion));
	}
	return expr_with_args(program, expr, args);
}

static TensorExpr *
fix_operand(const Typing *typing, TensorExpr *expr)
{
	TensorExpr *fixed;

	enter_recursion();
	if (expr->nargs == 0)
		return expr;
	fixed = side_value(typing->fixed, expr);
	if (fixed)
		return fixed;
	fixed = fix_new_operand(typing, expr);
	set_side_value(typing->fixed, expr, fixed);
	return fixed;
}

TensorExpr *
fix_types(Program *program, TensorExpr *expr)
{
	Typing typing = {program, new_side_table(32)};

	expr = fix_whole_arithmetic(&typing, expr);
	free_side_table(typing.fixed);
	return expr;
}

void
check_function_type(const Program *program, FunctionId function, TensorExpr *const *args,
					int location)
{
	ValueType types[FUNCTION_MAX_ARGS];
	const PointwiseFunction *row = &pointwise_functions[function];

	for (int i = 0; i < row->arity; i++)
		types[i] = args[i]->type;
	if (function_type(function, types).defined)
		return;
	unsupported(
		program, location,
		psprintf("\"%s\" is not defined for complex numbers", function_written(function)),
		"Use it on real(), imag() or abs() of them.");
}

void
check_aggregate_type(const Program *program, AggregateOperator aggregate,
					 const TensorExpr *child, int location)
{
	if (element_is_complex(child->type.type) &&
		(aggregate == AGGREGATE_MAX || aggregate == AGGREGATE_MIN))
		unsupported(program, location,
					psprintf("\"%s\" is not defined for complex numbers",
							 aggregate_operator_name(aggregate)),
					"Use it on real(), imag() or abs() of them.");
}
