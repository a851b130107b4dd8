/*-------------------------------------------------------------------------
 *
 * find_plans.c
 *	  The cheapest plans of a program, of all its forms.
 *
 * A program is cut into stages with all its choice points (algebra/choices.h) at
 * their first form. Then one point after the other takes each of its other forms:
 * the program is cut again, planned, and if that is cheaper, it stays so. This ends
 * when no point has a form that is cheaper, or when the budget is spent. So every
 * form is measured by one cost, that of the whole program with all that its parts
 * share. What no decomposition can make cheaper than what is known is not planned.
 *
 * Source: DESIGN, section 7; SPORES, section 3.2 (greedy extraction), with the
 * cost of plans in place of the count of operations.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "algebra/choices.h"
#include "optimizer/assignments.h"
#include "optimizer/materialize.h"
#include "optimizer/plan.h"
#include "optimizer/settings.h"

/* Sums of the same costs in another order are no gain. */
#define LEAST_GAIN 1e-9

typedef struct FormSearch
{
	Program *program;
	const PlanOptions *options;
	struct known_stages_hash *known;
	List *graphs;         /* that were looked at */
	List *plans;          /* the cheapest of all forms, in order */
	FormChoices *choices; /* of the cheapest */
	double cost;          /* of it, as it is compared */
	int work;             /* of it, see form_work */
	int budget;           /* work that may still be done */
	bool heuristic;       /* it was not enough */
} FormSearch;

/*
 * Do two plans compute the same stages from the same operands in the same decompositions
 * at the same cost? Their SQL differs at most in the order of a kernel's factors.
 */
static bool
same_plan(const ProgramPlan *a, const ProgramPlan *b)
{
	int nstages = list_length(a->graph->stages);
	bool same = list_length(b->graph->stages) == nstages &&
				fabs(a->compared - b->compared) <= LEAST_GAIN * a->compared;

	for (int s = 0; same && s < nstages; s++)
	{
		const StagePlan *one = &a->stages[s];
		const StagePlan *other = &b->stages[s];

		same = strcmp(one->stage->name, other->stage->name) == 0 &&
			   one->stage->nterms == other->stage->nterms &&
			   same_decomposition(&one->natural, &other->natural) &&
			   same_decomposition(&one->shape, &other->shape);
		for (int t = 0; same && t < one->stage->nterms; t++)
		{
			const Term *term = &one->stage->terms[t];
			const Term *like = &other->stage->terms[t];

			same = term->noperands == like->noperands;
			for (int o = 0; same && o < term->noperands; o++)
				same = strcmp(operand_name(&term->operands[o]),
							  operand_name(&like->operands[o])) == 0 &&
					   term->operands[o].mask == like->operands[o].mask &&
					   same_decomposition(&one->operands[t][o].to,
										  &other->operands[t][o].to);
		}
	}
	return same;
}

/* The cheapest of two lists of plans, each in order and each plan once; of equals, the first one's. */
static List *
merge_plans(const List *one, const List *other, int count)
{
	List *merged = NIL;
	int i = 0;
	int j = 0;

	while (list_length(merged) < count && i + j < list_length(one) + list_length(other))
	{
		ProgramPlan *first = i < list_length(one) ? list_nth(one, i) : NULL;
		ProgramPlan *second = j < list_length(other) ? list_nth(other, j) : NULL;
		bool take_first =
			first && (second == NULL || first->compared <= second->compared);
		ProgramPlan *taken = take_first ? first : second;
		bool known = false;
		ListCell *lc;

		foreach (lc, merged)
			known = known || same_plan(lfirst(lc), taken);
		if (!known)
			merged = lappend(merged, taken);
		i += take_first;
		j += !take_first;
	}
	return merged;
}

/*
 * Is the error that is being handled that something is beyond a limit? Another form
 * may be within it. Nothing is open or locked where that is found out.
 */
static bool
is_beyond_limits(void)
{
	return geterrcode() == ERRCODE_PROGRAM_LIMIT_EXCEEDED ||
		   geterrcode() == ERRCODE_ARRAY_SUBSCRIPT_ERROR;
}

/* The stages of a form of the program; NULL if it is beyond limits. */
static StageGraph *
build_if_possible(const FormSearch *search, FormChoices *choices)
{
	MemoryContext context = CurrentMemoryContext;
	StageGraph *volatile graph = NULL;

	PG_TRY();
	{
		graph = build_stages(search->program, search->options, choices);
	}
	PG_CATCH();
	{
		if (!is_beyond_limits())
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	return graph;
}

/* Less than any decomposition costs: the fastest kernel makes every entry of a join. */
static double
least_entries_cost(const Stage *stage)
{
	double cost = 0.0;

	for (int t = 0; t < stage->nterms; t++)
		cost += stage->terms[t].joined.entries *
				Max(stage->terms[t].kernel->operations, 1.0) * kernel_matrix_cost;
	return cost;
}

/*
 * Can a form not be cheaper than what there is? Every stage is computed once, in its
 * cheapest decomposition, whatever that asks of others. Stages like one that was planned are
 * known to the full; the others are bounded first, and costed only if that does not exclude the form.
 */
static bool
is_too_dear(StageGraph *graph, double limit)
{
	double cost = 0.0;
	ListCell *lc;

	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		if (!stage->side)
			cost += stage->like->assignments ? stage->like->assignments->least
											 : least_entries_cost(stage);
	}
	if (cost >= limit)
		return true;
	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (stage->side || stage->like->assignments)
			continue;
		cost += stage_assignments(graph, stage)->least - least_entries_cost(stage);
		if (cost >= limit)
			return true;
	}
	return false;
}

