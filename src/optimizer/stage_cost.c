/*-------------------------------------------------------------------------
 *
 * stage_cost.c
 *	  The cost model: what one stage costs in one decomposition.
 *
 * Source: SparseEinSum, section 7.2, with the constants split by what they
 * were measured to depend on. T and V are as in statistics/README; bytes() is
 * the size of a tuple, keys and value; a fully promoted value is a float8.
 *
 *	  read(U)	   = T(U) * (tuple_cost + bytes(U) * transfer_cost)
 *					 once if U fits the cache, else its bytes per joined tuple
 *	  join		   = sum over join steps s of T_s * tuple_cost
 *					 + T_last * indices * operations * cost_kernel
 *	  aggregation  = T_join * agg_tuple_cost
 *					 + T_agg * (group_cost + bytes(W) * transfer_cost)
 *	  union		   = sum of its terms' T * group_cost
 *	  casts		   = rows * (tuple_cost + bytes of the array * array_cost): of what is stored
 *					 as arrays, once to check a row and once for each joined tuple
 *	  spilling	   = of a hash table beyond work_mem * hash_mem_multiplier:
 *					 bytes of all tuples that go into it or look into it, of a
 *					 join but those of the first of its 2^n batches * spill_cost
 *
 * A label in blocks counts as many indices as there are blocks with entries,
 * wherever a promoted one counts V, and one block's wherever a demoted one
 * counts its bound.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "catalog/dimension.h"
#include "catalog/tensor_storage.h"
#include "expr/analysis.h"
#include "kernels/nest/nest_cost.h"
#include "optimizer/cast_cost.h"
#include "optimizer/join_cost.h"
#include "optimizer/kernel_cost.h"
#include "optimizer/needed_keys.h"
#include "optimizer/nest_cost.h"
#include "optimizer/settings.h"
#include "optimizer/spilling_cost.h"
#include "optimizer/stage_cost.h"
#include "optimizer/tuple_size.h"
#include "type/detoast_cache.h"

/*
 * Returns the index vectors of labels that are keys, counting blocks of blocked labels:
 * by bounds alone.
 */
static double
key_space(const Stage *stage, LabelMask labels, const Decomposition *choice)
{
	LabelMask keys = labels & keys_of(choice);
	double count = 1.0;
	int i;

	FOREACH_LABEL (i, keys)
		count *= choice->blocked & (1u << i)
					 ? block_count(stage->bounds[i], choice->block[i])
					 : stage->bounds[i];
	return count;
}

/* Returns the share of the keys that a term is extended to which a point query needs. */
static double
needed_share(const Stage *stage, const Term *term, const Decomposition *choice)
{
	double share = 1.0;
	LabelMask labels;
	int i;

	if (term->needed == NULL)
		return share;
	labels = term->needed->labels & term->extension & choice->promoted;
	FOREACH_LABEL (i, labels)
		share *= Min(1.0, term->needed->count[i] / Max(stage->bounds[i], 1.0));
	return share;
}

/*
 * The labels whose bound is known, and not what a dimension's table is estimated to have.
 */
static LabelMask
bounded_labels(const Stage *stage)
{
	LabelMask bounded = 0;

	for (int i = 0; i < stage->nlabels; i++)
	{
		if (!bound_is_dimension(stage->labels[i].bound))
			bounded |= 1u << i;
	}
	return bounded;
}

/*
 * What extending a term to some labels multiplies the tuples of what it extends by: the
 * most of any part of a union.
 */
static double
extension_factor(const Stage *stage, const Term *term, const Decomposition *choice,
				 LabelMask labels)
{
	double factor = key_space(stage, term->extension & labels, choice);

	for (int o = 0; o < term->noperands; o++)
	{
		if (term->union_of & (1u << o))
			factor = Max(factor,
						 key_space(stage, term->labels & labels & ~term->operands[o].mask,
								   choice));
	}
	return factor;
}

