/*-------------------------------------------------------------------------
 *
 * kernels.c
 *	  The aggregates of a query level, or the calls that it makes for each joined
 *	  tuple, as kernels of a loop nest.
 *
 * A kernel is an equation, or an expression of tensor_map with an equation, over values.
 * A value is an expression over one row of an operand that cannot raise an error, since a
 * nest also reads rows that join nothing. Functions of numbers in arguments become part
 * of the expression, or of the product. A call in an argument that computes a number of
 * each joined tuple, such as an inner product, is a "computed" kernel of its own that
 * runs before.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "common/int.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "catalog/attempt.h"
#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/integer_keys.h"
#include "parser/syntax.h"
#include "planner/aggregate_join/kernels.h"
#include "planner/estimate_shape.h"
#include "planner/planned_call.h"
#include "recursion.h"
#include "type/constant.h"
#include "type/extension.h"
#include "type/kernel_spec.h"

/* A kernel whose arguments are being collected. */
typedef struct KernelText
{
	LevelKernels *kernels;
	List *arguments; /* numbers of values */
	StringInfoData equation;
	bool has_tensors; /* there are tensors, so numbers keep their SQL types */
} KernelText;

/* Values */

/*
 * Returns the only operand whose columns an expression reads; -1 if it reads none, -2 if
 * columns of several.
 */
static int
operand_of(const Level *level, Node *expression)
{
	Relids relids = pull_varnos(level->root, expression);
	int operand;

	if (bms_is_empty(relids))
		return -1;
	operand = operand_of_relations(level, relids);
	return operand < 0 ? -2 : operand;
}

static bool
is_value_type(Oid type)
{
	type = getBaseType(type);
	return type == FLOAT8OID || type == FLOAT4OID || is_integer_type(type) ||
		   is_tensor_type(type);
}

/* Does an expression read only columns that the operand's scan returns? */
static bool
scan_has_columns(Node *node, void *context)
{
	Level *level = context;

	enter_recursion();
	if (node == NULL)
		return true;
	if (IsA(node, Var) || IsA(node, PlaceHolderVar))
		return find_column(level, node) >= 0;
	if (IsA(node, FuncExpr) || IsA(node, MinMaxExpr) || IsA(node, CoalesceExpr) ||
		IsA(node, RelabelType) || IsA(node, Const))
	{
		List *args = IsA(node, FuncExpr)       ? ((FuncExpr *) node)->args
					 : IsA(node, MinMaxExpr)   ? ((MinMaxExpr *) node)->args
					 : IsA(node, CoalesceExpr) ? ((CoalesceExpr *) node)->args
					 : IsA(node, RelabelType)  ? list_make1(((RelabelType *) node)->arg)
											   : NIL;
		ListCell *lc;

		foreach (lc, args)
			if (!scan_has_columns(lfirst(lc), context))
				return false;
		return true;
	}
	return false;
}

/*
 * Returns the number of a value, which is added if new; -1 if the expression cannot be a
 * value. If its operand is optional, the expression must say what the value is where
 * there is no row.
 */
