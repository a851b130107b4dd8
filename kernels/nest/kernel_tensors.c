/*-------------------------------------------------------------------------
 *
 * kernel_tensors.c
 *	  Kernels with operands that are tensors.
 *
 * What depends on the operands' shapes is computed once for each combination of
 * shapes: mostly there is one, and a few where the last blocks are shorter.
 * Consecutive tuples of one group with the same shapes are summed together: rows
 * side by side, outer products as one matrix product.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/assume.h"
#include "kernels/nest/nest_state.h"
#include "kernels/vector.h"

/*
 * Outer products are summed as a product of matrices if the result and the operands have
 * at least these numbers of elements, and at least OUTER_LEAST tuples follow each other;
 * at most OUTER_MOST tuples at a time.
 */
#define OUTER_RESULT 256
#define OUTER_OPERAND 8
#define OUTER_LEAST 8
#define OUTER_MOST 64

/* Rows that are prefetched while others are added. */
#define NEXT_ROWS 8

/* Elements whose work counts as one iteration, for checking for interrupts. */
#define ELEMENTS_PER_ITERATION 4

/* The equation "ca,cb->ab". */
static const Equation update_equation = {
	.noperands = 2,
	.operands = {{2, {2, 0}}, {2, {2, 1}}},
	.output = {2, {0, 1}},
	.nlabels = 3,
	.letters = {'a', 'b', 'c'},
};

/* ---- memory of results ---- */

typedef struct ArenaBlock
{
	struct ArenaBlock *next;
	size_t bytes; /* behind the header */
} ArenaBlock;

#define ARENA_FIRST ((size_t) 8192)
#define ARENA_MOST ((size_t) 1 << 20)
/* Results of at least this size begin at a cache line. */
#define ALIGNED_BYTES 1024
#define CACHE_LINE 64

static char *
align_result(char *memory, size_t header, size_t bytes)
{
	size_t alignment = bytes >= ALIGNED_BYTES ? CACHE_LINE : sizeof(double);
	uintptr_t elements = (uintptr_t) memory + header;

	return (char *) ((elements + alignment - 1) / alignment * alignment);
}

/* May a result have this shape? Its elements are counted without overflow. */
static bool
may_be_result(const Nest *nest, const TensorView *shape)
{
	double bytes = (double) element_size(shape->type);

	for (int d = 0; d < shape->rank; d++)
		bytes *= (double) shape->bounds[d];
	return nest->description.most_bytes == 0 || bytes <= nest->description.most_bytes;
}

void *
result_allocate(Nest *nest, const NestAggregate *spec, const TensorView *shape,
				int64_t bits)
{
	Arena *arena = &nest->arena;
	size_t bytes;
	size_t all;
	char *elements;

	if (!may_be_result(nest, shape))
		return NULL;
	bytes = element_size(shape->type) * (size_t) view_count(shape);
	all = (spec->header + bytes + ((size_t) bits + 7) / 8 + 7) / 8 * 8;
	elements = align_result(arena->next, spec->header, bytes);
	if (all > nest->result_bytes)
		nest->result_bytes = all;
	if (arena->blocks == NULL ||
		elements - spec->header + all > arena->next + arena->left)
	{
		size_t size = arena->blocks ? 2 * arena->blocks->bytes : ARENA_FIRST;
		ArenaBlock *block;

		size = size > ARENA_MOST ? ARENA_MOST : size;
		if (size < all + CACHE_LINE ||
			!nest_fits(arena->memory, (double) (sizeof(ArenaBlock) + size)))
			size = all + CACHE_LINE;
		if (!nest->returned &&
			!nest_fits(arena->memory, (double) (sizeof(ArenaBlock) + size)))
			return NULL;
		block = nest_allocate(arena->memory, sizeof(ArenaBlock) + size);
		block->bytes = size;
		block->next = arena->blocks;
		arena->blocks = block;
		arena->next = (char *) (block + 1);
		arena->left = size;
		elements = align_result(arena->next, spec->header, bytes);
	}
	arena->left -= (size_t) (elements - spec->header + all - arena->next);
	arena->next = elements - spec->header + all;
	if (spec->kind == NEST_STACK)
	{
		Number fill = spec->fill;
		TensorView number = {
			.type = ELEMENT_COMPLEX16, .rank = shape->rank, .data = &fill};
		TensorView whole = *shape;

		whole.data = elements;
		memcpy(number.bounds, shape->bounds, sizeof(number.bounds));
		view_copy(&number, &whole);
		memset(elements + bytes, 0, ((size_t) bits + 7) / 8);
	}
	else
		fill_identity(spec->reduction, shape->type, view_count(shape), elements);
	return elements;
}

