/*-------------------------------------------------------------------------
 *
 * nest_cost.c
 *	  What a loop nest costs, and whether it runs in parts or streams an operand.
 *
 * Rows that do not fit in memory are divided by a label of the groups; all parts but the
 * first are written to files. What lacks the label is kept for all parts. Where that does
 * not fit, nothing helps. Operands that are divided share no rows.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stddef.h>

#include "kernels/nest/nest_cost.h"

/* Microseconds of an iteration beyond those that the loops expect. */
#define TUPLE_TIME 0.005

/* Bytes of a key, and of where its fiber begins, in rows and indexes; and of a number. */
#define KEY_BYTES 4.0
#define NUMBER_BYTES 8.0
/* Bytes of a row while it is indexed, which one operand is at a time. */
#define INDEXED_BYTES 9.0
/* Of rows in chunks: the most that find no use, and their share if few. */
#define UNUSED_ROWS 4096.0
#define UNUSED_SHARE 0.5
/* Bytes of a key, a number and the operand's number in a file. */
#define FILE_KEY_BYTES 4.0
#define FILE_NUMBER_BYTES 8.0
#define FILE_ROW_BYTES 1.0

/*
 * Groups that are there at once, at the most, over those on average; and arrays are
 * doubled.
 */
#define GROUPS_OF_LARGEST 10.0

/* Parts, and how much larger than the mean one may be. */
#define MOST_PARTS 1024.0
#define UNEVEN 1.3
/* Of a label with fewer keys for each part they are larger. */
#define KEYS_PER_PART 4.0

/* Bytes of some operands. */
typedef struct Memory
{
	double rows;    /* keys and numbers in indexes, and keys beside these */
	double indexed; /* that the largest takes beside while an index is built */
	double tensors;
	double spill; /* microseconds of writing all to files and reading it again */
} Memory;

/* The keys of one label that an operand has. */
static double
keys_of_label(const NestCostInput *input, int operand, int label)
{
	return fmin(input->operands[operand].keys[label],
				input->loops.operands[operand].rows);
}

/*
 * Estimates the distinct keys of an operand in some labels, as if they were independent.
 */
static double
distinct_keys(const void *context, int operand, LoopLabels labels)
{
	const NestCostInput *input = context;
	double product = 1.0;

	for (; labels != 0; labels &= labels - 1)
		product *= input->operands[operand].keys[__builtin_ctzll(labels)];
	return fmin(product, input->loops.operands[operand].rows);
}

static double
skew_of_label(const void *context, int operand, int other, int label)
{
	const NestCostInput *input = context;

	return input->skew(input->context, operand, other, label);
}

static int
nkeys_of(const NestCostInput *input, int operand)
{
	return __builtin_popcountll(input->loops.operands[operand].labels);
}

static bool
has_label(const NestCostInput *input, int operand, int label)
{
	return label >= 0 && (input->loops.operands[operand].labels >> label & 1) != 0;
}

/* Bytes of the keys and numbers of a group. */
static double
group_bytes(const NestCostInput *input)
{
	return (__builtin_popcountll(input->loops.output) + 1 + input->nresults) *
		   sizeof(double);
}

/*
 * Bytes of an index of an operand's rows. The outer levels have the keys of fewer labels,
 * at the most those of the labels with most keys.
 */
static double
index_bytes(const NestCostInput *input, int operand)
{
	double rows = loop_order_kept_rows(&input->loops.operands[operand]);
	LoopLabels left = input->loops.operands[operand].labels;
	double bytes = rows * input->operands[operand].nnumbers * NUMBER_BYTES;
	double positions = 1.0;

	while (left != 0)
	{
		int most = __builtin_ctzll(left);

		for (LoopLabels l = left; l != 0; l &= l - 1)
			if (keys_of_label(input, operand, __builtin_ctzll(l)) >
				keys_of_label(input, operand, most))
				most = __builtin_ctzll(l);
		left &= ~(UINT64_C(1) << most);
		positions = fmin(positions * keys_of_label(input, operand, most), rows);
		/* the innermost level has a position for each row, which no fiber begins at */
		bytes += left == 0 ? rows * KEY_BYTES : 2.0 * positions * KEY_BYTES;
	}
	return bytes;
}

