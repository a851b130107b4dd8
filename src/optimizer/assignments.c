/*-------------------------------------------------------------------------
 *
 * assignments.c
 *	  The decompositions of one stage that a search considers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "expr/side_table.h"
#include "kernels/nest/nest_cost.h"
#include "optimizer/needed_keys.h"
#include "optimizer/assignments.h"
#include "optimizer/repartition_cost.h"
#include "optimizer/settings.h"
#include "recursion.h"

/* The block sizes that can be assigned to each label of a stage. */
typedef struct LabelOptions
{
	int n[STAGE_MAX_LABELS];
	int32 blocks[STAGE_MAX_LABELS][MAX_LABEL_BLOCKS];
} LabelOptions;

/* The assignments of a stage while they are made. */
typedef struct AssignmentSearch
{
	StageGraph *graph;
	const Stage *stage;
	AssignmentList *list;
	LabelOptions options;
	/*
	 * What reading a stored operand costs, by its estimate (which equal operands share)
	 * and by the decomposition needed. [1] is for operands whose rows are summed later.
	 */
	SideTable *reads[2];
	double limit;          /* decompositions that cost more are not wanted */
	MemoryContext scratch; /* for memory that estimates leave behind */
} AssignmentSearch;

/*
 * Returns the cost of reading a stored operand in the decomposition that a choice needs.
 * summed_later: see is_summed_later.
 */
static double
read_cost(AssignmentSearch *search, const Operand *operand, const Decomposition *choice,
		  bool summed_later)
{
	Decomposition needed = operand_decomposition(operand, choice);
	DecompositionTable *costs =
		side_value(search->reads[summed_later], operand->estimate);
	bool found;
	double *cost;

	if (costs == NULL)
	{
		costs = new_decomposition_table();
		set_side_value(search->reads[summed_later], operand->estimate, costs);
	}
	cost = decomposition_value(costs, &needed, &found);
	if (!found)
	{
		MemoryContext old = MemoryContextSwitchTo(search->scratch);
		OperandPlan read;

		/* storages in other orders cost the same */
		plan_stored_operand(search->graph, operand, &needed, summed_later, 0, &read);
		*cost = read.cost * repartition_share(search->graph, operand_varies(operand));
		MemoryContextSwitchTo(old);
		MemoryContextReset(search->scratch);
	}
	return *cost;
}

/*
 * Returns the least that reading an operand adds to the cost, whatever else is read. 0 if
 * another stage makes the operand, since its cost is not known before that stage is, or
 * if an operand before it may read the same rows.
 */
static double
least_read(AssignmentSearch *search, int term, int number, const Decomposition *choice)
{
	const Stage *stage = search->stage;
	const Operand *operand = &stage->terms[term].operands[number];

	if (operand->producer)
		return 0.0;
	for (int t = 0; t <= term; t++)
	{
		int end = t < term ? stage->terms[t].noperands : number;

		for (int o = 0; o < end; o++)
			if (stage->terms[t].operands[o].tensor == operand->tensor)
				return 0.0;
	}
	/* labels that are not chosen yet decide whether the rows are summed later */
	return read_cost(search, operand, choice, operand->summed_later);
}

/* Returns the cost of computing a stage once, without the stages that it reads. */
static double
assignment_cost(AssignmentSearch *search, const Decomposition *choice)
{
	const Stage *stage = search->stage;
	const Estimator *estimator = search->graph->options->estimator;
	Decomposition natural = output_decomposition(stage, choice);
	Decomposition shape = result_decomposition(stage, choice);
	MemoryContext old = MemoryContextSwitchTo(search->scratch);
	StageCost stage_cost;
	double cost;

	cost_stage(stage, estimator, choice, &stage_cost);
	cost = desirable_cost(&stage_cost);
	if (!isinf(cost))
		cost += cost_repartition(stage->tensor, statistics_of_result(stage), estimator,
								 &natural, &shape);
	MemoryContextSwitchTo(old);
	MemoryContextReset(search->scratch);
	if (isinf(cost))
		return cost;
	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Operand *operand = &stage->terms[t].operands[o];

			if (operand->producer == NULL &&
				operand_of_row(&stage->terms[t], o, choice) == o)
				cost += read_cost(search, operand, choice,
								  is_summed_later(stage, &stage->terms[t], o, choice));
		}
	}
	return cost;
}

