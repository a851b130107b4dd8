/*-------------------------------------------------------------------------
 *
 * search_greedy.c
 *	  The greedy search: each stage takes what is cheapest given its inputs,
 *	  and no alternative is remembered.
 *
 * Source: SparseEinSum, section 9.3, which compares it with the dynamic
 * program. Linear in the number of stages; blind to what a consumer needs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "optimizer/assignments.h"
#include "optimizer/plan.h"

/* Cost of one computation of a stage whose producers' choices are made. */
static double
cost_given_inputs(StageGraph *graph, const Stage *stage, const LabelMask *choices,
				  const Assignment *assignment)
{
	const Estimator *estimator = graph->options->estimator;
	double cost = assignment->cost;

	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Operand *operand = &stage->terms[t].operands[o];
			const Stage *producer = operand->producer;
			DimensionMask from;

			if (producer == NULL)
				continue;
			from = producer->shape_fixed
					   ? producer->shape
					   : output_decomposition(producer, choices[producer->number]);
			cost +=
				cost_repartition(operand->tensor, estimator, from,
								 operand_decomposition(operand, assignment->promoted));
		}
	}
	return cost;
}

LabelMask
cheapest_choice(StageGraph *graph, Stage *stage, const LabelMask *choices)
{
	AssignmentList *list = stage_assignments(graph, stage);
	LabelMask best = list->assignments[0].promoted;
	double best_cost = INFINITY;

	for (int i = 0; i < list->nassignments; i++)
	{
		double cost = cost_given_inputs(graph, stage, choices, &list->assignments[i]);

		if (cost < best_cost)
		{
			best = list->assignments[i].promoted;
			best_cost = cost;
		}
	}
	return best;
}

LabelMask *
search_greedily(StageGraph *graph)
{
	LabelMask *choices = palloc0(sizeof(LabelMask) * list_length(graph->stages));
	ListCell *lc;

	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		choices[stage->number] = cheapest_choice(graph, stage, choices);
	}
	return choices;
}
