/*-------------------------------------------------------------------------
 *
 * aggregate.c
 *	  Runs the kernels over the tuples in the buffer, and folds their results into the
 *	  groups. This file has kernels of numbers; those of tensors are in
 *	  kernel_tensors.c.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/nest/nest_state.h"
#include "kernels/sweep.h"

#define BLOCK_BYTES (BUFFER * sizeof(double _Complex))

void *
work_block(const Nest *nest, int i)
{
	return (char *) nest->blocks + (size_t) i * BLOCK_BYTES;
}

/* ---- arguments ---- */

bool
argument_is_tensor(const Nest *nest, const NestArgument *argument)
{
	const Coordinates *coordinates;

	if (argument->kind != NEST_ARGUMENT_VALUE)
		return false;
	coordinates = nest->description.operands[argument->operand].coordinates;
	return coordinates->types[argument->column].tensors;
}

ElementType
argument_type(const Nest *nest, const NestArgument *argument)
{
	const Coordinates *coordinates;

	if (argument->kind != NEST_ARGUMENT_VALUE)
		return ELEMENT_FLOAT8;
	coordinates = nest->description.operands[argument->operand].coordinates;
	/* a column of tensors without rows has no shape, and no type yet */
	return coordinates->types[argument->column].type
			   ? coordinates->types[argument->column].type
			   : ELEMENT_FLOAT8;
}

/*
 * Gathers from[positions[t]], or the fill where positions[t] < 0; with TIMES *= it
 * multiplies to[t] by that.
 */
#define GATHER(type, TIMES)                                                              \
	do                                                                                   \
	{                                                                                    \
		type *to = block;                                                                \
		const type *from = values;                                                       \
                                                                                         \
		if (operand->optional)                                                           \
			for (int t = 0; t < n; t++)                                                  \
				to[t] TIMES(positions[t] < 0 ? *(const type *) fill                      \
											 : from[positions[t]]);                      \
		else                                                                             \
			for (int t = 0; t < n; t++)                                                  \
				to[t] TIMES from[positions[t]];                                          \
	} while (0)

void
argument_numbers(const Nest *nest, const NestArgument *argument, void *block)
{
	const Buffer *buffer = nest->buffer;
	int n = buffer->count;
	const NestOperand *operand;
	const int32_t *positions;
	const void *values;
	const void *fill;
	size_t size;

	if (argument->kind == NEST_ARGUMENT_INDEX)
	{
		for (int t = 0; t < n; t++)
			((double *) block)[t] = (double) buffer->indices[argument->operand][t];
		return;
	}
	if (argument->kind == NEST_ARGUMENT_COMPUTED)
	{
		memcpy(block, nest->aggregates[argument->operand].computed,
			   sizeof(double) * (size_t) n);
		return;
	}
	positions = buffer->positions[argument->operand];
	if (argument->kind == NEST_ARGUMENT_FOUND)
	{
		for (int t = 0; t < n; t++)
			((double *) block)[t] = positions[t] >= 0;
		return;
	}
	operand = &nest->description.operands[argument->operand];
	values = nest->indexes[argument->operand]->values[argument->column];
	fill = &operand->fill[argument->column];
	size = operand->coordinates->sizes[argument->column];
	if (size == sizeof(double))
		GATHER(uint64_t, =);
	else if (size == sizeof(float))
		GATHER(uint32_t, =);
	else
		GATHER(double _Complex, =);
}

/* Multiplies the numbers of a block by an argument's numbers; both of one real type. */
static void
multiply_numbers(const Nest *nest, const NestArgument *argument, ElementType type,
				 void *block)
{
	const NestOperand *operand = &nest->description.operands[argument->operand];
	const int32_t *positions = nest->buffer->positions[argument->operand];
	const void *values = nest->indexes[argument->operand]->values[argument->column];
	const void *fill = &operand->fill[argument->column];
	int n = nest->buffer->count;

	if (type == ELEMENT_FLOAT8)
		GATHER(double, *=);
	else
		GATHER(float, *=);
}

