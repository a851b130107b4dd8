/*-------------------------------------------------------------------------
 *
 * costs.c
 *	  What a loop nest costs, in PostgreSQL's unit.
 *
 * The children's costs; that of reading their rows; of the loops in the order that
 * kernels/nest/loop_order.c would choose, if operands had the rows and keys that PostgreSQL expects; and of the rows
 * returned. PostgreSQL's costs of joins and groups lack much of the time that they take. The node's are compared with
 * them, and lack the same part. Since PostgreSQL knows which keys are frequent, and the loop order does not, there are at
 * least as many iterations as PostgreSQL expects joined tuples.
 *
 * What does not fit in memory is written to files but for the first part; what all parts need and does not fit
 * would be read in vain, and costs the relational plan as well.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/prep.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "executor/children.h"
#include "kernels/nest/loop_order.h"
#include "optimizer/settings.h"
#include "optimizer/stage.h"
#include "planner/aggregate_join/costs.h"
#include "planner/estimate_shape.h"
#include "planner/loop_planning.h"
#include "planner/time_cost.h"
#include "recursion.h"
#include "type/detoast_cache.h"

/* Microseconds (AMD EPYC, 2026-11; make bench-nests). */
#define START_TIME 100.0   /* of a node, and of planning it beside the relational plan */
#define READ_TIME 0.025    /* a row of some numbers, beside what its scan costs */
#define STREAM_TIME 0.02   /* the same if it is not kept */
#define BYTE_TIME 0.0002   /* of a tensor that is copied */
#define GROUP_TIME 0.02    /* a row returned */
#define SPILL_TIME 0.06    /* a row written to a file and read, beside its pages */
#define SHARE_TIME 0.01    /* a row written to memory that processes share */
#define INDEX_TIME 0.014   /* a row that is indexed */
#define BARRIER_TIME 100.0 /* of processes that wait for each other */

/* Nanoseconds of a joined tuple: of a kernel of numbers, and of an iteration that finds it. */
#define NUMBERS_TIME 3.0
#define TUPLE_TIME 5.0

/* Nanoseconds of a function for an element. */
#define FUNCTION_TIME 1.0

/* The part of an aggregate's call that a kernel of tensors in a nest does not have, in microseconds. */
#define CALL_TIME 0.1

/*
 * Microseconds of PostgreSQL's joins and aggregates, beside kernels and scans: a row that is looked up, one that is joined, one that
 * is put into a hash table, and one that is grouped.
 */
#define LOOKUP_TIME 0.05
#define JOINED_TIME 0.05
#define HASHED_TIME 0.1
#define GROUPED_TIME 0.1

/* Steps that the search for an order may take, with which planning takes some 50 us. */
#define SEARCH_EFFORT 10000.0

/* Bytes of a row while it is indexed, which only one operand is at a time, beside its index. */
#define INDEXED_BYTES 9.0

/*
 * Groups that are there at once, at the most, over those on average; and arrays are
 * doubled.
 */
#define GROUPS_OF_LARGEST 10.0

/* Parts, and how much larger than the mean one may be. */
#define MOST_PARTS 1024.0
#define UNEVEN 1.3
/* Of a label with fewer keys for each part they are larger. */
#define KEYS_PER_PART 4.0

/* What is expected of the operands. */
typedef struct Estimates
{
	double rows[NEST_MAX_OPERANDS];
	double keys[NEST_MAX_OPERANDS][NEST_MAX_LABELS];
} Estimates;

Cost
least_nest_cost(void)
{
	return cost_of_time(START_TIME);
}

/* As far as the columns of a relation are independent. */
static double
estimated_distinct(const void *context, int operand, LoopLabels labels)
{
	const Estimates *estimates = context;
	double product = 1.0;

	for (; labels != 0; labels &= labels - 1)
		product *= estimates->keys[operand][__builtin_ctzll(labels)];
	return Min(product, estimates->rows[operand]);
}

static double
range_length(const List *range)
{
	double first = (double) DatumGetInt64(linitial_node(Const, range)->constvalue);
	double bound = (double) DatumGetInt64(lsecond_node(Const, range)->constvalue);

	return Max(bound - first, 0.0);
}

