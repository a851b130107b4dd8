/*-------------------------------------------------------------------------
 *
 * seen_forms.h
 *	  The forms of statements that a search has seen, and what they cost together.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_SEEN_FORMS_H
#define OPTIMIZER_SEEN_FORMS_H

#include "optimizer/stage.h"

typedef struct SeenForms SeenForms;

/* Returns an empty collection of forms, allocated in the current memory context. */
extern SeenForms *new_seen_forms(void);

/*
 * Adds the forms of all statements of a program that was cut; its stages are known
 * (known_stages.c).
 */
extern void note_seen_forms(SeenForms *seen, Algebra *algebra, const StageGraph *graph);

/*
 * Returns the choices with which the forms that were seen cost the least together, by the
 * cheapest decompositions of their stages, each stage computed once. Other choices are as
 * in like. NULL if the cost is not below the limit.
 */
extern FormChoices *cheapest_seen_forms(const SeenForms *seen, const FormChoices *like,
										double limit);

#endif
