/*-------------------------------------------------------------------------
 *
 * loop_order.c
 *	  Chooses the order of the loops by dynamic programming with a bound.
 *
 * The number of bindings of a set of labels does not depend on their order: it
 * is the size of the join of the operands' projections to these labels,
 * estimated as if indices were independent and the indices of one operand
 * contained in another's. The order decides how many iterations find the
 * bindings, which operands must be sorted, and how accumulators are found.
 *
 * So states are kept by the set of labels that have loops, as join orders are by
 * sets of relations. A set has several states if none is better in every
 * respect: one costs less so far, another has sorted an operand or has not yet
 * left the output's labels. The cost of the greedy order is the bound.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "kernels/memory.h"
#include "kernels/nest/loop_order.h"

/*
 * Costs in nanoseconds (AMD EPYC, 2026-11; test/bench/nest.c). An iteration of the
 * innermost loop costs less, because it runs in strips.
 */
#define COST_INNER_ITERATION 1.0
#define COST_INNER_LOOKUP 1.5
#define COST_OUTER_ITERATION 15.0
#define COST_OUTER_LOOKUP 6.0
/*
 * Additional cost where rows that do not fit the caches are accessed in random order. An
 * outer loop visits their fibers one by one, each with some accesses to memory (0.3 to
 * 0.6 us with 1.8 million rows); a strip accesses all its rows at the same time.
 */
#define COST_OUTER_FAR 150.0
#define COST_INNER_FAR 5.0
#define FAR_ROWS 100000.0
#define COST_SORT_ROW 16.0
#define COST_SORTED_ROW 7.0
/* finding the accumulator of a joined tuple */
#define COST_WORKSPACE 2.5
#define COST_HASHED 8.0
#define COST_HASHED_FAR 25.0
#define FAR_GROUPS 50000.0
/* creating and returning a group */
#define COST_GROUP 15.0
/*
 * Cost per joined tuple and byte of the result tensor that it is added to, where tuples
 * of all groups alternate and their tensors do not fit the caches: adding vectors of 6 kB
 * in random order takes 1.2 us, and 0.6 us where those of a group follow each other.
 */
#define COST_SCATTERED_BYTE 0.1
#define CACHED_BYTES 1e6

/* Cost of a streamed row, and of looking it up by one key of another operand. */
#define COST_STREAM_ROW 4.0
#define COST_STREAM_LOOKUP 3.0
#define COST_STREAM_FAR 10.0
/* Operands with more rows per key than this, on average, get a loop over rows. */
#define REPEATED_ROWS 1.02

/*
 * The most states that are kept of one set of labels: for up to MANY_STATES_LABELS
 * labels, and for more.
 */
#define MOST_STATES 16
#define FEW_STATES 2
#define MANY_STATES_LABELS 8
/* The most labels of an optimal search, which has an array over all sets of labels. */
#define MOST_OPTIMAL_LABELS 16

/* What does not depend on the order. */
typedef struct OrderSearch
{
	const LoopOrderProblem *problem;
	double domain[LOOP_ORDER_MAX_LABELS]; /* indices of a label, at the most */
	/* of each label those whose loops are to be outside of its own */
	LoopLabels outside[LOOP_ORDER_MAX_LABELS];
	double tuples; /* joined */
} OrderSearch;

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

/* The set of labels whose loops are outside a loop. */
typedef struct Outer
{
	LoopLabels labels;
	double bindings; /* that all operands that decide have */
} Outer;

/* A loop inside others. */
typedef struct OrderedLoop
{
	int label;
	double iterations;
	int nlookups;
	int nfar;        /* of them in many rows, in any order */
	double bindings; /* of its label and those outside */
} OrderedLoop;

/*
 * Returns by what factor an operand has more rows below an index of one label than on
 * average. If other operands restrict the label by their other labels, indices with many
 * rows are met more often.
 */
