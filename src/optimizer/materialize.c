/*-------------------------------------------------------------------------
 *
 * materialize.c
 *	  Which stages a query computes once, though it reads them several times.
 *
 * A stage that is read u times can be computed u times, or once, written, and
 * scanned u times:
 *
 *	  saving(S) = (u - 1) * production(S) - (1 + u) * move(S)
 *
 * with the cost of all that is below S for production and T * (tuple_cost +
 * bytes * transfer_cost) for move. The decision is made for a plan that is
 * chosen already, from the result down, since a reader that is computed once
 * reads once. Known weakness: the production of a stage counts what is below
 * it as if nothing there were kept.
 *
 * What is kept is computed in full, whereas WHERE i = 42 on a result is applied
 * to operands that have i. So only a stage is kept of which some reader needs
 * every row, even when all keys of the result are given: then its full
 * computation is there anyway.
 *
 * What a query reads twice PostgreSQL plans twice: what doubles at each of many
 * statements takes seconds and all memory to plan, however small the tables are. So
 * a stage is kept as well whose copies would be too many SELECTs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "optimizer/materialize.h"
#include "optimizer/repartition_cost.h"
#include "optimizer/settings.h"
#include "optimizer/tuple_size.h"
#include "recursion.h"

/* A saving must be worth a CTE (microseconds) ... */
#define LEAST_SAVING 1000.0
/* ... and most of what computing again would cost. */
#define LEAST_SAVED_PART 0.5

/*
 * A stage is kept if its further copies, with all stages below them, would be more
 * SELECTs than MOST_SELECTS. A stage of a few SELECTs may have more copies: else the view
 * of every statement would contain all views down to the one where the stage is kept.
 */
#define MOST_SELECTS 64.0
#define LEAST_KEPT_SELECTS 16.0

/*
 * Rows in no order are added to the sums of groups in no order, so that sums beyond the
 * processor's caches come from main memory for every row. A stage that is kept is sorted
 * once for all its readers: a two-layer graph convolution of half a million edges then
 * takes three quarters of its time, the sort included. A sort of more bytes than the sums
 * take would cost more than it saves: a million rows take four times as long as unsorted
 * if they do not fit work_mem.
 */
#define LEAST_SORTED_BYTES (8.0 * 1024 * 1024)
/* Bytes of a row beside its value. */
#define SORTED_ROW_BYTES 40.0

/*
 * A bit in a mask of restricted dimensions: rows are looked up one by one, as with an
 * index, though no constant says which.
 */
#define LOOKED_UP ((DimensionMask) 1 << 31)

double
own_cost(const StagePlan *plan)
{
	double cost = plan->cost.total + plan->repartition;

	for (int t = 0; t < plan->stage->nterms; t++)
	{
		for (int o = 0; o < plan->stage->terms[t].noperands; o++)
			cost += plan->operands[t][o].cost;
	}
	return cost;
}

/* Returns by how much the cost that searches compare exceeds the cost of a stage. */
static double
undesired_cost(const StagePlan *plan)
{
	return desirable_cost(&plan->cost) - plan->cost.total;
}

/*
 * Returns the costs of stages with all stages below them, given the costs of single
 * stages.
 */
static double *
production_costs(const ProgramPlan *plan, int count, double (*cost)(const StagePlan *))
{
	double *costs = palloc(sizeof(double) * count);

	for (int s = 0; s < count; s++)
	{
		const Stage *stage = plan->stages[s].stage;

		costs[s] = cost(&plan->stages[s]);
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				if (stage->terms[t].operands[o].producer)
					costs[s] += costs[stage->terms[t].operands[o].producer->number];
			}
		}
	}
	return costs;
}

/* Would PostgreSQL merge the stage's SELECT into the query that reads it? */
static bool
can_be_merged(const StagePlan *plan)
{
	return stage_is_by_row(plan->stage, keys_of(&plan->choice)) &&
		   same_decomposition(&plan->natural, &plan->shape);
}

/* Returns how often an operand occurs in a kernel. */
static double
count_references(const Kernel *kernel, int operand)
{
	double count = kernel->kind == KERNEL_OPERAND && kernel->operand == operand;

	enter_recursion();
	if (operand < STAGE_NEST_OPERANDS && !(kernel->operands & (1u << operand)))
		return 0.0;
	for (int i = 0; i < kernel->nargs; i++)
		count += count_references(kernel->args[i], operand);
	return count;
}

double
copies_of_operand(const ProgramPlan *plan, const Term *term, int o)
{
	double count;

	if (!can_be_merged(&plan->stages[term->operands[o].producer->number]))
		return 1.0;
	count = count_references(term->kernel, o);
	for (int n = 0; n < term->nsums; n++)
		count += count_references(term->sums[n], o);
	return Max(count, 1.0);
}