void
arena_clear(Arena *arena)
{
	ArenaBlock *kept = arena->blocks;

	if (arena->lasting || kept == NULL)
		return;
	while (kept->next)
	{
		ArenaBlock *block = kept->next;

		kept->next = block->next;
		nest_release(arena->memory, block);
	}
	arena->next = (char *) (kept + 1);
	arena->left = kept->bytes;
}

void
arena_free(Arena *arena)
{
	arena_clear(arena);
	if (arena->lasting)
		return;
	nest_release(arena->memory, arena->blocks);
	arena->blocks = NULL;
}

/* ---- combinations of shapes ---- */

static inline const NestArgument *
operand_argument(const AggregateState *aggregate, int i)
{
	return &aggregate->spec->kernel.arguments[aggregate->operands[i]];
}

/* Returns the number of the shape of a tensor operand in tuple t of the buffer. */
static inline int
tuple_shape(const Nest *nest, const NestArgument *argument, int t)
{
	int32_t position = nest->buffer->positions[argument->operand][t];
	const uint16_t *shapes;

	if (position < 0)
		return nest->description.operands[argument->operand]
			.fill[argument->column]
			.tensor.shape;
	shapes = nest->indexes[argument->operand]->shapes[argument->column];
	return shapes ? shapes[position] : 0;
}

/*
 * Returns the number of a shape among those of the aggregate's results; adds a new shape.
 */
static int
result_shape(Nest *nest, AggregateState *aggregate, const TensorView *shape)
{
	TensorView *shapes = aggregate->shapes;

	for (int s = 0; s < aggregate->nshapes; s++)
		if (shapes[s].rank == shape->rank &&
			memcmp(shapes[s].bounds, shape->bounds,
				   sizeof(int64_t) * (size_t) shape->rank) == 0)
			return s;
	if (aggregate->nshapes == aggregate->shape_capacity)
	{
		aggregate->shape_capacity = 2 * aggregate->nshapes + 1;
		aggregate->shapes = nest_allocate(
			nest->memory, sizeof(TensorView) * (size_t) aggregate->shape_capacity);
		if (shapes)
			memcpy(aggregate->shapes, shapes,
				   sizeof(TensorView) * (size_t) aggregate->nshapes);
		nest_release(nest->memory, shapes);
	}
	aggregate->shapes[aggregate->nshapes] = *shape;
	return aggregate->nshapes++;
}

static bool
distinct_labels(const EquationTerm *term)
{
	for (int d = 1; d < term->rank; d++)
		if (memchr(term->labels, term->labels[d], (size_t) d))
			return false;
	return true;
}

/*
 * Does the term have the labels labels[0..rank) in this order, and the view their
 * extents?
 */
static bool
is_whole(const EquationTerm *term, const uint8_t *labels, int rank,
		 const TensorView *view, const int64_t *extents)
{
	if (term->rank != rank || memcmp(term->labels, labels, (size_t) rank) != 0 ||
		!distinct_labels(term))
		return false;
	for (int d = 0; d < rank; d++)
		if (view->bounds[d] != extents[term->labels[d]])
			return false;
	return true;
}

/* Is the equation an outer product of two operands, neither of them broadcast? */
static bool
is_outer(const AggregateState *aggregate, Combination *combination,
		 const int64_t *extents)
{
	const Equation *equation = &aggregate->equation;
	const EquationTerm *out = &equation->output;
	int64_t counts[2];

	for (int i = 0; i < 2; i++)
		counts[i] = view_count(&combination->views[i]);
	if (aggregate->spec->kind != NEST_REDUCE || counts[0] < OUTER_OPERAND ||
		counts[1] < OUTER_OPERAND || counts[0] * counts[1] < OUTER_RESULT ||
		!distinct_labels(out))
		return false;
	for (int first = 0; first < 2; first++)
	{
		const EquationTerm *a = &equation->operands[first];
		const EquationTerm *b = &equation->operands[1 - first];

		if (a->rank + b->rank != out->rank ||
			!is_whole(a, out->labels, a->rank, &combination->views[first], extents) ||
			!is_whole(b, out->labels + a->rank, b->rank, &combination->views[1 - first],
					  extents))
			continue;
		combination->swapped = first == 1;
		return true;
	}
	return false;
}

/* Do all operands but one have the same labels, with no broadcasting? Finds that one. */
static bool
find_alone(const AggregateState *aggregate, Combination *combination,
		   const int64_t *extents)
{
	const EquationTerm *terms = aggregate->equation.operands;

	for (int alone = aggregate->noperands - 1; alone >= 0; alone--)
	{
		const EquationTerm *first = &terms[alone == 0];
		bool alike = true;

		for (int i = 0; i < aggregate->noperands; i++)
			alike =
				alike && (i == alone || is_whole(&terms[i], first->labels, first->rank,
												 &combination->views[i], extents));
		combination->alone = alone;
		if (alike)
			return true;
	}
	return false;
}

