/*-------------------------------------------------------------------------
 *
 * search_dp.c
 *	  The decomposition search: dynamic programming over trees of stages.
 *
 * Source: SparseEinSum, Algorithm 1, with cost_min reset for each output
 * decomposition and the operands consistent in the aggregated labels too (a
 * label has one choice in a stage).
 *
 * A stage that exactly one operand reads is an inner node of a tree: what its
 * consumer needs to know is, for each decomposition of its result, the k
 * cheapest ways to compute it. A stage that several operands read is the root
 * of a tree of its own and a leaf of the others; given its decomposition, the
 * trees are independent of each other, and the k cheapest plans are the k
 * cheapest sums of one candidate from each. So the search runs once for each
 * combination of the shared results' decompositions, up to MAX_COMBINATIONS.
 * Beyond that (the paper's section 8.2) trees are searched one after the
 * other, largest first, and the shared results take what suits the first tree
 * that reads them; then each takes what suits all the trees around it, as long as
 * that makes them cheaper together: the plan is then called heuristic.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "optimizer/needed_keys.h"
#include "optimizer/assignments.h"
#include "optimizer/plan.h"
#include "optimizer/repartition_cost.h"
#include "optimizer/settings.h"
#include "recursion.h"

/*
 * The least number of plans that the search keeps where several stages read one result,
 * each with other decompositions of such results. What is computed once is costed after the
 * search, and may make the second or third plan the cheapest. Where operands of a stage
 * read one row, any plan may become the cheapest: then as many are kept as for a list.
 */
#define LEAST_OF_SHARED 3

/* Most combinations of shared shapes; a smaller search_budget allows fewer. */
#define MAX_COMBINATIONS 1000

/* Most entries of a table of repartition costs; a larger table is not kept. */
#define MAX_COSTS (1 << 18)

#define SHAPE_UNKNOWN (-1)

/* The need of an operand whose rows another operand of the stage reads. */
#define NOT_NEEDED (-1)

/* One way to compute a stage, with a candidate for each inner stage below it. */
typedef struct Candidate
{
	double cost;
	const Decomposition *choice;
	const Stage *stage;
	int shape; /* number of the result's decomposition */
	int ninputs;
	struct Candidate **inputs;
} Candidate;

/* The k cheapest candidates, cheapest first. */
typedef struct Winners
{
	int n;
	Candidate **candidates;
} Winners;

/* The decompositions that occur, numbered. */
typedef struct ShapeList
{
	int n;
	int size;
	Decomposition *shapes;
	DecompositionTable *numbers;
} ShapeList;

/* What the search knows of a stage. */
typedef struct StageSearch
{
	AssignmentList *assignments;
	int *results;     /* by assignment: number of the result's decomposition */
	int **needs;      /* by assignment: numbers of what producers are to deliver,
						 * in the order of the operands that have one */
	ShapeList shapes; /* of the result */
	ShapeList needed; /* decompositions in which readers need the result */
	Repartitions repartitions;
	/* costs of repartitions, by shape and need; -1: not known; or NULL */
	double *costs;
	int shape;        /* shape of a shared result, or SHAPE_UNKNOWN */
	Winners *winners; /* by shape */
	int *by_cost;     /* shapes that have winners, by the cost of the first */
	int nby_cost;
	Winners **enforced; /* by need */
} StageSearch;

/* What a stage's candidates are combined from, for one assignment. */
typedef struct CandidateSum
{
	double cost;
	/* index into the winners of the last inner operand */
	int pick;
	const struct CandidateSum *others; /* picks of the operands before it */
} CandidateSum;

typedef struct TreeSearch
{
	StageGraph *graph;
	int k;
	StageSearch *stages;
	bool rows_read_once; /* some choice lets operands share rows of a shared result */
	MemoryContext memory;
	CandidateSum *sums; /* work space of cheapest_sums */
	int room;           /* number of elements allocated in sums */
} TreeSearch;

static bool
is_shared(const Stage *stage)
{
	return stage->readers > 1;
}

/* Inner nodes of a tree have exactly one reader. */
static bool
is_tree_root(const Stage *stage)
{
	return stage->readers != 1 && !stage->side;
}

/* Is a candidate before another one that was found earlier? */
static bool
is_before(const Candidate *candidate, const Candidate *other)
{
	return candidate->cost != other->cost ? candidate->cost < other->cost
										  : candidate->shape < other->shape;
}