/*
 * Bytes of the keys of rows that have moved into an index, which has the innermost ones.
 */
static double
moved_bytes(const NestCostInput *input, int operand)
{
	return loop_order_kept_rows(&input->loops.operands[operand]) *
		   fmax(nkeys_of(input, operand) - 1, 0.0) * KEY_BYTES;
}

double
nest_cost_operand_bytes(const NestCostInput *input, int operand)
{
	return index_bytes(input, operand) + moved_bytes(input, operand);
}

/*
 * How many indexes the rows of an operand have: one for each operand that shares them and
 * lacks the label of parts, -1 without parts; at the most one for each order of the keys.
 */
static double
count_indexes(const NestCostInput *input, int operand, int label)
{
	double count = 1.0;
	double orders = tgamma(nkeys_of(input, operand) + 1.0);

	for (int o = 0; o < input->loops.noperands; o++)
		if (input->operands[o].shared == operand && !has_label(input, o, label))
			count++;
	return fmin(count, orders);
}

/* Bytes of a row in chunks (coordinates.h). */
static double
row_bytes(const NestCostInput *input, int operand)
{
	return nkeys_of(input, operand) * KEY_BYTES +
		   input->operands[operand].nnumbers * NUMBER_BYTES;
}

/* Bytes that the chunks of an operand's rows have and do not use. */
static double
unused_bytes(const NestCostInput *input, int operand)
{
	double rows = loop_order_kept_rows(&input->loops.operands[operand]);

	return fmin(rows * UNUSED_SHARE, UNUSED_ROWS) * row_bytes(input, operand);
}

/*
 * Adds an operand whose rows are streamed without an index, and kept as joined tuples are
 * returned with them.
 */
static void
add_streamed(Memory *memory, const NestCostInput *input, int operand)
{
	double rows = loop_order_kept_rows(&input->loops.operands[operand]);

	memory->rows += rows * row_bytes(input, operand) + unused_bytes(input, operand);
	memory->tensors += rows * input->operands[operand].tensor_bytes;
}

/*
 * Adds an operand that has some indexes. Where memory is short its rows move into the
 * first one before the second one is built (coordinates_move_rows), but not before all
 * are read.
 */
static void
add_memory(Memory *memory, const NestCostInput *input, int operand, double nindexes)
{
	const NestCostOperand *facts = &input->operands[operand];
	int nkeys = nkeys_of(input, operand);
	double rows = loop_order_kept_rows(&input->loops.operands[operand]);
	double file = FILE_ROW_BYTES + nkeys * FILE_KEY_BYTES +
				  facts->nnumbers * FILE_NUMBER_BYTES + facts->tensor_bytes;
	double index = index_bytes(input, operand);
	double moved = moved_bytes(input, operand);
	double not_moved =
		rows * row_bytes(input, operand) - moved - (nindexes - 1.0) * index;

	memory->rows += nindexes * index + moved;
	memory->indexed = fmax(memory->indexed, rows * INDEXED_BYTES + fmax(not_moved, 0.0) +
												unused_bytes(input, operand));
	memory->tensors += rows * facts->tensor_bytes;
	memory->spill += rows * (NEST_SPILL_TIME + file * NEST_SPILL_BYTE_TIME);
}

/*
 * How many parts, 1 for all at once, it takes to fit in memory beside what all of them
 * need; INFINITY if too many.
 */
static double
count_parts(const NestCostInput *input, const Memory *all, const Memory *divided,
			double groups)
{
	double room = input->memory - all->rows - all->indexed;
	double tensor_room = input->tensor_memory - all->tensors;
	double taken = divided->rows + divided->indexed + groups;
	double parts = 1.0;

	if (taken <= room && divided->tensors <= tensor_room)
		return parts;
	/* some of the parts are larger than others */
	while (parts <= MOST_PARTS && (taken * UNEVEN > room * parts ||
								   divided->tensors * UNEVEN > tensor_room * parts))
		parts *= 2.0;
	return parts <= MOST_PARTS ? parts : INFINITY;
}

/*
 * The keys of a label by which there are parts: of an operand that decides which are
 * joined; -1 without one.
 */