/*
 * Returns the number of SELECTs of each stage with all stages below it, if none is kept.
 */
static double *
count_selects(const ProgramPlan *plan, int count)
{
	double *selects = palloc(sizeof(double) * count);

	for (int s = 0; s < count; s++)
	{
		const Stage *stage = plan->stages[s].stage;

		selects[s] = 1;
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				const Stage *producer = stage->terms[t].operands[o].producer;

				if (producer)
					selects[s] += selects[producer->number] *
								  copies_of_operand(plan, &stage->terms[t], o);
			}
		}
	}
	return selects;
}

/* Returns the dimensions of an operand that are restricted if these of its reader are. */
static DimensionMask
restricted_operand(const ProgramPlan *plan, const Stage *reader, DimensionMask restricted,
				   const Operand *operand, const OperandPlan *read)
{
	const StagePlan *chosen = &plan->stages[reader->number];
	DimensionMask lasting = common_keys(&chosen->natural, &chosen->shape);
	LabelMask labels = 0;
	DimensionMask kept = common_keys(&read->from, &read->to);
	DimensionMask result = 0;

	for (int d = 0; d < reader->noutput; d++)
	{
		if (restricted & lasting & (1u << d))
			labels |= 1u << reader->output[d];
	}
	for (int d = 0; d < operand->rank; d++)
	{
		if ((kept & (1u << d)) && (labels & (1u << operand->labels[d])))
			result |= 1u << d;
	}
	if (restricted && can_be_merged(&plan->stages[operand->producer->number]))
		result |= LOOKED_UP;
	return result;
}

/* What is known of the queries of a plan's results. */
typedef struct ComputedOnce
{
	int nstages;
	double *production; /* by stage: its cost with all stages below it */
	double *selects;    /* by stage: SELECTs of it and of all stages below it */
	bool *shares;       /* by stage: something below it is read by several operands */
	bool *known;        /* by root */
	Bitmapset **once;   /* by root */
	double *cost;       /* by root that shares: of its query, without its delivery */
	double *undesired;  /* by root: by how much searches compare it as more */
	bool any_known;
	Bitmapset *by_any;    /* root */
	Bitmapset *by_result; /* kept by the query of a root that is no side stage */
	/* for the query that is examined; empty between uses */
	double *uses;   /* by stage: how often it is computed */
	double *copies; /* by stage: its copies, once PostgreSQL has merged what it can */
	/* by stage: the masks of restricted dimensions with which it is read */
	List **masks;
} ComputedOnce;

/*
 * For each stage: do two operands read some stage below it, or does one make several
 * copies of it? If not, its query computes everything once as it is.
 */
static bool *
stages_that_share(const ProgramPlan *plan, int nstages)
{
	bool *shares = palloc0(sizeof(bool) * nstages);
	double *copies = palloc0(sizeof(double) * nstages);
	const Operand *operand;

	for (int s = 0; s < nstages; s++)
	{
		const Stage *stage = plan->stages[s].stage;

		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				if (stage->terms[t].operands[o].producer)
					copies[stage->terms[t].operands[o].producer->number] +=
						copies_of_operand(plan, &stage->terms[t], o);
			}
		}
	}
	for (int s = 0; s < nstages; s++)
		FOREACH_PRODUCED (operand, plan->stages[s].stage)
		{
			int producer = operand->producer->number;

			shares[s] = shares[s] || shares[producer] || copies[producer] > 1;
		}
	return shares;
}

static ComputedOnce *
computed_once_of(const ProgramPlan *plan)
{
	MemoryContext old;
	ComputedOnce *computed = plan->computed_once;
	int nstages = list_length(plan->graph->stages);

	if (computed)
		return computed;
	old = MemoryContextSwitchTo(GetMemoryChunkContext(unconstify(ProgramPlan *, plan)));
	computed = palloc0(sizeof(ComputedOnce));
	computed->nstages = nstages;
	computed->production = production_costs(plan, nstages, own_cost);
	computed->selects = count_selects(plan, nstages);
	computed->shares = stages_that_share(plan, nstages);
	computed->known = palloc0(sizeof(bool) * nstages);
	computed->once = palloc0(sizeof(Bitmapset *) * nstages);
	computed->cost = palloc0(sizeof(double) * nstages);
	computed->undesired = palloc0(sizeof(double) * nstages);
	computed->uses = palloc0(sizeof(double) * nstages);
	computed->copies = palloc0(sizeof(double) * nstages);
	computed->masks = palloc0(sizeof(List *) * nstages);
	MemoryContextSwitchTo(old);
	unconstify(ProgramPlan *, plan)->computed_once = computed;
	return computed;
}

