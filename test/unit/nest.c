/*-------------------------------------------------------------------------
 *
 * nest.c
 *	  Loop nests against their definition: all combinations of rows that agree
 *	  on the labels, each folded by the reference kernels. Random operands (with
 *	  repeated keys, gaps, diagonals, left joins, ranges and runs), kernels, aggregates
 *	  and loop orders; exactly, on small integers. Products of blocked matrices,
 *	  whose last blocks are shorter; the chosen loop order against all others.
 *
 *-------------------------------------------------------------------------
 */
#include "harness.h"
#include "kernels/nest/coordinates.h"
#include "kernels/nest/loop_order.h"
#include "kernels/nest/nest.h"

#define MAX_LABELS 5
#define MAX_OPERANDS 5
#define MAX_ROWS 2500
/* Cases with more joined tuples are left out. */
#define MAX_TUPLES 6000
#define MAX_COLUMNS 2
#define MAX_AGGREGATES 3
#define HEADER 24
#define HEADER_BYTE 0x5a

/* ---- an allocator that counts ---- */

static int64_t blocks;

static void *
count_allocate(void *context, size_t bytes)
{
	blocks++;
	return malloc(bytes > 0 ? bytes : 1);
}

static void
count_release(void *context, void *block)
{
	blocks--;
	free(block);
}

/* Results that last are freed all together. */
typedef struct LastingBlock
{
	struct LastingBlock *next;
	int64_t unused;
} LastingBlock;

static void *
lasting_allocate(void *context, size_t bytes)
{
	LastingBlock **list = context;
	LastingBlock *block = malloc(sizeof(LastingBlock) + bytes);

	block->next = *list;
	*list = block;
	return block + 1;
}

static void
lasting_release(void *context, void *block)
{
	check(false, "a lasting result is released");
}

/* ---- a random nest ---- */

typedef struct TestOperand
{
	int nkeys;
	int ncolumns;
	int64_t nrows;
	int64_t (*keys)[MAX_LABELS];
	/* by row and column: a number, or the elements of a tensor, in complex16 */
	Number *values[MAX_COLUMNS];
	TensorView shape[MAX_COLUMNS]; /* of rank 0 for numbers */
	NestValueType types[MAX_COLUMNS];
	void *elements[MAX_COLUMNS]; /* of all rows, in the column's type */
	bool tensors[MAX_COLUMNS];
	int limit[MAX_COLUMNS]; /* of absolute values */
	/*
	 * the key column in which rows of the nest are runs of these rows, and by row the last
	 * row of its run; NULL: they are single rows
	 */
	int run;
	int64_t *run_ends;
} TestOperand;

static TestOperand operands[MAX_OPERANDS];
static NestDescription description;
static Equation equations[MAX_AGGREGATES];
static MapStep steps[MAX_AGGREGATES][64];
static MapProgram programs[MAX_AGGREGATES];
static int64_t label_extent[MAX_LABELS];
static int64_t label_base[MAX_LABELS];
static int64_t label_gap[MAX_LABELS];
static bool large;

static Number
get_number(ElementType type, const void *data, int64_t i)
{
	TensorView view = {.type = type, .rank = 1, .bounds = {i + 1}, .strides = {1}};

	view.data = (void *) data;
	return reference_get(&view, &i);
}

static void
set_number(ElementType type, void *data, int64_t i, Number value)
{
	TensorView view = {.type = type, .rank = 1, .bounds = {i + 1}, .strides = {1}};

	view.data = data;
	reference_set(&view, &i, value);
}

/* Makes a column of rows + 1 values, the last of which is the fill. */
static void
make_column(TestOperand *operand, int column, ElementType type, int rank,
			const int64_t *bounds, int limit)
{
	int64_t count;

	view_contiguous(&operand->shape[column], type, rank, bounds, NULL);
	count = view_count(&operand->shape[column]);
	operand->types[column] =
		(NestValueType){.tensors = operand->tensors[column], .type = type};
	operand->elements[column] =
		malloc(element_size(type) * (size_t) (count * (operand->nrows + 1) + 1));
	for (int64_t i = 0; i < count * (operand->nrows + 1); i++)
	{
		Number value = random_integer(limit);

		/* those to be multiplied by thousands are 0 or of length 1 */
		if (element_is_complex(type) && limit == 1)
			value *= random_below(2) == 0 ? 1 : I;
		else if (element_is_complex(type))
			value += random_integer(limit) * I;
		set_number(type, operand->elements[column], i, value);
	}
	/* all rows of a run have one value */
	for (int64_t row = 1; operand->run_ends && row < operand->nrows; row++)
	{
		size_t bytes = element_size(type) * (size_t) count;
		char *elements = operand->elements[column];

		if (operand->run_ends[row] == operand->run_ends[row - 1])
			memcpy(elements + bytes * (size_t) row, elements + bytes * (size_t) (row - 1),
				   bytes);
	}
}

/* The value of a row; row nrows is the fill. */
static NestValue
row_value(const TestOperand *operand, int column, int64_t row)
{
	const TensorView *shape = &operand->shape[column];
	size_t size = element_size(shape->type);
	const char *elements = (const char *) operand->elements[column] +
						   size * (size_t) (view_count(shape) * row);
	NestValue value = {0};

	if (operand->tensors[column])
		value.tensor.elements = elements;
	else
		memcpy(&value, elements, size);
	return value;
}

static bool
operand_has(const NestOperand *operand, int nkeys, int label)
{
	for (int k = 0; k < nkeys; k++)
		if (operand->labels[k] == label)
			return true;
	return false;
}

/* Of the operand that is streamed: the column that ascends, or -1; the next row. */
static int ascending;
static int64_t stream_row;
static int64_t ordered_streams;
/* The operand that is streamed in columns that are not copied, or -1. */
static int lent = -1;

/* The key columns by which compare_keys compares, the first of them first. */
static int sort_keys[MAX_LABELS];
static int sort_nkeys;

static int
compare_keys(const void *a, const void *b)
{
	const int64_t *left = a;
	const int64_t *right = b;

	for (int k = 0; k < sort_nkeys; k++)
		if (left[sort_keys[k]] != right[sort_keys[k]])
			return left[sort_keys[k]] < right[sort_keys[k]] ? -1 : 1;
	return 0;
}

/* Sorts the rows by their keys in any order of the columns, or by some of them. */
static void
sort_operand(TestOperand *operand)
{
	for (int k = 0; k < operand->nkeys; k++)
	{
		int place = (int) random_below(k + 1);

		sort_keys[k] = sort_keys[place];
		sort_keys[place] = k;
	}
	sort_nkeys = operand->nkeys > 0 && random_below(6) == 0 ? 1 : operand->nkeys;
	qsort(operand->keys, (size_t) operand->nrows, sizeof(*operand->keys), compare_keys);
}

/*
 * Makes each row the first of a run in some key column, with rows for further indices
 * unless, mostly, they are there already.
 */
static void
make_runs(TestOperand *operand, bool overlap)
{
	int64_t(*firsts)[MAX_LABELS] = operand->keys;
	int64_t nfirsts = operand->nrows;

	operand->keys = malloc(sizeof(*operand->keys) * (size_t) (4 * nfirsts + 1));
	operand->run_ends = malloc(sizeof(int64_t) * (size_t) (4 * nfirsts + 1));
	operand->run = (int) random_below(operand->nkeys);
	operand->nrows = 0;
	for (int64_t i = 0; i < nfirsts; i++)
	{
		int64_t length = 1 + random_below(4);
		int64_t begin = operand->nrows;

		for (int64_t step = 0; step < length; step++)
		{
			int64_t *keys = operand->keys[operand->nrows];
			bool again = false;

			memcpy(keys, firsts[i], sizeof(*operand->keys));
			keys[operand->run] += step;
			for (int64_t row = 0; !overlap && row < begin; row++)
				again |= memcmp(operand->keys[row], keys,
								sizeof(int64_t) * (size_t) operand->nkeys) == 0;
			if (again)
				break;
			operand->nrows++;
		}
		for (int64_t row = begin; row < operand->nrows; row++)
			operand->run_ends[row] = operand->nrows - 1;
	}
	free(firsts);
}

static void
random_operand(int o, bool range)
{
	NestOperand *spec = &description.operands[o];
	TestOperand *operand = &operands[o];
	bool repeats = random_below(3) == 0;
	int64_t most = large ? MAX_ROWS : 1 + random_below(14);

	memset(spec, 0, sizeof(*spec));
	memset(operand, 0, sizeof(*operand));
	operand->nkeys = range ? 1 : (int) random_below(large ? 3 : 4);
	if (large && operand->nkeys == 0)
		operand->nkeys = 1;
	for (int k = 0; k < operand->nkeys; k++)
		spec->labels[k] = (uint8_t) random_below(description.nlabels);
	if (range)
	{
		int label = spec->labels[0];

		spec->first = label_base[label] + random_below(2);
		spec->bound = label_base[label] + label_extent[label];
		if (random_below(10) == 0)
			spec->bound = spec->first - random_below(2);
		operand->nrows = spec->bound > spec->first ? spec->bound - spec->first : 0;
		operand->keys = malloc(sizeof(*operand->keys) * (size_t) (operand->nrows + 1));
		for (int64_t row = 0; row < operand->nrows; row++)
			operand->keys[row][0] = spec->first + row;
		return;
	}
	if (random_below(30) == 0)
		most = 0;
	if (operand->nkeys == 0)
		most = random_below(4) > 0 ? 1 : random_below(4);
	operand->keys = malloc(sizeof(*operand->keys) * (size_t) (most + 1));
	for (int64_t i = 0; i < most; i++)
	{
		int64_t *keys = operand->keys[operand->nrows];
		bool again = false;

		for (int k = 0; k < operand->nkeys; k++)
		{
			int label = spec->labels[k];

			keys[k] =
				label_base[label] + random_below(label_extent[label]) * label_gap[label];
			/* rows off the diagonal are left out, and some are there */
			if (k > 0 && random_below(2) == 0)
				for (int before = 0; before < k; before++)
					if (spec->labels[before] == label)
						keys[k] = keys[before];
		}
		for (int64_t row = 0; !repeats && !large && row < operand->nrows; row++)
			again |= memcmp(operand->keys[row], keys,
							sizeof(int64_t) * (size_t) operand->nkeys) == 0;
		operand->nrows += !again;
	}
	if (random_below(2) == 0)
		sort_operand(operand);
	if (operand->nkeys > 0 && operand->nrows > 0 && random_below(3) == 0)
		make_runs(operand, repeats);
}

