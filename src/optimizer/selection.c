/*-------------------------------------------------------------------------
 *
 * selection.c
 *	  The cheapest way to compute groups, each of which is computed once.
 *
 * Greedily, each group takes the form that is cheapest with all that it reads, as if nothing else
 * read that. This bounds what is looked at next: groups get their forms from the
 * root down, readers before what they read. What has been decided matters only by the groups
 * that it needs; of the ways to need a set of groups the cheapest is kept (dynamic programming). A
 * set is left where what was decided and the least that the set can cost are no less than what is
 * known (branch and bound).
 *
 * The least that a set of groups costs: each takes its cheapest form, and its share of what that reads
 * beyond the set, divided by all who might read it.
 *
 * Source: SPORES, section 3.2 (extraction by an integer program, figures 10 and 11).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"

#include "optimizer/plan.h"
#include "optimizer/selection.h"

/* The forms that have been taken, the last one first. */
typedef struct Taken
{
	const struct Taken *before;
	int group;
	int form;
} Taken;

/* Groups that are needed and have no form yet. */
typedef struct Needed
{
	Bitmapset *groups;
	double cost; /* cost of the forms that were taken */
	double bound;
	const Taken *taken;
} Needed;

typedef struct SelectionSearch
{
	int ngroups;
	const SelectionGroup *groups;
	int *readers;  /* of each group: those that have a form which reads it */
	double *least; /* of each group, while least_cost_of_groups runs */
	double limit;  /* sets that cost at least this are skipped */
	int budget;
	bool exact;
} SelectionSearch;

/* Selects the form that is cheapest for each group alone. */
static Selection *
select_greedily(const SelectionSearch *search)
{
	Selection *selection = palloc0(sizeof(Selection));
	double *cost = palloc(sizeof(double) * search->ngroups);
	int *best = palloc(sizeof(int) * search->ngroups);

	selection->taken = palloc(sizeof(int) * search->ngroups);
	for (int g = 0; g < search->ngroups; g++)
	{
		const SelectionGroup *group = &search->groups[g];

		cost[g] = INFINITY;
		for (int f = group->nforms - 1; f >= 0; f--)
		{
			double sum = group->forms[f].cost;

			for (int i = 0; i < group->forms[f].ninputs; i++)
				sum += cost[group->forms[f].inputs[i]];
			if (sum <= cost[g])
			{
				cost[g] = sum;
				best[g] = f;
			}
		}
		selection->taken[g] = -1;
	}
	selection->taken[search->ngroups - 1] = best[search->ngroups - 1];
	for (int g = search->ngroups - 1; g >= 0; g--)
	{
		const SelectionForm *form;

		if (selection->taken[g] < 0)
			continue;
		form = &search->groups[g].forms[best[g]];
		selection->cost += form->cost;
		for (int i = 0; i < form->ninputs; i++)
			selection->taken[form->inputs[i]] = best[form->inputs[i]];
	}
	selection->greedy = selection->cost;
	return selection;
}

/* Returns a lower bound of the cost of a set of groups, given the highest of them. */
static double
least_cost_of_groups(const SelectionSearch *search, const Bitmapset *needed, int highest)
{
	double sum = 0.0;

	for (int g = 0; g <= highest; g++)
	{
		const SelectionGroup *group = &search->groups[g];

		search->least[g] = INFINITY;
		for (int f = 0; f < group->nforms; f++)
		{
			double cost = group->forms[f].cost;

			for (int i = 0; i < group->forms[f].ninputs; i++)
			{
				int input = group->forms[f].inputs[i];

				if (!bms_is_member(input, needed))
					cost += search->least[input] / search->readers[input];
			}
			search->least[g] = Min(search->least[g], cost);
		}
		if (bms_is_member(g, needed))
			sum += search->least[g];
	}
	return sum;
}

/*
 * The needs that are left when a group takes a form; to the list of them, if that is
 * worth it.
 */