/* Adds a candidate; returns the one that is no longer among the k cheapest, or NULL. */
static Candidate *
add_winner(const TreeSearch *search, Winners *winners, Candidate *candidate)
{
	int at = winners->n;

	if (winners->candidates == NULL)
		winners->candidates = palloc(sizeof(Candidate *) * (search->k + 1));
	while (at > 0 && is_before(candidate, winners->candidates[at - 1]))
	{
		winners->candidates[at] = winners->candidates[at - 1];
		at--;
	}
	winners->candidates[at] = candidate;
	if (winners->n == search->k)
		return winners->candidates[search->k];
	winners->n++;
	return NULL;
}

/* Adds a copy of a candidate of another list, at this cost; both share their inputs. */
static void
add_copy(const TreeSearch *search, Winners *winners, const Candidate *candidate,
		 double cost)
{
	Candidate *copy = palloc(sizeof(Candidate));
	Candidate *last;

	*copy = *candidate;
	copy->cost = cost;
	last = add_winner(search, winners, copy);
	if (last)
		pfree(last);
}

static bool
would_win(const TreeSearch *search, const Winners *winners, double cost)
{
	return winners->n < search->k || cost < winners->candidates[winners->n - 1]->cost;
}

/* Returns the number of a decomposition, which is added at first use. */
static int
shape_number(ShapeList *list, const Decomposition *shape)
{
	bool found;
	double *number;

	if (list->numbers == NULL)
		list->numbers = new_decomposition_table();
	number = decomposition_value(list->numbers, shape, &found);
	if (found)
		return (int) *number;
	*number = list->n;
	if (list->n == list->size)
	{
		list->size = Max(list->size * 2, 8);
		list->shapes = list->shapes
						   ? repalloc(list->shapes, sizeof(Decomposition) * list->size)
						   : palloc(sizeof(Decomposition) * list->size);
	}
	list->shapes[list->n] = *shape;
	return list->n++;
}

/*
 * Returns the cost of bringing a stage's result from one of its shapes into a needed one.
 */
static double
repartition_cost(const TreeSearch *search, const Stage *producer, int shape, int need)
{
	const StageSearch *made = &search->stages[producer->number];
	double unknown = -1.0;
	double *cost = made->costs ? &made->costs[shape * made->needed.n + need] : &unknown;

	if (*cost < 0.0)
	{
		search->graph->tried++;
		*cost = repartition_between(&made->repartitions, &made->shapes.shapes[shape],
									&made->needed.shapes[need]) *
				repartition_share(search->graph, producer->varies);
	}
	return *cost;
}

/* Orders shapes by the cost of their first winner; equal ones keep their order. */
static int
compare_first_costs(const void *a, const void *b, void *winners)
{
	int left = *(const int *) a;
	int right = *(const int *) b;
	double left_cost = ((const Winners *) winners)[left].candidates[0]->cost;
	double right_cost = ((const Winners *) winners)[right].candidates[0]->cost;

	if (left_cost != right_cost)
		return left_cost < right_cost ? -1 : 1;
	return left - right;
}

/* Sorts the shapes of a stage once all its winners are known. */
static void
sort_shapes(StageSearch *made)
{
	made->nby_cost = 0;
	for (int d = 0; d < made->shapes.n; d++)
	{
		if (made->winners[d].n > 0)
			made->by_cost[made->nby_cost++] = d;
	}
	qsort_arg(made->by_cost, made->nby_cost, sizeof(int), compare_first_costs,
			  made->winners);
}

/*
 * The k cheapest ways to have an inner stage's result in the decomposition
 * needed: the enforcer is repartition. The costs are theirs, the candidates
 * the stage's own. Of ways that cost the same, the shape of the least number is first.
 */
static Winners *
enforced_winners(TreeSearch *search, const Stage *producer, int needed)
{
	StageSearch *made = &search->stages[producer->number];
	Winners **known = &made->enforced[needed];
	const Decomposition *shape = &made->needed.shapes[needed];
	double least;
	Winners *result;

	if (*known)
		return *known;
	*known = result = palloc0(sizeof(Winners));
	least = least_repartition(&made->repartitions, shape) *
			repartition_share(search->graph, producer->varies);
	for (int i = 0; i < made->nby_cost; i++)
	{
		int d = made->by_cost[i];
		const Winners *winners = &made->winners[d];
		double cost = winners->candidates[0]->cost;
		double repartition;

		if (result->n == search->k)
		{
			double worst = result->candidates[result->n - 1]->cost;

			if (cost > worst)
				break;
			if (cost + least > worst &&
				!same_decomposition(&made->shapes.shapes[d], shape))
				continue;
		}
		repartition = repartition_cost(search, producer, d, needed);
		for (int w = 0; w < winners->n; w++)
			add_copy(search, result, winners->candidates[w],
					 winners->candidates[w]->cost + repartition);
	}
	return result;
}

