/*-------------------------------------------------------------------------
 *
 * nest.c
 *	  Makes a nest: chooses the order of its loops, builds indexes, and allocates what
 *	  it needs to run.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "kernels/nest/loop_order.h"
#include "kernels/nest/nest_state.h"

/*
 * The array into which a fiber is spread has at most SPREAD_PLACES_PER_ENTRY places for
 * each entry of the level, or SPREAD_PLACES if that is more.
 */
#define SPREAD_PLACES_PER_ENTRY 4
#define SPREAD_PLACES 65536

/*
 * Estimated nanoseconds of the kernels for a joined tuple, to choose the order of the
 * loops.
 */
#define COST_NUMBERS 3.0
#define COST_TENSORS 100.0

/*
 * Steps of the search for an order of the loops: few enough to cost little compared with
 * reading the rows, and at most some hundredths of a second.
 */
#define SEARCH_EFFORT 20000.0
#define SEARCH_EFFORT_PER_ROW 5.0
#define MOST_SEARCH_EFFORT 1e7

/*
 * The different keys of a column are counted in a bitmap if that has at most this many
 * bits for each row.
 */
#define COUNTED_BITS_PER_ROW 64

Nest *
nest_new(NestMemory *memory, const NestDescription *description)
{
	Nest *nest = nest_allocate_zeroed(memory, sizeof(Nest));

	nest->memory = memory;
	nest->description = *description;
	nest->arena.memory = description->results ? description->results : memory;
	nest->arena.lasting = description->results != NULL;
	nest->stream.operand = -1;
	return nest;
}

/* ---- the order of the loops ---- */

/*
 * Returns the number of different keys in a column; an upper bound if a bitmap would be
 * too large.
 */
static double
count_column(Coordinates *coordinates, int key)
{
	NestMemory *memory = coordinates->memory;
	int64_t rows = coordinates->count;
	uint64_t range;
	uint64_t *bitmap;
	int64_t count = 0;

	if (rows == 0)
		return 0;
	coordinates_find_bounds(coordinates);
	range = (uint64_t) coordinates->greatest[key] - (uint64_t) coordinates->least[key];
	if (has_runs(coordinates) && key == coordinates->run)
		return fmin((double) range + 1, coordinates_run_indices(coordinates));
	if (coordinates->released || range / COUNTED_BITS_PER_ROW > (uint64_t) rows ||
		!nest_fits(memory, (double) range / 8))
		return (double) range < (double) rows ? (double) range + 1 : (double) rows;
	bitmap = nest_allocate_zeroed(memory, (range / 64 + 1) * sizeof(uint64_t));
	for (int c = 0; c < coordinates->nchunks; c++)
	{
		const Chunk *chunk = coordinates->chunks[c];

		for (int i = 0; i < chunk->count; i++)
		{
			uint64_t offset =
				(uint64_t) chunk_key(chunk, key, i) - (uint64_t) coordinates->least[key];

			bitmap[offset / 64] |= UINT64_C(1) << offset % 64;
		}
	}
	for (uint64_t i = 0; i <= range / 64; i++)
		count += __builtin_popcountll(bitmap[i]);
	nest_release(memory, bitmap);
	return (double) count;
}

/* Returns the number of different keys in a column; it is counted once. */
static double
count_keys(Coordinates *coordinates, int key)
{
	if (coordinates->counted[key] != coordinates->count)
	{
		coordinates->distinct[key] = count_column(coordinates, key);
		coordinates->counted[key] = coordinates->count;
	}
	return coordinates->distinct[key];
}

/*
 * Rows and different keys of each operand, as counted: the context of counted_distinct.
 */
typedef struct Counts
{
	double rows[NEST_MAX_OPERANDS];
	double keys[NEST_MAX_OPERANDS][NEST_MAX_LABELS];
} Counts;

static double
counted_distinct(const void *context, int operand, LoopLabels labels)
{
	const Counts *counts = context;
	double product = 1;

	for (; labels != 0; labels &= labels - 1)
		product *= counts->keys[operand][__builtin_ctzll(labels)];
	return product < counts->rows[operand] ? product : counts->rows[operand];
}

