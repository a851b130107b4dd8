/*-------------------------------------------------------------------------
 *
 * choices.c
 *	  Which of its alternative forms each part of a program takes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "algebra/choices.h"

FormChoices *
new_form_choices(RewriteLevel level, int nscopes)
{
	FormChoices *choices = palloc0(sizeof(FormChoices));

	choices->level = level;
	choices->nscopes = nscopes;
	choices->known = new_side_table(64);
	choices->subjects = palloc0(sizeof(void *) * nscopes);
	choices->wanted = palloc0(sizeof(List *) * nscopes);
	choices->met = palloc0(sizeof(List *) * nscopes);
	return choices;
}

/* Returns the numbers of the forms that were taken at a scope's points. */
static List *
forms_taken(const FormChoices *choices, int scope)
{
	List *taken = NIL;
	ListCell *lc;

	foreach (lc, choices->met[scope])
		taken = lappend_int(taken, ((const FormChoice *) lfirst(lc))->taken);
	return taken;
}

FormChoices *
with_same_forms(const FormChoices *choices)
{
	FormChoices *other = palloc(sizeof(FormChoices));

	*other = *choices;
	other->subjects = palloc0(sizeof(void *) * choices->nscopes);
	other->wanted = palloc0(sizeof(List *) * choices->nscopes);
	other->met = palloc0(sizeof(List *) * choices->nscopes);
	other->nodes = 0.0;
	for (int s = 0; s < choices->nscopes; s++)
	{
		other->subjects[s] = choices->subjects[s];
		other->wanted[s] = forms_taken(choices, s);
	}
	return other;
}

FormChoices *
with_other_form(const FormChoices *choices, int scope, int point, int form)
{
	FormChoices *other = with_same_forms(choices);

	other->wanted[scope] = lappend_int(list_truncate(other->wanted[scope], point), form);
	return other;
}

void
note_known_forms(FormChoices *choices, int scope)
{
	KnownForms *known = palloc0(sizeof(KnownForms));

	Assert(choices->subjects[scope] != NULL);
	known->taken = forms_taken(choices, scope);
	set_side_value(choices->known, choices->subjects[scope], known);
}

void
enter_scope(FormChoices *choices, int scope, const void *subject)
{
	Assert(scope >= 0 && scope < choices->nscopes);
	choices->scope = scope;
	if (subject != choices->subjects[scope])
	{
		const KnownForms *known = side_value(choices->known, subject);

		choices->wanted[scope] = known ? known->taken : NIL;
		choices->subjects[scope] = subject;
	}
}

int
choose_form(FormChoices *choices, FormFamily family, int noptions,
			const FormOption *options)
{
	const List *wanted = choices->wanted[choices->scope];
	FormChoice *choice = palloc(sizeof(FormChoice));
	int point = list_length(choices->met[choices->scope]);

	Assert(noptions > 1);
	choice->family = family;
	choice->noptions = noptions;
	choice->options = options;
	choice->taken = point < list_length(wanted) ? list_nth_int(wanted, point) : 0;
	/* a choice elsewhere may have left fewer forms at this point */
	if (choice->taken >= noptions)
		choice->taken = 0;
	choices->met[choices->scope] = lappend(choices->met[choices->scope], choice);
	return choice->taken;
}

bool
choose_law(FormChoices *choices, FormFamily family, const FormOption options[2])
{
	return choose_form(choices, family, 2, options) == 1;
}

List *
laws_taken(const FormChoices *choices, int scope)
{
	List *laws = NIL;
	ListCell *lc;

	foreach (lc, choices->met[scope])
	{
		const FormChoice *choice = lfirst(lc);
		const char *law = choice->options[choice->taken].law;
		bool known = law == NULL;
		ListCell *other;

		foreach (other, laws)
			known = known || strcmp(lfirst(other), law) == 0;
		if (!known)
			laws = lappend(laws, unconstify(char *, law));
	}
	return laws;
}
