/*-------------------------------------------------------------------------
 *
 * loop_order.c
 *	  Chooses the order of the loops by dynamic programming with a bound.
 *
 * The number of bindings of a set of labels does not depend on their order: it is
 * the size of the join of the operands' projections to them, estimated as if
 * indices were independent and those of one operand contained in another's.
 * What depends on the order is how many iterations find the bindings, which
 * operands must be sorted, and how accumulators are found.
 *
 * So states are kept by the set of labels that have loops, as join orders are by
 * sets of relations. Of one set there are several if none is better in all: one
 * costs less until now, another has sorted an operand or has not yet left the
 * output's labels. The greedy order is the bound.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "kernels/memory.h"
#include "kernels/nest/loop_order.h"

/*
 * Nanoseconds (AMD EPYC, 2026-11; test/bench/nest.c). Iterations of the
 * innermost loop come in strips.
 */
#define COST_INNER_ITERATION 1.0
#define COST_INNER_LOOKUP 1.5
#define COST_OUTER_ITERATION 15.0
#define COST_OUTER_LOOKUP 6.0
#define COST_SORT_ROW 16.0
#define COST_SORTED_ROW 7.0
/* of a joined tuple, to find its accumulator */
#define COST_WORKSPACE 2.5
#define COST_HASHED 8.0
#define COST_HASHED_FAR 25.0
#define FAR_GROUPS 50000.0
/* of a group */
#define COST_GROUP 15.0

/* Labels up to which the best order is found; beyond, a greedy one. */
#define OPTIMAL_LABELS 14
/* States of one set, up to so many labels and beyond. */
#define MOST_STATES 16
#define FEW_STATES 2
#define MANY_STATES_LABELS 8

/* What is the same for all orders. */
typedef struct Search
{
	const LoopOrderProblem *problem;
	double domain[LOOP_ORDER_MAX_LABELS]; /* indices of a label, at the most */
} Search;

typedef struct State
{
	double cost;
	uint64_t unsorted; /* operands that must be sorted, which has been counted */
	int workspace;     /* output labels behind others: 0, 1, or 2 for more */
	int before;        /* state of the set without label; -1: none */
	uint8_t label;     /* the last loop's */
} State;

static double
distinct(const LoopOrderProblem *problem, int operand, LoopLabels labels)
{
	double count;

	if (labels == 0)
		return 1;
	count = problem->distinct(problem->context, operand, labels);
	return count > 1 ? count : 1;
}

static void
begin_search(Search *search, const LoopOrderProblem *problem)
{
	search->problem = problem;
	for (int l = 0; l < problem->nlabels; l++)
	{
		search->domain[l] = 1;
		for (int o = 0; o < problem->noperands; o++)
			if (problem->operands[o].labels >> l & 1)
				search->domain[l] =
					fmax(search->domain[l], distinct(problem, o, UINT64_C(1) << l));
	}
}

/* Bindings of a set of labels that all operands that decide have. */
static double
bindings(const Search *search, LoopLabels labels)
{
	const LoopOrderProblem *problem = search->problem;
	double count = 1;

	for (int l = 0; l < problem->nlabels; l++)
		if (labels >> l & 1)
			count *= search->domain[l];
	for (int o = 0; o < problem->noperands; o++)
	{
		const LoopOrderOperand *operand = &problem->operands[o];
		LoopLabels mine = operand->labels & labels;
		double all = 1;

		if (operand->optional || mine == 0)
			continue;
		for (int l = 0; l < problem->nlabels; l++)
			if (mine >> l & 1)
				all *= search->domain[l];
		count *= distinct(problem, o, mine) / all;
	}
	return count;
}

/* Iterations of a loop over label inside loops over a set of labels. */
static double
loop_iterations(const Search *search, LoopLabels outer, int label, int *nlookups)
{
	const LoopOrderProblem *problem = search->problem;
	LoopLabels bit = UINT64_C(1) << label;
	double fewest = search->domain[label];

	*nlookups = -1;
	for (int o = 0; o < problem->noperands; o++)
	{
		const LoopOrderOperand *operand = &problem->operands[o];
		LoopLabels mine = operand->labels & outer;

		if (!(operand->labels & bit))
			continue;
		++*nlookups;
		if (!operand->optional)
			fewest = fmin(fewest,
						  distinct(problem, o, mine | bit) / distinct(problem, o, mine));
	}
	return bindings(search, outer) * fewest;
}

