/*-------------------------------------------------------------------------
 *
 * choices.h
 *	  Which of its alternative forms each part of a program takes.
 *
 * Passes that cut a program into stages meet *choice points*: places where the same
 * result can be computed in several forms. They ask choose_form which form to take. A
 * point for which no form is requested takes form 0; to learn the cost of another form, a
 * caller cuts the program again with that form requested.
 *
 * A point is identified by its scope, of which each statement has two, and by the order
 * in which the points of the scope are met. Taking another form may change which points
 * come later, in this scope or in later scopes, never earlier ones. A scope may have a
 * subject, the expression that its points are about: if a form taken elsewhere has
 * changed the subject, the points take the best known forms of the new subject.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_CHOICES_H
#define ALGEBRA_CHOICES_H

#include "expr/expr.h"
#include "expr/side_table.h"

/* One of the forms offered at a choice point. */
typedef struct FormOption
{
	const char *law; /* the law that makes this form; NULL if no law does */
	bool cancels;    /* its terms may be much larger than their sum */
} FormOption;

/*
 * What a choice is about. The budget of a search is divided by family
 * (optimizer/rewrite_budget.h).
 */
typedef enum FormFamily
{
	FORMS_OF_LAWS,       /* how laws rewrite the expression of a statement */
	FORMS_OF_STATEMENTS, /* a statement: inlined in its readers, or kept */
	FORMS_OF_CUTS,       /* a part: computed by itself, or where it is read */
	FORMS_OF_PATHS,      /* the order in which factors are joined */
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
	List *taken; /* form numbers by point, as in FormChoices.wanted */
} KnownForms;

typedef struct FormChoices
{
	RewriteLevel level; /* which laws the algebra may apply */
	int nscopes;
	const void **subjects; /* by scope; NULL where not known (yet) */
	List **wanted;    /* by scope: the form to take at each point; 0 at later points */
	List **met;       /* by scope: the choices made so far, of FormChoice * */
	SideTable *known; /* KnownForms * by subject; shared by all choices of a search */
	int scope;        /* the scope of the points met next */
	double nodes;     /* total size of the expressions that laws made, as trees */
} FormChoices;

/* Returns choices of a rewrite level for nscopes scopes; all points take form 0. */
extern FormChoices *new_form_choices(RewriteLevel level, int nscopes);

/* Returns choices that request the forms taken in these. */
extern FormChoices *with_same_forms(const FormChoices *choices);

/*
 * Returns choices that request the forms taken in these, except that one point takes
 * another form, and later points of its scope take form 0.
 */
extern FormChoices *with_other_form(const FormChoices *choices, int scope, int point,
									int form);

/* Records the forms taken in a scope as the best known ones of its subject. */
extern void note_known_forms(FormChoices *choices, int scope);

/*
 * Makes a scope the current one: the points met next belong to it. They are about its
 * subject, which may be NULL.
 */
extern void enter_scope(FormChoices *choices, int scope, const void *subject);

/*
 * Returns the number of the form to take at the next point of the current scope. There
 * are at least two options, which must outlive the choices.
 */
extern int choose_form(FormChoices *choices, FormFamily family, int noptions,
					   const FormOption *options);

/*
 * True if the second of two forms is to be taken at the next point of the current scope.
 */
extern bool choose_law(FormChoices *choices, FormFamily family,
					   const FormOption options[2]);

/* Returns the names of the laws that made the forms taken in a scope, each name once. */
extern List *laws_taken(const FormChoices *choices, int scope);

#endif
