/*-------------------------------------------------------------------------
 *
 * contraction_path.h
 *	  What the searches for contraction paths share.
 *
 * contraction.c	 the product of a path
 * factor_path.c	 searches over sets of factors
 * label_path.c		 searches over sets of labels
 *
 * The measure is entries, before any decomposition is chosen: those of each join
 * of two parts, and those of each sum that is kept. A part that is a single factor
 * costs its entries if it is summed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_CONTRACTION_PATH_H
#define ALGEBRA_CONTRACTION_PATH_H

#include "algebra/factors.h"
#include "algebra/semiring.h"
#include "algebra/support.h"

#define MAX_FACTORS SUPPORT_MAX_ATOMS

/*
 * Factors that may be looked at in all subsets; fewer where each estimate is a search of
 * its own.
 */
#define EXACT_FACTORS 12
#define EXACT_FACTORS_BOUNDED 9

/* Of keeping what is beyond a limit: more than any number of entries. */
#define UNFIT_COST 1e150

/* Of a join of parts that share no label: after all others. */
#define APART_COST 1e100

typedef uint64 FactorMask;
#define FACTOR(f) (UINT64CONST(1) << (f))

/* A way to contract some of the factors. */
typedef struct Contraction
{
	FactorMask factors;
	/* others that are joined to say where it is needed */
	FactorMask filters;
	bool known;
	double cost;
	const struct Contraction *left; /* its parts; NULL for a single factor */
	const struct Contraction *right;
	bool sums; /* some label is summed out when the parts have met */
	const struct Contraction
		*next; /* of all factors: the next best that is made of other parts, or NULL */
	Estimate result;
} Contraction;

/* Paths of all factors that are offered, by cost, and how much more the others may cost than the first. */
#define OFFERED_PATHS 3
#define OFFERED_COST 100.0

typedef struct Contractor
{
	Algebra *algebra;
	Semiring semiring;
	int nfactors;
	TensorExpr *factors[MAX_FACTORS];
	LabelMask factor_labels[MAX_FACTORS];
	/*
	 * What says where a factor is not 0, and is 1 there, in the type of the product;
	 * NULL if nothing does at the price of one operand.
	 */
	TensorExpr *filters[MAX_FACTORS];
	int most;       /* operands of a flat join */
	bool heuristic; /* not all paths were looked at */
	bool whole;     /* the path says how all its parts are made */
	LabelMask kept; /* labels of the result and of what is multiplied in last */
	LabelNumbers numbers;
} Contractor;

/* The labels that a subset of the factors has to keep. */
extern LabelMask needed_labels(const Contractor *contractor, FactorMask subset);

/*
 * May a result over these labels be kept, in the decomposition that pins force?
 * If not, other paths are taken where there are any, whatever they cost: which
 * programs are within the limits is not for estimates to say.
 */
extern bool part_fits(const Contractor *contractor, LabelMask labels);

/*
 * A product of a subset of the factors, summed over what is not needed beside it; itself, if
 * that is nothing.
 */
extern TensorExpr *sum_of(const Contractor *contractor, FactorMask subset,
						  TensorExpr *product);

/*
 * Contractions of all factors: the cheapest over all ways to join them in pairs, of
 * as many as a mask of all subsets has room for, then of the next ones; a good one; and
 * the cheapest over all orders in which labels are summed out, or a good one of these.
 */
extern const Contraction *contract_factors(Contractor *contractor);
extern const Contraction *contract_factors_greedily(Contractor *contractor);
extern const Contraction *contract_labels(Contractor *contractor);

#endif