double
kept_cost(const ProgramPlan *plan, int s)
{
	const StagePlan *kept = &plan->stages[s];

	return cost_result(kept->stage, plan->graph->options->estimator, &kept->shape) -
		   kept->tuples * saved_by_sparse_values(plan, kept->stage) * transfer_cost;
}

/*
 * Is it worth keeping a stage in the query that is examined? A kept stage is computed in
 * full: so some reader must need all of it even if all keys of root are given.
 */
static bool
is_worth_keeping(const ProgramPlan *plan, const ComputedOnce *computed, int s)
{
	double uses = computed->uses[s];
	double repeated = (uses - 1) * computed->production[s];
	double saving;

	if (computed->selects[s] >= LEAST_KEPT_SELECTS &&
		(computed->copies[s] - 1) * computed->selects[s] > MOST_SELECTS)
		return true;
	if (uses <= 1 || !list_member_int(computed->masks[s], 0))
		return false;
	saving = repeated - (1 + uses) * kept_cost(plan, s);
	return saving >= LEAST_SAVING && saving >= LEAST_SAVED_PART * repeated;
}

/*
 * Passes on to the stages that a stage reads how, how often, and in how many copies it is
 * itself read.
 */
static void
pass_on_reading(const ProgramPlan *plan, ComputedOnce *computed, int s, double uses,
				double copies)
{
	const Stage *stage = plan->stages[s].stage;
	ListCell *lc;

	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Operand *operand = &stage->terms[t].operands[o];
			List **producer;

			if (operand->producer == NULL)
				continue;
			computed->copies[operand->producer->number] +=
				copies * copies_of_operand(plan, &stage->terms[t], o);
			if (operand_of_row(&stage->terms[t], o, &plan->stages[s].choice) != o)
				continue;
			computed->uses[operand->producer->number] += uses;
			producer = &computed->masks[operand->producer->number];
			foreach (lc, computed->masks[s])
				*producer = list_append_unique_int(
					*producer,
					(int) restricted_operand(plan, stage, (DimensionMask) lfirst_int(lc),
											 operand, &plan->stages[s].operands[t][o]));
		}
	}
}

/*
 * Finds the stages that the query of root keeps, from the result down. Adds up in *cost
 * what the query costs, and in *undesired by how much more searches compare it.
 */
static Bitmapset *
find_computed_once(const ProgramPlan *plan, ComputedOnce *computed, const Stage *root,
				   double *cost, double *undesired)
{
	Bitmapset *once = NULL;

	computed->uses[root->number] = 1;
	computed->copies[root->number] = 1;
	computed->masks[root->number] =
		list_make1_int((int) keys_of(&plan->stages[root->number].shape));
	for (int s = root->number; s >= 0; s--)
	{
		double uses = computed->uses[s];
		double copies = computed->copies[s];

		/* root does not read it */
		if (computed->masks[s] == NIL)
			continue;
		CHECK_FOR_INTERRUPTS();
		if (is_worth_keeping(plan, computed, s))
		{
			once = bms_add_member(once, s);
			*cost += (1 + uses) * kept_cost(plan, s);
			uses = 1;
			copies = 1;
		}
		*cost += uses * own_cost(&plan->stages[s]);
		*undesired += uses * undesired_cost(&plan->stages[s]);
		pass_on_reading(plan, computed, s, uses, copies);
		list_free(computed->masks[s]);
		computed->masks[s] = NIL;
		computed->uses[s] = 0;
		computed->copies[s] = 0;
	}
	return once;
}

const Bitmapset *
stages_computed_once(const ProgramPlan *plan, const Stage *root)
{
	ComputedOnce *computed = computed_once_of(plan);
	MemoryContext old;

	if (computed->known[root->number])
		return computed->once[root->number];
	old = MemoryContextSwitchTo(GetMemoryChunkContext(computed));
	if (keeps_all_stages(plan->graph->options->materialize) && root->number > 0)
		computed->once[root->number] = bms_add_range(NULL, 0, root->number - 1);
	else if (plan->graph->options->materialize == MATERIALIZE_AUTO &&
			 !plan->graph->options->loop && computed->shares[root->number])
		computed->once[root->number] =
			find_computed_once(plan, computed, root, &computed->cost[root->number],
							   &computed->undesired[root->number]);
	computed->known[root->number] = true;
	MemoryContextSwitchTo(old);
	return computed->once[root->number];
}