/*
 * The k cheapest sums of one candidate for each inner operand, plus base, cheapest first:
 * *nsums of them, until it is called again.
 */
static const CandidateSum *
cheapest_sums(TreeSearch *search, double base, Winners **inputs, int ninputs, int *nsums)
{
	int width = search->k + 1;
	CandidateSum *sums;

	if (search->room < width * (ninputs + 1))
	{
		search->room = 2 * width * (ninputs + 1);
		if (search->sums)
			pfree(search->sums);
		search->sums =
			MemoryContextAlloc(search->memory, sizeof(CandidateSum) * search->room);
	}
	sums = search->sums;
	Assert(sums != NULL);
	sums[0] = (CandidateSum){.cost = base};
	*nsums = 1;
	for (int i = 0; i < ninputs; i++)
	{
		CandidateSum *merged = sums + width;
		int nmerged = 0;

		CHECK_FOR_INTERRUPTS();
		for (int s = 0; s < *nsums; s++)
		{
			for (int w = 0; w < inputs[i]->n; w++)
			{
				double cost = sums[s].cost + inputs[i]->candidates[w]->cost;
				int at = nmerged;

				if (nmerged == search->k && cost >= merged[nmerged - 1].cost)
					break;
				for (; at > 0 && cost < merged[at - 1].cost; at--)
					merged[at] = merged[at - 1];
				merged[at] = (CandidateSum){cost, w, &sums[s]};
				nmerged = Min(nmerged + 1, search->k);
			}
		}
		sums = merged;
		*nsums = nmerged;
	}
	return sums;
}

/*
 * Adds a stage's candidates for one assignment. Inner stages below it have
 * their winners; shared ones have their shape in search->shapes, or it is
 * unknown and costs nothing.
 */
static void
try_assignment(TreeSearch *search, const Stage *stage, int number)
{
	StageSearch *own = &search->stages[stage->number];
	const Assignment *assignment = &own->assignments->assignments[number];
	Winners *inputs[STAGE_NEST_OPERANDS * 2];
	Winners **all_inputs = inputs;
	int ninputs = 0;
	int nproduced = 0;
	int noperands = 0;
	double base = assignment->cost;
	int shape = own->results[number];
	Winners *winners = &own->winners[shape];
	const Operand *operand;
	const CandidateSum *sums;
	int nsums;

	if (is_shared(stage) && own->shape != SHAPE_UNKNOWN && own->shape != shape)
		return;
	if (isinf(base) || !would_win(search, winners, base))
		return;

	for (int t = 0; t < stage->nterms; t++)
		noperands += stage->terms[t].noperands;
	if (noperands > lengthof(inputs))
		all_inputs = palloc(sizeof(Winners *) * noperands);

	FOREACH_PRODUCED (operand, stage)
	{
		const Stage *producer = operand->producer;
		int needed = own->needs[number][nproduced++];
		int delivered = search->stages[producer->number].shape;

		if (!is_shared(producer))
			all_inputs[ninputs++] = enforced_winners(search, producer, needed);
		else if (delivered != SHAPE_UNKNOWN && needed != NOT_NEEDED)
			base += repartition_cost(search, producer, delivered, needed);
	}

	sums = cheapest_sums(search, base, all_inputs, ninputs, &nsums);
	for (int s = 0; s < nsums && would_win(search, winners, sums[s].cost); s++)
	{
		const CandidateSum *sum = &sums[s];
		Candidate *candidate = palloc0(sizeof(Candidate));
		Candidate *last;

		candidate->cost = sum->cost;
		candidate->choice = &assignment->choice;
		candidate->stage = stage;
		candidate->shape = shape;
		candidate->ninputs = ninputs;
		if (ninputs > 0)
			candidate->inputs = palloc(sizeof(Candidate *) * ninputs);
		for (int i = ninputs - 1; i >= 0; i--, sum = sum->others)
			candidate->inputs[i] = all_inputs[i]->candidates[sum->pick];
		/* nothing refers to it before the stage has all its winners */
		last = add_winner(search, winners, candidate);
		if (last && last->inputs)
			pfree(last->inputs);
		if (last)
			pfree(last);
	}
	if (all_inputs != inputs)
		pfree(all_inputs);
}

