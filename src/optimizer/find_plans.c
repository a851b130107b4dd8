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
 * Lower levels of rewriting are forms too, down to the program as it is written.
 *
 * Source: DESIGN, section 7; SPORES, section 3.2 (greedy extraction), with the
 * cost of plans in place of the count of operations.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

#include "algebra/choices.h"
#include "optimizer/assignments.h"
#include "optimizer/materialize.h"
#include "optimizer/plan.h"
#include "optimizer/rewrite_budget.h"
#include "optimizer/seen_forms.h"
#include "optimizer/settings.h"

/*
 * Sizes of memory blocks, small beside what a search needs: little of the last one is
 * wasted.
 */
#define PLANNING_BLOCKS ALLOCSET_DEFAULT_MINSIZE, ALLOCSET_DEFAULT_INITSIZE, 512 * 1024

typedef struct FormSearch
{
	Program *program;
	Algebra *algebra; /* shared by all cuts */
	const PlanOptions *options;
	/* the options by level of rewriting; graphs keep pointers to them */
	PlanOptions *levels;
	struct known_stages_hash *known;
	SeenForms *seen;      /* of the current level */
	List *graphs;         /* graphs that were looked at */
	List *plans;          /* the cheapest plans of all forms, in order */
	StageGraph *best;     /* of the cheapest plan */
	FormChoices *choices; /* of the best graph */
	double cost;          /* of the best graph, as searches compare it */
	int work;             /* of cutting the best graph if all its stages were new */
	/* of cutting the best graph if all its stages were known: the least work of a step */
	int step;
	RewriteBudget budget;
	bool heuristic;     /* the budget was not enough */
	bool pairs;         /* steps are taken two at a time */
	bool cut_heuristic; /* not all ways to cut a level's first form were looked at */
	const FormChoices *first; /* the choices that the level's first form meets */
	int combined;             /* number of cuts when forms were combined last */
	/* by scope */
	Bitmapset **tried;   /* points that have no cheaper form with the current choices */
	Bitmapset **waiting; /* points for which their family's quota was not enough */
	/* for developers */
	MemoryContext memory; /* in which the search allocates */
	Size most_memory;     /* the most memory that it had */
	int cuts;             /* number of forms that were looked at */
} FormSearch;

/*
 * Do two operands read the same relation or stage, at the same labels, in the same
 * decomposition?
 */
static bool
same_reading(const Stage *one, const Operand *a, const OperandPlan *plan_a,
			 const Stage *other, const Operand *b, const OperandPlan *plan_b)
{
	bool same = a->rank == b->rank && strcmp(operand_name(a), operand_name(b)) == 0 &&
				plan_a->storage == plan_b->storage &&
				same_decomposition(&plan_a->to, &plan_b->to);

	for (int d = 0; same && d < a->rank; d++)
		same = one->labels[a->labels[d]].program_label ==
			   other->labels[b->labels[d]].program_label;
	return same;
}

/* Does term number t of two stages read the same operands, in whatever order? */
static bool
same_operands_read(const StagePlan *one, const StagePlan *other, int t)
{
	const Term *term = &one->stage->terms[t];
	const Term *like = &other->stage->terms[t];
	uint32 found = 0;

	if (term->noperands != like->noperands)
		return false;
	for (int a = 0; a < term->noperands; a++)
	{
		int b = 0;

		while (b < like->noperands &&
			   ((found & (1u << b)) ||
				!same_reading(one->stage, &term->operands[a], &one->operands[t][a],
							  other->stage, &like->operands[b], &other->operands[t][b])))
			b++;
		if (b == like->noperands)
			return false;
		found |= 1u << b;
	}
	return true;
}

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
			same = same_operands_read(one, other, t);
	}
	return same;
}

/*
 * Merges two ordered lists of plans and returns the cheapest count of them, each plan
 * once; of equal plans the one of the first list stays.
 */
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
		bool take_first = first && (second == NULL || !is_cheaper(second, first));
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
 * Does the error that is being handled say that something exceeds a limit? Another form
 * may be within the limit. Where such an error is raised, nothing is open or locked.
 */