void
convert_numbers(int64_t n, ElementType from, const void *numbers, ElementType to,
				void *converted)
{
	TensorView in;
	TensorView out;

	view_contiguous(&in, from, 1, &n, (void *) numbers);
	view_contiguous(&out, to, 1, &n, converted);
	view_copy(&in, &out);
}

/* ---- folding ---- */

void
fill_identity(Reduction reduction, ElementType type, int64_t n, void *elements)
{
	double identity = reduction_identity(reduction);
	bool two = element_is_complex(type);

	if (identity == 0)
		memset(elements, 0, element_size(type) * (size_t) n);
	else if (element_is_single(type))
		for (int64_t i = 0; i < n; i++)
		{
			((float *) elements)[i << two] = (float) identity;
			if (two)
				((float *) elements)[2 * i + 1] = 0;
		}
	else
		for (int64_t i = 0; i < n; i++)
		{
			((double *) elements)[i << two] = identity;
			if (two)
				((double *) elements)[2 * i + 1] = 0;
		}
}

/*
 * Streaks of tuples of one group, one behind the other, that are shorter than this on
 * average are folded number by number.
 */
#define SHORT_STREAK 8

/* Folds each streak of tuples of one group at once. */
static void
fold_streaks(const Nest *nest, const AggregateState *aggregate, char *results,
			 ElementType type, const char *values)
{
	const int32_t *slots = nest->buffer->slots;
	size_t size = element_size(type);
	size_t result_size = element_size(aggregate->sum_type);

	for (int t = 0; t < nest->buffer->count;)
	{
		int end = t + 1;

		while (end < nest->buffer->count && slots[end] == slots[t])
			end++;
		fold_all(aggregate->spec->reduction, type, aggregate->sum_type, end - t,
				 values + (size_t) t * size, results + (size_t) slots[t] * result_size);
		t = end;
	}
}

/* Does the buffer have few groups, whose tuples follow each other? */
static bool
has_long_streaks(const Nest *nest)
{
	const Buffer *buffer = nest->buffer;

	if (nest->groups.nstreaks > 0)
		return nest->groups.nstreaks * SHORT_STREAK < buffer->count;
	if (nest->groups.vary || nest->groups.kind == SLOT_NEW)
		return false;
	return nest->groups.kind != SLOT_PREFIX ||
		   (buffer->slots[buffer->count - 1] - buffer->slots[0]) * SHORT_STREAK <
			   buffer->count;
}

#define ADD_EACH(type)                                                                   \
	for (int t = 0; t < nest->buffer->count; t++)                                        \
		((double *) results)[slots[t]] += ((const type *) values)[t];

void
fold_numbers(Nest *nest, int number, ElementType type, const void *values)
{
	const AggregateState *aggregate = &nest->aggregates[number];
	char *results = nest->groups.results[number];
	const int32_t *slots = nest->buffer->slots;
	size_t size = element_size(type);
	size_t result_size = element_size(aggregate->sum_type);

	if (aggregate->spec->kind == NEST_COMPUTE)
		convert_numbers(nest->buffer->count, type, values, ELEMENT_FLOAT8,
						aggregate->computed);
	else if (has_long_streaks(nest))
		fold_streaks(nest, aggregate, results, type, values);
	else if (aggregate->spec->reduction == REDUCTION_SUM && type == ELEMENT_FLOAT8)
		ADD_EACH(double)
	else if (aggregate->spec->reduction == REDUCTION_SUM && type == ELEMENT_FLOAT4)
		ADD_EACH(float)
	else
		for (int t = 0; t < nest->buffer->count; t++)
			fold_elements(aggregate->spec->reduction, type, aggregate->sum_type, 1,
						  (const char *) values + (size_t) t * size,
						  results + (size_t) slots[t] * result_size, 1);
}

/* ---- kernels of numbers ---- */

