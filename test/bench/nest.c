/*-------------------------------------------------------------------------
 *
 * nest.c
 *	  Times of loop nests over a graph, without PostgreSQL: what a row takes to be
 *	  read and indexed, an iteration with a lookup or into a workspace, and a
 *	  group; and of one level in each format, from which the cut-offs
 *	  in kernels/nest come.
 *
 *	  build/bench/nest [NAME] < edges
 *
 * Edges are lines "from to"; without any the graph is random. With a name only
 * nests run whose names contain it.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/nest/index.h"

#define RUNS 5
#define VECTOR 767

static int64_t nedges;
static int64_t nnodes;
static int32_t *from;
static int32_t *to;
static const char *only = ""; /* part of the names of nests to be run */

static void *
allocate(void *context, size_t bytes)
{
	return malloc(bytes);
}

static void
release(void *context, void *block)
{
	free(block);
}

static NestMemory memory = {
	.allocate = allocate, .release = release, .limit = SIZE_MAX / 2};

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static uint64_t
next_random(void)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static void
read_edges(void)
{
	int64_t capacity = 1 << 20;
	char line[200];

	from = malloc(sizeof(int32_t) * (size_t) capacity);
	to = malloc(sizeof(int32_t) * (size_t) capacity);
	while (fgets(line, sizeof(line), stdin))
	{
		if (sscanf(line, "%d %d", &from[nedges], &to[nedges]) != 2)
			continue;
		nnodes = from[nedges] >= nnodes ? from[nedges] + 1 : nnodes;
		nnodes = to[nedges] >= nnodes ? to[nedges] + 1 : nnodes;
		if (++nedges < capacity)
			continue;
		capacity *= 2;
		from = realloc(from, sizeof(int32_t) * (size_t) capacity);
		to = realloc(to, sizeof(int32_t) * (size_t) capacity);
	}
	if (nedges > 0)
		return;
	nnodes = 5000;
	for (nedges = 0; nedges < 100000; nedges++)
	{
		from[nedges] = (int32_t) (next_random() % (uint64_t) nnodes);
		to[nedges] = (int32_t) (next_random() % (uint64_t) nnodes);
	}
}

static Coordinates *
edge_operand(void)
{
	NestValueType type = {false, ELEMENT_FLOAT8};
	Coordinates *edges = coordinates_new(&memory, 2, 1, &type);

	for (int64_t e = 0; e < nedges; e++)
	{
		int64_t keys[2] = {from[e], to[e]};
		NestValue value = {.float8 = 1};

		coordinates_append(edges, keys, &value);
	}
	return edges;
}

/* Runs a nest; prints its parts. order: labels as digits, or "" for the chosen one. */
static void
time_nest(const char *name, const NestDescription *description, const char *given)
{
	double best[2] = {1e9, 1e9};
	double sum = 0;
	int64_t ngroups = 0;
	NestStatistics statistics;
	uint8_t order[8];
	int64_t innermost;

	if (strstr(name, only) == NULL)
		return;
	for (size_t i = 0; i < strlen(given); i++)
		order[i] = (uint8_t) (given[i] - '0');
	for (int run = 0; run < RUNS; run++)
	{
		Nest *nest = nest_new(&memory, description);
		NestGroups groups;
		double start = seconds();
		double prepared;
		double end;

		if (nest_prepare(nest, *given ? order : NULL) != NEST_DONE)
			abort();
		prepared = seconds();
		sum = 0;
		ngroups = 0;
		while (nest_next(nest, &groups) == NEST_GROUPS)
		{
			ElementType type;

			if (!nest_result_type(nest, 0, &type))
				for (int64_t g = 0; g < groups.count; g++)
					sum += ((const double *) groups.results[0])[g];
			ngroups += groups.count;
		}
		end = seconds();
		if (run > 0 && prepared - start < best[0])
			best[0] = prepared - start;
		if (end - prepared < best[1])
			best[1] = end - prepared;
		nest_statistics(nest, &statistics);
		nest_free(nest);
	}
	innermost = statistics.iterations[statistics.nloops - 1];
	printf("%-22s order", name);
	for (int i = 0; i < statistics.nloops; i++)
		printf(" %d", statistics.labels[i]);
	printf(", %s; %8.3f ms; %.2f ns for each of %lld iterations, %.2f for each of %lld "
		   "tuples; %lld groups, sum %g\n",
		   accumulator_kind_name(statistics.accumulators), best[1] * 1e3,
		   best[1] * 1e9 / (double) innermost, (long long) innermost,
		   best[1] * 1e9 / (double) statistics.tuples, (long long) statistics.tuples,
		   (long long) ngroups, sum);
}

