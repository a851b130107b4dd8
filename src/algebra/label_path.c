/*-------------------------------------------------------------------------
 *
 * label_path.c
 *	  Contraction paths by sets of labels: variable elimination.
 *
 * Source: Galley, section 5.3. To sum a label out is to join all that has it: factors,
 * and results of sums over other labels. A * part* is the sum, over some connected
 * labels, of the factors that have one of them. One label of a part is summed last. The
 * others fall into connected sets; their parts are joined with the factors that have only
 * the last label. So the cheapest way to each part follows from those of smaller parts,
 * however many factors there are. In a chain the connected sets are its intervals, few
 * even if labels are many. If there are more sets than the budget allows, orders of
 * labels are searched, the greedy one first; an order that becomes dearer than the best
 * is given up.
 *
 * The parts of a join are joined one after the other: first the smallest, then always the
 * one that leaves least, preferably one that shares a label.
 *
 * A factor over labels that a part keeps is multiplied in when one of them is summed,
 * which may be late. So as soon as a join has all labels of the factor, and if that
 * leaves much less, the factor is joined as a * filter*, (f <> 0), which does not change
 * the product. A factor that is 0 or 1 everywhere is its own filter, and need not be
 * multiplied in again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "algebra/contraction_path.h"
#include "recursion.h"

/* A filter must leave less than this share of a join. */
#define FILTER_SHARE 0.5

/* Maximum of parts that a search keeps, whatever its budget. */
#define MAX_PARTS 16384

/*
 * Joins that a search may try for each step of its budget: one sum over a label may take
 * many.
 */
#define STEP_JOINS 32

/* A part: the sum, over connected labels, of all factors that have one of them. */
typedef struct SummedPart
{
	LabelMask summed;
	FactorMask factors;
	LabelMask kept; /* other labels of these factors */
	/* factors over kept labels, joined as filters here or in a smaller part */
	FactorMask filters;
	bool known;
	int last;    /* the label that is summed last */
	double cost; /* cost of the part and of the smaller parts it is made of */
	Estimate result;
} SummedPart;

typedef struct PartEntry
{
	uint32 status;
	LabelMask summed;
	SummedPart *part;
	double total; /* least total cost so far at which an order has summed these labels */
} PartEntry;

#define SH_PREFIX summed_parts
#define SH_ELEMENT_TYPE PartEntry
#define SH_KEY_TYPE LabelMask
#define SH_KEY summed
#define SH_HASH_KEY(table, key) murmurhash32(key)
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

typedef struct LabelSearch
{
	Contractor *contractor;
	FactorMask having[ESTIMATE_MAX_LABELS]; /* factors that have a label */
	/* summed labels that share a factor with a label */
	LabelMask neighbours[ESTIMATE_MAX_LABELS];
	FactorMask filters;            /* factors of one label that filter other factors */
	Estimate factors[MAX_FACTORS]; /* estimates of the factors, after these filters */
	struct summed_parts_hash *parts;
	List *known; /* the parts, in the order they were found */
	int budget;  /* sums over a label that may still be tried, if orders are searched */
	int64 joins; /* joins that may still be tried */
	double best; /* cost of the best order */
} LabelSearch;

/*
 * The operands of the join that sums a label: parts and factors; and factors that may
 * filter it.
 */
typedef struct Bucket
{
	int n;
	const Estimate *estimates[MAX_FACTORS];
	const Contraction *contractions[MAX_FACTORS]; /* set when the path is made */
	FactorMask filters;
} Bucket;

/* The order of a join: members of a bucket, and filters. */
typedef struct JoinOrder
{
	int n;
	struct
	{
		int member; /* -1: a filter */
		int filter;
	} steps[2 * MAX_FACTORS];
	FactorMask filters; /* filters that are joined */
	int room;           /* number of filters that may still be joined */
} JoinOrder;

/* Returns the labels of a set that are connected with one of them. */
static LabelMask
connected_with(const LabelSearch *search, LabelMask set, int label)
{
	LabelMask found = 1u << label;
	LabelMask open = found;

	while (open)
	{
		int next = pg_rightmost_one_pos32(open);
		LabelMask added = search->neighbours[next] & set & ~found;

		open &= open - 1;
		open |= added;
		found |= added;
	}
	return found;
}

static FactorMask
factors_having(const LabelSearch *search, LabelMask labels)
{
	FactorMask factors = 0;
	int label;

	FOREACH_LABEL (label, labels)
		factors |= search->having[label];
	return factors;
}