/* Prepares the product of one operand or two, as far as their shapes determine it. */
static void
choose_prepared(const Equation *equation, const TensorView *operands, bool real,
				Combination *combination, const int64_t *extents)
{
	const TensorView *views[2] = {&operands[0], &operands[1]};
	const EquationTerm *terms = equation->operands;

	combination->prepares =
		einsum_prepare(equation, views, &combination->out, &combination->prepared);
	if (real && equation->noperands == 1 &&
		is_whole(&terms[0], equation->output.labels, equation->output.rank, views[0],
				 extents))
		combination->kernel = TENSORS_ROWS;
	else if (real && equation->noperands == 2 && equation->output.rank == 0 &&
			 is_whole(&terms[0], terms[1].labels, terms[1].rank, views[0], extents) &&
			 is_whole(&terms[1], terms[0].labels, terms[0].rank, views[1], extents))
		combination->kernel = TENSORS_DOT;
}

/*
 * Chooses which of three or more operands, those with the same labels, are multiplied
 * element by element first, so that two operands are left. False if the operands do not
 * allow it.
 */
static bool
choose_multiplied(NestMemory *memory, const AggregateState *aggregate,
				  Combination *combination, const int64_t *extents)
{
	Equation two = aggregate->equation;
	TensorView views[2];
	int first;

	if (!find_alone(aggregate, combination, extents))
		return false;
	first = combination->alone == 0;
	views[0] = combination->views[first];
	views[1] = combination->views[combination->alone];
	two.noperands = 2;
	two.operands[0] = aggregate->equation.operands[first];
	two.operands[1] = aggregate->equation.operands[combination->alone];
	choose_prepared(&two, views, true, combination, extents);
	if (!combination->prepares && combination->kernel == TENSORS_EINSUM)
		return false;
	combination->count = view_count(&views[0]);
	combination->product = nest_allocate(memory, element_size(aggregate->value_type) *
													 (size_t) (combination->count + 1));
	return true;
}

/* Chooses the kernel of a combination whose views and output are set. */
static void
choose_kernel(NestMemory *memory, const AggregateState *aggregate,
			  Combination *combination, const int64_t *extents)
{
	const Equation *equation = &aggregate->equation;
	bool real = !element_is_complex(aggregate->value_type);

	combination->count = view_count(&combination->views[0]);
	if (aggregate->spec->kernel.equation == NULL)
	{
		combination->kernel = aggregate->spec->kind == NEST_REDUCE && real &&
									  aggregate->spec->reduction == REDUCTION_SUM
								  ? TENSORS_ROWS
								  : TENSORS_FOLD;
		return;
	}
	if (aggregate->program)
	{
		combination->kernel = TENSORS_MAP;
		return;
	}
	combination->kernel = TENSORS_EINSUM;
	if (aggregate->noperands <= 2)
		choose_prepared(equation, combination->views, real, combination, extents);
	else if (!real || !choose_multiplied(memory, aggregate, combination, extents))
	{
		const TensorView *views[EQUATION_MAX_OPERANDS];

		for (int i = 0; i < aggregate->noperands; i++)
			views[i] = &combination->views[i];
		combination->has_path = true;
		einsum_choose_order(equation, views, aggregate->value_type, &combination->path);
	}
	if (real && aggregate->noperands == 2 && combination->kernel == TENSORS_EINSUM &&
		is_outer(aggregate, combination, extents))
		combination->kernel = TENSORS_OUTER;
}

/* Returns the type of the elements that the kernel adds to. */
static ElementType
kernel_out_type(const AggregateState *aggregate)
{
	return aggregate->spec->kind == NEST_REDUCE ? aggregate->sum_type
												: aggregate->value_type;
}

/*
 * Sets the extents of all labels and the shape of the output. False if the shapes do not
 * match.
 */
static bool
fit_shapes(const AggregateState *aggregate, Combination *combination, int64_t *extents)
{
	const Equation *equation = &aggregate->equation;
	const TensorView *views[EQUATION_MAX_OPERANDS];
	EquationMismatch mismatch;
	int64_t bounds[TENSOR_MAX_RANK];

	if (aggregate->spec->kernel.equation == NULL)
	{
		combination->out = combination->views[0];
		combination->out.type = kernel_out_type(aggregate);
		return true;
	}
	for (int i = 0; i < aggregate->noperands; i++)
		views[i] = &combination->views[i];
	if (!equation_extents(equation, views, extents, &mismatch))
		return false;
	for (int i = 0; aggregate->spec->kernel.strict && i < aggregate->noperands; i++)
		for (int d = 0; d < views[i]->rank; d++)
			if (views[i]->bounds[d] != extents[equation->operands[i].labels[d]])
				return false;
	for (int d = 0; d < equation->output.rank; d++)
		bounds[d] = extents[equation->output.labels[d]];
	view_contiguous(&combination->out, kernel_out_type(aggregate), equation->output.rank,
					bounds, NULL);
	return true;
}

