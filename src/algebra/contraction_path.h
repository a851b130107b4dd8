/*-------------------------------------------------------------------------
 *
 * contraction_path.h
 *	  Declarations that the searches for contraction paths share.
 *
 * contraction.c	 the product of a path
 * factor_path.c	 searches over sets of factors
 * label_path.c		 searches over sets of labels
 *
 * A path costs the estimated entries of each join of two parts and of each sum that is
 * kept, before any decomposition is chosen. A part that is a single factor costs its
 * entries only if it is summed.
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
 * Number of factors up to which all subsets are tried; fewer where each estimate is a
 * search of its own.
 */
#define EXACT_FACTORS 12
#define EXACT_FACTORS_BOUNDED 9

/* Cost of a result that exceeds a limit: more than any number of entries. */
#define UNFIT_COST 1e150

/* Cost of joining parts that share no label: such joins come after all others. */
#define APART_COST 1e100

typedef uint64 FactorMask;
#define FACTOR(f) (UINT64CONST(1) << (f))

/* A way to contract some of the factors. */
typedef struct Contraction
{
	FactorMask factors;
	/* other factors, joined only to leave out what they make 0 later */
	FactorMask filters;
	bool known;
	double cost;
	/* the two parts that are joined; NULL for a single factor */
	const struct Contraction *left;
	const struct Contraction *right;
	bool sums;                      /* some label is summed out after the join */
	const struct Contraction *next; /* the next best path of all factors, or NULL */
	Estimate result;
} Contraction;

/*
 * Number of paths of all factors that are offered as choices, and how many times the cost
 * of the cheapest the others may have.
 */
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
	 * For each factor an expression that is 1 where the factor is not 0, else 0, in the
	 * type of the product; NULL if no such expression is cheap enough.
	 */
	TensorExpr *filters[MAX_FACTORS];
	int most;       /* maximum number of operands of a flat join */
	bool heuristic; /* not all paths were tried */
	bool whole;     /* the path says how each of its groups is computed */
	LabelMask kept; /* labels of the result, and of factors and divisors applied last */
	LabelNumbers numbers;
} Contractor;

/*
 * Returns the labels that a subset of the factors has to keep: those of the result and of
 * other factors.
 */
extern LabelMask needed_labels(const Contractor *contractor, FactorMask subset);

/*
 * Can a result over these labels be kept, with the dimensions that pins demote? If not,
 * paths without it are preferred at any cost, so that estimates do not decide which
 * programs are within the limits.
 */
extern bool part_fits(const Contractor *contractor, LabelMask labels);

/*
 * Returns the product of a subset of the factors, summed over the labels that nothing
 * outside of the subset needs; the product itself if there are no such labels.
 */
extern TensorExpr *sum_of(const Contractor *contractor, FactorMask subset,
						  TensorExpr *product);

/*
 * Return a contraction of all factors. contract_factors: the cheapest over all ways to
 * join them in pairs, for at most as many factors as a mask of all subsets has room for,
 * with the next best ones in its list; contract_factors_greedily: a good one;
 * contract_labels: the cheapest over all orders in which labels are summed out, or a good
 * one.
 */
extern const Contraction *contract_factors(Contractor *contractor);
extern const Contraction *contract_factors_greedily(Contractor *contractor);
extern const Contraction *contract_labels(Contractor *contractor);

#endif
