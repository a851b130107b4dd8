/*-------------------------------------------------------------------------
 *
 * kernel_cost.c
 *	  The cost model: what the kernel of a term costs for one joined tuple.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "kernels/equation.h"
#include "optimizer/kernel_cost.h"
#include "optimizer/settings.h"
#include "optimizer/tuple_size.h"
#include "type/batch.h"

/* A kernel, or the body of a kernel sum, with the labels of its result. */
typedef struct Computation
{
	const Kernel *kernel;
	LabelMask labels; /* of all operands that it reads */
	LabelMask result;
	bool batched; /* it is computed for many tuples at once */
} Computation;

/* A label that stands for the tuples, beside those of the stage. */
#define TUPLES (UINT64CONST(1) << 63)

/* Any operand. */
#define ANY_OPERAND (-1)

/*
 * Does a product have two operands that are multiplied as matrices, one of which is the
 * given one? The tuples may be a label of the result: unless they are added up in SQL, the
 * batched projection (executor/README.md) multiplies the vectors of many tuples at once by
 * a matrix that is the same for all.
 */
static bool
multiplies_matrices(const Stage *stage, const Term *term, const Computation *product,
					int operand, const Decomposition *choice)
{
	int values = term->noperands + term->nsums;
	uint64 labels[TERM_MAX_VALUES];
	LabelMask big = 0;

	for (int i = 0; i < stage->nlabels; i++)
	{
		if (stage->bounds[i] > 1)
			big |= 1u << i;
	}
	for (int a = 0; a < values; a++)
	{
		LabelMask mask = term->operands[a].mask;

		if (!(product->kernel->operands & (1u << a)))
			continue;
		labels[a] = mask & product->labels & ~choice->promoted & big;
		if (product->batched && (mask & keys_of(choice)) != 0)
			labels[a] |= TUPLES;
		for (int b = 0; b < a; b++)
			if ((product->kernel->operands & (1u << b)) &&
				(operand == ANY_OPERAND || operand == a || operand == b) &&
				is_matrix_product(labels[a], labels[b], product->result | TUPLES))
				return true;
	}
	return false;
}

/*
 * Is a tuple's kernel an outer product of two values? The aggregate collects such values
 * as rows and adds many at once as one matrix product (type/batch_outer.c).
 */
static bool
is_outer_product(const Stage *stage, const Term *term, const Decomposition *choice)
{
	LabelMask inside = stage->output_mask & ~choice->promoted;
	LabelMask values[2];
	int nvalues = 0;
	int numbers = 0;

	if (stage->nterms != 1 || stage->aggregate != AGGREGATE_SUM ||
		!stage_groups(stage, keys_of(choice)))
		return false;
	for (int o = 0; o < term->noperands + term->nsums; o++)
	{
		LabelMask value = term->operands[o].mask & ~choice->promoted;

		if (!(term->kernel->operands & (1u << o)))
			continue;
		if (value == 0)
			numbers++;
		else if (nvalues == 2)
			return false;
		else
			values[nvalues++] = value;
	}
	return nvalues == 2 && numbers <= 1 && (values[0] & values[1]) == 0 &&
		   (values[0] | values[1]) == inside &&
		   value_entries(stage, values[0], choice) >= BATCH_OUTER_LEAST &&
		   value_entries(stage, values[1], choice) >= BATCH_OUTER_LEAST;
}

static Computation
kernel_sum(const Term *term, int n)
{
	Computation sum = {.kernel = term->sums[n],
					   .result = term->operands[term->noperands + n].mask};

	for (int o = 0; o < term->noperands; o++)
	{
		if (sum.kernel->operands & (1u << o))
			sum.labels |= term->operands[o].mask;
	}
	return sum;
}

/* Returns the kernel of a term without its sums. */
static Computation
kernel_of_term(const Stage *stage, const Term *term, const Decomposition *choice)
{
	return (Computation){.kernel = term->kernel,
						 .labels = (term->labels & ~term->summed) | term->extension,
						 .result = stage->output_mask,
						 .batched = enable_batching != NODES_OFF &&
									stage_is_by_row(stage, keys_of(choice))};
}