static SummedPart *
summed_part(LabelSearch *search, LabelMask summed)
{
	const Contractor *contractor = search->contractor;
	bool found;
	PartEntry *entry = summed_parts_insert(search->parts, summed, &found);
	SummedPart *part;

	if (!found)
	{
		entry->part = NULL;
		entry->total = INFINITY;
	}
	if (entry->part)
		return entry->part;
	entry->part = part = palloc0(sizeof(SummedPart));
	part->summed = summed;
	part->factors = factors_having(search, summed);
	for (int f = 0; f < contractor->nfactors; f++)
	{
		if (part->factors & FACTOR(f))
			part->kept |= contractor->factor_labels[f];
	}
	part->kept &= ~summed;
	search->known = lappend(search->known, part);
	return part;
}

/*
 * Joins those filters of a bucket whose labels a join has, if they leave much less.
 * Filters of one label always do: the estimates of members include them. Returns the
 * entries of these joins.
 */
static double
join_filters_of_bucket(const LabelSearch *search, const Bucket *bucket, JoinOrder *order,
					   Estimate *joined)
{
	const Contractor *contractor = search->contractor;
	double cost = 0.0;

	for (int single = 1; single >= 0; single--)
	{
		FactorMask open = bucket->filters & ~order->filters;

		open &= single ? search->filters : ~search->filters;
		for (; open; open &= open - 1)
		{
			int factor = pg_rightmost_one_pos64(open);
			Estimate filtered;

			if (order->room == 0 || (contractor->factor_labels[factor] & ~joined->labels))
				continue;
			if (!single)
			{
				contractor->algebra->estimator->intersect(&filtered, joined,
														  &search->factors[factor],
														  contractor->numbers.bounds);
				if (filtered.entries >= FILTER_SHARE * joined->entries)
					continue;
				*joined = filtered;
				cost += filtered.entries;
			}
			order->steps[order->n].member = -1;
			order->steps[order->n++].filter = factor;
			order->filters |= FACTOR(factor);
			order->room--;
		}
	}
	return cost;
}

/*
 * Joins the members of a bucket and writes the result to * joined. Returns the entries of
 * all joins; may stop as soon as these reach the limit.
 */
static double
join_bucket(LabelSearch *search, const Bucket *bucket, double limit, JoinOrder *order,
			Estimate *joined)
{
	const Contractor *contractor = search->contractor;
	const Estimator *estimator = contractor->algebra->estimator;
	bool done[MAX_FACTORS] = {false};
	double cost;
	int next = 0;

	Assert(bucket->n > 0);
	for (int i = 1; i < bucket->n; i++)
	{
		if (bucket->estimates[i]->entries < bucket->estimates[next]->entries)
			next = i;
	}
	order->n = 0;
	order->filters = 0;
	order->room = Max(contractor->algebra->limits.easy_atoms - bucket->n, 0);
	order->steps[order->n++].member = next;
	done[next] = true;
	*joined = *bucket->estimates[next];
	/* a single member costs its entries: it is read without a join */
	cost = bucket->n == 1 ? joined->entries : 0.0;
	cost += join_filters_of_bucket(search, bucket, order, joined);
	for (int n = 1; n < bucket->n && cost < limit; n++)
	{
		Estimate least = {0};
		bool least_connected = false;

		next = -1;
		for (int i = 0; i < bucket->n; i++)
		{
			const Estimate *member = bucket->estimates[i];
			bool connected;
			Estimate product;

			if (done[i])
				continue;
			connected = (member->labels & joined->labels) != 0 || member->labels == 0;
			if (next >= 0 && least_connected && !connected)
				continue;
			search->joins--;
			estimator->intersect(&product, joined, member, contractor->numbers.bounds);
			if (next < 0 || (connected && !least_connected) ||
				product.entries < least.entries)
			{
				least = product;
				least_connected = connected;
				next = i;
			}
		}
		order->steps[order->n++].member = next;
		done[next] = true;
		*joined = least;
		cost += least.entries;
		cost += join_filters_of_bucket(search, bucket, order, joined);
	}
	return cost;
}

/* Returns the factors that have only these labels and can be filters. */
static FactorMask
filters_over(const LabelSearch *search, LabelMask labels)
{
	const Contractor *contractor = search->contractor;
	FactorMask filters = 0;

	for (int f = 0; f < contractor->nfactors; f++)
	{
		if (contractor->filters[f] && (contractor->factor_labels[f] & ~labels) == 0 &&
			((search->filters & FACTOR(f)) ||
			 pg_popcount32(contractor->factor_labels[f]) > 1))
			filters |= FACTOR(f);
	}
	return filters;
}

