/*-------------------------------------------------------------------------
 *
 * costs.c
 *	  What a loop nest costs, in PostgreSQL's unit.
 *
 * The time of a nest is computed in kernels/nest/nest_cost.c, for operands with the
 * scans, rows and keys that PostgreSQL expects. PostgreSQL's costs of joins and groups
 * miss much of the time that they take. Since the node's cost is compared with them, it
 * misses the same share. PostgreSQL knows which keys are frequent, and the loop order
 * does not, so a nest has at least as many iterations as PostgreSQL expects joined
 * tuples.
 *
 * A nest whose operands do not fit in memory, not even in parts, would be read in vain,
 * so it also costs the relational plan.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/prep.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "executor/children.h"
#include "kernels/nest/nest_cost.h"
#include "optimizer/nest_cost.h"
#include "optimizer/settings.h"
#include "optimizer/stage.h"
#include "planner/aggregate_join/costs.h"
#include "planner/estimate_shape.h"
#include "planner/loop_planning.h"
#include "planner/node_paths.h"
#include "planner/time_cost.h"
#include "recursion.h"

/*
 * Microseconds of planning a nest, in addition to the relational plan, which is made
 * anyway.
 */
#define PLANNING_TIME 50.0

/*
 * Microseconds of PostgreSQL's joins and aggregates, besides kernels and scans: for a row
 * that is looked up, a row that is joined, a row put into a hash table, and a row that is
 * grouped. The optimizer, which does not know on which side a row is, takes their mean
 * for all three (sparseeinsum.cost_tuple).
 */
#define LOOKUP_TIME 0.05
#define JOINED_TIME 0.05
#define HASHED_TIME 0.1
#define GROUPED_TIME 0.1

/* The steps that the search for a loop order may take: planning then takes some 50 us. */
#define SEARCH_EFFORT 10000.0

Cost
least_nest_cost(void)
{
	return cost_of_time(NEST_START_TIME + PLANNING_TIME);
}

static double
range_length(const List *range)
{
	double first = (double) DatumGetInt64(linitial_node(Const, range)->constvalue);
	double bound = (double) DatumGetInt64(lsecond_node(Const, range)->constvalue);

	return Max(bound - first, 0.0);
}

/* Adds the expected rows and keys of an operand to the input of nest_cost. */
static void
describe_operand_rows(const Level *level, int number, NestCostInput *input)
{
	const LevelOperand *operand = &level->operands[number];
	NestCostOperand *facts = &input->operands[number];
	LoopOrderOperand *to = &input->loops.operands[number];
	double *keys_of_label = palloc0(sizeof(double) * level->nlabels);

	to->optional = operand->optional;
	to->range = operand->range != NIL;
	to->rows = to->range ? range_length(operand->range) : operand->path->rows;
	facts->keys = keys_of_label;
	for (int i = 0; i < operand->ncolumns; i++)
	{
		const LevelColumn *column = &level->columns[operand->first_column + i];
		double keys = to->rows;
		LoopLabels bit;

		/* a number has no label */
		if (!column->key)
		{
			facts->nnumbers++;
			continue;
		}
		bit = UINT64_C(1) << column->label;
		if (!to->range)
			keys = keys_of_column(level, column);
		if (!(to->labels & bit) || keys < keys_of_label[column->label])
			keys_of_label[column->label] = keys;
		to->labels |= bit;
		if (has_dictionary(column))
			facts->numbered |= bit;
		else if (!to->range &&
				 is_key_in_range(operand->path, column->expression, &to->run))
			to->run_label = (uint8_t) column->label;
	}
}

double
result_bytes(const Proposal *proposal)
{
	double bytes = 0.0;
	ListCell *lc;

	foreach (lc, proposal->outputs)
	{
		Node *output = lfirst(lc);
		ShapeEstimate shape;

		if (IsA(output, Aggref) && is_tensor_type(getBaseType(exprType(output))) &&
			estimate_shape(proposal->level->root, output, &shape))
			bytes += estimated_bytes(shape.elements);
	}
	return bytes;
}

/*
 * Returns the elements of the largest tensor among the arguments of a kernel; 0 if all
 * are numbers.
 */
