/*-------------------------------------------------------------------------
 *
 * stage_estimate.c
 *	  What a stage joins and what it makes of that, by estimate.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "optimizer/stage.h"

/* Joins an operand's estimate to what its term has so far. */
static void
add_estimate(const Estimator *estimator, const Stage *stage, const Term *term,
			 const Estimate *operand, Estimate *joined, bool *first)
{
	if (*first)
		*joined = *operand;
	else if (term->union_of)
		estimator->unite(joined, joined, operand, stage->bounds);
	else
		estimator->intersect(joined, joined, operand, stage->bounds);
	cap_by_chain(joined);
	*first = false;
}

/*
 * Estimates the join of a term's operands, with the labels that the term is extended to.
 */
static void
estimate_join(const Estimator *estimator, const Stage *stage, const Term *term,
			  Estimate *joined)
{
	Estimate extension;
	LabelMask added = term->extension;
	bool first = true;

	for (int o = 0; o < term->noperands; o++)
	{
		if (!term->operands[o].outer || (term->union_of & (1u << o)))
			add_estimate(estimator, stage, term, term->operands[o].estimate, joined,
						 &first);
	}
	if (term->decided == 0)
		full_estimate(joined, 0, stage->bounds); /* a number */
	Assert(term->decided == 0 || !first);
	/*
	 * a union is over all labels, also those that only operands have which decide nothing
	 */
	if (term->union_of)
		added |= term->labels & ~joined->labels;
	if (added == 0)
		return;
	full_estimate(&extension, added, stage->bounds);
	limit_estimate(estimator, term->needed, stage->bounds, &extension);
	estimator->intersect(joined, joined, &extension, stage->bounds);
}

/* Estimates a term, and keeps in it what its cost depends on. */
static void
estimate_term(const Estimator *estimator, const Stage *stage, Term *term,
			  Estimate *joined)
{
	estimate_join(estimator, stage, term, joined);
	term->entries = joined->entries;
	if (term->union_of)
	{
		Estimate *united = palloc(sizeof(Estimate));

		*united = *joined;
		term->united = united;
	}
}

/*
 * The result of a join has no more entries than an operand that decides the
 * support has tuples over the result's labels, times the indices of the labels
 * it lacks. Without this bound sum[k] q[i,k] * b[i,j] * p[j,k] would seem to
 * have entries wherever some k may have brought one, not just where b has.
 */
static void
bound_by_operands(const Estimator *estimator, const Term *term, Estimate *result)
{
	for (int o = 0; o < term->noperands; o++)
	{
		const Operand *operand = &term->operands[o];
		double bound;

		if (operand->outer)
			continue;
		bound = estimator->tuples(operand->estimate, operand->mask & result->labels);
		for (int i = 0; i < STAGE_MAX_LABELS; i++)
		{
			if (result->labels & ~operand->mask & (1u << i))
				bound *= result->values[i];
		}
		result->entries = Min(result->entries, bound);
	}
}

void
limit_estimate(const Estimator *estimator, const NeededKeys *needed, const double *bounds,
			   Estimate *estimate)
{
	if (needed == NULL || (needed->labels & estimate->labels) == 0)
		return;
	/* one after the other: a tensor has what follows from its own entries */
	for (int n = 0; n < needed->nlabels; n++)
	{
		LabelMask label = 1u << needed->order[n];
		Estimate keys;
		Skew skew;

		if (!(estimate->labels & label))
			continue;
		skew = estimate->skew[needed->order[n]];
		full_estimate(&keys, label, needed->count);
		estimator->intersect(estimate, estimate, &keys, bounds);
		/* of several indices some have more entries than others, as of all */
		if (needed->count[needed->order[n]] > 1.0)
			estimate->skew[needed->order[n]] = skew;
		cap_values(estimate);
	}
	cap_by_chain(estimate);
}

void
add_needed(NeededKeys *needed, int label, double count)
{
	needed->order[needed->nlabels++] = label;
	needed->labels |= 1u << label;
	needed->count[label] = count;
}

void
estimate_stage(const Estimator *estimator, Stage *stage)
{
	MemoryContext context = CurrentMemoryContext;
	/* of sums of some of the terms, which the sum of all does not refer to */
	MemoryContext scratch =
		stage->nterms > 2
			? AllocSetContextCreate(context, "terms", ALLOCSET_DEFAULT_SIZES)
			: NULL;

	for (int i = 0; i < stage->nterms; i++)
	{
		Estimate joined;
		Estimate aggregated;
		LabelMask ends;

		estimate_term(estimator, stage, &stage->terms[i], &joined);
		if (estimator->counts_two_steps && stage->nterms == 1 && stage->output_mask != 0)
		{
			(void) share_of_two_steps(&joined, stage->output_mask, &ends);
			stage->counted = (stage->output_mask & ~ends) == 0;
		}
		estimator->aggregate(&aggregated, &joined, stage->output_mask);
		cap_by_chain(&aggregated);
		bound_by_operands(estimator, &stage->terms[i], &aggregated);
		if (i == 0)
			stage->estimate = aggregated;
		else
		{
			MemoryContextSwitchTo(i < stage->nterms - 1 ? scratch : context);
			estimator->unite(&stage->estimate, &stage->estimate, &aggregated,
							 stage->bounds);
			MemoryContextSwitchTo(context);
		}
	}
	if (scratch)
		MemoryContextDelete(scratch);
	cap_by_chain(&stage->estimate);
	stage->statistics =
		estimate_statistics_of(&stage->estimate, stage->noutput, stage->output);
}