/* Rows between two that have the same key, which are loops inside all others. */
static double
repeats(const Search *search)
{
	const LoopOrderProblem *problem = search->problem;
	double count = 1;

	for (int o = 0; o < problem->noperands; o++)
		count *= fmax(problem->operands[o].rows /
						  distinct(problem, o, problem->operands[o].labels),
					  problem->operands[o].optional ? 1 : 0);
	return count;
}

static double
count_groups(const Search *search, double tuples)
{
	double all = 1;

	if (search->problem->each_tuple)
		return tuples;
	for (int l = 0; l < search->problem->nlabels; l++)
		if (search->problem->output >> l & 1)
			all *= search->domain[l];
	/* as many draws from all */
	return all < tuples * 1e6 ? -all * expm1(-tuples / all) : tuples;
}

/* The cost that does not depend on the order, and of accumulators. */
static double
last_cost(const Search *search, int workspace)
{
	double tuples =
		bindings(search, ~UINT64_C(0) >> (63 - search->problem->nlabels) >> 1) *
		repeats(search);
	double groups = count_groups(search, tuples);
	double cost = tuples * search->problem->kernel + groups * COST_GROUP;

	if (search->problem->each_tuple || workspace == 0)
		return cost;
	if (workspace == 1)
		return cost + tuples * COST_WORKSPACE;
	return cost + tuples * (groups < FAR_GROUPS ? COST_HASHED : COST_HASHED_FAR);
}

/* The cost of indexes that are sorted already. */
static double
first_cost(const LoopOrderProblem *problem)
{
	double cost = 0;

	for (int o = 0; o < problem->noperands; o++)
		if (!problem->operands[o].range)
			cost += problem->operands[o].rows * COST_SORTED_ROW;
	return cost;
}

/* The state with one more loop. */
static State
add_loop(const Search *search, LoopLabels outer, const State *state, int label)
{
	const LoopOrderProblem *problem = search->problem;
	LoopLabels bit = UINT64_C(1) << label;
	bool innermost = __builtin_popcountll(outer) == problem->nlabels - 1;
	State next = *state;
	int nlookups;
	double iterations = loop_iterations(search, outer, label, &nlookups);

	next.label = (uint8_t) label;
	next.cost += innermost
					 ? iterations * (COST_INNER_ITERATION + nlookups * COST_INNER_LOOKUP)
					 : iterations * (COST_OUTER_ITERATION + nlookups * COST_OUTER_LOOKUP);
	for (int o = 0; o < problem->noperands; o++)
	{
		const LoopOrderOperand *operand = &problem->operands[o];
		int place = __builtin_popcountll(operand->labels & outer);

		if (!(operand->labels & bit) || operand->range || next.unsorted >> o & 1 ||
			(place < operand->nsorted && operand->sorted[place] == label))
			continue;
		next.unsorted |= UINT64_C(1) << o;
		next.cost += operand->rows * (COST_SORT_ROW - COST_SORTED_ROW);
	}
	if (problem->output & bit && outer & ~problem->output && next.workspace < 2)
		next.workspace++;
	return next;
}

static void
finish_order(const Search *search, LoopOrder *order)
{
	const LoopOrderProblem *problem = search->problem;
	State state = {.cost = first_cost(problem), .before = -1};
	LoopLabels outer = 0;

	for (int i = 0; i < problem->nlabels; i++)
	{
		int nlookups;

		order->iterations[i] =
			loop_iterations(search, outer, order->labels[i], &nlookups);
		state = add_loop(search, outer, &state, order->labels[i]);
		outer |= UINT64_C(1) << order->labels[i];
	}
	order->tuples = bindings(search, outer) * repeats(search);
	order->groups = count_groups(search, order->tuples);
	order->cost = state.cost + last_cost(search, state.workspace);
}

void
loop_order_cost(const LoopOrderProblem *problem, LoopOrder *order)
{
	Search search;

	begin_search(&search, problem);
	finish_order(&search, order);
}

