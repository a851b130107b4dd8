/*-------------------------------------------------------------------------
 *
 * rounds.c
 *	  What a loop computes before its first round, and in each.
 *
 * As in materialize.c, but for all queries of a round together: a stage that
 * is read u times is kept if
 *
 *	  (u - 1) * production(S) > move(S)
 *
 * where move(S) is what it takes to write it: what reads rows counts that already, wherever
 * they come from. What does not vary is computed in no round if it is kept, so that
 *
 *	  production(S) > move(S)
 *
 * is enough, be it read once. And so is a repartition of it, or of a table, that each round would
 * repeat: what comes of it is read in place of what it was made of, which takes no longer.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "optimizer/materialize.h"
#include "optimizer/rounds.h"

/*
 * Returns the costs of stages with all stages that they read; in rounds, stages that do
 * not vary exist already.
 */
static double *
costs_in_rounds(const ProgramPlan *plan, int nstages)
{
	double *costs = palloc(sizeof(double) * Max(nstages, 1));
	const Operand *operand;

	for (int s = 0; s < nstages; s++)
	{
		const Stage *stage = plan->stages[s].stage;

		costs[s] = own_cost(&plan->stages[s]);
		FOREACH_PRODUCED (operand, stage)
		{
			if (!stage->varies || operand->producer->varies)
				costs[s] += costs[operand->producer->number];
		}
	}
	return costs;
}

bool
repartition_is_once(const Rounds *rounds, const Stage *stage, const Operand *operand,
					const OperandPlan *read)
{
	if (rounds == NULL || stage->side || !stage->varies || operand_varies(operand) ||
		same_decomposition(&read->from, &read->to))
		return false;
	return operand->producer ? rounds->stages[operand->producer->number] == LOOP_ONCE
							 : read->storage != NULL;
}

/* What repartitions cost is part of what their readers do, so far. */
static void
move_repartitions(const ProgramPlan *plan, const double *uses, Rounds *rounds)
{
	for (int s = 0; s < list_length(plan->graph->stages); s++)
	{
		const Stage *stage = plan->stages[s].stage;
		double times = rounds->stages[s] == LOOP_READ_THROUGH ? uses[s] : 1.0;

		for (int t = 0; t < stage->nterms; t++)
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				const OperandPlan *read = &plan->stages[s].operands[t][o];

				if (!repartition_is_once(rounds, stage, &stage->terms[t].operands[o],
										 read))
					continue;
				rounds->each -= times * read->cost;
				if (times > 0.0)
					rounds->once += read->cost;
			}
	}
}

Rounds *
plan_rounds(const ProgramPlan *plan)
{
	int nstages = list_length(plan->graph->stages);
	double *production;
	double *uses;
	bool *varying_reader;
	Rounds *rounds;

	if (!plan->graph->options->loop)
		return NULL;
	production = costs_in_rounds(plan, nstages);
	uses = palloc0(sizeof(double) * Max(nstages, 1));
	varying_reader = palloc0(sizeof(bool) * Max(nstages, 1));
	rounds = palloc0(sizeof(Rounds));
	rounds->stages = palloc0(sizeof(StageInLoop) * Max(nstages, 1));
	for (int s = nstages - 1; s >= 0; s--)
	{
		const Stage *stage = plan->stages[s].stage;
		bool wanted = stage->statement && stage->statement->wanted;
		double move = kept_cost(plan, s);
		double *total;
		bool kept;

		CHECK_FOR_INTERRUPTS();
		/* no stage of this loop reads it */
		if (!wanted && uses[s] == 0.0)
			continue;
		if (wanted)
			kept = true;
		else if (!stage->varies && varying_reader[s])
			kept = production[s] > move;
		else
			kept = (uses[s] - 1) * production[s] > move;
		if (kept)
			rounds->stages[s] = stage->varies || wanted ? LOOP_KEPT : LOOP_ONCE;
		/* what is inlined, a reader that is computed in each round computes in each */
		total = stage->varies || wanted || (!kept && varying_reader[s]) ? &rounds->each
																		: &rounds->once;
		*total += (kept ? 1.0 : uses[s]) * own_cost(&plan->stages[s]);
		if (kept)
			*total += move;
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				const Operand *operand = &stage->terms[t].operands[o];

				if (operand->producer == NULL ||
					operand_of_row(&stage->terms[t], o, &plan->stages[s].choice) != o)
					continue;
				uses[operand->producer->number] += kept ? 1.0 : uses[s];
				if (total == &rounds->each)
					varying_reader[operand->producer->number] = true;
			}
		}
	}
	move_repartitions(plan, uses, rounds);
	pfree(production);
	pfree(uses);
	pfree(varying_reader);
	return rounds;
}

const char *
stage_in_rounds(const Rounds *rounds, const Stage *stage)
{
	if (rounds == NULL || rounds->stages[stage->number] == LOOP_READ_THROUGH)
		return NULL;
	return rounds->stages[stage->number] == LOOP_ONCE ? "before the first round"
													  : "in each round";
}