/* Labels, operands and output. */
static void
random_join(void)
{
	bool required[MAX_LABELS] = {false};

	memset(&description, 0, sizeof(description));
	description.nlabels = 1 + (int) random_below(large ? 3 : MAX_LABELS);
	description.noperands = 1 + (int) random_below(large ? 2 : MAX_OPERANDS - 1);
	for (int l = 0; l < description.nlabels; l++)
	{
		static const int64_t bases[] = {
			0, 0, 0, -5, 1 << 20, INT64_C(1) << 40, INT32_MAX - 2};
		/* with wide gaps levels are no tables: they are spread, hashed or searched */
		static const int64_t gaps[] = {1, 1, 1, 3, 1500, 5000, INT64_C(1) << 33};

		label_extent[l] = 1 + random_below(large ? 1000 : 5);
		label_base[l] = bases[random_below(7)];
		label_gap[l] = gaps[random_below(7)];
	}
	for (int o = 0; o < description.noperands; o++)
	{
		random_operand(o, false);
		for (int k = 0; k < operands[o].nkeys; k++)
			required[description.operands[o].labels[k]] = true;
	}
	/* left-joined operands: their labels are there */
	for (int o = 1; o < description.noperands; o++)
	{
		bool elsewhere = true;

		for (int k = 0; k < operands[o].nkeys; k++)
		{
			bool found = false;

			for (int p = 0; p < description.noperands; p++)
				found |= p != o && !description.operands[p].optional &&
						 operand_has(&description.operands[p], operands[p].nkeys,
									 description.operands[o].labels[k]);
			elsewhere &= found;
		}
		description.operands[o].optional = elsewhere && random_below(2) == 0;
	}
	/* labels without an operand get a range */
	for (int l = 0; l < description.nlabels; l++)
	{
		if (required[l] && (random_below(6) > 0 || description.noperands == MAX_OPERANDS))
			continue;
		if (!required[l])
		{
			label_gap[l] = 1;
			if (description.noperands == MAX_OPERANDS || random_below(2) == 0)
			{
				/* or are none: the last label takes the number */
				int last = --description.nlabels;

				for (int o = 0; o < description.noperands; o++)
					for (int k = 0; k < operands[o].nkeys; k++)
						if (description.operands[o].labels[k] == last)
							description.operands[o].labels[k] = (uint8_t) l;
				label_extent[l] = label_extent[last];
				label_base[l] = label_base[last];
				label_gap[l] = label_gap[last];
				required[l] = required[last];
				l--;
				continue;
			}
		}
		if (label_gap[l] != 1)
			continue;
		{
			int o = description.noperands++;
			int nlabels = description.nlabels;

			description.nlabels = 1;
			random_operand(o, true);
			description.nlabels = nlabels;
			description.operands[o].labels[0] = (uint8_t) l;
			description.operands[o].first = label_base[l] + random_below(2);
			description.operands[o].bound = label_base[l] + label_extent[l];
			operands[o].nrows =
				description.operands[o].bound - description.operands[o].first;
			free(operands[o].keys);
			operands[o].keys =
				malloc(sizeof(*operands[o].keys) * (size_t) (operands[o].nrows + 1));
			for (int64_t row = 0; row < operands[o].nrows; row++)
				operands[o].keys[row][0] = description.operands[o].first + row;
		}
	}
	for (int l = 0; l < description.nlabels; l++)
		if (random_below(2) == 0)
		{
			int place = (int) random_below(description.noutput + 1);

			description.output[description.noutput++] = description.output[place];
			description.output[place] = (uint8_t) l;
		}
	description.each_tuple = random_below(6) == 0;
}

static bool
is_range(int o)
{
	/* what has columns, or might have */
	return description.operands[o].bound != 0 || description.operands[o].first != 0;
}

/* Adds a value column to some operand; false if none has room. */
static bool
random_column(ElementType type, int rank, const int64_t *bounds, bool tensors, int limit,
			  NestArgument *argument)
{
	int o = (int) random_below(description.noperands);
	TestOperand *operand = &operands[o];
	int column = operand->ncolumns;

	if (is_range(o))
		return false;
	if (column == MAX_COLUMNS)
	{
		column = (int) random_below(MAX_COLUMNS);
		if (operand->limit[column] > limit || operand->tensors[column] != tensors ||
			operand->shape[column].rank != rank ||
			memcmp(operand->shape[column].bounds, bounds,
				   sizeof(int64_t) * (size_t) rank) != 0)
			return false;
	}
	else
	{
		operand->ncolumns++;
		operand->tensors[column] = tensors;
		operand->limit[column] = limit;
		make_column(operand, column, type, rank, bounds, limit);
	}
	*argument = (NestArgument){NEST_ARGUMENT_VALUE, o, column};
	return true;
}

static const FunctionId exact_functions[] = {
	FUNCTION_ADD, FUNCTION_SUBTRACT, FUNCTION_MULTIPLY, FUNCTION_NEGATE,
	FUNCTION_LT,  FUNCTION_GREATEST, FUNCTION_IF,       FUNCTION_ABS};

static void
random_program(MapProgram *program, MapStep *to, int noperands)
{
	int depth = 0;
	int length = 1 + (int) random_below(6);

	memset(program, 0, sizeof(*program));
	program->steps = to;
	program->nparameters = noperands;
	while (depth != 1 || program->nsteps < length)
	{
		MapStep *step = &to[program->nsteps];
		FunctionId function = exact_functions[random_below(8)];
		int arity = pointwise_functions[function].arity;

		memset(step, 0, sizeof(*step));
		if (depth == 0 || (program->nsteps < length && random_below(2) == 0))
		{
			step->opcode =
				noperands == 0 || random_below(4) == 0 ? MAP_CONSTANT : MAP_PARAMETER;
			if (step->opcode == MAP_PARAMETER)
				step->argument = (int) random_below(noperands);
			step->constant = random_integer(2);
			depth++;
		}
		else
		{
			if (arity > depth || (program->nsteps >= length && arity == 1))
				continue;
			step->opcode = MAP_CALL;
			step->argument = (int) function;
			depth -= arity - 1;
		}
		program->nsteps++;
		if (depth > program->depth)
			program->depth = depth;
	}
}

/* The product of a program of the operands that are numbers and of those that are tensors, in any order. */
static void
random_product(MapProgram *program, MapStep *to, int noperands, const bool *tensors)
{
	int numbers[EQUATION_MAX_OPERANDS];
	int nnumbers = 0;
	MapStep part[16];
	int length;
	int first = (int) random_below(noperands);

	for (int i = 0; i < noperands; i++)
		if (!tensors[i])
			numbers[nnumbers++] = i;
	random_program(program, part, nnumbers);
	for (int s = 0; s < program->nsteps; s++)
		if (part[s].opcode == MAP_PARAMETER)
			part[s].argument = numbers[part[s].argument];
	length = program->nsteps;
	program->steps = to;
	program->nparameters = noperands;
	program->nsteps = 0;
	for (int i = 0; i <= noperands; i++)
	{
		int operand = i < first ? i : i - 1;

		/* numbers in several places are one factor, too */
		if (i != first && !tensors[operand] && random_below(2) == 0)
			continue;
		if (i == first)
		{
			memcpy(to + program->nsteps, part, (size_t) length * sizeof(MapStep));
			program->nsteps += length;
		}
		else
			to[program->nsteps++] =
				(MapStep){.opcode = MAP_PARAMETER, .argument = operand};
		if (program->nsteps > (i == first ? length : 1))
			to[program->nsteps++] =
				(MapStep){.opcode = MAP_CALL, .argument = FUNCTION_MULTIPLY};
	}
	program->depth += 1;
}

/* An aggregate before this one whose numbers are arguments of others; -1 if not found. */
static int
random_computed(int a)
{
	int first = (int) random_below(a + 1);

	for (int i = 0; i < a; i++)
		if (description.aggregates[(first + i) % a].kind == NEST_COMPUTE)
			return (first + i) % a;
	return -1;
}

static void
random_aggregate(int a, ElementType type)
{
	NestAggregate *spec = &description.aggregates[a];
	NestKernel *kernel = &spec->kernel;
	Equation *equation = &equations[a];
	bool complex_type = element_is_complex(type);
	bool tensors = random_below(2) == 0;
	bool as_it_is = random_below(5) == 0;
	int64_t extents[EQUATION_MAX_LABELS];
	int limit = 2;
	int noperands = (int) random_below(4);
	bool is_tensor[4] = {false};
	bool outer;
	bool scaled;

	memset(spec, 0, sizeof(*spec));
	memset(equation, 0, sizeof(*equation));
	outer = tensors && !as_it_is && random_below(4) == 0;
	spec->header = random_below(2) * HEADER;
	spec->kind = random_below(6) == 0 ? NEST_STACK : NEST_REDUCE;
	if (description.each_tuple && random_below(3) == 0)
		spec->kind = NEST_TAKE;
	if (spec->kind == NEST_REDUCE && random_below(2) == 0)
		spec->reduction = (Reduction) random_below(complex_type ? 2 : REDUCTION_ALL + 1);
	if (complex_type && spec->reduction != REDUCTION_SUM)
		spec->reduction = REDUCTION_PROD;
	if (spec->reduction == REDUCTION_PROD)
		limit = 1;
	if (spec->kind == NEST_TAKE || (tensors && as_it_is))
		noperands = 1;
	if (tensors && noperands == 0)
		noperands = 1;
	outer &= spec->kind != NEST_TAKE;
	scaled =
		tensors && !as_it_is && !outer && type == ELEMENT_FLOAT8 && random_below(4) == 0;
	if (outer)
		noperands = 2;
	if (scaled)
	{
		/* a tensor times what is computed of two numbers */
		spec->kind = NEST_REDUCE;
		spec->reduction = REDUCTION_SUM;
		limit = 2;
		noperands = 3;
		equation_random(equation, 1, 3, 2, large ? 8 : 60, extents);
		equation->noperands = noperands;
	}
	else if (tensors)
		equation_random(equation, noperands, 3, 2, large ? 8 : 60, extents);
	else
		equation->noperands = noperands;
	if (outer)
	{
		/* large enough for a matrix product */
		*equation = (Equation){.noperands = 2,
							   .operands = {{1, {0}}, {1, {1}}},
							   .output = {2, {0, 1}},
							   .nlabels = 2,
							   .letters = {'a', 'b'}};
		if (random_below(2) == 0)
			equation->output = (EquationTerm){2, {1, 0}};
		extents[0] = 16;
		extents[1] = 8 + random_below(16);
	}
	for (int i = 0; i < noperands; i++)
	{
		EquationTerm *term = &equation->operands[i];
		int64_t bounds[TENSOR_MAX_RANK];
		bool tensor = tensors && (term->rank > 0 || as_it_is ||
								  (scaled ? i == 0 : random_below(2) == 0));
		ElementType mine =
			random_below(8) == 0 && !complex_type && !scaled ? ELEMENT_FLOAT4 : type;
		int tries = 0;

		is_tensor[i] = tensor;
		for (int d = 0; d < term->rank; d++)
			bounds[d] = extents[term->labels[d]];
		if (!tensors && random_below(8) == 0 && description.nlabels > 0 &&
			spec->kind != NEST_TAKE && spec->reduction != REDUCTION_PROD)
		{
			int label = (int) random_below(description.nlabels);

			if (label_base[label] >= -5 && label_base[label] <= 0 &&
				label_gap[label] <= 3 && !large)
			{
				kernel->arguments[i] = (NestArgument){NEST_ARGUMENT_INDEX, label, 0};
				continue;
			}
		}
		if (!tensors && random_below(8) == 0 && spec->kind != NEST_TAKE)
		{
			int o = (int) random_below(description.noperands);

			if (!is_range(o))
			{
				kernel->arguments[i] = (NestArgument){NEST_ARGUMENT_FOUND, o, 0};
				continue;
			}
		}
		if (!tensor && random_below(3) == 0 && spec->kind != NEST_TAKE &&
			spec->reduction != REDUCTION_PROD && random_computed(a) >= 0)
		{
			kernel->arguments[i] =
				(NestArgument){NEST_ARGUMENT_COMPUTED, random_computed(a), 0};
			continue;
		}
		while (!random_column(mine, term->rank, bounds, tensor, limit,
							  &kernel->arguments[i]))
			if (++tries > 40)
			{
				/* no room: count the tuples instead */
				memset(spec, 0, sizeof(*spec));
				memset(equation, 0, sizeof(*equation));
				return;
			}
	}
	kernel->narguments = noperands;
	if (tensors && !(as_it_is || spec->kind == NEST_TAKE))
	{
		kernel->equation = equation;
		/* which maps fold real numbers only */
		if (complex_type)
			spec->reduction = REDUCTION_SUM;
	}
	else if (tensors)
	{
		/* the equation of a tensor as it is, for the reference */
		EquationTerm *term = &equation->operands[0];

		equation->nlabels = term->rank;
		for (int d = 0; d < term->rank; d++)
			term->labels[d] = (uint8_t) d;
		equation->output = *term;
	}
	if (!complex_type && spec->reduction != REDUCTION_PROD && spec->kind != NEST_TAKE &&
		(!tensors || kernel->equation) && (scaled || random_below(3) == 0))
	{
		if (kernel->equation && (scaled ? random_below(8) > 0 : random_below(2) == 0))
			random_product(&programs[a], steps[a], noperands, is_tensor);
		else
			random_program(&programs[a], steps[a], noperands);
		kernel->program = &programs[a];
	}
	if (spec->kind == NEST_STACK)
	{
		int64_t stride = 1;
		int rank = kernel->equation || (tensors && as_it_is) ? equation->output.rank : 0;

		spec->fill = random_integer(2);
		spec->fill_type = random_below(2) == 0 ? ELEMENT_FLOAT8 : 0;
		spec->dimension = (int) random_below(rank + 1);
		for (int l = 0; l < description.nlabels; l++)
		{
			bool output = false;

			for (int i = 0; i < description.noutput; i++)
				output |= description.output[i] == l;
			if (output || label_gap[l] != 1 || stride > 100)
				continue;
			spec->multipliers[l] = stride;
			spec->position -= stride * label_base[l];
			stride *= label_extent[l];
		}
		spec->bound = stride - (random_below(20) == 0);
	}
	/* a number of each tuple is an argument of those behind it */
	if (spec->kind == NEST_REDUCE && spec->reduction == REDUCTION_SUM && !complex_type &&
		(!tensors || kernel->equation) && equation->output.rank == 0 &&
		a + 1 < description.naggregates && random_below(2) == 0)
		spec->kind = NEST_COMPUTE;
}