/*
 * Tries to sum a label as the last one of a part; true if that is the cheapest way yet.
 * All smaller parts must be known.
 */
static bool
sum_last(LabelSearch *search, SummedPart *part, int label)
{
	const Contractor *contractor = search->contractor;
	LabelMask rest = part->summed & ~(1u << label);
	FactorMask own = part->factors & ~factors_having(search, rest);
	FactorMask said = 0;
	Bucket bucket = {0};
	JoinOrder order;
	Estimate joined;
	Estimate result;
	double cost = 0.0;

	while (rest)
	{
		const SummedPart *inner = summed_part(
			search, connected_with(search, rest, pg_rightmost_one_pos32(rest)));

		cost += inner->cost;
		said |= inner->filters;
		bucket.estimates[bucket.n++] = &inner->result;
		rest &= ~inner->summed;
	}
	/* a factor that was a filter leaves no less when it is multiplied in */
	for (own &= ~said; own; own &= own - 1)
		bucket.estimates[bucket.n++] = &search->factors[pg_rightmost_one_pos64(own)];
	bucket.filters = filters_over(search, part->kept) & ~said;
	if (part->known && cost >= part->cost)
		return false;
	cost += join_bucket(search, &bucket, part->known ? part->cost - cost : INFINITY,
						&order, &joined);
	if (part->known && cost >= part->cost)
		return false;
	contractor->algebra->estimator->aggregate(&result, &joined, part->kept);
	cost += result.entries;
	if (!part_fits(contractor, part->kept))
		cost += UNFIT_COST;
	if (part->known && cost >= part->cost)
		return false;
	cap_by_chain(&result);
	part->known = true;
	part->last = label;
	part->cost = cost;
	part->filters = (said | order.filters) & ~part->factors;
	part->result = result;
	return true;
}

/*
 * Finds the cheapest way to each part within these connected labels, smaller parts first;
 * false if there are too many.
 */
static bool
search_parts(LabelSearch *search, LabelMask labels, int most)
{
	int first = list_length(search->known);
	int label;

	FOREACH_LABEL (label, labels)
		summed_part(search, 1u << label);
	/* each part is made from smaller ones, and they come before it */
	for (int p = first; p < list_length(search->known); p++)
	{
		SummedPart *part = list_nth(search->known, p);
		LabelMask around = 0;

		CHECK_FOR_INTERRUPTS();
		FOREACH_LABEL (label, part->summed)
		{
			around |= search->neighbours[label];
			(void) sum_last(search, part, label);
		}
		around &= labels & ~part->summed;
		FOREACH_LABEL (label, around)
			summed_part(search, part->summed | (1u << label));
		if (list_length(search->known) - first > most || search->joins <= 0)
			return false;
	}
	return true;
}

/* A label that may be summed next, and the total cost of an order up to it. */
typedef struct NextLabel
{
	int label;
	double total;
} NextLabel;

static int
compare_totals(const void *a, const void *b)
{
	const NextLabel *left = a;
	const NextLabel *right = b;

	if (left->total != right->total)
		return left->total < right->total ? -1 : 1;
	return left->label - right->label;
}

/*
 * Returns the cost of summing these labels: each connected set costs the best way known.
 */
static double
total_cost(LabelSearch *search, LabelMask summed)
{
	double total = 0.0;

	while (summed)
	{
		LabelMask set = connected_with(search, summed, pg_rightmost_one_pos32(summed));

		total += summed_part(search, set)->cost;
		summed &= ~set;
	}
	return total;
}

/*
 * Searches the orders in which the other labels are summed after some have been summed.
 */
static void
search_orders(LabelSearch *search, LabelMask summed, LabelMask all)
{
	NextLabel next[ESTIMATE_MAX_LABELS];
	LabelMask open = all & ~summed;
	int n = 0;
	int label;

	enter_recursion();
	if (open == 0)
	{
		search->best = Min(search->best, total_cost(search, all));
		return;
	}
	FOREACH_LABEL (label, open)
	{
		LabelMask reached = summed | (1u << label);

		search->budget--;
		(void) sum_last(
			search, summed_part(search, connected_with(search, reached, label)), label);
		next[n++] = (NextLabel){label, total_cost(search, reached)};
	}
	qsort(next, n, sizeof(NextLabel), compare_totals);
	for (int i = 0; i < n; i++)
	{
		LabelMask reached = summed | (1u << next[i].label);
		bool found;
		PartEntry *entry;

		if (next[i].total >= search->best ||
			(!isinf(search->best) && (search->budget <= 0 || search->joins <= 0)))
			return;
		entry = summed_parts_insert(search->parts, reached, &found);
		if (!found)
		{
			entry->part = NULL;
			entry->total = INFINITY;
		}
		if (entry->total <= next[i].total)
			continue; /* these labels have been summed before, at no more cost */
		entry->total = next[i].total;
		search_orders(search, reached, all);
	}
}

