/*-------------------------------------------------------------------------
 *
 * plan.c
 *	  Plans from choices, and the entry to the searches.
 *
 * The cost of a plan is defined here, once, from the cost functions: the sum
 * over stages of what one computation costs (the stage, the repartitions of
 * what it reads, and that of its result where the left side asks for another
 * decomposition) times how often it is computed, and the delivery of results
 * that nothing reads. What a query keeps is computed once, which the searches do not
 * know: materialize.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "optimizer/materialize.h"
#include "optimizer/needed_keys.h"
#include "optimizer/plan.h"
#include "optimizer/repartition_cost.h"
#include "optimizer/settings.h"

Decomposition
storage_decomposition(const Storage *storage)
{
	Decomposition decomposition = {0};

	for (int i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];

		/* Blocks stay blocks, even a single one: it has a key. */
		if (dimension->kind == DIMENSION_PROMOTED)
			decomposition.promoted |= 1u << i;
		else if (dimension->kind == DIMENSION_BLOCKED)
			set_block(&decomposition, i, dimension->block, INFINITY);
	}
	return decomposition;
}

/*
 * Sets *plan to reading an operand from one of its storages, and returns the cost by which
 * storages are compared. leading: see bytes_to_read.
 */
static double
read_from_storage(const StageGraph *graph, const Operand *operand, Storage *storage,
				  const Decomposition *to, bool summed_later, DimensionMask leading,
				  OperandPlan *plan)
{
	const Estimator *estimator = graph->options->estimator;
	Decomposition from = storage_decomposition(storage);
	const TensorStatistics *read = statistics_to_read(operand, &from, to);
	double casts = cost_of_casts(operand->tensor, read, estimator, storage, &from);
	bool as_stored = same_decomposition(&from, to);
	double reading = 0.0;

	*plan = (OperandPlan){.storage = storage,
						  .from = from,
						  .to = *to,
						  .summed_later = summed_later && as_stored};
	plan->duplicates =
		cost_of_duplicates(operand, read, estimator, storage, &from, plan->summed_later);
	plan->cost =
		cost_repartition(operand->tensor, read, estimator, &from, to) + plan->duplicates;
	if (list_length(operand->tensor->entry->storages) > 1)
		(void) bytes_to_read(operand, estimator, storage, to, leading, &reading);
	reading += plan->cost + casts;
	/*
	 * the stage counts the rows that it reads, and where it reads them as they are, their
	 * casts
	 */
	if (!as_stored)
		plan->cost += casts;
	return reading;
}

void
plan_stored_operand(const StageGraph *graph, const Operand *operand,
					const Decomposition *to, bool summed_later, DimensionMask leading,
					OperandPlan *plan)
{
	double least = INFINITY;
	ListCell *lc;

	memset(plan, 0, sizeof(OperandPlan));
	plan->to = *to;
	plan->cost = INFINITY;
	if (operand->tensor->identity)
	{
		plan->from = promoting(3);
		plan->cost = cost_repartition(operand->tensor, operand->statistics,
									  graph->options->estimator, &plan->from, to);
		return;
	}
	foreach (lc, operand->tensor->entry->storages)
	{
		OperandPlan read;
		double cost = read_from_storage(graph, operand, lfirst(lc), to, summed_later,
										leading, &read);

		if (cost < least)
		{
			least = cost;
			*plan = read;
		}
	}
	/* as if the tensor were stored in the decomposition that the stage needs */
	if (operand->tensor->entry->storages == NIL ||
		(graph->options->inputs_any && !same_decomposition(&plan->from, to)))
	{
		plan->storage = NULL;
		plan->summed_later = false;
		plan->from = *to;
		plan->cost = plan->duplicates = 0.0;
	}
}

/* Allocates the plans of a stage's operands, to be filled in. */
static OperandPlan **
new_operand_plans(const Stage *stage)
{
	OperandPlan **operands = palloc(sizeof(OperandPlan *) * stage->nterms);

	for (int t = 0; t < stage->nterms; t++)
		operands[t] = palloc0(sizeof(OperandPlan) * Max(stage->terms[t].noperands, 1));
	return operands;
}

/*
 * Returns the dimensions of an operand over which the loops of a nest may go first: labels
 * of the result, and those by which other labels of it are joined.
 */
