/*-------------------------------------------------------------------------
 *
 * path.h
 *	  The order in which an einsum of many operands is multiplied out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_PATH_H
#define KERNELS_PATH_H

#include "kernels/equation.h"

/*
 * Intermediate results of one einsum take at most this many bytes together: as
 * much as one value may have. Where no order keeps to it, labels are split.
 */
#define EINSUM_MEMORY_LIMIT ((double) (INT64_C(1) << 30))

/* Up to this number of factors the order is the best of all. */
#define PATH_OPTIMAL_FACTORS 8

/* Labels as a set, bit l for label l. A factor has a label if its bound is not
 * 1: along a dimension of bound 1 it does not vary. */
__extension__ typedef unsigned __int128 LabelSet;

#define LABEL_BIT(label) ((LabelSet) 1 << (label))

/* What is multiplied: the labels of each factor and of the result. */
typedef struct Product
{
	int nfactors;
	LabelSet factors[EQUATION_MAX_OPERANDS];
	LabelSet output;
	int64_t extents[EQUATION_MAX_LABELS]; /* of the labels that occur */
} Product;

/*
 * Each step replaces factor first by its product with factor second, summed
 * over what no one else needs. The last step makes the result.
 */
typedef struct EinsumPath
{
	int nsteps;
	struct
	{
		uint8_t first;
		uint8_t second;
	} steps[EQUATION_MAX_OPERANDS];
} EinsumPath;

/* One step as it was counted. */
typedef struct PathStep
{
	LabelSet joined; /* labels of both factors */
	LabelSet result; /* what is left of them */
	double flops;
	double elements;
} PathStep;

extern int label_set_count(LabelSet set);
/* The lowest label of a set that is not empty. */
extern int label_set_first(LabelSet set);

/* Product of the labels' extents; as a double, since it may be beyond int64. */
extern double label_set_size(LabelSet set, const int64_t *extents);

/* The labels of a term as a set; those of bound 1 do not matter. */
extern LabelSet term_label_set(const EquationTerm *term, const TensorView *view);

/*
 * The product of an einsum's operands that are not numbers, whose elements are
 * not read; operand_of_factor says which they are. False if a bound is 0.
 */
extern bool product_build(const Equation *equation, const TensorView *const *operands,
						  Product *product, uint8_t *operand_of_factor);

/*
 * Chooses the order: no intermediate result has more than max_rank labels, and
 * all that live at a time have at most max_elements, or one for each factor if
 * that is more: numbers are never too large. False if none was found.
 */
extern bool path_choose(const Product *product, int max_rank, double max_elements,
						EinsumPath *path);

/*
 * Fills a PathStep for each step of a path over this product; returns the most
 * elements of intermediate results that live at a time.
 */
extern double path_measure(const Product *product, const EinsumPath *path,
						   PathStep *steps);

#endif