/* Reports the order in which an operand has been indexed already. */
static void
known_order(const NestOperand *operand, LoopOrderOperand *order)
{
	const Coordinates *coordinates = operand->coordinates;
	const Index *index = coordinates->indexes;

	if (index == NULL)
		return;
	order->nsorted = index->nlevels;
	for (int k = 0; k < coordinates->nkeys; k++)
		order->sorted[index->level_of_key[k]] = operand->labels[k];
}

/* Is a label one of runs of an operand? */
static bool
has_runs_of(const NestDescription *description, int label)
{
	for (int o = 0; o < description->noperands; o++)
	{
		const NestOperand *operand = &description->operands[o];

		if (operand->coordinates && has_runs(operand->coordinates) &&
			operand->labels[operand->coordinates->run] == label)
			return true;
	}
	return false;
}

void
nest_order_runs(Nest *nest)
{
	int n = 0;

	for (int runs = 0; runs < 2; runs++)
		for (int l = 0; l < nest->description.nlabels; l++)
			if (has_runs_of(&nest->description, l) == runs)
				nest->order[n++] = (uint8_t) l;
}

/* Returns the bytes that a result tensor of an aggregate has at the most. */
static double
result_bytes(const Nest *nest, int aggregate)
{
	return nest_most_elements(&nest->description,
							  &nest->description.aggregates[aggregate]) *
		   (double) element_size(nest->aggregates[aggregate].sum_type);
}

static void
choose_order(Nest *nest, const uint8_t *given)
{
	const NestDescription *description = &nest->description;
	NestMemory *memory = nest->memory;
	LoopOrderProblem *problem;
	LoopOrder *order;
	Counts *counts;

	if (given || description->nlabels < 2)
	{
		for (int i = 0; i < description->nlabels; i++)
			nest->order[i] = given ? given[i] : (uint8_t) i;
		return;
	}
	problem = nest_allocate_zeroed(memory, sizeof(LoopOrderProblem));
	order = nest_allocate_zeroed(memory, sizeof(LoopOrder));
	counts = nest_allocate_zeroed(memory, sizeof(Counts));
	problem->nlabels = description->nlabels;
	problem->noperands = description->noperands;
	problem->each_tuple = description->each_tuple;
	problem->distinct = counted_distinct;
	problem->context = counts;
	for (int i = 0; i < description->noutput; i++)
		problem->output |= UINT64_C(1) << description->output[i];
	for (int a = 0; a < description->naggregates; a++)
	{
		problem->kernel +=
			nest->aggregates[a].run == RUN_TENSORS ? COST_TENSORS : COST_NUMBERS;
		if (nest->aggregates[a].tensors)
			problem->result += result_bytes(nest, a);
	}
	problem->effort = SEARCH_EFFORT;
	for (int o = 0; o < description->noperands; o++)
	{
		const NestOperand *operand = &description->operands[o];
		LoopOrderOperand *to = &problem->operands[o];
		int nkeys = operand->coordinates ? operand->coordinates->nkeys : 1;

		to->optional = operand->optional;
		to->range = operand->coordinates == NULL;
		to->rows = to->range ? (double) operand->bound - (double) operand->first
				   : has_runs(operand->coordinates)
					   ? coordinates_run_indices(operand->coordinates)
					   : (double) operand->coordinates->count;
		if (to->rows < 0)
			to->rows = 0;
		counts->rows[o] = to->rows;
		problem->effort += SEARCH_EFFORT_PER_ROW * to->rows;
		for (int k = 0; k < nkeys; k++)
		{
			int label = operand->labels[k];
			double keys = to->range ? to->rows : count_keys(operand->coordinates, k);

			if (!(to->labels >> label & 1) || keys < counts->keys[o][label])
				counts->keys[o][label] = keys;
			to->labels |= UINT64_C(1) << label;
		}
		if (to->range)
			continue;
		known_order(operand, to);
		if (!has_runs(operand->coordinates))
			continue;
		to->run = fmax(to->rows / fmax((double) operand->coordinates->count, 1), 2);
		to->run_label = operand->labels[operand->coordinates->run];
	}
	problem->effort = fmin(problem->effort, MOST_SEARCH_EFFORT);
	loop_order_choose(problem, order);
	memcpy(nest->order, order->labels, (size_t) description->nlabels);
	nest_release(memory, problem);
	nest_release(memory, order);
	nest_release(memory, counts);
}