static void
add_assignment(AssignmentSearch *search, const Decomposition *choice)
{
	AssignmentList *list = search->list;
	Assignment *assignment = &list->assignments[list->nassignments++];

	assignment->choice = *choice;
	assignment->cost = assignment_cost(search, choice);
	list->least = Min(list->least, assignment->cost);
}

/*
 * Returns the assignment with this choice; makes it if it is new and the limit allows it,
 * else returns NULL.
 */
static const Assignment *
get_assignment(AssignmentSearch *search, const Decomposition *choice, int limit)
{
	AssignmentList *list = search->list;

	for (int i = 0; i < list->nassignments; i++)
	{
		if (same_decomposition(&list->assignments[i].choice, choice))
			return &list->assignments[i];
	}
	if (list->nassignments >= limit)
		return NULL;
	add_assignment(search, choice);
	return &list->assignments[list->nassignments - 1];
}

/*
 * Descends from one assignment to the cheapest that differs in one label, until no
 * neighbour is cheaper or the list has reached a limit. Keeps all assignments that it
 * tries.
 */
static void
descend(AssignmentSearch *search, Decomposition choice, int limit)
{
	const Assignment *start = get_assignment(search, &choice, limit);
	double current = start ? start->cost : INFINITY;

	for (;;)
	{
		Decomposition best = choice;

		CHECK_FOR_INTERRUPTS();
		for (int l = 0; l < search->stage->nlabels; l++)
		{
			for (int b = 0; b < search->options.n[l]; b++)
			{
				Decomposition neighbour = choice;
				const Assignment *tried;

				set_block(&neighbour, l, search->options.blocks[l][b], INFINITY);
				tried = get_assignment(search, &neighbour, limit);
				if (tried && tried->cost < current)
				{
					best = neighbour;
					current = tried->cost;
				}
			}
		}
		if (same_decomposition(&best, &choice))
			return;
		choice = best;
	}
}

/*
 * Returns the cost of reading those operands whose labels are all decided once this label
 * is.
 */
static double
reads_decided_by(AssignmentSearch *search, const Decomposition *choice, int label)
{
	const Stage *stage = search->stage;
	double reads = 0.0;

	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Operand *operand = &stage->terms[t].operands[o];

			if (operand->mask != 0 && pg_rightmost_one_pos32(operand->mask) == label)
				reads += least_read(search, t, o, choice);
		}
	}
	return reads;
}

/*
 * Enumerates all combinations of block sizes, those of the first label changing fastest.
 * Leaves out combinations in which reading the operands whose labels are decided already
 * costs too much.
 */
static void
enumerate(AssignmentSearch *search, Decomposition *choice, int left, double reads)
{
	int label = left - 1;

	enter_recursion();
	if (left == 0)
	{
		CHECK_FOR_INTERRUPTS();
		add_assignment(search, choice);
		return;
	}
	for (int b = 0; b < search->options.n[label]; b++)
	{
		double with = reads;

		set_block(choice, label, search->options.blocks[label][b], INFINITY);
		if (!isinf(search->limit))
			with += reads_decided_by(search, choice, label);
		if (with > search->limit)
			search->list->least = Min(search->list->least, with);
		else
			enumerate(search, choice, label, with);
	}
}

/* Returns the choice that promotes these labels as far as the options allow. */
static Decomposition
nearest_choice(const AssignmentSearch *search, LabelMask promoted)
{
	const LabelOptions *options = &search->options;
	Decomposition choice = {0};

	for (int l = 0; l < search->stage->nlabels; l++)
	{
		int option = 0;

		if (options->n[l] > 1 && (promoted & (1u << l)))
			option = 1;
		set_block(&choice, l, options->blocks[l][option], INFINITY);
	}
	return choice;
}

/* Starts of the descent, if not all assignments are tried. */
#define NSTARTS 3

/*
 * Descends from each start. The starts share the budget, but each start itself is always
 * tried.
 */
static void
descend_from_starts(AssignmentSearch *search)
{
	const LabelMask starts[NSTARTS] = {PG_UINT32_MAX, 0, search->stage->output_mask};

	for (int i = 1; i <= NSTARTS; i++)
		descend(search, nearest_choice(search, starts[i - 1]),
				Max(search->graph->search_budget / NSTARTS * i, i));
}

/* Returns how many decompositions a stage has, and sets the options of each label. */
static double
count_combinations(const StageGraph *graph, const Stage *stage, LabelOptions *options)
{
	double combinations = 1.0;

	for (int l = 0; l < stage->nlabels; l++)
	{
		options->n[l] = label_blocks(graph, stage, l, options->blocks[l]);
		combinations *= options->n[l];
	}
	return combinations;
}