/*
 * Makes the shape of a stack of values of a shape; false if the stack's rank or dimension
 * is invalid.
 */
static bool
stack_shape(const AggregateState *aggregate, const TensorView *value, TensorView *shape)
{
	const NestAggregate *spec = aggregate->spec;
	int64_t bounds[TENSOR_MAX_RANK];

	if (spec->dimension < 0 || spec->dimension > value->rank ||
		value->rank == TENSOR_MAX_RANK)
		return false;
	for (int d = 0; d <= value->rank; d++)
		bounds[d] = d == spec->dimension  ? spec->bound
					: d < spec->dimension ? value->bounds[d]
										  : value->bounds[d - 1];
	view_contiguous(shape, aggregate->type, value->rank + 1, bounds, NULL);
	return true;
}

/* Adds the combination of tuple t's shapes; NULL if the shapes do not match. */
static Combination *
new_combination(Nest *nest, AggregateState *aggregate, int t)
{
	NestMemory *memory = nest->memory;
	size_t n = (size_t) aggregate->noperands;
	Combination *combination = nest_allocate_zeroed(memory, sizeof(Combination));
	int64_t extents[EQUATION_MAX_LABELS];
	TensorView shape;

	/* put into the list at once, so that it is freed with the others */
	combination->next = aggregate->combinations;
	aggregate->combinations = combination;
	combination->shapes = nest_allocate_zeroed(memory, sizeof(int) * (n + 1));
	combination->views = nest_allocate_zeroed(memory, sizeof(TensorView) * (n + 1));
	combination->converted = nest_allocate_zeroed(memory, sizeof(void *) * (n + 1));
	for (int i = 0; i < aggregate->noperands; i++)
	{
		const NestArgument *argument = operand_argument(aggregate, i);
		TensorView *view = &combination->views[i];
		ElementType type = argument_type(nest, argument);

		combination->shapes[i] = -1;
		if (argument_is_tensor(nest, argument))
		{
			const NestOperand *operand = &nest->description.operands[argument->operand];

			combination->shapes[i] = tuple_shape(nest, argument, t);
			*view = *coordinates_get_shape(operand->coordinates, argument->column,
										   combination->shapes[i]);
		}
		else
			view_contiguous(view, type, 0, NULL, NULL);
		if (!aggregate->converts || type == aggregate->value_type)
			continue;
		view->type = aggregate->value_type;
		combination->converted[i] = nest_allocate(
			memory, element_size(view->type) * (size_t) (view_count(view) + 1));
	}
	if (!fit_shapes(aggregate, combination, extents))
		return NULL;
	choose_kernel(memory, aggregate, combination, extents);
	shape = combination->out;
	shape.type = aggregate->type;
	if (aggregate->spec->kind == NEST_STACK &&
		!stack_shape(aggregate, &combination->out, &shape))
		return NULL;
	if (aggregate->tensors)
		combination->result = result_shape(nest, aggregate, &shape);
	return combination;
}

static void
free_combination(NestMemory *memory, Combination *combination, int noperands)
{
	for (int i = 0; combination->converted && i < noperands; i++)
		nest_release(memory, combination->converted[i]);
	nest_release(memory, combination->shapes);
	nest_release(memory, combination->views);
	nest_release(memory, combination->converted);
	nest_release(memory, combination->product);
	nest_release(memory, combination);
}

/*
 * Returns the combination of tuple t, and moves it to the front of the list; NULL if the
 * shapes do not match.
 */
static Combination *
find_combination(Nest *nest, AggregateState *aggregate, int t)
{
	Combination **link = &aggregate->combinations;
	Combination *combination;

	for (; (combination = *link) != NULL; link = &combination->next)
	{
		bool same = true;

		for (int i = 0; same && i < aggregate->noperands; i++)
			same = combination->shapes[i] < 0 ||
				   combination->shapes[i] ==
					   tuple_shape(nest, operand_argument(aggregate, i), t);
		if (!same)
			continue;
		*link = combination->next;
		combination->next = aggregate->combinations;
		aggregate->combinations = combination;
		return combination;
	}
	combination = new_combination(nest, aggregate, t);
	if (combination == NULL)
	{
		Combination *useless = aggregate->combinations;

		aggregate->combinations = useless->next;
		free_combination(nest->memory, useless, aggregate->noperands);
	}
	return combination;
}

/* ---- running ---- */

