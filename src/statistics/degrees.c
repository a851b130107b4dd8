/*-------------------------------------------------------------------------
 *
 * degrees.c
 *	  Degrees of expressions, and the chain bound.
 *
 *	  |result over labels L| <= product of the degrees along any chain
 *		  {} = S0, S1, ..., Sn >= L,	S(i+1) = Si + Xi by some DC(Xi|Yi), Yi <= Si
 *
 * Source: Galley, section 7.3.2, after the cardinality estimation graphs of
 * Chen, Huang, Wang, Salihoglu and Salem. Sets of labels are the nodes of a
 * graph, degrees its edges; the least product is a shortest path, found by
 * Dijkstra's algorithm, since no degree is below 1. A set within another one
 * that is reached as cheaply leads nowhere better and is not followed. A label on
 * whose degree no other one depends may be the last of a chain, if it is counted alone: such
 * labels are added to each set at once, and not in all orders. So a tensor of a dozen
 * dimensions, of which only these are known, has few sets.
 *
 * Known weakness: the sets may be as many as 2^labels. After MAX_SETTLED of
 * them the chain is completed greedily, which is a bound too, but may not be
 * the least.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "recursion.h"
#include "statistics/degrees.h"

#define MAX_SETTLED 64
#define MAX_NODES 256
#define HASH_SLOTS 512 /* a power of 2, twice MAX_NODES */
#define HASH_SLOT(set) ((0x9E3779B1u * (set)) >> 23)

typedef struct DegreeBounds
{
	LabelMask through;
	bool empty; /* some tensor has no entries, so the join has none */
	int n;
	DegreeBound *bounds;
} DegreeBounds;

/* A set of labels that a chain has reached. */
typedef struct ChainNode
{
	LabelMask set;
	double cost;
	bool settled;
} ChainNode;

/*
 * A chain bound that was asked before: bound if it is below limit, else it is known to be
 * at least limit.
 */
typedef struct KnownChain
{
	LabelMask given;
	LabelMask counted; /* 0: the slot is free */
	double bound;
	double limit;
} KnownChain;

/*
 * The least and the largest number of slots, as powers of two: most expressions are asked
 * for few bounds, some for many.
 */
#define LEAST_KNOWN_BITS 2
#define MOST_KNOWN_BITS 6

typedef struct ChainSearch
{
	int nnodes;
	ChainNode nodes[MAX_NODES];
	int nsettled;
	LabelMask settled[MAX_SETTLED];
	int16 slots[HASH_SLOTS]; /* number of a node + 1; 0: the slot is free */
} ChainSearch;

const Degrees *
tensor_degrees(const TensorStatistics *statistics, int rank, const int *labels)
{
	Degrees *leaf = palloc0(sizeof(Degrees));
	int bounds = 1;

	leaf->statistics = statistics;
	for (int i = 0; i < rank; i++)
	{
		leaf->label[i] = labels[i];
		leaf->labels |= 1u << labels[i];
		bounds *= 3;
	}
	leaf->most_bounds = rank <= STATISTICS_MAX_RANK ? bounds : rank + 1;
	return leaf;
}

/* Stores the labels of a mask in an array; returns their number. */
static int
label_array(LabelMask labels, int *array)
{
	int n = 0;

	for (; labels; labels &= labels - 1)
		array[n++] = pg_rightmost_one_pos32(labels);
	return n;
}

const Degrees *
full_degrees(LabelMask labels, const double *bounds)
{
	const Degrees *result = NULL;

	/* one leaf for each label, since the rank of a tensor is limited */
	for (; labels; labels &= labels - 1)
	{
		int label = pg_rightmost_one_pos32(labels);
		TensorStatistics *statistics = new_statistics(1);

		statistics->entries = statistics->values[0] = bounds[label];
		result = joined_degrees(result, tensor_degrees(statistics, 1, &label));
	}
	return result;
}