static int
find_value(LevelKernels *kernels, Node *expression)
{
	Level *level = kernels->level;
	LevelValue value = {0};
	ShapeEstimate shape;
	LevelValue *entry;
	ListCell *lc;

	if (!is_value_type(exprType(expression)))
		return -1;
	value.expression = expression;
	if (find_column(level, expression) >= 0)
		value.operand = level->columns[find_column(level, expression)].operand;
	else
		value.operand = operand_of(level, expression);
	if (value.operand == -2 || contain_agg_clause(expression))
		return -1;
	/*
	 * COALESCE over an optional operand: its second argument is the value where there is
	 * no row. Elsewhere COALESCE is an ordinary expression
	 */
	if (value.operand >= 0 && level->operands[value.operand].optional &&
		IsA(expression, CoalesceExpr))
	{
		List *args = ((CoalesceExpr *) expression)->args;

		if (list_length(args) != 2 || operand_of(level, lsecond(args)) != -1 ||
			may_raise_error(lsecond(args), NULL))
			return -1;
		/* the first argument must be NULL where there is no row */
		if (find_column(level, linitial(args)) < 0 &&
			contain_nonstrict_functions(linitial(args)))
			return -1;
		value.expression = linitial(args);
		value.fill = lsecond(args);
	}
	if (value.operand >= 0)
	{
		if (level->operands[value.operand].optional != (value.fill != NULL) ||
			level->operands[value.operand].range != NIL ||
			!scan_has_columns(value.expression, level) ||
			(find_column(level, value.expression) < 0 &&
			 may_raise_error(value.expression, NULL)))
			return -1;
	}
	else if (may_raise_error(expression, NULL))
		return -1;
	foreach (lc, kernels->values)
	{
		LevelValue *other = lfirst(lc);

		if (other->operand == value.operand &&
			equal(other->expression, value.expression) && equal(other->fill, value.fill))
			return foreach_current_index(lc);
	}
	entry = palloc(sizeof(LevelValue));
	value.is_tensor = is_tensor_type(getBaseType(exprType(value.expression)));
	if (value.is_tensor && estimate_shape(level->root, value.expression, &shape))
		value.elements = shape.elements;
	*entry = value;
	kernels->values = lappend(kernels->values, entry);
	return list_length(kernels->values) - 1;
}

/* Kernels in all */

List *
all_kernels(const LevelKernels *kernels)
{
	return list_concat_copy(kernels->computed, kernels->aggregates);
}

bool
kernels_are_full(const LevelKernels *kernels)
{
	return list_length(kernels->computed) + list_length(kernels->aggregates) >=
		   NEST_MAX_AGGREGATES;
}

/* Arguments */

/* Adds an argument to a kernel. Returns its number, from 1; 0 if there are too many. */
static int
add_argument(KernelText *text, int value, const char *letters)
{
	if (list_length(text->arguments) == MAP_MAX_OPERANDS)
		return 0;
	appendStringInfo(&text->equation, "%s%s", text->arguments ? "," : "", letters);
	text->arguments = lappend_int(text->arguments, value);
	return list_length(text->arguments);
}

/* Returns the function of numbers that a node calls; NULL for other nodes. */
static const PointwiseFunction *
scalar_function(const Node *node)
{
	const KernelSpec *spec;

	if (!IsA(node, FuncExpr))
		return NULL;
	spec = kernel_spec(((const FuncExpr *) node)->funcid);
	return spec ? spec->function : NULL;
}

static bool append_number(KernelText *text, StringInfo expression, Node *node);
static bool computed_argument(LevelKernels *kernels, const Node *node, int *argument);

/*
 * Finds the argument that is a value, or, where that is allowed, a number that another
 * kernel computes; false if the expression is neither.
 */
static bool
find_argument(LevelKernels *kernels, Node *node, int *argument)
{
	enter_recursion();
	*argument = find_value(kernels, node);
	return *argument >= 0 ||
		   (kernels->computes && computed_argument(kernels, node, argument));
}

/* Appends "$n" for an argument of a kernel, which is added if new. */
static bool
append_value(KernelText *text, StringInfo expression, Node *node, const char *letters)
{
	int value;
	int argument;

	if (!find_argument(text->kernels, node, &value))
		return false;
	/* equal numbers are one argument */
	if (*letters == '\0' && !text->has_tensors)
		for (int i = 0; i < list_length(text->arguments); i++)
			if (list_nth_int(text->arguments, i) == value)
			{
				appendStringInfo(expression, "$%d", i + 1);
				return true;
			}
	argument = add_argument(text, value, letters);
	appendStringInfo(expression, "$%d", argument);
	return argument > 0;
}

static bool
is_one(const Node *node)
{
	return IsA(node, Const) && exprType(node) == FLOAT8OID &&
		   !((const Const *) node)->constisnull &&
		   DatumGetFloat8(((const Const *) node)->constvalue) == 1.0;
}