static double
crowding(const LoopOrderProblem *problem, const Outer *outer, int operand,
		 LoopLabels mine)
{
	double most = 1;

	if (problem->skew == NULL || __builtin_popcountll(mine) != 1)
		return most;
	for (int o = 0; o < problem->noperands; o++)
	{
		const LoopOrderOperand *other = &problem->operands[o];

		if (o != operand && !other->optional && other->labels & mine &&
			other->labels & outer->labels & ~mine)
			most = fmax(
				most, problem->skew(problem->context, operand, o, __builtin_ctzll(mine)));
	}
	return most;
}

/*
 * Are an operand's rows accessed in random order, because it has none of the outer loops'
 * labels, and too many for the caches? With an outer label, the next rows are near.
 */
static bool
is_far(const LoopOrderOperand *operand, const Outer *outer)
{
	return outer->labels != 0 && !(operand->labels & outer->labels) && !operand->range &&
		   operand->rows > FAR_ROWS;
}

/*
 * Estimates a loop over a label. It multiplies the bindings by the number of the label's
 * indices, of which each operand that has the label keeps a share.
 */
static OrderedLoop
loop_over(const OrderSearch *search, const Outer *outer, int label)
{
	const LoopOrderProblem *problem = search->problem;
	LoopLabels bit = UINT64_C(1) << label;
	OrderedLoop loop = {.label = label, .nlookups = -1};
	double fewest = search->domain[label];
	bool iterates_far = false;
	double times = search->domain[label];

	for (int o = 0; o < problem->noperands; o++)
	{
		const LoopOrderOperand *operand = &problem->operands[o];
		LoopLabels mine = operand->labels & outer->labels;
		double fiber;

		if (!(operand->labels & bit))
			continue;
		loop.nlookups++;
		loop.nfar += is_far(operand, outer);
		if (operand->optional)
			continue;
		fiber = fmin(distinct(problem, o, mine | bit) / distinct(problem, o, mine) *
						 crowding(problem, outer, o, mine),
					 search->domain[label]);
		if (fiber <= fewest)
			iterates_far = is_far(operand, outer);
		fewest = fmin(fewest, fiber);
		times *= fiber / search->domain[label];
	}
	loop.nfar -= iterates_far;
	loop.iterations = outer->bindings * fewest;
	loop.bindings = outer->bindings * times;
	return loop;
}

/* Returns the number of bindings of all labels. */
static double
all_bindings(const OrderSearch *search)
{
	Outer outer = {.bindings = 1};

	for (int l = 0; l < search->problem->nlabels; l++)
	{
		outer.bindings = loop_over(search, &outer, l).bindings;
		outer.labels |= UINT64_C(1) << l;
	}
	return outer.bindings;
}

/*
 * Returns by what factor rows with the same key, over which there are loops inside all
 * others, multiply the tuples.
 */
static double
repeats(const OrderSearch *search)
{
	const LoopOrderProblem *problem = search->problem;
	double count = 1;

	for (int o = 0; o < problem->noperands; o++)
		count *= fmax(problem->operands[o].rows /
						  distinct(problem, o, problem->operands[o].labels),
					  problem->operands[o].optional ? 1 : 0);
	return count;
}

static void
begin_search(OrderSearch *search, const LoopOrderProblem *problem)
{
	search->problem = problem;
	memset(search->outside, 0, sizeof(search->outside));
	for (int o = 0; o < problem->noperands; o++)
		if (problem->operands[o].run > 1)
			search->outside[problem->operands[o].run_label] |=
				problem->operands[o].labels &
				~(UINT64_C(1) << problem->operands[o].run_label);
	for (int l = 0; l < problem->nlabels; l++)
	{
		search->domain[l] = 1;
		for (int o = 0; o < problem->noperands; o++)
			if (problem->operands[o].labels >> l & 1)
				search->domain[l] =
					fmax(search->domain[l], distinct(problem, o, UINT64_C(1) << l));
	}
	search->tuples =
		problem->tuples > 0 ? problem->tuples : all_bindings(search) * repeats(search);
}