const Degrees *
joined_degrees(const Degrees *a, const Degrees *b)
{
	Degrees *joined;

	if (a == NULL || b == NULL)
		return a ? a : b;
	joined = palloc0(sizeof(Degrees));
	joined->labels = a->labels | b->labels;
	joined->most_bounds = a->most_bounds + b->most_bounds;
	joined->left = a;
	joined->right = b;
	return joined;
}

static LabelMask
map_dimensions(const Degrees *leaf, int dimensions)
{
	LabelMask labels = 0;

	for (; dimensions; dimensions &= dimensions - 1)
		labels |= 1u << leaf->label[pg_rightmost_one_pos32(dimensions)];
	return labels;
}

static void
add_bound(DegreeBounds *bounds, const DegreeBound *bound)
{
	LabelMask counted = bound->counted & bounds->through & ~bound->given;

	if (counted == 0 || (bound->given & ~bounds->through))
		return;
	if (bound->most <= 0)
		bounds->empty = true;
	bounds->bounds[bounds->n].given = bound->given;
	bounds->bounds[bounds->n].counted = counted;
	/* if there are entries, the degree is at least 1, whatever an estimate says */
	bounds->bounds[bounds->n++].most = Max(bound->most, 1.0);
}

/* Does a bound need no more labels than another and add as many, at no greater cost? */
static bool
is_no_worse(const DegreeBound *bound, const DegreeBound *other)
{
	return (bound->given & ~other->given) == 0 &&
		   (other->counted & ~(bound->counted | other->given)) == 0 &&
		   bound->most <= other->most;
}

/*
 * Adds a bound to a leaf, unless a better one is there; removes those that it makes
 * useless.
 */
static void
add_leaf_bound(Degrees *leaf, LabelMask given, LabelMask counted, double most)
{
	DegreeBound bound = {given, counted, most};
	int kept = 0;

	if (isinf(most))
		return;
	for (int i = 0; i < leaf->nbounds; i++)
	{
		if (is_no_worse(&leaf->bounds[i], &bound))
			return;
	}
	for (int i = 0; i < leaf->nbounds; i++)
	{
		if (!is_no_worse(&bound, &leaf->bounds[i]))
			leaf->bounds[kept++] = leaf->bounds[i];
	}
	leaf->bounds[kept] = bound;
	leaf->nbounds = kept + 1;
}

/*
 * Finds a leaf's bounds from the tensor's statistics. For an access to a diagonal they
 * are bounds, too.
 */
static void
find_leaf_bounds(Degrees *leaf)
{
	const TensorStatistics *statistics = leaf->statistics;
	int rank = statistics->rank;
	int all = (1 << rank) - 1;

	leaf->bounds = MemoryContextAlloc(GetMemoryChunkContext(leaf),
									  sizeof(DegreeBound) * leaf->most_bounds);
	if (rank == 0 || rank > STATISTICS_MAX_RANK)
	{
		add_leaf_bound(leaf, 0, leaf->labels, statistics->entries);
		for (int i = 0; i < rank; i++)
			add_leaf_bound(leaf, 0, 1u << leaf->label[i], statistics->values[i]);
		return;
	}
	for (int y = 0; y < all; y++)
	{
		LabelMask given = map_dimensions(leaf, y);

		/* the largest sets first: their bounds may make those of their subsets useless */
		for (int x = all; x >= 1; x--)
		{
			double most = degree_of(statistics, x, y)->most;

			if (x & y)
				continue;
			if (most < 0 && y == 0)
				most = statistics->distinct[x];
			if (most < 0 && y == 0 && x == all)
				most = statistics->entries;
			else if (most < 0 && y == 0 && (x & (x - 1)) == 0)
				most = statistics->values[pg_rightmost_one_pos32(x)];
			if (most >= 0)
				add_leaf_bound(leaf, given, map_dimensions(leaf, x), most);
		}
	}
}

