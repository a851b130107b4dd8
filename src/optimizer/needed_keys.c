/*-------------------------------------------------------------------------
 *
 * needed_keys.c
 *	  What a point query needs of each stage: how many keys of which labels.
 *
 * From the result down. What a reader needs of an operand's labels are, for a label of
 * which it is itself needed at some keys, these keys; for another, the keys that stored
 * tensors of the same join have beside those: of z[i] = n[i,j] * h[j] at one i, as many
 * j as n has entries in a row, on average. codegen/point.c finds the keys in this way,
 * where the labels are promoted before and after: so they are made to be. Then, from the
 * first stage on, estimates are limited to what is needed; costs follow from them.
 *
 * A stage with several readers is needed at the keys of all of them, in the labels that
 * all limit. Known weakness: keys that two readers share count twice.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "optimizer/needed_keys.h"

/* A stored tensor that a join may ask for keys. */
typedef struct KeySource
{
	JoinedStage *joined;
	LabelMask labels; /* labels of the reader that can be its key columns */
	Estimate estimate;
} KeySource;

typedef struct KeySources
{
	int count;
	KeySource *guards[MAX_GUARDS];
} KeySources;

/* How keys of more labels follow from those given. */
typedef struct Reach
{
	NeededKeys keys;
	/* the guard that gives a label's keys; NULL: the query gives them */
	const KeySource *by[STAGE_MAX_LABELS];
	LabelMask before[STAGE_MAX_LABELS]; /* labels known when the label was reached */
} Reach;

/* One operand through which a stage is needed. */
typedef struct OperandNeed
{
	Stage *reader;
	const Operand *operand;
	Reach *reach; /* the keys that are needed; NULL: all */
	DimensionMask dimensions;
} OperandNeed;

/* Returns the labels that no pin keeps from being promoted. */
static LabelMask
promotable_labels(const Stage *stage)
{
	return ~(stage->must_demote | stage->must_block);
}

/*
 * Returns the dimensions of its result that can be keys before and after a repartition.
 */
static DimensionMask
possible_key_dimensions(const Stage *stage)
{
	DimensionMask dimensions = 0;

	for (int d = 0; d < stage->noutput; d++)
	{
		if ((promotable_labels(stage) & (1u << stage->output[d])) &&
			(!stage->shape_fixed || (stage->shape.promoted & (1u << d))))
			dimensions |= 1u << d;
	}
	return dimensions;
}

/* Returns the key columns of a stored tensor, in the storage that has most of them. */
static DimensionMask
stored_keys(const ProgramTensor *tensor)
{
	DimensionMask most = 0;
	ListCell *lc;

	foreach (lc, tensor->entry->storages)
	{
		const Storage *storage = lfirst(lc);
		DimensionMask keys = 0;

		for (int d = 0; d < storage->rank; d++)
		{
			if (storage->dimensions[d].kind == DIMENSION_PROMOTED)
				keys |= 1u << d;
		}
		if (pg_popcount32(keys) > pg_popcount32(most))
			most = keys;
	}
	return most;
}

/* Adds a stored operand; one with more labels than there is room for asks nothing. */
static void
add_stored_guard(const Estimator *estimator, JoinedStage *joined, const Stage *reader,
				 const Operand *operand, KeySources *guards)
{
	KeySource *guard;
	double bounds[STAGE_MAX_LABELS];
	int labels[TENSOR_MAX_RANK];
	int spare = reader->nlabels;
	DimensionMask keys;

	if (operand->tensor->entry == NULL || guards->count == MAX_GUARDS)
		return;
	keys = stored_keys(operand->tensor);
	guard = palloc(sizeof(KeySource));
	memcpy(bounds, reader->bounds, sizeof(double) * reader->nlabels);
	guard->joined = joined;
	guard->labels = 0;
	for (int d = 0; d < operand->rank; d++)
	{
		int label = operand->labels[d];

		labels[d] = joined->map[label];
		if (labels[d] >= 0 && (keys & (1u << d)) &&
			(promotable_labels(joined->stage) & (1u << label)))
			guard->labels |= 1u << labels[d];
		if (labels[d] >= 0)
			continue;
		if (spare == STAGE_MAX_LABELS)
			return;
		bounds[spare] = joined->stage->bounds[label];
		labels[d] = spare++;
	}
	estimator->stored(&guard->estimate, operand->statistics, operand->rank, labels,
					  bounds);
	if (guard->labels)
		guards->guards[guards->count++] = guard;
}