/*
 * Removes factors of 1, which operands without values have, from a number. The result is
 * the same bit by bit.
 */
static Node *
without_ones(Node *node)
{
	for (;;)
	{
		const PointwiseFunction *function = scalar_function(node);
		List *factors;

		enter_recursion();
		if (function == NULL || function->id != FUNCTION_MULTIPLY)
			return node;
		factors = ((FuncExpr *) node)->args;
		if (is_one(linitial(factors)) && exprType(lsecond(factors)) == FLOAT8OID)
			node = lsecond(factors);
		else if (is_one(lsecond(factors)) && exprType(linitial(factors)) == FLOAT8OID)
			node = linitial(factors);
		else
			return node;
	}
}

/*
 * Appends the expression of a number: functions of numbers, down to values and literals.
 */
static bool
append_number(KernelText *text, StringInfo expression, Node *node)
{
	const PointwiseFunction *function;
	ListCell *lc;

	enter_recursion();
	node = without_ones(node);
	function = scalar_function(node);
	if (function && operand_of(text->kernels->level, node) != -1)
	{
		appendStringInfo(expression, "%s(", function->name);
		foreach (lc, ((FuncExpr *) node)->args)
		{
			if (foreach_current_index(lc) > 0)
				appendStringInfoString(expression, ", ");
			if (!append_number(text, expression, lfirst(lc)))
				return false;
		}
		appendStringInfoChar(expression, ')');
		return true;
	}
	if (IsA(node, Const) && !text->has_tensors && exprType(node) == FLOAT8OID &&
		!((Const *) node)->constisnull)
	{
		double number = DatumGetFloat8(((Const *) node)->constvalue);

		if (isfinite(number))
		{
			char *literal = DatumGetCString(
				DirectFunctionCall1(float8out, Float8GetDatum(fabs(number))));

			appendStringInfo(expression, signbit(number) ? "(-%s)" : "%s", literal);
			return true;
		}
	}
	return append_value(text, expression, node, "");
}

/*
 * Adds the factors of a product of numbers as arguments of rank 0. False if the
 * expression is not such a product; some factors may have been added by then.
 */
static bool
add_number_factors(KernelText *text, Node *node)
{
	const PointwiseFunction *function;
	ListCell *lc;
	int value;

	enter_recursion();
	node = without_ones(node);
	function = scalar_function(node);
	if (function && function->id == FUNCTION_MULTIPLY &&
		operand_of(text->kernels->level, node) != -1)
	{
		foreach (lc, ((FuncExpr *) node)->args)
			if (!add_number_factors(text, lfirst(lc)))
				return false;
		return true;
	}
	return find_argument(text->kernels, node, &value) &&
		   add_argument(text, value, "") > 0;
}

/* Kernels */

static KernelText
new_text(LevelKernels *kernels, bool has_tensors)
{
	KernelText text = {.kernels = kernels, .has_tensors = has_tensors};

	initStringInfo(&text.equation);
	return text;
}

static void
parse_texts(void *argument)
{
	LevelAggregate *aggregate = argument;
	Equation equation;

	if (*aggregate->expression)
		aggregate->work = parse_operations(aggregate->expression);
	if (*aggregate->equation)
		parse_equation(aggregate->equation, list_length(aggregate->arguments), &equation);
}

/*
 * Do the texts of a kernel parse? Then its operations are counted. The query's own texts may be wrong, and texts that were
 * composed may be too long. Then the relational plan raises the error, or runs without
 * that limit.
 */
static bool
texts_parse(LevelAggregate *aggregate)
{
	return attempt_to_read(parse_texts, aggregate) == NULL;
}

/* Returns the labels of a term, as letters. */
static char *
term_letters(const Equation *equation, const EquationTerm *term)
{
	char *letters = palloc(term->rank + 1);

	for (int d = 0; d < term->rank; d++)
		letters[d] = equation->letters[term->labels[d]];
	letters[term->rank] = '\0';
	return letters;
}

