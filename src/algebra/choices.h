/*-------------------------------------------------------------------------
 *
 * choices.h
 *	  Which of its forms each part of a program takes.
 *
 * Passes that cut a program into stages meet *choice points*: places where the
 * same can be computed in several forms. They ask choose_form which of them is
 * taken, and do not know why. A point without a wish takes form 0; a caller who wants to
 * know what another form costs cuts the program again, with other choices wanted.
 *
 * The points of a program are known by scope, of which each statement has two, and
 * by the order in which they are met in it. Taking another form may change which
 * points come after it, in its scope or in later ones, never what comes before.
 * A scope may have a subject, the expression that its points are about: where a form taken elsewhere
 * has made that another one, its points take the forms that are the best known
 * ones of that expression.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_CHOICES_H
#define ALGEBRA_CHOICES_H

#include "expr/expr.h"
#include "expr/side_table.h"

/* One form of several. */
typedef struct FormOption
{
	const char *law; /* that makes it; NULL: nothing is changed */
	bool cancels;    /* what it adds up may be much larger than the sum */
} FormOption;

/* What a choice is about. The budget of a search is handed out by family (optimizer/rewrite_budget.h). */
typedef enum FormFamily
{
	FORMS_OF_LAWS,       /* the expression of a statement */
	FORMS_OF_STATEMENTS, /* read through, or kept */
	FORMS_OF_CUTS,       /* what is computed by itself, what where it is read */
	FORMS_OF_PATHS,      /* the order in which factors meet */
} FormFamily;

#define FORM_FAMILIES (FORMS_OF_PATHS + 1)

typedef struct FormChoice
{
	FormFamily family;
	int noptions;
	const FormOption *options;
	int taken;
} FormChoice;

/* The best known forms of a subject's points. */
typedef struct KnownForms
{
	List *taken; /* as wanted */
} KnownForms;

typedef struct FormChoices
{
	RewriteLevel level; /* how far the algebra may go */
	int nscopes;
	const void **subjects; /* by scope; NULL where not known (yet) */
	List **wanted; /* by scope: numbers of the forms to take, in order; 0 beyond */
	List **met;    /* by scope: of FormChoice *, in order */
	SideTable
		*known;   /* by subject: of KnownForms *, which all choices of a search share */
	int scope;    /* that points belong to from now on */
	double nodes; /* of the expressions that laws have made, as trees */
} FormChoices;

/*
 * Choices of a level for nscopes scopes, all of which take form 0 as long as nothing is
 * known.
 */
extern FormChoices *new_form_choices(RewriteLevel level, int nscopes);

/* As those that were met. */
extern FormChoices *with_same_forms(const FormChoices *choices);

/*
 * As those that were met, but for one point, which takes another form; those after
 * it in its scope take form 0.
 */
extern FormChoices *with_other_form(const FormChoices *choices, int scope, int point,
									int form);

/* The forms taken in a scope are the best known ones of its subject. */
extern void note_known_forms(FormChoices *choices, int scope);

/* Points that are met from now on belong to a scope, and are about its subject, if it has one. */
extern void enter_scope(FormChoices *choices, int scope, const void *subject);

/*
 * The number of the form that a part of the program takes, of two or more, which
 * outlive the choices.
 */
extern int choose_form(FormChoices *choices, FormFamily family, int noptions,
					   const FormOption *options);

/* Chooses between the default form and the one that a law makes of it. */
extern bool choose_law(FormChoices *choices, FormFamily family,
					   const FormOption options[2]);

/* The laws that made the forms taken at a scope's points, each once: of char *. */
extern List *laws_taken(const FormChoices *choices, int scope);

#endif
