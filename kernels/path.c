/*-------------------------------------------------------------------------
 *
 * path.c
 *	  Chooses the order in which the operands of an einsum are multiplied.
 *
 * Costs are opt_einsum's: to multiply two factors takes as many operations as
 * all their labels have combinations of values, and twice as many if labels are
 * summed. Up to eight factors, dynamic programming over the sets of factors
 * finds an order with the fewest operations (opt_einsum's "optimal"; the product
 * of a set of factors does not depend on the order). It takes 3^n steps. For
 * more factors the order is greedy: factors with the same labels first, then the
 * pair that shares labels and whose product is smallest compared with the two,
 * and outer products last.
 *
 * The memory limit is for all intermediate results that exist at the same time,
 * but a search can only limit each of them. So that limit is halved until the
 * sum fits. Known weakness: this may miss an order that fits, and split labels
 * without need.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "kernels/path.h"

#define SETS (1 << PATH_OPTIMAL_FACTORS)

int
label_set_count(LabelSet set)
{
	return __builtin_popcountll((uint64_t) set) +
		   __builtin_popcountll((uint64_t) (set >> 64));
}

int
label_set_first(LabelSet set)
{
	return (uint64_t) set != 0 ? __builtin_ctzll((uint64_t) set)
							   : 64 + __builtin_ctzll((uint64_t) (set >> 64));
}

double
label_set_size(LabelSet set, const int64_t *extents)
{
	double size = 1;

	for (; set != 0; set &= set - 1)
		size *= (double) extents[label_set_first(set)];
	return size;
}

LabelSet
term_label_set(const EquationTerm *term, const TensorView *view)
{
	LabelSet set = 0;

	for (int d = 0; d < term->rank; d++)
		if (view->bounds[d] != 1)
			set |= LABEL_BIT(term->labels[d]);
	return set;
}

bool
product_build(const Equation *equation, const TensorView *const *operands,
			  PathProduct *product, uint8_t *operand_of_factor)
{
	bool empty = false;

	product->nfactors = 0;
	for (int l = 0; l < equation->nlabels; l++)
		product->extents[l] = 1;
	for (int o = 0; o < equation->noperands; o++)
	{
		const EquationTerm *term = &equation->operands[o];
		LabelSet labels = term_label_set(term, operands[o]);

		for (int d = 0; d < term->rank; d++)
		{
			if (operands[o]->bounds[d] == 0)
				empty = true;
			if (operands[o]->bounds[d] != 1)
				product->extents[term->labels[d]] = operands[o]->bounds[d];
		}
		/* the last operand is kept, even if all operands are numbers */
		if (labels == 0 && (product->nfactors > 0 || o < equation->noperands - 1))
			continue;
		operand_of_factor[product->nfactors] = (uint8_t) o;
		product->factors[product->nfactors++] = labels;
	}
	product->output = 0;
	for (int d = 0; d < equation->output.rank; d++)
		if (product->extents[equation->output.labels[d]] != 1)
			product->output |= LABEL_BIT(equation->output.labels[d]);
	return !empty;
}

static double
pair_flops(LabelSet joined, LabelSet result, const int64_t *extents)
{
	return label_set_size(joined, extents) * (joined != result ? 2 : 1);
}

static inline bool
fits(LabelSet result, const int64_t *extents, int max_rank, double max_elements)
{
	return label_set_count(result) <= max_rank &&
		   label_set_size(result, extents) <= max_elements;
}

/*
 * Appends the steps that multiply a set of factors; the side with the larger result goes
 * first, so that less memory is in use at a time. Returns the factor that has the
 * product.
 */
static int
append_steps(const PathProduct *product, const LabelSet *labels, const uint16_t *split,
			 unsigned set, EinsumPath *path)
{
	unsigned a = split[set];
	unsigned b = set & ~a;
	int first;
	int second;

	if ((set & (set - 1)) == 0)
		return __builtin_ctz(set);
	if (label_set_size(labels[a], product->extents) <
		label_set_size(labels[b], product->extents))
	{
		unsigned swapped = a;

		a = b;
		b = swapped;
	}
	first = append_steps(product, labels, split, a, path);
	second = append_steps(product, labels, split, b, path);
	if (second < first)
	{
		int swapped = first;

		first = second;
		second = swapped;
	}
	path->steps[path->nsteps].first = (uint8_t) first;
	path->steps[path->nsteps].second = (uint8_t) second;
	path->nsteps++;
	return first;
}

static bool
choose_optimal(const PathProduct *product, int max_rank, double max_elements,
			   EinsumPath *path)
{
	const unsigned all = (1u << product->nfactors) - 1;
	LabelSet together[SETS];
	LabelSet labels[SETS];
	double cost[SETS];
	uint16_t split[SETS];

	together[0] = 0;
	for (unsigned set = 1; set <= all; set++)
		together[set] = together[set & (set - 1)] | product->factors[__builtin_ctz(set)];
	for (unsigned set = 1; set <= all; set++)
	{
		bool single = (set & (set - 1)) == 0;
		unsigned low = set & -set;

		cost[set] = single ? 0 : INFINITY;
		labels[set] = together[set];
		split[set] = 0;
		if (single)
			continue;
		labels[set] &= together[all & ~set] | product->output;
		if (set != all && !fits(labels[set], product->extents, max_rank, max_elements))
			continue;
		/* a runs over the proper subsets that contain the lowest factor */
		for (unsigned a = (set - 1) & set; a != 0; a = (a - 1) & set)
		{
			unsigned b = set & ~a;
			double sum = cost[a] + cost[b];

			if (!(a & low) || sum >= cost[set])
				continue;
			sum += pair_flops(labels[a] | labels[b], labels[set], product->extents);
			if (sum < cost[set])
			{
				cost[set] = sum;
				split[set] = (uint16_t) a;
			}
		}
	}
	if (split[all] == 0)
		return false;
	path->nsteps = 0;
	append_steps(product, labels, split, all, path);
	return true;
}