/* ---- the reference ---- */

typedef struct ReferenceGroup
{
	int64_t keys[MAX_LABELS];
	int64_t tuples;
	TensorView results[MAX_AGGREGATES];
	uint8_t *filled[MAX_AGGREGATES];
} ReferenceGroup;

static ReferenceGroup *groups;
static int64_t ngroups;
static int64_t groups_capacity;
static bool repeated;
static int64_t ntuples;
static int64_t values[MAX_LABELS];
static bool bound[MAX_LABELS];
static int64_t rows[MAX_OPERANDS];
static double computed[MAX_AGGREGATES]; /* of the current tuple */

/* An argument of the current tuple as a float8 or complex16 view of its own memory. */
static void
reference_argument(const NestArgument *argument, bool real, TensorView *view)
{
	const TestOperand *operand = &operands[argument->operand];
	ElementType type = real ? ELEMENT_FLOAT8 : ELEMENT_COMPLEX16;
	int64_t count;
	int64_t row;

	if (argument->kind != NEST_ARGUMENT_VALUE)
	{
		view_contiguous(view, type, 0, NULL, malloc(sizeof(Number)));
		if (argument->kind == NEST_ARGUMENT_INDEX)
			set_number(type, view->data, 0, (double) values[argument->operand]);
		else if (argument->kind == NEST_ARGUMENT_COMPUTED)
			set_number(type, view->data, 0, computed[argument->operand]);
		else
			set_number(type, view->data, 0, rows[argument->operand] >= 0);
		return;
	}
	row = rows[argument->operand] >= 0 ? rows[argument->operand] : operand->nrows;
	*view = operand->shape[argument->column];
	count = view_count(view);
	view->type = type;
	view->data = malloc(sizeof(Number) * (size_t) (count + 1));
	for (int64_t i = 0; i < count; i++)
		set_number(type, view->data, i,
				   get_number(operand->shape[argument->column].type,
							  operand->elements[argument->column], count * row + i));
}

static const MapProgram *
reference_product(int n)
{
	static MapStep product_steps[2 * EQUATION_MAX_OPERANDS];
	static MapProgram product;

	product = (MapProgram){.steps = product_steps, .depth = 2, .nparameters = n};
	if (n == 0)
		product_steps[product.nsteps++] =
			(MapStep){.opcode = MAP_CONSTANT, .constant = 1};
	for (int i = 0; i < n; i++)
	{
		product_steps[product.nsteps++] =
			(MapStep){.opcode = MAP_PARAMETER, .argument = i};
		if (i > 0)
			product_steps[product.nsteps++] =
				(MapStep){.opcode = MAP_CALL, .argument = FUNCTION_MULTIPLY};
	}
	return &product;
}

/* Products of complex numbers are folded here: the reference folds real ones. */
static void
multiply_into(TensorView *out, const TensorView *value)
{
	for (int64_t i = 0; i < view_count(out); i++)
		((Number *) out->data)[i] *= ((Number *) value->data)[i];
}

/* Is the type that an aggregate's kernel computes in complex? */
static bool
is_complex_kernel(const NestAggregate *spec)
{
	for (int i = 0; i < spec->kernel.narguments; i++)
	{
		const NestArgument *argument = &spec->kernel.arguments[i];

		if (argument->kind == NEST_ARGUMENT_VALUE &&
			element_is_complex(operands[argument->operand].shape[argument->column].type))
			return true;
	}
	return false;
}

/* Folds the kernel of the current tuple into out. */
static void
reference_kernel(int a, const Equation *equation, TensorView *views, TensorView *out)
{
	const NestAggregate *spec = &description.aggregates[a];
	const TensorView *pointers[MAX_OPERANDS];
	bool real = !is_complex_kernel(spec);
	int n = spec->kernel.narguments;

	for (int i = 0; i < n; i++)
		pointers[i] = &views[i];
	if (real)
		reference_map(spec->kernel.program ? spec->kernel.program : reference_product(n),
					  equation, pointers, spec->reduction, out);
	else if (spec->reduction == REDUCTION_SUM)
		reference_einsum(equation, pointers, 1, out);
	else
	{
		/* a product of all: of labels that are folded there is one index */
		TensorView value = *out;

		value.data = calloc((size_t) view_count(out) + 1, sizeof(Number));
		reference_einsum(equation, pointers, 1, &value);
		multiply_into(out, &value);
		free(value.data);
	}
}

static TensorView
new_result(bool real, int rank, const int64_t *bounds, double initial)
{
	TensorView view;

	view_contiguous(&view, real ? ELEMENT_FLOAT8 : ELEMENT_COMPLEX16, rank, bounds, NULL);
	view.data = malloc(sizeof(Number) * (size_t) (view_count(&view) + 1));
	for (int64_t i = 0; i < view_count(&view); i++)
		set_number(view.type, view.data, i, initial);
	return view;
}

static void
fold_tuple(ReferenceGroup *group, int a, bool first)
{
	const NestAggregate *spec = &description.aggregates[a];
	bool real = !is_complex_kernel(spec);
	const Equation *equation = &equations[a];
	const TensorView *pointers[MAX_OPERANDS];
	TensorView views[MAX_OPERANDS];
	EquationMismatch mismatch;
	int64_t extents[EQUATION_MAX_LABELS] = {0};
	int64_t bounds[TENSOR_MAX_RANK];

	for (int i = 0; i < spec->kernel.narguments; i++)
	{
		reference_argument(&spec->kernel.arguments[i], real, &views[i]);
		pointers[i] = &views[i];
	}
	equation_extents(equation, pointers, extents, &mismatch);
	for (int d = 0; d < equation->output.rank; d++)
		bounds[d] = extents[equation->output.labels[d]];
	if (spec->kind == NEST_STACK)
	{
		int64_t position = spec->position;
		int rank = equation->output.rank;
		TensorView value =
			new_result(real, rank, bounds, reduction_identity(spec->reduction));
		int64_t index[TENSOR_MAX_RANK + 1] = {0};
		int64_t stacked[TENSOR_MAX_RANK + 1];

		for (int d = 0; d <= rank; d++)
			stacked[d] = d == spec->dimension  ? spec->bound
						 : d < spec->dimension ? bounds[d]
											   : bounds[d - 1];
		if (first)
		{
			group->results[a] = new_result(real, rank + 1, stacked, creal(spec->fill));
			group->filled[a] = calloc((size_t) spec->bound + 1, 1);
		}
		for (int l = 0; l < description.nlabels; l++)
			position += spec->multipliers[l] * values[l];
		if (position < 0 || position >= spec->bound || group->filled[a][position])
			repeated = true;
		else
		{
			group->filled[a][position] = 1;
			reference_kernel(a, equation, views, &value);
			for (int64_t i = 0; i < view_count(&value); i++)
			{
				int64_t to[TENSOR_MAX_RANK + 1];

				for (int d = 0; d <= rank; d++)
					to[d] = d == spec->dimension  ? position
							: d < spec->dimension ? index[d]
												  : index[d - 1];
				reference_set(&group->results[a], to, reference_get(&value, index));
				for (int d = rank - 1; d >= 0 && ++index[d] == bounds[d]; d--)
					index[d] = 0;
			}
		}
		free(value.data);
	}
	else if (spec->kind == NEST_COMPUTE)
	{
		TensorView value = new_result(real, 0, NULL, reduction_identity(spec->reduction));

		reference_kernel(a, equation, views, &value);
		computed[a] = creal(get_number(value.type, value.data, 0));
		free(value.data);
	}
	else
	{
		if (first)
			group->results[a] = new_result(real, equation->output.rank, bounds,
										   reduction_identity(spec->reduction));
		reference_kernel(a, equation, views, &group->results[a]);
	}
	for (int i = 0; i < spec->kernel.narguments; i++)
		free(views[i].data);
}

static void
reference_tuple(void)
{
	ReferenceGroup *group = NULL;
	int64_t keys[MAX_LABELS] = {0};
	bool first = false;

	for (int i = 0; i < description.noutput; i++)
		keys[i] = values[description.output[i]];
	for (int64_t g = ngroups - 1; !description.each_tuple && g >= 0 && group == NULL; g--)
		if (memcmp(groups[g].keys, keys, sizeof(keys)) == 0)
			group = &groups[g];
	if (group == NULL)
	{
		if (ngroups == groups_capacity)
		{
			groups_capacity = 2 * groups_capacity + 16;
			groups = realloc(groups, sizeof(ReferenceGroup) * (size_t) groups_capacity);
		}
		group = &groups[ngroups++];
		memset(group, 0, sizeof(*group));
		memcpy(group->keys, keys, sizeof(keys));
		first = true;
	}
	group->tuples++;
	for (int a = 0; a < description.naggregates; a++)
		fold_tuple(group, a, first);
}

static bool
row_matches(int o, int64_t row)
{
	const NestOperand *spec = &description.operands[o];

	for (int k = 0; k < operands[o].nkeys; k++)
		if (bound[spec->labels[k]] && values[spec->labels[k]] != operands[o].keys[row][k])
			return false;
	/* the diagonal, of labels that are not bound yet */
	for (int k = 0; k < operands[o].nkeys; k++)
		for (int j = 0; j < k; j++)
			if (spec->labels[j] == spec->labels[k] &&
				operands[o].keys[row][j] != operands[o].keys[row][k])
				return false;
	return true;
}

/* All ways to join the operands from this one on: those that are optional come last. */
static void
reference_join(int step)
{
	int n = description.noperands;
	int o = step % n;
	const NestOperand *spec = &description.operands[o];
	bool found = false;
	bool was_bound[MAX_LABELS];

	if (ntuples > MAX_TUPLES)
		return;
	if (step == 2 * n)
	{
		if (++ntuples <= MAX_TUPLES)
			reference_tuple();
		return;
	}
	if (spec->optional != (step >= n))
	{
		reference_join(step + 1);
		return;
	}
	memcpy(was_bound, bound, sizeof(bound));
	for (int64_t row = 0; row < operands[o].nrows && ntuples <= MAX_TUPLES; row++)
	{
		if (!row_matches(o, row))
			continue;
		found = true;
		rows[o] = row;
		for (int k = 0; k < operands[o].nkeys; k++)
		{
			bound[spec->labels[k]] = true;
			values[spec->labels[k]] = operands[o].keys[row][k];
		}
		reference_join(step + 1);
		memcpy(bound, was_bound, sizeof(bound));
	}
	if (spec->optional && !found)
	{
		rows[o] = -1;
		reference_join(step + 1);
	}
}

/* ---- comparing: a group as a list of numbers ---- */

typedef struct Flat
{
	double *numbers;
	size_t count;
} Flat;

static void
flat_add(Flat *flat, double number)
{
	if ((flat->count & (flat->count + 1)) == 0)
		flat->numbers = realloc(flat->numbers, sizeof(double) * (2 * flat->count + 2));
	flat->numbers[flat->count++] = number == 0 ? 0 : number;
}

static void
flat_add_view(Flat *flat, const TensorView *view)
{
	flat_add(flat, view->rank);
	for (int d = 0; d < view->rank; d++)
		flat_add(flat, (double) view->bounds[d]);
	for (int64_t i = 0; i < view_count(view); i++)
	{
		Number number = get_number(view->type, view->data, i);

		flat_add(flat, creal(number));
		flat_add(flat, cimag(number));
	}
}

