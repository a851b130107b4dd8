/*-------------------------------------------------------------------------
 *
 * rewrite_budget.h
 *	  Which forms of a program there is time for.
 *
 * A search counts work, never time: the stages that are cut, and the known ones that are
 * looked up. Where that is not enough for all forms, none of their families
 * (algebra/choices.h) may take what the others need: each has a quota, of which it takes
 * its forms in order. When all have tried what they could, what is left of the budget is
 * for any family.
 *
 * Source: SPORES, section 3.1, which limits how often each rule is applied in a round.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_REWRITE_BUDGET_H
#define OPTIMIZER_REWRITE_BUDGET_H

#include "algebra/choices.h"

typedef struct RewriteBudget
{
	int left;
	int quotas[FORM_FAMILIES]; /* what each family has left of its quota */
	bool shared;               /* every family may use all that is left */
} RewriteBudget;

/* Gives each family its quota of the budget that is left. */
extern void set_quotas(RewriteBudget *budget);

/* Opens the budget that is left to all families. */
extern void share_quotas(RewriteBudget *budget);

/*
 * Has a family some of its quota left, or is the budget shared? The last step of a family
 * may exceed its quota.
 */
extern bool is_within_quota(const RewriteBudget *budget, FormFamily family);

/* Charges a family for work that has been done for it. */
extern void charge_quota(RewriteBudget *budget, FormFamily family, int work);

#endif
