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

#include "optimizer/needed_keys.h"
#include "optimizer/assignments.h"
#include "optimizer/plan.h"
#include "optimizer/repartition_cost.h"

/* Returns the cost of computing a stage once, given the choices of its producers. */
static double
cost_given_inputs(StageGraph *graph, const Stage *stage, const Decomposition *choices,
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
			Decomposition from;
			Decomposition to;

			if (producer == NULL)
				continue;
			from = result_decomposition(producer, &choices[producer->number]);
			to = operand_decomposition(operand, &assignment->choice);
			cost += cost_repartition(operand->tensor, statistics_of_result(producer),
									 estimator, &from, &to) *
					repartition_share(graph, operand_varies(operand));
		}
	}
	return cost;
}

const Decomposition *
cheapest_choice(StageGraph *graph, Stage *stage, const Decomposition *choices)
{
	AssignmentList *list = stage_assignments(graph, stage);
	const Decomposition *best = &list->assignments[0].choice;
	double best_cost = INFINITY;

	for (int i = 0; i < list->nassignments; i++)
	{
		double cost = cost_given_inputs(graph, stage, choices, &list->assignments[i]);

		CHECK_FOR_INTERRUPTS();
		if (cost < best_cost)
		{
			best = &list->assignments[i].choice;
			best_cost = cost;
		}
	}
	return best;
}

Decomposition *
search_greedily(StageGraph *graph)
{
	Decomposition *choices = palloc0(sizeof(Decomposition) * list_length(graph->stages));
	ListCell *lc;

	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		choices[stage->number] = *cheapest_choice(graph, stage, choices);
	}
	return choices;
}