static void
add_leaf(DegreeBounds *bounds, const Degrees *leaf)
{
	if (leaf->bounds == NULL)
		find_leaf_bounds(unconstify(Degrees *, leaf));
	for (int i = 0; i < leaf->nbounds; i++)
		add_bound(bounds, &leaf->bounds[i]);
}

static void
add_degrees(DegreeBounds *bounds, const Degrees *degrees)
{
	enter_recursion();
	/* joins are left-deep trees of operands */
	while (degrees && degrees->statistics == NULL)
	{
		add_degrees(bounds, degrees->right);
		degrees = degrees->left;
	}
	if (degrees)
		add_leaf(bounds, degrees);
}

static ChainNode *
add_node(ChainSearch *search, uint32 slot, LabelMask set)
{
	ChainNode *node = &search->nodes[search->nnodes++];

	search->slots[slot] = search->nnodes;
	*node = (ChainNode){.set = set, .cost = INFINITY};
	return node;
}

/* Returns the node of a set of labels; adds it if there is room, else returns NULL. */
static ChainNode *
chain_node(ChainSearch *search, LabelMask set)
{
	uint32 slot = HASH_SLOT(set);

	while (search->slots[slot] != 0)
	{
		ChainNode *node = &search->nodes[search->slots[slot] - 1];

		if (node->set == set)
			return node;
		slot = (slot + 1) & (HASH_SLOTS - 1);
	}
	return search->nnodes == MAX_NODES ? NULL : add_node(search, slot, set);
}

/*
 * Settles the cheapest node whose set is not within a settled one's, and returns it; NULL
 * if there are no more nodes.
 */
static ChainNode *
next_node(ChainSearch *search)
{
	for (;;)
	{
		ChainNode *next = NULL;
		bool within = false;

		for (int i = 0; i < search->nnodes; i++)
		{
			ChainNode *node = &search->nodes[i];

			if (!node->settled && (next == NULL || node->cost < next->cost))
				next = node;
		}
		if (next == NULL)
			return NULL;
		next->settled = true;
		for (int i = 0; i < search->nsettled && !within; i++)
			within = (next->set & ~search->settled[i]) == 0;
		if (!within)
			return next;
	}
}

/*
 * Completes a chain greedily, by the bound that costs least per label that it adds;
 * returns its cost.
 */
static double
complete_greedily(const DegreeBounds *bounds, const ChainNode *node, LabelMask target)
{
	LabelMask set = node->set;
	double cost = node->cost;

	while (target & ~set)
	{
		const DegreeBound *best = NULL;
		double best_each = INFINITY;

		for (int i = 0; i < bounds->n; i++)
		{
			const DegreeBound *bound = &bounds->bounds[i];
			int added = pg_popcount32(bound->counted & target & ~set);
			double each;

			if ((bound->given & ~set) || added == 0)
				continue;
			each = pow(bound->most, 1.0 / added);
			if (each < best_each)
			{
				best_each = each;
				best = bound;
			}
		}
		if (best == NULL)
			return INFINITY;
		set |= best->counted;
		cost *= best->most;
	}
	return cost;
}

/*
 * Labels that can be added to a chain last and one by one: a bound adds the label alone,
 * its given labels are those the chain begins with, and no other bound depends on the
 * label.
 */
typedef struct LastLabels
{
	LabelMask labels;
	double most[ESTIMATE_MAX_LABELS];
} LastLabels;

static bool
adds_last_label(const LastLabels *last, LabelMask from, const DegreeBound *bound)
{
	LabelMask added = bound->counted & ~from;

	return (bound->given & ~from) == 0 && (added & (added - 1)) == 0 &&
		   (added & ~last->labels) == 0;
}

