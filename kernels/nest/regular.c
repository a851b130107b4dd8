/*-------------------------------------------------------------------------
 *
 * regular.c
 *	  Whether a nest can meet values that no kernel takes together.
 *
 * The values of a column may differ in shape and still be regular: the blocks of a
 * tensor have one shape but for the last ones, which are shorter. That is proved from the
 * rows. A bound of a result is the same for all tuples of a group if rows that agree in
 * the labels of the groups agree in that bound. Two values that share a dimension have
 * the same bound in each tuple if rows that agree in the labels of both operands do.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "kernels/assume.h"
#include "kernels/nest/nest_state.h"

/* Rows that are read at a time. */
#define ROWS 256

/* A bound by the hash of the keys that it follows from. */
typedef struct BoundEntry
{
	uint64_t hash;
	int64_t bound; /* -1: the entry is free */
} BoundEntry;

typedef struct BoundTable
{
	NestMemory *memory;
	uint64_t mask; /* slots - 1 */
	BoundEntry *entries;
} BoundTable;

/* Where an equation has a label: a dimension of an argument. */
typedef struct Place
{
	const NestOperand *operand;
	int column;
	int dimension;
} Place;

/* Makes a table for this many rows; false if memory does not allow it. */
static bool
make_table(BoundTable *table, NestMemory *memory, int64_t rows)
{
	table->memory = memory;
	table->mask = 1;
	while (table->mask < 2 * (uint64_t) rows)
		table->mask = 2 * table->mask + 1;
	if (!nest_fits(memory, (double) sizeof(BoundEntry) * ((double) table->mask + 1)))
		return false;
	table->entries = nest_allocate(memory, sizeof(BoundEntry) * (table->mask + 1));
	for (uint64_t slot = 0; slot <= table->mask; slot++)
		table->entries[slot].bound = -1;
	return true;
}

/*
 * Enters a bound for keys with this hash; false if they have another one. Keys with equal
 * hashes count as equal, which may only deny what is true.
 */
static bool
enter_bound(BoundTable *table, uint64_t hash, int64_t bound)
{
	uint64_t slot = hash & table->mask;

	while (table->entries[slot].bound >= 0 && table->entries[slot].hash != hash)
		slot = (slot + 1) & table->mask;
	if (table->entries[slot].bound >= 0)
		return table->entries[slot].bound == bound;
	table->entries[slot] = (BoundEntry){.hash = hash, .bound = bound};
	return true;
}

/*
 * Sets columns to the operand's key columns of those labels, in the order of the labels.
 * Returns how many these are.
 */
static int
columns_of_labels(const NestOperand *operand, uint64_t labels, int *columns)
{
	int count = 0;

	for (; labels != 0; labels &= labels - 1)
		for (int k = 0; k < operand->coordinates->nkeys; k++)
			if (operand->labels[k] == __builtin_ctzll(labels))
			{
				columns[count++] = k;
				break;
			}
	return count;
}

/* Enters the bounds of a place by the keys of some labels; false if they contradict. */
static bool
enter_place(BoundTable *table, const Place *place, uint64_t labels)
{
	const Coordinates *coordinates = place->operand->coordinates;
	int columns[NEST_MAX_KEYS];
	int ncolumns = columns_of_labels(place->operand, labels, columns);
	int64_t keys[NEST_MAX_KEYS][ROWS];
	NestValue values[NEST_MAX_VALUES][ROWS];
	int64_t *key_columns[NEST_MAX_KEYS];
	NestValue *value_columns[NEST_MAX_VALUES];
	int64_t n;

	for (int k = 0; k < coordinates->nkeys; k++)
		key_columns[k] = keys[k];
	for (int v = 0; v < coordinates->nvalues; v++)
		value_columns[v] = values[v];
	for (int64_t first = 0; first < coordinates->count; first += n)
	{
		kernel_host.check_interrupts();
		n = coordinates_read(coordinates, first, ROWS, key_columns, value_columns);
		for (int row = 0; row < n; row++)
		{
			int shape = values[place->column][row].tensor.shape;
			uint64_t hash = 0;

			for (int c = 0; c < ncolumns; c++)
			{
				hash ^= (uint64_t) keys[columns[c]][row];
				hash *= UINT64_C(0x9E3779B97F4A7C15);
				hash ^= hash >> 32;
			}
			if (!enter_bound(table, hash,
							 coordinates_get_shape(coordinates, place->column, shape)
								 ->bounds[place->dimension]))
				return false;
		}
	}
	return true;
}

