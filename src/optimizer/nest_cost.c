/*-------------------------------------------------------------------------
 *
 * nest_cost.c
 *	  The cost model: what a stage costs as one loop nest.
 *
 * AggregateJoin (executor/README.md) runs join, kernel and groups of a stage in one
 * loop nest. A joined tuple takes nanoseconds there and a tenth of a microsecond in
 * PostgreSQL's joins and aggregates, so that it decides what is promoted. The loops cost
 * what kernels/nest/loop_order.c says, which is asked again when the rows are known.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "miscadmin.h"

#include "catalog/tensor_storage.h"
#include "kernels/nest/loop_order.h"
#include "optimizer/nest_cost.h"
#include "optimizer/plan.h"
#include "optimizer/settings.h"
#include "optimizer/tuple_size.h"
#include "statistics/skew.h"
#include "type/detoast_cache.h"

/* Nanoseconds of a kernel of numbers, beside those of each function in it. */
#define NUMBERS_TIME 2.0

/* Bytes of a row: of each key and of a number, indexed; and of the largest operand while its index is built. */
#define ROW_KEY_BYTES 12.0
#define ROW_NUMBER_BYTES 16.0
#define INDEXED_BYTES 9.0

/* Microseconds of a row that is written to a file and read again, and of each byte of a tensor in it. */
#define SPILL_TIME 0.08
#define SPILL_BYTE_TIME 0.001

/* Microseconds of a key that is looked up in a dictionary. */
#define DICTIONARY_TIME 0.06

/* Has a tensor values? Else its entries are 1. */
static bool
has_values(const Operand *operand)
{
	ListCell *lc;

	if (operand->tensor->entry == NULL)
		return true;
	foreach (lc, operand->tensor->entry->storages)
		if (((const Storage *) lfirst(lc))->value_attno != InvalidAttrNumber)
			return true;
	return false;
}

/*
 * Do two operands read the same rows and the same keys of them? A label that an operand has twice is a
 * condition.
 */
static bool
read_the_same(const Operand *a, const Operand *b, const Decomposition *choice)
{
	LabelMask keys = keys_of(choice);

	if (a->tensor != b->tensor || pg_popcount32(a->mask) < a->rank ||
		pg_popcount32(b->mask) < b->rank)
		return false;
	for (int d = 0; d < a->rank; d++)
	{
		LabelMask of_a = 1u << a->labels[d];
		LabelMask of_b = 1u << b->labels[d];

		if (((of_a & keys) != 0) != ((of_b & keys) != 0) ||
			((of_a & choice->blocked) != 0) != ((of_b & choice->blocked) != 0) ||
			(of_a & choice->blocked &&
			 choice->block[a->labels[d]] != choice->block[b->labels[d]]))
			return false;
	}
	return a->producer == NULL;
}

void
describe_nest(const Stage *stage, const Decomposition *choice, const JoinedTerm *joined,
			  double groups, NestJoin *join)
{
	const Term *term = &stage->terms[0];
	int place[STAGE_NEST_OPERANDS]; /* of an operand in the nest */

	join->noperands = 0;
	join->outer = 0;
	join->tuples = joined->tuples;
	join->groups = groups;
	join->numbers = true;
	for (int o = 0; o < term->noperands; o++)
	{
		const Operand *operand = &term->operands[o];
		NestOperandRows *rows = &join->operands[join->noperands];
		int l;

		if (!(joined->read & (1u << o)))
			continue;
		if (operand->outer)
			join->outer |= 1u << join->noperands;
		place[o] = join->noperands++;
		rows->keys = operand->mask & keys_of(choice);
		rows->tuples = joined->operand_tuples[o];
		rows->read = joined->operand_reads[o];
		(void) tuple_bytes(stage, operand->mask, choice, &rows->value_bytes);
		if ((operand->mask & ~choice->promoted) == 0)
			rows->value_bytes = 0.0;
		else
			join->numbers = false;
		rows->skew = operand->estimate->skew;
		rows->indices = operand->estimate->values;
		rows->numbers = rows->value_bytes == 0.0 && has_values(operand);
		rows->computed = operand->producer != NULL;
		rows->shared = false;
		rows->read_again = false;
		rows->lasts = stage->varies && !operand_varies(operand);
		for (int p = 0; p < o && !rows->shared; p++)
		{
			rows->shared = (joined->read & (1u << p)) != 0 &&
						   read_the_same(&term->operands[p], operand, choice);
			if (rows->shared)
				join->operands[place[p]].read_again = true;
		}
		FOREACH_LABEL (l, rows->keys)
			rows->values[l] = key_values(operand->estimate, l, choice, stage->bounds[l]);
	}
}

