/*-------------------------------------------------------------------------
 *
 * selection.h
 *	  The cheapest way to compute groups, each of which is computed once.
 *
 * A group has forms; each has a cost of its own and reads other groups. A selection has
 * one form for the root, and one for each group that a selected form reads. A group that
 * several forms read counts once, so that the best form of one group depends on those of
 * others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_SELECTION_H
#define OPTIMIZER_SELECTION_H

typedef struct SelectionForm
{
	double cost; /* without that of its inputs; not negative */
	int ninputs;
	int *inputs; /* groups, each once, of lower numbers than its own group */
} SelectionForm;

typedef struct SelectionGroup
{
	int nforms; /* at least one */
	SelectionForm *forms;
} SelectionGroup;

typedef struct Selection
{
	double cost;
	/* the cost if each group takes the form that is cheapest for it alone */
	double greedy;
	bool exact; /* it is optimal: the budget was enough */
	int *taken; /* the form of each group; -1: no selected form reads the group */
} Selection;

/*
 * Returns the cheapest selection for the last group, the root. The budget limits how many
 * sets of groups the search expands; beyond it the search follows the most promising set
 * only.
 */
extern Selection *select_forms(int ngroups, const SelectionGroup *groups, int budget);

#endif