/*
 * Do the rows of a place, and of a second one unless it is NULL, have the same bound
 * there if they agree in these labels? False as well if that cannot be found out.
 */
static bool
bound_follows(const Place *place, const Place *second, uint64_t labels)
{
	BoundTable table;
	bool follows;

	if (!make_table(&table, place->operand->coordinates->memory,
					place->operand->coordinates->count +
						(second ? second->operand->coordinates->count : 0)))
		return false;
	follows = enter_place(&table, place, labels) &&
			  (second == NULL || enter_place(&table, second, labels));
	nest_release(table.memory, table.entries);
	return follows;
}

static uint64_t
labels_of(const NestOperand *operand)
{
	uint64_t labels = 0;

	/* a run has several indices of its label, which prove nothing */
	for (int k = 0; k < operand->coordinates->nkeys; k++)
		if (!has_runs(operand->coordinates) ||
			operand->labels[k] != operand->labels[operand->coordinates->run])
			labels |= UINT64_C(1) << operand->labels[k];
	return labels;
}

/* Returns the coordinates of an argument whose values are tensors; NULL if they are not. */
static const Coordinates *
tensor_argument(const NestDescription *description, const NestArgument *argument)
{
	const Coordinates *coordinates;

	if (argument->kind != NEST_ARGUMENT_VALUE)
		return NULL;
	coordinates = description->operands[argument->operand].coordinates;
	return coordinates->types[argument->column].tensors ? coordinates : NULL;
}

double
nest_most_elements(const NestDescription *description, const NestAggregate *aggregate)
{
	const NestKernel *kernel = &aggregate->kernel;
	const Equation *equation = kernel->equation;
	double extents[EQUATION_MAX_LABELS] = {0};
	double most = aggregate->kind == NEST_STACK ? (double) aggregate->bound : 1;
	double largest = 0;

	for (int i = 0; i < kernel->narguments; i++)
	{
		const Coordinates *coordinates =
			tensor_argument(description, &kernel->arguments[i]);
		int column = kernel->arguments[i].column;

		for (int s = 0; coordinates && s < coordinates->nshapes[column]; s++)
		{
			const TensorView *shape = &coordinates->shapes[column][s];

			largest = fmax(largest, (double) view_count(shape));
			for (int d = 0; equation && d < equation->operands[i].rank; d++)
				if (d < shape->rank)
				{
					double *extent = &extents[equation->operands[i].labels[d]];

					*extent = fmax(*extent, (double) shape->bounds[d]);
				}
		}
	}
	if (equation == NULL)
		return most * largest;
	for (int d = 0; d < equation->output.rank; d++)
		most *= extents[equation->output.labels[d]];
	return most;
}

/* Can the rows of an argument be looked at, and do they have this rank? */
static bool
has_rank(const NestDescription *description, const NestArgument *argument, int rank)
{
	const Coordinates *coordinates = tensor_argument(description, argument);

	if (coordinates == NULL)
		return rank == 0;
	/* a fill belongs to keys without a row */
	if (description->operands[argument->operand].optional || coordinates->released ||
		coordinates->streamed)
		return false;
	for (int s = 0; s < coordinates->nshapes[argument->column]; s++)
		if (coordinates->shapes[argument->column][s].rank != rank)
			return false;
	return true;
}

/* Do all values of a place have this bound? */
static bool
has_bound(const Place *place, int64_t bound)
{
	const Coordinates *coordinates = place->operand->coordinates;

	for (int s = 0; s < coordinates->nshapes[place->column]; s++)
		if (coordinates->shapes[place->column][s].bounds[place->dimension] != bound)
			return false;
	return true;
}

