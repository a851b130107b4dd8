/*-------------------------------------------------------------------------
 *
 * degrees.h
 *	  Degrees: how many indices of some labels go with one of others; and the
 *	  bounds of results that chains of them give.
 *
 * DC(X|Y) of a tensor is the largest number of distinct indices of the labels X
 * among its entries with the same indices of Y. What is true of a tensor is
 * true of a join with it, so a join's degrees are its operands' together: a
 * tree, whose leaves are the statistics of tensors. See the README.
 *
 *-------------------------------------------------------------------------
 */
#ifndef STATISTICS_DEGREES_H
#define STATISTICS_DEGREES_H

#include "catalog/tensor_statistics.h"

#define ESTIMATE_MAX_LABELS 32

typedef uint32 LabelMask;

#define ALL_LABELS ((LabelMask) ~0)

/*
 * A degree over labels: a combination of indices of the given labels goes with no more
 * than this number of combinations of the counted ones. It is an edge of the graph from
 * each set of labels that contains given.
 */
typedef struct DegreeBound
{
	LabelMask given;
	LabelMask counted;
	double most;
} DegreeBound;

/*
 * The degrees of an expression: a tree of joins, whose leaves are tensors. Estimates
 * share these trees, which do not change except for the members found on demand. NULL: an
 * expression without tensors, the number 1. Labels that an aggregate has summed out stay
 * in the tree, since chains may lead through them.
 */
typedef struct Degrees
{
	LabelMask labels; /* of all leaves below */
	int most_bounds;  /* the most bounds that the leaves below may have together */
	/*
	 * of a leaf: up to STATISTICS_MAX_RANK all degrees, beyond only T and V; NULL: a join
	 */
	const TensorStatistics *statistics;
	union
	{
		uint8 label[TENSOR_MAX_RANK]; /* of a leaf: the label of each dimension */
		struct
		{
			const struct Degrees *left;
			const struct Degrees *right;
		}; /* of a join */
	};
	/* found when first needed: */
	struct DegreeBound *bounds; /* of a leaf */
	struct KnownChain *known;   /* hash table of chain bounds that have been found */
	int nbounds;
	int known_bits; /* log2 of its number of slots; bits of a hash */
} Degrees;

/*
 * The degrees of a tensor accessed by labels[0 .. rank - 1], in which a label may repeat.
 */
extern const Degrees *tensor_degrees(const TensorStatistics *statistics, int rank,
									 const int *labels);

/*
 * The degrees of a tensor that has entries at all combinations of indices of these
 * labels.
 */
extern const Degrees *full_degrees(LabelMask labels, const double *bounds);

/* The degrees of the join of two expressions. */
extern const Degrees *joined_degrees(const Degrees *a, const Degrees *b);

/*
 * The degrees of the union of two expressions over labels_a and labels_b, each extended
 * to all labels. Beyond STATISTICS_MAX_RANK labels only T and V are kept.
 */
extern const Degrees *united_degrees(const Degrees *a, LabelMask labels_a,
									 const Degrees *b, LabelMask labels_b,
									 const double *bounds);

/* The degrees among these labels only; degrees that involve other labels are dropped. */
extern const Degrees *projected_degrees(const Degrees *degrees, LabelMask labels);

/*
 * Returns the least product along a chain that bounds DC(counted|given) in the join of n
 * expressions, or limit if no chain is below it. Chains lead through the labels in
 * through only: the join does not compare indices of other labels.
 */
extern double chain_bound_of_join(const Degrees *const *degrees, int n, LabelMask given,
								  LabelMask counted, LabelMask through, double limit);

/* The chain bound of one expression, through all labels; see chain_bound_of_join. */
extern double chain_bound(const Degrees *degrees, LabelMask given, LabelMask counted,
						  double limit);

/* Sets bounds of all degrees of a tensor whose dimensions have these labels. */
extern void bound_degrees(const Degrees *degrees, int rank, const int *labels,
						  TensorStatistics *statistics);

#endif