static NestDescription
edges_description(Coordinates *edges, int noperands, const char *labels,
				  const char *output)
{
	NestDescription description = {.noperands = noperands, .naggregates = 1};
	NestAggregate *spec = &description.aggregates[0];

	for (int o = 0; o < noperands; o++)
	{
		description.operands[o].coordinates = edges;
		for (int k = 0; k < 2; k++)
		{
			int label = labels[2 * o + k] - '0';

			description.operands[o].labels[k] = (uint8_t) label;
			if (label >= description.nlabels)
				description.nlabels = label + 1;
		}
		spec->kernel.arguments[o] = (NestArgument){NEST_ARGUMENT_VALUE, o, 0};
	}
	spec->kernel.narguments = noperands;
	for (size_t i = 0; i < strlen(output); i++)
		description.output[description.noutput++] = (uint8_t) (output[i] - '0');
	return description;
}

static void
time_reading(void)
{
	double best[3] = {1e9, 1e9, 1e9};
	static const uint8_t orders[2][2] = {{0, 1}, {1, 0}};

	for (int run = 0; run < RUNS; run++)
	{
		double start = seconds();
		Coordinates *edges = edge_operand();
		double time = seconds() - start;

		best[0] = time < best[0] ? time : best[0];
		for (int o = 0; o < 2; o++)
		{
			start = seconds();
			coordinates_index(edges, 2, orders[o]);
			time = seconds() - start;
			best[1 + o] = time < best[1 + o] ? time : best[1 + o];
		}
		coordinates_free(edges);
	}
	printf("a row: read %.1f ns, indexed %.1f ns as it comes, %.1f ns the other way\n",
		   best[0] * 1e9 / (double) nedges, best[1] * 1e9 / (double) nedges,
		   best[2] * 1e9 / (double) nedges);
}

/* Lookups in one level of n entries out of n * spread indices, by format. */
static void
time_formats(void)
{
	for (int64_t n = 1000; n <= 1000000; n *= 10)
		for (int64_t spread = 1; spread <= 64; spread *= 8)
		{
			Coordinates *rows = coordinates_new(&memory, 1, 0, NULL);
			uint8_t level_of_key = 0;
			Index *index;
			Level *level;
			int64_t lookups = 2000000;
			int64_t found = 0;

			for (int64_t i = 0; i < n; i++)
			{
				int64_t key = i * spread + (int64_t) (next_random() % (uint64_t) spread);

				coordinates_append(rows, &key, NULL);
			}
			index = coordinates_index(rows, 1, &level_of_key);
			level = &index->levels[0];
			printf("%8lld of %8lld indices:", (long long) n, (long long) (n * spread));
			for (int format = 0; format < 3; format++)
			{
				double start;
				double made;

				level->full = false;
				level->format = LEVEL_COMPRESSED;
				start = seconds();
				if (format > 0)
					level_make_format(&memory, level,
									  format == 1 ? LEVEL_DENSE : LEVEL_HASH);
				made = seconds() - start;
				start = seconds();
				for (int64_t i = 0; i < lookups; i++)
					found += level_locate(
						level, 0, (int64_t) (next_random() % (uint64_t) (n * spread)));
				printf("  %s %.1f ns (made in %.1f ns an entry)",
					   level_format_name(level->format),
					   (seconds() - start) * 1e9 / (double) lookups,
					   made * 1e9 / (double) n);
			}
			printf("%s\n", found == 0 ? " none" : "");
			coordinates_free(rows);
		}
}

