/*-------------------------------------------------------------------------
 *
 * rewrite_budget.c
 *	  Which forms of a program there is time for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "optimizer/rewrite_budget.h"

/*
 * Quotas in sixteenths of the budget. Laws change the computation and gain the most;
 * paths are the most numerous and seldom gain anything.
 */
static const int parts[FORM_FAMILIES] = {
	[FORMS_OF_LAWS] = 8,
	[FORMS_OF_STATEMENTS] = 2,
	[FORMS_OF_CUTS] = 5,
	[FORMS_OF_PATHS] = 1,
};

void
set_quotas(RewriteBudget *budget)
{
	budget->shared = false;
	for (int f = 0; f < FORM_FAMILIES; f++)
		budget->quotas[f] = (int) ((int64) budget->left * parts[f] / 16);
}

void
share_quotas(RewriteBudget *budget)
{
	budget->shared = true;
}

bool
is_within_quota(const RewriteBudget *budget, FormFamily family)
{
	return budget->shared || budget->quotas[family] > 0;
}

void
charge_quota(RewriteBudget *budget, FormFamily family, int work)
{
	budget->quotas[family] -= work;
}