/*
 * Adds an operand to the problem. An index that rounds of a loop share is built in one of them: what it costs
 * is part of reading the operand.
 */
static void
add_operand(const Level *level, int number, double share, LoopOrderProblem *problem,
			Estimates *estimates)
{
	const LevelOperand *operand = &level->operands[number];
	LoopOrderOperand *to = &problem->operands[number];

	to->optional = operand->optional;
	to->range = operand->range != NIL;
	to->shared = 1.0 - share;
	to->rows = to->range ? range_length(operand->range) : operand->path->rows;
	estimates->rows[number] = to->rows;
	for (int i = 0; i < operand->ncolumns; i++)
	{
		const LevelColumn *column = &level->columns[operand->first_column + i];
		double keys = to->rows;

		if (!column->key)
			continue;
		if (!to->range)
			keys = keys_of_column(level, column);
		if (!(to->labels >> column->label & 1) ||
			keys < estimates->keys[number][column->label])
			estimates->keys[number][column->label] = keys;
		to->labels |= UINT64_C(1) << column->label;
	}
}

/* Bytes of the tensors that are results of a group, as far as their shapes are known. */
static double
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

/* What the loops are to be ordered for. */
static LoopOrderProblem *
estimate_problem(const Proposal *proposal, const double *shares)
{
	const Level *level = proposal->level;
	LoopOrderProblem *problem = palloc0(sizeof(LoopOrderProblem));
	Estimates *estimates = palloc0(sizeof(Estimates));
	ListCell *lc;

	problem->nlabels = level->nlabels;
	problem->noperands = level->noperands;
	problem->each_tuple = proposal->each_tuple;
	problem->distinct = estimated_distinct;
	problem->context = estimates;
	problem->effort = SEARCH_EFFORT;
	problem->result = proposal->each_tuple ? 0.0 : result_bytes(proposal);
	foreach (lc, proposal->groups)
		problem->output |= UINT64_C(1) << level->columns[lfirst_int(lc)].label;
	for (int o = 0; o < level->noperands; o++)
		add_operand(level, o, shares[o], problem, estimates);
	return problem;
}

/* The elements of the largest tensor that an aggregate's kernel takes; 0 if all are numbers. */
static double
most_elements(const LevelKernels *kernels, const LevelAggregate *aggregate)
{
	double most = 0.0;
	ListCell *lc;

	foreach (lc, aggregate->arguments)
	{
		const LevelValue *value;

		/* a computed number */
		if (lfirst_int(lc) < 0)
			continue;
		value = list_nth(kernels->values, lfirst_int(lc));
		if (value->is_tensor)
			most = Max(Max(most, 1.0), value->elements);
	}
	return most;
}

/* Functions in the text of an expression. */
static int
count_functions(const char *expression)
{
	int count = 0;

	for (; *expression; expression++)
		count += *expression == '(';
	return count;
}

/*
 * The kernels of a joined tuple. Those of numbers run over many tuples at once. A product of
 * tensors takes what it does in the aggregate, but for the call; an expression has all of its functions
 * computed for each element, those of numbers too.
 */
static Cost
kernel_cost(const LevelKernels *kernels, const AggClauseCosts *costs, bool each_tuple)
{
	double time = 0.0;
	double called = 0.0;
	bool tensors = false;
	ListCell *lc;

	foreach (lc, all_kernels(kernels))
	{
		const LevelAggregate *aggregate = lfirst(lc);
		double elements = most_elements(kernels, aggregate);
		int functions = count_functions(aggregate->expression);

		tensors = tensors || elements > 0.0;
		if (elements == 0.0 || aggregate->kind == NEST_TAKE)
			time += NUMBERS_TIME;
		else if (functions > 0)
			time += elements * functions * FUNCTION_TIME;
		else if (kernels->level->noperands > 1)
			called += CALL_TIME;
	}
	/* those of one tuple are in the target list's */
	if (each_tuple)
		return cost_of_time(time / 1e3 - called);
	return cost_of_time(time / 1e3) +
		   (tensors ? Max(costs->transCost.per_tuple - cost_of_time(called), 0.0) : 0.0);
}