static DimensionMask
leading_dimensions(const Stage *stage, const Term *term, int operand)
{
	const Operand *read = &term->operands[operand];
	LabelMask leading = stage->output_mask;
	DimensionMask dimensions = 0;

	/* loops over the groups of another operand find entries by the labels of both */
	for (int o = 0; o < term->noperands; o++)
		if (term->operands[o].mask & stage->output_mask & ~read->mask)
			leading |= term->operands[o].mask;
	for (int d = 0; d < read->rank; d++)
		if (leading & (1u << read->labels[d]))
			dimensions |= 1u << d;
	return dimensions;
}

/*
 * Fills in the plan of a stage in a choice; those of the stages that it reads are there.
 * Returns what it costs to compute it once.
 */
static double
plan_stage(const ProgramPlan *plan, Stage *stage, const Decomposition *choice)
{
	const Estimator *estimator = plan->graph->options->estimator;
	StagePlan *chosen = &plan->stages[stage->number];
	double cost;

	chosen->stage = stage;
	chosen->choice = *choice;
	chosen->natural = output_decomposition(stage, choice);
	chosen->shape = result_decomposition(stage, choice);
	chosen->repartition = cost_repartition(stage->tensor, statistics_of_result(stage),
										   estimator, &chosen->natural, &chosen->shape);
	cost_stage(stage, estimator, choice, &chosen->cost);
	chosen->tuples = chosen->cost.tuples;
	chosen->bytes = chosen->cost.bytes;
	if (!same_decomposition(&chosen->natural, &chosen->shape))
		result_size(stage, estimator, &chosen->shape, &chosen->tuples, &chosen->bytes);
	cost = chosen->cost.total + chosen->repartition;

	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Operand *operand = &stage->terms[t].operands[o];
			OperandPlan *read = &chosen->operands[t][o];
			Decomposition to = operand_decomposition(operand, choice);

			if (operand->producer == NULL)
				plan_stored_operand(plan->graph, operand, &to,
									is_summed_later(stage, &stage->terms[t], o, choice),
									leading_dimensions(stage, &stage->terms[t], o), read);
			else
			{
				read->from = plan->stages[operand->producer->number].shape;
				read->to = to;
				read->cost = cost_repartition(operand->tensor,
											  statistics_of_result(operand->producer),
											  estimator, &read->from, &to);
			}
			/* another operand reads this row already */
			if (operand_of_row(&stage->terms[t], o, choice) != o)
				read->cost = read->duplicates = 0.0;
			cost += read->cost * repartition_share(plan->graph, operand_varies(operand));
		}
	}
	return cost;
}

ProgramPlan *
plan_of_choices(StageGraph *graph, const Decomposition *choices)
{
	const Estimator *estimator = graph->options->estimator;
	ProgramPlan *plan = palloc0(sizeof(ProgramPlan));
	/* for memory that estimates leave behind */
	MemoryContext scratch =
		AllocSetContextCreate(CurrentMemoryContext, "estimates", ALLOCSET_DEFAULT_SIZES);
	bool allowed = true;
	ListCell *lc;

	plan->graph = graph;
	plan->stages = palloc0(sizeof(StagePlan) * list_length(graph->stages));
	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);
		StagePlan *chosen = &plan->stages[stage->number];
		MemoryContext old;
		double cost;

		CHECK_FOR_INTERRUPTS();
		chosen->operands = new_operand_plans(stage);
		old = MemoryContextSwitchTo(scratch);
		cost = plan_stage(plan, stage, &choices[stage->number]);
		if (!stage->side)
		{
			if (isinf(chosen->cost.total))
				allowed = false;
			cost *= stage->uses;
			if (stage->readers == 0)
				cost += cost_result(stage, estimator, &chosen->shape);
			plan->cost += cost;
			plan->compared +=
				cost + stage->uses * (desirable_cost(&chosen->cost) - chosen->cost.total);
		}
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	}
	MemoryContextDelete(scratch);
	/* a sum of finite costs may overflow, and is allowed all the same */
	plan->cost = allowed ? Min(plan->cost, DBL_MAX) : INFINITY;
	plan->compared = allowed ? Min(plan->compared, DBL_MAX) : INFINITY;
	return plan;
}