static double
most_elements(const LevelKernels *kernels, const LevelAggregate *aggregate)
{
	double most = 0.0;
	ListCell *lc;

	foreach (lc, aggregate->arguments)
	{
		const LevelValue *value;

		/* the result of another kernel, a number */
		if (lfirst_int(lc) < 0)
			continue;
		value = list_nth(kernels->values, lfirst_int(lc));
		if (value->is_tensor)
			most = Max(Max(most, 1.0), value->elements);
	}
	return most;
}

/* Returns the work of a kernel of numbers; a product of n factors has n - 1 functions. */
static ExpressionWork
work_of_numbers(const LevelAggregate *aggregate)
{
	int factors = list_length(aggregate->arguments);

	if (aggregate->work.functions > 0)
		return aggregate->work;
	return (ExpressionWork){Max(factors - 1, 0), Max(factors - 1, 0)};
}

/*
 * Adds the kernels of a joined tuple to the input of nest_cost. Those of numbers run over
 * many tuples at once. A product of tensors takes as long as in the aggregate, except for
 * the call. An expression computes all of its functions for each element, also those of
 * numbers.
 */
static void
describe_kernels(const LevelKernels *kernels, const AggClauseCosts *costs,
				 bool each_tuple, NestCostInput *input)
{
	double called = 0.0;
	bool tensors = false;
	ListCell *lc;

	foreach (lc, all_kernels(kernels))
	{
		const LevelAggregate *aggregate = lfirst(lc);
		double elements = most_elements(kernels, aggregate);

		tensors = tensors || elements > 0.0;
		if (elements == 0.0 || aggregate->kind == NEST_TAKE)
		{
			ExpressionWork work = work_of_numbers(aggregate);

			input->nkernels++;
			if (each_tuple)
				continue;
			input->nfunctions += work.functions;
			input->operations += work.operations;
		}
		else if (aggregate->work.functions > 0)
			input->operations += elements * aggregate->work.operations;
		else if (kernels->level->noperands > 1)
			called += CALL_TIME;
	}
	/*
	 * otherwise the target list has the costs of tensor kernels and of functions of
	 * numbers
	 */
	if (each_tuple)
		input->kernel = -called;
	else if (tensors)
		input->kernel = Max(time_of_cost(costs->transCost.per_tuple) - called, 0.0);
}

/* Returns the bytes of the tensors in one row of an operand. */
static double
tensor_bytes(const LevelKernels *kernels, int operand)
{
	double bytes = 0.0;
	ListCell *lc;

	foreach (lc, kernels->values)
	{
		const LevelValue *value = lfirst(lc);

		if (value->operand == operand && value->elements > 0.0)
			bytes += estimated_bytes(value->elements);
	}
	return bytes;
}

static bool
operand_has_label(const Level *level, const LevelOperand *operand, int label)
{
	for (int i = 0; i < operand->ncolumns; i++)
	{
		const LevelColumn *column = &level->columns[operand->first_column + i];

		if (column->key && column->label == label)
			return true;
	}
	return false;
}

/* Do two operands read the same columns of the same rows, keys and numbers alike? */
static bool
share_rows(const Level *level, const LevelOperand *a, const LevelOperand *b)
{
	if (a->rows.number < 0 || a->rows.number != b->rows.number ||
		a->ncolumns != b->ncolumns)
		return false;
	for (int i = 0; i < a->ncolumns; i++)
	{
		int j = 0;

		while (j < b->ncolumns &&
			   (level->columns[a->first_column + i].key !=
					level->columns[b->first_column + j].key ||
				!equal(list_nth(a->rows.columns, i), list_nth(b->rows.columns, j))))
			j++;
		if (j == b->ncolumns)
			return false;
	}
	return true;
}

/* Finds for each operand an earlier one that reads the same rows, or -1. */
static void
find_shared(const Level *level, int *shared)
{
	for (int o = 0; o < level->noperands; o++)
	{
		shared[o] = -1;
		for (int p = 0; p < o && shared[o] < 0; p++)
			if (share_rows(level, &level->operands[p], &level->operands[o]))
				shared[o] = p;
	}
}

/*
 * Returns the microseconds of a join that PostgreSQL's cost does not include: mostly more
 * than half of its time.
 */