static double
count_groups(const OrderSearch *search, double tuples)
{
	double all = 1;

	if (search->problem->each_tuple)
		return tuples;
	if (search->problem->groups > 0)
		return fmin(search->problem->groups, tuples);
	for (int l = 0; l < search->problem->nlabels; l++)
		if (search->problem->output >> l & 1)
			all *= search->domain[l];
	/* the expected number of different groups if tuples were drawn at random */
	return all < tuples * 1e6 ? -all * expm1(-tuples / all) : tuples;
}

/*
 * Returns the costs of kernels and groups, which do not depend on the order, and of
 * finding accumulators.
 */
static double
last_cost(const OrderSearch *search, int workspace)
{
	double tuples = search->tuples;
	double groups = count_groups(search, tuples);
	double cost = tuples * search->problem->kernel + groups * COST_GROUP;

	if (search->problem->each_tuple || workspace == 0)
		return cost;
	if (workspace == 1)
		return cost + tuples * COST_WORKSPACE;
	return cost + tuples * (groups < FAR_GROUPS ? COST_HASHED : COST_HASHED_FAR);
}

/* Returns the additional cost of adding tuples to the groups' tensors in random order. */
static double
scattered_cost(const OrderSearch *search)
{
	double bytes = search->problem->result;
	double groups = count_groups(search, search->tuples);

	return groups * bytes > CACHED_BYTES ? search->tuples * bytes * COST_SCATTERED_BYTE
										 : 0.0;
}

/* Returns the rows of an operand whose indexing is charged to this nest. */
static double
own_rows(const LoopOrderOperand *operand)
{
	return loop_order_kept_rows(operand) * (1 - operand->shared);
}

/* Returns the cost of building all indexes from rows that are sorted already. */
static double
first_cost(const LoopOrderProblem *problem)
{
	double cost = 0;

	for (int o = 0; o < problem->noperands; o++)
		if (!problem->operands[o].range)
			cost += own_rows(&problem->operands[o]) * COST_SORTED_ROW;
	return cost;
}

/* Returns a state with one more loop inside. */
static State
add_loop(const OrderSearch *search, const Outer *outer, const State *state,
		 const OrderedLoop *loop)
{
	const LoopOrderProblem *problem = search->problem;
	LoopLabels bit = UINT64_C(1) << loop->label;
	bool innermost = __builtin_popcountll(outer->labels) == problem->nlabels - 1;
	State next = *state;

	next.label = (uint8_t) loop->label;
	next.cost += loop->iterations *
				 (innermost ? COST_INNER_ITERATION + loop->nlookups * COST_INNER_LOOKUP +
								  loop->nfar * COST_INNER_FAR
							: COST_OUTER_ITERATION + loop->nlookups * COST_OUTER_LOOKUP +
								  loop->nfar * COST_OUTER_FAR);
	for (int o = 0; o < problem->noperands; o++)
	{
		const LoopOrderOperand *operand = &problem->operands[o];
		int place;

		if (!(operand->labels & bit) || operand->range || next.unsorted >> o & 1)
			continue;
		place = __builtin_popcountll(operand->labels & outer->labels);
		if (place < operand->nsorted && operand->sorted[place] == loop->label)
			continue;
		next.unsorted |= UINT64_C(1) << o;
		next.cost += own_rows(operand) * (COST_SORT_ROW - COST_SORTED_ROW);
	}
	if (problem->output & bit && outer->labels & ~problem->output && next.workspace < 2)
		next.workspace++;
	/* the first output label is inside other loops: tuples of all groups alternate */
	if (problem->output & bit && outer->labels && !(outer->labels & problem->output))
		next.cost += scattered_cost(search);
	return next;
}

/* Returns the set of outer loops, with one more loop. */
static Outer
go_inside(const Outer *outer, const OrderedLoop *loop)
{
	return (Outer){.labels = outer->labels | UINT64_C(1) << loop->label,
				   .bindings = loop->bindings};
}