static void
find_last_labels(const DegreeBounds *bounds, LabelMask from, LastLabels *last)
{
	LabelMask given = 0;
	LabelMask alone = 0;

	for (int i = 0; i < bounds->n; i++)
		given |= bounds->bounds[i].given;
	last->labels = ~(given | from);
	for (int i = 0; i < bounds->n; i++)
	{
		const DegreeBound *bound = &bounds->bounds[i];
		LabelMask added = bound->counted & ~from;
		int label;

		if (added == 0 || !adds_last_label(last, from, bound))
			continue;
		label = pg_rightmost_one_pos32(added);
		last->most[label] =
			alone & added ? Min(last->most[label], bound->most) : bound->most;
		alone |= added;
	}
	last->labels = alone;
}

/*
 * The cost of completing a chain from a node to the target by last labels alone; infinite
 * if other labels are missing, too.
 */
static double
cost_with_last_labels(const LastLabels *last, const ChainNode *node, LabelMask target)
{
	LabelMask missing = target & ~node->set;
	double cost = node->cost;

	if (missing & ~last->labels)
		return INFINITY;
	for (; missing; missing &= missing - 1)
		cost *= last->most[pg_rightmost_one_pos32(missing)];
	return cost;
}

/*
 * The least product along a chain from a set of labels to one that contains the target;
 * limit if that is not less.
 */
static double
shortest_chain(const DegreeBounds *bounds, LabelMask from, LabelMask target, double limit)
{
	ChainSearch search;
	ChainNode *node;
	LastLabels last;

	find_last_labels(bounds, from, &last);
	search.nnodes = 0;
	search.nsettled = 0;
	memset(search.slots, 0, sizeof(search.slots));
	add_node(&search, HASH_SLOT(from), from)->cost = 1.0;
	while ((node = next_node(&search)) != NULL)
	{
		if (node->cost >= limit)
			return limit;
		limit = Min(limit, cost_with_last_labels(&last, node, target));
		if (search.nsettled == MAX_SETTLED)
			return Min(limit, complete_greedily(bounds, node, target));
		search.settled[search.nsettled++] = node->set;
		for (int i = 0; i < bounds->n; i++)
		{
			const DegreeBound *bound = &bounds->bounds[i];
			double cost = node->cost * bound->most;
			ChainNode *reached;

			if ((bound->given & ~node->set) || (bound->counted & ~node->set) == 0 ||
				cost >= limit || adds_last_label(&last, from, bound))
				continue;
			reached = chain_node(&search, node->set | bound->counted);
			if (reached && cost < reached->cost)
				reached->cost = cost;
		}
	}
	return limit;
}

/*
 * Finds the sets of labels that bounds connect, apart from the labels in from, and
 * returns their number. Chains through different sets are independent.
 */
static int
connected_labels(const DegreeBounds *bounds, LabelMask from, LabelMask *parts)
{
	int n = 0;

	for (int i = 0; i < bounds->n; i++)
	{
		LabelMask part = (bounds->bounds[i].given | bounds->bounds[i].counted) & ~from;

		if (part == 0)
			continue;
		for (int j = 0; j < n;)
		{
			if (parts[j] & part)
			{
				part |= parts[j];
				parts[j] = parts[--n];
			}
			else
				j++;
		}
		parts[n++] = part;
	}
	return n;
}

/*
 * As shortest_chain, but searches each set of connected labels separately and multiplies
 * the results. A single search would go through all combinations of the sets' subsets.
 */
static double
shortest_chains(const DegreeBounds *bounds, LabelMask from, LabelMask target,
				double limit)
{
	LabelMask parts[ESTIMATE_MAX_LABELS];
	int n = connected_labels(bounds, from, parts);
	DegreeBounds some = {.through = bounds->through};
	double product = 1.0;
	LabelMask reached = from;

	if (n <= 1)
		return shortest_chain(bounds, from, target, limit);
	for (int i = 0; i < n; i++)
		reached |= parts[i];
	if (target & ~reached)
		return limit;
	some.bounds = palloc(sizeof(DegreeBound) * bounds->n);
	for (int i = 0; i < n && product < limit; i++)
	{
		double part_limit = limit / product;
		double part;

		if ((target & parts[i]) == 0)
			continue;
		some.n = 0;
		for (int j = 0; j < bounds->n; j++)
		{
			if (bounds->bounds[j].counted & parts[i])
				some.bounds[some.n++] = bounds->bounds[j];
		}
		part = shortest_chain(&some, from, target & parts[i], part_limit);
		product = part < part_limit ? product * part : limit;
	}
	pfree(some.bounds);
	return Min(product, limit);
}