static int
flat_compare(const void *a, const void *b)
{
	const Flat *x = a;
	const Flat *y = b;

	for (size_t i = 0; i < x->count && i < y->count; i++)
		if (x->numbers[i] != y->numbers[i])
			return x->numbers[i] < y->numbers[i] ? -1 : 1;
	return x->count < y->count ? -1 : x->count > y->count;
}

static void
flat_free(Flat *flats, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		free(flats[i].numbers);
	free(flats);
}

/* ---- running the nest ---- */

/* Rows that are appended side by side, some of them over the end of a chunk. */
#define ROWS_AT_ONCE 200

/* Appends some rows by columns, if their values are float8; returns how many, or -1 less those that there was room for. */
static int64_t
append_columns(int o, int64_t row)
{
	const TestOperand *operand = &operands[o];
	int64_t keys[MAX_LABELS][ROWS_AT_ONCE];
	double numbers[MAX_COLUMNS][ROWS_AT_ONCE];
	const int64_t *key_columns[MAX_LABELS];
	const double *number_columns[MAX_COLUMNS];
	int64_t n = 1 + row * 7 % ROWS_AT_ONCE;
	int64_t appended;

	for (int c = 0; c < operand->ncolumns; c++)
		if (operand->tensors[c] || operand->types[c].type != ELEMENT_FLOAT8)
			return 0;
	if (operand->run_ends)
		return 0;
	if (n > operand->nrows - row)
		n = operand->nrows - row;
	for (int64_t i = 0; i < n; i++)
	{
		for (int k = 0; k < operand->nkeys; k++)
			keys[k][i] = operand->keys[row + i][k];
		for (int c = 0; c < operand->ncolumns; c++)
			numbers[c][i] = row_value(operand, c, row + i).float8;
	}
	for (int k = 0; k < operand->nkeys; k++)
		key_columns[k] = keys[k];
	for (int c = 0; c < operand->ncolumns; c++)
		number_columns[c] = numbers[c];
	appended = coordinates_append_columns(description.operands[o].coordinates, n,
										  key_columns, number_columns);
	return appended < n ? -1 - appended : n;
}

/* Lends rows from one on, 700 at the most, in columns; returns the next one. */
static int64_t
lend_rows(int o, int64_t row)
{
	static int64_t keys[MAX_LABELS][700];
	static double numbers[MAX_COLUMNS][700];
	const TestOperand *operand = &operands[o];
	const int64_t *key_columns[MAX_LABELS];
	const double *number_columns[MAX_COLUMNS];
	int64_t n = operand->nrows - row < 700 ? operand->nrows - row : 700;

	for (int k = 0; k < operand->nkeys; k++)
		key_columns[k] = keys[k];
	for (int c = 0; c < operand->ncolumns; c++)
		number_columns[c] = numbers[c];
	for (int64_t i = 0; i < n; i++)
	{
		for (int k = 0; k < operand->nkeys; k++)
			keys[k][i] = operand->keys[row + i][k];
		for (int c = 0; c < operand->ncolumns; c++)
			numbers[c][i] = row_value(operand, c, row + i).float8;
	}
	coordinates_lend_columns(description.operands[o].coordinates, n, key_columns,
							 number_columns);
	return row + n;
}

/* Has an operand only numbers that are float8? */
static bool
can_lend(int o)
{
	const TestOperand *operand = &operands[o];

	for (int c = 0; c < operand->ncolumns; c++)
		if (operand->tensors[c] || operand->types[c].type != ELEMENT_FLOAT8)
			return false;
	return true;
}

/* Appends rows from one on, as many as there is room for; returns the next one. */
static int64_t
append_rows(int o, int64_t row)
{
	NestOperand *spec = &description.operands[o];
	TestOperand *operand = &operands[o];

	if (o == lent)
		return lend_rows(o, row);

	while (row < operand->nrows)
	{
		int64_t last = operand->run_ends ? operand->run_ends[row] : row;
		int64_t keys[MAX_LABELS];
		NestValue row_values[MAX_COLUMNS];
		int64_t appended = row % 3 == 0 ? append_columns(o, row) : 0;

		if (appended < 0)
			return row - 1 - appended;
		row += appended;
		if (appended > 0)
			continue;
		for (int c = 0; c < operand->ncolumns; c++)
			row_values[c] = row_value(operand, c, row);
		memcpy(keys, operand->keys[row], sizeof(keys));
		if (operand->run_ends)
			keys[operand->nkeys] = operand->keys[last][operand->run];
		if (!coordinates_append(spec->coordinates, keys, row_values))
			break;
		row = last + 1;
	}
	return row;
}

/* Reads an operand; one that is streamed as far as there is room. Returns the next row. */
static int64_t
read_operand(NestMemory *memory, int o, bool streamed)
{
	NestOperand *spec = &description.operands[o];
	TestOperand *operand = &operands[o];
	int64_t row;

	if (is_range(o))
		return 0;
	spec->coordinates = (streamed ? coordinates_new_streamed : coordinates_new)(
		memory, operand->nkeys + (operand->run_ends != NULL), operand->ncolumns,
		operand->types);
	if (operand->run_ends)
	{
		spec->labels[operand->nkeys] = spec->labels[operand->run];
		coordinates_set_runs(spec->coordinates, operand->run);
	}
	for (int c = 0; c < operand->ncolumns; c++)
	{
		if (operand->tensors[c])
			check(coordinates_shape(spec->coordinates, c, &operand->shape[c]) == 0,
				  "number of the first shape");
		spec->fill[c] = row_value(operand, c, operand->nrows);
	}
	row = append_rows(o, 0);
	check(row == operand->nrows || o == lent || (streamed && row == NEST_STREAMED_ROWS),
		  "append");
	check(operand->run_ends || coordinates_count(spec->coordinates) == row,
		  "count of rows");
	return row;
}

/* An operand whose rows may say where all others are; -1 if not found. */
static int
find_stream(void)
{
	for (int o = 0; o < description.noperands; o++)
	{
		int labels = 0;

		for (int k = 0; k < operands[o].nkeys; k++)
			labels |= 1 << description.operands[o].labels[k];
		if (!is_range(o) && !description.operands[o].optional && !operands[o].run_ends &&
			labels == (1 << description.nlabels) - 1)
			return o;
	}
	return -1;
}

/*
 * Sorts the rows of the operand that may be streamed by the first output label, and sets
 * ascending to its key column.
 */
static void
sort_stream(void)
{
	int stream = find_stream();
	TestOperand *operand = &operands[stream < 0 ? 0 : stream];

	ascending = -1;
	if (stream < 0 || description.noutput == 0)
		return;
	sort_nkeys = operand->nkeys;
	for (int k = 0; k < operand->nkeys; k++)
		sort_keys[k] = k;
	while (description.operands[stream].labels[++ascending] != description.output[0])
		;
	sort_keys[0] = ascending;
	sort_keys[ascending] = 0;
	qsort(operand->keys, (size_t) operand->nrows, sizeof(*operand->keys), compare_keys);
}

/* Streams rows from one on until there are none, or an ordered stream has groups. */
static NestStatus
stream_rows(Nest *nest, int stream)
{
	NestStatus status = NEST_DONE;

	while (stream_row > 0 && status == NEST_DONE)
	{
		status = nest_stream_rows(nest);
		if (status == NEST_GROUPS ||
			(nest_stream_is_ordered(nest) && status == NEST_DONE && random_below(3) == 0))
			status = NEST_GROUPS;
		stream_row =
			stream_row < operands[stream].nrows ? append_rows(stream, stream_row) : 0;
	}
	if (stream_row == 0)
		nest_end_stream(nest);
	return status;
}

/* Prepares a nest for the rows of an operand, and runs it over those that pass. */
static NestStatus
prepare_stream(Nest *nest, int stream, int64_t row)
{
	NestStatus status;
	NestStatistics statistics;

	if (row > 0 && ascending >= 0)
		coordinates_set_ascending(description.operands[stream].coordinates, ascending);
	status = nest_prepare_stream(nest, stream);

	if (status != NEST_DONE)
		return status;
	nest_statistics(nest, &statistics);
	check(statistics.streamed == stream && statistics.nloops == 0, "statistics");
	if (nest_stream_is_ordered(nest))
		ordered_streams++;
	stream_row = row;
	status = stream_rows(nest, stream);
	return status == NEST_GROUPS ? NEST_DONE : status;
}

/* What was appended is read again. */
static void
check_read(int o)
{
	const TestOperand *operand = &operands[o];
	int64_t keys[MAX_LABELS][7];
	NestValue columns[MAX_COLUMNS][7];
	int64_t *key_pointers[MAX_LABELS];
	NestValue *value_pointers[MAX_COLUMNS];
	bool same = true;

	for (int k = 0; k < MAX_LABELS; k++)
		key_pointers[k] = keys[k];
	for (int c = 0; c < MAX_COLUMNS; c++)
		value_pointers[c] = columns[c];
	for (int64_t first = 0; first <= operand->nrows; first += 7)
	{
		int64_t n = coordinates_read(description.operands[o].coordinates, first, 7,
									 key_pointers, value_pointers);

		same &= n == (operand->nrows - first < 7 ? operand->nrows - first : 7);
		for (int64_t i = 0; i < n; i++)
		{
			for (int k = 0; k < operand->nkeys; k++)
				same &= keys[k][i] == operand->keys[first + i][k];
			for (int c = 0; c < operand->ncolumns; c++)
			{
				NestValue value = row_value(operand, c, first + i);

				same &= operand->tensors[c]
							? value.tensor.elements == columns[c][i].tensor.elements &&
								  columns[c][i].tensor.shape == 0
							: memcmp(&value, &columns[c][i],
									 element_size(operand->shape[c].type)) == 0;
			}
		}
	}
	check(same, "rows are read as appended");
}

static Flat
flat_of_group(const Nest *nest, const NestGroups *batch, int64_t g)
{
	Flat flat = {0};

	for (int i = 0; i < description.noutput; i++)
		flat_add(&flat, (double) batch->keys[i][g]);
	flat_add(&flat, (double) batch->tuples[g]);
	for (int a = 0; a < description.naggregates; a++)
	{
		ElementType type;
		TensorView view;

		if (description.aggregates[a].kind == NEST_COMPUTE)
		{
			check(batch->results[a] == NULL, "no results of what is computed");
			continue;
		}
		if (nest_result_type(nest, a, &type))
		{
			view =
				*nest_result_shape(nest, a, batch->shapes[a] ? batch->shapes[a][g] : 0);
			view.data = ((void *const *) batch->results[a])[g];
			check(view.type == type, "type of a result");
			/* its header is ours */
			if (description.aggregates[a].kind != NEST_TAKE)
				memset((char *) view.data - description.aggregates[a].header, HEADER_BYTE,
					   description.aggregates[a].header);
		}
		else
		{
			view_contiguous(&view, type, 0, NULL, NULL);
			view.data = (char *) batch->results[a] + element_size(type) * (size_t) g;
		}
		flat_add_view(&flat, &view);
	}
	return flat;
}

static NestStatus
run_nest(Nest *nest, int stream, Flat **flats, int64_t *nflats)
{
	NestGroups batch;
	NestStatus status;
	int64_t capacity = 0;

	*flats = NULL;
	*nflats = 0;
	for (;;)
	{
		status = nest_next(nest, &batch);
		if (status == NEST_DONE && stream >= 0 && stream_row > 0)
		{
			status = stream_rows(nest, stream);
			if (status == NEST_GROUPS || status == NEST_DONE)
				continue;
		}
		if (status != NEST_GROUPS)
			break;
		check(batch.count > 0, "a batch has groups");
		for (int64_t g = 0; g < batch.count; g++)
		{
			if (*nflats == capacity)
			{
				capacity = 2 * capacity + 16;
				*flats = realloc(*flats, sizeof(Flat) * (size_t) capacity);
			}
			(*flats)[(*nflats)++] = flat_of_group(nest, &batch, g);
		}
	}
	return status;
}