/*
 * Finds the factors of one label that are filters, and applies them to the estimates of
 * the others.
 */
static void
find_filters(LabelSearch *search)
{
	const Contractor *contractor = search->contractor;

	for (int f = 0; f < contractor->nfactors; f++)
	{
		if (pg_popcount32(contractor->factor_labels[f]) != 1 || !contractor->filters[f])
			continue;
		for (int other = 0; other < contractor->nfactors; other++)
		{
			Estimate *estimate = &search->factors[other];
			Estimate filtered;

			if (pg_popcount32(contractor->factor_labels[other]) == 1 ||
				(contractor->factor_labels[f] & ~contractor->factor_labels[other]))
				continue;
			contractor->algebra->estimator->intersect(
				&filtered, estimate, &search->factors[f], contractor->numbers.bounds);
			if (!(search->filters & FACTOR(f)) &&
				filtered.entries >= FILTER_SHARE * estimate->entries)
				continue;
			search->filters |= FACTOR(f);
			*estimate = filtered;
		}
	}
}

/* Returns a contraction of one factor, or of one factor as a filter. */
static const Contraction *
leaf_contraction(const LabelSearch *search, int factor, bool filters)
{
	Contraction *leaf = palloc0(sizeof(Contraction));

	leaf->factors = filters ? 0 : FACTOR(factor);
	leaf->filters = filters ? FACTOR(factor) : 0;
	leaf->known = true;
	return leaf;
}

/*
 * Returns the contraction that joins the members and filters of a bucket in the best
 * order found.
 */
static Contraction *
joined_contractions(LabelSearch *search, const Bucket *bucket)
{
	Contraction *joined = palloc(sizeof(Contraction));
	Estimate estimate;
	JoinOrder order;

	(void) join_bucket(search, bucket, INFINITY, &order, &estimate);
	*joined = *bucket->contractions[order.steps[0].member];
	for (int i = 1; i < order.n; i++)
	{
		Contraction *next = palloc0(sizeof(Contraction));

		next->left = i == 1 ? bucket->contractions[order.steps[0].member] : joined;
		next->right = order.steps[i].member < 0
						  ? leaf_contraction(search, order.steps[i].filter, true)
						  : bucket->contractions[order.steps[i].member];
		next->factors = next->left->factors | next->right->factors;
		next->filters = next->left->filters | next->right->filters;
		next->known = true;
		joined = next;
	}
	return joined;
}

/* Is a factor its own filter (0 or 1 everywhere), and joined as a filter already? */
static bool
is_said(const LabelSearch *search, int factor, FactorMask filters)
{
	return (filters & FACTOR(factor)) &&
		   search->contractor->filters[factor] == search->contractor->factors[factor];
}

static const Contraction *contraction_of(LabelSearch *search, const SummedPart *part);

static void
add_to_bucket(Bucket *bucket, const Contraction *contraction, const Estimate *estimate)
{
	bucket->contractions[bucket->n] = contraction;
	bucket->estimates[bucket->n++] = estimate;
}

/* Adds factors to a bucket, except those that filters already stand for. */
static void
add_factors_to_bucket(const LabelSearch *search, FactorMask factors, FactorMask filters,
					  Bucket *bucket)
{
	for (; factors; factors &= factors - 1)
	{
		int factor = pg_rightmost_one_pos64(factors);

		if (!is_said(search, factor, filters))
			add_to_bucket(bucket, leaf_contraction(search, factor, false),
						  &search->factors[factor]);
	}
}

/* Adds the parts over summed labels to a bucket; returns the filters in these parts. */
static FactorMask
add_parts(LabelSearch *search, LabelMask summed, Bucket *bucket)
{
	FactorMask filters = 0;

	while (summed)
	{
		const SummedPart *part = summed_part(
			search, connected_with(search, summed, pg_rightmost_one_pos32(summed)));
		const Contraction *contraction = contraction_of(search, part);

		add_to_bucket(bucket, contraction, &contraction->result);
		filters |= contraction->filters;
		summed &= ~part->summed;
	}
	return filters;
}

