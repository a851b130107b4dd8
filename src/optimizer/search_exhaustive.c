/*-------------------------------------------------------------------------
 *
 * search_exhaustive.c
 *	  Every plan there is, in order of cost.
 *
 * The reference that the other searches are tested against: it knows nothing
 * of trees, winners or shared results, and asks only what a whole plan costs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "optimizer/plan.h"

/* Enumerating more would take minutes and gigabytes. */
#define MAX_ENUMERATED 1000000.0

typedef struct EnumeratedPlan
{
	double cost;
	LabelMask *choices;
} EnumeratedPlan;

static int
compare_plans(const void *a, const void *b)
{
	double cost_a = ((const EnumeratedPlan *) a)->cost;
	double cost_b = ((const EnumeratedPlan *) b)->cost;

	return cost_a < cost_b ? -1 : cost_a > cost_b ? 1 : 0;
}

List *
search_exhaustively(StageGraph *graph)
{
	int nstages = list_length(graph->stages);
	LabelMask *choices = palloc0(sizeof(LabelMask) * nstages);
	LabelMask *ends = palloc0(sizeof(LabelMask) * nstages);
	double total = 1.0;
	EnumeratedPlan *found;
	int nfound = 0;
	List *result = NIL;
	ListCell *lc;
	int s;

	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		if (stage->nlabels >= 31)
			total = INFINITY;
		else
			ends[stage->number] = 1u << stage->nlabels;
		if (!stage->side)
			total *= ldexp(1.0, stage->nlabels);
	}
	if (total > MAX_ENUMERATED)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the program has too many plans to enumerate"),
						errdetail("It has %.0f; at most %.0f are enumerated.", total,
								  MAX_ENUMERATED),
						errhint("Use search => 'dp'.")));

	found = palloc_extended(sizeof(EnumeratedPlan) * (Size) total, MCXT_ALLOC_HUGE);
	do
	{
		bool allowed = true;
		MemoryContext scratch;
		MemoryContext old;
		double cost;

		CHECK_FOR_INTERRUPTS();
		for (s = 0; s < nstages; s++)
		{
			Stage *stage = list_nth(graph->stages, s);

			allowed = allowed && (stage->side || choice_allowed(stage, choices[s]));
		}
		if (allowed)
		{
			scratch = AllocSetContextCreate(CurrentMemoryContext, "enumerated plan",
											ALLOCSET_DEFAULT_SIZES);
			old = MemoryContextSwitchTo(scratch);
			cost = plan_of_choices(graph, choices)->cost;
			MemoryContextSwitchTo(old);
			MemoryContextDelete(scratch);
			if (!isinf(cost))
			{
				found[nfound].cost = cost;
				found[nfound].choices = palloc(sizeof(LabelMask) * nstages);
				memcpy(found[nfound].choices, choices, sizeof(LabelMask) * nstages);
				nfound++;
			}
		}

		/* the next combination, as an odometer counts */
		for (s = 0; s < nstages; s++)
		{
			if (((Stage *) list_nth(graph->stages, s))->side)
				continue;
			if (++choices[s] < ends[s])
				break;
			choices[s] = 0;
		}
	} while (s < nstages);

	qsort(found, nfound, sizeof(EnumeratedPlan), compare_plans);
	for (int i = 0; i < nfound && i < graph->options->plans; i++)
		result = lappend(result, found[i].choices);
	return result;
}
