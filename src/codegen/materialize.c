/*-------------------------------------------------------------------------
 *
 * materialize.c
 *	  Views that compute a stage once, though they read it several times.
 *
 * A view reads the views of the stages below it. If that would compute a stage
 * several times which is worth keeping (optimizer/materialize.c), the stage is
 * a materialised WITH query of the view, and the stages between the two are
 * part of the view as well: subqueries where they are read, or WITH queries if
 * they are read more than once. A WITH query that reads einsum_once is never
 * merged into its reader, a subquery with it still gets conditions on its keys:
 * hence subqueries where possible.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "codegen/deparse.h"
#include "codegen/materialize.h"
#include "optimizer/materialize.h"

/* Calls visit for the producer of each operand of a stage that has one. */
#define foreach_producer(stage, t, o)                                                    \
	for (int t = 0; t < (stage)->nterms; t++)                                            \
		for (int o = 0; o < (stage)->terms[t].noperands; o++)                            \
			if ((stage)->terms[t].operands[o].producer)

#define PRODUCER(stage, t, o) ((stage)->terms[t].operands[o].producer->number)

/*
 * What the view of a stage keeps, by stage number. A view that reads views which
 * keep stages themselves need not, if it reads only one of those: it keeps
 * nothing. Otherwise these views are part of it, and it keeps all they do.
 */
static bool *
kept_stages(const ProgramPlan *plan, const Stage *root)
{
	int count = root->number + 1;
	bool *once = NULL;
	bool keeps = false;
	/* how often a view computes a stage: by view times count, plus stage */
	double *computed = palloc0(sizeof(double) * count * count);

	for (int v = 0; v < count; v++)
	{
		const Stage *view = plan->stages[v].stage;

		once = stages_computed_once(plan, view);
		keeps = false;
		for (int s = 0; s < v; s++)
		{
			double *times = &computed[v * count + s];

			foreach_producer(view, t, o) *times +=
				computed[PRODUCER(view, t, o) * count + s];
			if (once[s] && *times > 1)
			{
				keeps = true;
				*times = 1;
			}
		}
		computed[v * count + v] = 1;
	}
	return keeps ? once : palloc0(sizeof(bool) * count);
}

CodegenContext *
view_context(const CodegenContext *context, const Stage *stage)
{
	const ProgramPlan *plan = context->plan;
	CodegenContext *view = palloc(sizeof(CodegenContext));
	bool *kept = kept_stages(plan, stage);
	bool *above = palloc0(sizeof(bool) * (stage->number + 1)); /* of a kept stage */
	int *reads = palloc0(sizeof(int) * (stage->number + 1));

	*view = *context;
	view->places = palloc0(sizeof(StagePlace) * list_length(plan->graph->stages));
	/* what is below is in tables, and what is not is a view */
	if (plan->graph->options->materialize == MATERIALIZE_ALWAYS)
		return view;
	for (int s = 0; s <= stage->number; s++)
	{
		const Stage *reader = plan->stages[s].stage;

		foreach_producer(reader, t, o) above[s] =
			above[s] || kept[PRODUCER(reader, t, o)] || above[PRODUCER(reader, t, o)];
	}
	if (!above[stage->number])
		return view;

	view->places[stage->number] = STAGE_IN_FROM;
	for (int s = stage->number; s >= 0; s--)
	{
		const Stage *reader = plan->stages[s].stage;

		if (s < stage->number && reads[s] > 0)
		{
			if (kept[s])
				view->places[s] = STAGE_KEPT;
			else if (above[s])
				view->places[s] = reads[s] > 1 ? STAGE_IN_WITH : STAGE_IN_FROM;
		}
		if (view->places[s] != STAGE_IS_VIEW)
		{
			foreach_producer(reader, t, o) reads[PRODUCER(reader, t, o)]++;
		}
	}
	return view;
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

		if (view->places[s] != STAGE_KEPT && view->places[s] != STAGE_IN_WITH)
			continue;
		appendStringInfo(
			&query, "%s%s AS %sMATERIALIZED (%s)", query.len ? ", " : "WITH ",
			stage_relation(view, with), view->places[s] == STAGE_KEPT ? "" : "NOT ",
			view->places[s] == STAGE_KEPT ? deparse_kept_stage(view, in_query, with)
										  : deparse_stage(view, with));
	}
	appendStringInfo(&query, "%s%s", query.len ? " " : "", deparse_stage(view, stage));
	return query.data;
}