/* The labels whose keys have no integer values of their own: a nest looks them up in dictionaries. */
static LabelMask
numbered_labels(const Stage *stage)
{
	const Term *term = &stage->terms[0];
	LabelMask numbered = 0;
	ListCell *lc;

	for (int o = 0; o < term->noperands; o++)
	{
		const Operand *operand = &term->operands[o];

		if (operand->tensor->entry == NULL)
			continue;
		foreach (lc, operand->tensor->entry->storages)
		{
			const Storage *storage = lfirst(lc);

			for (int i = 0; i < operand->rank; i++)
				if (bound_is_open(stage->labels[operand->labels[i]].bound) &&
					is_numbered_key(&storage->dimensions[i]))
					numbered |= 1u << operand->labels[i];
		}
	}
	return numbered;
}

/*
 * Is a vector cut into its elements? The node VectorEntries has them, and an estimate of their number.
 */
static bool
cuts_vector(const Decomposition *stored, const Decomposition *needed, int rank)
{
	return rank == 1 && keys_of(stored) == 0 && needed->promoted == 1;
}

/*
 * Is it there without cutting values into others? What does that returns rows that PostgreSQL cannot
 * estimate, so that it would not find the nest cheaper.
 */
static bool
has_rows(const Operand *operand, const Decomposition *choice)
{
	Decomposition needed = operand_decomposition(operand, choice);
	ListCell *lc;

	if (operand->tensor->entry == NULL)
		return true;
	foreach (lc, operand->tensor->entry->storages)
	{
		Decomposition stored = storage_decomposition(lfirst(lc));
		Decomposition finer = finer_decomposition(&stored, &needed, operand->rank);

		if (same_decomposition(&finer, &stored) ||
			cuts_vector(&stored, &needed, operand->rank))
			return true;
	}
	return false;
}

bool
nest_is_possible(const Stage *stage, const Decomposition *choice)
{
	const Term *term = &stage->terms[0];
	int nvalues = 0;

	if (enable_aggregate_join == NODES_OFF || stage->nterms != 1 || term->union_of != 0 ||
		term->needed != NULL || term->extension != 0 ||
		term->kernel->kind == KERNEL_MATRIX)
		return false;
	/* the scan of one operand returns what is computed of it already */
	if (!stage_groups(stage, keys_of(choice)) &&
		(term->noperands < 2 || (stage->output_mask & ~choice->promoted) != 0))
		return false;
	for (int o = 0; o < term->noperands; o++)
	{
		if (!has_rows(&term->operands[o], choice))
			return false;
		nvalues += has_values(&term->operands[o]);
	}
	/* one kernel of numbers has them all */
	return term->noperands <= STAGE_MAX_OPERANDS || nvalues <= MAP_MAX_OPERANDS;
}

/* What is known of the operands, by numbers of the labels that are keys. */
typedef struct Estimates
{
	const NestJoin *join;
	int labels[STAGE_MAX_LABELS]; /* of the stage */
} Estimates;

/* As far as the keys of an operand are independent. */
static double
estimated_distinct(const void *context, int operand, LoopLabels labels)
{
	const Estimates *estimates = context;
	const NestOperandRows *rows = &estimates->join->operands[operand];
	double product = 1.0;

	for (; labels != 0; labels &= labels - 1)
		product *= rows->values[estimates->labels[pg_rightmost_one_pos64(labels)]];
	return Min(product, rows->tuples);
}

/* How many times as many pairs of entries of two operands meet in a label than if all indices were alike. */
static double
estimated_skew(const void *context, int operand, int other, int label)
{
	const Estimates *estimates = context;
	const NestOperandRows *operands = estimates->join->operands;
	int l = estimates->labels[label];
	Skew ignored;
	double meetings =
		skewed_meetings(&operands[operand].skew[l], &operands[other].skew[l], &ignored);

	/* in a block, indices with many entries are among others */
	return 1.0 + (meetings - 1.0) * operands[operand].values[l] /
					 Max(operands[operand].indices[l], operands[operand].values[l]);
}

/*
 * The number of parts of which one fits in memory, if operands with a label of the groups
 * are divided, which the node does by temporary files. Nothing of a streamed operand is
 * kept, but all groups are.
 */
