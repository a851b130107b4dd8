/*-------------------------------------------------------------------------
 *
 * kernel.c
 *	  Kernels of stages: construction, and what kind of kernel one is under a
 *	  choice of promoted labels.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "optimizer/stage.h"
#include "recursion.h"

Kernel *
kernel_literal(const TensorExpr *literal)
{
	Kernel *kernel = palloc0(sizeof(Kernel));

	kernel->kind = KERNEL_LITERAL;
	kernel->value = literal->value;
	kernel->type = literal->type;
	return kernel;
}

Kernel *
kernel_operand(int operand, ElementType type)
{
	Kernel *kernel = palloc0(sizeof(Kernel));

	kernel->kind = KERNEL_OPERAND;
	kernel->operand = operand;
	kernel->operands = 1u << operand;
	kernel->type.type = type;
	return kernel;
}

Kernel *
kernel_call(FunctionId function, Kernel *const *args, int nargs)
{
	ValueType types[FUNCTION_MAX_ARGS];
	Kernel *kernel = palloc0(sizeof(Kernel));
	const Kernel *last = args[nargs - 1];

	kernel->kind = KERNEL_CALL;
	kernel->function = function;
	kernel->nargs = nargs;
	kernel->calls = 1;
	kernel->operations =
		function_work(function, last->kind == KERNEL_LITERAL ? creal(last->value) : NAN);
	for (int i = 0; i < nargs; i++)
	{
		kernel->args[i] = args[i];
		types[i] = args[i]->type;
		kernel->calls += args[i]->calls;
		kernel->operations += args[i]->operations;
		kernel->operands |= args[i]->operands;
	}
	kernel->type = function_type(function, types).result;
	return kernel;
}

Kernel *
kernel_matrix(MatrixOperation operation, int nargs, ElementType type)
{
	Kernel *kernel = palloc0(sizeof(Kernel));

	kernel->kind = KERNEL_MATRIX;
	kernel->matrix = operation;
	kernel->type.type = type;
	kernel->nargs = nargs;
	kernel->operands = (1u << nargs) - 1;
	for (int i = 0; i < nargs; i++)
		kernel->args[i] = kernel_operand(i, type);
	return kernel;
}

LabelMask
kernel_demoted(const Term *term, const Kernel *kernel, LabelMask promoted)
{
	LabelMask demoted = 0;

	for (int o = 0; o < term->noperands + term->nsums; o++)
	{
		if (kernel->operands & (1u << o))
			demoted |= term->operands[o].mask & ~promoted;
	}
	return demoted;
}

bool
kernel_is_product(const Term *term, const Kernel *kernel, LabelMask promoted)
{
	enter_recursion();
	if (kernel->kind == KERNEL_MATRIX)
		return false;
	if (kernel->kind != KERNEL_CALL || kernel_demoted(term, kernel, promoted) == 0)
		return true;
	switch (kernel->function)
	{
		case FUNCTION_MULTIPLY:
			return kernel_is_product(term, kernel->args[0], promoted) &&
				   kernel_is_product(term, kernel->args[1], promoted);
		case FUNCTION_DIVIDE:
			/* division by a number that has a finite reciprocal */
			return kernel_is_product(term, kernel->args[0], promoted) &&
				   kernel->args[1]->kind == KERNEL_LITERAL &&
				   cimag(kernel->args[1]->value) == 0.0 &&
				   isfinite(1.0 / creal(kernel->args[1]->value)) &&
				   kernel->args[1]->value != 0.0;
		case FUNCTION_NEGATE:
			return kernel_is_product(term, kernel->args[0], promoted);
		case FUNCTION_FLOAT8:
		case FUNCTION_COMPLEX8:
		case FUNCTION_COMPLEX16:
			/* a conversion that products do to their operands anyway */
			return kernel->args[0]->kind == KERNEL_OPERAND &&
				   element_promote(kernel->args[0]->type.type, kernel->type.type) ==
					   kernel->type.type;
		default:
			return false;
	}
}

bool
stage_groups(const Stage *stage, LabelMask keys)
{
	if (stage->aggregate == AGGREGATE_SUM)
		return (stage->aggregated & keys) != 0;
	return stage->aggregated != 0;
}

bool
stage_is_by_row(const Stage *stage, LabelMask keys)
{
	return stage->nterms == 1 && !stage_groups(stage, keys);
}

/* Does the post expression first compare the aggregated result with 0? */
static bool
is_compared_with_zero(const Kernel *post)
{
	enter_recursion();
	if (post == NULL || post->kind != KERNEL_CALL)
		return false;
	if (post->function == FUNCTION_GT && post->args[0]->kind == KERNEL_OPERAND)
		return post->args[1]->kind == KERNEL_LITERAL && post->args[1]->value == 0.0;
	for (int i = 0; i < post->nargs; i++)
	{
		if (is_compared_with_zero(post->args[i]))
			return true;
	}
	return false;
}

bool
missing_entries_count(const Stage *stage, const Term *term)
{
	bool truth_values =
		term->kernel->kind == KERNEL_CALL && term->kernel->function == FUNCTION_NE;

	/* argmax knows the number of entries, and sees which ones it is not given */
	if (term->kernel->kind == KERNEL_MATRIX)
		return false;

	/*
	 * over no entries at all these aggregates are infinite, which the comparison maps
	 * right
	 */
	if (truth_values && is_compared_with_zero(stage->post) &&
		((stage->aggregate == AGGREGATE_MAX && term->fill == 0.0) ||
		 (stage->aggregate == AGGREGATE_MIN && term->fill == 1.0)))
		return false;
	return term->fill != aggregate_identity(stage->aggregate);
}