/* ---- indexes and loops ---- */

/*
 * Sets the level of each key column, in the order of the loops. Returns how many levels.
 */
static int
order_levels(const Nest *nest, const NestOperand *operand, uint8_t *level_of_key)
{
	int nkeys = operand->coordinates->nkeys;
	int nlevels = 0;

	for (int i = 0; i < nest->description.nlabels; i++)
	{
		bool has = false;

		for (int k = 0; k < nkeys; k++)
			if (operand->labels[k] == nest->order[i])
			{
				level_of_key[k] = (uint8_t) nlevels;
				has = true;
			}
		nlevels += has;
	}
	return nlevels;
}

static void
make_range(Nest *nest, int number)
{
	const NestOperand *operand = &nest->description.operands[number];
	IndexLevel *level = &nest->ranges[number];
	int64_t extent =
		operand->bound > operand->first ? operand->bound - operand->first : 0;

	*level = (IndexLevel){.format = LEVEL_RANGE,
						  .nparents = 1,
						  .count = extent,
						  .least = operand->first,
						  .extent = extent};
}

/* Moves rows into indexes, where operands have these; false if there are no such rows. */
static bool
move_rows(const Nest *nest)
{
	bool moved = false;

	for (int o = 0; o < nest->description.noperands; o++)
	{
		Coordinates *coordinates = nest->description.operands[o].coordinates;

		if (coordinates && coordinates_move_rows(coordinates))
			moved = true;
	}
	return moved;
}

bool
nest_make_index(Nest *nest, int o)
{
	const NestOperand *operand = &nest->description.operands[o];
	uint8_t level_of_key[NEST_MAX_KEYS];
	int nlevels;

	if (operand->coordinates == NULL)
	{
		make_range(nest, o);
		nest->depths[o] = 1;
		return true;
	}
	nlevels = order_levels(nest, operand, level_of_key);
	nest->indexes[o] = coordinates_index(operand->coordinates, nlevels, level_of_key);
	if (nest->indexes[o] == NULL && move_rows(nest))
		nest->indexes[o] = coordinates_index(operand->coordinates, nlevels, level_of_key);
	if (nest->indexes[o] == NULL)
		return false;
	nest->depths[o] = nlevels + nest->indexes[o]->repeated;
	return true;
}

static bool
make_indexes(Nest *nest)
{
	for (int o = 0; o < nest->description.noperands; o++)
	{
		if (!nest_make_index(nest, o))
			return false;
		nest->positions[o] = nest_allocate_zeroed(
			nest->memory, sizeof(int64_t) * (size_t) (nest->depths[o] + 1));
	}
	return true;
}

static bool
has_label(const NestOperand *operand, int label)
{
	int nkeys = operand->coordinates ? operand->coordinates->nkeys : 1;

	return memchr(operand->labels, label, (size_t) nkeys) != NULL;
}

static void
add_part(Nest *nest, NestLoop *loop, int operand, int depth)
{
	loop->parts[loop->nparts++] = (LoopPart){
		.operand = operand,
		.depth = depth,
		.level = nest->indexes[operand] ? &nest->indexes[operand]->levels[depth]
										: &nest->ranges[operand],
		.spread_parent = -1,
	};
}

static NestLoop *
add_loop(Nest *nest, int label)
{
	NestLoop *loop = &nest->loops[nest->nloops++];

	loop->label = label;
	loop->parts = nest_allocate_zeroed(
		nest->memory, sizeof(LoopPart) * (size_t) (nest->description.noperands + 1));
	return loop;
}

