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
	int nest_atoms; /* most that a loop nest reads */
	int easy_atoms; /* those that it had better read where there are more */
	double bytes;   /* of the largest value in a row */
	int budget;     /* steps of a search that could go on */
} AlgebraLimits;

typedef struct Algebra
{
	Program *program;
	const Estimator *estimator;
	AlgebraLimits limits;
	bool at_keys; /* sums are computed at the keys that their readers need */
	/* what is so whichever forms are taken: it is kept while a program is cut again and again */
	SideTable *stored;       /* statistics of stored tensors */
	SideTable *supports;     /* by node: support.c */
	SideTable *not_negative; /* by node: proven.c */
	SideTable *zero_or_one;
	SideTable *laws[REWRITE_LEVELS]; /* other forms by node: laws.c */
	SideTable *contractions; /* of products of stored tensors, by node: contraction.c */
	struct Keys *keys;       /* keys.c */
	struct Groups *groups;   /* groups.c; what reads them is of one cut */
	/* what depends on the forms that one cut takes */
	FormChoices *choices;
	SideTable *statistics; /* of results */
	SideTable *paths;      /* what sums sum along their paths, by sum: contraction.c */
	SideTable
		*nests; /* products that are one join, however many they read: contraction.c */
	Bitmapset *fixed; /* labels with one index only: fixed_labels.c */
	int64 asked;      /* how often what depends on that has been asked for */
} Algebra;

extern Algebra *new_algebra(Program *program, const Estimator *estimator,
							AlgebraLimits limits);

/* The program is cut once more, with other choices. */
extern void begin_cut(Algebra *algebra, FormChoices *choices);

/* Are statistics known of a tensor that is read? Not yet of what is computed later. */
extern bool has_statistics(Algebra *algebra, const ProgramTensor *tensor);

/* The statistics of a tensor, as far as they are known. */
extern const TensorStatistics *statistics_of_tensor(Algebra *algebra,
													const ProgramTensor *tensor);

#endif