/* Returns the k cheapest ways to compute a tree; its stages come before its root. */
static Winners *
search_tree(TreeSearch *search, const Stage *root, List *stages)
{
	StageGraph *graph = search->graph;
	StageSearch *made = &search->stages[root->number];
	Winners *result = palloc0(sizeof(Winners));
	ListCell *lc;

	foreach (lc, stages)
	{
		const Stage *stage = lfirst(lc);
		StageSearch *own = &search->stages[stage->number];

		memset(own->winners, 0, sizeof(Winners) * own->shapes.n);
		memset(own->enforced, 0, sizeof(Winners *) * own->needed.n);
		graph->tried += own->assignments->nassignments;
		for (int a = 0; a < own->assignments->nassignments; a++)
		{
			CHECK_FOR_INTERRUPTS();
			try_assignment(search, stage, a);
		}
		sort_shapes(own);
	}

	for (int d = 0; d < made->shapes.n; d++)
	{
		Winners *winners = &made->winners[d];
		double delivery = 0.0;

		if (winners->n == 0)
			continue;
		if (root->readers == 0)
			delivery =
				cost_result(root, graph->options->estimator, &made->shapes.shapes[d]);
		/* A result with several readers is computed for each of them. */
		for (int w = 0; w < winners->n; w++)
			add_copy(search, result, winners->candidates[w],
					 winners->candidates[w]->cost * root->uses + delivery);
	}
	return result;
}

static void
record_choices(const Candidate *candidate, Decomposition *choices)
{
	enter_recursion();
	choices[candidate->stage->number] = *candidate->choice;
	for (int i = 0; i < candidate->ninputs; i++)
		record_choices(candidate->inputs[i], choices);
}

/* Appends the stages of a tree, producers first. */
static List *
tree_stages(const Stage *stage, List *stages)
{
	enter_recursion();
	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Stage *producer = stage->terms[t].operands[o].producer;

			if (producer && !is_shared(producer))
				stages = tree_stages(producer, stages);
		}
	}
	return lappend(stages, unconstify(Stage *, stage));
}

/* Plans found, by cost, without those that have been found before. */
typedef struct FoundPlans
{
	int most;
	int n;
	double *costs;
	Decomposition **choices;
} FoundPlans;

static void
add_plan(const TreeSearch *search, FoundPlans *found, double cost, Decomposition *choices)
{
	Size size = sizeof(Decomposition) * list_length(search->graph->stages);
	int at = found->n;

	for (int i = 0; i < found->n; i++)
	{
		if (memcmp(found->choices[i], choices, size) == 0)
			return;
	}
	while (at > 0 && cost < found->costs[at - 1])
	{
		found->costs[at] = found->costs[at - 1];
		found->choices[at] = found->choices[at - 1];
		at--;
	}
	found->costs[at] = cost;
	found->choices[at] = choices;
	found->n = Min(found->n + 1, found->most);
}

/* Returns the least cost of a tree, given the shapes of shared results. */
static double
least_cost_of_tree(TreeSearch *search, const Stage *root, List *stages,
				   MemoryContext scratch)
{
	MemoryContext old = MemoryContextSwitchTo(scratch);
	const Winners *winners = search_tree(search, root, stages);
	double cost = winners->n > 0 ? winners->candidates[0]->cost : INFINITY;

	MemoryContextSwitchTo(old);
	MemoryContextReset(scratch);
	return cost;
}

/*
 * Can a plan with the given shapes of shared results be among the cheapest, beside those
 * found? The search for one plan answers this in a fraction of the time of that for k.
 */
static bool
may_be_found(TreeSearch *search, Stage **roots, List **trees, int ntrees,
			 const FoundPlans *found, MemoryContext scratch)
{
	double tried = search->graph->tried;
	int plans = search->k;
	double cost = 0.0;

	if (plans == 1 || found->n < found->most)
		return true;
	search->k = 1;
	for (int t = 0; t < ntrees; t++)
		cost += least_cost_of_tree(search, roots[t], trees[t], scratch);
	search->k = plans;
	if (cost >= found->costs[found->n - 1])
		return false;
	/* what is tried again counts once */
	search->graph->tried = tried;
	return true;
}

