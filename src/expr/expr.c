/*-------------------------------------------------------------------------
 *
 * expr.c
 *	  Nodes of the expression DAG: construction with hash-consing, and derived
 *	  properties.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "common/hashfn.h"
#include "miscadmin.h"

#include "expr/expr.h"
#include "expr/function_table.h"
#include "expr/types.h"

/* Chains stay short: programs have tens of nodes, the limits allow thousands. */
#define EXPR_BUCKETS 1024

Program *
program_new(const char *text)
{
	Program *program = palloc0(sizeof(Program));

	program->text = text;
	program->labels_size = 64;
	program->labels = palloc(sizeof(ProgramLabel) * program->labels_size);
	program->buckets = palloc0(sizeof(List *) * EXPR_BUCKETS);
	return program;
}

int
program_add_label(Program *program, const char *name, Pin pin, int location)
{
	ProgramLabel *label;

	if (program->nlabels == program->labels_size)
	{
		program->labels_size *= 2;
		program->labels =
			repalloc(program->labels, sizeof(ProgramLabel) * program->labels_size);
	}
	label = &program->labels[program->nlabels];
	label->name = pstrdup(name);
	label->bound = 0;
	label->bounded = false;
	label->pin = pin;
	label->block = 0;
	label->location = location;
	return program->nlabels++;
}

static uint32
hash_expr(const TensorExpr *expr)
{
	uint32 hash = hash_uint32((uint32) expr->kind);

	switch (expr->kind)
	{
		case EXPR_LITERAL:
			hash = hash_combine(
				hash, hash_bytes((const unsigned char *) &expr->value, sizeof(Number)));
			break;
		case EXPR_ACCESS:
			hash = hash_combine(hash, hash_bytes((const unsigned char *) &expr->tensor,
												 sizeof(expr->tensor)));
			for (int i = 0; i < expr->nindices; i++)
				hash = hash_combine(hash, hash_uint32((uint32) expr->indices[i]));
			break;
		case EXPR_MAP:
			hash = hash_combine(hash, hash_uint32((uint32) expr->function));
			for (int i = 0; i < expr->nargs; i++)
				hash = hash_combine(hash, expr->args[i]->hash);
			break;
		case EXPR_AGGREGATE:
			hash = hash_combine(hash, hash_uint32((uint32) expr->aggregate));
			hash = hash_combine(hash, bms_hash_value(expr->bound_labels));
			hash = hash_combine(hash, expr->args[0]->hash);
			break;
	}
	return hash;
}

static bool
same_expr(const TensorExpr *a, const TensorExpr *b)
{
	if (a->hash != b->hash || a->kind != b->kind || a->nargs != b->nargs)
		return false;
	for (int i = 0; i < a->nargs; i++)
	{
		if (a->args[i] != b->args[i])
			return false;
	}
	switch (a->kind)
	{
		case EXPR_LITERAL:
			/* bitwise: -0 is another literal than 0, and NaN equals itself */
			return a->type.type == b->type.type &&
				   memcmp(&a->value, &b->value, sizeof(Number)) == 0;
		case EXPR_ACCESS:
			return a->tensor == b->tensor && a->nindices == b->nindices &&
				   memcmp(a->indices, b->indices, sizeof(int) * a->nindices) == 0;
		case EXPR_MAP:
			return a->function == b->function;
		case EXPR_AGGREGATE:
			return a->aggregate == b->aggregate &&
				   bms_equal(a->bound_labels, b->bound_labels);
	}
	return false;
}

/*
 * The node equal to the candidate, which is kept if it is the first of its
 * kind.
 */
static TensorExpr *
intern(Program *program, const TensorExpr *candidate)
{
	List **bucket = &program->buckets[candidate->hash % EXPR_BUCKETS];
	ListCell *lc;
	TensorExpr *expr;

	foreach (lc, *bucket)
	{
		expr = (TensorExpr *) lfirst(lc);
		if (same_expr(expr, candidate))
			return expr;
	}
	expr = palloc(sizeof(TensorExpr));
	*expr = *candidate;
	*bucket = lappend(*bucket, expr);
	return expr;
}

