/*-------------------------------------------------------------------------
 *
 * nest_cost.c
 *	  The cost model: what a stage costs as one loop nest.
 *
 * AggregateJoin (executor/README.md) runs join, kernel and groups of a stage in one loop
 * nest. A joined tuple takes nanoseconds there and a tenth of a microsecond in
 * PostgreSQL's joins and aggregates, so that it decides what is promoted. A nest takes
 * what kernels/nest/nest_cost.c says of the operands as statistics have them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "catalog/tensor_storage.h"
#include "kernels/nest/nest_cost.h"
#include "optimizer/cast_cost.h"
#include "optimizer/nest_cost.h"
#include "optimizer/plan.h"
#include "optimizer/settings.h"
#include "optimizer/tuple_size.h"
#include "statistics/skew.h"
#include "type/detoast_cache.h"

/* Does an operand have values? Otherwise its entries are 1. */
static bool
has_values(const Operand *operand)
{
	ListCell *lc;

	if (operand->tensor->entry == NULL)
		return true;
	foreach (lc, operand->tensor->entry->storages)
	{
		const Storage *storage = lfirst(lc);

		if (storage->layout ? storage->layout->with_values
							: storage->value_attno != InvalidAttrNumber)
			return true;
	}
	return false;
}

/*
 * Is a vector cut into its elements? The node Entries does that, and estimates their
 * number.
 */
static bool
cuts_vector(const Decomposition *stored, const Decomposition *needed, int rank)
{
	return rank == 1 && keys_of(stored) == 0 && needed->promoted == 1;
}

/* What a table has of an operand, for the form in which a stage needs it. */
typedef enum StoredForm
{
	STORED_COARSER, /* values are cut: PostgreSQL cannot estimate the rows */
	STORED_FINER,   /* values are put together, or a vector is cut */
	STORED_AS_NEEDED,
} StoredForm;

/* Returns the nearest form that a table has of a registered operand. */
static StoredForm
stored_form(const Operand *operand, const Decomposition *choice)
{
	Decomposition needed = operand_decomposition(operand, choice);
	StoredForm form = STORED_COARSER;
	ListCell *lc;

	foreach (lc, operand->tensor->entry->storages)
	{
		Decomposition stored = storage_decomposition(lfirst(lc));
		Decomposition finer = finer_decomposition(&stored, &needed, operand->rank);

		if (same_decomposition(&needed, &stored))
			return STORED_AS_NEEDED;
		if (same_decomposition(&finer, &stored) ||
			cuts_vector(&stored, &needed, operand->rank))
			form = STORED_FINER;
	}
	return form;
}

/*
 * True if two operands read the same rows and the same keys of them. A label that an
 * operand has twice is a condition. Operands that are repartitioned each have a query of
 * their own, whose rows they do not share.
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
	return a->producer == NULL && a->tensor->entry != NULL &&
		   stored_form(a, choice) == STORED_AS_NEEDED;
}

/*
 * Returns the labels whose keys are no integers, as days are: a nest looks them up in
 * dictionaries.
 */
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
					is_numbered_key(&storage->dimensions[i]) &&
					getBaseType(storage->dimensions[i].key_type) != DATEOID)
					numbered |= 1u << operand->labels[i];
		}
	}
	return numbered;
}

/*
 * Is it there without cutting values into others? What does that returns rows that
 * PostgreSQL cannot estimate, so that it would not find the nest cheaper.
 */
static bool
has_rows(const Operand *operand, const Decomposition *choice)
{
	return operand->tensor->entry == NULL ||
		   stored_form(operand, choice) != STORED_COARSER;
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
	/* the scan of a single operand already returns the computed values */
	if (!stage_groups(stage, keys_of(choice)) &&
		(term->noperands < 2 || (stage->output_mask & ~choice->promoted) != 0))
		return false;
	for (int o = 0; o < term->noperands; o++)
	{
		if (!has_rows(&term->operands[o], choice))
			return false;
		nvalues += has_values(&term->operands[o]);
	}
	/* one kernel of numbers reads all values */
	return term->noperands <= STAGE_MAX_OPERANDS || nvalues <= MAP_MAX_OPERANDS;
}

