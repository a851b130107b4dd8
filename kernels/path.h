/*-------------------------------------------------------------------------
 *
 * path.h
 *	  The order in which the operands of an einsum are multiplied, two at a time.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_PATH_H
#define KERNELS_PATH_H

#include "kernels/equation.h"

/*
 * The intermediate results of one einsum take at most this many bytes together: as many
 * as one value may have. Where no order keeps to the limit, labels are split.
 */
#define EINSUM_MEMORY_LIMIT ((double) (INT64_C(1) << 30))

/* Up to this number of factors, the order with the fewest operations is found. */
#define PATH_OPTIMAL_FACTORS 8

/*
 * A set of labels, bit l for label l. A factor's set lacks labels of bound 1, along which
 * the factor does not vary.
 */
__extension__ typedef unsigned __int128 LabelSet;

#define LABEL_BIT(label) ((LabelSet) 1 << (label))

/* A product to be computed: the labels of each factor and of the result. */
typedef struct PathProduct
{
	int nfactors;
	LabelSet factors[EQUATION_MAX_OPERANDS];
	LabelSet output;
	int64_t extents[EQUATION_MAX_LABELS]; /* of the labels that occur */
} PathProduct;

/*
 * An order of multiplication. Each step replaces factor first by its product with factor
 * second, summed over labels that neither the output nor another factor has. The last
 * step makes the result.
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

/* The labels and costs of one step of an order. */
typedef struct PathStep
{
	LabelSet joined; /* labels of both factors */
	LabelSet result; /* what is left of them */
	double flops;
	double elements;
} PathStep;

extern int label_set_count(LabelSet set);
/* Returns the lowest label of a set that is not empty. */
extern int label_set_first(LabelSet set);

/* Returns the product of the labels' extents: a double, since it may exceed int64. */
extern double label_set_size(LabelSet set, const int64_t *extents);

/* Returns the labels of a term as a set, without those of bound 1. */
extern LabelSet term_label_set(const EquationTerm *term, const TensorView *view);

/*
 * Describes the product of an einsum's operands other than numbers; their elements are
 * not read. operand_of_factor gives the operand of each factor. False if a bound is 0.
 */
extern bool product_build(const Equation *equation, const TensorView *const *operands,
						  PathProduct *product, uint8_t *operand_of_factor);

/*
 * Chooses an order in which no intermediate result has more than max_rank labels, and all
 * that exist at the same time have at most max_elements, or one element per factor if
 * that is more: numbers always fit. False if no such order was found.
 */
extern bool path_choose(const PathProduct *product, int max_rank, double max_elements,
						EinsumPath *path);

/*
 * Computes the labels and costs of each step of an order. Returns the most elements that
 * intermediate results have at the same time.
 */
extern double path_measure(const PathProduct *product, const EinsumPath *path,
						   PathStep *steps);

#endif