/* Returns the products of all arguments, one per tuple, in the type of the kernel. */
static const void *
multiply_arguments(const Nest *nest, const AggregateState *aggregate)
{
	const NestKernel *kernel = &aggregate->spec->kernel;
	ElementType type = aggregate->value_type;
	int64_t n = nest->buffer->count;
	void *product = work_block(nest, 0);
	void *own = work_block(nest, 1);
	void *converted = work_block(nest, 2);

	if (kernel->narguments == 0)
		fill_identity(REDUCTION_PROD, type, n, product);
	for (int i = 0; i < kernel->narguments; i++)
	{
		const NestArgument *argument = &kernel->arguments[i];
		ElementType from = argument_type(nest, argument);
		void *to = i == 0 ? product : converted;

		if (from == type && i == 0)
		{
			argument_numbers(nest, argument, product);
			continue;
		}
		if (from == type && argument->kind == NEST_ARGUMENT_VALUE &&
			!element_is_complex(type))
		{
			multiply_numbers(nest, argument, type, product);
			continue;
		}
		argument_numbers(nest, argument, own);
		convert_numbers(n, from, own, type, to);
		if (i > 0)
			fold_elements(REDUCTION_PROD, type, type, n, converted, product, 1);
	}
	return product;
}

const void *
map_numbers(const Nest *nest, const AggregateState *aggregate, const MapProgram *program,
			const Equation *equation, int n, const int *arguments, int out)
{
	TensorView views[MAP_MAX_OPERANDS];
	const TensorView *operands[MAP_MAX_OPERANDS];
	TensorView results;
	int64_t count = nest->buffer->count;

	for (int i = 0; i < n; i++)
	{
		const NestArgument *argument = &aggregate->spec->kernel.arguments[arguments[i]];
		void *block = work_block(nest, out + 1 + i);

		argument_numbers(nest, argument, block);
		view_contiguous(&views[i], argument_type(nest, argument), 1, &count, block);
		operands[i] = &views[i];
	}
	view_contiguous(&results, aggregate->value_type, 1, &count, work_block(nest, out));
	if (!aggregate->typed)
	{
		map_store(program, equation, operands, &results);
		return results.data;
	}
	/* map_accumulate_typed adds to each result, which starts from 0 */
	memset(results.data, 0, element_size(results.type) * (size_t) count);
	map_accumulate_typed(program, equation, operands, REDUCTION_SUM, &results);
	return results.data;
}

/* Runs the kernel's program over all tuples, and returns its results. */
static const void *
map_arguments(const Nest *nest, const AggregateState *aggregate)
{
	const NestKernel *kernel = &aggregate->spec->kernel;
	int arguments[MAP_MAX_OPERANDS];

	for (int i = 0; i < kernel->narguments; i++)
		arguments[i] = i;
	return map_numbers(nest, aggregate, kernel->program, &aggregate->equation,
					   kernel->narguments, arguments, 0);
}

int64_t
stack_position(const Nest *nest, const NestAggregate *spec, int t)
{
	__int128 position = spec->position;

	for (int l = 0; l < nest->description.nlabels; l++)
		if (spec->multipliers[l] != 0)
			position += (__int128) spec->multipliers[l] * nest->buffer->indices[l][t];
	return position < 0 || position >= spec->bound ? -1 : (int64_t) position;
}

/* Puts the numbers of all tuples into the stacks of their groups. */
static NestStatus
stack_numbers(Nest *nest, int number, const void *values)
{
	AggregateState *aggregate = &nest->aggregates[number];
	size_t from_size = element_size(aggregate->value_type);
	size_t size = element_size(aggregate->type);
	const TensorView *shape = &aggregate->shapes[0];

	for (int t = 0; t < nest->buffer->count; t++)
	{
		int32_t slot = nest->buffer->slots[t];
		char **stack = &((char **) nest->groups.results[number])[slot];
		int64_t position = stack_position(nest, aggregate->spec, t);
		const char *value = (const char *) values + (size_t) t * from_size;
		uint8_t *filled;

		if (position < 0)
			return NEST_REPEATED;
		if (*stack == NULL)
		{
			*stack =
				result_allocate(nest, aggregate->spec, shape, aggregate->spec->bound);
			if (*stack == NULL)
				return NEST_NO_MEMORY;
			nest->groups.shapes[number][slot] = 0;
		}
		filled = (uint8_t *) *stack + (size_t) aggregate->spec->bound * size;
		if (filled[position / 8] & 1 << position % 8)
			return NEST_REPEATED;
		filled[position / 8] |= (uint8_t) (1 << position % 8);
		if (aggregate->type == aggregate->value_type)
			memcpy(*stack + (size_t) position * size, value, size);
		else
			convert_numbers(1, aggregate->value_type, value, aggregate->type,
							*stack + (size_t) position * size);
	}
	return NEST_DONE;
}

