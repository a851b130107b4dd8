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
#include "common/int.h"
#include "miscadmin.h"

#include "catalog/origin.h"
#include "expr/expr.h"
#include "expr/function_table.h"
#include "expr/side_table.h"
#include "expr/types.h"
#include "recursion.h"

static bool same_expr(const TensorExpr *a, const TensorExpr *b);

/* An entry of the table of a program's nodes, in which equal expressions are one node. */
typedef struct ExprEntry
{
	uint32 status;
	uint32 hash;
	const TensorExpr *expr;
} ExprEntry;

#define SH_PREFIX expr_table
#define SH_ELEMENT_TYPE ExprEntry
#define SH_KEY_TYPE const TensorExpr *
#define SH_KEY expr
#define SH_HASH_KEY(table, key) ((key)->hash)
#define SH_EQUAL(table, a, b) same_expr(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) ((entry)->hash)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

typedef struct Renaming
{
	Program *program;
	const int *labels; /* by label: the new one, or -1 */
	SideTable *done;   /* what nodes become */
} Renaming;

bool
same_number(Number a, Number b)
{
	return (creal(a) == creal(b) || (isnan(creal(a)) && isnan(creal(b)))) &&
		   (cimag(a) == cimag(b) || (isnan(cimag(a)) && isnan(cimag(b))));
}

Program *
program_new(const char *text)
{
	Program *program = palloc0(sizeof(Program));

	program->text = text;
	program->labels_size = 64;
	program->labels = palloc(sizeof(ProgramLabel) * program->labels_size);
	program->renaming = palloc(sizeof(int) * program->labels_size);
	memset(program->renaming, -1, sizeof(int) * program->labels_size);
	program->nodes = expr_table_create(CurrentMemoryContext, 256, NULL);
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
		program->renaming =
			repalloc(program->renaming, sizeof(int) * program->labels_size);
		memset(program->renaming + program->nlabels, -1,
			   sizeof(int) * (program->labels_size - program->nlabels));
	}
	label = &program->labels[program->nlabels];
	label->name = pstrdup(name);
	label->bound = 0;
	label->bounded = false;
	label->pin = pin;
	label->block = 0;
	label->twin = -1;
	label->location = location;
	return program->nlabels++;
}

int
program_copy_label(Program *program, int label)
{
	ProgramLabel old = program->labels[label];
	int copy = program_add_label(program, old.name, old.pin, old.location);

	program->labels[copy].block = old.block;
	program->labels[copy].bound = old.bound;
	program->labels[copy].bounded = old.bounded;
	return copy;
}

int
program_twin_label(Program *program, int label)
{
	if (program->labels[label].twin < 0)
	{
		int twin = program_copy_label(program, label);

		program->labels[label].twin = twin;
	}
	return program->labels[label].twin;
}

int
program_twin_beside(Program *program, int label, const Bitmapset *taken)
{
	do
	{
		CHECK_FOR_INTERRUPTS();
		label = program_twin_label(program, label);
	} while (bms_is_member(label, taken));
	return label;
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
		case EXPR_KERNEL_SUM:
			hash = hash_combine(hash, hash_uint32((uint32) expr->aggregate));
			hash = hash_combine(hash, bms_hash_value(expr->bound_labels));
			hash = hash_combine(hash, expr->args[0]->hash);
			break;
		case EXPR_MATRIX:
			hash = hash_combine(hash, hash_uint32((uint32) expr->matrix));
			for (int i = 0; i < expr->ninner; i++)
				hash = hash_combine(hash, hash_uint32((uint32) expr->inner[i]));
			for (int i = 0; i < expr->nindices; i++)
				hash = hash_combine(hash, hash_uint32((uint32) expr->indices[i]));
			for (int i = 0; i < expr->nargs; i++)
				hash = hash_combine(hash, expr->args[i]->hash);
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
			/* bitwise: -0 and 0 are different literals, and NaN equals itself */
			return a->type.type == b->type.type &&
				   memcmp(&a->value, &b->value, sizeof(Number)) == 0;
		case EXPR_ACCESS:
			return a->tensor == b->tensor && a->nindices == b->nindices &&
				   memcmp(a->indices, b->indices, sizeof(int) * a->nindices) == 0;
		case EXPR_MAP:
			return a->function == b->function;
		case EXPR_AGGREGATE:
		case EXPR_KERNEL_SUM:
			return a->aggregate == b->aggregate &&
				   bms_equal(a->bound_labels, b->bound_labels);
		case EXPR_MATRIX:
			return a->matrix == b->matrix && a->nindices == b->nindices &&
				   memcmp(a->inner, b->inner, sizeof(int) * a->ninner) == 0 &&
				   memcmp(a->indices, b->indices, sizeof(int) * a->nindices) == 0;
	}
	return false;
}

