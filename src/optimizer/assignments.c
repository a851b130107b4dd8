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

#include "optimizer/assignments.h"
#include "optimizer/settings.h"

/* What one computation of a stage costs, apart from the stages it reads. */
static double
assignment_cost(StageGraph *graph, const Stage *stage, LabelMask promoted)
{
	DimensionMask natural = output_decomposition(stage, promoted);
	StageCost stage_cost;
	double cost;

	cost_stage(stage, graph->options->estimator, promoted, &stage_cost);
	cost = stage_cost.total;
	if (isinf(cost))
		return cost;
	if (stage->shape_fixed)
		cost += cost_repartition(stage->tensor, graph->options->estimator, natural,
								 stage->shape);
	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Operand *operand = &stage->terms[t].operands[o];
			OperandPlan read;

			if (operand->producer)
				continue;
			plan_stored_operand(graph, operand, operand_decomposition(operand, promoted),
								&read);
			cost += read.cost;
		}
	}
	return cost;
}

static void
add_assignment(StageGraph *graph, const Stage *stage, AssignmentList *list,
			   LabelMask promoted)
{
	Assignment *assignment = &list->assignments[list->nassignments++];

	assignment->promoted = promoted;
	assignment->cost = assignment_cost(graph, stage, promoted);
}

/* The assignment of these labels, made if it is new and the limit allows. */
static const Assignment *
get_assignment(StageGraph *graph, const Stage *stage, AssignmentList *list,
			   LabelMask promoted, int limit)
{
	for (int i = 0; i < list->nassignments; i++)
	{
		if (list->assignments[i].promoted == promoted)
			return &list->assignments[i];
	}
	if (list->nassignments >= limit)
		return NULL;
	add_assignment(graph, stage, list, promoted);
	return &list->assignments[list->nassignments - 1];
}

/*
 * From one assignment to the cheapest that differs in one label, until none is
 * cheaper or the list has reached a limit; everything tried on the way is kept.
 */
static void
descend(StageGraph *graph, const Stage *stage, AssignmentList *list, LabelMask promoted,
		LabelMask open, int limit)
{
	const Assignment *start = get_assignment(graph, stage, list, promoted, limit);
	double current = start ? start->cost : INFINITY;

	for (;;)
	{
		LabelMask best = promoted;
		LabelMask rest = open;

		CHECK_FOR_INTERRUPTS();
		while (rest)
		{
			LabelMask neighbour = promoted ^ (rest & -rest);
			const Assignment *tried =
				get_assignment(graph, stage, list, neighbour, limit);

			rest &= rest - 1;
			if (tried && tried->cost < current)
			{
				best = neighbour;
				current = tried->cost;
			}
		}
		if (best == promoted)
			return;
		promoted = best;
	}
}

static AssignmentList *
list_assignments(StageGraph *graph, const Stage *stage)
{
	AssignmentList *list = palloc0(sizeof(AssignmentList));
	LabelMask all = stage->nlabels == 32 ? PG_UINT32_MAX : (1u << stage->nlabels) - 1;
	LabelMask open = all & ~stage->must_promote & ~stage->must_demote;
	LabelMask chosen = 0;
	int nopen = pg_popcount32(open);

	if (stage->must_promote & stage->must_demote)
		elog(ERROR, "a label is both promoted and demoted");
	if (nopen < 31 && (1u << nopen) <= (uint32) search_budget)
	{
		list->complete = true;
		list->assignments = palloc(sizeof(Assignment) * (1u << nopen));
		/* all subsets of the open labels, from none to all */
		do
		{
			CHECK_FOR_INTERRUPTS();
			add_assignment(graph, stage, list, stage->must_promote | chosen);
			chosen = (chosen - open) & open;
		} while (chosen != 0);
		return list;
	}

	/* three starts share the budget */
	list->assignments = palloc(sizeof(Assignment) * search_budget);
	descend(graph, stage, list, stage->must_promote | open, open, search_budget / 3);
	descend(graph, stage, list, stage->must_promote, open, search_budget / 3 * 2);
	descend(graph, stage, list, stage->must_promote | (open & stage->output_mask), open,
			search_budget);
	return list;
}

AssignmentList *
stage_assignments(StageGraph *graph, Stage *stage)
{
	if (stage->assignments == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(graph));

		stage->assignments = list_assignments(graph, stage);
		MemoryContextSwitchTo(old);
	}
	return stage->assignments;
}