/* Bytes of the elements that tensors of an operand's rows have, each. */
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

/* What it costs to keep the tensors of an operand's rows. */
static Cost
copying_cost(const LevelKernels *kernels, int operand)
{
	return cost_of_time(kernels->level->operands[operand].path->rows *
						tensor_bytes(kernels, operand) * BYTE_TIME);
}

/* Bytes that operands take: those that are divided by a label, and those that each part needs. */
typedef struct Memory
{
	double rows;    /* keys and numbers, and in indexes */
	double indexed; /* that the largest takes beside while its index is built */
	double values;  /* tensors */
	Cost spill;     /* of writing all to files and reading it again */
} Memory;

static void
add_memory(Memory *memory, const LevelKernels *kernels, int number)
{
	const Level *level = kernels->level;
	const LevelOperand *operand = &level->operands[number];
	double row = 0.0;
	double file = 1.0;
	double tensors = tensor_bytes(kernels, number);

	/* in an index a key has where its fiber begins, too */
	for (int i = 0; i < operand->ncolumns; i++)
	{
		bool key = level->columns[operand->first_column + i].key;

		row += key ? 3 * sizeof(int32) : 2 * sizeof(double);
		file += key ? sizeof(int32) : sizeof(double);
	}
	memory->rows += operand->path->rows * row;
	memory->indexed = Max(memory->indexed, operand->path->rows * INDEXED_BYTES);
	memory->values += operand->path->rows * tensors;
	memory->spill +=
		operand->path->rows *
		((file + tensors) * 2.0 * seq_page_cost / BLCKSZ + cost_of_time(SPILL_TIME));
}

static bool
has_label(const Level *level, const LevelOperand *operand, int label)
{
	for (int i = 0; i < operand->ncolumns; i++)
	{
		const LevelColumn *column = &level->columns[operand->first_column + i];

		if (column->key && column->label == label)
			return true;
	}
	return false;
}

static bool
has_parameters(Node *node, void *context)
{
	if (node == NULL)
		return false;
	/* what a subplan compares with are columns of its own rows */
	if (IsA(node, SubPlan))
		return has_parameters((Node *) ((SubPlan *) node)->args, context);
	return IsA(node, Param) || expression_tree_walker(node, has_parameters, context);
}

/* Is a path a scan of a table, or of a subquery, that operands may share? */
static bool
is_shared_scan(const LevelOperand *operand)
{
	switch (operand->path->pathtype)
	{
		case T_SubqueryScan:
			return operand->rel->reloptkind == RELOPT_BASEREL &&
				   operand->rel->subroot->init_plans == NIL &&
				   operand->path->param_info == NULL;
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
			return operand->rel->reloptkind == RELOPT_BASEREL &&
				   operand->rel->rtekind == RTE_RELATION &&
				   operand->path->param_info == NULL;
		default:
			return false;
	}
}

/* Replaces subplans by their queries, which are equal where plans have other numbers, and their parameters by NULL. */
static Node *
subplans_as_queries(Node *node, void *context)
{
	const PlannerInfo *root = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, AlternativeSubPlan))
		/* the last one is hashed, and has no parameters */
		return subplans_as_queries(llast(((AlternativeSubPlan *) node)->subplans),
								   context);
	if (IsA(node, SubPlan))
	{
		const SubPlan *subplan = (const SubPlan *) node;
		const PlannerInfo *subroot =
			list_nth_node(PlannerInfo, root->glob->subroots, subplan->plan_id - 1);

		return (Node *) list_make3(
			copyObject(subroot->parse), subplan->args,
			subplans_as_queries(copyObject(subplan->testexpr), context));
	}
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC)
		return (Node *) makeNullConst(((Param *) node)->paramtype, -1, InvalidOid);
	return expression_tree_mutator(node, subplans_as_queries, context);
}