/*
 * The k cheapest plans given the shapes of the shared results. Only their
 * choices outlive it: there may be MAX_COMBINATIONS of these searches.
 */
static void
search_given_shapes(TreeSearch *search, Stage **roots, List **trees, int ntrees,
					FoundPlans *found)
{
	MemoryContext result = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "decomposition search", ALLOCSET_DEFAULT_SIZES);
	Winners **winners;
	const CandidateSum *sums = NULL;
	int nsums = 0;
	int found_in = 0;

	if (!may_be_found(search, roots, trees, ntrees, found, scratch))
	{
		MemoryContextDelete(scratch);
		return;
	}
	MemoryContextSwitchTo(scratch);
	winners = palloc(sizeof(Winners *) * ntrees);
	while (found_in < ntrees)
	{
		winners[found_in] = search_tree(search, roots[found_in], trees[found_in]);
		if (winners[found_in]->n == 0)
			break;
		found_in++;
	}
	if (found_in == ntrees)
		sums = cheapest_sums(search, 0.0, winners, ntrees, &nsums);
	for (int s = 0; s < nsums; s++)
	{
		const CandidateSum *sum = &sums[s];
		Decomposition *choices;
		double cost;

		if (found->n == found->most && sum->cost >= found->costs[found->n - 1])
			break;
		choices = MemoryContextAllocZero(result, sizeof(Decomposition) *
													 list_length(search->graph->stages));
		cost = sum->cost;
		for (int t = ntrees - 1; t >= 0; t--, sum = sum->others)
			record_choices(winners[t]->candidates[sum->pick], choices);
		add_plan(search, found, cost, choices);
	}
	MemoryContextSwitchTo(result);
	MemoryContextDelete(scratch);
}

/* Collects the numbers of the shapes that a shared result can have. */
static int
possible_shapes(const StageSearch *made, int *shapes)
{
	int n = 0;

	for (int d = 0; d < made->shapes.n; d++)
	{
		for (int a = 0; a < made->assignments->nassignments; a++)
		{
			if (made->results[a] == d && !isinf(made->assignments->assignments[a].cost))
			{
				shapes[n++] = d;
				break;
			}
		}
	}
	return n;
}

/*
 * The decompositions that a tree's best plan would like its shared inputs to
 * have; those not known yet are fixed to them.
 */
static void
fix_shapes(TreeSearch *search, const Candidate *candidate)
{
	const Stage *stage = candidate->stage;
	const Operand *operand;

	enter_recursion();
	FOREACH_PRODUCED (operand, stage)
	{
		StageSearch *made = &search->stages[operand->producer->number];
		Decomposition wanted;
		int need;
		int *shapes;
		double best = INFINITY;
		int n;

		if (!is_shared(operand->producer) || made->shape != SHAPE_UNKNOWN)
			continue;
		wanted = operand_decomposition(operand, candidate->choice);
		need = shape_number(&made->needed, &wanted);
		shapes = palloc(sizeof(int) * made->shapes.n);
		n = possible_shapes(made, shapes);
		for (int s = 0; s < n; s++)
		{
			double cost = repartition_cost(search, operand->producer, shapes[s], need);

			if (cost < best)
			{
				best = cost;
				made->shape = shapes[s];
			}
		}
	}
	for (int i = 0; i < candidate->ninputs; i++)
		fix_shapes(search, candidate->inputs[i]);
}

typedef struct SizedTree
{
	int tree;
	int size; /* number of stages in the tree */
} SizedTree;

/* Orders trees by size, largest first; equal ones keep their order. */
static int
compare_sizes(const void *a, const void *b)
{
	const SizedTree *left = a;
	const SizedTree *right = b;

	return left->size != right->size ? right->size - left->size
									 : left->tree - right->tree;
}

/*
 * Searches the trees one after the other, largest first; afterwards all shapes are fixed.
 */
static void
search_trees_in_turn(TreeSearch *search, Stage **roots, List **trees, int ntrees)
{
	SizedTree *order = palloc(sizeof(SizedTree) * ntrees);

	for (int t = 0; t < ntrees; t++)
		order[t] = (SizedTree){t, list_length(trees[t])};
	qsort(order, ntrees, sizeof(SizedTree), compare_sizes);
	for (int turn = 0; turn < ntrees; turn++)
	{
		int largest = order[turn].tree;
		Winners *winners = search_tree(search, roots[largest], trees[largest]);
		if (winners->n == 0)
			continue;
		if (is_shared(roots[largest]))
		{
			StageSearch *made = &search->stages[roots[largest]->number];
			Decomposition shape =
				result_decomposition(roots[largest], winners->candidates[0]->choice);

			made->shape = shape_number(&made->shapes, &shape);
		}
		fix_shapes(search, winners->candidates[0]);
	}
}