/* The loop that costs least, one after the other. */
static void
greedy_order(const Search *search, LoopOrder *order)
{
	const LoopOrderProblem *problem = search->problem;
	State state = {.cost = first_cost(problem), .before = -1};
	LoopLabels outer = 0;

	for (int i = 0; i < problem->nlabels; i++)
	{
		State best = {.cost = INFINITY};
		double least = INFINITY;

		for (int l = 0; l < problem->nlabels; l++)
		{
			State next;
			double after;

			if (outer >> l & 1)
				continue;
			next = add_loop(search, outer, &state, l);
			/* what it leaves to be done counts too */
			after = next.cost +
					bindings(search, outer | UINT64_C(1) << l) * COST_OUTER_ITERATION;
			if (after < least || best.cost == INFINITY)
			{
				least = after;
				best = next;
			}
		}
		state = best;
		order->labels[i] = state.label;
		outer |= UINT64_C(1) << state.label;
	}
	finish_order(search, order);
}

/* Keeps a state of a set unless another is as good in all; returns how many there are. */
static int
keep_state(State *states, int count, int most, const State *state)
{
	int worst = 0;
	int kept = 0;

	for (int s = 0; s < count; s++)
		if (states[s].cost <= state->cost && states[s].workspace <= state->workspace &&
			(states[s].unsorted & state->unsorted) == state->unsorted)
			return count;
	for (int s = 0; s < count; s++)
	{
		bool dominated = state->cost <= states[s].cost &&
						 state->workspace <= states[s].workspace &&
						 (states[s].unsorted & state->unsorted) == states[s].unsorted;

		if (!dominated)
			states[kept++] = states[s];
	}
	if (kept < most)
	{
		states[kept++] = *state;
		return kept;
	}
	for (int s = 1; s < kept; s++)
		if (states[s].cost > states[worst].cost)
			worst = s;
	if (state->cost < states[worst].cost)
		states[worst] = *state;
	return kept;
}

void
loop_order_choose(const LoopOrderProblem *problem, LoopOrder *order)
{
	Search search;
	LoopOrder found;
	int n = problem->nlabels;
	int most = n <= MANY_STATES_LABELS ? MOST_STATES : FEW_STATES;
	size_t nsets;
	State *states;
	uint8_t *counts;
	int best = -1;
	double least;

	begin_search(&search, problem);
	greedy_order(&search, order);
	if (n < 2 || n > OPTIMAL_LABELS)
		return;

	nsets = (size_t) 1 << n;
	states = kernel_host.allocate(nsets * (size_t) most * sizeof(State));
	counts = kernel_host.allocate(nsets);
	memset(counts, 0, nsets);
	states[0] = (State){.cost = first_cost(problem), .before = -1};
	counts[0] = 1;
	for (size_t set = 0; set < nsets - 1; set++)
	{
		if (set % 256 == 0)
			kernel_host.check_interrupts();
		for (int s = 0; s < counts[set]; s++)
		{
			const State *state = &states[set * (size_t) most + (size_t) s];

			for (int l = 0; l < n; l++)
			{
				size_t next = set | (size_t) 1 << l;
				State after;

				if (next == set)
					continue;
				after = add_loop(&search, set, state, l);
				after.before = s;
				if (after.cost < order->cost)
					counts[next] = (uint8_t) keep_state(&states[next * (size_t) most],
														counts[next], most, &after);
			}
		}
	}
	least = order->cost;
	for (int s = 0; s < counts[nsets - 1]; s++)
	{
		const State *state = &states[(nsets - 1) * (size_t) most + (size_t) s];
		double cost = state->cost + last_cost(&search, state->workspace);

		if (cost < least)
		{
			least = cost;
			best = s;
		}
	}
	if (best >= 0)
	{
		size_t set = nsets - 1;

		found = *order;
		for (int i = n - 1; i >= 0; i--)
		{
			const State *state = &states[set * (size_t) most + (size_t) best];

			found.labels[i] = state->label;
			set &= ~((size_t) 1 << state->label);
			best = state->before;
		}
		finish_order(&search, &found);
		*order = found;
	}
	kernel_host.release(states);
	kernel_host.release(counts);
}