static double
count_parts(const NestJoin *join, bool has_groups, int stream, double groups)
{
	double rows = 0.0;
	double once = groups; /* and of what is read by one of the operands that share it */
	double indexed = 0.0;
	double values = 0.0;
	double hash_memory = work_mem * 1024.0 * hash_mem_multiplier;
	double limit = hash_memory;
	double value_limit =
		detoast_cache_size > 0 ? detoast_cache_size * 1024.0 : hash_memory;
	double parts;

	for (int o = 0; o < join->noperands; o++)
	{
		const NestOperandRows *operand = &join->operands[o];
		double bytes = operand->tuples * (pg_popcount32(operand->keys) * ROW_KEY_BYTES +
										  (operand->numbers ? ROW_NUMBER_BYTES : 0.0));

		if (o == stream)
			continue;
		rows += bytes;
		indexed = Max(indexed, operand->tuples * INDEXED_BYTES);
		if (operand->shared)
			continue;
		once += bytes;
		values += operand->tuples * operand->value_bytes;
	}
	/* what is read in parts is not shared */
	parts = once + indexed <= limit ? 1.0 : Max(ceil((rows + indexed) / limit), 2.0);
	if (values > value_limit || (parts > 1.0 && !has_groups))
		return INFINITY;
	return Max(parts, 1.0);
}

/* Bytes of groups that are all there at once. */
static double
group_bytes(const Stage *stage, const Decomposition *choice, LabelMask output,
			double groups)
{
	double value;

	(void) tuple_bytes(stage, stage->output_mask, choice, &value);
	return groups * ((pg_popcount32(output) + 2) * ROW_KEY_BYTES + value);
}

/*
 * The least that it costs to go through the rows of an operand as they are read; INFINITY if none can be
 * streamed. What others read too is kept.
 */
static double
cost_of_stream(const Stage *stage, const Decomposition *choice, const NestJoin *join,
			   const LoopOrderProblem *problem)
{
	LabelMask output = stage->output_mask & keys_of(choice);
	double least = INFINITY;

	for (int o = 0; o < join->noperands; o++)
	{
		LoopOrder order;

		if (join->operands[o].shared || join->operands[o].read_again ||
			!loop_order_cost_stream(problem, o, &order) || order.cost >= least)
			continue;
		if (count_parts(join, false, o,
						group_bytes(stage, choice, output, order.groups)) <= 1.0)
			least = order.cost;
	}
	return least;
}

double
cost_of_nest(const Stage *stage, const Decomposition *choice, NestJoin *join)
{
	LoopOrderProblem problem = {.noperands = join->noperands,
								.each_tuple = !stage_groups(stage, keys_of(choice)),
								.distinct = estimated_distinct,
								.skew = estimated_skew,
								.tuples = join->tuples,
								.groups = join->groups};
	LabelMask output = stage->output_mask & keys_of(choice);
	Estimates estimates = {.join = join};
	LoopOrder order;
	LabelMask keys = 0;
	double parts = count_parts(join, output != 0, -1, 0.0);
	double spilled = 0.0;
	double looked_up = 0.0;
	LabelMask numbered = numbered_labels(stage);
	double streamed;
	int l;

	for (int o = 0; o < join->noperands; o++)
		keys |= join->operands[o].keys;
	if (keys == 0 || (output & ~keys) != 0)
		return INFINITY;
	FOREACH_LABEL (l, keys)
	{
		LoopLabels bit = UINT64_C(1) << problem.nlabels;

		if (output & (1u << l))
			problem.output |= bit;
		for (int o = 0; o < join->noperands; o++)
		{
			if (join->operands[o].keys & (1u << l))
				problem.operands[o].labels |= bit;
		}
		estimates.labels[problem.nlabels++] = l;
	}
	for (int o = 0; o < join->noperands; o++)
	{
		problem.operands[o].rows = join->operands[o].tuples;
		problem.operands[o].optional = (join->outer & (1u << o)) != 0;
		if (join->operands[o].lasts)
			problem.operands[o].shared = 1.0 - 1.0 / EXPECTED_ROUNDS;
		if (!join->operands[o].shared)
			looked_up += join->operands[o].tuples *
						 pg_popcount32(join->operands[o].keys & numbered) *
						 DICTIONARY_TIME;
		/* but for the first part */
		spilled += (parts - 1.0) / parts * join->operands[o].tuples *
				   (SPILL_TIME + join->operands[o].value_bytes * SPILL_BYTE_TIME);
	}
	problem.context = &estimates;
	if (stage->output_mask & ~choice->promoted)
		(void) tuple_bytes(stage, stage->output_mask, choice, &problem.result);
	if (join->numbers)
		problem.kernel =
			NUMBERS_TIME + stage->terms[0].kernel->operations * NEST_FUNCTION_COST * 1e3;
	join->parts = parts;
	streamed = cost_of_stream(stage, choice, join, &problem) / 1e3;
	if (isinf(parts))
		return looked_up + streamed;
	loop_order_choose(&problem, &order);
	return looked_up + Min(streamed, spilled + order.cost / 1e3);
}