static double
keys_to_divide(const NestCostInput *input, int label)
{
	double keys = -1.0;

	for (int o = 0; o < input->loops.noperands; o++)
	{
		const LoopOrderOperand *operand = &input->loops.operands[o];

		/* rows that are runs would be of several parts */
		if (operand->run > 1 && operand->run_label == label)
			return -1.0;
		/* a range has the indices of all parts */
		if (has_label(input, o, label) && !operand->range && !operand->optional)
			keys = fmax(keys, keys_of_label(input, o, label));
	}
	return keys;
}

/*
 * Chooses the label by which there are parts: that with which least is spilled. Returns
 * what that costs; INFINITY if nothing makes it fit.
 */
static double
choose_parts(const NestCostInput *input, const LoopOrder *order, NestCost *cost)
{
	double groups = input->loops.each_tuple
						? 0.0
						: fmin(order->groups_at_once * GROUPS_OF_LARGEST, order->groups) *
							  group_bytes(input);
	double least = INFINITY;
	double most = 0.0;
	Memory none = {0};
	Memory whole = {0};
	bool fits;

	for (int o = 0; o < input->loops.noperands; o++)
		if (!input->loops.operands[o].range && input->operands[o].shared < 0)
			add_memory(&whole, input, o, count_indexes(input, o, -1));
	fits = count_parts(input, &none, &whole, groups) <= 1.0;
	cost->label = -1;
	cost->parts = 1;
	for (int d = 0; d < input->ndivisible; d++)
	{
		int label = input->divisible[d];
		double keys = keys_to_divide(input, label);
		Memory all = {0};
		Memory divided = {0};
		double count;
		double again;

		if (keys < 0)
			continue;
		for (int o = 0; o < input->loops.noperands; o++)
		{
			int shared = input->operands[o].shared;

			if (input->loops.operands[o].range)
				continue;
			if (has_label(input, o, label))
				add_memory(&divided, input, o, 1.0);
			else if (shared < 0 || has_label(input, shared, label))
				add_memory(&all, input, o, count_indexes(input, o, label));
		}
		count = fits ? 1.0 : count_parts(input, &all, &divided, groups);
		if (count > 1.0 && count * KEYS_PER_PART > keys)
			count = INFINITY;
		/* the first part stays in memory */
		again = isfinite(count) ? (count - 1.0) / count * divided.spill : INFINITY;
		/* where no parts are expected, the label that would divide most */
		if (cost->label >= 0 &&
			(again > least || (again == least && divided.rows <= most)))
			continue;
		least = again;
		most = divided.rows;
		cost->label = label;
		cost->parts = isfinite(count) ? (int) count : 1;
	}
	if (cost->label >= 0)
		return least;
	return fits ? 0.0 : INFINITY;
}

/* Microseconds of making keys of a number of an operand's rows integers. */
static double
key_time(const NestCostInput *input, int operand, double rows)
{
	double time = 0.0;

	for (LoopLabels left = input->operands[operand].numbered; left != 0; left &= left - 1)
		time += rows * NEST_LOOKUP_TIME +
				fmin(keys_of_label(input, operand, __builtin_ctzll(left)), rows) *
					NEST_NEW_KEY_TIME;
	return time;
}

/*
 * Microseconds of writing the keys of all dictionaries for other processes, and of adding
 * theirs.
 */
static double
shared_key_time(const NestCostInput *input)
{
	double time = 0.0;

	for (int l = 0; l < input->loops.nlabels; l++)
	{
		double most = 0.0;

		/* those that are joined have mostly the same keys */
		for (int o = 0; o < input->loops.noperands; o++)
			if (input->operands[o].numbered >> l & 1)
				most = fmax(most, keys_of_label(input, o, l));
		/* each process has most keys in its share */
		time += most * ((input->nprocesses - 1) * NEST_LOOKUP_TIME + NEST_NEW_KEY_TIME);
	}
	return time;
}

/* Microseconds of keeping the tensors of an operand's rows. */
static double
copying_time(const NestCostInput *input, int operand)
{
	return input->loops.operands[operand].rows * input->operands[operand].copied_bytes *
		   NEST_COPY_BYTE_TIME;
}

/*
 * Microseconds of what returns that many rows of an operand: all, or those that are kept.
 */