/* An operand's columns, keys first; and the conditions of its scan, as of relation 1. */
static List *
describe_scan(const Level *level, const LevelOperand *operand)
{
	List *conditions = extract_actual_clauses(operand->rel->baserestrictinfo, false);
	List *keys = NIL;
	List *others = NIL;
	List *all;

	for (int i = 0; i < operand->ncolumns; i++)
	{
		const LevelColumn *column = &level->columns[operand->first_column + i];

		if (column->key)
			keys = lappend(keys, column->expression);
		else
			others = lappend(others, column->expression);
	}
	all = (List *) subplans_as_queries(
		(Node *) copyObject(list_make3(keys, others, conditions)), level->root);
	if (operand->rel->relid != 1)
		ChangeVarNodes((Node *) all, operand->rel->relid, 1, 0);
	return all;
}

static bool
same_members(const List *a, const List *b)
{
	return list_length(a) == list_length(b) &&
		   list_difference((List *) a, (List *) b) == NIL;
}

/* Do two operands scan one table, or subqueries that are the same with the conditions that went into them? */
static bool
scan_the_same(const Level *level, const LevelOperand *a, const LevelOperand *b)
{
	if (a->rel->rtekind != b->rel->rtekind)
		return false;
	if (a->rel->rtekind == RTE_SUBQUERY)
		return equal(a->rel->subroot->parse, b->rel->subroot->parse) &&
			   !contain_mutable_functions((Node *) a->rel->subroot->parse);
	return planner_rt_fetch(a->rel->relid, level->root)->relid ==
		   planner_rt_fetch(b->rel->relid, level->root)->relid;
}

/* Will two operands share the rows of one scan (kept_operands.c)? */
static bool
read_the_same(const Level *level, const LevelOperand *a, const LevelOperand *b)
{
	List *scan;
	List *other;

	if (!is_shared_scan(a) || !is_shared_scan(b) || !scan_the_same(level, a, b))
		return false;
	scan = describe_scan(level, a);
	other = describe_scan(level, b);
	return !contain_mutable_functions((Node *) scan) &&
		   same_members(linitial(scan), linitial(other)) &&
		   same_members(lsecond(scan), lsecond(other)) &&
		   same_members(lthird(scan), lthird(other));
}

/* Finds for each operand one before it that reads the same rows, or -1. */
static void
find_shared(const Level *level, int *shared)
{
	for (int o = 0; o < level->noperands; o++)
	{
		shared[o] = -1;
		for (int p = 0; p < o && shared[o] < 0; p++)
			if (read_the_same(level, &level->operands[p], &level->operands[o]))
				shared[o] = p;
	}
}

/* Is it of rows in memory that stay? Nodes of others may scan tables. */
static bool
reads_rows_that_stay(PlannerInfo *root, const RelOptInfo *rel)
{
	const RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);

	return rte->rtekind == RTE_NAMEDTUPLESTORE && stays_in_loop(rte);
}

static bool is_kept_scan(PlannerInfo *root, const Path *path);

/* Has an expression a subplan whose rows may change between rounds, or which is not hashed? */
static bool
has_changing_subplan(Node *node, void *context)
{
	const PlannerInfo *root = context;

	if (node == NULL)
		return false;
	/* the last one is hashed */
	if (IsA(node, AlternativeSubPlan))
		return has_changing_subplan(llast(((AlternativeSubPlan *) node)->subplans),
									context);
	if (IsA(node, SubPlan))
	{
		const SubPlan *subplan = (const SubPlan *) node;
		PlannerInfo *subroot =
			list_nth_node(PlannerInfo, root->glob->subroots, subplan->plan_id - 1);
		const Path *path =
			fetch_upper_rel(subroot, UPPERREL_FINAL, NULL)->cheapest_total_path;

		return !subplan->useHashTable || path == NULL || !is_kept_scan(subroot, path);
	}
	return expression_tree_walker(node, has_changing_subplan, context);
}