/*
 * Returns the terms of a call's equation, the output's last, as letters; NIL if the
 * equation is not known.
 */
static List *
equation_terms(const PlannedCall *call)
{
	List *terms = NIL;
	Equation equation;

	if (!call_equation(call, &equation) || equation.has_ellipsis)
		return NIL;
	for (int i = 0; i < equation.noperands; i++)
		terms = lappend(terms, term_letters(&equation, &equation.operands[i]));
	return lappend(terms, term_letters(&equation, &equation.output));
}

static bool
is_number_term(Node *argument, const char *term)
{
	return *term == '\0' && !is_tensor_type(getBaseType(exprType(argument)));
}

/* Makes a kernel that sums products (einsum_sum), in which each factor is an argument. */
static bool
product_kernel(LevelKernels *kernels, LevelAggregate *aggregate, List *arguments,
			   List *terms)
{
	KernelText text = new_text(kernels, true);
	ListCell *lc;
	ListCell *cell;

	forboth (lc, arguments, cell, terms)
	{
		Node *argument = lfirst(lc);
		int value;

		if (is_number_term(argument, lfirst(cell)))
		{
			if (!add_number_factors(&text, argument))
				return false;
			continue;
		}
		value = find_value(kernels, argument);
		if (value < 0 || add_argument(&text, value, lfirst(cell)) == 0)
			return false;
	}
	aggregate->expression = "";
	aggregate->equation = psprintf("%s->%s", text.equation.data, (char *) llast(terms));
	aggregate->arguments = text.arguments;
	return true;
}

/*
 * Makes a kernel of an expression in which $1, $2, ... stand for the arguments; arguments
 * that are functions of numbers become part of the expression.
 */
static bool
map_kernel(LevelKernels *kernels, LevelAggregate *aggregate, const char *expression,
		   List *arguments, List *terms)
{
	KernelText text = new_text(kernels, true);
	char **written = palloc(sizeof(char *) * Max(list_length(arguments), 1));
	StringInfoData result;
	ListCell *lc;
	ListCell *cell;

	forboth (lc, arguments, cell, terms)
	{
		Node *argument = lfirst(lc);
		StringInfoData place;

		initStringInfo(&place);
		if (is_number_term(argument, lfirst(cell))
				? !append_number(&text, &place, argument)
				: !append_value(&text, &place, argument, lfirst(cell)))
			return false;
		written[foreach_current_index(lc)] = place.data;
	}
	initStringInfo(&result);
	for (const char *c = expression; *c; c++)
	{
		char *end;
		long number;

		if (*c != '$')
		{
			appendStringInfoChar(&result, *c);
			continue;
		}
		number = strtol(c + 1, &end, 10);
		if (number < 1 || number > list_length(arguments))
			return false;
		appendStringInfoString(&result, written[number - 1]);
		c = end - 1;
	}
	aggregate->expression = result.data;
	aggregate->equation = psprintf("%s->%s", text.equation.data, (char *) llast(terms));
	aggregate->arguments = text.arguments;
	return true;
}

/*
 * Makes the kernel of a call or aggregate that has an equation: einsum_sum,
 * tensor_map_min, inner_prod.
 */
static bool
equation_kernel(LevelKernels *kernels, LevelAggregate *aggregate, const PlannedCall *call)
{
	List *arguments = call_operands(call);
	List *terms = equation_terms(call);
	const char *expression = call_expression(call);

	enter_recursion();
	if (terms == NIL || (call->spec->form == FORM_MAP && expression == NULL))
		return false;
	aggregate->strict = call->spec->strict;
	if (expression == NULL)
	{
		StringInfoData product;

		if (aggregate->reduction == REDUCTION_SUM &&
			product_kernel(kernels, aggregate, arguments, terms))
			return true;
		/*
		 * a factor is a function, or the fold is not a sum: write the product as an
		 * expression
		 */
		initStringInfo(&product);
		for (int i = 0; i < list_length(arguments); i++)
			if (i == 0)
				appendStringInfoString(&product, "$1");
			else
			{
				char *left = pstrdup(product.data);

				resetStringInfo(&product);
				appendStringInfo(&product, "multiply(%s, $%d)", left, i + 1);
			}
		expression = product.data;
	}
	return map_kernel(kernels, aggregate, expression, arguments, terms);
}