void
begin_joined_stages(JoinedStages *joined, Stage *stage)
{
	JoinedStage *first = palloc0(sizeof(JoinedStage));

	first->stage = stage;
	for (int l = 0; l < STAGE_MAX_LABELS; l++)
		first->map[l] = l;
	joined->stages[0] = first;
	joined->count = 1;
}

void
add_joined_stage(JoinedStages *joined, JoinedStage *above, const Operand *operand,
				 DimensionMask kept)
{
	JoinedStage below = {.stage = operand->producer, .above = above};
	bool shared = false;

	for (int l = 0; l < STAGE_MAX_LABELS; l++)
		below.map[l] = -1;
	for (int d = 0; d < operand->rank; d++)
	{
		int label = above->map[operand->labels[d]];

		if (!(kept & (1u << d)) || label < 0)
			continue;
		below.map[operand->producer->output[d]] = label;
		shared = true;
	}
	if (!shared || joined->count == MAX_GUARDS)
		return;
	for (int n = 0; n < joined->count; n++)
	{
		if (joined->stages[n]->stage == below.stage &&
			memcmp(joined->stages[n]->map, below.map, sizeof(below.map)) == 0)
			return;
	}
	joined->stages[joined->count] = palloc(sizeof(JoinedStage));
	*joined->stages[joined->count++] = below;
}

/*
 * Adds the stored tensors without which a term has no tuple, but not those of one
 * operand.
 */
static void
add_guards(const Estimator *estimator, Stage *reader, const Term *first,
		   const Operand *except, KeySources *guards)
{
	JoinedStages joined;

	begin_joined_stages(&joined, reader);
	for (int n = 0; n < joined.count; n++)
	{
		JoinedStage *here = joined.stages[n];
		const Term *term = n == 0 ? first : &here->stage->terms[0];

		CHECK_FOR_INTERRUPTS();
		/* below a shift labels have other keys */
		if (term->union_of || here->stage->shift)
			continue;
		for (int o = 0; o < term->noperands; o++)
		{
			const Operand *operand = &term->operands[o];
			DimensionMask kept = 0;

			if (operand == except || operand->outer)
				continue;
			if (operand->producer == NULL)
			{
				add_stored_guard(estimator, here, reader, operand, guards);
				continue;
			}
			if (operand->producer->nterms != 1)
				continue;
			for (int d = 0; d < operand->rank; d++)
			{
				if (promotable_labels(here->stage) & (1u << operand->labels[d]))
					kept |= 1u << d;
			}
			add_joined_stage(&joined, here, operand,
							 kept & possible_key_dimensions(operand->producer));
		}
	}
}

/*
 * Returns the estimated keys of a label that a stored tensor has beside known keys of
 * other labels.
 */
static double
keys_beside(const Estimator *estimator, const KeySource *guard, const NeededKeys *known,
			const double *bounds, int label)
{
	Estimate limited = guard->estimate;

	limit_estimate(estimator, known, bounds, &limited);
	return Max(Min(limited.values[label], limited.entries), 1.0);
}

/* Adds the label with the fewest keys beside those known; false if none is left. */
static bool
reach_label(const Estimator *estimator, const KeySources *guards, const double *bounds,
			Reach *reach)
{
	LabelMask known = reach->keys.labels;
	double fewest = INFINITY;
	int found = -1;

	for (int g = 0; g < guards->count; g++)
	{
		const KeySource *guard = guards->guards[g];
		LabelMask more = guard->labels & ~known;
		int label;

		CHECK_FOR_INTERRUPTS();
		if ((guard->labels & known) == 0)
			continue;
		FOREACH_LABEL (label, more)
		{
			double keys = keys_beside(estimator, guard, &reach->keys, bounds, label);

			if (found >= 0 && keys >= fewest)
				continue;
			found = label;
			fewest = keys;
			reach->by[label] = guard;
		}
	}
	if (found < 0)
		return false;
	add_needed(&reach->keys, found, fewest);
	reach->before[found] = known;
	return true;
}

/*
 * Returns the keys that a term needs of all labels whose keys follow from those of the
 * result.
 */
static Reach *
reach_keys(const Estimator *estimator, Stage *stage, const Term *term,
		   const Operand *except)
{
	Reach *reach = palloc0(sizeof(Reach));
	KeySources guards = {.count = 0};

	reach->keys = *stage->needed;
	add_guards(estimator, stage, term, except, &guards);
	while (reach_label(estimator, &guards, stage->bounds, reach))
		;
	return reach;
}