static TensorExpr *
typed_literal(Program *program, Number value, bool is_complex, int location)
{
	TensorExpr expr = {
		.kind = EXPR_LITERAL, .location = location, .value = value, .fill = value};

	expr.type.type = is_complex ? ELEMENT_COMPLEX16 : ELEMENT_FLOAT8;
	expr.type.weak = true;

	expr.hash = hash_expr(&expr);
	return intern(program, &expr);
}

TensorExpr *
expr_literal(Program *program, Number value, int location)
{
	return typed_literal(program, value, cimag(value) != 0.0, location);
}

TensorExpr *
expr_imaginary(Program *program, double value, int location)
{
	return typed_literal(program, CMPLX(0.0, value), true, location);
}

TensorExpr *
expr_access(Program *program, ProgramTensor *tensor, const int *indices, int location)
{
	TensorExpr expr = {.kind = EXPR_ACCESS, .location = location, .tensor = tensor};

	expr.nindices = tensor->rank;
	for (int i = 0; i < tensor->rank; i++)
	{
		expr.indices[i] = indices[i];
		expr.labels = bms_add_member(expr.labels, indices[i]);
	}
	expr.fill = tensor->fill;
	expr.type.type = tensor->type;
	expr.hash = hash_expr(&expr);
	return intern(program, &expr);
}

TensorExpr *
expr_map(Program *program, FunctionId function, TensorExpr *const *args, int location)
{
	TensorExpr expr = {.kind = EXPR_MAP, .location = location, .function = function};
	Number fills[FUNCTION_MAX_ARGS] = {0};
	ValueType types[FUNCTION_MAX_ARGS] = {0};
	FunctionType type;
	bool constant = true;

	expr.nargs = pointwise_functions[function].arity;
	for (int i = 0; i < expr.nargs; i++)
	{
		expr.args[i] = args[i];
		expr.labels = bms_add_members(expr.labels, args[i]->labels);
		fills[i] = args[i]->fill;
		types[i] = args[i]->type;
		constant = constant && args[i]->kind == EXPR_LITERAL;
	}
	type = function_type(function, types);
	if (!type.defined)
		elog(ERROR, "function %s of complex numbers", pointwise_functions[function].name);
	expr.type = type.result;
	/* by the kernel's own code, so that it cannot differ from what a plan computes */
	expr.fill = function_of_numbers(function, types, fills);
	if (constant)
		return typed_literal(program, expr.fill, element_is_complex(expr.type.type),
							 location);

	/* a * (1/d) is 0 where a is absent, not 0 * infinity where d is, too */
	for (int i = 0; i < expr.nargs; i++)
	{
		if (fills[i] == 0.0 && (function_properties(function)->zero_kills & (1u << i)))
			expr.fill = 0.0;
	}

	/* the identities that change no value, not even of -0 or NaN */
	if (function >= FUNCTION_CONJ && function != FUNCTION_IMAG &&
		args[0]->type.type == type.result.type && !is_truth_value(args[0]) &&
		!(function == FUNCTION_CONJ && element_is_complex(type.arguments)))
		return args[0];
	if (function == FUNCTION_MULTIPLY && EXPR_IS_LITERAL(args[0], 1.0) &&
		args[1]->type.type == type.result.type)
		return args[1];
	if ((function == FUNCTION_MULTIPLY || function == FUNCTION_DIVIDE ||
		 function == FUNCTION_POWER) &&
		EXPR_IS_LITERAL(args[1], 1.0) && args[0]->type.type == type.result.type)
		return args[0];
	if (function == FUNCTION_NEGATE && args[0]->kind == EXPR_MAP &&
		args[0]->function == FUNCTION_NEGATE)
		return args[0]->args[0];

	expr.hash = hash_expr(&expr);
	return intern(program, &expr);
}

TensorExpr *
expr_map1(Program *program, FunctionId function, TensorExpr *a)
{
	return expr_map(program, function, &a, a->location);
}

TensorExpr *
expr_map2(Program *program, FunctionId function, TensorExpr *a, TensorExpr *b)
{
	TensorExpr *args[2] = {a, b};

	return expr_map(program, function, args, a->location);
}