/* The buffer's tuples, as the kernel of one aggregate sees them. */
typedef struct TensorStrip
{
	Nest *nest;
	AggregateState *aggregate;
	int number;
	const void **pointers[EQUATION_MAX_OPERANDS]; /* of each operand, by tuple */
	double *scales;                               /* by tuple */
	char *values; /* results of rank 0, by tuple; NULL: the groups have tensors */
} TensorStrip;

/* Computes the number by which each tuple's product is multiplied. */
static void
find_scales(TensorStrip *strip)
{
	Nest *nest = strip->nest;
	const AggregateState *aggregate = strip->aggregate;
	int n = nest->buffer->count;

	strip->scales = work_block(nest, 1);
	if (aggregate->factor)
	{
		(void) map_numbers(nest, aggregate, aggregate->factor,
						   &aggregate->factor_equation, aggregate->nfactors,
						   aggregate->factors, 1);
		return;
	}
	for (int t = 0; t < n; t++)
		strip->scales[t] = 1;
	for (int i = 0; i < aggregate->nfactors; i++)
	{
		const NestArgument *argument =
			&aggregate->spec->kernel.arguments[aggregate->factors[i]];
		ElementType type = argument_type(nest, argument);
		const double *numbers = work_block(nest, 2);

		argument_numbers(nest, argument, work_block(nest, 2));
		if (type != ELEMENT_FLOAT8)
		{
			convert_numbers(n, type, numbers, ELEMENT_FLOAT8, work_block(nest, 3));
			numbers = work_block(nest, 3);
		}
		for (int t = 0; t < n; t++)
			strip->scales[t] *= numbers[t];
	}
}

/* Sets pointers to the elements of each tuple's operands, and computes the scales. */
static void
find_operands(TensorStrip *strip)
{
	Nest *nest = strip->nest;
	AggregateState *aggregate = strip->aggregate;
	int n = nest->buffer->count;

	/* first, because it uses work blocks that are overwritten below */
	find_scales(strip);
	for (int i = 0; i < aggregate->noperands; i++)
	{
		const NestArgument *argument = operand_argument(aggregate, i);
		const void **pointers = work_block(nest, 4 + 2 * i);

		strip->pointers[i] = pointers;
		if (argument_is_tensor(nest, argument))
			argument_numbers(nest, argument, pointers);
		else
		{
			char *numbers = work_block(nest, 5 + 2 * i);
			size_t size = element_size(argument_type(nest, argument));

			argument_numbers(nest, argument, numbers);
			for (int t = 0; t < n; t++)
				pointers[t] = numbers + (size_t) t * size;
		}
	}
}

/* Returns the elements of operand i of tuple t, converted to the kernel's type. */
static const void *
operand_elements(const TensorStrip *strip, const Combination *combination, int i, int t)
{
	const void *elements;
	TensorView from;
	TensorView to;

	ASSUME(strip->pointers[i] != NULL);
	elements = strip->pointers[i][t];
	if (combination->converted[i] == NULL)
		return elements;
	to = combination->views[i];
	to.data = combination->converted[i];
	from = to;
	from.type = argument_type(strip->nest, operand_argument(strip->aggregate, i));
	from.data = (void *) elements;
	view_copy(&from, &to);
	return to.data;
}

/*
 * Reduces the operands to two: the product of those with the same labels, and the other
 * one.
 */
static void
multiply_first(const TensorStrip *strip, const Combination *combination,
			   const void **elements)
{
	const AggregateState *aggregate = strip->aggregate;
	int first = combination->alone == 0;
	const void *product = elements[first];

	for (int i = first + 1; i < aggregate->noperands; i++)
	{
		if (i == combination->alone)
			continue;
		vector_multiply(aggregate->value_type, combination->count, product, elements[i],
						combination->product);
		product = combination->product;
	}
	elements[1] = elements[combination->alone];
	elements[0] = product;
}

