/*-------------------------------------------------------------------------
 *
 * inner_product.c
 *	  Innermost loops that two operands share, where all tuples are in one group.
 *
 *	  for i, for j of a[i,:], for k of a[i,:] and a[j,:]: sum += a[i,j] * a[i,k] * a[j,k]
 *
 * The sum of products needs no buffer and no list of the indices that both
 * operands have: where an index is not found, 0 is added. So no branch depends
 * on the data. Collecting tuples in the buffer takes twice the time, most of it
 * where about half of the indices are found (triangles of a social network,
 * Intel Xeon, 2026-11).
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/assume.h"
#include "kernels/clones.h"
#include "kernels/nest/nest_state.h"
#include "kernels/sweep.h"

/* A product of numbers, two of which vary in the innermost loop. */
typedef struct InnerProduct
{
	const double *iterated; /* by place in the strip */
	const double *located;  /* by position */
	bool located_first;     /* of the two, in the order of the arguments */
	double factors[3];      /* what stays: before, between and behind them */
} InnerProduct;

/*
 * Is an aggregate a sum of products that have exactly one number of each operand of the
 * innermost loop?
 */
static bool
is_inner_product(const Nest *nest, const NestLoop *loop, const AggregateState *aggregate)
{
	const NestKernel *kernel = &aggregate->spec->kernel;
	int of_part[2] = {0};
	int constants[3] = {0}; /* number of factors before, between and behind the two that
							 * vary */

	if (aggregate->run != RUN_NUMBERS || aggregate->spec->kind != NEST_REDUCE ||
		aggregate->spec->reduction != REDUCTION_SUM || !aggregate->product)
		return false;
	for (int i = 0; i < kernel->narguments; i++)
	{
		const NestArgument *argument = &kernel->arguments[i];
		bool varies = false;

		if (argument->kind != NEST_ARGUMENT_VALUE ||
			argument_type(nest, argument) != ELEMENT_FLOAT8 ||
			nest->description.operands[argument->operand].optional)
			return false;
		for (int p = 0; p < 2; p++)
			if (argument->operand == loop->parts[p].operand)
			{
				of_part[p]++;
				varies = true;
			}
		if (of_part[0] > 1 || of_part[1] > 1)
			return false;
		if (!varies)
			constants[of_part[0] + of_part[1]]++;
	}
	/* two constants would be multiplied with each other first, which may overflow */
	return of_part[0] == 1 && of_part[1] == 1 && constants[1] <= 1 && constants[2] <= 1;
}

bool
has_inner_products(const Nest *nest)
{
	const NestLoop *loop = nest->nloops > 0 ? &nest->loops[nest->nloops - 1] : NULL;

	if (loop == NULL || loop->label < 0 || loop->nparts != 2 || loop->nrequired != 2 ||
		nest->groups.vary || nest->groups.kind == SLOT_NEW)
		return false;
	for (int a = 0; a < nest->description.naggregates; a++)
		if (nest->aggregates[a].run != RUN_COUNT &&
			!is_inner_product(nest, loop, &nest->aggregates[a]))
			return false;
	return true;
}

static InnerProduct
current_product(const Nest *nest, const NestLoop *loop, int64_t first,
				const AggregateState *aggregate)
{
	const NestKernel *kernel = &aggregate->spec->kernel;
	InnerProduct product = {.factors = {1, 1, 1}};
	int varying = 0;

	for (int i = 0; i < kernel->narguments; i++)
	{
		const NestArgument *argument = &kernel->arguments[i];
		int o = argument->operand;
		const double *values = nest->indexes[o]->values[argument->column];

		if (o == loop->parts[loop->iterator].operand)
		{
			product.iterated = values + first;
			varying++;
		}
		else if (o == loop->parts[1 - loop->iterator].operand)
		{
			product.located = values;
			product.located_first = varying++ == 0;
		}
		else
			product.factors[varying] *= values[nest->positions[o][nest->depths[o]]];
	}
	return product;
}

/*
 * If fewer than one in FEW_FOUND indices of a strip are found, the found ones are
 * gathered first.
 */
#define FEW_FOUND 8

#define MULTIPLY_FOUND(FIRST, SECOND)                                                    \
	for (int t = 0; t < n; t++)                                                          \
	{                                                                                    \
		int32_t position = positions[t];                                                 \
		int32_t some = position & ~(position >> 31);                                     \
		double value = before * (FIRST) *between * (SECOND) *behind;                     \
                                                                                         \
		to[t] = position < 0 ? 0 : value;                                                \
	}

/*
 * Sets to[t] to the product of the strip's tuple t, in the order of its factors, or to 0
 * where the index was not found.
 */
KERNEL_CLONES static void
multiply_found(const InnerProduct *product, int n, const int32_t *restrict positions,
			   double *restrict to)
{
	const double *restrict iterated = product->iterated;
	const double *restrict located = product->located;
	double before = product->factors[0];
	double between = product->factors[1];
	double behind = product->factors[2];

	ASSUME(iterated != NULL && located != NULL);
	if (product->located_first)
		MULTIPLY_FOUND(located[some], iterated[t])
	else
		MULTIPLY_FOUND(iterated[t], located[some])
}

static int
count_found(int n, const int32_t *positions)
{
	int found = 0;

	for (int t = 0; t < n; t++)
		found += positions[t] >= 0;
	return found;
}

/*
 * Moves the positions of found indices to the front, and stores their places in the
 * strip.
 */
static void
gather_found(int n, int32_t *positions, int32_t *places)
{
	int found = 0;

	for (int t = 0; t < n; t++)
	{
		int32_t position = positions[t];

		places[found] = t;
		positions[found] = position;
		found += position >= 0;
	}
}

static const double *
gather_numbers(int n, const double *numbers, const int32_t *places, double *to)
{
	for (int t = 0; t < n; t++)
		to[t] = numbers[places[t]];
	return to;
}

NestStatus
add_inner_products(Nest *nest, const NestLoop *loop, int64_t first, int n,
				   const StripIndices *indices, int64_t expected)
{
	int other = 1 - loop->iterator;
	int32_t *positions = nest->located[other];
	double *products = work_block(nest, 0);
	int found;
	bool few;
	int32_t slot;

	locate_strip(nest, &loop->parts[other], n, indices, NULL, expected, positions);
	found = count_found(n, positions);
	if (found == 0)
		return NEST_DONE;
	if (!groups_add_tuples(nest, found, &slot))
		return NEST_NO_MEMORY;
	few = found * FEW_FOUND < n;
	if (few)
	{
		gather_found(n, positions, nest->selected);
		n = found;
	}
	for (int a = 0; a < nest->description.naggregates; a++)
	{
		const AggregateState *aggregate = &nest->aggregates[a];
		InnerProduct product;

		if (aggregate->run == RUN_COUNT)
			continue;
		product = current_product(nest, loop, first, aggregate);
		if (few)
			product.iterated =
				gather_numbers(n, product.iterated, nest->selected, work_block(nest, 1));
		multiply_found(&product, n, positions, products);
		fold_all(REDUCTION_SUM, ELEMENT_FLOAT8, ELEMENT_FLOAT8, n, products,
				 (double *) nest->groups.results[a] + slot);
	}
	return NEST_DONE;
}