/* Makes the kernel of tensor_sum and its kin, which have no equation. */
static bool
plain_kernel(LevelKernels *kernels, LevelAggregate *aggregate, const PlannedCall *call)
{
	KernelText text = new_text(kernels, false);
	Node *argument;
	StringInfoData expression;

	if (list_length(call->args) != 1)
		return false;
	argument = call_argument(call, 0);
	initStringInfo(&expression);
	aggregate->equation = "";
	if (is_tensor_type(getBaseType(exprType(argument))))
	{
		if (!append_value(&text, &expression, argument, ""))
			return false;
	}
	else if (exprType(argument) != FLOAT8OID ||
			 !append_number(&text, &expression, argument))
		return false;
	aggregate->arguments = text.arguments;
	if (text.arguments == NIL)
	{
		const Const *number = (const Const *) argument;
		int value;

		/* the sum of ones is the number of tuples */
		if (aggregate->reduction == REDUCTION_SUM && IsA(number, Const) &&
			DatumGetFloat8(number->constvalue) == 1.0)
		{
			aggregate->expression = "";
			return true;
		}
		value = find_value(kernels, argument);
		if (value < 0)
			return false;
		aggregate->arguments = list_make1_int(value);
		aggregate->expression = "";
		return true;
	}
	aggregate->expression = strcmp(expression.data, "$1") == 0 ? "" : expression.data;
	return true;
}

/* stack */

/*
 * Adds a multiple of an integer expression to a position, which is linear in keys. False
 * if the expression is not.
 */
static bool
add_position(Level *level, LevelAggregate *aggregate, Node *node, int64 factor)
{
	int column = find_column(level, node);
	int64 product;

	enter_recursion();
	/* where a left join finds no row, the position must be NULL, which a label is not */
	if (column >= 0)
		return !level->operands[level->columns[column].operand].optional &&
			   make_integer_key(level, column) &&
			   !pg_add_s64_overflow(aggregate->multipliers[column], factor,
									&aggregate->multipliers[column]);
	if (IsA(node, Const) && has_integer_keys(exprType(node)) &&
		!((Const *) node)->constisnull)
		return !pg_mul_s64_overflow(
				   integer_key(((Const *) node)->constvalue, exprType(node)), factor,
				   &product) &&
			   !pg_add_s64_overflow(aggregate->position, product, &aggregate->position);
	if (IsA(node, FuncExpr) && (((FuncExpr *) node)->funcid == F_INT8_INT4 ||
								((FuncExpr *) node)->funcid == F_INT8_INT2))
		return add_position(level, aggregate, linitial(((FuncExpr *) node)->args),
							factor);
	if (IsA(node, OpExpr) && list_length(((OpExpr *) node)->args) == 2)
	{
		Node *left = linitial(((OpExpr *) node)->args);
		Node *right = lsecond(((OpExpr *) node)->args);

		/* at least one side is int8, so that values in range do not overflow */
		switch (get_opcode(((OpExpr *) node)->opno))
		{
			case F_INT8PL:
			case F_INT84PL:
			case F_INT48PL:
				return add_position(level, aggregate, left, factor) &&
					   add_position(level, aggregate, right, factor);
			case F_INT8MI:
			case F_INT84MI:
			case F_INT48MI:
			case F_DATE_MI:
				return factor != PG_INT64_MIN &&
					   add_position(level, aggregate, left, factor) &&
					   add_position(level, aggregate, right, -factor);
			case F_INT8MUL:
			case F_INT84MUL:
			case F_INT48MUL:
				if (IsA(left, Const))
				{
					Node *swap = left;

					left = right;
					right = swap;
				}
				if (!IsA(right, Const) || ((Const *) right)->constisnull)
					return false;
				return !pg_mul_s64_overflow(
						   integer_key(((Const *) right)->constvalue, exprType(right)),
						   factor, &product) &&
					   add_position(level, aggregate, left, product);
			default:
				return false;
		}
	}
	return false;
}