static void
describe(char *text, size_t size)
{
	size_t at = 0;

	for (int o = 0; o < description.noperands; o++)
	{
		at += (size_t) snprintf(text + at, size - at, "%s%s(", o > 0 ? " " : "",
								is_range(o)                        ? "range"
								: description.operands[o].optional ? "optional"
								: operands[o].run_ends             ? "runs"
																   : "rows");
		for (int k = 0; k < operands[o].nkeys; k++)
			at += (size_t) snprintf(text + at, size - at, "%c",
									'a' + description.operands[o].labels[k]);
		at += (size_t) snprintf(text + at, size - at, ":%lld)",
								(long long) operands[o].nrows);
	}
	at += (size_t) snprintf(text + at, size - at, " -> ");
	for (int i = 0; i < description.noutput; i++)
		at += (size_t) snprintf(text + at, size - at, "%c", 'a' + description.output[i]);
	for (int a = 0; a < description.naggregates; a++)
		at += (size_t) snprintf(
			text + at, size - at, " [kind %d fold %d args %d%s%s]",
			description.aggregates[a].kind, description.aggregates[a].reduction,
			description.aggregates[a].kernel.narguments,
			description.aggregates[a].kernel.equation ? " equation" : "",
			description.aggregates[a].kernel.program ? " program" : "");
}

static void
compare(const char *text, const char *what, Flat *flats, int64_t nflats)
{
	Flat *expected = calloc((size_t) ngroups + 1, sizeof(Flat));
	bool same = nflats == ngroups;

	for (int64_t g = 0; g < ngroups; g++)
	{
		for (int i = 0; i < description.noutput; i++)
			flat_add(&expected[g], (double) groups[g].keys[i]);
		flat_add(&expected[g], (double) groups[g].tuples);
		for (int a = 0; a < description.naggregates; a++)
			if (description.aggregates[a].kind != NEST_COMPUTE)
				flat_add_view(&expected[g], &groups[g].results[a]);
	}
	qsort(expected, (size_t) ngroups, sizeof(Flat), flat_compare);
	if (nflats > 0)
		qsort(flats, (size_t) nflats, sizeof(Flat), flat_compare);
	for (int64_t g = 0; same && g < ngroups; g++)
		same = flat_compare(&expected[g], &flats[g]) == 0;
	check(same, "%s: %lld groups, expected %lld: %s", what, (long long) nflats,
		  (long long) ngroups, text);
	flat_free(expected, ngroups);
}

static void
free_reference(void)
{
	for (int64_t g = 0; g < ngroups; g++)
		for (int a = 0; a < description.naggregates; a++)
		{
			free(groups[g].results[a].data);
			free(groups[g].filled[a]);
		}
	free(groups);
	groups = NULL;
	ngroups = groups_capacity = 0;
	for (int o = 0; o < description.noperands; o++)
	{
		free(operands[o].keys);
		free(operands[o].run_ends);
		for (int c = 0; c < operands[o].ncolumns; c++)
			free(operands[o].elements[c]);
	}
}

/* Nests that have streamed the rows of an operand; levels of runs, and their indices; */
static int64_t streams;
static int64_t run_levels;
static int64_t run_indices;
static int64_t rows_moved; /* of operands */

/* Moves rows into indexes of another order. */
static void
move_rows(NestMemory *memory)
{
	Nest *nest = nest_new(memory, &description);

	(void) nest_prepare(nest, NULL);
	for (int o = 0; o < description.noperands; o++)
		if (!is_range(o))
			rows_moved += coordinates_move_rows(description.operands[o].coordinates);
	nest_free(nest);
}

static void
one_case(void)
{
	NestMemory memory = {.allocate = count_allocate, .release = count_release};
	LastingBlock *lasting = NULL;
	NestMemory results = {
		.allocate = lasting_allocate, .release = lasting_release, .context = &lasting};
	NestStatistics statistics;
	uint8_t order[MAX_LABELS];
	bool forced;
	bool scarce;
	bool passes;
	int stream = -1;
	int64_t next = 0;
	ElementType type;
	NestStatus status;
	Nest *nest;
	Flat *flats;
	int64_t nflats;
	char text[1000];

	large = test_seed % 40 == 0;
	random_join();
	forced = random_below(2) == 0;
	for (int l = 0; l < description.nlabels; l++)
	{
		int place = (int) random_below(l + 1);

		order[l] = order[place];
		order[place] = (uint8_t) l;
	}
	type = all_types[random_below(4)];
	description.naggregates = (int) random_below(MAX_AGGREGATES + 1);
	for (int a = 0; a < description.naggregates; a++)
		random_aggregate(a, type);

	blocks = 0;
	repeated = false;
	ntuples = 0;
	memory.limit = results.limit = SIZE_MAX / 2;
	memset(bound, 0, sizeof(bound));
	ascending = -1;
	stream_row = 0;
	if (random_below(2) == 0)
		sort_stream();
	reference_join(0);
	if (ntuples > MAX_TUPLES)
	{
		free_reference();
		return;
	}
	if (random_below(3) == 0)
		description.results = &results;
	if (ascending >= 0 || random_below(2) == 0)
		stream = find_stream();
	passes = stream >= 0 && (ascending >= 0 || random_below(2) == 0);
	lent = -1;
	for (int o = 0; o < description.noperands; o++)
		if (o != stream)
			read_operand(&memory, o, false);
	if (passes && can_lend(stream) && random_below(2) == 0)
		lent = stream;
	if (stream >= 0)
		next = read_operand(&memory, stream, passes);
	for (int o = 0; o < description.noperands; o++)
		if (!is_range(o) && !(passes && o == stream) && !operands[o].run_ends)
			check_read(o);
	describe(text, sizeof(text));
	if (stream < 0 && random_below(4) == 0)
		move_rows(&memory);

	nest = nest_new(&memory, &description);
	scarce = random_below(8) == 0;
	if (scarce)
		memory.limit = memory.used + (size_t) random_below(20000);
	status = stream >= 0 ? prepare_stream(nest, stream, passes ? next : 0)
						 : nest_prepare(nest, forced ? order : NULL);
	if (stream >= 0 && status != NEST_DONE)
	{
		/* what was located was repeated, or a stack; and rows have gone */
		check(status == NEST_REPEATED || (scarce && status == NEST_NO_MEMORY),
			  "stream: status %d: %s", status, text);
		memory.limit = SIZE_MAX / 2;
		nest_free(nest);
		coordinates_free(description.operands[stream].coordinates);
		description.operands[stream].coordinates = NULL;
		lent = -1;
		read_operand(&memory, stream, false);
		nest = nest_new(&memory, &description);
		status = nest_prepare(nest, forced ? order : NULL);
		stream = -1;
	}
	if (stream >= 0 && status == NEST_DONE)
		streams++;
	if (status == NEST_NO_MEMORY && scarce)
	{
		memory.limit = SIZE_MAX / 2;
		status = nest_prepare(nest, forced ? order : NULL);
	}
	check(status == NEST_DONE, "prepare: status %d: %s", status, text);
	if (random_below(4) == 0 && stream < 0)
		for (int o = 0; o < description.noperands; o++)
			if (!is_range(o))
				coordinates_release_rows(description.operands[o].coordinates);
	for (int run = 0; status == NEST_DONE &&
					  run < 1 + (test_seed % 5 == 0 && !nest_stream_is_ordered(nest));
		 run++)
	{
		status = run_nest(nest, stream, &flats, &nflats);
		if (status == NEST_NO_MEMORY && scarce && nflats == 0)
			;
		else if (repeated)
			check(status == NEST_REPEATED, "repeated: status %d: %s", status, text);
		else
		{
			check(status == NEST_DONE, "status %d: %s", status, text);
			compare(text, run == 0 ? "first" : "again", flats, nflats);
		}
		flat_free(flats, nflats);
		if (status == NEST_DONE)
			nest_rewind(nest);
	}
	nest_statistics(nest, &statistics);
	for (int o = 0; o < description.noperands; o++)
		for (int l = 0; l < statistics.nlevels[o]; l++)
			run_levels += statistics.levels[o][l].format == LEVEL_RUNS;
	run_indices += statistics.enumerated;
	nest_free(nest);
	for (int o = 0; o < description.noperands; o++)
		if (!is_range(o))
			coordinates_free(description.operands[o].coordinates);
	check(memory.used == 0, "all memory is released: %zu: %s", memory.used, text);
	check(blocks == 0, "all blocks are released");
	while (lasting)
	{
		LastingBlock *next = lasting->next;

		free(lasting);
		lasting = next;
	}
	free_reference();
}

/* ---- values of several shapes ---- */

/* The blocks of a matrix of small integers as an operand, and its last two labels. */
static Coordinates *
block_operand(NestMemory *memory, const double *matrix, const int64_t *extents,
			  const int64_t *block, double **elements)
{
	NestValueType type = {true, ELEMENT_FLOAT8};
	Coordinates *coordinates = coordinates_new(memory, 2, 1, &type);
	double *next = *elements =
		malloc(sizeof(double) * (size_t) (extents[0] * extents[1] + 1));

	for (int64_t i = 0; i * block[0] < extents[0]; i++)
		for (int64_t j = 0; j * block[1] < extents[1]; j++)
		{
			int64_t keys[2] = {i, j};
			int64_t bounds[2];
			NestValue value;
			TensorView shape;

			for (int d = 0; d < 2; d++)
				bounds[d] = extents[d] - keys[d] * block[d] < block[d]
								? extents[d] - keys[d] * block[d]
								: block[d];
			view_contiguous(&shape, ELEMENT_FLOAT8, 2, bounds, NULL);
			value.tensor.elements = next;
			value.tensor.shape = coordinates_shape(coordinates, 0, &shape);
			for (int64_t x = 0; x < bounds[0]; x++)
				for (int64_t y = 0; y < bounds[1]; y++)
					*next++ = matrix[(i * block[0] + x) * extents[1] + j * block[1] + y];
			check(coordinates_append(coordinates, keys, &value), "append a block");
		}
	return coordinates;
}

static double *
random_matrix(int64_t rows_count, int64_t columns)
{
	double *matrix = malloc(sizeof(double) * (size_t) (rows_count * columns + 1));

	for (int64_t i = 0; i < rows_count * columns; i++)
		matrix[i] = random_integer(3);
	return matrix;
}

/* Checks the blocks of the product in a batch against the matrices. */
static void
check_blocks(const Nest *nest, const NestGroups *batch, const double *a, const double *b,
			 const int64_t *extents, const int64_t *block, int64_t *nblocks)
{
	for (int64_t g = 0; g < batch->count; g++)
	{
		const TensorView *shape = nest_result_shape(nest, 0, batch->shapes[0][g]);
		const double *elements = ((double *const *) batch->results[0])[g];
		int64_t first[2] = {batch->keys[0][g] * block[0], batch->keys[1][g] * block[2]};
		bool same = shape->rank == 2;

		for (int64_t x = 0; same && x < shape->bounds[0]; x++)
			for (int64_t y = 0; y < shape->bounds[1]; y++)
			{
				double sum = 0;

				for (int64_t j = 0; j < extents[1]; j++)
					sum += a[(first[0] + x) * extents[1] + j] *
						   b[j * extents[2] + first[1] + y];
				same &= elements[x * shape->bounds[1] + y] == sum;
			}
		check(same, "block %lld, %lld of a product", (long long) batch->keys[0][g],
			  (long long) batch->keys[1][g]);
		(*nblocks)++;
	}
}

/*
 * The sum of a's blocks over J is regular if there is one block in each row, or all are
 * as wide; the sum of all blocks if there is one.
 */
static void
check_sum_of_blocks(const NestDescription *product, int64_t blocks_in_row, bool as_wide)
{
	NestDescription sum = *product;

	sum.aggregates[0].kernel.narguments = 1;
	sum.aggregates[0].kernel.equation = NULL;
	sum.noutput = 1;
	check(nest_shapes_are_regular(&sum) == (blocks_in_row == 1 || as_wide),
		  "the sum of %lld blocks is regular", (long long) blocks_in_row);
	sum.operands[0].optional = true;
	check(nest_shapes_are_regular(&sum) ==
			  (coordinates_shape_count(sum.operands[0].coordinates, 0) == 1),
		  "left-joined blocks are regular");
}

