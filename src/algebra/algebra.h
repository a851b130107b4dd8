/*-------------------------------------------------------------------------
 *
 * algebra.h
 *	  The algebra's knowledge of a program, kept in tables beside the expressions, which
 *	  never change.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_ALGEBRA_H
#define ALGEBRA_ALGEBRA_H

#include "algebra/choices.h"
#include "statistics/estimate.h"
#include "statistics/program_statistics.h"

/* Limits of one stage that influence which forms of expressions are made. */
typedef struct AlgebraLimits
{
	int atoms;      /* operands that one join can read */
	int nest_atoms; /* operands that one loop nest can read */
	int easy_atoms; /* operands per join of a product that has more than atoms */
	double bytes;   /* size of the largest tensor value in a row */
	int budget;     /* steps of a search that is not exhaustive */
} AlgebraLimits;

typedef struct Algebra
{
	Program *program;
	const Estimator *estimator;
	AlgebraLimits limits;
	bool at_keys; /* sums are computed at the keys that their readers need */
	/* facts that hold for all forms: kept while the program is cut again and again */
	SideTable *stored;       /* statistics of stored tensors */
	SideTable *supports;     /* by node: support.c */
	SideTable *not_negative; /* by node: proven.c */
	SideTable *zero_or_one;
	SideTable *laws[REWRITE_LEVELS]; /* other forms of each node: laws.c */
	/* paths of products of stored tensors, by node: contraction.c */
	SideTable *contractions;
	struct Keys *keys;          /* keys.c */
	struct EqualGroups *groups; /* groups.c; their readers are known for one cut only */
	/* state that depends on the forms taken in the current cut */
	FormChoices *choices;
	SideTable *statistics; /* statistics of computed tensors */
	SideTable *paths;      /* contracted bodies of sums, by sum: contraction.c */
	SideTable *nests;      /* products computed as one loop nest: contraction.c */
	Bitmapset *fixed; /* labels that a point query fixes at one index: fixed_labels.c */
	int64 asked;      /* counts the reads of state of the current cut */
} Algebra;

extern Algebra *new_algebra(Program *program, const Estimator *estimator,
							AlgebraLimits limits);

/*
 * Forgets the state of the last cut, before the program is cut into stages with these
 * choices.
 */
extern void begin_cut(Algebra *algebra, FormChoices *choices);

/*
 * Are the tensor's statistics known? Those of a tensor that a later stage computes are
 * not yet.
 */
extern bool has_statistics(Algebra *algebra, const ProgramTensor *tensor);

/* Returns the statistics of a tensor, as far as they are known. */
extern const TensorStatistics *statistics_of_tensor(Algebra *algebra,
													const ProgramTensor *tensor);

#endif
