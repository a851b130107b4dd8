/*-------------------------------------------------------------------------
 *
 * harness.c
 *	  What the unit tests share.
 *
 *-------------------------------------------------------------------------
 */
#include <stdarg.h>

#include "harness.h"

/* Elements around a tensor that nothing may write to. */
#define MARGIN 8

uint64_t test_seed;

const ElementType all_types[4] = {ELEMENT_FLOAT4, ELEMENT_FLOAT8, ELEMENT_COMPLEX8,
								  ELEMENT_COMPLEX16};

static uint64_t state;
static int passed;
static int failed;

void
test_start(uint64_t seed)
{
	test_seed = seed;
	state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
}

/* splitmix64 (public domain, Sebastiano Vigna) */
static uint64_t
next_random(void)
{
	uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

int64_t
random_below(int64_t n)
{
	return (int64_t) (next_random() % (uint64_t) n);
}

double
random_integer(int limit)
{
	return (double) (random_below(2 * limit + 1) - limit);
}

void
check(bool condition, const char *format, ...)
{
	va_list args;

	if (condition)
	{
		passed++;
		return;
	}
	failed++;
	if (failed > 20)
		return;
	printf("FAILED (case %llu): ", (unsigned long long) test_seed);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

int
test_finish(void)
{
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0;
}

int
run_every(void)
{
	const char *given = getenv("UNIT_EVERY");

	return given && atoi(given) > 1 ? atoi(given) : 1;
}

void
run_cases(int argc, char **argv, int count, void (*test)(void))
{
	int every = run_every();

	if (argc > 1)
	{
		test_start(strtoull(argv[1], NULL, 10));
		test();
		return;
	}
	/* one of each block of seeds, at another place in each: what tests do depends on remainders of their seeds */
	for (int block = 0; block * every < count; block++)
	{
		int i = block * every + 1 + block % every;

		if (i > count)
			break;
		test_start((uint64_t) i);
		test();
	}
}

void
tensor_random(TestTensor *tensor, ElementType type, int rank, const int64_t *bounds,
			  bool broadcast, bool contiguous, int limit)
{
	TensorView *view = &tensor->view;
	size_t size = element_size(type);
	int order[TENSOR_MAX_RANK];
	int64_t extent = 1;
	int64_t offset = 0;
	int64_t index[TENSOR_MAX_RANK] = {0};

	view->type = type;
	view->rank = rank;
	for (int d = 0; d < rank; d++)
	{
		int other = contiguous ? d : (int) random_below(d + 1);

		order[d] = order[other];
		order[other] = d;
		view->bounds[d] = bounds[d];
	}
	/* innermost last in order[] */
	for (int i = rank - 1; i >= 0; i--)
	{
		int d = order[i];
		int64_t stride = extent;

		if (!contiguous && random_below(6) == 0)
			stride += random_below(3);
		if (broadcast && random_below(12) == 0)
		{
			view->strides[d] = 0;
			continue;
		}
		view->strides[d] = stride;
		if (bounds[d] > 0)
			extent = stride * bounds[d];
		if (!contiguous && random_below(6) == 0)
		{
			view->strides[d] = -stride;
			if (bounds[d] > 0)
				offset += (bounds[d] - 1) * stride;
		}
	}
	tensor->bytes = (size_t) (extent + 2 * MARGIN) * size;
	tensor->memory = malloc(tensor->bytes);
	for (size_t i = 0; i < tensor->bytes / 4; i++)
		((float *) tensor->memory)[i] = (float) random_integer(limit) + 0.25f;
	view->data = tensor->memory + (size_t) (MARGIN + offset) * size;

	for (int64_t i = 0; i < view_count(view); i++)
	{
		double _Complex value = random_integer(limit);

		if (element_is_complex(type))
			value += random_integer(limit) * I;
		reference_set(view, index, value);
		for (int d = rank - 1; d >= 0 && ++index[d] == bounds[d]; d--)
			index[d] = 0;
	}
}

void
tensor_duplicate(const TestTensor *tensor, TestTensor *duplicate)
{
	*duplicate = *tensor;
	duplicate->memory = malloc(tensor->bytes);
	memcpy(duplicate->memory, tensor->memory, tensor->bytes);
	duplicate->view.data =
		duplicate->memory + ((char *) tensor->view.data - tensor->memory);
}

void
tensor_free(TestTensor *tensor)
{
	free(tensor->memory);
}

bool
tensor_same(const TestTensor *a, const TestTensor *b)
{
	bool wide = a->view.type == ELEMENT_FLOAT8 || a->view.type == ELEMENT_COMPLEX16;

	/* by value: -0 equals 0; one precision serves complex numbers too */
	for (size_t i = 0; i < a->bytes / (wide ? 8 : 4); i++)
	{
		double x = wide ? ((double *) a->memory)[i] : ((float *) a->memory)[i];
		double y = wide ? ((double *) b->memory)[i] : ((float *) b->memory)[i];

		if (x != y && !(isnan(x) && isnan(y)))
			return false;
	}
	return true;
}

double
tensor_distance(const TensorView *a, const TensorView *b)
{
	int64_t index[TENSOR_MAX_RANK] = {0};
	double worst = 0;

	for (int64_t i = 0; i < view_count(a); i++)
	{
		double _Complex x = reference_get(a, index);
		double _Complex y = reference_get(b, index);
		double distance = cabs(x - y) / (1 + cabs(y));

		if (x == y || (isnan(creal(x)) && isnan(creal(y))))
			distance = 0;
		else if (isnan(distance))
			distance = INFINITY;
		if (distance > worst)
			worst = distance;
		for (int d = a->rank - 1; d >= 0 && ++index[d] == a->bounds[d]; d--)
			index[d] = 0;
	}
	return worst;
}

void
equation_print(const Equation *equation, const TensorView *const *operands, char *text,
			   size_t size)
{
	size_t at = 0;

	for (int o = 0; o <= equation->noperands; o++)
	{
		const EquationTerm *term =
			o < equation->noperands ? &equation->operands[o] : &equation->output;

		at += (size_t) snprintf(text + at, size - at, "%s",
								o == equation->noperands ? "->"
								: o > 0                  ? ","
														 : "");
		for (int d = 0; d < term->rank; d++)
			at += (size_t) snprintf(text + at, size - at, "%c",
									equation->letters[term->labels[d]]);
	}
	for (int o = 0; o < equation->noperands; o++)
	{
		at += (size_t) snprintf(text + at, size - at, " [");
		for (int d = 0; d < operands[o]->rank; d++)
			at += (size_t) snprintf(text + at, size - at, "%s%lld(%lld)",
									d > 0 ? " " : "", (long long) operands[o]->bounds[d],
									(long long) operands[o]->strides[d]);
		at += (size_t) snprintf(text + at, size - at, "]");
	}
}

void
broadcast_some(const EquationTerm *term, int64_t *bounds)
{
	if (random_below(4) != 0)
		return;
	for (int d = 0; d < term->rank; d++)
	{
		if (random_below(3) != 0)
			continue;
		for (int e = 0; e < term->rank; e++)
			if (term->labels[e] == term->labels[d])
				bounds[e] = 1;
	}
}

void
equation_random(Equation *equation, int noperands, int max_labels, int max_rank,
				double max_work, int64_t *extents)
{
	int nlabels = 1 + (int) random_below(max_labels);
	int number[EQUATION_MAX_LABELS];
	double work = 1;

	memset(equation, 0, sizeof(*equation));
	equation->noperands = noperands;
	for (int l = 0; l < nlabels; l++)
		number[l] = -1;
	for (int o = 0; o < noperands; o++)
	{
		EquationTerm *term = &equation->operands[o];

		term->rank = (int) random_below(max_rank + 1);
		for (int d = 0; d < term->rank; d++)
		{
			int label = (int) random_below(nlabels);

			if (number[label] < 0)
			{
				equation->letters[equation->nlabels] = (char) ('a' + label);
				number[label] = equation->nlabels++;
			}
			term->labels[d] = (uint8_t) number[label];
		}
	}
	/* the output: a random choice of labels in random order */
	for (int l = 0; l < equation->nlabels; l++)
	{
		EquationTerm *term = &equation->output;
		int place;

		if (term->rank == TENSOR_MAX_RANK || random_below(2) == 0)
			continue;
		place = (int) random_below(term->rank + 1);
		term->labels[term->rank++] = term->labels[place];
		term->labels[place] = (uint8_t) l;
	}
	for (int l = 0; l < equation->nlabels; l++)
	{
		double room = max_work / work;
		int64_t limit = room < 40 ? (int64_t) room : 40;

		if (limit > 6 && random_below(3) > 0)
			limit = 6;
		if (random_below(40) == 0)
			extents[l] = 0;
		else if (random_below(6) == 0 || limit < 2)
			extents[l] = 1;
		else
			extents[l] = 2 + random_below(limit - 1);
		if (extents[l] > 0)
			work *= (double) extents[l];
	}
}