static void
finish_order(const OrderSearch *search, LoopOrder *order)
{
	const LoopOrderProblem *problem = search->problem;
	State state = {.cost = first_cost(problem), .before = -1};
	Outer outer = {.bindings = 1};
	double prefix = 1; /* bindings of the output's labels that are outermost */

	for (int i = 0; i < problem->nlabels; i++)
	{
		OrderedLoop loop = loop_over(search, &outer, order->labels[i]);

		if (((outer.labels | UINT64_C(1) << loop.label) & ~problem->output) == 0)
			prefix = fmax(loop.bindings, 1);
		order->iterations[i] = loop.iterations;
		state = add_loop(search, &outer, &state, &loop);
		outer = go_inside(&outer, &loop);
	}
	order->tuples = search->tuples;
	order->groups = count_groups(search, order->tuples);
	order->groups_at_once = state.workspace > 0 ? order->groups / prefix : 1;
	order->cost = state.cost + last_cost(search, state.workspace);
}

void
loop_order_cost(const LoopOrderProblem *problem, LoopOrder *order)
{
	OrderSearch search;

	begin_search(&search, problem);
	finish_order(&search, order);
}

bool
loop_order_cost_stream(const LoopOrderProblem *problem, int operand, LoopOrder *order)
{
	const LoopOrderOperand *streamed = &problem->operands[operand];
	LoopLabels all = (UINT64_C(1) << problem->nlabels) - 1;
	double cost = streamed->rows * COST_STREAM_ROW;
	OrderSearch search;

	if (streamed->range || streamed->optional || problem->nlabels == 64 ||
		(all & ~streamed->labels))
		return false;
	for (int o = 0; o < problem->noperands; o++)
	{
		const LoopOrderOperand *located = &problem->operands[o];

		if (o == operand)
			continue;
		if (located->rows > REPEATED_ROWS * distinct(problem, o, located->labels))
			return false;
		cost += streamed->rows * __builtin_popcountll(located->labels) *
				(COST_STREAM_LOOKUP +
				 (located->rows > FAR_ROWS && !located->range ? COST_STREAM_FAR : 0));
		if (!located->range)
			cost += own_rows(located) * COST_SORT_ROW;
	}
	begin_search(&search, problem);
	search.tuples = fmin(search.tuples, streamed->rows);
	order->tuples = search.tuples;
	order->groups = count_groups(&search, order->tuples);
	order->groups_at_once = order->groups;
	order->cost = cost + last_cost(&search, problem->output ? 2 : 0);
	/* only if several rows are added to one group */
	if (problem->output &&
		(all & ~problem->output ||
		 streamed->rows > REPEATED_ROWS * distinct(problem, operand, all)))
		order->cost += scattered_cost(&search);
	return true;
}

/* May a label's loop be the next inside these? */
static bool
may_follow(const OrderSearch *search, const Outer *outer, int label)
{
	return !(outer->labels >> label & 1) && !(search->outside[label] & ~outer->labels);
}

/* Returns the labels whose loops may be the next; all that are left if none may. */
static LoopLabels
next_labels(const OrderSearch *search, const Outer *outer)
{
	LoopLabels left = 0;
	LoopLabels next = 0;

	for (int l = 0; l < search->problem->nlabels; l++)
	{
		if (!(outer->labels >> l & 1))
			left |= UINT64_C(1) << l;
		if (may_follow(search, outer, l))
			next |= UINT64_C(1) << l;
	}
	return next ? next : left;
}

/* Chooses the order greedily: at each step the loop that costs least. */
static void
greedy_order(const OrderSearch *search, LoopOrder *order)
{
	const LoopOrderProblem *problem = search->problem;
	State state = {.cost = first_cost(problem), .before = -1};
	Outer outer = {.bindings = 1};

	for (int i = 0; i < problem->nlabels; i++)
	{
		LoopLabels may = next_labels(search, &outer);
		State best = {.cost = INFINITY};
		OrderedLoop best_loop = {0};
		double least = INFINITY;

		kernel_host.check_interrupts();
		for (int l = 0; l < problem->nlabels; l++)
		{
			OrderedLoop loop;
			State next;
			double after;

			if (!(may >> l & 1))
				continue;
			loop = loop_over(search, &outer, l);
			next = add_loop(search, &outer, &state, &loop);
			/* the iterations that the loop causes inside it count too */
			after = next.cost + loop.bindings * COST_OUTER_ITERATION;
			if (after < least || best.cost == INFINITY)
			{
				least = after;
				best = next;
				best_loop = loop;
			}
		}
		state = best;
		order->labels[i] = state.label;
		outer = go_inside(&outer, &best_loop);
	}
	finish_order(search, order);
}

