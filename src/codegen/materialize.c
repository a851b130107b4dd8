/*-------------------------------------------------------------------------
 *
 * materialize.c
 *	  Views that compute a stage once, though they read its result several times.
 *
 * A view reads the views of the stages below it. If it would compute a stage several
 * times that is worth keeping (optimizer/materialize.c), that stage is a materialized CTE
 * of the view. The stages between the two are part of the view as well: as subqueries, or
 * as CTEs if they are read more than once. Subqueries are preferred, since a CTE that
 * reads einsum_once is never merged into its reader, but a subquery with it still gets
 * conditions on its keys.
 *
 * A stage inside a statement has no view if each of its readers contains a copy of it.
 * Such views would be read by no other view but contain everything below: a formula of n
 * stages would have about n * n / 2 stages in its views.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "codegen/deparse.h"
#include "codegen/gather.h"
#include "codegen/materialize.h"
#include "optimizer/materialize.h"

typedef struct KeptStages
{
	bool known;
	Bitmapset **of_view;  /* by stage number: the stages that its view keeps */
	Bitmapset *relations; /* the stages that have a relation; NULL until asked for */
} KeptStages;

/*
 * Returns how often a view computes each stage that some query keeps (columns), the sum
 * over the stages that it reads.
 */
static double *
computed_by_view(const ProgramPlan *plan, const Stage *view, double **computed,
				 int ncolumns)
{
	double *row = palloc0(sizeof(double) * ncolumns);

	for (int t = 0; t < view->nterms; t++)
	{
		for (int o = 0; o < view->terms[t].noperands; o++)
		{
			const Stage *producer = view->terms[t].operands[o].producer;
			double copies;

			if (producer == NULL)
				continue;
			copies = copies_of_operand(plan, &view->terms[t], o);
			for (int c = 0; c < ncolumns; c++)
				row[c] += copies * computed[producer->number][c];
		}
	}
	return row;
}

/*
 * Finds the stages that the view of each stage keeps. A view that reads only one view
 * which keeps stages itself keeps nothing. Otherwise it contains the views that it reads,
 * and keeps all stages that they keep.
 */
static Bitmapset **
find_kept_stages(const ProgramPlan *plan)
{
	int count = list_length(plan->graph->stages);
	Bitmapset **kept = palloc0(sizeof(Bitmapset *) * count);
	const Bitmapset *candidates = stages_computed_once_by_any(plan);
	/* for each view with readers: how often it computes each candidate */
	double **computed = palloc0(sizeof(double *) * count);
	int *readers = palloc0(sizeof(int) * count);
	int *column = palloc0(sizeof(int) * count);
	int ncolumns = 0;
	int candidate = -1;
	const Operand *operand;

	if (bms_is_empty(candidates))
		return kept;
	while ((candidate = bms_next_member(candidates, candidate)) >= 0)
		column[candidate] = ncolumns++;
	for (int v = 0; v < count; v++)
	{
		FOREACH_PRODUCED (operand, plan->stages[v].stage)
			readers[operand->producer->number]++;
	}
	for (int v = 0; v < count; v++)
	{
		const Stage *view = plan->stages[v].stage;
		const Bitmapset *once = stages_computed_once(plan, view);
		double *row = computed_by_view(plan, view, computed, ncolumns);
		bool keeps = false;
		int s = -1;

		CHECK_FOR_INTERRUPTS();
		while ((s = bms_next_member(once, s)) >= 0)
		{
			if (row[column[s]] > 1)
			{
				keeps = true;
				row[column[s]] = 1;
			}
		}
		if (bms_is_member(v, candidates))
			row[column[v]] = 1;
		if (keeps)
			kept[v] = bms_copy(once);
		if (readers[v] > 0)
			computed[v] = row;
		else
			pfree(row);
		FOREACH_PRODUCED (operand, view)
		{
			int producer = operand->producer->number;

			if (--readers[producer] == 0)
				pfree(computed[producer]);
		}
	}
	return kept;
}

static const Bitmapset *
kept_stages(const CodegenContext *context, const Stage *view)
{
	KeptStages *kept = context->kept;

	if (!kept->known)
	{
		MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(kept));

		kept->of_view = find_kept_stages(context->plan);
		kept->known = true;
		MemoryContextSwitchTo(old);
	}
	return kept->of_view[view->number];
}

KeptStages *
no_kept_stages(void)
{
	return palloc0(sizeof(KeptStages));
}