/* Does a path return the same rows in each round of a loop (operand_key.c)? */
static bool
is_kept_scan(PlannerInfo *root, const Path *path)
{
	const RelOptInfo *rel = path->parent;
	List *expressions;
	ListCell *lc;

	enter_recursion();
	if (path->param_info)
		return false;
	expressions = list_make2(path->pathtarget->exprs,
							 extract_actual_clauses(rel->baserestrictinfo, false));
	if (contain_mutable_functions((Node *) expressions) ||
		has_changing_subplan((Node *) expressions, root) ||
		has_parameters((Node *) expressions, NULL))
		return false;
	switch (path->pathtype)
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_NamedTuplestoreScan:
			return IS_SIMPLE_REL(rel) &&
				   stays_in_loop(planner_rt_fetch(rel->relid, root));
		case T_CustomScan:
			return IS_SIMPLE_REL(rel) && reads_rows_that_stay(root, rel);
		case T_SubqueryScan:
			return is_kept_scan(rel->subroot, ((const SubqueryScanPath *) path)->subpath);
		case T_Append:
			foreach (lc, ((const AppendPath *) path)->subpaths)
				if (!is_kept_scan(root, lfirst(lc)))
					return false;
			return true;
		case T_HashJoin:
		case T_MergeJoin:
			expressions = extract_actual_clauses(
				((const JoinPath *) path)->joinrestrictinfo, false);
			return !contain_mutable_functions((Node *) expressions) &&
				   !has_parameters((Node *) expressions, NULL) &&
				   is_kept_scan(root, ((const JoinPath *) path)->outerjoinpath) &&
				   is_kept_scan(root, ((const JoinPath *) path)->innerjoinpath);
		case T_Agg:
		case T_Unique:
		case T_Sort:
		case T_Material:
			return is_kept_scan(root, *only_subpath((Path *) path));
		case T_Result:
			return IsA(path, ProjectionPath) &&
				   is_kept_scan(root, *only_subpath((Path *) path));
		default:
			return false;
	}
}

/*
 * Finds for each operand the part of the cost of its scan and its index that one run of
 * the query bears.
 */
static void
find_shares(const Level *level, double *shares)
{
	for (int o = 0; o < level->noperands; o++)
	{
		const LevelOperand *operand = &level->operands[o];

		shares[o] = operand->range == NIL && is_kept_scan(level->root, operand->path)
						? SHARE_OF_ROUND
						: 1.0;
	}
}

/*
 * Is an operand the only one that wants its rows, in the node and in further rounds of a
 * loop?
 */
static bool
is_wanted_once(const Level *level, int operand, const int *shared, const double *shares)
{
	if (shares[operand] < 1.0 || shared[operand] >= 0)
		return false;
	for (int o = 0; o < level->noperands; o++)
		if (shared[o] == operand)
			return false;
	return true;
}

/* How many parts by a label, 1 for all at once, it takes to fit in memory; INFINITY if too many. */
static double
count_parts(const Memory *all, const Memory *divided, double groups)
{
	double limit = (double) get_hash_memory_limit();
	double value_limit = detoast_cache_size > 0 ? detoast_cache_size * 1024.0 : limit;
	double room = limit - all->rows - all->indexed;
	double value_room = value_limit - all->values;
	double taken = divided->rows + divided->indexed + groups;
	double parts = 1.0;

	if (taken <= room && divided->values <= value_room)
		return parts;
	/* some of the parts are larger than others */
	while (parts <= MOST_PARTS && (taken * UNEVEN > room * parts ||
								   divided->values * UNEVEN > value_room * parts))
		parts *= 2.0;
	return parts <= MOST_PARTS ? parts : INFINITY;
}

/* Bytes of the groups that are there at once. */
static double
group_bytes(const Proposal *proposal, double groups)
{
	const LevelKernels *kernels = &proposal->kernels;

	return (list_length(proposal->groups) + 1 + list_length(kernels->aggregates)) * 8.0 *
		   groups;
}

/*
 * Chooses the label by which there are parts, one of the groups that a scan has the rows of: that with
 * which least is spilled. Returns what that costs; INFINITY if what all parts need does not fit.
 * What is divided is not shared.
 */