/*
 * Fills a bucket with the operands that are joined to sum a part's last label; returns
 * the filters in them.
 */
static FactorMask
fill_bucket(LabelSearch *search, const SummedPart *part, Bucket *bucket)
{
	LabelMask rest = part->summed & ~(1u << part->last);
	FactorMask own = part->factors & ~factors_having(search, rest);
	FactorMask said = add_parts(search, rest, bucket);

	add_factors_to_bucket(search, own, said, bucket);
	return said;
}

/* Returns the best contraction found for a part. */
static const Contraction *
contraction_of(LabelSearch *search, const SummedPart *part)
{
	Bucket bucket = {0};
	Contraction *contraction;
	FactorMask said;

	enter_recursion();
	said = fill_bucket(search, part, &bucket);
	bucket.filters = filters_over(search, part->kept) & ~said;
	contraction = joined_contractions(search, &bucket);
	contraction->factors = part->factors;
	contraction->filters &= ~part->factors;
	contraction->cost = part->cost;
	contraction->sums = true;
	contraction->result = part->result;
	return contraction;
}

/*
 * Returns the contraction of all factors. The largest part is not cut off: it is summed
 * after the last join.
 */
static const Contraction *
contraction_of_all(LabelSearch *search, LabelMask summed)
{
	const Contractor *contractor = search->contractor;
	FactorMask rest =
		(FACTOR(contractor->nfactors) - 1) & ~factors_having(search, summed);
	const SummedPart *largest = NULL;
	LabelMask open = summed;
	FactorMask filters;
	Bucket bucket = {0};
	Contraction *result;
	double cost = 0.0;

	while (open)
	{
		const SummedPart *part = summed_part(
			search, connected_with(search, open, pg_rightmost_one_pos32(open)));

		if (largest == NULL || part->result.entries > largest->result.entries)
			largest = part;
		cost += part->cost;
		open &= ~part->summed;
	}
	Assert(largest != NULL);
	filters = fill_bucket(search, largest, &bucket);
	filters |= add_parts(search, summed & ~largest->summed, &bucket);
	add_factors_to_bucket(search, rest, filters, &bucket);
	result = joined_contractions(search, &bucket);
	result->factors = FACTOR(contractor->nfactors) - 1;
	result->filters = 0;
	result->cost = cost;
	result->sums = true;
	return result;
}

const Contraction *
contract_labels(Contractor *contractor)
{
	MemoryContext result_context = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "contraction path", ALLOCSET_DEFAULT_SIZES);
	LabelSearch *search;
	LabelMask summed = 0;
	LabelMask open;
	const Contraction *result;
	int label;

	search = palloc0(sizeof(LabelSearch));
	search->contractor = contractor;
	/* estimates of factors outlive the search: others read them */
	for (int f = 0; f < contractor->nfactors; f++)
		estimate_factor(contractor->algebra, &contractor->numbers, contractor->factors[f],
						&search->factors[f]);
	MemoryContextSwitchTo(scratch);
	search->parts = summed_parts_create(scratch, 256, NULL);
	for (int f = 0; f < contractor->nfactors; f++)
		summed |= contractor->factor_labels[f];
	summed &= ~contractor->kept;
	for (int f = 0; f < contractor->nfactors; f++)
	{
		LabelMask own = contractor->factor_labels[f] & summed;

		FOREACH_LABEL (label, own)
		{
			search->having[label] |= FACTOR(f);
			search->neighbours[label] |= own & ~(1u << label);
		}
	}
	find_filters(search);
	open = summed;
	while (open)
	{
		LabelMask set = connected_with(search, open, pg_rightmost_one_pos32(open));
		int steps = Min(contractor->algebra->limits.budget, MAX_PARTS);

		search->joins = (int64) steps * STEP_JOINS;
		if (!search_parts(search, set, steps))
		{
			/* smaller parts that were found stay known */
			search->budget = steps;
			search->joins = (int64) steps * STEP_JOINS;
			search->best = INFINITY;
			search_orders(search, 0, set);
			contractor->heuristic = true;
		}
		open &= ~set;
	}
	contractor->whole = true;
	MemoryContextSwitchTo(result_context);
	result = contraction_of_all(search, summed);
	/* the estimates of parts are freed here, too: only the path is left */
	MemoryContextDelete(scratch);
	return result;
}