static double
scan_of_rows(const NestCostInput *input, int operand, double rows)
{
	double all = input->loops.operands[operand].rows;

	return rows < all ? input->operands[operand].scan * rows / all
					  : input->operands[operand].scan;
}

/* Microseconds of what joined tuples and groups take, once the operands are there. */
static double
loops_time(const NestCostInput *input, const LoopOrder *order)
{
	double kernels = input->kernel + input->nkernels * NEST_NUMBERS_TIME +
					 input->nfunctions * NEST_FUNCTION_TIME +
					 input->operations * NEST_OPERATION_TIME;

	return input->returned * NEST_GROUP_TIME + order->cost / 1e3 +
		   fmax(input->tuples - order->tuples, 0.0) * TUPLE_TIME +
		   fmax(input->tuples, order->tuples) * kernels;
}

/*
 * Microseconds of reading the operands and running what order describes. What is not
 * divided is read once for all.
 */
static double
run_time(const NestCostInput *input, const LoopOrder *order, int stream, bool divided,
		 bool kept_in_rounds)
{
	double time = NEST_START_TIME + loops_time(input, order);

	for (int o = 0; o < input->loops.noperands; o++)
	{
		const NestCostOperand *operand = &input->operands[o];
		bool kept = o != stream || input->loops.each_tuple;
		double rows = o == stream ? input->loops.operands[o].rows
								  : loop_order_kept_rows(&input->loops.operands[o]);
		double share = kept_in_rounds ? operand->share : 1.0;

		if (input->loops.operands[o].range || (operand->shared >= 0 && !divided))
			continue;
		time += share * (scan_of_rows(input, o, rows) + key_time(input, o, rows) +
						 rows * (kept ? NEST_READ_TIME : NEST_STREAM_TIME) +
						 (kept ? copying_time(input, o) : 0.0));
	}
	return time;
}

/*
 * Is an operand the only one that wants its rows, in the nest and in further rounds of a
 * loop?
 */
static bool
is_wanted_once(const NestCostInput *input, int operand)
{
	if (input->operands[operand].share < 1.0 || input->operands[operand].shared >= 0)
		return false;
	for (int o = 0; o < input->loops.noperands; o++)
		if (input->operands[o].shared == operand)
			return false;
	return true;
}

/*
 * The operand to stream, or -1: that with which least time is taken. order becomes what
 * is expected of it. All groups are there at once then, but the rows of the operand are
 * not, unless joined tuples are returned with them.
 */
static int
choose_stream(const NestCostInput *input, LoopOrder *order)
{
	double least = INFINITY;
	int best = -1;

	for (int o = 0; o < input->loops.noperands; o++)
	{
		Memory none = {0};
		Memory kept = {0};
		LoopOrder streamed;
		double groups;
		double time;

		if (!is_wanted_once(input, o) ||
			!loop_order_cost_stream(&input->loops, o, &streamed))
			continue;
		time = streamed.cost / 1e3 - copying_time(input, o);
		if (best >= 0 && time >= least)
			continue;
		for (int p = 0; p < input->loops.noperands; p++)
		{
			if (input->loops.operands[p].range || input->operands[p].shared >= 0)
				continue;
			if (p != o)
				add_memory(&kept, input, p, count_indexes(input, p, -1));
			else if (input->loops.each_tuple)
				add_streamed(&kept, input, p);
		}
		groups = input->loops.each_tuple
					 ? 0.0
					 : streamed.groups * (group_bytes(input) + input->loops.result);
		if (count_parts(input, &none, &kept, groups) > 1.0)
			continue;
		best = o;
		least = time;
		*order = streamed;
	}
	return best;
}

/*
 * Sets the parts of indexes that others bear: what rounds of a loop keep is indexed in
 * one of them.
 */
static void
share_indexes(NestCostInput *input, bool kept_in_rounds)
{
	for (int o = 0; o < input->loops.noperands; o++)
		input->loops.operands[o].shared =
			kept_in_rounds ? 1.0 - input->operands[o].share : 0.0;
}