bool
multiplies_as_matrix(const Stage *stage, const Term *term, int operand,
					 const Decomposition *choice)
{
	Computation product = kernel_of_term(stage, term, choice);

	if (term->kernel->kind == KERNEL_MATRIX || is_outer_product(stage, term, choice) ||
		(kernel_is_product(term, term->kernel, choice->promoted) &&
		 multiplies_matrices(stage, term, &product, operand, choice)))
		return true;
	for (int n = 0; n < term->nsums; n++)
	{
		Computation sum = kernel_sum(term, n);

		if (kernel_is_product(term, sum.kernel, choice->promoted) &&
			multiplies_matrices(stage, term, &sum, operand, choice))
			return true;
	}
	return false;
}

/* Returns the cost of one kernel sum for one joined tuple. */
static double
kernel_sum_cost(const Stage *stage, const Term *term, int n, const Decomposition *choice)
{
	Computation sum = kernel_sum(term, n);
	double indices = value_entries(stage, sum.labels, choice);

	if (!kernel_is_product(term, sum.kernel, choice->promoted))
		return indices * (sum.kernel->operations + 1) * kernel_general_cost;
	return indices * (sum.kernel->calls + 1) *
		   (multiplies_matrices(stage, term, &sum, ANY_OPERAND, choice)
				? kernel_matrix_cost
				: kernel_streaming_cost);
}

/*
 * Returns the cost of a matrix function for one joined tuple: factorizing each matrix,
 * and solving for all right sides.
 */
static double
matrix_function_cost(const Stage *stage, const Term *term, const Decomposition *choice)
{
	const Kernel *kernel = term->kernel;
	LabelMask matrix = 1u << kernel->labels[0] | 1u << kernel->labels[1];
	double rows = stage->bounds[kernel->labels[0]];
	double systems;
	double sides;

	if (is_extreme_place(kernel->matrix))
		return value_entries(stage, term->labels, choice) * OTHER_OPERATIONS *
			   kernel_general_cost;
	systems = value_entries(stage, term->operands[0].mask & ~matrix, choice);
	sides = kernel->matrix == MATRIX_SOLVE
				? value_entries(stage, term->labels & ~matrix, choice)
				: rows * systems;
	return (systems * rows + sides) * rows * rows * kernel_matrix_cost +
		   (systems * rows + sides) * rows * OTHER_OPERATIONS * kernel_general_cost;
}

double
numbers_cost(const Kernel *kernel)
{
	return kernel->calls * CALL_OF_NUMBERS_TIME +
		   kernel->operations * kernel_general_cost;
}

double
kernel_cost(const Stage *stage, const Term *term, const Decomposition *choice,
			double repeated)
{
	Computation product = kernel_of_term(stage, term, choice);
	LabelMask promoted = choice->promoted;
	LabelMask demoted = product.labels & ~promoted;
	double indices = value_entries(stage, product.labels, choice);
	/* adding up happens within the kernel or fused with it */
	double folds = term->aggregated != 0 ? 1.0 : 0.0;
	double sums = 0.0;
	double rate;

	if (term->kernel->kind == KERNEL_MATRIX)
		return matrix_function_cost(stage, term, choice);
	for (int n = 0; n < term->nsums; n++)
		sums += kernel_sum_cost(stage, term, n, choice);
	/* sums of numbers are counted with the aggregate */
	if (demoted == 0)
		return sums + indices * numbers_cost(term->kernel);
	if (!kernel_is_product(term, term->kernel, promoted))
		return sums + indices * (term->kernel->operations + folds) * kernel_general_cost;
	rate = multiplies_matrices(stage, term, &product, ANY_OPERAND, choice)
			   ? kernel_matrix_cost
			   : kernel_streaming_cost;
	/* the sum is read and written once for all collected tuples */
	if (enable_batching != NODES_OFF && is_outer_product(stage, term, choice))
		rate =
			Min(rate, kernel_matrix_cost + kernel_streaming_cost /
											   Min(Max(repeated, 1.0), BATCH_OUTER_ROWS));
	return sums + indices * (term->kernel->calls + folds) * rate;
}