/* Promotes labels in all stages through which a guard is asked. */
static void
promote_down_to(JoinedStage *joined, LabelMask labels)
{
	for (; joined; joined = joined->above)
	{
		for (int l = 0; l < joined->stage->nlabels; l++)
		{
			if (joined->map[l] >= 0 && (labels & (1u << joined->map[l])))
				joined->stage->must_promote |= 1u << l & promotable_labels(joined->stage);
		}
	}
}

/* Promotes the labels through which the keys of these labels are found. */
static void
promote_way(Stage *stage, const Reach *reach, LabelMask labels)
{
	LabelMask done = 0;

	while (labels & ~done)
	{
		int label = pg_rightmost_one_pos32(labels & ~done);
		const KeySource *by = reach->by[label];

		done |= 1u << label;
		stage->must_promote |= 1u << label & promotable_labels(stage);
		if (by == NULL)
			continue;
		promote_down_to(by->joined, (by->labels & reach->before[label]) | 1u << label);
		labels |= by->labels & reach->before[label];
	}
}

/* Returns at which keys an operand is needed. */
static OperandNeed *
need_of(const Estimator *estimator, Stage *stage, const Term *term,
		const Operand *operand)
{
	OperandNeed *need = palloc0(sizeof(OperandNeed));

	need->reader = stage;
	need->operand = operand;
	if (stage->needed == NULL)
		return need;
	need->reach = reach_keys(estimator, stage, term, operand);
	for (int d = 0; d < operand->rank; d++)
	{
		if (need->reach->keys.labels & promotable_labels(stage) &
			(1u << operand->labels[d]))
			need->dimensions |= 1u << d;
	}
	return need;
}

/* Limits a stage to the keys that all its readers together need. */
static void
limit_stage(Stage *stage, const List *needs)
{
	DimensionMask dimensions = possible_key_dimensions(stage);
	NeededKeys *needed;
	ListCell *lc;

	foreach (lc, needs)
		dimensions &= ((const OperandNeed *) lfirst(lc))->dimensions;
	if (dimensions == 0)
		return;
	needed = palloc0(sizeof(NeededKeys));
	for (int d = 0; d < stage->noutput; d++)
	{
		int label = stage->output[d];

		double count = 0.0;

		if (!(dimensions & (1u << d)))
			continue;
		foreach (lc, needs)
		{
			const OperandNeed *need = lfirst(lc);
			int read_as = need->operand->labels[d];

			count += need->reach->keys.count[read_as];
			promote_way(need->reader, need->reach, 1u << read_as);
		}
		add_needed(needed, label, Min(count, stage->bounds[label]));
	}
	stage->must_promote |= needed->labels;
	stage->needed = needed;
}

void
find_at_labels(StageGraph *graph, const Statement *last)
{
	const PlanOptions *options = graph->options;

	for (int n = 0; n < options->nat; n++)
	{
		const char *label = options->at[n];
		int found = -1;

		for (int d = 0; d < last->noutput; d++)
		{
			if (strcmp(graph->program->labels[last->output[d]].name, label) == 0)
				found = d;
		}
		if (found < 0)
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
							errmsg("the result \"%s\" has no label \"%s\"",
								   last->target->name, label),
							errhint("Give labels of the last statement's left side, in "
									"lower case.")));
		for (int other = 0; other < n; other++)
		{
			if (graph->at[other] == found)
				ereport(ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN),
								errmsg("label \"%s\" is given twice", label),
								errdetail("A point query is at one key of each label."),
								errhint("Give each label once.")));
		}
		graph->at[n] = found;
	}
}

/*
 * Limits the last stage to the keys that the query gives: one for each label, or those of
 * rows.
 */
static void
limit_last_stage(StageGraph *graph)
{
	Stage *last = graph->last;
	DimensionMask lasting = possible_key_dimensions(last);
	NeededKeys *needed = palloc0(sizeof(NeededKeys));

	for (int n = 0; n < graph->options->nat; n++)
	{
		int d = graph->at[n];
		int label = last->output[d];
		/* there is about one row for each tuple of them */
		double keys =
			graph->options->at_rows
				? Min(pow(Max(graph->options->at_count, 1.0), 1.0 / graph->options->nat),
					  last->bounds[label])
				: 1.0;

		if (last->shape_fixed ? !(last->shape.promoted & (1u << d))
							  : !(lasting & (1u << d)))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("label \"%s\" of \"%s\" is no key in the chosen plan",
							last->labels[label].name, last->name),
					 errdetail((last->shape_fixed ? last->shape.blocked & (1u << d)
												  : last->must_block & (1u << label))
								   ? "It is split in blocks."
								   : "It is demoted: a dimension inside the value."),
					 errhint("Write it in upper case on the left side.")));
		/* other labels are promoted by a repartition */
		if (!(lasting & (1u << d)))
			continue;
		add_needed(needed, label, keys);
	}
	last->must_promote |= needed->labels;
	if (needed->labels)
		last->needed = needed;
}