/* Returns the average number of rows of a key of an operand. */
static double
mean_rows(const Nest *nest, int operand)
{
	const IndexLevel *level = &nest->indexes[operand]->levels[nest->depths[operand] - 1];

	return level->nparents > 0 ? (double) level->count / (double) level->nparents : 0;
}

/*
 * Adds the loops over rows of one key, inside all other loops; the longest is the
 * innermost.
 */
static void
add_row_loops(Nest *nest)
{
	bool added[NEST_MAX_OPERANDS] = {false};

	for (;;)
	{
		int best = -1;
		NestLoop *loop;

		for (int o = 0; o < nest->description.noperands; o++)
			if (nest->indexes[o] && nest->indexes[o]->repeated && !added[o] &&
				(best < 0 || mean_rows(nest, o) < mean_rows(nest, best)))
				best = o;
		if (best < 0)
			return;
		added[best] = true;
		loop = add_loop(nest, -1);
		loop->nrequired = !nest->description.operands[best].optional;
		add_part(nest, loop, best, nest->depths[best] - 1);
	}
}

static void
make_loops(Nest *nest)
{
	const NestDescription *description = &nest->description;
	int depths[NEST_MAX_OPERANDS] = {0};

	nest->loops = nest_allocate_zeroed(
		nest->memory,
		sizeof(NestLoop) * (size_t) (description->nlabels + description->noperands + 1));
	for (int i = 0; i < description->nlabels; i++)
	{
		int label = nest->order[i];
		NestLoop *loop = add_loop(nest, label);

		for (int optional = 0; optional < 2; optional++)
		{
			for (int o = 0; o < description->noperands; o++)
			{
				const NestOperand *operand = &description->operands[o];

				if (operand->optional == optional && has_label(operand, label))
					add_part(nest, loop, o, depths[o]++);
			}
			if (!optional)
				loop->nrequired = loop->nparts;
		}
	}
	add_row_loops(nest);
	if (nest->nloops == 0)
		add_loop(nest, -1);
}

NestMemory *
level_memory(const Nest *nest, int operand)
{
	const Coordinates *coordinates = nest->description.operands[operand].coordinates;

	return coordinates ? coordinates->memory : nest->memory;
}

/*
 * Gives levels in which indices are located a table, a hash table, or an array to spread
 * fibers into.
 */
static void
make_locators(Nest *nest)
{
	for (int i = 0; i < nest->nloops; i++)
	{
		NestLoop *loop = &nest->loops[i];
		bool innermost = i == nest->nloops - 1;

		for (int p = 0; loop->nparts > 1 && p < loop->nparts; p++)
		{
			LoopPart *part = &loop->parts[p];
			IndexLevel *level = part->level;
			double most = SPREAD_PLACES_PER_ENTRY * (double) level->count;
			bool spread;

			if (most < SPREAD_PLACES)
				most = SPREAD_PLACES;
			spread = innermost && level->nparents > 1 && (double) level->extent <= most &&
					 nest_fits(nest->memory, sizeof(int32_t) * (double) level->extent);
			/* the account of the index, which may outlive the nest */
			level_make_locator(level_memory(nest, part->operand), level, !spread);
			if (!spread || level->format != LEVEL_COMPRESSED)
				continue;
			part->spread = nest_allocate(nest->memory,
										 sizeof(int32_t) * (size_t) (level->extent + 1));
			/* -1 and not 0, which is a position of the first fiber */
			memset(part->spread, -1, sizeof(int32_t) * (size_t) (level->extent + 1));
		}
	}
}

/* ---- what kernels need of a tuple ---- */

static void
need_position(Nest *nest, int operand)
{
	if (nest->buffer->positions[operand] == NULL)
		nest->buffer->positions[operand] =
			nest_allocate(nest->memory, sizeof(int32_t) * BUFFER);
	nest->counts_only = false;
}