/* The estimate of an operand. */
typedef struct OperandEstimate
{
	double keys[STAGE_MAX_LABELS]; /* by label of the nest: indices or blocks */
	const double *indices;         /* by label of the stage */
	const Skew *skew;
} OperandEstimate;

/* The estimates of all operands, and the stage's label for each label of the nest. */
typedef struct OperandEstimates
{
	OperandEstimate operands[STAGE_NEST_OPERANDS];
	int labels[STAGE_MAX_LABELS]; /* of the stage */
} OperandEstimates;

/*
 * Returns by which factor the skew of two operands increases the pairs of entries that
 * meet in a label.
 */
static double
estimated_skew(const void *context, int operand, int other, int label)
{
	const OperandEstimates *estimates = context;
	const OperandEstimate *operands = estimates->operands;
	int l = estimates->labels[label];
	Skew ignored;
	double meetings =
		skewed_meetings(&operands[operand].skew[l], &operands[other].skew[l], &ignored);

	/* a block mixes indices with many entries and others */
	return 1.0 + (meetings - 1.0) * operands[operand].keys[label] /
					 Max(operands[operand].indices[l], operands[operand].keys[label]);
}

/* Returns the labels of the nest that stand for labels of the stage. */
static LoopLabels
loop_labels(const NestCostInput *input, const OperandEstimates *estimates,
			LabelMask labels)
{
	LoopLabels result = 0;

	for (int l = 0; l < input->loops.nlabels; l++)
		if (labels & (1u << estimates->labels[l]))
			result |= UINT64_C(1) << l;
	return result;
}

/*
 * Microseconds of what returns an operand's rows. Reading them is a part of the given
 * cost, and so are copies of tensors; rows of a nest come without a join.
 */
static double
scan_time(const Operand *operand, double tuples, double read)
{
	double row = operand->producer ? Min(tuple_cost, NEST_READ_TIME + NEST_RESULT_TIME)
								   : tuple_cost;

	return read - tuples * (tuple_cost - row + NEST_READ_TIME);
}

/*
 * Finds the label of which a row that a nest keeps is a run of keys, as those of a storage
 * with ranges are. Returns how many keys it has, 1 without such a label.
 */
static double
keys_in_run(const Stage *stage, const Operand *operand, const Decomposition *choice,
			LabelMask numbered, LabelMask *run_label)
{
	const Storage *storage =
		operand->producer ? NULL : storage_as_needed(operand, choice);
	double keys = 1.0;

	*run_label = 0;
	if (storage == NULL || stage->varies)
		return keys;
	for (int d = 0; d < operand->rank; d++)
	{
		LabelMask label = 1u << operand->labels[d];

		if (!OidIsValid(storage->dimensions[d].range_type))
			continue;
		/* one label can have runs */
		if (keys > 1.0 || (label & numbered) || !(label & choice->promoted))
			return 1.0;
		keys = Max(storage->dimensions[d].range_keys, 1.0);
		*run_label = label;
	}
	return keys;
}

/* Describes an operand that is read, the number-th of the nest. */
static void
describe_operand(const Stage *stage, const Decomposition *choice,
				 const JoinedTerm *joined, int o, int number, NestCostInput *input,
				 OperandEstimates *estimates)
{
	const Operand *operand = &stage->terms[0].operands[o];
	LabelMask keys = operand->mask & keys_of(choice);
	OperandEstimate *estimate = &estimates->operands[number];
	LabelMask numbered = numbered_labels(stage);
	LabelMask run_label;
	double run = keys_in_run(stage, operand, choice, numbered, &run_label);
	double tuples = joined->operand_tuples[o];
	double tensor_bytes = 0.0;

	estimate->indices = operand->estimate->values;
	estimate->skew = operand->estimate->skew;
	for (int l = 0; l < input->loops.nlabels; l++)
	{
		int label = estimates->labels[l];

		if (keys & (1u << label))
			estimate->keys[l] =
				key_values(operand->estimate, label, choice, stage->bounds[label]);
	}
	input->loops.operands[number] =
		(LoopOrderOperand){.labels = loop_labels(input, estimates, keys),
						   .optional = operand->outer,
						   .rows = tuples,
						   .run = run};
	if (run > 1.0)
		input->loops.operands[number].run_label =
			pg_rightmost_one_pos64(loop_labels(input, estimates, run_label));
	if (operand->mask & ~choice->promoted)
		(void) operand_bytes(stage, operand, choice, tuples, &tensor_bytes);
	input->operands[number] = (NestCostOperand){
		.scan = scan_time(operand, tuples, joined->operand_reads[o]),
		.keys = estimate->keys,
		.nnumbers = tensor_bytes > 0.0 || has_values(operand),
		.tensor_bytes = tensor_bytes,
		.shared = -1,
		.share = stage->varies && !operand_varies(operand) ? SHARE_OF_ROUND : 1.0,
		.numbered = input->loops.operands[number].labels &
					loop_labels(input, estimates, numbered)};
}

