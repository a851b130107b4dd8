/*-------------------------------------------------------------------------
 *
 * selection.h
 *	  The cheapest way to compute groups, each of which is computed once.
 *
 * A group has forms; each costs something of its own, and reads other groups. What is
 * selected is a form for the root, and for each group that a selected form reads. A group that several
 * read counts once, so that the best form of one depends on those of others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_SELECTION_H
#define OPTIMIZER_SELECTION_H

typedef struct SelectionForm
{
	double cost; /* its own; not negative */
	int ninputs;
	int *inputs; /* groups, each once, of lower numbers than its own */
} SelectionForm;

typedef struct SelectionGroup
{
	int nforms; /* one at least */
	SelectionForm *forms;
} SelectionGroup;

typedef struct Selection
{
	double cost;
	double greedy; /* what it costs if each group takes what is cheapest for it alone */
	bool exact;    /* nothing costs less: the budget was enough */
	int *taken;    /* the form of each group; -1: nothing reads it */
} Selection;

/*
 * The cheapest selection for the last group, the root. The budget counts sets of groups of which it
 * is looked at what they need; beyond it the most promising one is followed.
 */
extern Selection *select_forms(int ngroups, const SelectionGroup *groups, int budget);

#endif