/*
 * False if the bounds alone exclude the choice. What estimates say makes it no
 * more than undesirable: a program that is legal stays so when statistics change.
 */
static bool
cost_term(const Stage *stage, const Estimator *estimator, const Term *term,
		  const Decomposition *choice, double result, StageCost *cost, JoinedTerm *joined)
{
	JoinResult join = {0};
	double limit = max_kernel_bytes * 1024.0;
	double *tuples = joined->operand_tuples;
	double steps;
	double extension;
	double factor = extension_factor(stage, term, choice, ~(LabelMask) 0);

	if (extension_factor(stage, term, choice, bounded_labels(stage)) > max_dense_tuples)
		return false;
	for (int n = 0; n < term->nsums; n++)
	{
		if (allowed_bytes(stage, term->operands[term->noperands + n].mask, choice) >
			limit)
			return false;
	}
	joined->read = operands_to_read(stage, estimator, term, choice, tuples);
	if (term->union_of)
	{
		/* the keys of its parts, extended, then a left join for each operand */
		joined->tuples = estimate_tuples(estimator, term->united, choice, stage->bounds);
		steps = joined->tuples * term->noperands;
		cost->group += joined->tuples * group_cost;
	}
	else
	{
		cost->join += join_steps(stage, term, tuples, joined->read, choice,
								 estimator->is_bound, &steps, &join, &cost->memory);
		joined->tuples = join.tuples;
	}
	joined->width = join.bytes;

	extension =
		key_space(stage, term->extension, choice) * needed_share(stage, term, choice);
	if (extension > 1.0)
	{
		joined->tuples *= extension;
		steps += joined->tuples;
	}
	if (factor > 1.0 && joined->tuples > max_dense_tuples)
		cost->extended = Max(cost->extended, joined->tuples);

	for (int o = 0; o < term->noperands; o++)
	{
		const Operand *operand = &term->operands[o];
		const Storage *storage;
		double value;
		double bytes = operand_bytes(stage, operand, choice, tuples[o], &value);
		double before = cost->reads;

		if (allowed_bytes(stage, operand->mask, choice) > limit)
			return false;
		if (!(joined->read & (1u << o)))
			continue;
		/* operands are looked up by their keys if few tuples are joined */
		if (term->needed)
			tuples[o] = Min(tuples[o], steps + 1.0);
		cost->reads += tuples[o] * tuple_cost;
		/* a value in an array column is cast for each joined tuple, and not cached */
		storage = value > ELEMENT_BYTES ? storage_as_needed(operand, choice) : NULL;
		if (storage && has_array_values(storage))
			cost->reads += (joined->tuples + tuples[o]) * cast_cost(value);
		if (tuples[o] * bytes <= detoast_cache_size * 1024.0)
			cost->reads += tuples[o] * bytes * transfer_cost;
		else
			cost->reads += joined->tuples * bytes * transfer_cost;
		joined->operand_reads[o] = cost->reads - before;
	}
	joined->kernels = joined->tuples *
					  kernel_cost(stage, term, choice, joined->tuples / Max(result, 1.0));
	cost->join += steps * tuple_cost + joined->kernels;
	return true;
}

/* Does a stage join more operands than PostgreSQL finds an order of joins for? */
static bool
only_as_nest(const Stage *stage)
{
	return stage->terms[0].noperands > STAGE_MAX_OPERANDS;
}

/*
 * PostgreSQL runs a stage as a loop nest where that costs less: what the kernels of
 * tensors compute is the same. In a loop, what rounds share is read once.
 */
static void
cost_as_nest(const Stage *stage, const Decomposition *choice, const JoinedTerm *joined,
			 double groups, StageCost *cost)
{
	double nest;

	if (!nest_is_possible(stage, choice))
		return;
	nest = cost_of_nest(stage, choice, joined, groups);
	/* a joined tuple is a row either way */
	if (stage_groups(stage, keys_of(choice)))
		nest += groups * cost->bytes * transfer_cost;
	if (!only_as_nest(stage) && !(nest < cost->reads + cost->join + cost->group))
		return;
	cost->nest = true;
	cost->reads = cost->group = 0.0;
	cost->join = nest;
	cost->memory = 0.0;
}