static Cost
choose_parts(Proposal *proposal, const LoopOrder *order, const int *shared)
{
	const LevelKernels *kernels = &proposal->kernels;
	NestParts *parts = &proposal->parts;
	const Level *level = kernels->level;
	double groups = proposal->each_tuple
						? 0.0
						: Min(order->groups_at_once * GROUPS_OF_LARGEST, order->groups);
	double bytes = group_bytes(proposal, groups);
	Cost least = INFINITY;
	double most = 0.0;
	Memory none = {0};
	Memory whole = {0};
	bool fits;
	ListCell *lc;

	for (int o = 0; o < level->noperands; o++)
		if (level->operands[o].range == NIL && shared[o] < 0)
			add_memory(&whole, kernels, o);
	fits = count_parts(&none, &whole, bytes) <= 1.0;
	parts->label = -1;
	parts->count = 1;
	foreach (lc, proposal->divided)
	{
		const LevelColumn *column = &level->columns[lfirst_int(lc)];
		int label = column->label;
		bool restricted = false;
		Memory all = {0};
		Memory divided = {0};
		double count;
		Cost again;

		for (int o = 0; o < level->noperands; o++)
		{
			const LevelOperand *operand = &level->operands[o];
			bool mine = has_label(level, operand, label);

			if (operand->range)
				continue;
			/* a range has the indices of all parts */
			restricted = restricted || (mine && !operand->optional);
			if (mine || shared[o] < 0 ||
				has_label(level, &level->operands[shared[o]], label))
				add_memory(mine ? &divided : &all, kernels, o);
		}
		if (!restricted)
			continue;
		count = fits ? 1.0 : count_parts(&all, &divided, bytes);
		if (count > 1.0 && count * KEYS_PER_PART > keys_of_column(level, column))
			count = INFINITY;
		/* the first part stays in memory */
		again = isfinite(count) ? (count - 1.0) / count * divided.spill : INFINITY;
		/* where no parts are expected, the label that would divide most */
		if (parts->label >= 0 &&
			(again > least || (again == least && divided.rows <= most)))
			continue;
		least = again;
		most = divided.rows;
		parts->label = label;
		parts->count = isfinite(count) ? (int) count : 1;
	}
	if (parts->label >= 0)
		return least;
	return fits ? 0.0 : INFINITY;
}

/*
 * The operand to stream, if that costs less than loops; otherwise -1. order becomes what
 * is expected of it. Loops need not have all groups at once, and the rows of all operands need not fit in memory then.
 */
static int
choose_stream(const Proposal *proposal, const LoopOrderProblem *problem,
			  const int *shared, const double *shares, LoopOrder *order)
{
	const LevelKernels *kernels = &proposal->kernels;
	const Level *level = proposal->level;
	Cost least = INFINITY;
	int best = -1;

	for (int o = 0; o < level->noperands; o++)
	{
		Memory none = {0};
		Memory kept = {0};
		LoopOrder streamed;
		double bytes;
		Cost cost;

		if (!is_wanted_once(level, o, shared, shares) ||
			!loop_order_cost_stream(problem, o, &streamed))
			continue;
		/* what is streamed need not be copied */
		cost = cost_of_time(streamed.cost / 1e3) - copying_cost(kernels, o);
		if (best >= 0 && cost >= least)
			continue;
		for (int p = 0; p < level->noperands; p++)
			if (level->operands[p].range == NIL && shared[p] < 0 &&
				(p != o || proposal->each_tuple))
				add_memory(&kept, kernels, p);
		bytes = proposal->each_tuple ? 0.0
									 : group_bytes(proposal, streamed.groups) +
										   streamed.groups * problem->result;
		if (count_parts(&none, &kept, bytes) > 1.0)
			continue;
		best = o;
		least = cost;
		*order = streamed;
	}
	return best;
}

/* What PostgreSQL's cost of a join lacks of its time, in microseconds: mostly more than half. */
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

/* What the costs of a level's joins and of the aggregate above them lack. */
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
			/* rows below are those of one process; how wide they are is not asked */
			return path->rows * path->pathtarget->width * transfer_cost +
				   time_costs_lack(*only_subpath((Path *) path));
		case T_ProjectionPath:
		case T_SortPath:
			return time_costs_lack(*only_subpath((Path *) path));
		default:
			return 0.0;
	}
}

