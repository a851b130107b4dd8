/*-------------------------------------------------------------------------
 *
 * number_factor.c
 *	  Splits maps that are products of tensors and of an expression in numbers.
 *
 *	  sum of exp(s) * v[a]: a number for each tuple, and rows that are scaled and added
 *
 * The program of a map runs element by element, and here once for each tuple. If
 * it is a product, its part of numbers becomes a program of its own, which runs
 * once for all tuples of the buffer; the rest is a product of tensors, which
 * needs no program.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "kernels/nest/nest_state.h"

/* A program that is being split, and the factor that it gets. */
typedef struct Split
{
	const Nest *nest;
	AggregateState *aggregate;
	const MapProgram *program;
	const int *starts; /* by step: the first one of the expression that it ends */
	MapProgram *factor;
} Split;

/* Returns, for each step, the first step of the expression that ends with it. */
static int *
expression_starts(NestMemory *memory, const MapProgram *program)
{
	size_t n = (size_t) program->nsteps;
	int *starts = nest_allocate(memory, 2 * n * sizeof(int));
	int *stack = starts + n;
	int top = 0;

	for (int s = 0; s < program->nsteps; s++)
	{
		const MapStep *step = &program->steps[s];

		if (step->opcode == MAP_CALL)
			top -= pointwise_functions[step->argument].arity;
		else
			stack[top] = s;
		starts[s] = stack[top++];
	}
	return starts;
}

static const NestArgument *
parameter(const Split *split, int step)
{
	return &split->aggregate->spec->kernel
				.arguments[split->program->steps[step].argument];
}

/* Does the expression that ends with a step contain numbers only, no tensors? */
static bool
is_number(const Split *split, int last)
{
	for (int s = split->starts[last]; s <= last; s++)
		if (split->program->steps[s].opcode == MAP_PARAMETER &&
			argument_is_tensor(split->nest, parameter(split, s)))
			return false;
	return true;
}

static void
add_step(MapProgram *factor, MapStep step)
{
	factor->steps[factor->nsteps++] = step;
}

/*
 * Multiplies the factor by the expression that ends with a step, and renumbers its
 * arguments.
 */
static void
multiply_factor(const Split *split, int last)
{
	AggregateState *aggregate = split->aggregate;
	MapProgram *factor = split->factor;
	bool first = factor->nsteps == 0;

	for (int s = split->starts[last]; s <= last; s++)
	{
		MapStep step = split->program->steps[s];
		int place = 0;

		if (step.opcode == MAP_PARAMETER)
		{
			while (place < aggregate->nfactors &&
				   aggregate->factors[place] != step.argument)
				place++;
			if (place == aggregate->nfactors)
				aggregate->factors[aggregate->nfactors++] = step.argument;
			step.argument = place;
		}
		add_step(factor, step);
	}
	if (!first)
		add_step(factor, (MapStep){.opcode = MAP_CALL, .argument = FUNCTION_MULTIPLY});
}

/* Splits a program that is a product into its factors; false if it is not a product. */
static bool
split_product(const Split *split)
{
	AggregateState *aggregate = split->aggregate;
	int last = split->program->nsteps - 1;

	/* takes the factors from the last on: numbers, tensors, and products of both */
	while (last >= 0)
	{
		const MapStep *step = &split->program->steps[last];

		if (is_number(split, last))
		{
			multiply_factor(split, last);
			last = split->starts[last] - 1;
		}
		else if (step->opcode == MAP_PARAMETER)
		{
			/* an argument is used repeatedly: there are not enough work blocks */
			if (aggregate->noperands == aggregate->spec->kernel.narguments)
				return false;
			aggregate->operands[aggregate->noperands++] = step->argument;
			last--;
		}
		else if (step->opcode == MAP_CALL && step->argument == FUNCTION_MULTIPLY)
			last--;
		else
			return false;
	}
	return aggregate->nfactors > 0;
}

/*
 * Is every tensor in the product? Another tensor's labels still say how often it is
 * added.
 */
static bool
has_all_tensors(const Split *split)
{
	const AggregateState *aggregate = split->aggregate;
	const NestKernel *kernel = &aggregate->spec->kernel;

	for (int i = 0; i < kernel->narguments; i++)
	{
		bool found = !argument_is_tensor(split->nest, &kernel->arguments[i]);

		for (int o = 0; o < aggregate->noperands && !found; o++)
			found = aggregate->operands[o] == i;
		if (!found)
			return false;
	}
	return true;
}

bool
split_number_factor(Nest *nest, AggregateState *aggregate)
{
	const NestKernel *kernel = &aggregate->spec->kernel;
	const MapProgram *program = kernel->program;
	size_t nsteps;
	int *starts;
	Split split = {.nest = nest, .aggregate = aggregate, .program = program};
	bool found;

	if (program == NULL || kernel->equation == NULL || aggregate->typed ||
		aggregate->spec->kind == NEST_STACK ||
		aggregate->spec->reduction != REDUCTION_SUM ||
		aggregate->value_type != ELEMENT_FLOAT8)
		return false;
	nsteps = 2 * (size_t) program->nsteps;
	starts = expression_starts(nest->memory, program);
	split.starts = starts;
	split.factor =
		nest_allocate_zeroed(nest->memory, sizeof(MapProgram) + nsteps * sizeof(MapStep));
	split.factor->steps = (MapStep *) (split.factor + 1);
	split.factor->depth = program->depth + 1;
	found = split_product(&split) && has_all_tensors(&split);
	nest_release(nest->memory, starts);
	if (!found)
	{
		nest_release(nest->memory, split.factor);
		aggregate->nfactors = aggregate->noperands = 0;
		return false;
	}
	split.factor->nparameters = aggregate->nfactors;
	aggregate->factor = split.factor;
	for (int o = 0; o < aggregate->noperands; o++)
		aggregate->equation.operands[o] =
			kernel->equation->operands[aggregate->operands[o]];
	return true;
}