void
cost_stage(const Stage *stage, const Estimator *estimator, const Decomposition *choice,
		   StageCost *cost)
{
	LabelMask keys = keys_of(choice);
	double result_tuples =
		estimate_tuples(estimator, &stage->estimate, choice, stage->bounds);
	double groups = 1.0;
	double joined = 1.0;
	JoinedTerm term = {.tuples = 1.0}; /* the last one */
	double into_union = 0.0;           /* bytes */
	double value;
	double entries;

	memset(cost, 0, sizeof(StageCost));
	cost->total = INFINITY;
	cost->bytes = tuple_bytes(stage, stage->output_mask, choice, &value);
	if (allowed_bytes(stage, stage->output_mask, choice) > max_kernel_bytes * 1024.0)
		return;

	for (int t = 0; t < stage->nterms; t++)
	{
		if (!cost_term(stage, estimator, &stage->terms[t], choice, result_tuples, cost,
					   &term))
			return;
		joined = term.tuples;
		if (stage->nterms > 1)
		{
			cost->group += joined * (group_cost + cost->bytes * transfer_cost);
			into_union += joined * (cost->bytes + HASHED_TUPLE_BYTES);
		}
	}

	groups = joined;
	if (stage->nterms > 1)
	{
		groups = result_tuples;
		cost->group += spilling_cost(groups * (2.0 * cost->bytes + HASHED_GROUP_BYTES),
									 into_union, &cost->memory);
	}
	else if (stage_groups(stage, keys))
	{
		double combinations = 1.0;

		for (int i = 0; i < stage->nlabels; i++)
		{
			if (stage->output_mask & keys & (1u << i))
				combinations *= key_values(&stage->estimate, i, choice, stage->bounds[i]);
		}
		/*
		 * One group per tuple, if only demoted labels are aggregated. Else there are two
		 * tuples in each, as long as they were not counted.
		 */
		if (stage->aggregated & keys)
			groups = Min(estimator->is_bound || stage->counted ? joined : joined / 2,
						 Min(combinations, result_tuples));
		groups = Min(Max(groups, 1.0), joined);
		cost->group +=
			joined * agg_tuple_cost + groups * (group_cost + cost->bytes * transfer_cost);
		if (stage->output_mask & keys)
			cost->group +=
				spilling_cost(groups * (term.width + cost->bytes + HASHED_GROUP_BYTES),
							  joined * (term.width + HASHED_TUPLE_BYTES), &cost->memory);
		/* without keys there is a row, whatever there is to aggregate */
		if ((stage->output_mask & keys) == 0)
			groups = 1.0;
		cost_as_nest(stage, choice, &term, groups, cost);
	}
	else
		cost_as_nest(stage, choice, &term, groups, cost);
	if (only_as_nest(stage) && !cost->nest)
		return;
	if (stage->post)
	{
		double time = stage->post->operations;

		/*
		 * where nothing is grouped, SQL has it in the kernel, whichever way that came to
		 * be
		 */
		if (value > ELEMENT_BYTES)
			time *= kernel_general_cost;
		else if (cost->nest && !stage_groups(stage, keys))
			time = stage->post->calls * NEST_FUNCTION_TIME + time * NEST_OPERATION_TIME;
		else
			time = numbers_cost(stage->post);
		entries = value_entries(stage, stage->output_mask, choice);
		cost->group += groups * entries * time;
	}
	cost->tuples = groups;
	cost->total = finite_cost(cost->reads + cost->join + cost->group);
}

double
desirable_cost(const StageCost *cost)
{
	return cost->extended > 0.0 ? cost->total * UNDESIRABLE : cost->total;
}
