/*-------------------------------------------------------------------------
 *
 * seen_forms.c
 *	  The forms of statements that a search has seen, and what they cost together.
 *
 * A search that changes one point after the other sees each statement in many forms, but
 * few of them together. What several statements could share pays only if all of them are
 * in a form that reads it: no step towards that is cheaper. So the forms of all programs that were cut
 * are kept, by what they compute, and those that cost the least together are
 * selected (selection.h): of the ways to read statements through one, of each statement that is left
 * a form, and with it the stages that this takes. Equal stages are one, whoever needs them. The
 * program is then cut and planned in these forms like any other.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "algebra/groups.h"
#include "algebra/keys.h"
#include "optimizer/assignments.h"
#include "optimizer/seen_forms.h"
#include "optimizer/selection.h"
#include "optimizer/settings.h"
#include "recursion.h"

/* A stage of a form. */
typedef struct SeenStage
{
	int key; /* of the group that it computes; -1: a statement */
	const Stage *stage;
	double weight;
} SeenStage;

typedef struct SeenForm
{
	List *taken;  /* in the statement's scope, or in those of all absorptions */
	List *inputs; /* of SeenStage *, or of SeenStatement * */
} SeenForm;

/* What a statement has become, as what it reads was absorbed or not. */
typedef struct SeenStatement
{
	int scope;
	const void *subject;
	List *forms; /* of SeenForm * */
	int number;  /* as a group of a selection */
} SeenStatement;

struct SeenForms
{
	int nstatements;  /* of the program */
	List *statements; /* of SeenStatement * */
	List *programs;   /* of SeenForm *, by what is absorbed */
};

SeenForms *
new_seen_forms(void)
{
	return palloc0(sizeof(SeenForms));
}

/* The forms that are taken in scopes from one on, with the length of each. */
static List *
taken_in_scopes(const FormChoices *choices, int first, int count)
{
	List *taken = NIL;

	for (int s = first; s < first + count; s++)
	{
		ListCell *lc;

		taken = lappend_int(taken, list_length(choices->met[s]));
		foreach (lc, choices->met[s])
			taken = lappend_int(taken, ((const FormChoice *) lfirst(lc))->taken);
	}
	return taken;
}

/* Lets scopes take forms again. */
static void
want_in_scopes(FormChoices *choices, int first, int count, const List *taken)
{
	int n = 0;

	for (int s = first; s < first + count; s++)
	{
		int points = list_nth_int(taken, n++);

		choices->wanted[s] = NIL;
		for (int i = 0; i < points; i++)
			choices->wanted[s] =
				lappend_int(choices->wanted[s], list_nth_int(taken, n++));
	}
}

/* The form of some that takes these; made at first use. */
static SeenForm *
form_with(List **forms, List *taken)
{
	SeenForm *form;
	ListCell *lc;

	foreach (lc, *forms)
	{
		if (equal(((const SeenForm *) lfirst(lc))->taken, taken))
			return lfirst(lc);
	}
	form = palloc0(sizeof(SeenForm));
	form->taken = taken;
	*forms = lappend(*forms, form);
	return form;
}

/* Lists a stage and those that it takes, but for what other statements compute. */
static void
list_stages(Algebra *algebra, const StageGraph *graph, const Stage *stage, List **stages)
{
	const EqualGroup *group = group_of_tensor(algebra, stage->tensor);
	SeenStage *seen;
	ListCell *lc;

	enter_recursion();
	foreach (lc, *stages)
	{
		if (((const SeenStage *) lfirst(lc))->stage == stage->like)
			return;
	}
	seen = palloc(sizeof(SeenStage));
	seen->key = group ? key_of(algebra, group->expr)->number : -1;
	seen->stage = stage->like;
	seen->weight = bms_is_member(stage->part_of->number, graph->cancelling)
					   ? CANCELLING_WEIGHT
					   : 1.0;
	*stages = lappend(*stages, seen);
	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Stage *producer = stage->terms[t].operands[o].producer;

			if (producer && producer->statement == NULL)
				list_stages(algebra, graph, producer, stages);
		}
	}
}

static SeenStatement *
seen_statement(SeenForms *seen, int scope, const void *subject)
{
	SeenStatement *statement;
	ListCell *lc;

	foreach (lc, seen->statements)
	{
		statement = lfirst(lc);
		if (statement->scope == scope && statement->subject == subject)
			return statement;
	}
	statement = palloc0(sizeof(SeenStatement));
	statement->scope = scope;
	statement->subject = subject;
	seen->statements = lappend(seen->statements, statement);
	return statement;
}