/* c[I,K] = a[I,J] b[J,K] in blocks of any sizes; now and then J is not cut alike. */
static void
test_blocks(void)
{
	static const Equation product = {
		.noperands = 2,
		.operands = {{2, {0, 1}}, {2, {1, 2}}},
		.output = {2, {0, 2}},
		.nlabels = 3,
		.letters = {'i', 'j', 'k'},
	};
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = SIZE_MAX / 2};
	NestDescription blocked = {
		.nlabels = 3, .noperands = 2, .noutput = 2, .output = {0, 2}};
	NestAggregate *spec = &blocked.aggregates[0];
	int64_t extents[3];
	int64_t block[3];
	int64_t other[2];
	int64_t nblocks = 0;
	bool alike = random_below(5) > 0;
	bool one_shape;
	double *matrices[2];
	double *elements[2];
	NestGroups batch;
	NestStatus status;
	Nest *nest;

	blocks = 0;
	for (int l = 0; l < 3; l++)
	{
		extents[l] = 1 + random_below(20);
		block[l] = 1 + random_below(8);
	}
	other[0] = block[1] + !alike;
	other[1] = block[2];
	for (int o = 0; o < 2; o++)
	{
		matrices[o] = random_matrix(extents[o], extents[o + 1]);
		blocked.operands[o].coordinates = block_operand(
			&memory, matrices[o], extents + o, o == 0 ? block : other, &elements[o]);
		blocked.operands[o].labels[0] = (uint8_t) o;
		blocked.operands[o].labels[1] = (uint8_t) (o + 1);
		spec->kernel.arguments[o] = (NestArgument){NEST_ARGUMENT_VALUE, o, 0};
	}
	spec->kernel.narguments = 2;
	spec->kernel.equation = &product;
	spec->kernel.strict = true;
	blocked.naggregates = 1;
	/* of one shape each, they do not fit in any tuple */
	one_shape = coordinates_shape_count(blocked.operands[0].coordinates, 0) == 1 &&
				coordinates_shape_count(blocked.operands[1].coordinates, 0) == 1;
	check(
		nest_shapes_are_regular(&blocked) ==
			(alike || extents[1] <= block[1] || one_shape),
		"the product of %lld by %lld by %lld in blocks of %lld, %lld by %lld is regular",
		(long long) extents[0], (long long) extents[1], (long long) extents[2],
		(long long) block[0], (long long) block[1], (long long) other[0]);
	check_sum_of_blocks(&blocked, (extents[1] + block[1] - 1) / block[1],
						extents[1] % block[1] == 0);
	nest = nest_new(&memory, &blocked);
	check(nest_prepare(nest, NULL) == NEST_DONE, "prepare blocks");
	while ((status = nest_next(nest, &batch)) == NEST_GROUPS && alike)
		check_blocks(nest, &batch, matrices[0], matrices[1], extents, block, &nblocks);
	if (alike)
		check(status == NEST_DONE &&
				  nblocks == ((extents[0] + block[0] - 1) / block[0]) *
								 ((extents[2] + block[2] - 1) / block[2]),
			  "%lld blocks, status %d", (long long) nblocks, status);
	else if (extents[1] > block[1])
	{
		const NestMismatch *mismatch = nest_mismatch(nest);

		check(status == NEST_MISMATCH && mismatch->aggregate == 0 &&
				  mismatch->narguments == 2 && mismatch->arguments[0].rank == 2 &&
				  mismatch->arguments[0].bounds[1] != mismatch->arguments[1].bounds[0],
			  "blocks that do not fit: status %d", status);
	}
	nest_free(nest);
	for (int o = 0; o < 2; o++)
	{
		coordinates_free(blocked.operands[o].coordinates);
		free(matrices[o]);
		free(elements[o]);
	}
	check(blocks == 0, "blocks of memory are released");
}

/* A column has tensors of one element type, and shapes have numbers. */
static void
test_shapes(void)
{
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = 100000};
	NestValueType type = {true, ELEMENT_FLOAT8};
	Coordinates *coordinates = coordinates_new(&memory, 1, 1, &type);
	int64_t bounds[2] = {2, 3};
	int64_t key = 0;
	NestValue value = {0};
	TensorView shape;

	view_contiguous(&shape, ELEMENT_FLOAT8, 2, bounds, NULL);
	check(coordinates_shape(coordinates, 0, &shape) == 0, "first shape");
	shape.bounds[1] = 4;
	check(coordinates_shape(coordinates, 0, &shape) == 1, "second shape");
	shape.bounds[1] = 3;
	check(coordinates_shape(coordinates, 0, &shape) == 0, "first shape again");
	shape.type = ELEMENT_FLOAT4;
	check(coordinates_shape(coordinates, 0, &shape) == -1, "another type");
	/* the limit refuses rows */
	while (coordinates_append(coordinates, &key, &value))
		key++;
	check(memory.used <= memory.limit && key > 1000 &&
			  coordinates_count(coordinates) == key,
		  "%lld rows in %zu bytes", (long long) key, memory.used);
	coordinates_free(coordinates);
	check(memory.used == 0, "memory of refused rows");
}

/*
 * Rows beyond the chunks that double: sums of each of seven groups. The rows come in any
 * order, or in that of the keys, or in that but for one row, whose first key is 0.
 */
static void
sum_many_rows(bool ascend, int64_t stray)
{
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = SIZE_MAX / 2};
	NestValueType type = {false, ELEMENT_FLOAT8};
	NestDescription many = {.nlabels = 2, .noperands = 1, .noutput = 1, .naggregates = 1};
	int64_t nrows = 300000;
	double expected[7] = {0};
	NestGroups batch;
	Nest *nest;

	many.operands[0].coordinates = coordinates_new(&memory, 2, 1, &type);
	many.operands[0].labels[1] = 1;
	many.aggregates[0].kernel.narguments = 1;
	for (int64_t row = 0; row < nrows; row++)
	{
		int64_t group = ascend ? row * 7 / nrows : random_below(7);
		int64_t keys[2] = {row == stray ? 0 : group, row};
		NestValue value = {.float8 = random_integer(100)};

		expected[keys[0]] += value.float8;
		coordinates_append(many.operands[0].coordinates, keys, &value);
	}
	nest = nest_new(&memory, &many);
	check(nest_prepare(nest, NULL) == NEST_DONE, "prepare many rows");
	check(nest_next(nest, &batch) == NEST_GROUPS && batch.count == 7, "seven groups");
	for (int64_t g = 0; g < batch.count; g++)
		check(((const double *) batch.results[0])[g] == expected[batch.keys[0][g]],
			  "sum of group %lld", (long long) batch.keys[0][g]);
	nest_free(nest);
	coordinates_free(many.operands[0].coordinates);
	check(memory.used == 0, "memory of many rows");
}

static void
test_many_rows(void)
{
	sum_many_rows(false, -1);
	sum_many_rows(true, -1);
	sum_many_rows(true, 200000 + random_below(1000));
	/* the first row of a chunk (CHUNK_FIRST_ROWS) */
	sum_many_rows(true, 64 * 1023 + 65536);
}

/*
 * Groups' sums of products of two operands in the innermost loop and of one or two outside, in any order of the factors. What only
 * one of the two has is infinite, or NaN: it has no part in any sum. Indices are far from 0 on either side, or on both.
 */
static void
test_inner_products(void)
{
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = SIZE_MAX / 2};
	NestValueType type = {false, ELEMENT_FLOAT8};
	int noperands = 3 + (int) random_below(2);
	NestDescription inner = {
		.nlabels = 2, .noperands = noperands, .noutput = 1, .naggregates = 2};
	int64_t extent = 1 + random_below(700);
	int64_t least = random_below(2) ? INT32_MIN : INT32_MAX - extent + 1;
	int64_t most = random_below(2) ? 900 : 20;
	int64_t share = 1 + random_below(most); /* in thousandths */
	int64_t second_share = random_below(2) ? 700 : 60;
	int64_t odd_share = 2 + random_below(40);
	bool far = random_below(2);
	double sums[3] = {0};
	int64_t tuples[3] = {0};
	int place = (int) random_below(noperands);
	int step = 1 + 2 * (int) random_below(2);
	NestGroups batch;
	Nest *nest;

	for (int o = 0; o < noperands; o++)
	{
		inner.operands[o].coordinates =
			coordinates_new(&memory, o == 0 ? 2 : 1, 1, &type);
		inner.operands[o].labels[0] = o == 1 ? 1 : 0;
		inner.aggregates[0]
			.kernel.arguments[(o * (noperands == 4 ? step : 1) + place) % noperands]
			.operand = o;
	}
	inner.operands[0].labels[1] = 1;
	inner.aggregates[0].kernel.narguments = noperands;
	for (int64_t g = 0; g < 3; g++)
	{
		sums[g] = 1;
		for (int o = 2; o < noperands; o++)
		{
			NestValue value = {.float8 = 1 + random_integer(9)};

			coordinates_append(inner.operands[o].coordinates, &g, &value);
			sums[g] *= value.float8;
		}
	}
	for (int64_t g = 0; g < 3; g++)
	{
		double factor = sums[g];

		sums[g] = 0;
		for (int64_t i = 0; i < extent; i++)
		{
			int64_t keys[2] = {g, least + i};
			bool first = random_below(1000) < share;
			/* the same for all groups; the odd ones are of one operand alone */
			bool odd = i % odd_share == 0;
			bool second = odd ? i % (2 * odd_share) == 0 : i * 389 % 1000 < second_share;
			double strange = i % 4 ? INFINITY : NAN;
			NestValue x = {.float8 = odd ? strange : random_integer(9)};
			NestValue y = {.float8 = odd ? strange : i % 7};

			first &= !(odd && second);
			if (first)
				coordinates_append(inner.operands[0].coordinates, keys, &x);
			if (second && g == 0)
				coordinates_append(inner.operands[1].coordinates, &keys[1], &y);
			if (first && second)
			{
				sums[g] += factor * x.float8 * y.float8;
				tuples[g]++;
			}
		}
		/* in one operand alone, more than 2^31 away */
		if (far)
		{
			int64_t keys[2] = {g, least < 0 ? INT32_MAX : INT32_MIN};
			NestValue x = {.float8 = NAN};

			coordinates_append(inner.operands[0].coordinates, keys, &x);
		}
	}
	nest = nest_new(&memory, &inner);
	check(nest_prepare(nest, (const uint8_t[]){0, 1}) == NEST_DONE,
		  "prepare inner products");
	while (nest_next(nest, &batch) == NEST_GROUPS)
		for (int64_t g = 0; g < batch.count; g++)
		{
			int64_t key = batch.keys[0][g];

			check(((const double *) batch.results[0])[g] == sums[key] &&
					  ((const double *) batch.results[1])[g] == (double) tuples[key] &&
					  tuples[key] > 0,
				  "inner products of group %lld", (long long) key);
			tuples[key] = 0;
		}
	check(tuples[0] + tuples[1] + tuples[2] == 0, "a group is missing");
	nest_free(nest);
	for (int o = 0; o < noperands; o++)
		coordinates_free(inner.operands[o].coordinates);
	check(memory.used == 0, "memory of inner products");
}

/* sum of x[0] * f * g * y[0], whose product of f and g alone is beyond the greatest number. */
static void
test_order_of_factors(void)
{
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = SIZE_MAX / 2};
	NestValueType type = {false, ELEMENT_FLOAT8};
	/* x and y have the label, f and g none */
	const double numbers[4] = {1e-200, 1e200, 1e200, 1};
	NestDescription product = {.nlabels = 1, .noperands = 4, .naggregates = 1};
	NestGroups batch;
	Nest *nest;

	product.aggregates[0].kernel.narguments = 4;
	for (int o = 0; o < 4; o++)
	{
		NestValue value = {.float8 = numbers[o]};
		int64_t key = 0;

		product.operands[o].coordinates =
			coordinates_new(&memory, o == 0 || o == 3, 1, &type);
		product.aggregates[0].kernel.arguments[o].operand = o;
		coordinates_append(product.operands[o].coordinates, &key, &value);
	}
	nest = nest_new(&memory, &product);
	check(nest_prepare(nest, NULL) == NEST_DONE, "prepare an order of factors");
	check(nest_next(nest, &batch) == NEST_GROUPS && batch.count == 1 &&
			  fabs(((const double *) batch.results[0])[0] / 1e200 - 1) < 1e-12,
		  "factors are multiplied in their order");
	nest_free(nest);
	for (int o = 0; o < 4; o++)
		coordinates_free(product.operands[o].coordinates);
}