static bool
is_beyond_limits(void)
{
	return geterrcode() == ERRCODE_PROGRAM_LIMIT_EXCEEDED ||
		   geterrcode() == ERRCODE_ARRAY_SUBSCRIPT_ERROR;
}

/*
 * Calls a function and returns its result; NULL if it raises an error because a limit is
 * exceeded.
 */
static void *
if_possible(void *(*make)(void *argument), void *argument)
{
	MemoryContext context = CurrentMemoryContext;
	void *volatile result = NULL;

	PG_TRY();
	{
		result = make(argument);
	}
	PG_CATCH();
	{
		if (!is_beyond_limits())
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	return result;
}

/* Arguments of build_stages(). */
typedef struct Cut
{
	Algebra *algebra;
	const PlanOptions *options;
	FormChoices *choices;
} Cut;

static void *
make_stages(void *argument)
{
	const Cut *cut = argument;

	return build_stages(cut->algebra, cut->options, cut->choices);
}

static void *
make_plans_of_stages(void *argument)
{
	return plans_of_stages(argument);
}

/*
 * Returns a lower bound of the cost of a form: each stage in its cheapest decomposition,
 * whatever that asks of other stages, computed once (or once for many rounds of a loop).
 * From limit on the bound may be lower than the true one. Known stages have their costs;
 * new ones are bounded first, and costed only if that does not exclude the form.
 */
static double
least_cost(StageGraph *graph, double limit)
{
	double cost = 0.0;

	for (int costed = 0; costed < 2; costed++)
	{
		ListCell *lc;

		foreach (lc, graph->stages)
		{
			Stage *stage = lfirst(lc);
			double weight = Min(stage->uses, 1.0) *
							(bms_is_member(stage->part_of->number, graph->cancelling)
								 ? CANCELLING_WEIGHT
								 : 1.0);

			CHECK_FOR_INTERRUPTS();
			if (stage->side || (costed && stage->assignments))
				continue;
			if (costed)
				cost += weight * (stage_assignments(graph, stage)->least -
								  least_entries_cost(stage));
			else if (stage->like->assignments)
				cost += weight * stage_assignments(graph, stage)->least;
			else
				cost += weight * least_entries_cost(stage);
			if (cost >= limit)
				return cost;
		}
	}
	return cost;
}

/* Nodes of expressions that take as much work and memory as one stage. */
#define STAGE_NODES 256.0

/* Known stages that take as much work as one new stage. */
#define KNOWN_STAGES 8

/* Assignments and moves tried by a search for plans that take as much work as a stage. */
#define TRIED_CHOICES 8192

/*
 * Returns the work that a form takes from the budget if nknown of its stages are known.
 */
static int
form_work(const StageGraph *graph, int nknown)
{
	return list_length(graph->stages) - nknown + nknown / KNOWN_STAGES +
		   (int) Min(graph->choices->nodes / STAGE_NODES, PG_INT32_MAX / 2);
}

/*
 * Cuts the program with other choices, charges the budget, and returns the graph; NULL if
 * limits are exceeded.
 */
static StageGraph *
cut_program(FormSearch *search, FormChoices *choices)
{
	Cut cut = {search->algebra, &search->levels[choices->level], choices};
	StageGraph *graph = if_possible(make_stages, &cut);

	search->cuts++;
	search->budget.left--;
	if (graph != NULL)
	{
		search->budget.left -= form_work(graph, find_known_stages(search->known, graph));
		note_seen_forms(search->seen, search->algebra, graph);
	}
	return graph;
}

/*
 * Is there budget to cut the program this many times more, if each cut takes as much work
 * as the best graph?
 */
static bool
has_budget(const FormSearch *search, int cuts)
{
	CHECK_FOR_INTERRUPTS();
	return search->budget.left / cuts >= search->step;
}

/*
 * Does the program have several statements, which may share stages that none of them
 * would compute alone?
 */
static bool
shares_statements(const FormSearch *search)
{
	return list_length(search->program->statements) > 1;
}

/* Returns after how many cuts the forms that were seen are to be combined again. */
static int
step_cuts(const FormSearch *search)
{
	return shares_statements(search) ? 2 : 1;
}

/*
 * Is there budget for a step? If not even for a single step, marks the plan as heuristic.
 */
static bool
may_try(FormSearch *search)
{
	bool may = has_budget(search, step_cuts(search));

	search->heuristic = search->heuristic || (!may && !search->pairs);
	return may;
}

/* Returns the scope of a statement's form. */
static int
form_scope(const FormSearch *search, int statement)
{
	return list_length(search->program->statements) + statement;
}

/* Makes a graph the best one: its choices are then the best known of each statement. */
static void
take_choices(FormSearch *search, StageGraph *graph, double cost)
{
	search->best = graph;
	search->choices = graph->choices;
	search->cost = cost;
	search->work = form_work(graph, 0);
	search->step = form_work(graph, list_length(graph->stages));
	memset(search->tried, 0, sizeof(Bitmapset *) * search->choices->nscopes);
	for (int s = 0; s < list_length(search->program->statements); s++)
	{
		int scope = form_scope(search, s);

		if (search->choices->met[scope] != NIL)
			note_known_forms(search->choices, scope);
	}
}

/* Returns the cost below which a plan is among those that are asked for. */
static double
cost_to_beat(const FormSearch *search)
{
	return list_length(search->plans) == search->options->plans
			   ? ((const ProgramPlan *) llast(search->plans))->compared
			   : INFINITY;
}

/* Updates the most memory that the search has had. */
static void
note_memory(FormSearch *search)
{
	search->most_memory =
		Max(search->most_memory, MemoryContextMemAllocated(search->memory, true));
}

/*
 * Tolerance for rounding: sums of the same costs in another order do not exceed the
 * limit.
 */
#define LIMIT_SLACK 1.000001

/*
 * Sets the limit of a graph's costs, if some plans are known, so that more expensive
 * decompositions are not costed.
 */
static void
limit_costs(const FormSearch *search, StageGraph *graph)
{
	if (search->options->search == SEARCH_DP)
		graph->limit = cost_to_beat(search) * LIMIT_SLACK;
}

/* Plans a form of the program; returns true if its plan is the cheapest so far. */
static bool
plan_form(FormSearch *search, StageGraph *graph)
{
	List *plans;
	MemoryContext planning;
	MemoryContext old;
	double cost;
	ListCell *lc;

	foreach (lc, search->graphs)
	{
		if (same_stages(graph, lfirst(lc)))
			return false;
	}
	search->graphs = lappend(search->graphs, graph);
	limit_costs(search, graph);
	if (least_cost(graph, cost_to_beat(search)) >= cost_to_beat(search))
		return false;
	/* the plans of most forms are discarded: free the memory of their searches */
	planning = AllocSetContextCreate(CurrentMemoryContext, "form", PLANNING_BLOCKS);
	old = MemoryContextSwitchTo(planning);
	/* the exhaustive search has limits of its own */
	plans = if_possible(make_plans_of_stages, graph);
	MemoryContextSwitchTo(old);
	search->budget.left -= (int) Min(graph->tried / TRIED_CHOICES, PG_INT32_MAX / 2);
	note_memory(search);
	if (plans == NIL ||
		((const ProgramPlan *) linitial(plans))->compared >= cost_to_beat(search))
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
	take_choices(search, graph, cost);
	return true;
}

/*
 * Lets each point of a scope take its other forms, as long as that lowers the lower bound
 * of all stages together. Returns the program in these forms.
 */
static StageGraph *
descend_by_bound(FormSearch *search, StageGraph *graph, int scope)
{
	double bound = least_cost(graph, INFINITY);
	bool improved = true;

	while (improved)
	{
		improved = false;
		for (int point = 0; point < list_length(graph->choices->met[scope]); point++)
		{
			const FormChoice *choice = list_nth(graph->choices->met[scope], point);

			for (int form = 0; form < choice->noptions; form++)
			{
				const FormChoice *current = list_nth(graph->choices->met[scope], point);
				StageGraph *other;
				double other_bound;

				if (form == current->taken)
					continue;
				if (!may_try(search))
					return graph;
				other = cut_program(search,
									with_other_form(graph->choices, scope, point, form));
				other_bound = other ? least_cost(other, bound) : INFINITY;
				if (other_bound < bound * (1 - LEAST_GAIN))
				{
					graph = other;
					bound = other_bound;
					improved = true;
				}
			}
		}
	}
	return graph;
}

/*
 * Returns the program with better forms of the statements that have absorbed another one.
 * Their expressions are new, so that their default forms say little about the cost of
 * absorbing; each expression first gets its own best forms. These are searched once, by
 * the lower bounds of stages alone.
 */
static StageGraph *
with_forms_of_readers(FormSearch *search, StageGraph *graph)
{
	for (int s = 0; s < list_length(search->program->statements); s++)
	{
		int scope = form_scope(search, s);

		if (graph->choices->met[scope] == NIL ||
			side_value(graph->choices->known, graph->choices->subjects[scope]))
			continue;
		graph = descend_by_bound(search, graph, scope);
		note_known_forms(graph->choices, scope);
	}
	return graph;
}

/* Returns the program cut with another form of one point; NULL if limits are exceeded. */
static StageGraph *
cut_other_form(FormSearch *search, const FormChoices *choices, int scope, int point,
			   int form)
{
	StageGraph *graph = cut_program(search, with_other_form(choices, scope, point, form));

	if (graph && scope < form_scope(search, 0))
		graph = with_forms_of_readers(search, graph);
	return graph;
}

/*
 * Lets a point take each of its other forms, within its family's quota; true if one of
 * them is cheaper.
 */
static bool
try_point(FormSearch *search, int scope, int point)
{
	const FormChoice *choice = list_nth(search->choices->met[scope], point);
	bool improved = false;

	if (bms_is_member(point, search->tried[scope]))
		return false;
	for (int form = 0; form < choice->noptions; form++)
	{
		const FormChoice *current = list_nth(search->choices->met[scope], point);
		int left = search->budget.left;
		StageGraph *graph;

		if (form == current->taken)
			continue;
		if (!is_within_quota(&search->budget, choice->family))
		{
			search->waiting[scope] = bms_add_member(search->waiting[scope], point);
			return improved;
		}
		if (!may_try(search))
			return improved;
		graph = cut_other_form(search, search->choices, scope, point, form);
		if (graph && plan_form(search, graph))
			improved = true;
		charge_quota(&search->budget, choice->family, left - search->budget.left);
	}
	if (!improved)
		search->tried[scope] = bms_add_member(search->tried[scope], point);
	return improved;
}

/*
 * May several points change at once? Not in an exhaustive search, which takes long for
 * each form.
 */
static bool
may_combine(const FormSearch *search)
{
	return search->options->search != SEARCH_EXHAUSTIVE;
}

/* Most combinations that are tried: each that fails has shown what more stages cost. */
#define MOST_COMBINATIONS 3

/*
 * Lets all statements take those of the seen forms that cost the least together, by the
 * lower bounds of stages, with shared stages counted once; true if that plan is cheaper.
 * Does nothing unless the program was cut again since the last call.
 */
static bool
try_seen_forms(FormSearch *search)
{
	const StageGraph *last = NULL;

	for (int n = 0; n < MOST_COMBINATIONS && search->combined != search->cuts; n++)
	{
		FormChoices *choices = NULL;
		StageGraph *graph;

		search->combined = search->cuts;
		if (shares_statements(search) && has_budget(search, 1))
			choices = cheapest_seen_forms(search->seen, search->choices,
										  search->cost * (1 - LEAST_GAIN));
		graph = choices ? cut_program(search, choices) : NULL;
		if (graph == NULL || (last && same_stages(graph, last)))
			return false;
		if (plan_form(search, graph))
			return true;
		last = graph;
	}
	return false;
}

/*
 * Tries the points of a scope whose family had no quota left; true if a form is cheaper.
 */
static bool
try_waiting_points(FormSearch *search, int scope)
{
	bool improved = false;
	int point = -1;

	while ((point = bms_next_member(search->waiting[scope], point)) >= 0)
	{
		/* a point before it may have left fewer points */
		if (point < list_length(search->choices->met[scope]))
			improved = try_point(search, scope, point) || improved;
	}
	search->waiting[scope] = NULL;
	return improved;
}

/* Does the level's first form meet the same choices in two scopes? */
static bool
scopes_are_alike(const FormChoices *first, int a, int b)
{
	ListCell *la;
	ListCell *lb;

	if (list_length(first->met[a]) != list_length(first->met[b]))
		return false;
	forboth (la, first->met[a], lb, first->met[b])
	{
		const FormChoice *one = lfirst(la);
		const FormChoice *other = lfirst(lb);

		if (one->family != other->family || one->noptions != other->noptions)
			return false;
	}
	return true;
}

/*
 * Lets all statements that are like one take its best forms at once, instead of searching
 * them for each statement anew. True if the plan is cheaper.
 */
static bool
try_alike(FormSearch *search, int scope)
{
	int first = form_scope(search, 0);
	FormChoices *choices;
	StageGraph *graph;
	bool others = false;

	if (!has_budget(search, 1))
		return false;
	choices = with_same_forms(search->choices);
	for (int s = first; s < form_scope(search, list_length(search->program->statements));
		 s++)
	{
		if (s == scope || equal(choices->wanted[s], choices->wanted[scope]) ||
			!scopes_are_alike(search->first, s, scope))
			continue;
		choices->wanted[s] = list_copy(choices->wanted[scope]);
		others = true;
	}
	graph = others ? cut_program(search, choices) : NULL;
	return graph && plan_form(search, graph);
}

/* Tries the points of a scope; true if a form is cheaper. */
static bool
try_scope(FormSearch *search, int scope)
{
	/* combined before the points of absorption, which take the most work */
	bool improved = scope == 0 && may_combine(search) && try_seen_forms(search);
	bool own = false;

	for (int point = 0; point < list_length(search->choices->met[scope]); point++)
		own = try_point(search, scope, point) || own;
	if (own && scope >= form_scope(search, 0))
		(void) try_alike(search, scope);
	return improved || own;
}

/*
 * Tries one scope after the other, those of statements' forms first, since laws may
 * change more than absorption does. True if a form is cheaper.
 */
static bool
try_in_turn(FormSearch *search, bool (*try)(FormSearch *search, int scope))
{
	int first = form_scope(search, 0);
	int nscopes = form_scope(search, list_length(search->program->statements));
	bool improved = false;

	for (int n = 0; n < nscopes && !search->heuristic; n++)
		improved = try(search, (first + n) % nscopes) || improved;
	return improved;
}

/*
 * Tries all points within the quotas of their families, then the points that waited for
 * quota, then all again, until no point has changed since its last turn.
 */
static void
try_all_points(FormSearch *search)
{
	try_in_turn(search, try_scope);
	share_quotas(&search->budget);
	try_in_turn(search, try_waiting_points);
	while (try_in_turn(search, try_scope))
		;
}

/*
 * Most points that change at once. Three and more points are tried within this part of
 * the budget ...
 */
#define MOST_STEPS 4
#define LONG_STEPS_PART 8
/* ... from steps that cost less than this multiple of the cheapest plan. */
#define LITTLE_MORE 1.25

/*
 * Steps from the cheapest plan: its choices but for some points, and the point after
 * which the next step is searched.
 */
typedef struct FormSteps
{
	StageGraph *graph;
	int scope;
	int point;
	double least; /* lower bound of the cost after these steps, if known */
} FormSteps;

/* Orders steps by cost; equal ones keep their order. */
static int
compare_steps(const ListCell *a, const ListCell *b)
{
	double one = ((const FormSteps *) lfirst(a))->least;
	double other = ((const FormSteps *) lfirst(b))->least;

	return one < other ? -1 : one > other;
}

/* Have other steps led to the same form? */
static bool
is_form_of(const StageGraph *graph, const List *steps)
{
	ListCell *lc;

	foreach (lc, steps)
	{
		if (same_stages(graph, ((const FormSteps *) lfirst(lc))->graph))
			return true;
	}
	return false;
}

/*
 * After some steps, lets each later point take its other forms; stops at the first plan
 * that is cheaper, and returns true then. Adds to *more the steps that may lead further:
 * from pairs on, those that cost little more than the cheapest plan.
 */
static bool
take_another_step(FormSearch *search, const FormSteps *steps, int count, List **more)
{
	const FormChoices *choices = steps->graph->choices;
	int nscopes = form_scope(search, list_length(search->program->statements));
	int point = steps->point;

	for (int scope = steps->scope; scope < nscopes; scope++, point = 0)
	{
		for (; point < list_length(choices->met[scope]); point++)
		{
			const FormChoice *choice = list_nth(choices->met[scope], point);

			for (int form = 0; form < choice->noptions; form++)
			{
				StageGraph *graph;
				FormSteps *next;
				double most = search->cost * LITTLE_MORE;
				double least = 0.0;

				if (form == choice->taken)
					continue;
				if (!may_try(search))
					return false;
				graph = cut_other_form(search, choices, scope, point, form);
				if (graph == NULL)
					continue;
				if (count > 1)
				{
					if (plan_form(search, graph))
						return true;
					least = least_cost(graph, most);
					if (count == MOST_STEPS || least >= most || is_form_of(graph, *more))
						continue;
				}
				next = palloc(sizeof(FormSteps));
				*next = (FormSteps){graph, scope, point + 1, least};
				*more = lappend(*more, next);
			}
		}
	}
	return false;
}

/*
 * Lets several points take other forms at once, which may pay only together: all pairs as
 * long as there is budget, then more points within a part of it, the cheapest first.
 * Stops at the first plan that is cheaper, and returns true then.
 */
static bool
try_several_steps(FormSearch *search)
{
	FormSteps none = {search->best, 0, 0, 0.0};
	List *steps = list_make1(&none);
	bool improved = false;
	int reserve = 0;

	search->pairs = true;
	for (int count = 1; count <= MOST_STEPS && !improved; count++)
	{
		List *more = NIL;
		ListCell *lc;

		if (count == 3)
		{
			reserve = Max(search->budget.left - rewrite_budget / LONG_STEPS_PART, 0);
			search->budget.left -= reserve;
		}
		foreach (lc, steps)
		{
			improved = take_another_step(search, lfirst(lc), count, &more);
			if (improved)
				break;
		}
		steps = more;
		list_sort(steps, compare_steps);
	}
	search->budget.left += reserve;
	search->pairs = false;
	return improved;
}

/*
 * Plans the forms of a level of rewriting: first the form with all points at their first
 * form, and the others if that is cheaper than the plans of earlier levels, or these gave
 * no plan.
 */
static void
search_rewrite_level(FormSearch *search, RewriteLevel level)
{
	StageGraph *graph;

	search->seen = new_seen_forms();
	set_quotas(&search->budget);
	memset(search->waiting, 0, sizeof(Bitmapset *) * choice_scopes(search->program));
	graph = cut_program(search, new_form_choices(level, choice_scopes(search->program)));
	if (graph == NULL)
		return;
	search->first = graph->choices;
	search->cut_heuristic = search->cut_heuristic || graph->heuristic;
	if (!plan_form(search, graph))
	{
		if (level < search->options->rewrite)
			return;
		take_choices(search, graph, INFINITY);
	}
	if (search->options->search == SEARCH_AS_WRITTEN)
		return;
	do
		try_all_points(search);
	while (may_combine(search) &&
		   (try_seen_forms(search) || (!search->heuristic && (try_several_steps(search) ||
															  try_seen_forms(search)))));
}

/* Raises the error that limits exclude every plan of the program at a level. */
static void
report_limits_of(FormSearch *search, RewriteLevel level)
{
	StageGraph *graph =
		build_stages(search->algebra, &search->levels[level],
					 new_form_choices(level, choice_scopes(search->program)));

	(void) find_known_stages(search->known, graph);
	(void) plans_of_stages(graph);
	report_limits(graph);
}

/* Adds plans that differ from those that were found in the storages of one tensor alone. */
static void
add_plans_by_storages(FormSearch *search)
{
	List *found = search->plans;
	ListCell *lc;

	foreach (lc, found)
	{
		ListCell *inner;

		foreach (inner, plans_by_storages(lfirst(lc)))
			search->plans = merge_plans(search->plans, list_make1(lfirst(inner)),
										search->options->plans);
	}
}

/*
 * Returns the plans of all levels of rewriting up to the one that is asked for, as long
 * as there is budget. The program as it is written is always planned: so rewriting never
 * costs more than that. An exhaustive search, which takes long for each form, looks at
 * one level only, and at single steps.
 */
static List *
search_plans(Program *program, const PlanOptions *options)
{
	FormSearch search = {.program = program,
						 .algebra = algebra_of_stages(program, options),
						 .options = options,
						 .levels = palloc(sizeof(PlanOptions) * REWRITE_LEVELS),
						 .known = new_known_stages(),
						 .cost = INFINITY,
						 .budget = {.left = rewrite_budget},
						 .tried = palloc0(sizeof(Bitmapset *) * choice_scopes(program)),
						 .waiting = palloc0(sizeof(Bitmapset *) * choice_scopes(program)),
						 .memory = CurrentMemoryContext};
	bool one_level =
		options->search == SEARCH_AS_WRITTEN || options->search == SEARCH_EXHAUSTIVE;
	int least = one_level ? options->rewrite : REWRITE_NONE;
	Size before = MemoryContextMemAllocated(search.memory, true);
	instr_time started;
	instr_time time;
	ListCell *lc;

	INSTR_TIME_SET_CURRENT(started);
	for (int level = 0; level < REWRITE_LEVELS; level++)
	{
		search.levels[level] = *options;
		search.levels[level].rewrite = level;
	}
	for (int level = options->rewrite; level >= least; level--)
	{
		/* with a budget of 0 plans are not compared */
		if (search.plans == NIL ||
			(rewrite_budget > 0 &&
			 (level == least ||
			  (search.budget.left >= search.work && !search.cut_heuristic))))
			search_rewrite_level(&search, level);
	}
	if (search.plans == NIL)
		report_limits_of(&search, options->rewrite);
	search.plans = merge_plans(search.plans, NIL, options->plans);
	if (options->plans > 1)
		add_plans_by_storages(&search);
	foreach (lc, search.plans)
		((ProgramPlan *) lfirst(lc))->heuristic |= search.heuristic;
	note_memory(&search);
	INSTR_TIME_SET_CURRENT(time);
	INSTR_TIME_SUBTRACT(time, started);
	ereport(DEBUG1,
			(errmsg_internal(
				"planned in %.3f ms, %zu kB, %d cuts, %d forms%s",
				INSTR_TIME_GET_MILLISEC(time), (search.most_memory - before) / 1024,
				search.cuts, list_length(search.graphs),
				((const ProgramPlan *) linitial(search.plans))->heuristic ? ", heuristic"
																		  : "")));
	return search.plans;
}

List *
find_plans(Program *program, const PlanOptions *options)
{
	MemoryContext memory =
		AllocSetContextCreate(CurrentMemoryContext, "plans", PLANNING_BLOCKS);
	MemoryContext old = MemoryContextSwitchTo(memory);
	List *plans = search_plans(program, options);

	MemoryContextSwitchTo(old);
	return plans;
}

/* Arguments of search_plans(). */
typedef struct Planning
{
	Program *program;
	const PlanOptions *options;
} Planning;

static void *
make_plans(void *argument)
{
	const Planning *planning = argument;

	return find_plans(planning->program, planning->options);
}

List *
find_plans_if_possible(Program *program, const PlanOptions *options)
{
	Planning planning = {program, options};

	return if_possible(make_plans, &planning);
}