/*
 * Returns the program's node that equals the candidate; adds the candidate if there was
 * no such node.
 */
static TensorExpr *
intern(Program *program, const TensorExpr *candidate)
{
	ExprEntry *entry;
	TensorExpr *expr;
	bool found;

	CHECK_FOR_INTERRUPTS();
	entry = expr_table_lookup(program->nodes, candidate);
	if (entry)
		return unconstify(TensorExpr *, entry->expr);
	expr = palloc(sizeof(TensorExpr));
	*expr = *candidate;
	(void) expr_table_insert(program->nodes, expr, &found);
	Assert(!found);
	return expr;
}

/* Returns the union of two sets of labels; it may be one of the two itself. */
static Bitmapset *
union_labels(Bitmapset *a, Bitmapset *b)
{
	if (a == b || bms_is_subset(b, a))
		return a;
	return bms_is_subset(a, b) ? b : bms_union(a, b);
}

/*
 * Returns a hash of a node that does not depend on its labels nor on those of nodes
 * below.
 */
static uint32
structure_hash(const TensorExpr *expr)
{
	uint32 shape = hash_uint32((uint32) expr->kind);

	switch (expr->kind)
	{
		case EXPR_LITERAL:
			return expr->hash;
		case EXPR_ACCESS:
			shape = hash_combine(shape, hash_bytes((const unsigned char *) &expr->tensor,
												   sizeof(expr->tensor)));
			break;
		case EXPR_MAP:
			shape = hash_combine(shape, hash_uint32((uint32) expr->function));
			break;
		case EXPR_AGGREGATE:
		case EXPR_KERNEL_SUM:
			shape = hash_combine(shape, hash_uint32((uint32) expr->aggregate));
			break;
		case EXPR_MATRIX:
			shape = hash_combine(shape, hash_uint32((uint32) expr->matrix));
			break;
	}
	for (int i = 0; i < expr->nargs; i++)
		shape = hash_combine(shape, expr->args[i]->shape);
	return shape;
}

/*
 * Returns the free labels of a node that index a tensor with a size of its own below it;
 * eye has only the size of its labels.
 */
static Bitmapset *
sized_labels(const TensorExpr *expr)
{
	Bitmapset *labels = NULL;

	for (int i = 0; i < expr->nargs; i++)
		labels = bms_add_members(labels, expr->args[i]->sized);
	labels = bms_del_members(labels, expr->bound_labels);
	/* the result of a function of matrices has its size from the arguments */
	for (int i = 0; expr->kind == EXPR_MATRIX && i < expr->nindices; i++)
		labels = bms_add_member(labels, expr->indices[i]);
	return labels;
}

/* Derives the fields of a node of any kind that follow from its arguments. */
static void
derive_from_args(TensorExpr *expr)
{
	Assert(expr->kind != EXPR_ACCESS || expr->tensor != NULL);
	expr->size = 1;
	expr->has_aggregate = expr->kind == EXPR_AGGREGATE || expr->kind == EXPR_KERNEL_SUM ||
						  expr->kind == EXPR_MATRIX;
	expr->reads_identity = expr->kind == EXPR_ACCESS && expr->tensor->identity;
	for (int i = 0; i < expr->nargs; i++)
	{
		const TensorExpr *arg = expr->args[i];

		if (pg_add_s32_overflow(expr->size, arg->size, &expr->size))
			expr->size = PG_INT32_MAX;
		expr->has_aggregate = expr->has_aggregate || arg->has_aggregate;
		expr->reads_identity = expr->reads_identity || arg->reads_identity;
	}
	/* aggregates bind labels; functions of matrices bind and add labels */
	expr->all_labels = union_labels(expr->labels, expr->bound_labels);
	expr->height = 1;
	for (int i = 0; i < expr->nargs; i++)
	{
		expr->all_labels = union_labels(expr->args[i]->all_labels, expr->all_labels);
		expr->height = Max(expr->height, expr->args[i]->height + 1);
	}
	expr->sized = expr->reads_identity ? sized_labels(expr) : expr->labels;
	expr->is_truth_value = makes_truth_value(expr);
	expr->hash = hash_expr(expr);
	expr->shape = structure_hash(expr);
}