/* Rows with keys beyond 2^31, and a range of all integers up to 10^10. */
static void
test_long_range(void)
{
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = SIZE_MAX / 2};
	NestDescription joined = {.nlabels = 1, .noperands = 2, .naggregates = 1};
	NestGroups batch;
	Nest *nest;

	joined.operands[0].coordinates = coordinates_new(&memory, 1, 0, NULL);
	joined.operands[1].bound = INT64_C(10000000000);
	for (int64_t i = 0; i < 10; i++)
	{
		int64_t key = INT64_C(3000000000) + i * 1000000;

		coordinates_append(joined.operands[0].coordinates, &key, NULL);
	}
	nest = nest_new(&memory, &joined);
	check(nest_prepare(nest, NULL) == NEST_DONE, "prepare a long range");
	check(nest_next(nest, &batch) == NEST_GROUPS && batch.count == 1 &&
			  batch.tuples[0] == 10,
		  "all rows are in a long range");
	nest_free(nest);
	coordinates_free(joined.operands[0].coordinates);
}

/* Sums of a matrix's rows, or columns, each times an entry of a vector that some indices have. */
static void
check_kept(Coordinates *matrix, const double *expected, NestMemory *memory, bool columns,
		   const double *vector, int64_t extent)
{
	NestValueType type = {false, ELEMENT_FLOAT8};
	/* the label of the groups is the inner one: the matrix is located in the other order */
	uint8_t order[2] = {columns ? 0 : 1, columns ? 1 : 0};
	NestDescription kept = {.nlabels = 2, .noperands = 2, .noutput = 1, .naggregates = 1};
	NestGroups batch;
	Nest *nest;

	kept.operands[0].coordinates = matrix;
	kept.operands[0].labels[1] = 1;
	kept.operands[1].coordinates = coordinates_new(memory, 1, 1, &type);
	kept.operands[1].labels[0] = order[0];
	kept.output[0] = order[1];
	kept.aggregates[0].kernel.narguments = 2;
	kept.aggregates[0].kernel.arguments[1].operand = 1;
	for (int64_t i = 0; i < extent; i++)
	{
		NestValue value = {.float8 = vector[i]};

		if (vector[i] != 0)
			coordinates_append(kept.operands[1].coordinates, &i, &value);
	}
	nest = nest_new(memory, &kept);
	check(nest_prepare(nest, order) == NEST_DONE, "prepare kept rows");
	while (nest_next(nest, &batch) == NEST_GROUPS)
		for (int64_t g = 0; g < batch.count; g++)
			check(((const double *) batch.results[0])[g] == expected[batch.keys[0][g]],
				  "sum of kept rows %lld", (long long) batch.keys[0][g]);
	nest_free(nest);
	coordinates_free(kept.operands[1].coordinates);
	check(memory->used == 0, "memory of a nest over kept rows");
}

/* Coordinates that outlive nests, which read them in two orders, and whose memory is another. */
static void
test_kept(void)
{
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = SIZE_MAX / 2};
	NestMemory own = memory;
	NestValueType type = {false, ELEMENT_FLOAT8};
	Coordinates *matrix = coordinates_new(&own, 2, 1, &type);
	int64_t extent = 300;
	double *entries = calloc((size_t) (extent * extent), sizeof(double));
	double *vector = calloc((size_t) extent, sizeof(double));
	double *expected = calloc((size_t) extent, sizeof(double));

	for (int64_t i = 0; i < extent * extent; i++)
	{
		int64_t keys[2] = {i / extent, i % extent};
		NestValue value = {.float8 = random_integer(9)};

		if (random_below(40) > 0)
			continue;
		entries[i] = value.float8;
		coordinates_append(matrix, keys, &value);
	}
	for (int round = 0; round < 6; round++)
	{
		bool columns = random_below(2) == 0;

		memset(expected, 0, sizeof(double) * (size_t) extent);
		for (int64_t i = 0; i < extent; i++)
			vector[i] = random_below(3) > 0 ? 0 : random_integer(5);
		for (int64_t i = 0; i < extent * extent; i++)
			expected[columns ? i % extent : i / extent] +=
				entries[i] * vector[columns ? i / extent : i % extent];
		check_kept(matrix, expected, &memory, columns, vector, extent);
	}
	coordinates_free(matrix);
	check(own.used == 0, "memory of kept rows");
	free(entries);
	free(vector);
	free(expected);
}

/*
 * More groups than there is memory for: each is returned once, with all of its tuples, and memory
 * stays within the limit. r[i,k] = sum of a[i,j] * b[j,k] * c[k], where k has many
 * indices and c not all of them; numbers, or vectors.
 */
static void
many_groups(bool vectors, int64_t gap, const uint8_t *order, size_t room)
{
	enum
	{
		NI = 3,
		NJ = 4,
		NK = 30000
	};
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = SIZE_MAX / 2};
	NestValueType types[3] = {
		{false, ELEMENT_FLOAT8}, {vectors, ELEMENT_FLOAT8}, {false, ELEMENT_FLOAT8}};
	NestDescription many = {
		.nlabels = 3, .noperands = 3, .noutput = 2, .output = {0, 2}, .naggregates = 1};
	static double a[NI][NJ];
	static double b[NJ][NK][2];
	static double c[NK];
	static bool seen[NI][NK];
	static const Equation scaled = {.noperands = 3,
									.operands = {{0}, {1, {0}}, {0}},
									.output = {1, {0}},
									.nlabels = 1,
									.letters = {'a'}};
	int64_t two = 2;
	int64_t ngroups = 0;
	int64_t nk = 0;
	size_t most = 0;
	TensorView shape;
	NestStatus status;
	NestGroups batch;
	Nest *nest;
	bool right = true;

	memset(seen, 0, sizeof(seen));
	for (int o = 0; o < 3; o++)
		many.operands[o].coordinates =
			coordinates_new(&memory, o < 2 ? 2 : 1, 1, &types[o]);
	view_contiguous(&shape, ELEMENT_FLOAT8, 1, &two, NULL);
	if (vectors)
		coordinates_shape(many.operands[1].coordinates, 0, &shape);
	many.operands[0].labels[1] = 1;
	many.operands[1].labels[0] = 1;
	many.operands[1].labels[1] = 2;
	many.operands[2].labels[0] = 2;
	for (int64_t i = 0; i < NI; i++)
		for (int64_t j = 0; j < NJ; j++)
		{
			a[i][j] = random_integer(9);
			coordinates_append(many.operands[0].coordinates, (int64_t[]){i, j},
							   &(NestValue){.float8 = a[i][j]});
		}
	for (int64_t j = 0; j < NJ; j++)
		for (int64_t k = 0; k < NK; k++)
		{
			NestValue value = {.float8 = 0};

			b[j][k][0] = random_integer(9);
			b[j][k][1] = random_integer(9);
			if (vectors)
				value.tensor.elements = b[j][k];
			else
				value.float8 = b[j][k][0];
			coordinates_append(many.operands[1].coordinates, (int64_t[]){j, k * gap},
							   &value);
		}
	for (int64_t k = 0; k < NK; k++)
	{
		c[k] = k % 3 == 0 ? 0 : 1 + random_below(9);
		if (k % 3 == 0)
			continue;
		nk++;
		coordinates_append(many.operands[2].coordinates, (int64_t[]){k * gap},
						   &(NestValue){.float8 = c[k]});
	}
	many.aggregates[0].kernel.narguments = 3;
	for (int o = 0; o < 3; o++)
		many.aggregates[0].kernel.arguments[o] =
			(NestArgument){NEST_ARGUMENT_VALUE, o, 0};
	if (vectors)
		many.aggregates[0].kernel.equation = &scaled;
	nest = nest_new(&memory, &many);
	check(nest_prepare(nest, order) == NEST_DONE, "prepare many groups");
	memory.limit = memory.used + room;
	/* a rewind within a pass is one to the first */
	check(nest_next(nest, &batch) == NEST_GROUPS, "first groups of many");
	nest_rewind(nest);
	while ((status = nest_next(nest, &batch)) == NEST_GROUPS)
		for (int64_t g = 0; g < batch.count; g++)
		{
			int64_t i = batch.keys[0][g];
			int64_t k = batch.keys[1][g] / gap;
			double expected[2] = {0};
			const double *result = vectors ? ((double *const *) batch.results[0])[g]
										   : &((const double *) batch.results[0])[g];

			for (int64_t j = 0; j < NJ; j++)
				for (int e = 0; e < 2; e++)
					expected[e] += a[i][j] * b[j][k][e] * c[k];
			right = right && !seen[i][k] && batch.tuples[g] == NJ &&
					result[0] == expected[0] && (!vectors || result[1] == expected[1]);
			seen[i][k] = true;
			most = memory.used > most ? memory.used : most;
			ngroups++;
		}
	check(status == NEST_DONE && right && ngroups == NI * nk,
		  "%lld groups in %zu bytes, status %d", (long long) ngroups, room, status);
	/* some thousand groups always have room */
	check(most <= memory.limit + 8192 * (vectors ? 160 : 80),
		  "%zu bytes beyond the limit of %zu: vectors %d, gap %lld, order %d",
		  most - memory.limit, room, vectors, (long long) gap, order[0]);
	/* and again */
	nest_rewind(nest);
	ngroups = 0;
	while ((status = nest_next(nest, &batch)) == NEST_GROUPS)
		ngroups += batch.count;
	check(status == NEST_DONE && ngroups == NI * nk, "%lld groups after a rewind",
		  (long long) ngroups);
	nest_free(nest);
	for (int o = 0; o < 3; o++)
		coordinates_free(many.operands[o].coordinates);
	check(memory.used == 0, "memory of many groups");
}

static void
test_many_groups(void)
{
	static const uint8_t orders[2][3] = {{0, 1, 2}, {1, 0, 2}};

	for (int vectors = 0; vectors < 2; vectors++)
		for (int o = 0; o < 2; o++)
			for (int64_t gap = 1; gap < 1000000000; gap *= 100000)
				/* all groups take 2 MB and more; those of each pass have to be some */
				for (size_t room = 1 << 19; room < 1 << 22; room *= 4)
					many_groups(vectors, gap, orders[o], vectors ? 2 * room : room);
}

/* ---- interrupts ---- */

static int interrupts;

static void
count_interrupt(void)
{
	interrupts++;
}

/* One sum of many numbers of single precision: there is one check while it is added up, and others as it is rounded. */
static void
test_rounding_interrupts(void)
{
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = SIZE_MAX / 2};
	NestValueType type = {true, ELEMENT_FLOAT4};
	NestDescription sum = {.noperands = 1, .naggregates = 1};
	int64_t count = INT64_C(1) << 23;
	float *elements = calloc((size_t) count, sizeof(float));
	void (*check_interrupts)(void) = kernel_host.check_interrupts;
	NestValue value;
	NestGroups batch;
	TensorView shape;
	Nest *nest;

	sum.operands[0].coordinates = coordinates_new(&memory, 0, 1, &type);
	view_contiguous(&shape, ELEMENT_FLOAT4, 1, &count, NULL);
	elements[count - 1] = 3;
	value.tensor.shape = coordinates_shape(sum.operands[0].coordinates, 0, &shape);
	value.tensor.elements = elements;
	coordinates_append(sum.operands[0].coordinates, NULL, &value);
	sum.aggregates[0].kernel.narguments = 1;
	sum.aggregates[0].kernel.arguments[0] = (NestArgument){NEST_ARGUMENT_VALUE, 0, 0};
	nest = nest_new(&memory, &sum);
	check(nest_prepare(nest, NULL) == NEST_DONE, "prepare one sum");
	kernel_host.check_interrupts = count_interrupt;
	check(nest_next(nest, &batch) == NEST_GROUPS && batch.count == 1, "one sum");
	kernel_host.check_interrupts = check_interrupts;
	check(((float *const *) batch.results[0])[0][count - 1] == 3, "a sum of one");
	check(interrupts >= 4, "%d interrupt checks while a large sum is rounded",
		  interrupts);
	nest_free(nest);
	coordinates_free(sum.operands[0].coordinates);
	free(elements);
}