double
chain_bound_of_join(const Degrees *const *degrees, int n, LabelMask given,
					LabelMask counted, LabelMask through, double limit)
{
	DegreeBounds bounds = {.through = through};
	double result;
	int most = 0;

	for (int i = 0; i < n; i++)
		most += degrees[i] ? degrees[i]->most_bounds : 0;
	if (most == 0)
		return Min(limit, (counted & ~given) ? INFINITY : 1.0);
	bounds.bounds = palloc(sizeof(DegreeBound) * most);
	for (int i = 0; i < n; i++)
		add_degrees(&bounds, degrees[i]);
	result = bounds.empty ? Min(limit, 0.0)
						  : shortest_chains(&bounds, given, counted & ~given, limit);
	pfree(bounds.bounds);
	return result;
}

/* The slot of a known chain bound. */
static KnownChain *
known_chain(const Degrees *degrees, LabelMask given, LabelMask counted)
{
	uint32 hash = (counted * 0x9E3779B1u) ^ (given * 0x85EBCA6Bu);

	return &degrees->known[hash >> (32 - degrees->known_bits)];
}

/* Doubles the slots of known chain bounds. */
static void
enlarge_known_chains(Degrees *degrees)
{
	KnownChain *old = degrees->known;
	int nold = old ? 1 << degrees->known_bits : 0;

	degrees->known_bits = old ? degrees->known_bits + 1 : LEAST_KNOWN_BITS;
	degrees->known = MemoryContextAllocZero(GetMemoryChunkContext(degrees),
											sizeof(KnownChain) << degrees->known_bits);
	for (int i = 0; i < nold; i++)
	{
		if (old[i].counted)
			*known_chain(degrees, old[i].given, old[i].counted) = old[i];
	}
	if (old)
		pfree(old);
}

double
chain_bound(const Degrees *degrees, LabelMask given, LabelMask counted, double limit)
{
	KnownChain *known;
	double bound;

	counted &= ~given;
	if (degrees == NULL || counted == 0)
		return chain_bound_of_join(&degrees, 1, given, counted, ALL_LABELS, limit);
	if (degrees->known == NULL)
		enlarge_known_chains(unconstify(Degrees *, degrees));
	known = known_chain(degrees, given, counted);
	if (known->counted == counted && known->given == given &&
		(known->bound < known->limit || limit <= known->limit))
		return Min(known->bound, limit);
	bound = chain_bound_of_join(&degrees, 1, given, counted, ALL_LABELS, limit);
	while (known->counted && (known->counted != counted || known->given != given) &&
		   degrees->known_bits < MOST_KNOWN_BITS)
	{
		enlarge_known_chains(unconstify(Degrees *, degrees));
		known = known_chain(degrees, given, counted);
	}
	*known = (KnownChain){given, counted, bound, limit};
	return bound;
}

/* The labels of some dimensions, as a mask; see map_dimensions. */
static LabelMask
mask_of_labels(const int *labels, int dimensions)
{
	LabelMask mask = 0;

	for (; dimensions; dimensions &= dimensions - 1)
		mask |= 1u << labels[pg_rightmost_one_pos32(dimensions)];
	return mask;
}