static TensorExpr *
typed_literal(Program *program, Number value, bool is_complex, int location)
{
	TensorExpr expr = {
		.kind = EXPR_LITERAL, .location = location, .value = value, .fill = value};

	expr.type.type = is_complex ? ELEMENT_COMPLEX16 : ELEMENT_FLOAT8;
	expr.type.weak = true;
	derive_from_args(&expr);
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
	derive_from_args(&expr);
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
		expr.labels =
			i == 0 ? args[i]->labels : union_labels(expr.labels, args[i]->labels);
		fills[i] = args[i]->fill;
		types[i] = args[i]->type;
		constant = constant && args[i]->kind == EXPR_LITERAL;
	}
	type = function_type(function, types);
	if (!type.defined)
		elog(ERROR, "function %s of complex numbers", pointwise_functions[function].name);
	expr.type = type.result;
	/* computed by the kernel's code, so that it cannot differ from a plan's result */
	expr.fill = function_of_numbers(function, types, fills);
	if (constant)
		return typed_literal(program, expr.fill, element_is_complex(expr.type.type),
							 location);

	/* a * (1/d) is 0 where a is absent, and not 0 * infinity where d is absent too */
	for (int i = 0; i < expr.nargs; i++)
	{
		if (fills[i] == 0.0 && (function_properties(function)->zero_kills & (1u << i)))
			expr.fill = 0.0;
	}

	/* identities that change no value, not even -0 or NaN */
	if (function >= FUNCTION_CONJ && function != FUNCTION_IMAG &&
		args[0]->type.type == type.result.type && !args[0]->is_truth_value &&
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

	derive_from_args(&expr);
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

/* Makes an aggregate node: one of a stage, or one that a kernel computes. */
static TensorExpr *
aggregate_node(Program *program, ExprKind kind, AggregateOperator aggregate,
			   Bitmapset *bound_labels, TensorExpr *child, int location)
{
	TensorExpr expr = {.kind = kind, .location = location, .aggregate = aggregate};

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
	derive_from_args(&expr);
	return intern(program, &expr);
}

TensorExpr *
expr_aggregate(Program *program, AggregateOperator aggregate, Bitmapset *bound_labels,
			   TensorExpr *child, int location)
{
	return aggregate_node(program, EXPR_AGGREGATE, aggregate, bound_labels, child,
						  location);
}

TensorExpr *
expr_kernel_sum(Program *program, const TensorExpr *sum)
{
	Assert(sum->kind == EXPR_AGGREGATE && sum->aggregate == AGGREGATE_SUM);
	return aggregate_node(program, EXPR_KERNEL_SUM, sum->aggregate, sum->bound_labels,
						  sum->args[0], sum->location);
}

TensorExpr *
expr_matrix(Program *program, MatrixOperation operation, const int *inner,
			const int *indices, TensorExpr *const *args, int location)
{
	TensorExpr expr = {.kind = EXPR_MATRIX, .location = location, .matrix = operation};

	expr.nargs = matrix_args(operation);
	expr.nindices = matrix_indices(operation);
	expr.ninner = matrix_inner(operation);
	for (int i = 0; i < expr.ninner; i++)
	{
		expr.inner[i] = inner[i];
		expr.bound_labels = bms_add_member(expr.bound_labels, inner[i]);
	}
	for (int i = 0; i < expr.nargs; i++)
	{
		expr.args[i] = args[i];
		expr.labels = bms_add_members(expr.labels, args[i]->labels);
		expr.type.type = i == 0 ? args[i]->type.type
								: element_promote(expr.type.type, args[i]->type.type);
	}
	expr.labels = bms_del_members(expr.labels, expr.bound_labels);
	for (int i = 0; i < expr.nindices; i++)
	{
		expr.indices[i] = indices[i];
		expr.labels = bms_add_member(expr.labels, indices[i]);
	}
	expr.fill = 0.0;
	if (is_extreme_place(operation))
	{
		expr.type.type = ELEMENT_FLOAT8;
		/* where all entries are equal, the first key has the extreme */
		expr.fill = (double) bound_first(program->labels[inner[0]].bound);
	}
	derive_from_args(&expr);
	return intern(program, &expr);
}

TensorExpr *
expr_with_args(Program *program, TensorExpr *expr, TensorExpr *const *args)
{
	if (memcmp(args, expr->args, sizeof(TensorExpr *) * expr->nargs) == 0)
		return expr;
	if (expr->kind == EXPR_MATRIX)
		return expr_matrix(program, expr->matrix, expr->inner, expr->indices, args,
						   expr->location);
	if (expr->kind != EXPR_MAP)
		return aggregate_node(program, expr->kind, expr->aggregate, expr->bound_labels,
							  args[0], expr->location);
	return expr_map(program, expr->function, args, expr->location);
}

TensorExpr *
expr_convert(Program *program, TensorExpr *expr, ElementType type)
{
	if (expr->type.weak || expr->type.type == type)
		return expr;
	return expr_map1(program, conversion_function(type), expr);
}

bool
labels_have_indices(const Program *program, const Bitmapset *labels)
{
	int label = -1;

	while ((label = bms_next_member(labels, label)) >= 0)
	{
		if (bound_size(program->labels[label].bound) < 1)
			return false;
	}
	return true;
}

bool
is_additive(const ProgramTensor *tensor)
{
	ListCell *lc;

	if (tensor->entry == NULL)
		return false;
	foreach (lc, tensor->entry->storages)
	{
		if (((const Storage *) lfirst(lc))->duplicates == DUPLICATES_SUM)
			return true;
	}
	return false;
}

bool
labels_have_bounds(const Program *program, const Bitmapset *labels)
{
	int label = -1;

	while ((label = bms_next_member(labels, label)) >= 0)
	{
		if (bound_is_open(program->labels[label].bound))
			return false;
	}
	return true;
}

bool
depends_on_count(AggregateOperator aggregate, Number value)
{
	if (aggregate == AGGREGATE_SUM)
		return value != 0.0 && isfinite(creal(value)) && isfinite(cimag(value));
	if (aggregate == AGGREGATE_PROD)
		return value != 0.0 && value != 1.0 && !isnan(creal(value)) &&
			   !(isinf(creal(value)) && creal(value) > 0 && cimag(value) == 0.0);
	return false;
}

double
product_of_bounds(const Program *program, const Bitmapset *labels)
{
	double product = 1.0;
	int label = -1;

	while ((label = bms_next_member(labels, label)) >= 0)
	{
		int64 bound = program->labels[label].bound;

		product *= bound_is_open(bound) ? INFINITY : (double) bound_size(bound);
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

/* Does the renaming change a label of the node or of nodes below it? */
static bool
has_renamed_label(const Renaming *renaming, const TensorExpr *expr)
{
	int label = -1;

	while ((label = bms_next_member(expr->all_labels, label)) >= 0)
	{
		if (renaming->labels[label] >= 0 && renaming->labels[label] != label)
			return true;
	}
	return false;
}

static TensorExpr *rename_node(Renaming *renaming, TensorExpr *expr);

static TensorExpr *
rename_new_node(Renaming *renaming, const TensorExpr *expr)
{
	const int *labels = renaming->labels;
	int indices[TENSOR_MAX_RANK];
	int inner[2];
	TensorExpr *args[FUNCTION_MAX_ARGS];

	assert_expr_arguments(expr);
	for (int i = 0; i < expr->nargs; i++)
		args[i] = rename_node(renaming, expr->args[i]);
	for (int i = 0; i < expr->nindices; i++)
	{
		int label = expr->indices[i];

		indices[i] = labels[label] >= 0 ? labels[label] : label;
	}
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			break;
		case EXPR_ACCESS:
			return expr_access(renaming->program, expr->tensor, indices, expr->location);
		case EXPR_MAP:
			return expr_map(renaming->program, expr->function, args, expr->location);
		case EXPR_AGGREGATE:
		case EXPR_KERNEL_SUM:
			return aggregate_node(renaming->program, expr->kind, expr->aggregate,
								  rename_set(expr->bound_labels, labels), args[0],
								  expr->location);
		case EXPR_MATRIX:
			Assert(expr->nargs == matrix_args(expr->matrix));
			Assert(expr->nindices == matrix_indices(expr->matrix));
			Assert(expr->ninner == matrix_inner(expr->matrix));
			for (int i = 0; i < expr->ninner; i++)
				inner[i] =
					labels[expr->inner[i]] >= 0 ? labels[expr->inner[i]] : expr->inner[i];
			return expr_matrix(renaming->program, expr->matrix, inner, indices, args,
							   expr->location);
	}
	return unconstify(TensorExpr *, expr);
}

static TensorExpr *
rename_node(Renaming *renaming, TensorExpr *expr)
{
	TensorExpr *renamed;

	enter_recursion();
	if (!has_renamed_label(renaming, expr))
		return expr;
	renamed = side_value(renaming->done, expr);
	if (renamed)
		return renamed;
	renamed = rename_new_node(renaming, expr);
	set_side_value(renaming->done, expr, renamed);
	return renamed;
}

TensorExpr *
rename_labels(Program *program, TensorExpr *expr, const int *labels)
{
	Renaming renaming = {.program = program, .labels = labels};
	TensorExpr *renamed;

	renaming.done = new_side_table(32);
	renamed = rename_node(&renaming, expr);
	free_side_table(renaming.done);
	return renamed;
}

TensorExpr *
rename_label(Program *program, TensorExpr *expr, int label, int other)
{
	TensorExpr *result;

	program->renaming[label] = other;
	result = rename_labels(program, expr, program->renaming);
	program->renaming[label] = -1;
	return result;
}

bool
expr_can_replace(const TensorExpr *expr, const TensorExpr *replaced)
{
	return bms_equal(expr->labels, replaced->labels) &&
		   expr->type.type == replaced->type.type &&
		   expr->type.weak == replaced->type.weak && expr->fill == replaced->fill;
}