/* Makes the kernel of stack(value, position, dimension, bound [, fill]). */
static bool
stack_kernel(LevelKernels *kernels, LevelAggregate *aggregate, List *arguments)
{
	int64 dimension;
	int value;

	aggregate->kind = NEST_STACK;
	aggregate->expression = aggregate->equation = "";
	aggregate->multipliers = palloc0(sizeof(int64) * Max(kernels->level->ncolumns, 1));
	aggregate->fill = -1;
	if (list_length(arguments) < 4 || list_length(arguments) > 5)
		return false;
	if (!find_argument(kernels, linitial(arguments), &value) ||
		!constant_integer(lthird(arguments), &dimension) ||
		!constant_integer(lfourth(arguments), &aggregate->bound) || dimension < 0 ||
		dimension >= TENSOR_MAX_RANK || aggregate->bound < 0 ||
		aggregate->bound > PG_INT32_MAX ||
		!add_position(kernels->level, aggregate, lsecond(arguments), 1))
		return false;
	aggregate->dimension = (int) dimension;
	aggregate->arguments = list_make1_int(value);
	if (list_length(arguments) == 5)
	{
		if (operand_of(kernels->level, llast(arguments)) != -1)
			return false;
		aggregate->fill = find_value(kernels, llast(arguments));
		return aggregate->fill >= 0;
	}
	return true;
}

/* Aggregates */

/* Returns a new kernel whose results are summed. */
static LevelAggregate *
new_aggregate(void)
{
	LevelAggregate *aggregate = palloc0(sizeof(LevelAggregate));

	aggregate->kind = NEST_REDUCE;
	aggregate->reduction = REDUCTION_SUM;
	aggregate->fill = -1;
	return aggregate;
}

bool
add_aggregate(LevelKernels *kernels, const Aggref *aggref)
{
	LevelAggregate *aggregate = new_aggregate();
	PlannedCall call;
	List *arguments = NIL;
	bool done;
	ListCell *lc;

	if (aggref->aggdistinct || aggref->aggorder || aggref->aggfilter ||
		aggref->aggdirectargs || aggref->aggvariadic || aggref->agglevelsup > 0 ||
		aggref->aggsplit != AGGSPLIT_SIMPLE)
		return false;
	kernels->aggregates = lappend(kernels->aggregates, aggregate);
	if (aggref->aggfnoid == F_COUNT_)
	{
		aggregate->kind = AGGREGATE_COUNT;
		aggregate->expression = aggregate->equation = "";
		return true;
	}
	foreach (lc, aggref->args)
		arguments =
			lappend(arguments,
					without_nulling_joins(kernels->level->root,
										  (Node *) lfirst_node(TargetEntry, lc)->expr));
	if (!read_call(aggref->aggfnoid, arguments, &call))
		return false;
	aggregate->reduction = call.spec->reduction;
	if (call.spec->form == FORM_STACK)
		done = stack_kernel(kernels, aggregate, arguments);
	else if (call.spec->reduces)
		done = call.spec->form == FORM_ELEMENTS
				   ? plain_kernel(kernels, aggregate, &call)
				   : equation_kernel(kernels, aggregate, &call);
	else
		done = false;
	return done && texts_parse(aggregate);
}

/* Calls and values of each tuple */

/*
 * Makes a kernel of a function of numbers, with the functions in its arguments, that runs
 * over many tuples at a time; NULL if that is impossible.
 */
