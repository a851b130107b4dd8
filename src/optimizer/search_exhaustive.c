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
	Decomposition *choices;
} EnumeratedPlan;

/*
 * The block sizes that a label of a stage can have; the labels of all stages form one
 * list.
 */
typedef struct EnumeratedLabel
{
	int stage;
	int label;
	int nblocks;
	int32 blocks[MAX_LABEL_BLOCKS];
	int turn;
} EnumeratedLabel;

/* Adds a plan to the k cheapest, cheapest first. */
static void
keep_plan(EnumeratedPlan *found, int *nfound, int k, double cost,
		  const Decomposition *choices, int nstages)
{
	Size size = sizeof(Decomposition) * nstages;
	EnumeratedPlan plan = {cost};
	int at = *nfound;

	if (isinf(cost) || (at == k && cost >= found[at - 1].cost))
		return;
	/* the last plan is replaced */
	plan.choices = at == k ? found[k - 1].choices : palloc(size);
	memcpy(plan.choices, choices, size);
	if (at == k)
		at--;
	else
		(*nfound)++;
	for (; at > 0 && cost < found[at - 1].cost; at--)
		found[at] = found[at - 1];
	found[at] = plan;
}

List *
search_exhaustively(StageGraph *graph)
{
	int nstages = list_length(graph->stages);
	Decomposition *choices = palloc0(sizeof(Decomposition) * nstages);
	EnumeratedLabel *labels =
		palloc(sizeof(EnumeratedLabel) * Max(nstages, 1) * STAGE_MAX_LABELS);
	int nlabels = 0;
	double total = 1.0;
	EnumeratedPlan *found;
	int nfound = 0;
	List *result = NIL;
	ListCell *lc;
	int l;

	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		for (int i = 0; i < stage->nlabels && !stage->side; i++)
		{
			EnumeratedLabel *label = &labels[nlabels++];

			label->stage = stage->number;
			label->label = i;
			label->nblocks = label_blocks(graph, stage, i, label->blocks);
			label->turn = 0;
			set_block(&choices[stage->number], i, label->blocks[0], INFINITY);
			total *= label->nblocks;
		}
	}
	if (total > MAX_ENUMERATED)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the program has too many plans to enumerate"),
						errdetail("It has %.0f; at most %.0f are enumerated.", total,
								  MAX_ENUMERATED),
						errhint("Use search => 'dp'.")));

	found = palloc(sizeof(EnumeratedPlan) * graph->options->plans);
	do
	{
		MemoryContext scratch = AllocSetContextCreate(
			CurrentMemoryContext, "enumerated plan", ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(scratch);
		double cost;

		CHECK_FOR_INTERRUPTS();
		cost = plan_of_choices(graph, choices)->compared;
		MemoryContextSwitchTo(old);
		MemoryContextDelete(scratch);
		keep_plan(found, &nfound, graph->options->plans, cost, choices, nstages);

		/* the next combination, as an odometer counts */
		for (l = 0; l < nlabels; l++)
		{
			EnumeratedLabel *label = &labels[l];

			label->turn = label->turn + 1 < label->nblocks ? label->turn + 1 : 0;
			set_block(&choices[label->stage], label->label, label->blocks[label->turn],
					  INFINITY);
			if (label->turn != 0)
				break;
		}
	} while (l < nlabels);

	for (int i = 0; i < nfound; i++)
		result = lappend(result, found[i].choices);
	return result;
}