/* Runs the kernel for tuple t, and adds its result to out. */
static void
run_one(const TensorStrip *strip, Combination *combination, int t, void *out)
{
	const AggregateState *aggregate = strip->aggregate;
	const TensorView *views[EQUATION_MAX_OPERANDS];
	const void *elements[EQUATION_MAX_OPERANDS];
	int noperands = aggregate->noperands;

	ASSUME(noperands > 1 || (noperands > 0 && !combination->product &&
							 combination->kernel != TENSORS_DOT));
	for (int i = 0; i < noperands; i++)
	{
		elements[i] = operand_elements(strip, combination, i, t);
		combination->views[i].data = (void *) elements[i];
		views[i] = &combination->views[i];
	}
	if (combination->product)
		multiply_first(strip, combination, elements);
	combination->out.data = out;
	switch (combination->kernel)
	{
		case TENSORS_DOT:
		{
			double dot =
				strip->scales[t] * vector_dot(aggregate->value_type, combination->count,
											  elements[0], elements[1]);

			if (combination->out.type == ELEMENT_FLOAT8)
				*(double *) out += dot;
			else
				*(float *) out += (float) dot;
			break;
		}
		case TENSORS_ROWS:
			vector_axpy(aggregate->value_type, combination->out.type, combination->count,
						strip->scales[t], elements[0], out);
			break;
		case TENSORS_OUTER:
		case TENSORS_EINSUM:
			if (combination->prepares)
				einsum_run(&combination->prepared, elements, strip->scales[t], out);
			else if (combination->has_path)
				einsum_accumulate_in_order(&aggregate->equation, views,
										   &combination->path, strip->scales[t],
										   &combination->out);
			else
				einsum_accumulate(&aggregate->equation, views, strip->scales[t],
								  &combination->out);
			break;
		case TENSORS_MAP:
			if (aggregate->typed)
				map_accumulate_typed(aggregate->program, &aggregate->equation, views,
									 aggregate->spec->reduction, &combination->out);
			else
				map_accumulate(aggregate->program, &aggregate->equation, views,
							   aggregate->spec->reduction, &combination->out);
			break;
		case TENSORS_FOLD:
			reduction_accumulate(aggregate->spec->reduction, views[0], &combination->out);
			break;
	}
}

/*
 * Adds the rows of tuples t .. end - 1, which are in one group, times their scales to
 * out.
 */
static void
add_rows(const TensorStrip *strip, const Combination *combination, int t, int end,
		 void *out)
{
	int nnext = strip->nest->buffer->count - end;

	vector_axpy_rows(strip->aggregate->value_type, combination->out.type,
					 combination->count, end - t, strip->scales + t,
					 strip->pointers[0] + t, strip->pointers[0] + end,
					 nnext < NEXT_ROWS ? nnext : NEXT_ROWS, out);
}

/* Returns work space for the rows of operand i of outer products. */
static void *
outer_rows(const TensorStrip *strip, const Combination *combination, int i)
{
	AggregateState *aggregate = strip->aggregate;
	size_t bytes = OUTER_MOST * element_size(combination->out.type) *
				   (size_t) view_count(&combination->views[i]);

	if (aggregate->outer_bytes[i] < bytes)
	{
		nest_release(strip->nest->memory, aggregate->outer[i]);
		aggregate->outer[i] = NULL;
		aggregate->outer_bytes[i] = 0;
		aggregate->outer[i] = nest_allocate(strip->nest->memory, bytes);
		aggregate->outer_bytes[i] = bytes;
	}
	return aggregate->outer[i];
}

/*
 * Adds the outer products of tuples t .. end - 1 to out by one product of matrices,
 * computed in the type of out, as it is a sum over tuples.
 */
static void
add_outer_products(const TensorStrip *strip, Combination *combination, int t, int end,
				   void *out)
{
	ElementType from = strip->aggregate->value_type;
	ElementType type = combination->out.type;
	int first = combination->swapped;
	TensorView rows[2];
	const TensorView *operands[2] = {&rows[first], &rows[1 - first]};
	TensorView sum;
	int64_t bounds[2];

	for (int i = 0; i < 2; i++)
	{
		int64_t count = view_count(&combination->views[i]);
		int64_t shape[2] = {end - t, count};
		size_t bytes = element_size(type) * (size_t) count;
		char *to = outer_rows(strip, combination, i);

		view_contiguous(&rows[i], type, 2, shape, to);
		for (int row = t; row < end; row++, to += bytes)
		{
			const void *elements = operand_elements(strip, combination, i, row);

			memset(to, 0, bytes);
			vector_axpy(from, type, count, i == 0 ? strip->scales[row] : 1, elements, to);
		}
		bounds[i == first ? 0 : 1] = count;
	}
	view_contiguous(&sum, type, 2, bounds, out);
	einsum_accumulate(&update_equation, operands, 1, &sum);
}

/*
 * Finds the elements of the result of tuple t's group; allocates it if it is
 * missing.
 */
static NestStatus
group_result(const TensorStrip *strip, const Combination *combination, int t,
			 void **elements)
{
	Nest *nest = strip->nest;
	AggregateState *aggregate = strip->aggregate;
	int32_t slot = nest->buffer->slots[t];
	void **result = &((void **) nest->groups.results[strip->number])[slot];
	int32_t *shape = &nest->groups.shapes[strip->number][slot];

	if (*result == NULL)
	{
		int64_t bits = aggregate->spec->kind == NEST_STACK ? aggregate->spec->bound : 0;
		TensorView sum = aggregate->shapes[combination->result];

		sum.type = aggregate->sum_type;
		*result = result_allocate(nest, aggregate->spec, &sum, bits);
		if (*result == NULL)
			return NEST_NO_MEMORY;
		*shape = combination->result;
	}
	else if (*shape != combination->result)
	{
		nest->mismatch_state = aggregate->shapes[*shape];
		nest->mismatch.state = &nest->mismatch_state;
		return NEST_MISMATCH;
	}
	*elements = *result;
	return NEST_DONE;
}