/* Adjacency times features: vectors in memory. */
static void
time_features(Coordinates *edges)
{
	NestValueType type = {true, ELEMENT_FLOAT8};
	Coordinates *features = coordinates_new(&memory, 1, 1, &type);
	double *elements = calloc((size_t) (nnodes * VECTOR), sizeof(double));
	NestDescription description = edges_description(edges, 1, "01", "0");
	Equation equation = {.noperands = 2,
						 .operands = {{0, {0}}, {1, {0}}},
						 .output = {1, {0}},
						 .nlabels = 1,
						 .letters = {'a'}};
	int64_t bounds[1] = {VECTOR};
	TensorView shape;

	view_contiguous(&shape, ELEMENT_FLOAT8, 1, bounds, NULL);
	for (int64_t i = 0; i < nnodes * VECTOR; i++)
		elements[i] = (double) (i % 7);
	for (int64_t i = 0; i < nnodes; i++)
	{
		NestValue value;

		value.tensor.elements = elements + i * VECTOR;
		value.tensor.shape = coordinates_shape(features, 0, &shape);
		coordinates_append(features, &i, &value);
	}
	description.noperands = 2;
	description.operands[1].coordinates = features;
	description.operands[1].labels[0] = 1;
	description.aggregates[0].kernel.narguments = 2;
	description.aggregates[0].kernel.arguments[1] =
		(NestArgument){NEST_ARGUMENT_VALUE, 1, 0};
	description.aggregates[0].kernel.equation = &equation;
	time_nest("a[0,1]*h[1,767]->[0,767]", &description, "01");
	coordinates_free(features);
	free(elements);
}

/* Adjacency times a vector of numbers. */
static void
time_vector(Coordinates *edges)
{
	NestValueType type = {false, ELEMENT_FLOAT8};
	Coordinates *vector = coordinates_new(&memory, 1, 1, &type);
	NestDescription description = edges_description(edges, 1, "01", "0");

	for (int64_t i = 0; i < nnodes; i++)
	{
		NestValue value = {.float8 = (double) (i % 7)};

		coordinates_append(vector, &i, &value);
	}
	description.noperands = 2;
	description.operands[1].coordinates = vector;
	description.operands[1].labels[0] = 1;
	description.aggregates[0].kernel.narguments = 2;
	description.aggregates[0].kernel.arguments[1] =
		(NestArgument){NEST_ARGUMENT_VALUE, 1, 0};
	time_nest("a[0,1]*x[1]->[0]", &description, "01");
	coordinates_free(vector);
}

int
main(int argc, char **argv)
{
	Coordinates *edges;
	NestDescription description;

	if (argc > 1)
		only = argv[1];
	read_edges();
	printf("%lld edges of %lld nodes\n", (long long) nedges, (long long) nnodes);
	time_reading();
	edges = edge_operand();
	description = edges_description(edges, 1, "01", "");
	time_nest("sum", &description, "01");
	description = edges_description(edges, 1, "01", "0");
	time_nest("row sums", &description, "01");
	time_nest("row sums, inside", &description, "10");
	description = edges_description(edges, 1, "01", "01");
	time_nest("all groups", &description, "01");
	description = edges_description(edges, 3, "011220", "");
	time_nest("triangles", &description, "");
	time_nest("triangles", &description, "012");
	description.aggregates[0].kernel.narguments = 0;
	time_nest("triangles, counted", &description, "");
	description = edges_description(edges, 2, "0112", "02");
	time_nest("a*a", &description, "");
	time_nest("a*a", &description, "012");
	time_nest("a*a, hashed", &description, "102");
	time_vector(edges);
	time_features(edges);
	if (*only == '\0')
		time_formats();
	return 0;
}