static LevelAggregate *
scalar_kernel(LevelKernels *kernels, Node *call)
{
	LevelAggregate *aggregate = new_aggregate();
	KernelText text = new_text(kernels, false);
	StringInfoData expression;

	initStringInfo(&expression);
	if (!append_number(&text, &expression, call) || text.arguments == NIL)
		return NULL;
	aggregate->expression = expression.data;
	aggregate->equation = "";
	aggregate->arguments = text.arguments;
	return texts_parse(aggregate) ? aggregate : NULL;
}

/*
 * Makes the kernel of a call whose arguments are tensors and whose result is a number;
 * NULL if that is impossible.
 */
static LevelAggregate *
number_of_tensors(LevelKernels *kernels, const FuncExpr *function)
{
	LevelAggregate *aggregate = new_aggregate();
	PlannedCall call;

	if (function->funcvariadic || !read_call(function->funcid, function->args, &call) ||
		!call.spec->scalar || call.spec->reduces ||
		(call.spec->form != FORM_EQUATION && call.spec->form != FORM_MAP))
		return NULL;
	return equation_kernel(kernels, aggregate, &call) && texts_parse(aggregate)
			   ? aggregate
			   : NULL;
}

/* Are two kernels the same function of the same arguments? */
static bool
same_kernel(const LevelAggregate *a, const LevelAggregate *b)
{
	return strcmp(a->expression, b->expression) == 0 &&
		   strcmp(a->equation, b->equation) == 0 && a->strict == b->strict &&
		   equal(a->arguments, b->arguments);
}

/*
 * Finds the computed kernel of a call that gives a number for each joined tuple, adds it
 * if new, and sets *argument to stand for its result. False if there can be none.
 */
static bool
computed_argument(LevelKernels *kernels, const Node *node, int *argument)
{
	LevelAggregate *kernel;
	ListCell *lc;

	if (!IsA(node, FuncExpr) || scalar_function(node))
		return false;
	kernel = number_of_tensors(kernels, (const FuncExpr *) node);
	if (kernel == NULL)
		return false;
	kernel->kind = NEST_COMPUTE;
	foreach (lc, kernels->computed)
		if (same_kernel(lfirst(lc), kernel))
		{
			*argument = -1 - foreach_current_index(lc);
			return true;
		}
	if (kernels_are_full(kernels))
		return false;
	*argument = -1 - list_length(kernels->computed);
	kernels->computed = lappend(kernels->computed, kernel);
	return true;
}

bool
add_call(LevelKernels *kernels, const FuncExpr *call)
{
	int nvalues = list_length(kernels->values);
	FuncExpr *whole = (FuncExpr *) without_nulling_joins(kernels->level->root,
														 (Node *) copyObject(call));
	LevelAggregate *aggregate;

	if (kernels_are_full(kernels))
		return false;
	aggregate = scalar_function((const Node *) call)
					? scalar_kernel(kernels, (Node *) whole)
					: number_of_tensors(kernels, whole);
	if (aggregate == NULL)
	{
		/*
		 * the call is no kernel: drop the values added for it, though parts of it may be
		 * kernels
		 */
		kernels->values = list_truncate(kernels->values, nvalues);
		return false;
	}
	kernels->aggregates = lappend(kernels->aggregates, aggregate);
	return true;
}

bool
add_value(LevelKernels *kernels, Node *expression)
{
	LevelAggregate *aggregate;
	Oid type = getBaseType(exprType(expression));
	int value;

	if ((type != FLOAT8OID && type != FLOAT4OID && !is_tensor_type(type)) ||
		kernels_are_full(kernels))
		return false;
	value = find_value(kernels, without_nulling_joins(kernels->level->root, expression));
	if (value < 0)
		return false;
	aggregate = new_aggregate();
	aggregate->kind = NEST_TAKE;
	aggregate->expression = aggregate->equation = "";
	aggregate->arguments = list_make1_int(value);
	kernels->aggregates = lappend(kernels->aggregates, aggregate);
	return true;
}