static double
time_join_lacks(const JoinPath *join)
{
	const Path *outer = join->outerjoinpath;
	const Path *inner = join->innerjoinpath;
	Cost counted = join->path.total_cost - outer->total_cost - inner->total_cost -
				   join->path.pathtarget->cost.per_tuple * join->path.rows;
	double time = outer->rows * LOOKUP_TIME + inner->rows * HASHED_TIME +
				  join->path.rows * JOINED_TIME;

	return Max(time - time_of_cost(counted), 0.0);
}

/*
 * Returns the microseconds that the costs of a level's joins, and of the aggregate above
 * them, do not include.
 */
static double
time_costs_lack(const Path *path)
{
	const AggPath *aggregate;

	enter_recursion();
	switch (nodeTag(path))
	{
		case T_HashPath:
		case T_MergePath:
			return time_join_lacks((const JoinPath *) path) +
				   time_costs_lack(((const JoinPath *) path)->outerjoinpath) +
				   time_costs_lack(((const JoinPath *) path)->innerjoinpath);
		case T_NestPath:
			return time_costs_lack(((const JoinPath *) path)->outerjoinpath);
		case T_AggPath:
			aggregate = (const AggPath *) path;
			return time_costs_lack(aggregate->subpath) +
				   (aggregate->aggstrategy == AGG_PLAIN
						? 0.0
						: aggregate->subpath->rows * GROUPED_TIME);
		case T_GatherPath:
		case T_GatherMergePath:
			/*
			 * rows is the number of gathered rows; their width is ignored by PostgreSQL's
			 * cost
			 */
			return path->rows * path->pathtarget->width * transfer_cost +
				   time_costs_lack(*only_subpath((Path *) path));
		case T_ProjectionPath:
		case T_SortPath:
			return time_costs_lack(*only_subpath((Path *) path));
		default:
			return 0.0;
	}
}

/* Do several processes scan an operand, each a part of its rows? */
static bool
is_read_by_all(const Proposal *proposal, int operand)
{
	return proposal->nprocesses > 1 && proposal->readers[operand] == READ_BY_ALL;
}

/* Describes the nest of a proposal as input of nest_cost. */
static NestCostInput *
describe_nest(const Proposal *proposal, const AggClauseCosts *costs, double tuples,
			  double rows)
{
	const Level *level = proposal->level;
	NestCostInput *input = palloc0(sizeof(NestCostInput));
	int shared[NEST_MAX_OPERANDS];
	ListCell *lc;

	find_shared(level, shared);
	input->loops = (LoopOrderProblem){.nlabels = level->nlabels,
									  .noperands = level->noperands,
									  .each_tuple = proposal->each_tuple,
									  .effort = SEARCH_EFFORT,
									  .result = proposal->result_bytes};
	foreach (lc, proposal->groups)
		input->loops.output |= UINT64_C(1) << level->columns[lfirst_int(lc)].label;
	foreach (lc, proposal->divided)
		input->divisible[input->ndivisible++] =
			(uint8_t) level->columns[lfirst_int(lc)].label;
	for (int o = 0; o < level->noperands; o++)
	{
		const LevelOperand *operand = &level->operands[o];

		describe_operand_rows(level, o, input);
		input->operands[o].share = 1.0;
		input->operands[o].shared = shared[o];
		if (operand->range)
			continue;
		input->operands[o].scan = time_of_cost(proposal->scans[o]->total_cost);
		input->operands[o].tensor_bytes = input->operands[o].copied_bytes =
			tensor_bytes(&proposal->kernels, o);
		input->operands[o].read_by_all = is_read_by_all(proposal, o);
		if (operand->rows.loop != 0 && operand->rows.number >= 0 && runs_again())
			input->operands[o].share = SHARE_OF_ROUND;
	}
	set_nest_memory(input);
	input->key_memory = dictionary_bytes(level, proposal->nprocesses);
	input->nresults = list_length(proposal->kernels.aggregates);
	describe_kernels(&proposal->kernels, costs, proposal->each_tuple, input);
	input->tuples = tuples;
	input->returned = rows;
	input->nprocesses = proposal->nprocesses;
	return input;
}

/*
 * Chooses how the nest runs, and returns the cost of that. *fits is false if its operands
 * should not fit in memory.
 */