/* Number of stages that may use all of search_budget. */
#define STAGES_IN_FULL 2

/*
 * Returns how many decompositions each stage may try. The search compares the
 * decompositions of a stage with those of each stage that it reads, which takes the
 * square of their number. In a program of many stages with many decompositions, such as a
 * quantum circuit, each stage gets less than search_budget, so that all squares together
 * are those of STAGES_IN_FULL stages with the whole budget.
 */
static int
budget_of_stages(const StageGraph *graph)
{
	LabelOptions options;
	double most = STAGES_IN_FULL * (double) search_budget * search_budget;
	int budget = search_budget;
	double *combinations = palloc(sizeof(double) * Max(list_length(graph->stages), 1));
	ListCell *lc;

	foreach (lc, graph->stages)
	{
		const Stage *stage = lfirst(lc);

		combinations[stage->number] =
			stage->side ? 0.0 : count_combinations(graph, stage, &options);
	}
	for (; budget > NSTARTS; budget /= 2)
	{
		double squares = 0.0;

		CHECK_FOR_INTERRUPTS();
		for (int s = 0; s < list_length(graph->stages); s++)
			squares += Min(combinations[s], budget) * Min(combinations[s], budget);
		if (squares <= most)
			break;
	}
	pfree(combinations);
	return budget;
}

static AssignmentList *
list_assignments(StageGraph *graph, const Stage *stage)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext searching =
		AllocSetContextCreate(context, "decompositions", ALLOCSET_DEFAULT_SIZES);
	AssignmentList *list = palloc0(sizeof(AssignmentList));
	AssignmentSearch *search =
		MemoryContextAllocZero(searching, sizeof(AssignmentSearch));
	double combinations;

	if (stage->must_promote & stage->must_demote)
		elog(ERROR, "a label is both promoted and demoted");
	search->graph = graph;
	search->stage = stage;
	search->list = list;
	if (graph->search_budget == 0)
		graph->search_budget = budget_of_stages(graph);
	combinations = count_combinations(graph, stage, &search->options);
	/* some stages of a loop count less than once */
	search->limit = stage->side || graph->options->loop ? INFINITY : graph->limit;
	list->limited = !isinf(search->limit);
	list->least = INFINITY;
	list->complete = combinations <= graph->search_budget;
	list->assignments =
		palloc(sizeof(Assignment) *
			   (Size) Min(combinations, Max(graph->search_budget, NSTARTS)));

	MemoryContextSwitchTo(searching);
	search->scratch =
		AllocSetContextCreate(searching, "estimates", ALLOCSET_DEFAULT_SIZES);
	for (int i = 0; i < lengthof(search->reads); i++)
		search->reads[i] = new_side_table(16);
	if (list->complete)
	{
		Decomposition choice = {0};

		enumerate(search, &choice, stage->nlabels, 0.0);
		/* keep one assignment for searches that take the first */
		if (list->nassignments == 0)
		{
			list->assignments[list->nassignments].choice =
				nearest_choice(search, PG_UINT32_MAX);
			list->assignments[list->nassignments++].cost = INFINITY;
		}
	}
	else
		descend_from_starts(search);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(searching);
	return list;
}

AssignmentList *
stage_assignments(StageGraph *graph, Stage *stage)
{
	if (stage->assignments == NULL && stage->like != NULL && stage->like != stage)
	{
		AssignmentList *list = stage_assignments(graph, stage->like);

		/* the cost of a side stage is compared with nothing */
		if (!stage->side || !list->limited)
			stage->assignments = list;
	}
	if (stage->assignments == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(graph));

		stage->assignments = list_assignments(graph, stage);
		MemoryContextSwitchTo(old);
	}
	return stage->assignments;
}

double
least_entries_cost(const Stage *stage)
{
	double rate =
		Min(Min(kernel_matrix_cost, kernel_streaming_cost), kernel_general_cost);
	double cost = 0.0;

	for (int t = 0; t < stage->nterms; t++)
	{
		const Term *term = &stage->terms[t];
		/*
		 * joined tuples may have the labels of kernel sums, each of which takes one
		 * operation
		 */
		double operations = term->nsums > 0 ? 1.0 : Max(term->kernel->calls, 1.0);

		cost += term->entries * operations * Min(rate, NEST_OPERATION_TIME);
	}
	return cost;
}

double
known_least_cost(const Stage *stage)
{
	return stage->assignments ? stage->assignments->least : least_entries_cost(stage);
}
