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

/* One degree, over labels: an edge from every set that contains given. */
typedef struct DegreeBound
{
	LabelMask given;
	LabelMask counted;
	double most;
} DegreeBound;

/*
 * Immutable, so that estimates share them, but for what has been found out. NULL stands for no tensor at all:
 * the number 1. Labels that an aggregate has summed out stay in the tree, since
 * chains may lead through them.
 */
typedef struct Degrees
{
	LabelMask labels; /* of all leaves */
	int most_bounds;  /* that the leaves have together */
	/* of a leaf; up to STATISTICS_MAX_RANK all degrees, else only T and V. NULL: a join */
	const TensorStatistics *statistics;
	union
	{
		uint8 label[TENSOR_MAX_RANK]; /* of each dimension of a leaf */
		struct
		{
			const struct Degrees *left;
			const struct Degrees *right;
		}; /* of a join */
	};
	/* found out when first needed */
	struct DegreeBound *bounds; /* of a leaf */
	struct KnownChain *known;   /* of either, a slot for each hash of what was asked */
	int nbounds;
	int known_bits; /* of hashes */
} Degrees;

/* The degrees of a tensor accessed by labels[0 .. rank - 1], which may repeat. */
extern const Degrees *tensor_degrees(const TensorStatistics *statistics, int rank,
									 const int *labels);

/* The degrees of a tensor that has an entry at every index of these labels. */
extern const Degrees *full_degrees(LabelMask labels, const double *bounds);

/* The degrees of the join of two expressions. */
extern const Degrees *joined_degrees(const Degrees *a, const Degrees *b);

/*
 * The degrees of the union of expressions over labels_a and labels_b, each extended to the
 * labels of the other. More than STATISTICS_MAX_RANK labels keep T and V only.
 */
extern const Degrees *united_degrees(const Degrees *a, LabelMask labels_a,
									 const Degrees *b, LabelMask labels_b,
									 const double *bounds);

/* Degrees among these labels only: those of others are dropped. */
extern const Degrees *projected_degrees(const Degrees *degrees, LabelMask labels);

/*
 * The chain bound of DC(counted|given) of the join of several expressions, or
 * limit where that is not greater. Only the indices of the labels in through
 * are compared: a chain leads through no others.
 */
extern double chain_bound_of_join(const Degrees *const *degrees, int n, LabelMask given,
								  LabelMask counted, LabelMask through, double limit);

/* As chain_bound_of_join, for one expression and through all labels. */
extern double chain_bound(const Degrees *degrees, LabelMask given, LabelMask counted,
						  double limit);

/* Bounds of all degrees of a tensor whose dimensions are these labels. */
extern void bound_degrees(const Degrees *degrees, int rank, const int *labels,
						  TensorStatistics *statistics);

#endif