/* Puts the value of tuple t at its position in the stack of its group. */
static NestStatus
stack_tensor(const TensorStrip *strip, Combination *combination, int t, char *stack)
{
	AggregateState *aggregate = strip->aggregate;
	const NestAggregate *spec = aggregate->spec;
	const TensorView *whole = &aggregate->shapes[combination->result];
	int64_t position = stack_position(strip->nest, spec, t);
	uint8_t *filled =
		(uint8_t *) stack + element_size(whole->type) * (size_t) view_count(whole);
	TensorView value = combination->out;
	TensorView slice = value;

	if (position < 0 || filled[position / 8] & 1 << position % 8)
		return NEST_REPEATED;
	filled[position / 8] |= (uint8_t) (1 << position % 8);
	if (spec->kernel.equation == NULL)
	{
		ASSUME(strip->pointers[0] != NULL);
		value = combination->views[0];
		value.data = (void *) strip->pointers[0][t];
	}
	else
	{
		size_t bytes = element_size(value.type) * (size_t) (view_count(&value) + 1);

		if (aggregate->temporary_bytes < bytes)
		{
			nest_release(strip->nest->memory, aggregate->temporary);
			aggregate->temporary = NULL;
			aggregate->temporary_bytes = 0;
			aggregate->temporary = nest_allocate(strip->nest->memory, bytes);
			aggregate->temporary_bytes = bytes;
		}
		fill_identity(spec->reduction, value.type, view_count(&value),
					  aggregate->temporary);
		run_one(strip, combination, t, aggregate->temporary);
		value.data = aggregate->temporary;
	}
	slice.type = whole->type;
	for (int d = 0; d < slice.rank; d++)
		slice.strides[d] = whole->strides[d < spec->dimension ? d : d + 1];
	slice.data = stack + position * whole->strides[spec->dimension] *
							 (int64_t) element_size(whole->type);
	view_copy(&value, &slice);
	return NEST_DONE;
}

/*
 * Records the arguments of tuple t, which do not fit each other, for the error message.
 */
static NestStatus
report_mismatch(const TensorStrip *strip, int t)
{
	Nest *nest = strip->nest;
	const NestKernel *kernel = &strip->aggregate->spec->kernel;

	nest->mismatch.narguments = kernel->narguments;
	for (int i = 0; i < kernel->narguments; i++)
	{
		const NestArgument *argument = &kernel->arguments[i];
		TensorView *view = &nest->mismatch.arguments[i];

		view_contiguous(view, argument_type(nest, argument), 0, NULL, NULL);
		if (argument_is_tensor(nest, argument))
			*view = *coordinates_get_shape(
				nest->description.operands[argument->operand].coordinates,
				argument->column, tuple_shape(nest, argument, t));
	}
	for (int i = 0; i < strip->aggregate->noperands; i++)
	{
		ASSUME(strip->pointers[i] != NULL);
		nest->mismatch.arguments[strip->aggregate->operands[i]].data =
			(void *) strip->pointers[i][t];
	}
	return NEST_MISMATCH;
}

/* Do all tuples have the same combination of shapes? */
static bool
one_combination(const Nest *nest, const AggregateState *aggregate)
{
	for (int i = 0; i < aggregate->noperands; i++)
	{
		const NestArgument *argument = operand_argument(aggregate, i);
		const NestOperand *operand;

		if (!argument_is_tensor(nest, argument))
			continue;
		operand = &nest->description.operands[argument->operand];
		if (operand->coordinates->nshapes[argument->column] > 1)
			return false;
	}
	return true;
}

