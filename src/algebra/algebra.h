/*-------------------------------------------------------------------------
 *
 * algebra.h
 *	  What the algebra knows of a program: beside its expressions, which stay
 *	  as they are.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_ALGEBRA_H
#define ALGEBRA_ALGEBRA_H

#include "algebra/choices.h"
#include "statistics/estimate.h"
#include "statistics/program_statistics.h"

/* What one stage can do, as far as the shape of expressions depends on it. */
typedef struct AlgebraLimits
{
	int atoms;      /* most that one join reads */
	int easy_atoms; /* those that it had better read where there are more */
	double bytes;   /* of the largest value in a row */
	int budget;     /* steps of a search that could go on */
} AlgebraLimits;

typedef struct Algebra
{
	Program *program;
	const Estimator *estimator;
	AlgebraLimits limits;
	SideTable *statistics;   /* by tensor */
	SideTable *supports;     /* by node: support.c */
	SideTable *not_negative; /* by node: proven.c */
	SideTable *zero_or_one;
	SideTable *paths;      /* what sums sum along their paths, by sum: contraction.c */
	struct Keys *keys;     /* keys.c */
	struct Groups *groups; /* groups.c */
	FormChoices *choices;  /* what is taken of what there is to choose */
	Bitmapset *fixed;      /* labels with one index only: fixed_labels.c */
	bool at_keys;          /* sums are computed at the keys that their readers need */
} Algebra;

extern Algebra *new_algebra(Program *program, const Estimator *estimator,
							AlgebraLimits limits, FormChoices *choices);

#endif