static void
cost_serial(NestCostInput *input, NestCost *cost)
{
	LoopOrder order;
	LoopOrder streamed = {.tuples = 0.0};
	double stream_time = INFINITY;
	double again;
	bool divided;

	share_indexes(input, true);
	cost->stream = choose_stream(input, &streamed);
	if (cost->stream >= 0)
		stream_time = run_time(input, &streamed, cost->stream, false, true);
	loop_order_choose(&input->loops, &order);
	again = choose_parts(input, &order, cost);
	divided = cost->parts > 1;
	if (divided || !isfinite(again))
	{
		/* what does not fit at once is not kept */
		share_indexes(input, false);
		loop_order_choose(&input->loops, &order);
	}
	cost->time = run_time(input, &order, -1, divided, !divided && isfinite(again)) +
				 (isfinite(again) ? again : 0.0);
	cost->tuples = fmax(input->tuples, order.tuples);
	cost->fits = isfinite(again) || cost->stream >= 0;
	if (cost->stream >= 0 && (stream_time < cost->time || !isfinite(again)))
	{
		cost->parts = 1;
		cost->time = stream_time;
		cost->tuples = fmax(input->tuples, streamed.tuples);
	}
	else
		cost->stream = -1;
}

/*
 * The share of the groups that fall to the process with most of them, which all wait for:
 * as many as expected and a standard deviation more. So a few groups are not divided
 * evenly.
 */
static double
largest_share(double nprocesses, double ngroups)
{
	double mean = 1.0 / nprocesses;

	return fmin(mean + sqrt(mean * (1.0 - mean) / fmax(ngroups, 1.0)), 1.0);
}

/*
 * What reading an operand takes one of the processes: scanning its share, writing that,
 * and reading what it needs.
 */
static double
shared_reading_time(const NestCostInput *input, int operand, const NestCost *cost)
{
	const NestCostOperand *facts = &input->operands[operand];
	bool divided = has_label(input, operand, cost->label);
	double rows = input->loops.operands[operand].rows;
	/* others wait for the process that reads all of them */
	double mine = facts->read_by_all ? rows / input->nprocesses : rows;

	return facts->scan +
		   mine * (NEST_READ_TIME + NEST_SHARE_TIME +
				   facts->copied_bytes * NEST_COPY_BYTE_TIME) +
		   key_time(input, operand, mine) +
		   rows * (divided ? cost->share : 1.0) * NEST_READ_TIME +
		   (divided ? 0.0 : rows * NEST_INDEX_TIME);
}

/*
 * That of one of several processes: that with most of the groups. Each indexes the
 * operands that all parts need.
 */
static void
cost_parallel(NestCostInput *input, NestCost *cost)
{
	LoopOrder order;
	double again;

	for (int o = 0; o < input->loops.noperands; o++)
		input->operands[o].shared = -1;
	share_indexes(input, false);
	loop_order_choose(&input->loops, &order);
	cost->stream = -1;
	cost->tuples = fmax(input->tuples, order.tuples);
	again = choose_parts(input, &order, cost);
	cost->fits = isfinite(again) && cost->label >= 0;
	if (!cost->fits)
		return;
	cost->share = largest_share(input->nprocesses, keys_to_divide(input, cost->label));
	cost->time = NEST_START_TIME + NEST_BARRIER_TIME + shared_key_time(input) +
				 again / input->nprocesses + cost->share * loops_time(input, &order);
	for (int o = 0; o < input->loops.noperands; o++)
		if (!input->loops.operands[o].range)
			cost->time += shared_reading_time(input, o, cost);
}

void
nest_cost(NestCostInput *input, NestCost *cost)
{
	bool runs = false;

	*cost = (NestCost){.share = 1.0};
	input->loops.distinct = distinct_keys;
	input->loops.skew = input->skew ? skew_of_label : NULL;
	input->loops.context = input;
	if (input->nprocesses == 1)
		cost_serial(input, cost);
	for (int o = 0; o < input->loops.noperands; o++)
		runs = runs || input->loops.operands[o].run > 1;
	if (input->nprocesses > 1 || (!cost->fits && runs))
	{
		/* parts may be of the labels of runs, which then become rows of single indices */
		for (int o = 0; o < input->loops.noperands; o++)
			input->loops.operands[o].run = 1;
		if (input->nprocesses > 1)
			cost_parallel(input, cost);
		else
			cost_serial(input, cost);
	}
	if (input->key_memory > input->memory)
		cost->fits = false;
}