NestStatus
tensors_flush(Nest *nest, int number)
{
	AggregateState *aggregate = &nest->aggregates[number];
	const int32_t *slots = nest->buffer->slots;
	int n = nest->buffer->count;
	bool one = one_combination(nest, aggregate);
	TensorStrip strip = {.nest = nest, .aggregate = aggregate, .number = number};
	ElementType type = kernel_out_type(aggregate);
	size_t size = element_size(type);

	find_operands(&strip);
	if (!aggregate->tensors)
	{
		strip.values = work_block(nest, 0);
		fill_identity(aggregate->spec->reduction, type, n, strip.values);
	}
	for (int t = 0; t < n;)
	{
		Combination *combination = find_combination(nest, aggregate, t);
		NestStatus status = NEST_DONE;
		void *out = strip.values + (size_t) t * size;
		int end = t + 1;

		if (combination == NULL)
			return report_mismatch(&strip, t);
		if (aggregate->tensors)
			status = group_result(&strip, combination, t, &out);
		if (status == NEST_MISMATCH)
			return report_mismatch(&strip, t);
		if (status == NEST_DONE && aggregate->spec->kind == NEST_STACK)
			status = stack_tensor(&strip, combination, t, out);
		if (status != NEST_DONE)
			return status;

		if (aggregate->tensors && aggregate->spec->kind == NEST_REDUCE &&
			((combination->kernel == TENSORS_ROWS && combination->converted[0] == NULL) ||
			 combination->kernel == TENSORS_OUTER))
		{
			int most = combination->kernel == TENSORS_OUTER ? OUTER_MOST : BUFFER;

			while (end < n && end - t < most && slots[end] == slots[t] &&
				   (one || find_combination(nest, aggregate, end) == combination))
				end++;
		}
		if (end - t == 1 ||
			(combination->kernel == TENSORS_OUTER && end - t < OUTER_LEAST))
		{
			for (int i = t; aggregate->spec->kind != NEST_STACK && i < end; i++)
				run_one(&strip, combination, i, out);
		}
		else if (combination->kernel == TENSORS_ROWS)
			add_rows(&strip, combination, t, end, out);
		else
			add_outer_products(&strip, combination, t, end, out);

		count_work(nest, (end - t) * (combination->count / ELEMENTS_PER_ITERATION));
		t = end;
	}
	if (!aggregate->tensors)
		fold_numbers(nest, number, type, strip.values);
	return NEST_DONE;
}

/* Makes the product of n operands as a program, in postfix code. */
static MapProgram *
product_program(NestMemory *memory, int n)
{
	MapProgram *program = nest_allocate_zeroed(memory, sizeof(MapProgram));

	program->steps = nest_allocate_zeroed(memory, sizeof(MapStep) * (size_t) (2 * n));
	for (int i = 0; i < n; i++)
	{
		program->steps[program->nsteps++] =
			(MapStep){.opcode = MAP_PARAMETER, .argument = i};
		if (i > 0)
			program->steps[program->nsteps++] =
				(MapStep){.opcode = MAP_CALL, .argument = FUNCTION_MULTIPLY};
	}
	program->depth = n > 1 ? 2 : 1;
	program->nparameters = n;
	return program;
}

NestStatus
tensors_begin(Nest *nest, int number)
{
	AggregateState *aggregate = &nest->aggregates[number];
	const NestKernel *kernel = &aggregate->spec->kernel;
	bool sum = kernel->program == NULL && aggregate->spec->reduction == REDUCTION_SUM;
	bool factors = sum && !element_is_complex(aggregate->value_type);

	if (kernel->equation == NULL && (kernel->narguments != 1 || kernel->program))
		return NEST_MISMATCH;
	/* as in maps, products of complex numbers can be summed only */
	if (kernel->equation && kernel->program == NULL && !sum &&
		element_is_complex(aggregate->value_type))
		return NEST_MISMATCH;
	if (kernel->equation)
		aggregate->equation = *kernel->equation;
	if (split_number_factor(nest, aggregate))
	{
		buffer_equation(aggregate->nfactors, &aggregate->factor_equation);
		aggregate->equation.noperands = aggregate->noperands;
		return NEST_DONE;
	}
	for (int i = 0; i < kernel->narguments; i++)
	{
		if (factors && !argument_is_tensor(nest, &kernel->arguments[i]))
		{
			aggregate->factors[aggregate->nfactors++] = i;
			continue;
		}
		if (kernel->equation)
			aggregate->equation.operands[aggregate->noperands] =
				kernel->equation->operands[i];
		aggregate->operands[aggregate->noperands++] = i;
	}
	aggregate->equation.noperands = aggregate->noperands;
	aggregate->converts = kernel->program == NULL;
	aggregate->program = kernel->program;
	if (kernel->program == NULL)
		aggregate->typed = false;
	if (kernel->program == NULL && kernel->equation && !sum)
		aggregate->program = product_program(nest->memory, kernel->narguments);
	return NEST_DONE;
}

void
tensors_free(Nest *nest, int number)
{
	AggregateState *aggregate = &nest->aggregates[number];

	while (aggregate->combinations)
	{
		Combination *next = aggregate->combinations->next;

		free_combination(nest->memory, aggregate->combinations, aggregate->noperands);
		aggregate->combinations = next;
	}
	if (aggregate->program && aggregate->program != aggregate->spec->kernel.program)
	{
		nest_release(nest->memory, aggregate->program->steps);
		nest_release(nest->memory, (void *) aggregate->program);
	}
	nest_release(nest->memory, aggregate->factor);
	nest_release(nest->memory, aggregate->temporary);
	for (int i = 0; i < 2; i++)
		nest_release(nest->memory, aggregate->outer[i]);
}