/* What it costs to read the operands, and to run what order describes; nothing of it twice. */
static Cost
run_cost(const Proposal *proposal, const LoopOrder *order, int stream, const int *shared,
		 const double *shares, double tuples, double rows)
{
	const Level *level = proposal->level;
	const LevelKernels *kernels = &proposal->kernels;
	double time = rows * GROUP_TIME + order->cost / 1e3 +
				  Max(tuples - order->tuples, 0.0) * TUPLE_TIME / 1e3;
	Cost cost = 0.0;
	AggClauseCosts costs;

	for (int o = 0; o < level->noperands; o++)
	{
		const Path *child = level->operands[o].path;
		bool kept = o != stream || proposal->each_tuple;

		if (level->operands[o].range || (shared[o] >= 0 && proposal->parts.count == 1))
			continue;
		cost += shares[o] * (child->total_cost + (kept ? copying_cost(kernels, o) : 0.0));
		time += shares[o] * child->rows * (kept ? READ_TIME : STREAM_TIME);
		time += shares[o] * key_time(level, &level->operands[o], child->rows);
	}
	MemSet(&costs, 0, sizeof(costs));
	get_agg_clause_costs(level->root, AGGSPLIT_SIMPLE, &costs);
	return cost + least_nest_cost() + cost_of_time(time) +
		   Max(tuples, order->tuples) *
			   kernel_cost(kernels, &costs, proposal->each_tuple) +
		   costs.transCost.startup + costs.finalCost.startup +
		   costs.finalCost.per_tuple * rows;
}

/* Chooses how the nest runs; returns what that costs. fits is false if its operands will not fit in memory. */
static Cost
choose_run(Proposal *proposal, double tuples, double rows, bool *fits)
{
	const Level *level = proposal->level;
	LoopOrderProblem *problem;
	LoopOrder order;
	LoopOrder streamed;
	int shared[NEST_MAX_OPERANDS];
	double shares[NEST_MAX_OPERANDS];
	Cost stream_cost = INFINITY;
	Cost cost;
	Cost again;

	find_shared(level, shared);
	find_shares(level, shares);
	problem = estimate_problem(proposal, shares);
	proposal->parts.count = 1;
	proposal->stream = choose_stream(proposal, problem, shared, shares, &streamed);
	if (proposal->stream >= 0)
		stream_cost =
			run_cost(proposal, &streamed, proposal->stream, shared, shares, tuples, rows);
	loop_order_choose(problem, &order);
	again = choose_parts(proposal, &order, shared);
	if (proposal->parts.count > 1 || !isfinite(again))
	{
		/* what does not fit at once is not kept */
		for (int o = 0; o < level->noperands; o++)
			shares[o] = 1.0;
		problem = estimate_problem(proposal, shares);
		loop_order_choose(problem, &order);
	}
	cost = run_cost(proposal, &order, -1, shared, shares, tuples, rows) +
		   (isfinite(again) ? again : 0.0);
	*fits = (isfinite(again) || proposal->stream >= 0) && dictionaries_fit(level, 1);
	if (proposal->stream >= 0 && (stream_cost < cost || !isfinite(again)))
	{
		proposal->parts.count = 1;
		return stream_cost;
	}
	proposal->stream = -1;
	return cost;
}

/* Keys of a label by which there are parts. */
static double
keys_of_label(const Proposal *proposal, int label)
{
	const Level *level = proposal->level;
	ListCell *lc;

	foreach (lc, proposal->divided)
	{
		const LevelColumn *column = &level->columns[lfirst_int(lc)];

		if (column->label == label)
			return keys_of_column(level, column);
	}
	return 1.0;
}

/* What reading an operand costs one of the processes: scanning its share, writing that, and reading what it needs. */
static Cost
read_share_cost(const Proposal *proposal, int number, double share)
{
	const Level *level = proposal->level;
	const LevelOperand *operand = &level->operands[number];
	const Path *child = proposal->scans[number];
	bool divided = has_label(level, operand, proposal->parts.label);
	double rows = operand->path->rows;
	/* others wait for the process that reads all of them */
	double mine =
		proposal->readers[number] == READ_BY_ALL ? rows / proposal->nprocesses : rows;
	double bytes = tensor_bytes(&proposal->kernels, number);

	return child->total_cost +
		   cost_of_time(mine * (READ_TIME + SHARE_TIME + bytes * BYTE_TIME) +
						key_time(level, operand, mine) +
						rows * (divided ? share : 1.0) * READ_TIME +
						(divided ? 0.0 : rows * INDEX_TIME));
}