static void
need_index(Nest *nest, int label)
{
	if (nest->buffer->indices[label] == NULL)
		nest->buffer->indices[label] =
			nest_allocate(nest->memory, sizeof(int64_t) * BUFFER);
	nest->counts_only = false;
}

void
nest_make_buffer(Nest *nest)
{
	const NestDescription *description = &nest->description;

	nest->buffer = nest_allocate_zeroed(nest->memory, sizeof(Buffer));
	nest->counts_only = true;
	for (int a = 0; a < description->naggregates; a++)
	{
		const NestAggregate *spec = &description->aggregates[a];

		if (nest->aggregates[a].run != RUN_COUNT)
			nest->counts_only = false;
		for (int i = 0; i < spec->kernel.narguments; i++)
		{
			const NestArgument *argument = &spec->kernel.arguments[i];

			if (argument->kind == NEST_ARGUMENT_INDEX)
				need_index(nest, argument->operand);
			else if (argument->kind != NEST_ARGUMENT_COMPUTED)
				need_position(nest, argument->operand);
		}
		for (int l = 0; spec->kind == NEST_STACK && l < description->nlabels; l++)
			if (spec->multipliers[l] != 0)
				need_index(nest, l);
	}
}

/* Allocates the positions that a strip of the innermost loop locates. */
static void
make_strip(Nest *nest)
{
	for (int p = 0; p < nest->loops[nest->nloops - 1].nparts; p++)
		nest->located[p] = nest_allocate_zeroed(nest->memory, sizeof(int32_t) * STRIP);
}

/* ---- the whole ---- */

/* Frees all that nest_prepare has made but the indexes. */
static void
unprepare(Nest *nest)
{
	NestMemory *memory = nest->memory;

	stream_free(nest);
	fibers_free(nest);
	groups_free(nest);
	aggregates_free(nest);
	for (int o = 0; o < nest->description.noperands; o++)
	{
		nest_release(memory, nest->positions[o]);
		nest->positions[o] = NULL;
		nest_release(memory, nest->located[o]);
		nest->located[o] = NULL;
		if (nest->buffer)
			nest_release(memory, nest->buffer->positions[o]);
		nest->indexes[o] = NULL;
	}
	for (int l = 0; nest->buffer && l < nest->description.nlabels; l++)
		nest_release(memory, nest->buffer->indices[l]);
	nest_release(memory, nest->buffer);
	nest->buffer = NULL;
	for (int i = 0; i < nest->nloops; i++)
	{
		for (int p = 0; p < nest->loops[i].nparts; p++)
			nest_release(memory, nest->loops[i].parts[p].spread);
		nest_release(memory, nest->loops[i].parts);
	}
	nest_release(memory, nest->loops);
	nest->loops = NULL;
	nest->nloops = 0;
}

/* Frees the indexes that the operands did not have before. */
static void
drop_indexes(Nest *nest, Index *const *before)
{
	for (int o = 0; o < nest->description.noperands; o++)
	{
		Coordinates *coordinates = nest->description.operands[o].coordinates;

		Index **index = coordinates ? &coordinates->indexes : NULL;

		while (index && *index != before[o])
		{
			Index *dropped = *index;

			/* rows are in it */
			if (dropped->nusers > 1)
			{
				index = &dropped->next;
				continue;
			}
			*index = dropped->next;
			index_free(coordinates->memory, dropped);
		}
	}
}

NestStatus
nest_prepare_by(Nest *nest, NestMaker make, const uint8_t *order)
{
	Index *before[NEST_MAX_OPERANDS] = {NULL};
	NestStatus status;

	for (int o = 0; o < nest->description.noperands; o++)
		if (nest->description.operands[o].coordinates)
			before[o] = nest->description.operands[o].coordinates->indexes;
	status = aggregates_begin(nest);
	if (status == NEST_DONE)
		status = make(nest, order);
	if (status == NEST_DONE && !groups_begin(nest))
		status = NEST_NO_MEMORY;
	if (status != NEST_DONE)
	{
		unprepare(nest);
		drop_indexes(nest, before);
	}
	else
	{
		for (int a = 0; a < nest->description.naggregates; a++)
			if (nest->aggregates[a].tensors)
				nest->result_bytes = (size_t) fmin(
					fmax((double) nest->result_bytes, result_bytes(nest, a)),
					(double) (SIZE_MAX / 2));
		nest->inner_products = has_inner_products(nest);
		fibers_begin(nest);
	}
	return status;
}