/* ---- the loop order ---- */

typedef struct TestCounts
{
	double counts[MAX_OPERANDS][1 << MAX_LABELS];
} TestCounts;

static double
test_distinct(const void *context, int operand, LoopLabels labels)
{
	return ((const TestCounts *) context)->counts[operand][labels];
}

/* The least cost of all orders that begin with n given labels. */
static double
least_cost(const LoopOrderProblem *problem, LoopOrder *order, int n)
{
	double least = INFINITY;

	if (n == problem->nlabels)
	{
		loop_order_cost(problem, order);
		return order->cost;
	}
	for (int l = 0; l < problem->nlabels; l++)
	{
		double cost;

		if (memchr(order->labels, l, (size_t) n))
			continue;
		order->labels[n] = (uint8_t) l;
		cost = least_cost(problem, order, n + 1);
		least = cost < least ? cost : least;
	}
	return least;
}

static void
test_loop_order(void)
{
	LoopOrderProblem problem = {.distinct = test_distinct, .effort = 1e6};
	static TestCounts counts;
	LoopOrder order;
	LoopOrder tried;
	double least;
	unsigned seen = 0;

	problem.context = &counts;
	problem.nlabels = 1 + (int) random_below(MAX_LABELS);
	problem.noperands = 1 + (int) random_below(MAX_OPERANDS);
	problem.output = (LoopLabels) random_below(1 << problem.nlabels);
	problem.each_tuple = random_below(5) == 0;
	for (int o = 0; o < problem.noperands; o++)
	{
		LoopOrderOperand *operand = &problem.operands[o];
		double keys[MAX_LABELS];

		operand->rows = (double) (1 + random_below(random_below(2) ? 100 : 1000000));
		operand->labels = (LoopLabels) random_below(1 << problem.nlabels);
		operand->optional = random_below(6) == 0;
		for (int l = 0; l < problem.nlabels; l++)
		{
			keys[l] = 1 + (double) random_below((int64_t) operand->rows);
			if (operand->labels >> l & 1 && random_below(2) == 0)
			{
				int place = (int) random_below(operand->nsorted + 1);

				operand->sorted[operand->nsorted++] = operand->sorted[place];
				operand->sorted[place] = (uint8_t) l;
			}
		}
		for (int set = 0; set < 1 << problem.nlabels; set++)
		{
			double product = 1;

			for (int l = 0; l < problem.nlabels; l++)
				product *= set >> l & 1 ? keys[l] : 1;
			counts.counts[o][set] = product < operand->rows ? product : operand->rows;
		}
	}
	loop_order_choose(&problem, &order);
	for (int i = 0; i < problem.nlabels; i++)
		seen |= 1u << order.labels[i];
	check(seen == (1u << problem.nlabels) - 1, "an order has all labels");
	least = least_cost(&problem, &tried, 0);
	/* the states of a set that are kept are not every way to it */
	check(order.cost <= least * 1.01, "cost %g of the chosen order, %g of the best",
		  order.cost, least);
}

static double
one_of_each(const void *context, int operand, LoopLabels labels)
{
	return 1000.0;
}

/* A chain of as many operands as there can be: its order is found greedily, in no time. */
static void
test_long_order(void)
{
	static LoopOrderProblem problem = {
		.nlabels = 64, .noperands = 63, .distinct = one_of_each, .effort = 1e9};
	static LoopOrder order;
	LoopLabels seen = 0;

	for (int o = 0; o < problem.noperands; o++)
		problem.operands[o] = (LoopOrderOperand){.labels = UINT64_C(3) << o, .rows = 1e6};
	loop_order_choose(&problem, &order);
	for (int i = 0; i < problem.nlabels; i++)
		seen |= UINT64_C(1) << order.labels[i];
	check(seen == ~UINT64_C(0), "an order of 64 labels has all of them");
	check(isfinite(order.cost), "cost %g of an order of 64 labels", order.cost);
}

/* Keys of a table with many rows, few of which have one of its second key: as those of the rows with one tag. */
static double
keys_of_many(const void *context, int operand, LoopLabels labels)
{
	static const double keys[] = {2e3, 8e5, 2e3};
	double product = 1;

	for (int l = 0; l < 3; l++)
		product *= labels >> l & 1 ? keys[l] : 1;
	return product < 2e6 ? product : 2e6;
}

/* q[0] = sum over a[1,0] * a[1,2]: the rows of each 1 are side by side, if that is the outermost loop. */
static void
test_far_rows(void)
{
	LoopOrderProblem problem = {.nlabels = 3,
								.noperands = 2,
								.output = 1,
								.distinct = keys_of_many,
								.effort = 1e6};
	LoopOrder order = {.labels = {0, 1, 2}};
	double far;

	problem.operands[0] = (LoopOrderOperand){.labels = 3, .rows = 2e6};
	problem.operands[1] = (LoopOrderOperand){.labels = 6, .rows = 2e6};
	loop_order_cost(&problem, &order);
	far = order.cost;
	loop_order_choose(&problem, &order);
	check(order.labels[0] == 1, "many rows are found one after the other");
	check(order.cost < far / 2, "cost %g of near rows, %g of far ones", order.cost, far);
}

/* The bounds of a[k,i,j], of which each a[k,i,:] has 0 to 3 entries. */
#define FIBER_BOUND_K 3
#define FIBER_BOUND_I 200
#define FIBER_BOUND_J 12

/*
 * sum of a[k,i,j] * x[i] * y[j] for any labels, where fibers of neighbouring i run together, and x and y lack some
 * indices; with little memory, in several passes.
 */
static void
test_fibers(void)
{
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = SIZE_MAX / 2};
	NestValueType type = {false, ELEMENT_FLOAT8};
	NestDescription spec = {.nlabels = 3, .noperands = 3, .naggregates = 2};
	static double sums[FIBER_BOUND_K][FIBER_BOUND_I][FIBER_BOUND_J];
	double x[FIBER_BOUND_I];
	double y[FIBER_BOUND_J];
	bool output[3];
	int64_t gap = random_below(2) ? 1 : INT64_C(1) << 33;
	int64_t gap_j = random_below(2) ? 1 : 100000;
	bool optional = random_below(4) == 0;
	int lost = 0;
	NestStatus status;
	NestGroups batch;
	Nest *nest;

	memset(sums, 0, sizeof(sums));
	for (int o = 0; o < 3; o++)
	{
		spec.operands[o].coordinates = coordinates_new(&memory, o == 0 ? 3 : 1, 1, &type);
		spec.operands[o].labels[0] = (uint8_t) o;
		spec.aggregates[0].kernel.arguments[o].operand = o;
	}
	spec.operands[0].labels[1] = 1;
	spec.operands[0].labels[2] = 2;
	spec.operands[1].optional = optional;
	spec.operands[1].fill[0].float8 = 100;
	spec.aggregates[0].kernel.narguments = 3;
	for (int64_t i = 0; i < FIBER_BOUND_I; i++)
	{
		int64_t key = i * gap;
		NestValue value = {.float8 = 1 + (double) random_below(9)};
		bool there = random_below(4) > 0;

		if (there)
			coordinates_append(spec.operands[1].coordinates, &key, &value);
		x[i] = there ? value.float8 : optional ? 100 : NAN;
	}
	for (int64_t j = 0; j < FIBER_BOUND_J; j++)
	{
		int64_t key = j * gap_j;
		NestValue value = {.float8 = 1 + (double) random_below(9)};
		bool there = random_below(4) > 0;

		if (there)
			coordinates_append(spec.operands[2].coordinates, &key, &value);
		y[j] = there ? value.float8 : NAN;
	}
	for (int64_t k = 0; k < FIBER_BOUND_K; k++)
		for (int64_t i = 0; i < FIBER_BOUND_I; i++)
			for (int64_t entries = random_below(4), j = 0; entries > 0; entries--)
			{
				int64_t keys[3] = {k, i * gap, 0};
				NestValue value = {.float8 = 1 + (double) random_below(9)};

				j += 1 + random_below(3);
				keys[2] = j * gap_j;
				coordinates_append(spec.operands[0].coordinates, keys, &value);
				if (!isnan(x[i]) && !isnan(y[j]))
					sums[k][i][j] = value.float8;
			}
	for (int l = 0; l < 3; l++)
	{
		output[l] = random_below(2) == 0;
		if (output[l])
			spec.output[spec.noutput++] = (uint8_t) l;
	}
	nest = nest_new(&memory, &spec);
	check(nest_prepare(nest, (const uint8_t[]){0, 1, 2}) == NEST_DONE, "prepare fibers");
	if (random_below(2) == 0)
		memory.limit = memory.used + 2000 * (size_t) (1 + random_below(16));
	while ((status = nest_next(nest, &batch)) == NEST_GROUPS)
		for (int64_t g = 0; g < batch.count; g++)
		{
			int64_t from[3] = {0, 0, 0};
			int64_t to[3] = {FIBER_BOUND_K, FIBER_BOUND_I, FIBER_BOUND_J};
			const int64_t gaps[3] = {1, gap, gap_j};
			double sum = 0;
			int64_t count = 0;

			for (int o = 0; o < spec.noutput; o++)
			{
				int label = spec.output[o];

				from[label] = batch.keys[o][g] / gaps[label];
				to[label] = from[label] + 1;
			}
			for (int64_t k = from[0]; k < to[0]; k++)
				for (int64_t i = from[1]; i < to[1]; i++)
					for (int64_t j = from[2]; j < to[2]; j++)
						if (sums[k][i][j] != 0)
						{
							sum += sums[k][i][j] * x[i] * y[j];
							count++;
							/* no other group may have it */
							sums[k][i][j] = 0;
						}
			check(((const double *) batch.results[0])[g] == sum &&
					  ((const double *) batch.results[1])[g] == (double) count &&
					  count > 0,
				  "group of fibers");
		}
	if (status == NEST_DONE)
		for (int64_t at = 0; at < FIBER_BOUND_K * FIBER_BOUND_I * FIBER_BOUND_J; at++)
			lost += (&sums[0][0][0])[at] != 0;
	else
		check(status == NEST_NO_MEMORY && memory.limit < SIZE_MAX / 2, "fibers fail");
	check(lost == 0, "%d entries of fibers are in no group", lost);
	nest_free(nest);
	for (int o = 0; o < 3; o++)
		coordinates_free(spec.operands[o].coordinates);
	check(memory.used == 0, "memory of fibers");
}

int
main(int argc, char **argv)
{
	run_cases(argc, argv, 8000, one_case);
	if (argc == 1)
	{
		run_cases(argc, argv, 500, test_blocks);
		run_cases(argc, argv, 500, test_loop_order);
		run_cases(argc, argv, 100, test_kept);
		run_cases(argc, argv, 300, test_inner_products);
		run_cases(argc, argv, 200, test_fibers);
		test_long_order();
		test_far_rows();
		test_shapes();
		test_many_rows();
		test_order_of_factors();
		test_long_range();
		test_many_groups();
		test_rounding_interrupts();
		check(streams * run_every() > 500, "%lld nests have streamed rows",
			  (long long) streams);
		check(rows_moved * run_every() > 1000, "rows of %lld operands have moved",
			  (long long) rows_moved);
		check(ordered_streams * run_every() > 50, "%lld streams were ordered",
			  (long long) ordered_streams);
		check(run_levels * run_every() > 500 && run_indices * run_every() > 500,
			  "%lld levels of runs, %lld indices of them", (long long) run_levels,
			  (long long) run_indices);
	}
	return test_finish();
}