void
cost_what_is_kept(ProgramPlan *plan)
{
	const ComputedOnce *computed = computed_once_of(plan);
	double *undesired;
	bool shares = false;

	for (int s = 0; s < computed->nstages; s++)
		shares = shares || (computed->shares[s] && !plan->stages[s].stage->side);
	if (!shares || plan->graph->options->materialize != MATERIALIZE_AUTO ||
		plan->graph->options->loop)
		return;
	undesired = production_costs(plan, computed->nstages, undesired_cost);
	plan->cost = 0.0;
	plan->compared = 0.0;
	for (int s = 0; s < computed->nstages; s++)
	{
		const Stage *root = plan->stages[s].stage;

		if (root->side || root->readers > 0)
			continue;
		(void) stages_computed_once(plan, root);
		plan->cost +=
			(computed->shares[s] ? computed->cost[s] : computed->production[s]) +
			kept_cost(plan, s);
		plan->compared += computed->shares[s] ? computed->undesired[s] : undesired[s];
	}
	plan->cost = Min(plan->cost, DBL_MAX);
	plan->compared = Min(plan->compared + plan->cost, DBL_MAX);
}

/* Finds what the queries of all results keep. */
static const ComputedOnce *
computed_once_by_all(const ProgramPlan *plan)
{
	ComputedOnce *computed = computed_once_of(plan);
	MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(computed));

	for (int s = 0; s < computed->nstages && !computed->any_known; s++)
	{
		const Stage *root = plan->stages[s].stage;
		const Bitmapset *once = stages_computed_once(plan, root);

		computed->by_any = bms_add_members(computed->by_any, once);
		if (!root->side)
			computed->by_result = bms_add_members(computed->by_result, once);
	}
	computed->any_known = true;
	MemoryContextSwitchTo(old);
	return computed;
}

const Bitmapset *
stages_computed_once_by_any(const ProgramPlan *plan)
{
	return computed_once_by_all(plan)->by_any;
}

/*
 * Returns the only dimension of an operand whose keys the reader's groups have, too; -1
 * without one, or with several.
 */
static int
grouped_dimension(const StagePlan *reader, const Operand *operand, DimensionMask keys)
{
	LabelMask groups = reader->stage->output_mask & keys_of(&reader->choice);
	int dimension = -1;

	for (int d = 0; d < operand->rank; d++)
	{
		if (!(keys & (1u << d)) || !(groups & (1u << operand->labels[d])))
			continue;
		if (dimension >= 0)
			return -1;
		dimension = d;
	}
	return dimension;
}

int
order_of_kept_stage(const ProgramPlan *plan, const bool *in_query, const Stage *stage)
{
	const StageCost *own = &plan->stages[stage->number].cost;
	DimensionMask keys = keys_of(&plan->stages[stage->number].shape);
	double bytes[TENSOR_MAX_RANK] = {0};
	int best = -1;

	if ((keys & (keys - 1)) == 0)
		return -1;
	for (int s = stage->number + 1; s < list_length(plan->graph->stages); s++)
	{
		const StagePlan *reader = &plan->stages[s];
		const Term *term = &reader->stage->terms[0];

		if (!in_query[s] || reader->stage->nterms > 1 ||
			!stage_groups(reader->stage, keys_of(&reader->choice)))
			continue;
		for (int o = 0; o < term->noperands; o++)
		{
			int dimension = term->operands[o].producer == stage
								? grouped_dimension(reader, &term->operands[o], keys)
								: -1;

			if (dimension >= 0)
				bytes[dimension] += reader->cost.tuples * reader->cost.bytes;
		}
	}
	for (int d = 0; d < stage->noutput; d++)
	{
		if (bytes[d] >= LEAST_SORTED_BYTES &&
			bytes[d] >= own->tuples * (own->bytes + SORTED_ROW_BYTES) &&
			(best < 0 || bytes[d] > bytes[best]))
			best = d;
	}
	return best;
}

bool
stage_is_table(const ProgramPlan *plan, const Stage *stage)
{
	return keeps_all_stages(plan->graph->options->materialize) && !stage->side;
}

bool
stage_is_materialized(const ProgramPlan *plan, const Stage *stage)
{
	return bms_is_member(stage->number, computed_once_by_all(plan)->by_result);
}

bool
stage_is_sparse(const ProgramPlan *plan, const Stage *stage)
{
	if (stage_is_table(plan, stage) &&
		(stage->statement ||
		 plan->graph->options->materialize == MATERIALIZE_INCREMENTAL))
		return false;
	return saved_by_sparse_values(plan, stage) > 0.0;
}