/*
 * Keeps a state of a set unless another one is at least as good in every respect. Returns
 * how many states the set has.
 */
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

/* Does the problem's effort allow a search of all sets of labels? */
static bool
may_be_optimal(const LoopOrderProblem *problem)
{
	double n = problem->nlabels;

	return n >= 2 && n <= MOST_OPTIMAL_LABELS &&
		   ldexp(n * n * problem->noperands, problem->nlabels) <= problem->effort;
}

/*
 * Extends the states of a set by each further loop, and keeps those that cost less than
 * the given order.
 */
static void
extend_set(const OrderSearch *search, const LoopOrder *order, const Outer *outer,
		   int most, State *states, uint8_t *counts, double *bindings)
{
	size_t set = (size_t) outer->labels;

	for (int l = 0; l < search->problem->nlabels; l++)
	{
		size_t next = set | (size_t) 1 << l;
		OrderedLoop loop;

		if (!may_follow(search, outer, l))
			continue;
		loop = loop_over(search, outer, l);
		bindings[next] = loop.bindings;
		for (int s = 0; s < counts[set]; s++)
		{
			State after =
				add_loop(search, outer, &states[set * (size_t) most + (size_t) s], &loop);

			after.before = s;
			if (after.cost < order->cost)
				counts[next] = (uint8_t) keep_state(&states[next * (size_t) most],
													counts[next], most, &after);
		}
	}
}

/* Replaces an order by the best one, if that is cheaper. */
static void
optimal_order(const OrderSearch *search, LoopOrder *order)
{
	int n = search->problem->nlabels;
	int most = n <= MANY_STATES_LABELS ? MOST_STATES : FEW_STATES;
	size_t nsets = (size_t) 1 << n;
	size_t set = nsets - 1;
	State *states = kernel_host.allocate(nsets * (size_t) most * sizeof(State));
	uint8_t *counts = kernel_host.allocate(nsets);
	double *bindings = kernel_host.allocate(nsets * sizeof(double));
	double least = order->cost;
	int best = -1;

	memset(counts, 0, nsets);
	states[0] = (State){.cost = first_cost(search->problem), .before = -1};
	counts[0] = 1;
	bindings[0] = 1;
	for (size_t outer = 0; outer < nsets - 1; outer++)
	{
		if (outer % 256 == 0)
			kernel_host.check_interrupts();
		if (counts[outer] > 0)
			extend_set(search, order,
					   &(Outer){.labels = outer, .bindings = bindings[outer]}, most,
					   states, counts, bindings);
	}
	for (int s = 0; s < counts[set]; s++)
	{
		const State *state = &states[set * (size_t) most + (size_t) s];
		double cost = state->cost + last_cost(search, state->workspace);

		if (cost < least)
		{
			least = cost;
			best = s;
		}
	}
	for (int i = n - 1; best >= 0 && i >= 0; i--)
	{
		const State *state = &states[set * (size_t) most + (size_t) best];

		order->labels[i] = state->label;
		set &= ~((size_t) 1 << state->label);
		best = state->before;
	}
	finish_order(search, order);
	kernel_host.release(states);
	kernel_host.release(counts);
	kernel_host.release(bindings);
}

void
loop_order_choose(const LoopOrderProblem *problem, LoopOrder *order)
{
	OrderSearch search;

	begin_search(&search, problem);
	greedy_order(&search, order);
	if (may_be_optimal(problem))
		optimal_order(&search, order);
}