void
note_seen_forms(SeenForms *seen, Algebra *algebra, const StageGraph *graph)
{
	const FormChoices *choices = graph->choices;
	int nstatements = list_length(graph->program->statements);
	SeenForm *program =
		form_with(&seen->programs, taken_in_scopes(choices, 0, nstatements));
	List *statements = NIL;
	ListCell *lc;

	seen->nstatements = nstatements;
	foreach (lc, graph->stages)
	{
		const Stage *stage = lfirst(lc);
		SeenStatement *statement;
		SeenForm *form;
		int scope;

		CHECK_FOR_INTERRUPTS();
		if (stage->side || stage->statement == NULL)
			continue;
		scope = nstatements + stage->statement->number;
		statement = seen_statement(seen, scope, choices->subjects[scope]);
		form = form_with(&statement->forms, taken_in_scopes(choices, scope, 1));
		form->inputs = NIL;
		list_stages(algebra, graph, stage, &form->inputs);
		statements = lappend(statements, statement);
	}
	program->inputs = statements;
}

/* A selection that is made of what was seen. */
typedef struct Selecting
{
	List *stages; /* of SeenStage *, those that differ, by number */
	SelectionGroup *groups;
} Selecting;

static double
cost_of_stage(const SeenStage *seen)
{
	return seen->weight * known_least_cost(seen->stage);
}

/* The group of a stage: with those that compute the same at the same cost. */
static int
number_of_stage(Selecting *selecting, SeenStage *seen)
{
	ListCell *lc;

	foreach (lc, selecting->stages)
	{
		const SeenStage *other = lfirst(lc);

		if (other->stage == seen->stage || (other->key >= 0 && other->key == seen->key &&
											cost_of_stage(other) == cost_of_stage(seen)))
			return foreach_current_index(lc);
	}
	selecting->stages = lappend(selecting->stages, seen);
	return list_length(selecting->stages) - 1;
}

/* The forms of a group, which cost nothing but what they read. */
static SelectionGroup
group_of_forms(Selecting *selecting, const List *forms, bool of_stages)
{
	SelectionGroup group = {.nforms = list_length(forms)};
	ListCell *lc;
	ListCell *li;

	group.forms = palloc0(sizeof(SelectionForm) * group.nforms);
	foreach (lc, forms)
	{
		const SeenForm *seen = lfirst(lc);
		SelectionForm *form = &group.forms[foreach_current_index(lc)];
		Bitmapset *inputs = NULL;
		int input = -1;

		foreach (li, seen->inputs)
			inputs = bms_add_member(
				inputs, of_stages ? number_of_stage(selecting, lfirst(li))
								  : ((const SeenStatement *) lfirst(li))->number);
		form->inputs = palloc(sizeof(int) * Max(bms_num_members(inputs), 1));
		while ((input = bms_next_member(inputs, input)) >= 0)
			form->inputs[form->ninputs++] = input;
	}
	return group;
}

FormChoices *
cheapest_seen_forms(const SeenForms *seen, const FormChoices *like, double limit)
{
	Selecting selecting = {NIL, NULL};
	int nstatements = list_length(seen->statements);
	SelectionGroup *statements = palloc(sizeof(SelectionGroup) * nstatements);
	const Selection *selection;
	const SeenForm *program;
	FormChoices *choices;
	int nstages;
	ListCell *lc;

	foreach (lc, seen->statements)
		statements[foreach_current_index(lc)] =
			group_of_forms(&selecting, ((const SeenStatement *) lfirst(lc))->forms, true);
	nstages = list_length(selecting.stages);
	selecting.groups = palloc0(sizeof(SelectionGroup) * (nstages + nstatements + 1));
	foreach (lc, selecting.stages)
	{
		SelectionForm *form = palloc0(sizeof(SelectionForm));

		form->cost = cost_of_stage(lfirst(lc));
		selecting.groups[foreach_current_index(lc)] = (SelectionGroup){1, form};
	}
	foreach (lc, seen->statements)
	{
		SeenStatement *statement = lfirst(lc);

		statement->number = nstages + foreach_current_index(lc);
		selecting.groups[statement->number] = statements[foreach_current_index(lc)];
	}
	selecting.groups[nstages + nstatements] =
		group_of_forms(&selecting, seen->programs, false);
	selection = select_forms(nstages + nstatements + 1, selecting.groups, rewrite_budget);
	if (selection->cost >= limit)
		return NULL;

	choices = with_same_forms(like);
	program = list_nth(seen->programs, selection->taken[nstages + nstatements]);
	want_in_scopes(choices, 0, seen->nstatements, program->taken);
	foreach (lc, program->inputs)
	{
		const SeenStatement *statement = lfirst(lc);
		const SeenForm *form =
			list_nth(statement->forms, selection->taken[statement->number]);

		choices->subjects[statement->scope] = statement->subject;
		want_in_scopes(choices, statement->scope, 1, form->taken);
	}
	return choices;
}