/*
 * The share of the groups that fall to the process with most of them, which all wait
 * for: as many as expected and a standard deviation more. So a few groups are not
 * divided evenly.
 */
static double
largest_share(double nprocesses, double ngroups)
{
	double mean = 1.0 / nprocesses;

	return Min(mean + sqrt(mean * (1.0 - mean) / Max(ngroups, 1.0)), 1.0);
}

/*
 * Chooses the run of one of several processes and returns its cost: that of the process
 * with most of the groups. Each indexes the operands that all parts need.
 */
static Cost
choose_parallel_run(Proposal *proposal, double tuples, double rows, bool *fits)
{
	const Level *level = proposal->level;
	LoopOrderProblem *problem;
	LoopOrder order;
	int shared[NEST_MAX_OPERANDS];
	double shares[NEST_MAX_OPERANDS];
	AggClauseCosts costs;
	double share;
	Cost again;
	Cost cost;

	for (int o = 0; o < level->noperands; o++)
	{
		shared[o] = -1;
		shares[o] = 1.0;
	}
	problem = estimate_problem(proposal, shares);
	loop_order_choose(problem, &order);
	proposal->stream = -1;
	again = choose_parts(proposal, &order, shared);
	*fits = isfinite(again) && proposal->parts.label >= 0 &&
			dictionaries_fit(level, proposal->nprocesses);
	if (!*fits)
		return 0.0;
	share = largest_share(proposal->nprocesses,
						  keys_of_label(proposal, proposal->parts.label));
	cost = least_nest_cost() +
		   cost_of_time(BARRIER_TIME + shared_key_time(level, proposal->nprocesses)) +
		   again / proposal->nprocesses;
	for (int o = 0; o < level->noperands; o++)
		if (level->operands[o].range == NIL)
			cost += read_share_cost(proposal, o, share);
	MemSet(&costs, 0, sizeof(costs));
	get_agg_clause_costs(level->root, AGGSPLIT_SIMPLE, &costs);
	return cost + costs.transCost.startup + costs.finalCost.startup +
		   share * (cost_of_time(rows * GROUP_TIME + order.cost / 1e3 +
								 Max(tuples - order.tuples, 0.0) * TUPLE_TIME / 1e3) +
					Max(tuples, order.tuples) *
						kernel_cost(&proposal->kernels, &costs, proposal->each_tuple) +
					costs.finalCost.per_tuple * rows);
}

/* What is taken for better than the relational plan costs at most so much of it. */
#define LITTLE_LESS 0.9

/*
 * How many times as long as expected joins may take. Where operands meet in a cycle, as those of a
 * triangle, PostgreSQL takes conditions for independent that say much the same, and finds far too few rows, the fewer
 * the more cycles there are; its nested loops then take what they take. A nest has read its operands, which is known, and
 * each of its loops is bounded by all of them. Of more operands than PostgreSQL orders exhaustively no
 * order was compared with others.
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
			if (!has_label(level, &level->operands[o], l))
				continue;
			/* of a tree of operands and labels each but the first is met anew */
			cycles += met[l] ? 1 : 0;
			met[l] = true;
		}
	}
	return ldexp(1.0, Max(cycles, 0));
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
	Cost cost = (proposal->nprocesses > 1 ? choose_parallel_run : choose_run)(
		proposal, tuples, relational->rows, &fits);
	QualCost qual;

	/* of its time as much is counted */
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
	/* PostgreSQL does not ask how wide the rows are that are sent */
	if (proposal->nprocesses > 1)
		path->path.total_cost += cost_of_transfer(
			path->path.rows * (proposal->nprocesses - 1) * target->width);
	if (fits && path->path.total_cost < relational->total_cost * risk_of_joins(level))
	{
		path->path.startup_cost =
			Min(path->path.startup_cost, relational->total_cost * LITTLE_LESS);
		path->path.total_cost =
			Min(path->path.total_cost, relational->total_cost * LITTLE_LESS);
	}
	if (enable_aggregate_join == NODES_FORCE)
	{
		path->path.startup_cost = path->path.total_cost = 0.0;
		set_disabled_nodes(&path->path, 0);
	}
}