/* So many nodes of expressions are as much work, and memory, as one stage. */
#define STAGE_NODES 256.0

/* What a form takes of the budget. */
static int
form_work(const StageGraph *graph)
{
	return list_length(graph->stages) +
		   (int) Min(graph->choices->nodes / STAGE_NODES, PG_INT32_MAX / 2);
}

/* Plans the program with other choices; true if that is the cheapest yet. */
static bool
try_choices(FormSearch *search, FormChoices *choices)
{
	StageGraph *graph = build_if_possible(search, choices);
	List *plans;
	MemoryContext planning;
	MemoryContext old;
	double cost;
	ListCell *lc;

	if (graph == NULL)
		return false;
	search->budget -= form_work(graph);
	find_known_stages(search->known, graph);
	foreach (lc, search->graphs)
	{
		if (same_stages(graph, lfirst(lc)))
			return false;
	}
	search->graphs = lappend(search->graphs, graph);
	if (list_length(search->plans) == search->options->plans &&
		is_too_dear(graph, ((const ProgramPlan *) llast(search->plans))->compared))
		return false;
	/* most forms come to nothing: the memory of a search is given back */
	planning =
		AllocSetContextCreate(CurrentMemoryContext, "form", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(planning);
	plans = plans_of_stages(graph);
	MemoryContextSwitchTo(old);
	if (plans == NIL || (list_length(search->plans) == search->options->plans &&
						 ((const ProgramPlan *) linitial(plans))->compared >=
							 ((const ProgramPlan *) llast(search->plans))->compared))
	{
		MemoryContextDelete(planning);
		return false;
	}
	cost = ((const ProgramPlan *) linitial(plans))->compared;
	if (cost >= search->cost * (1 - LEAST_GAIN))
	{
		search->plans = merge_plans(search->plans, plans, search->options->plans);
		return false;
	}
	search->plans = merge_plans(plans, search->plans, search->options->plans);
	search->choices = choices;
	search->cost = cost;
	search->work = form_work(graph);
	return true;
}

/* Lets a point take each of its other forms; true if one of them is cheaper. */
static bool
try_point(FormSearch *search, int scope, int point)
{
	const FormChoice *choice = list_nth(search->choices->met[scope], point);
	bool improved = false;

	for (int form = 0; form < choice->noptions; form++)
	{
		const FormChoice *current = list_nth(search->choices->met[scope], point);

		if (form == current->taken)
			continue;
		if (search->budget < search->work)
		{
			search->heuristic = true;
			break;
		}
		CHECK_FOR_INTERRUPTS();
		if (try_choices(search, with_other_form(search->choices, scope, point, form)))
			improved = true;
	}
	return improved;
}

/*
 * Tries the points in turn until none of them has changed since its last turn: those
 * of the forms of statements first, since laws may change more than whether a statement is read
 * through.
 */
static void
try_all_points(FormSearch *search)
{
	int nscopes = search->choices->nscopes - 1; /* the last one is of what nobody runs */
	int scope = list_length(search->program->statements);
	int unchanged = 0; /* scopes since the last change */

	while (unchanged < nscopes && !search->heuristic)
	{
		unchanged++;
		for (int point = 0; point < list_length(search->choices->met[scope]); point++)
		{
			if (try_point(search, scope, point))
				unchanged = 0;
		}
		scope = (scope + 1) % nscopes;
	}
}

List *
find_plans(Program *program, const PlanOptions *options)
{
	FormSearch search = {.program = program,
						 .options = options,
						 .choices = new_form_choices(choice_scopes(program)),
						 .known = new_known_stages(),
						 .cost = INFINITY,
						 .budget = rewrite_budget};
	StageGraph *graph = build_stages(program, options, search.choices);
	ListCell *lc;

	find_known_stages(search.known, graph);
	search.graphs = list_make1(graph);
	search.work = form_work(graph);
	search.plans = plans_of_stages(graph);
	if (search.plans != NIL)
		search.cost = ((const ProgramPlan *) linitial(search.plans))->compared;
	if (options->rewrite > REWRITE_NONE && options->search != SEARCH_AS_WRITTEN)
		try_all_points(&search);
	if (search.plans == NIL)
		report_limits(graph);
	search.plans = merge_plans(search.plans, NIL, options->plans);
	foreach (lc, search.plans)
		((ProgramPlan *) lfirst(lc))->heuristic |= search.heuristic;
	return search.plans;
}

List *
find_plans_if_possible(Program *program, const PlanOptions *options)
{
	MemoryContext context = CurrentMemoryContext;
	List *volatile plans = NIL;

	PG_TRY();
	{
		plans = find_plans(program, options);
	}
	PG_CATCH();
	{
		if (!is_beyond_limits())
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	return plans;
}