/*
 * Labels that at least two, and at least three, of the remaining factors and the output
 * have.
 */
typedef struct Holders
{
	LabelSet twice; /* at least */
	LabelSet thrice;
} Holders;

static void
count_holders(const PathProduct *product, const LabelSet *factors, const bool *gone,
			  Holders *holders)
{
	LabelSet once = product->output;

	holders->twice = 0;
	holders->thrice = 0;
	for (int f = 0; f < product->nfactors; f++)
	{
		if (gone[f])
			continue;
		holders->thrice |= holders->twice & factors[f];
		holders->twice |= once & factors[f];
		once |= factors[f];
	}
}

/* Returns the labels of a product that the output or another factor has. */
static inline LabelSet
needed(const Holders *holders, LabelSet a, LabelSet b)
{
	return (a & b & holders->thrice) | ((a ^ b) & holders->twice);
}

static bool
choose_greedy(const PathProduct *product, int max_rank, double max_elements,
			  EinsumPath *path)
{
	LabelSet factors[EQUATION_MAX_OPERANDS];
	double sizes[EQUATION_MAX_OPERANDS];
	bool gone[EQUATION_MAX_OPERANDS];

	for (int f = 0; f < product->nfactors; f++)
	{
		factors[f] = product->factors[f];
		sizes[f] = label_set_size(factors[f], product->extents);
		gone[f] = false;
	}
	for (path->nsteps = 0; path->nsteps < product->nfactors - 1; path->nsteps++)
	{
		bool last = path->nsteps == product->nfactors - 2;
		int best_kind = 3;
		double best = 0;
		int first = 0;
		int second = 0;
		Holders holders;

		count_holders(product, factors, gone, &holders);
		for (int i = 0; i < product->nfactors; i++)
		{
			for (int j = i + 1; j < product->nfactors && !gone[i]; j++)
			{
				LabelSet result;
				double cost;
				int kind;

				if (gone[j])
					continue;
				kind = factors[i] == factors[j] ? 0 : (factors[i] & factors[j]) ? 1 : 2;
				if (kind > best_kind)
					continue;
				result = needed(&holders, factors[i], factors[j]);
				if (!last && !fits(result, product->extents, max_rank, max_elements))
					continue;
				cost = label_set_size(result, product->extents);
				if (kind != 2)
					cost -= sizes[i] + sizes[j];
				if (kind < best_kind || cost < best)
				{
					best_kind = kind;
					best = cost;
					first = i;
					second = j;
				}
			}
		}
		if (best_kind == 3)
			return false;
		factors[first] = needed(&holders, factors[first], factors[second]);
		sizes[first] = label_set_size(factors[first], product->extents);
		gone[second] = true;
		path->steps[path->nsteps].first = (uint8_t) first;
		path->steps[path->nsteps].second = (uint8_t) second;
	}
	return true;
}

double
path_measure(const PathProduct *product, const EinsumPath *path, PathStep *steps)
{
	LabelSet factors[EQUATION_MAX_OPERANDS];
	double owned[EQUATION_MAX_OPERANDS];
	bool gone[EQUATION_MAX_OPERANDS];
	double live = 0;
	double peak = 0;

	for (int f = 0; f < product->nfactors; f++)
	{
		factors[f] = product->factors[f];
		owned[f] = 0;
		gone[f] = false;
	}
	for (int s = 0; s < path->nsteps; s++)
	{
		int first = path->steps[s].first;
		int second = path->steps[s].second;
		PathStep *step = &steps[s];
		Holders holders;

		count_holders(product, factors, gone, &holders);
		step->joined = factors[first] | factors[second];
		step->result = needed(&holders, factors[first], factors[second]);
		step->flops = pair_flops(step->joined, step->result, product->extents);
		step->elements = label_set_size(step->result, product->extents);
		if (s == path->nsteps - 1)
			break; /* the last result is the caller's memory */
		live += step->elements;
		if (live > peak)
			peak = live;
		live -= owned[first] + owned[second];
		owned[first] = step->elements;
		factors[first] = step->result;
		gone[second] = true;
	}
	return peak;
}

bool
path_choose(const PathProduct *product, int max_rank, double max_elements,
			EinsumPath *path)
{
	PathStep steps[EQUATION_MAX_OPERANDS];

	path->nsteps = 0;
	if (product->nfactors < 2)
		return true;
	if (max_elements < product->nfactors)
		max_elements = product->nfactors;
	for (double limit = max_elements;; limit /= 2)
	{
		bool found = product->nfactors <= PATH_OPTIMAL_FACTORS
						 ? choose_optimal(product, max_rank, limit, path)
						 : choose_greedy(product, max_rank, limit, path);

		if (!found)
			return false;
		if (path_measure(product, path, steps) <= max_elements)
			return true;
	}
}