/* ---- values as they are ---- */

static void
take_values(Nest *nest, int number)
{
	const NestArgument *argument = &nest->aggregates[number].spec->kernel.arguments[0];
	const NestOperand *operand = &nest->description.operands[argument->operand];
	const Buffer *buffer = nest->buffer;
	size_t size = nest->aggregates[number].size;
	char *results = nest->groups.results[number];
	const char *block = work_block(nest, 0);
	const uint16_t *shapes;

	argument_numbers(nest, argument, work_block(nest, 0));
	for (int t = 0; t < buffer->count; t++)
		memcpy(results + (size_t) buffer->slots[t] * size, block + (size_t) t * size,
			   size);
	if (!nest->aggregates[number].tensors)
		return;
	shapes = nest->indexes[argument->operand]->shapes[argument->column];
	for (int t = 0; t < buffer->count; t++)
	{
		int32_t position = buffer->positions[argument->operand][t];

		nest->groups.shapes[number][buffer->slots[t]] =
			position < 0 ? operand->fill[argument->column].tensor.shape
			: shapes     ? shapes[position]
						 : 0;
	}
}

/* ---- all aggregates ---- */

NestStatus
aggregates_flush(Nest *nest)
{
	if (nest->buffer->count == 0)
		return NEST_DONE;
	for (int a = 0; a < nest->description.naggregates; a++)
	{
		AggregateState *aggregate = &nest->aggregates[a];
		NestStatus status = NEST_DONE;
		const void *values;

		switch (aggregate->run)
		{
			case RUN_COUNT:
				break;
			case RUN_TAKE:
				take_values(nest, a);
				break;
			case RUN_NUMBERS:
				values = aggregate->product ? multiply_arguments(nest, aggregate)
											: map_arguments(nest, aggregate);
				if (aggregate->spec->kind == NEST_STACK)
					status = stack_numbers(nest, a, values);
				else
					fold_numbers(nest, a, aggregate->value_type, values);
				break;
			case RUN_TENSORS:
				status = tensors_flush(nest, a);
				break;
		}
		if (status != NEST_DONE)
		{
			if (status == NEST_MISMATCH)
				nest->mismatch.aggregate = a;
			return status;
		}
	}
	nest->buffer->count = 0;
	return NEST_DONE;
}

void
aggregates_clear(Nest *nest, int64_t from, int64_t to)
{
	for (int a = 0; a < nest->description.naggregates; a++)
	{
		AggregateState *aggregate = &nest->aggregates[a];
		char *results =
			(char *) nest->groups.results[a] + aggregate->size * (size_t) from;

		if (to == from || aggregate->size == 0)
			continue;
		if (aggregate->tensors || aggregate->spec->kind != NEST_REDUCE)
			memset(results, 0, aggregate->size * (size_t) (to - from));
		else
			fill_identity(aggregate->spec->reduction, aggregate->sum_type, to - from,
						  results);
		if (aggregate->tensors)
			memset(nest->groups.shapes[a] + from, 0xff,
				   sizeof(int32_t) * (size_t) (to - from));
	}
}