/* Returns a copy of a plan whose operands may be changed. */
static ProgramPlan *
copy_plan(const ProgramPlan *plan)
{
	int nstages = list_length(plan->graph->stages);
	ProgramPlan *copy = palloc(sizeof(ProgramPlan));

	*copy = *plan;
	copy->computed_once = NULL;
	copy->stages = palloc(sizeof(StagePlan) * nstages);
	memcpy(copy->stages, plan->stages, sizeof(StagePlan) * nstages);
	for (int s = 0; s < nstages; s++)
	{
		const Stage *stage = copy->stages[s].stage;

		copy->stages[s].operands = new_operand_plans(stage);
		for (int t = 0; t < stage->nterms; t++)
			memcpy(copy->stages[s].operands[t], plan->stages[s].operands[t],
				   sizeof(OperandPlan) * stage->terms[t].noperands);
	}
	return copy;
}

/*
 * Makes the operands of a plan that read a tensor, unless it is re-stored, read it from this
 * storage; false if all do so already.
 */
static bool
use_storage(ProgramPlan *plan, const ProgramTensor *tensor, Storage *storage)
{
	bool changed = false;

	for (int s = 0; s < list_length(plan->graph->stages); s++)
	{
		StagePlan *chosen = &plan->stages[s];

		for (int t = 0; t < chosen->stage->nterms; t++)
		{
			const Term *term = &chosen->stage->terms[t];

			for (int o = 0; o < term->noperands; o++)
			{
				const Operand *operand = &term->operands[o];
				OperandPlan *read = &chosen->operands[t][o];
				bool summed_later =
					is_summed_later(chosen->stage, term, o, &chosen->choice);
				DimensionMask leading = leading_dimensions(chosen->stage, term, o);
				OperandPlan before;
				double cost;

				if (operand->tensor != tensor || operand->producer ||
					read->storage == NULL || read->storage == storage)
					continue;
				changed = true;
				cost = -read_from_storage(plan->graph, operand, read->storage, &read->to,
										  summed_later, leading, &before);
				cost += read_from_storage(plan->graph, operand, storage, &before.to,
										  summed_later, leading, read);
				if (operand_of_row(term, o, &chosen->choice) != o)
					read->cost = read->duplicates = 0.0;
				else if (!chosen->stage->side)
				{
					cost *= chosen->stage->uses *
							repartition_share(plan->graph, operand_varies(operand));
					plan->cost = Min(plan->cost + cost, DBL_MAX);
					plan->compared = Min(plan->compared + cost, DBL_MAX);
				}
			}
		}
	}
	return changed;
}

List *
plans_by_storages(const ProgramPlan *plan)
{
	List *plans = NIL;
	ListCell *lc;

	foreach (lc, plan->graph->program->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);
		ListCell *inner;

		if (tensor->entry == NULL || list_length(tensor->entry->storages) < 2)
			continue;
		foreach (inner, tensor->entry->storages)
		{
			ProgramPlan *other = copy_plan(plan);

			CHECK_FOR_INTERRUPTS();
			if (use_storage(other, tensor, lfirst(inner)))
				plans = lappend(plans, other);
		}
	}
	return plans;
}

/*
 * Chooses for each side stage, which nothing reads or runs, the decomposition that is
 * cheapest for it alone.
 */
static void
choose_side_stages(StageGraph *graph, Decomposition *choices)
{
	ListCell *lc;

	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		if (stage->side)
			choices[stage->number] = *cheapest_choice(graph, stage, choices);
	}
}

/*
 * Returns the labels of a stage that some term lacks, so that the term is joined to all
 * their indices.
 */
static LabelMask
extended_labels(const Stage *stage)
{
	LabelMask extended = 0;

	for (int t = 0; t < stage->nterms; t++)
	{
		const Term *term = &stage->terms[t];

		extended |= term->extension;
		for (int o = 0; o < term->noperands; o++)
		{
			if (term->union_of & (1u << o))
				extended |= term->labels & ~term->operands[o].mask;
		}
	}
	return extended;
}

/*
 * Nothing is left when limits exclude every decomposition; a side stage may
 * be beyond them, since nothing runs it.
 */