/*
 * What is read of a stored operand to be repartitioned, at keys that follow from those of
 * the result too: in a join these follow, with all their skew, from its estimates.
 */
static void
limit_statistics(const Estimator *estimator, const Stage *stage, const NeededKeys *needed,
				 Operand *operand)
{
	Estimate limited = *operand->estimate;

	/* a diagonal's statistics are not by its labels */
	if (operand->producer != NULL || !(operand->mask & needed->labels) ||
		pg_popcount32(operand->mask) != operand->rank)
		return;
	limit_estimate(estimator, needed, stage->bounds, &limited);
	operand->needed = estimate_statistics_of(&limited, operand->rank, operand->labels);
	for (int d = 0; d < operand->rank; d++)
	{
		if (needed->labels & (1u << operand->labels[d]))
			operand->needed_dimensions |= 1u << d;
	}
}

/*
 * The estimate of an operand at the keys that the stage is needed at. Of its other labels
 * there are fewer indices then, but which ones, these keys say: they are any, and those
 * with many entries more often.
 */
static void
limit_operand(const Estimator *estimator, const Stage *stage, Operand *operand)
{
	const Estimate *whole = operand->estimate;
	LabelMask others = whole->labels & ~stage->needed->labels;
	Estimate *limited = palloc(sizeof(Estimate));
	int label;

	*limited = *whole;
	limit_estimate(estimator, stage->needed, stage->bounds, limited);
	FOREACH_LABEL (label, others)
	{
		limited->values[label] = whole->values[label];
		limited->skew[label] = whole->skew[label];
	}
	operand->estimate = limited;
}

/*
 * Estimates what a stage reads and makes, where only some of it is needed. What reads it
 * still takes it as a whole, of which its own keys say what is joined.
 */
static void
estimate_needed(const Estimator *estimator, Stage *stage)
{
	const TensorStatistics *whole = stage->statistics;

	for (int t = 0; t < stage->nterms; t++)
	{
		Term *term = &stage->terms[t];

		term->needed = &reach_keys(estimator, stage, term, NULL)->keys;
		for (int o = 0; o < term->noperands; o++)
		{
			Operand *operand = &term->operands[o];

			limit_statistics(estimator, stage, term->needed, operand);
			limit_operand(estimator, stage, operand);
		}
	}
	estimate_stage(estimator, stage);
	stage->needed_statistics = stage->statistics;
	stage->statistics = whole;
}

void
find_needed_keys(StageGraph *graph)
{
	const Estimator *estimator = graph->options->estimator;
	List **needs = palloc0(sizeof(List *) * list_length(graph->stages));
	ListCell *lc;

	limit_last_stage(graph);
	if (graph->last->needed == NULL)
		return;
	for (int s = graph->last->number; s >= 0; s--)
	{
		Stage *stage = list_nth(graph->stages, s);

		CHECK_FOR_INTERRUPTS();
		if (stage->side || (stage != graph->last && needs[s] == NIL))
			continue;
		if (stage != graph->last)
			limit_stage(stage, needs[s]);
		for (int t = 0; t < stage->nterms; t++)
		{
			const Term *term = &stage->terms[t];

			for (int o = 0; o < term->noperands; o++)
			{
				const Stage *producer = term->operands[o].producer;

				if (producer)
					needs[producer->number] =
						lappend(needs[producer->number],
								need_of(estimator, stage, term, &term->operands[o]));
			}
		}
	}
	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (stage->needed)
			estimate_needed(estimator, stage);
	}
}

const TensorStatistics *
statistics_of_result(const Stage *stage)
{
	return stage->needed_statistics ? stage->needed_statistics : stage->statistics;
}

const TensorStatistics *
statistics_to_read(const Operand *operand, const Decomposition *from,
				   const Decomposition *to)
{
	if (operand->needed && (operand->needed_dimensions & ~common_keys(from, to)) == 0)
		return operand->needed;
	return operand->statistics;
}