/*
 * Is a dimension that stands in several places the same in each tuple, and, if it is one
 * of the result, in each group?
 */
static bool
dimension_is_regular(const Place *places, int nplaces, bool in_result, uint64_t group)
{
	const Coordinates *first = places->operand->coordinates;
	bool alike = true;

	if (first->nshapes[places->column] == 0)
		return true;
	for (int p = 0; alike && p < nplaces; p++)
		alike = has_bound(&places[p],
						  first->shapes[places->column][0].bounds[places->dimension]);
	if (alike)
		return true;
	for (int p = 1; p < nplaces; p++)
		if (!bound_follows(&places[0], &places[p],
						   labels_of(places[0].operand) & labels_of(places[p].operand)))
			return false;
	return !in_result ||
		   bound_follows(&places[0], NULL, labels_of(places[0].operand) & group);
}

/* Is a product of tensors regular? */
static bool
product_is_regular(const NestDescription *description, const NestKernel *kernel,
				   uint64_t group)
{
	const Equation *equation = kernel->equation;

	for (int i = 0; i < kernel->narguments; i++)
		if (!has_rank(description, &kernel->arguments[i], equation->operands[i].rank))
			return false;
	for (int label = 0; label < equation->nlabels; label++)
	{
		Place places[EQUATION_MAX_OPERANDS * TENSOR_MAX_RANK];
		int nplaces = 0;
		bool in_result = false;

		for (int i = 0; i < kernel->narguments; i++)
			for (int d = 0; d < equation->operands[i].rank; d++)
				if (equation->operands[i].labels[d] == label)
					places[nplaces++] =
						(Place){&description->operands[kernel->arguments[i].operand],
								kernel->arguments[i].column, d};
		/* each label of an equation is one of an operand */
		ASSUME(nplaces > 0);
		for (int d = 0; d < equation->output.rank; d++)
			in_result = in_result || equation->output.labels[d] == label;
		if (!dimension_is_regular(places, nplaces, in_result, group))
			return false;
	}
	return true;
}

/* Is a sum of values as they are regular? */
static bool
values_are_regular(const NestDescription *description, const NestArgument *argument,
				   uint64_t group)
{
	const Coordinates *coordinates = tensor_argument(description, argument);
	int rank = coordinates->shapes[argument->column][0].rank;

	if (!has_rank(description, argument, rank))
		return false;
	for (int d = 0; d < rank; d++)
	{
		Place place = {&description->operands[argument->operand], argument->column, d};

		if (!dimension_is_regular(&place, 1, true, group))
			return false;
	}
	return true;
}

/* Do the values of an argument differ in shape? */
static bool
shapes_differ(const NestDescription *description, const NestKernel *kernel)
{
	for (int i = 0; i < kernel->narguments; i++)
	{
		const Coordinates *coordinates =
			tensor_argument(description, &kernel->arguments[i]);

		if (coordinates && coordinates->nshapes[kernel->arguments[i].column] > 1)
			return true;
	}
	return false;
}

bool
nest_shapes_are_regular(const NestDescription *description)
{
	uint64_t group = 0;

	for (int l = 0; l < description->noutput; l++)
		group |= UINT64_C(1) << description->output[l];
	for (int a = 0; a < description->naggregates; a++)
	{
		const NestKernel *kernel = &description->aggregates[a].kernel;

		if (description->aggregates[a].kind == NEST_TAKE ||
			!shapes_differ(description, kernel))
			continue;
		/* no later result may be too large, whatever the type is that is added up */
		if (description->most_bytes > 0 &&
			nest_most_elements(description, &description->aggregates[a]) *
					(double) sizeof(Number) >
				description->most_bytes)
			return false;
		if (kernel->program ||
			!(kernel->equation
				  ? product_is_regular(description, kernel, group)
				  : values_are_regular(description, &kernel->arguments[0], group)))
			return false;
	}
	return true;
}