CodegenContext *
view_context(const CodegenContext *context, const Stage *stage)
{
	const ProgramPlan *plan = context->plan;
	CodegenContext *view = palloc(sizeof(CodegenContext));
	const Bitmapset *kept = NULL;
	/* does the stage read a kept stage, directly or not? */
	bool *above = palloc0(sizeof(bool) * (stage->number + 1));
	int *reads = palloc0(sizeof(int) * (stage->number + 1));
	/* length of the longest chain of stages merged into each other above */
	int *readers = palloc0(sizeof(int) * (stage->number + 1));
	const Operand *operand;

	*view = *context;
	view->gathering = new_gathering();
	view->places = palloc0(sizeof(StagePlace) * list_length(plan->graph->stages));
	/* stages below are tables, and others are views */
	if (keeps_all_stages(plan->graph->options->materialize))
		return view;
	kept = kept_stages(context, stage);
	if (bms_is_empty(kept))
		return view;
	for (int s = 0; s <= stage->number; s++)
	{
		const Stage *reader = plan->stages[s].stage;

		CHECK_FOR_INTERRUPTS();
		FOREACH_PRODUCED (operand, reader)
		{
			int producer = operand->producer->number;

			above[s] = above[s] || bms_is_member(producer, kept) || above[producer];
		}
	}
	if (!above[stage->number])
		return view;

	view->places[stage->number] = STAGE_IN_FROM;
	for (int s = stage->number; s >= 0; s--)
	{
		const Stage *reader = plan->stages[s].stage;

		if (s < stage->number && reads[s] > 0)
		{
			if (bms_is_member(s, kept) || (above[s] && readers[s] > MOST_MERGED))
				view->places[s] = STAGE_KEPT;
			else if (above[s])
				view->places[s] = reads[s] > 1 ? STAGE_IN_CTE : STAGE_IN_FROM;
		}
		if (view->places[s] != STAGE_IS_VIEW)
		{
			FOREACH_PRODUCED (operand, reader)
			{
				int producer = operand->producer->number;

				reads[producer]++;
				if (view->places[s] != STAGE_KEPT)
					readers[producer] = Max(readers[producer], readers[s] + 1);
			}
		}
	}
	return view;
}

/* Returns the stages whose relations are read by the relation of a stage. */
static Bitmapset *
relations_read(const CodegenContext *context, const Stage *stage)
{
	Bitmapset *relations = NULL;
	const StagePlace *places = view_context(context, stage)->places;
	const Operand *operand;

	for (int s = 0; s <= stage->number; s++)
	{
		if (s < stage->number && places[s] == STAGE_IS_VIEW)
			continue;
		FOREACH_PRODUCED (operand, context->plan->stages[s].stage)
		{
			if (places[operand->producer->number] == STAGE_IS_VIEW)
				relations = bms_add_member(relations, operand->producer->number);
		}
	}
	return relations;
}

static Bitmapset *
find_relations(const CodegenContext *context)
{
	const ProgramPlan *plan = context->plan;
	/* the context of one stage's view is as large as the program */
	MemoryContext memory = AllocSetContextCreate(
		CurrentMemoryContext, "relations of a stage", ALLOCSET_DEFAULT_SIZES);
	Bitmapset *relations = NULL;

	for (int s = list_length(plan->graph->stages) - 1; s >= 0; s--)
	{
		const Stage *stage = plan->stages[s].stage;
		MemoryContext old;
		Bitmapset *read;

		CHECK_FOR_INTERRUPTS();
		if (stage->statement || stage->readers == 0)
			relations = bms_add_member(relations, s);
		if (!bms_is_member(s, relations))
			continue;
		old = MemoryContextSwitchTo(memory);
		read = relations_read(context, stage);
		MemoryContextSwitchTo(old);
		relations = bms_add_members(relations, read);
		MemoryContextReset(memory);
	}
	MemoryContextDelete(memory);
	return relations;
}

bool
stage_has_relation(const CodegenContext *context, const Stage *stage)
{
	KeptStages *kept = context->kept;

	if (kept->relations == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(kept));

		kept->relations = find_relations(context);
		MemoryContextSwitchTo(old);
	}
	return bms_is_member(stage->number, kept->relations);
}

char *
deparse_view(const CodegenContext *view, const Stage *stage)
{
	int count = list_length(view->plan->graph->stages);
	bool *in_query = palloc0(sizeof(bool) * count);
	StringInfoData query;

	for (int s = 0; s < count; s++)
		in_query[s] = view->places[s] != STAGE_IS_VIEW;
	initStringInfo(&query);
	for (int s = 0; s < stage->number; s++)
	{
		const Stage *with = view->plan->stages[s].stage;

		if (view->places[s] != STAGE_KEPT && view->places[s] != STAGE_IN_CTE)
			continue;
		appendStringInfo(
			&query, "%s%s AS %sMATERIALIZED (%s)", query.len ? ", " : "WITH ",
			stage_relation(view, with), view->places[s] == STAGE_KEPT ? "" : "NOT ",
			view->places[s] == STAGE_KEPT ? deparse_kept_stage(view, in_query, with)
										  : deparse_stage(view, with));
	}
	appendStringInfo(&query, "%s%s", query.len ? " " : "",
					 stage_is_table(view->plan, stage) ? deparse_with_format(view, stage)
													   : deparse_stage(view, stage));
	return with_gathered(view, query.data);
}
