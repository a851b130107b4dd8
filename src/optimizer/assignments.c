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

#include "optimizer/needed_keys.h"
#include "optimizer/assignments.h"
#include "optimizer/settings.h"

/* What can be assigned to each label of a stage. */
typedef struct LabelOptions
{
	int n[STAGE_MAX_LABELS];
	int32 blocks[STAGE_MAX_LABELS][MAX_LABEL_BLOCKS];
} LabelOptions;

/* What one computation of a stage costs, apart from the stages it reads. */
static double
assignment_cost(StageGraph *graph, const Stage *stage, const Decomposition *choice)
{
	Decomposition natural = output_decomposition(stage, choice);
	Decomposition shape = result_decomposition(stage, choice);
	StageCost stage_cost;
	double cost;

	cost_stage(stage, graph->options->estimator, choice, &stage_cost);
	cost = desirable_cost(&stage_cost);
	if (isinf(cost))
		return cost;
	cost += cost_repartition(stage->tensor, statistics_of_result(stage),
							 graph->options->estimator, &natural, &shape);
	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Operand *operand = &stage->terms[t].operands[o];
			Decomposition needed;
			OperandPlan read;

			if (operand->producer)
				continue;
			needed = operand_decomposition(operand, choice);
			plan_stored_operand(graph, operand, &needed, &read);
			cost += read.cost;
		}
	}
	return cost;
}

static void
add_assignment(StageGraph *graph, const Stage *stage, AssignmentList *list,
			   const Decomposition *choice)
{
	Assignment *assignment = &list->assignments[list->nassignments++];

	assignment->choice = *choice;
	assignment->cost = assignment_cost(graph, stage, choice);
	list->least = Min(list->least, assignment->cost);
}

/* The assignment of these labels, made if it is new and the limit allows. */
static const Assignment *
get_assignment(StageGraph *graph, const Stage *stage, AssignmentList *list,
			   const Decomposition *choice, int limit)
{
	for (int i = 0; i < list->nassignments; i++)
	{
		if (same_decomposition(&list->assignments[i].choice, choice))
			return &list->assignments[i];
	}
	if (list->nassignments >= limit)
		return NULL;
	add_assignment(graph, stage, list, choice);
	return &list->assignments[list->nassignments - 1];
}

/*
 * From one assignment to the cheapest that differs in one label, until none is
 * cheaper or the list has reached a limit; everything tried on the way is kept.
 */
static void
descend(StageGraph *graph, const Stage *stage, AssignmentList *list, Decomposition choice,
		const LabelOptions *options, int limit)
{
	const Assignment *start = get_assignment(graph, stage, list, &choice, limit);
	double current = start ? start->cost : INFINITY;

	for (;;)
	{
		Decomposition best = choice;

		CHECK_FOR_INTERRUPTS();
		for (int l = 0; l < stage->nlabels; l++)
		{
			for (int b = 0; b < options->n[l]; b++)
			{
				Decomposition neighbour = choice;
				const Assignment *tried;

				set_block(&neighbour, l, options->blocks[l][b], INFINITY);
				tried = get_assignment(graph, stage, list, &neighbour, limit);
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

/* Every combination of options, the first label's changing fastest. */
static void
enumerate(StageGraph *graph, const Stage *stage, AssignmentList *list,
		  const LabelOptions *options)
{
	Decomposition choice = {0};
	int turn[STAGE_MAX_LABELS] = {0};
	int l;

	for (l = 0; l < stage->nlabels; l++)
		set_block(&choice, l, options->blocks[l][0], INFINITY);
	do
	{
		CHECK_FOR_INTERRUPTS();
		add_assignment(graph, stage, list, &choice);
		for (l = 0; l < stage->nlabels; l++)
		{
			turn[l] = turn[l] + 1 < options->n[l] ? turn[l] + 1 : 0;
			set_block(&choice, l, options->blocks[l][turn[l]], INFINITY);
			if (turn[l] != 0)
				break;
		}
	} while (l < stage->nlabels);
}

/* The choice that promotes these labels as far as the options allow. */
static Decomposition
nearest_choice(const Stage *stage, const LabelOptions *options, LabelMask promoted)
{
	Decomposition choice = {0};

	for (int l = 0; l < stage->nlabels; l++)
	{
		int option = 0;

		if (options->n[l] > 1 && (promoted & (1u << l)))
			option = 1;
		set_block(&choice, l, options->blocks[l][option], INFINITY);
	}
	return choice;
}

static AssignmentList *
list_assignments(StageGraph *graph, const Stage *stage)
{
	AssignmentList *list = palloc0(sizeof(AssignmentList));
	LabelOptions *options = palloc(sizeof(LabelOptions));
	double combinations = 1.0;

	list->least = INFINITY;
	if (stage->must_promote & stage->must_demote)
		elog(ERROR, "a label is both promoted and demoted");
	for (int l = 0; l < stage->nlabels; l++)
	{
		options->n[l] = label_blocks(graph, stage, l, options->blocks[l]);
		combinations *= options->n[l];
	}
	if (combinations <= search_budget)
	{
		list->complete = true;
		list->assignments = palloc(sizeof(Assignment) * (Size) combinations);
		enumerate(graph, stage, list, options);
		return list;
	}

	/* three starts share the budget */
	list->assignments = palloc(sizeof(Assignment) * search_budget);
	descend(graph, stage, list, nearest_choice(stage, options, PG_UINT32_MAX), options,
			search_budget / 3);
	descend(graph, stage, list, nearest_choice(stage, options, 0), options,
			search_budget / 3 * 2);
	descend(graph, stage, list, nearest_choice(stage, options, stage->output_mask),
			options, search_budget);
	return list;
}

AssignmentList *
stage_assignments(StageGraph *graph, Stage *stage)
{
	if (stage->assignments == NULL && stage->like != NULL && stage->like != stage)
		stage->assignments = stage_assignments(graph, stage->like);
	if (stage->assignments == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(graph));

		stage->assignments = list_assignments(graph, stage);
		MemoryContextSwitchTo(old);
	}
	return stage->assignments;
}