Number
repeated_value(AggregateOperator aggregate, Number value, double count)
{
	switch (aggregate)
	{
		case AGGREGATE_SUM:
			if (value == 0.0 || count == 0.0)
				return 0.0;
			return cimag(value) == 0.0 ? creal(value) * count : value * count;
		case AGGREGATE_PROD:
			if (cimag(value) != 0.0)
				return function_of_numbers(
					FUNCTION_POWER,
					(ValueType[]){{ELEMENT_COMPLEX16, false}, {ELEMENT_FLOAT8, true}},
					(Number[]){value, count});
			return pow(creal(value), count);
		case AGGREGATE_MAX:
			return count == 0.0 ? -INFINITY : value;
		case AGGREGATE_MIN:
			return count == 0.0 ? INFINITY : value;
		case AGGREGATE_ANY:
			return count != 0.0 && value != 0.0 ? 1.0 : 0.0;
		case AGGREGATE_ALL:
			return count == 0.0 || value != 0.0 ? 1.0 : 0.0;
	}
	return NAN;
}

double
aggregate_identity(AggregateOperator aggregate)
{
	return creal(repeated_value(aggregate, 0.0, 0.0));
}

TensorExpr *
expr_aggregate(Program *program, AggregateOperator aggregate, Bitmapset *bound_labels,
			   TensorExpr *child, int location)
{
	TensorExpr expr = {
		.kind = EXPR_AGGREGATE, .location = location, .aggregate = aggregate};

	if (bms_is_empty(bound_labels))
		return child;
	expr.bound_labels = bms_copy(bound_labels);
	expr.nargs = 1;
	expr.args[0] = child;
	expr.labels = bms_difference(child->labels, bound_labels);
	expr.type.type = child->type.type;
	if (aggregate == AGGREGATE_ANY || aggregate == AGGREGATE_ALL)
		expr.type.type = element_real_type(child->type.type);
	expr.fill = number_as(
		expr.type.type,
		repeated_value(aggregate, child->fill, product_of_bounds(program, bound_labels)));
	expr.hash = hash_expr(&expr);
	return intern(program, &expr);
}

TensorExpr *
expr_convert(Program *program, TensorExpr *expr, ElementType type)
{
	if (expr->type.weak || expr->type.type == type)
		return expr;
	return expr_map1(program, conversion_function(type), expr);
}

double
product_of_bounds(const Program *program, const Bitmapset *labels)
{
	double product = 1.0;
	int label = -1;

	while ((label = bms_next_member(labels, label)) >= 0)
	{
		int64 bound = program->labels[label].bound;

		product *= bound == BOUND_OPEN ? INFINITY : (double) bound;
	}
	return product;
}

static Bitmapset *
rename_set(const Bitmapset *labels, const int *renaming)
{
	Bitmapset *result = NULL;
	int label = -1;

	while ((label = bms_next_member(labels, label)) >= 0)
		result = bms_add_member(result, renaming[label] >= 0 ? renaming[label] : label);
	return result;
}

TensorExpr *
rename_labels(Program *program, TensorExpr *expr, const int *renaming)
{
	int indices[TENSOR_MAX_RANK];
	TensorExpr *args[FUNCTION_MAX_ARGS];

	check_stack_depth();
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			return expr;
		case EXPR_ACCESS:
			for (int i = 0; i < expr->nindices; i++)
			{
				int label = expr->indices[i];

				indices[i] = renaming[label] >= 0 ? renaming[label] : label;
			}
			return expr_access(program, expr->tensor, indices, expr->location);
		case EXPR_MAP:
			for (int i = 0; i < expr->nargs; i++)
				args[i] = rename_labels(program, expr->args[i], renaming);
			return expr_map(program, expr->function, args, expr->location);
		case EXPR_AGGREGATE:
			return expr_aggregate(
				program, expr->aggregate, rename_set(expr->bound_labels, renaming),
				rename_labels(program, expr->args[0], renaming), expr->location);
	}
	return NULL;
}

int
expr_size(const TensorExpr *expr, const TensorExpr *core, int most)
{
	int size = 1;

	check_stack_depth();
	for (int i = 0; i < expr->nargs && expr != core && size <= most; i++)
		size += expr_size(expr->args[i], core, most - size);
	return size;
}

bool
contains_aggregate(const TensorExpr *expr)
{
	if (expr->kind == EXPR_AGGREGATE)
		return true;
	for (int i = 0; i < expr->nargs; i++)
	{
		if (contains_aggregate(expr->args[i]))
			return true;
	}
	return false;
}