/*
 * Describes the join of a stage's only term as a nest; false if it has no keys, or those
 * of the result are no keys of the operands. numbers becomes false if there are tensors.
 */
static bool
describe_nest(const Stage *stage, const Decomposition *choice, const JoinedTerm *joined,
			  double groups, NestCostInput *input, OperandEstimates *estimates,
			  bool *numbers)
{
	const Term *term = &stage->terms[0];
	LabelMask output = stage->output_mask & keys_of(choice);
	LabelMask keys = 0;
	int place[STAGE_NEST_OPERANDS]; /* of an operand in the nest */
	int l;

	for (int o = 0; o < term->noperands; o++)
		if (joined->read & (1u << o))
			keys |= term->operands[o].mask & keys_of(choice);
	if (keys == 0 || (output & ~keys) != 0)
		return false;
	*input =
		(NestCostInput){.loops = {.each_tuple = !stage_groups(stage, keys_of(choice)),
								  .tuples = joined->tuples,
								  .groups = groups},
						.skew = estimated_skew,
						.context = estimates,
						.nresults = 1,
						.returned = groups,
						.nprocesses = 1};
	set_nest_memory(input);
	FOREACH_LABEL (l, keys)
	{
		if (output & (1u << l))
			input->divisible[input->ndivisible++] = (uint8_t) input->loops.nlabels;
		estimates->labels[input->loops.nlabels++] = l;
	}
	input->loops.output = loop_labels(input, estimates, output);
	*numbers = true;
	for (int o = 0; o < term->noperands; o++)
	{
		int number = input->loops.noperands;

		if (!(joined->read & (1u << o)))
			continue;
		place[o] = number;
		describe_operand(stage, choice, joined, o, number, input, estimates);
		input->loops.noperands++;
		if (input->operands[number].tensor_bytes > 0.0)
			*numbers = false;
		/* each operand reads its own runs */
		for (int p = 0; p < o && input->operands[number].shared < 0; p++)
			if ((joined->read & (1u << p)) != 0 &&
				input->loops.operands[number].run <= 1.0 &&
				read_the_same(&term->operands[p], &term->operands[o], choice))
				input->operands[number].shared = place[p];
	}
	if (stage->output_mask & ~choice->promoted)
		(void) tuple_bytes(stage, stage->output_mask, choice, &input->loops.result);
	return true;
}

void
set_nest_memory(NestCostInput *input)
{
	input->memory = (double) get_hash_memory_limit();
	input->tensor_memory = (double) tensor_memory_limit();
}

double
cost_of_nest(const Stage *stage, const Decomposition *choice, const JoinedTerm *joined,
			 double groups)
{
	NestCostInput input;
	OperandEstimates estimates;
	NestCost cost;
	bool numbers;

	if (!describe_nest(stage, choice, joined, groups, &input, &estimates, &numbers))
		return INFINITY;
	if (numbers)
	{
		input.nkernels = 1;
		input.nfunctions = stage->terms[0].kernel->calls;
		input.operations = stage->terms[0].kernel->operations;
	}
	nest_cost(&input, &cost);
	if (!cost.fits)
		return INFINITY;
	return cost.time + (numbers ? 0.0 : joined->kernels);
}