/* Does a tree make a shared result, or read it? */
static bool
tree_depends_on(const Stage *root, List *stages, const Stage *shared)
{
	ListCell *lc;

	if (root == shared)
		return true;
	foreach (lc, stages)
	{
		const Stage *stage = lfirst(lc);
		const Operand *operand;

		FOREACH_PRODUCED (operand, stage)
		{
			if (operand->producer == shared)
				return true;
		}
	}
	return false;
}

/*
 * All shapes are fixed to what suited some tree. Each shared result takes each of its
 * other shapes in turn, and keeps one that makes the trees that depend on it cheaper
 * together, until none does, or the limit of trees has been searched.
 */
static void
improve_shapes(TreeSearch *search, Stage **roots, List **trees, int ntrees,
			   Stage **shared, int **shapes, const int *nshapes, int nshared, int most)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "decomposition search", ALLOCSET_DEFAULT_SIZES);
	double *costs = palloc(sizeof(double) * ntrees);
	double *changed = palloc(sizeof(double) * ntrees);
	int plans = search->k;
	int unchanged = 0;

	search->k = 1;
	for (int t = 0; t < ntrees; t++)
		costs[t] = least_cost_of_tree(search, roots[t], trees[t], scratch);
	for (int s = 0; unchanged < nshared && most > 0; s = (s + 1) % nshared)
	{
		StageSearch *made = &search->stages[shared[s]->number];
		int *dependent = palloc(sizeof(int) * ntrees);
		int ndependent = 0;
		int best = made->shape;
		double least = 0.0;

		for (int t = 0; t < ntrees; t++)
		{
			if (tree_depends_on(roots[t], trees[t], shared[s]))
			{
				dependent[ndependent++] = t;
				least += costs[t];
			}
		}
		unchanged++;
		for (int i = 0; i < nshapes[s] && most > 0; i++)
		{
			double cost = 0.0;

			if (shapes[s][i] == best)
				continue;
			made->shape = shapes[s][i];
			for (int d = 0; d < ndependent && cost < least; d++, most--)
			{
				int t = dependent[d];

				cost += changed[t] =
					least_cost_of_tree(search, roots[t], trees[t], scratch);
			}
			if (cost < least)
			{
				least = cost;
				best = made->shape;
				for (int d = 0; d < ndependent; d++)
					costs[dependent[d]] = changed[dependent[d]];
				unchanged = 0;
			}
		}
		made->shape = best;
		pfree(dependent);
	}
	search->k = plans;
	MemoryContextDelete(scratch);
}

/*
 * Returns the numbers of the decompositions in which a stage needs its producers'
 * results, in the order of its operands.
 */
static int *
number_needs(TreeSearch *search, const Stage *stage, const Decomposition *choice,
			 int nproduced)
{
	int *needs = palloc(sizeof(int) * Max(nproduced, 1));
	int n = 0;

	for (int t = 0; t < stage->nterms; t++)
	{
		const Term *term = &stage->terms[t];

		for (int o = 0; o < term->noperands; o++)
		{
			const Stage *producer = term->operands[o].producer;
			Decomposition shape;

			if (producer == NULL)
				continue;
			if (operand_of_row(term, o, choice) != o)
			{
				needs[n++] = NOT_NEEDED;
				search->rows_read_once = true;
				continue;
			}
			shape = operand_decomposition(&term->operands[o], choice);
			needs[n++] = shape_number(&search->stages[producer->number].needed, &shape);
		}
	}
	return needs;
}

/*
 * Numbers the decompositions of all results, as they are made and as readers
 * need them.
 */