static Cost
choose_run(Proposal *proposal, double tuples, double rows, bool *fits)
{
	AggClauseCosts costs;
	NestCost run;

	MemSet(&costs, 0, sizeof(costs));
	get_agg_clause_costs(proposal->level->root, AGGSPLIT_SIMPLE, &costs);
	nest_cost(describe_nest(proposal, &costs, tuples, rows), &run);
	proposal->stream = run.stream;
	proposal->parts = (NestParts){.label = run.label, .count = run.parts};
	*fits = run.fits;
	return cost_of_time(run.time + PLANNING_TIME) + costs.transCost.startup +
		   costs.finalCost.startup + run.share * costs.finalCost.per_tuple * rows;
}

/*
 * Returns how many times longer than expected the relational joins may take. Where
 * operands form a cycle, as for triangles, PostgreSQL takes dependent conditions to be
 * independent and expects far too few rows, the more cycles the fewer; then its nested
 * loops take much longer. A nest is safer: it reads all its operands, whose sizes are
 * known, and each of its loops is bounded by all of them. With more operands than
 * PostgreSQL orders exhaustively, no join orders were compared.
 */
static double
risk_of_joins(const Level *level)
{
	bool met[NEST_MAX_LABELS] = {false};
	int cycles = 1 - level->noperands;

	if (level->noperands > STAGE_MAX_OPERANDS)
		return INFINITY;
	for (int o = 0; o < level->noperands; o++)
	{
		for (int l = 0; l < level->nlabels; l++)
		{
			if (!operand_has_label(level, &level->operands[o], l))
				continue;
			/*
			 * where operands and labels form a tree, each operand but the first has one
			 * label of those before it
			 */
			cycles += met[l] ? 1 : 0;
			met[l] = true;
		}
	}
	return ldexp(1.0, Max(cycles, 0));
}

/*
 * The rule that prefers a nest which fits: one that costs less than the relational plan,
 * however much longer its joins may take than expected, costs at most nine tenths of it.
 * PostgreSQL compares paths by these costs alone, takes those within a hundredth for
 * equal, and keeps the relational path where its order may be of use above.
 */
static void
prefer_fitting_nest(Path *path, const Level *level, const Path *relational)
{
	Cost most = relational->total_cost * 0.9;

	if (path->total_cost >= relational->total_cost * risk_of_joins(level))
		return;
	path->startup_cost = Min(path->startup_cost, most);
	path->total_cost = Min(path->total_cost, most);
}

void
cost_aggregate_join(CustomPath *path, Proposal *proposal, double tuples,
					const Path *relational)
{
	const Level *level = proposal->level;
	PlannerInfo *root = level->root;
	const PathTarget *target = path->path.pathtarget;
	Cost lacking = cost_of_time(time_costs_lack(relational));
	double counted = relational->total_cost / Max(relational->total_cost + lacking, 1e-9);
	bool fits;
	Cost cost = choose_run(proposal, tuples, relational->rows, &fits);
	QualCost qual;

	/*
	 * PostgreSQL's costs include this share of the relational plan's time; count the same
	 * share of the nest's
	 */
	cost *= counted;
	if (!fits)
		cost += relational->total_cost;

	for (int o = 0; o < level->noperands; o++)
		if (level->operands[o].range == NIL)
			set_disabled_nodes(&path->path, disabled_nodes_of(&path->path) +
												disabled_nodes_of(proposal->scans[o]));
	cost_qual_eval(&qual, proposal->having, root);
	path->path.startup_cost = cost + target->cost.startup + qual.startup;
	path->path.total_cost =
		path->path.startup_cost +
		(target->cost.per_tuple + qual.per_tuple + cpu_tuple_cost * counted) *
			path->path.rows;
	/* PostgreSQL ignores the width of rows that are sent */
	if (proposal->nprocesses > 1)
		path->path.total_cost += cost_of_transfer(
			path->path.rows * (proposal->nprocesses - 1) * target->width);
	if (fits)
		prefer_fitting_nest(&path->path, level, relational);
	if (enable_aggregate_join == NODES_FORCE)
	{
		path->path.startup_cost = path->path.total_cost = 0.0;
		set_disabled_nodes(&path->path, 0);
	}
}