static List *
take_form(SelectionSearch *search, List *next, const Needed *needed, int group, int f)
{
	const SelectionForm *form = &search->groups[group].forms[f];
	Bitmapset *groups = bms_del_member(bms_copy(needed->groups), group);
	double cost = needed->cost + form->cost;
	double bound;
	Needed *same = NULL;
	Taken *taken;
	ListCell *lc;

	for (int i = 0; i < form->ninputs; i++)
		groups = bms_add_member(groups, form->inputs[i]);
	foreach (lc, next)
	{
		if (bms_equal(((const Needed *) lfirst(lc))->groups, groups))
			same = lfirst(lc);
	}
	if (same && same->cost <= cost)
		return next;
	search->budget--;
	bound = cost + least_cost_of_groups(search, groups, group - 1);
	if (bound >= search->limit)
		return next;
	if (same == NULL)
	{
		same = palloc(sizeof(Needed));
		same->groups = groups;
		next = lappend(next, same);
	}
	taken = palloc(sizeof(Taken));
	*taken = (Taken){needed->taken, group, f};
	same->cost = cost;
	same->bound = bound;
	same->taken = taken;
	return next;
}

/* Returns the most promising of several needs. */
static List *
most_promising(const List *all)
{
	Needed *best = linitial(all);
	ListCell *lc;

	foreach (lc, all)
	{
		if (((const Needed *) lfirst(lc))->bound < best->bound)
			best = lfirst(lc);
	}
	return list_make1(best);
}

/* What can be needed once a group, if it is needed, has a form. */
static List *
decide_group(SelectionSearch *search, List *all, int group)
{
	List *next = NIL;
	ListCell *lc;

	if (search->budget <= 0 && list_length(all) > 1)
	{
		search->exact = false;
		all = most_promising(all);
	}
	/* first those that do not need it: others may come to need the same */
	foreach (lc, all)
	{
		if (!bms_is_member(group, ((const Needed *) lfirst(lc))->groups))
			next = lappend(next, lfirst(lc));
	}
	foreach (lc, all)
	{
		const Needed *needed = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (bms_is_member(group, needed->groups))
		{
			for (int f = 0; f < search->groups[group].nforms; f++)
				next = take_form(search, next, needed, group, f);
		}
	}
	return next;
}

/* Returns how many groups could read each group; at least one. */
static int *
count_readers(int ngroups, const SelectionGroup *groups)
{
	int *readers = palloc0(sizeof(int) * ngroups);

	for (int g = ngroups - 1; g >= 0; g--)
	{
		Bitmapset *inputs = NULL;
		int input = -1;

		for (int f = 0; f < groups[g].nforms; f++)
		{
			for (int i = 0; i < groups[g].forms[f].ninputs; i++)
				inputs = bms_add_member(inputs, groups[g].forms[f].inputs[i]);
		}
		while ((input = bms_next_member(inputs, input)) >= 0)
			readers[input]++;
	}
	return readers;
}

Selection *
select_forms(int ngroups, const SelectionGroup *groups, int budget)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext scratch =
		AllocSetContextCreate(context, "selection", ALLOCSET_DEFAULT_SIZES);
	SelectionSearch search = {
		.ngroups = ngroups, .groups = groups, .budget = budget, .exact = true};
	Selection *selection = select_greedily(&search);
	Needed *root;
	List *all;

	MemoryContextSwitchTo(scratch);
	search.readers = count_readers(ngroups, groups);
	search.least = palloc(sizeof(double) * ngroups);
	search.limit = selection->greedy * (1 - LEAST_GAIN);
	root = palloc0(sizeof(Needed));
	root->groups = bms_make_singleton(ngroups - 1);
	all = list_make1(root);
	for (int group = ngroups - 1; group >= 0 && all != NIL; group--)
		all = decide_group(&search, all, group);
	/* nothing is needed any more: of the ways to that there is one */
	if (all != NIL)
	{
		const Needed *best = linitial(all);

		selection->cost = best->cost;
		for (int g = 0; g < ngroups; g++)
			selection->taken[g] = -1;
		for (const Taken *taken = best->taken; taken; taken = taken->before)
			selection->taken[taken->group] = taken->form;
	}
	selection->exact = search.exact;
	MemoryContextSwitchTo(context);
	MemoryContextDelete(scratch);
	return selection;
}