void
report_limits(const StageGraph *graph)
{
	StringInfoData extended;
	ListCell *lc;

	initStringInfo(&extended);
	foreach (lc, graph->stages)
	{
		const Stage *stage = lfirst(lc);
		LabelMask labels = stage->side ? 0 : extended_labels(stage);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < stage->nlabels; i++)
		{
			if (labels & (1u << i))
				appendStringInfo(&extended, "%s\"%s\" (%.0f) of tensor \"%s\"",
								 extended.len ? ", " : "", stage->labels[i].name,
								 stage->bounds[i], stage->name);
		}
	}
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("no decomposition is within the limits"),
			 extended.len
				 ? errdetail(
					   "Every decomposition that the pins allow has a kernel operand or "
					   "result over sparseeinsum.max_kernel_bytes, or extends each tuple "
					   "of a term to more than sparseeinsum.max_dense_tuples. Terms are "
					   "extended to all indices of label %s.",
					   extended.data)
				 : errdetail(
					   "Every decomposition that the pins allow has a kernel operand or "
					   "result over sparseeinsum.max_kernel_bytes."),
			 errhint("Raise the limit, or remove pins.")));
}

bool
is_cheaper(const ProgramPlan *plan, const ProgramPlan *other)
{
	return plan->compared < other->compared * (1 - LEAST_GAIN);
}

double
cost_of_showing(const ProgramPlan *plan, const Stage *stage, double *tuples)
{
	const Estimator *estimator = plan->graph->options->estimator;
	Decomposition rows = shown_decomposition(stage);
	double bytes;

	result_size(stage, estimator, &rows, tuples, &bytes);
	return cost_repartition(stage->tensor, statistics_of_result(stage), estimator,
							&plan->stages[stage->number].shape, &rows);
}

double
stage_memory(const ProgramPlan *plan, const Stage *stage)
{
	const Estimator *estimator = plan->graph->options->estimator;
	const StagePlan *chosen = &plan->stages[stage->number];
	double memory = Max(chosen->cost.memory,
						repartition_memory(stage->tensor, statistics_of_result(stage),
										   estimator, &chosen->natural, &chosen->shape));

	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Operand *operand = &stage->terms[t].operands[o];
			const OperandPlan *read = &chosen->operands[t][o];
			const TensorStatistics *statistics =
				operand->producer ? statistics_of_result(operand->producer)
								  : statistics_to_read(operand, &read->from, &read->to);

			memory = Max(memory, repartition_memory(operand->tensor, statistics,
													estimator, &read->from, &read->to));
		}
	}
	return memory;
}

/*
 * Multiplies the cost of statements in which large terms cancel by CANCELLING_WEIGHT:
 * such a form is taken only if it is half as expensive.
 */
static void
weigh_cancellation(ProgramPlan *plan)
{
	ListCell *lc;

	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);

		if (!stage->side &&
			bms_is_member(stage->part_of->number, plan->graph->cancelling))
			plan->compared +=
				(CANCELLING_WEIGHT - 1.0) * own_cost(&plan->stages[stage->number]);
	}
}

List *
plans_of_stages(StageGraph *graph)
{
	List *found;
	List *plans = NIL;
	bool heuristic = false;
	ListCell *lc;

	switch (graph->options->search)
	{
		case SEARCH_EXHAUSTIVE:
			found = search_exhaustively(graph);
			break;
		case SEARCH_GREEDY:
			found = list_make1(search_greedily(graph));
			break;
		default:
			found = search_dp(graph, &heuristic);
			break;
	}
	foreach (lc, found)
	{
		Decomposition *choices = lfirst(lc);
		ProgramPlan *plan;
		int at;

		choose_side_stages(graph, choices);
		plan = plan_of_choices(graph, choices);
		plan->heuristic = heuristic || graph->heuristic;
		if (isinf(plan->cost))
			return NIL;
		cost_what_is_kept(plan);
		weigh_cancellation(plan);
		at = list_length(plans);
		while (at > 0 && is_cheaper(plan, list_nth(plans, at - 1)))
			at--;
		plans = list_insert_nth(plans, at, plan);
	}
	return plans;
}

void
pin_result(Statement *statement, const Decomposition *shape)
{
	statement->pinned = statement->pinned || statement->noutput > 0;
	for (int d = 0; d < statement->noutput; d++)
	{
		int32 block = block_size(shape, d);

		statement->output_pins[d] = block == BLOCK_PROMOTED  ? PIN_PROMOTED
									: block == BLOCK_DEMOTED ? PIN_DEMOTED
															 : PIN_BLOCKED;
		statement->output_blocks[d] = block;
	}
}