/* Rounds n numbers in place from one type to another that is not larger. */
static void
round_numbers(Nest *nest, int64_t n, ElementType from, ElementType to, void *numbers)
{
	double _Complex block[64];
	const int64_t most = sizeof(block) / sizeof(block[0]);

	for (int64_t i = 0; i < n; i += most)
	{
		int64_t count = n - i < most ? n - i : most;

		memcpy(block, (char *) numbers + (size_t) i * element_size(from),
			   (size_t) count * element_size(from));
		convert_numbers(count, from, block, to,
						(char *) numbers + (size_t) i * element_size(to));
		count_work(nest, count);
	}
}

/* Rounds the results of all groups, accumulated in double precision, to their type. */
static void
round_results(Nest *nest, int number)
{
	const AggregateState *aggregate = &nest->aggregates[number];
	void *results = nest->groups.results[number];
	int64_t count = nest->groups.count;

	if (!aggregate->tensors)
	{
		round_numbers(nest, count, aggregate->sum_type, aggregate->type, results);
		return;
	}
	for (int64_t slot = 0; slot < count; slot++)
	{
		const TensorView *shape = &aggregate->shapes[nest->groups.shapes[number][slot]];

		round_numbers(nest, view_count(shape), aggregate->sum_type, aggregate->type,
					  ((void **) results)[slot]);
	}
}

void
aggregates_finish(Nest *nest)
{
	for (int a = 0; a < nest->description.naggregates; a++)
	{
		if (nest->aggregates[a].run == RUN_COUNT)
			for (int64_t slot = 0; slot < nest->groups.count; slot++)
				((double *) nest->groups.results[a])[slot] =
					(double) nest->groups.tuples[slot];
		if (nest->aggregates[a].sum_type != nest->aggregates[a].type &&
			!nest->groups.rounded)
			round_results(nest, a);
	}
	nest->groups.rounded = true;
}

/*
 * Finds the type of a kernel's values. False if the kernel has none for these arguments.
 */
static bool
find_type(Nest *nest, AggregateState *aggregate)
{
	const NestKernel *kernel = &aggregate->spec->kernel;
	ElementType types[EQUATION_MAX_OPERANDS] = {ELEMENT_FLOAT8};
	ElementType type = 0;
	Reduction reduction = aggregate->spec->reduction;

	for (int i = 0; i < kernel->narguments; i++)
	{
		types[i] = argument_type(nest, &kernel->arguments[i]);
		aggregate->typed |= i > 0 && types[i] != types[0];
		type = i == 0 ? types[0] : element_promote(type, types[i]);
	}
	if (kernel->narguments == 0)
		type = ELEMENT_FLOAT8;
	aggregate->value_type = type;
	if (kernel->program)
	{
		aggregate->typed |=
			kernel->program->typed || kernel->narguments == 0 || element_is_complex(type);
		if (aggregate->typed)
		{
			nest->mismatch.function =
				map_result_type(kernel->program, types, &aggregate->value_type);
			if (nest->mismatch.function >= 0)
				return false;
		}
	}
	if (!element_is_complex(aggregate->value_type) || aggregate->spec->kind == NEST_STACK)
		return true;
	return aggregate->spec->kind == NEST_REDUCE &&
		   (reduction == REDUCTION_SUM || reduction == REDUCTION_PROD);
}

void
buffer_equation(int noperands, Equation *equation)
{
	equation->noperands = noperands;
	equation->nlabels = 1;
	equation->letters[0] = 'a';
	for (int i = 0; i < noperands; i++)
		equation->operands[i] = (EquationTerm){.rank = 1};
	equation->output = (EquationTerm){.rank = 1};
}

/* Is a program the product of its parameters, one after the other? */
static bool
is_product(const MapProgram *program)
{
	if (program->nsteps != 2 * program->nparameters - 1)
		return false;
	for (int i = 0; i < program->nparameters; i++)
	{
		const MapStep *times = &program->steps[2 * i];
		const MapStep *parameter = &program->steps[i == 0 ? 0 : 2 * i - 1];

		if (parameter->opcode != MAP_PARAMETER || parameter->argument != i)
			return false;
		if (i > 0 && (times->opcode != MAP_CALL ||
					  pointwise_functions[times->argument].id != FUNCTION_MULTIPLY))
			return false;
	}
	return true;
}