static NestStatus
make_nest(Nest *nest, const uint8_t *order)
{
	choose_order(nest, order);
	if (!make_indexes(nest))
		return NEST_NO_MEMORY;
	make_loops(nest);
	make_locators(nest);
	nest_make_buffer(nest);
	make_strip(nest);
	return NEST_DONE;
}

NestStatus
nest_prepare(Nest *nest, const uint8_t *order)
{
	return nest_prepare_by(nest, make_nest, order);
}

void
nest_free(Nest *nest)
{
	arena_free(&nest->arena);
	unprepare(nest);
	nest_release(nest->memory, nest);
}

bool
nest_result_type(const Nest *nest, int aggregate, ElementType *type)
{
	*type = nest->aggregates[aggregate].type;
	return nest->aggregates[aggregate].tensors;
}

const TensorView *
nest_result_shape(const Nest *nest, int aggregate, int shape)
{
	const NestArgument *argument =
		&nest->description.aggregates[aggregate].kernel.arguments[0];

	if (nest->aggregates[aggregate].run != RUN_TAKE)
		return &nest->aggregates[aggregate].shapes[shape];
	return coordinates_get_shape(
		nest->description.operands[argument->operand].coordinates, argument->column,
		shape);
}

const NestMismatch *
nest_mismatch(const Nest *nest)
{
	return &nest->mismatch;
}

const char *
level_format_name(LevelFormat format)
{
	static const char *const names[] = {"compressed", "dense", "hash",
										"range",      "rows",  "run"};

	return names[format];
}

const char *
accumulator_kind_name(AccumulatorKind kind)
{
	static const char *const names[] = {"single", "dense", "hash"};

	return names[kind];
}

void
nest_statistics(const Nest *nest, NestStatistics *statistics)
{
	memset(statistics, 0, sizeof(*statistics));
	statistics->streamed = nest->stream.operand;
	for (int o = 0; nest->stream.operand >= 0 && o < nest->description.noperands; o++)
		stream_statistics(nest, o, statistics);
	statistics->nloops = nest->nloops;
	for (int i = 0; i < nest->nloops; i++)
	{
		const NestLoop *loop = &nest->loops[i];

		statistics->labels[i] = loop->label;
		if (loop->label < 0 && loop->nparts > 0)
			statistics->labels[i] = -1 - loop->parts[0].operand;
		statistics->iterations[i] = loop->iterations;
		for (int p = 0; p < loop->nparts; p++)
		{
			const LoopPart *part = &loop->parts[p];
			NestLevelStatistics *level = &statistics->levels[part->operand][part->depth];

			level->label = loop->label;
			level->format = part->level->format;
			level->entries = part->level->count;
			statistics->nlevels[part->operand] = nest->depths[part->operand];
		}
	}
	statistics->accumulators = nest->groups.ascend               ? ACCUMULATOR_SINGLE
							   : nest->groups.kind == SLOT_DENSE ? ACCUMULATOR_DENSE
							   : nest->groups.kind == SLOT_HASH  ? ACCUMULATOR_HASH
																 : ACCUMULATOR_SINGLE;
	statistics->tuples = nest->ntuples;
	statistics->groups = nest->ngroups;
	statistics->enumerated = nest->enumerated;
	for (int o = 0; o < nest->description.noperands; o++)
	{
		const Coordinates *coordinates = nest->description.operands[o].coordinates;

		if (coordinates && coordinates->enumerated)
			statistics->enumerated += coordinates->count;
	}
}