static void
number_shapes(TreeSearch *search)
{
	ListCell *lc;

	foreach (lc, search->graph->stages)
	{
		Stage *stage = lfirst(lc);
		StageSearch *own = &search->stages[stage->number];
		AssignmentList *list = own->assignments;
		const Operand *operand;
		int nproduced = 0;

		if (stage->side)
			continue;
		FOREACH_PRODUCED (operand, stage)
			nproduced++;
		own->results = palloc(sizeof(int) * list->nassignments);
		own->needs = palloc(sizeof(int *) * list->nassignments);
		for (int a = 0; a < list->nassignments; a++)
		{
			const Decomposition *choice = &list->assignments[a].choice;
			Decomposition shape = result_decomposition(stage, choice);

			CHECK_FOR_INTERRUPTS();
			own->results[a] = shape_number(&own->shapes, &shape);
			own->needs[a] = number_needs(search, stage, choice, nproduced);
		}
	}
	foreach (lc, search->graph->stages)
	{
		Stage *stage = lfirst(lc);
		StageSearch *own = &search->stages[stage->number];
		int64 size = (int64) own->shapes.n * own->needed.n;

		own->winners = palloc0(sizeof(Winners) * Max(own->shapes.n, 1));
		own->by_cost = palloc(sizeof(int) * Max(own->shapes.n, 1));
		own->enforced = palloc0(sizeof(Winners *) * Max(own->needed.n, 1));
		begin_repartitions(&own->repartitions, stage->tensor, statistics_of_result(stage),
						   search->graph->options->estimator);
		if (size > MAX_COSTS)
			continue;
		own->costs = palloc(sizeof(double) * Max(size, 1));
		for (int i = 0; i < size; i++)
			own->costs[i] = -1.0;
	}
}

List *
search_dp(StageGraph *graph, bool *heuristic)
{
	int nstages = list_length(graph->stages);
	TreeSearch search = {
		.graph = graph, .k = graph->options->plans, .memory = CurrentMemoryContext};
	Stage **roots = palloc(sizeof(Stage *) * nstages);
	List **trees = palloc(sizeof(List *) * nstages);
	int ntrees = 0;
	Stage **shared = palloc(sizeof(Stage *) * nstages);
	int **shapes = palloc(sizeof(int *) * nstages);
	int *nshapes = palloc(sizeof(int) * nstages);
	int *turn = palloc0(sizeof(int) * nstages);
	int nshared = 0;
	double combinations = 1.0;
	FoundPlans found = {0};
	List *result = NIL;
	ListCell *lc;
	int s;

	*heuristic = false;
	search.stages = palloc0(sizeof(StageSearch) * nstages);

	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		search.stages[stage->number].shape = SHAPE_UNKNOWN;
		if (stage->side)
			continue;
		search.stages[stage->number].assignments = stage_assignments(graph, stage);
		if (!search.stages[stage->number].assignments->complete)
			*heuristic = true;
	}
	number_shapes(&search);
	if (search.rows_read_once)
		search.k = Max(search.k, LEAST_LIST);
	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);
		StageSearch *own = &search.stages[stage->number];

		if (stage->side)
			continue;
		if (is_tree_root(stage))
		{
			roots[ntrees] = stage;
			trees[ntrees++] = tree_stages(stage, NIL);
		}
		if (is_shared(stage))
		{
			shapes[nshared] = palloc(sizeof(int) * own->shapes.n);
			nshapes[nshared] = possible_shapes(own, shapes[nshared]);
			if (nshapes[nshared] == 0)
				return NIL;
			combinations *= nshapes[nshared];
			shared[nshared++] = stage;
		}
	}

	found.most = nshared > 0 ? Max(search.k, LEAST_OF_SHARED) : search.k;
	found.costs = palloc(sizeof(double) * (found.most + 1));
	found.choices = palloc(sizeof(Decomposition *) * (found.most + 1));
	if (combinations > Min(MAX_COMBINATIONS, search_budget))
	{
		*heuristic = true;
		search_trees_in_turn(&search, roots, trees, ntrees);
		improve_shapes(&search, roots, trees, ntrees, shared, shapes, nshapes, nshared,
					   Min(MAX_COMBINATIONS, search_budget));
		search_given_shapes(&search, roots, trees, ntrees, &found);
	}
	else
	{
		do
		{
			for (s = 0; s < nshared; s++)
				search.stages[shared[s]->number].shape = shapes[s][turn[s]];
			search_given_shapes(&search, roots, trees, ntrees, &found);
			for (s = 0; s < nshared; s++)
			{
				if (++turn[s] < nshapes[s])
					break;
				turn[s] = 0;
			}
		} while (s < nshared);
	}

	for (int i = 0; i < found.n; i++)
		result = lappend(result, found.choices[i]);
	return result;
}