static NestStatus
begin_aggregate(Nest *nest, int number)
{
	AggregateState *aggregate = &nest->aggregates[number];
	const NestAggregate *spec = aggregate->spec;
	const NestKernel *kernel = &spec->kernel;
	bool tensors = false;

	for (int i = 0; i < kernel->narguments; i++)
		tensors |= argument_is_tensor(nest, &kernel->arguments[i]);
	if (spec->kind == NEST_TAKE)
	{
		aggregate->run = RUN_TAKE;
		aggregate->tensors = tensors;
		aggregate->type = argument_type(nest, &kernel->arguments[0]);
	}
	else
	{
		if (!find_type(nest, aggregate))
			return NEST_MISMATCH;
		aggregate->type = aggregate->value_type;
		if (spec->kind == NEST_STACK && spec->fill_type)
			aggregate->type = element_promote(aggregate->type, spec->fill_type);
		aggregate->run = tensors ? RUN_TENSORS
						 : kernel->narguments == 0 && kernel->program == NULL &&
								 spec->kind == NEST_REDUCE &&
								 spec->reduction == REDUCTION_SUM
							 ? RUN_COUNT
							 : RUN_NUMBERS;
		aggregate->tensors =
			spec->kind == NEST_STACK ||
			(tensors && (kernel->equation == NULL || kernel->equation->output.rank > 0));
	}
	aggregate->sum_type = spec->kind == NEST_REDUCE && reduction_rounds(spec->reduction)
							  ? element_double(aggregate->type)
							  : aggregate->type;
	/* NEST_COMPUTE has no results in groups */
	if (spec->kind == NEST_COMPUTE)
	{
		if (aggregate->tensors)
			return NEST_MISMATCH;
		aggregate->computed = nest_allocate(nest->memory, sizeof(double) * BUFFER);
	}
	else
		aggregate->size =
			aggregate->tensors ? sizeof(void *) : element_size(aggregate->sum_type);
	if (aggregate->run == RUN_TENSORS)
		return tensors_begin(nest, number);
	if (aggregate->run == RUN_NUMBERS)
		buffer_equation(kernel->narguments, &aggregate->equation);
	aggregate->product =
		kernel->program == NULL || (!aggregate->typed && is_product(kernel->program));
	if (spec->kind == NEST_STACK)
	{
		aggregate->shapes = nest_allocate(nest->memory, sizeof(TensorView));
		aggregate->nshapes = aggregate->shape_capacity = 1;
		view_contiguous(&aggregate->shapes[0], aggregate->type, 1, &spec->bound, NULL);
	}
	return NEST_DONE;
}

NestStatus
aggregates_begin(Nest *nest)
{
	int count = nest->description.naggregates;
	int most = 2;

	nest->mismatch.function = -1;
	nest->aggregates =
		nest_allocate_zeroed(nest->memory, sizeof(AggregateState) * (size_t) (count + 1));
	for (int a = 0; a < count; a++)
	{
		NestStatus status;

		nest->aggregates[a].spec = &nest->description.aggregates[a];
		status = begin_aggregate(nest, a);
		if (status != NEST_DONE)
		{
			nest->mismatch.aggregate = a;
			return status;
		}
		if (nest->aggregates[a].spec->kernel.narguments > most)
			most = nest->aggregates[a].spec->kernel.narguments;
	}
	nest->blocks = nest_allocate(nest->memory, (size_t) WORK_BLOCKS(most) * BLOCK_BYTES);
	return NEST_DONE;
}

void
aggregates_free(Nest *nest)
{
	for (int a = 0; nest->aggregates && a < nest->description.naggregates; a++)
	{
		tensors_free(nest, a);
		nest_release(nest->memory, nest->aggregates[a].shapes);
		nest_release(nest->memory, nest->aggregates[a].computed);
	}
	nest_release(nest->memory, nest->aggregates);
	nest_release(nest->memory, nest->blocks);
	nest->aggregates = NULL;
	nest->blocks = NULL;
}