void
bound_degrees(const Degrees *degrees, int rank, const int *labels,
			  TensorStatistics *statistics)
{
	int sets = 1 << rank;

	if (rank > STATISTICS_MAX_RANK)
		return;
	for (int y = 0; y < sets; y++)
	{
		for (int x = 1; x < sets; x++)
		{
			double most;

			if (x & y)
				continue;
			most = chain_bound(degrees, mask_of_labels(labels, y),
							   mask_of_labels(labels, x), INFINITY);
			degree_of(statistics, x, y)->most = isinf(most) ? -1 : most;
		}
	}
}

/*
 * Statistics of an expression as a tensor over these labels (at most TENSOR_MAX_RANK),
 * from chain bounds.
 */
static TensorStatistics *
projected_statistics(const Degrees *degrees, int rank, const int *labels)
{
	TensorStatistics *statistics = new_statistics(rank);

	bound_degrees(degrees, rank, labels, statistics);
	statistics->entries =
		chain_bound(degrees, 0, mask_of_labels(labels, (1 << rank) - 1), INFINITY);
	for (int i = 0; i < rank; i++)
		statistics->values[i] =
			chain_bound(degrees, 0, 1u << labels[i], statistics->entries);
	return statistics;
}

const Degrees *
projected_degrees(const Degrees *degrees, LabelMask labels)
{
	int array[ESTIMATE_MAX_LABELS];
	int rank = label_array(labels, array);
	double values[ESTIMATE_MAX_LABELS];

	if (degrees == NULL || labels == 0)
		return NULL;
	if (rank <= TENSOR_MAX_RANK)
		return tensor_degrees(projected_statistics(degrees, rank, array), rank, array);
	for (int i = 0; i < rank; i++)
		values[array[i]] = chain_bound(degrees, 0, 1u << array[i], INFINITY);
	return full_degrees(labels, values);
}

/* Adds the degrees of a tensor to those of another tensor over the same labels. */
static void
add_up(TensorStatistics *sum, const TensorStatistics *addend, const int *labels,
	   const double *bounds)
{
	int sets = sum->rank <= STATISTICS_MAX_RANK ? 1 << sum->rank : 0;

	sum->entries += addend->entries;
	for (int i = 0; i < sum->rank; i++)
		sum->values[i] = Min(sum->values[i] + addend->values[i], bounds[labels[i]]);
	for (int y = 0; y < sets; y++)
	{
		for (int x = 1; x < sets; x++)
		{
			double *degree = &degree_of(sum, x, y)->most;

			if (x & y)
				continue;
			if (*degree < 0 || degree_of(addend, x, y)->most < 0)
				*degree = -1;
			else
				*degree += degree_of(addend, x, y)->most;
			/* the degree of a single label is at most its bound */
			if ((x & (x - 1)) == 0)
				*degree = Min(*degree, bounds[labels[pg_rightmost_one_pos32(x)]]);
		}
	}
}

const Degrees *
united_degrees(const Degrees *a, LabelMask labels_a, const Degrees *b, LabelMask labels_b,
			   const double *bounds)
{
	LabelMask labels = labels_a | labels_b;
	int array[ESTIMATE_MAX_LABELS];
	int rank = label_array(labels, array);
	double values[ESTIMATE_MAX_LABELS];
	TensorStatistics *sum;
	TensorStatistics *addend;

	if (labels == 0)
		return NULL;
	a = joined_degrees(a, full_degrees(labels & ~labels_a, bounds));
	b = joined_degrees(b, full_degrees(labels & ~labels_b, bounds));
	if (rank <= TENSOR_MAX_RANK)
	{
		sum = projected_statistics(a, rank, array);
		addend = projected_statistics(b, rank, array);
		add_up(sum, addend, array, bounds);
		pfree(addend);
		return tensor_degrees(sum, rank, array);
	}
	for (int i = 0; i < rank; i++)
		values[array[i]] =
			Min(bounds[array[i]], chain_bound(a, 0, 1u << array[i], INFINITY) +
									  chain_bound(b, 0, 1u << array[i], INFINITY));
	return full_degrees(labels, values);
}
