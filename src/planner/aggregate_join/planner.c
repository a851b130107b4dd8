/*-------------------------------------------------------------------------
 *
 * planner.c
 *	  Groups of a query level computed by a loop nest.
 *
 *	  AggregateJoin
 *	  scan of each operand
 *	  the relational plan, if it is needed
 *
 * The path is proposed for the level itself, in addition to PostgreSQL's paths, the
 * cheapest of which is its last child, the relational plan. A row of the node's scan
 * tuple has the group keys and the aggregates; PostgreSQL evaluates the target list and
 * HAVING over it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "executor/repeatable.h"
#include "executor/children.h"
#include "optimizer/settings.h"
#include "optimizer/stage.h"
#include "planner/aggregate_join/costs.h"
#include "planner/aggregate_join/proposal.h"
#include "planner/node_paths.h"
#include "planner/query_level.h"
#include "recursion.h"
#include "type/extension.h"

/* Returns the group keys and aggregates that the level's target list and HAVING use. */
static List *
find_outputs(const List *expressions, List *having)
{
	List *outputs = NIL;
	List *found =
		list_concat(pull_var_clause((Node *) expressions,
									PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS),
					pull_var_clause((Node *) having,
									PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS));
	ListCell *lc;

	foreach (lc, found)
		outputs = list_append_unique(outputs, lfirst(lc));
	return outputs;
}

/*
 * Finds the columns that rows are grouped by; false if a group key is not a column of an
 * operand.
 */
static bool
find_group_columns(Proposal *proposal)
{
	PlannerInfo *root = proposal->level->root;
	ListCell *lc;

	foreach (lc, GROUP_CLAUSES(root))
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node *key = get_sortgroupclause_expr(clause, root->processed_tlist);
		int column = find_column(proposal->level, key);

		if (column < 0 ||
			proposal->level->operands[proposal->level->columns[column].operand]
				.optional ||
			!make_key(proposal->level, column, clause->eqop, exprCollation(key)))
			return false;
		proposal->groups = lappend_int(proposal->groups, column);
	}
	return true;
}

/*
 * Finds the place of each output: a group column or an aggregate. False if one is
 * neither.
 */
static bool
find_output_places(Proposal *proposal)
{
	ListCell *lc;

	foreach (lc, proposal->outputs)
	{
		Node *node = lfirst(lc);
		int column;

		if (IsA(node, Aggref))
		{
			proposal->places = lappend_int(
				proposal->places, -1 - list_length(proposal->kernels.aggregates));
			if (kernels_are_full(&proposal->kernels) ||
				!add_aggregate(&proposal->kernels, (Aggref *) node))
				return false;
			continue;
		}
		column = find_column(proposal->level, node);
		if (column < 0 || !list_member_int(proposal->groups, column))
			return false;
		proposal->places = lappend_int(proposal->places, column);
	}
	return true;
}

bool
values_fit(const Proposal *proposal)
{
	const Level *level = proposal->level;
	int counts[NEST_MAX_OPERANDS] = {0};
	int constants = 0;
	Bitmapset *used = NULL;
	ListCell *lc;
	int v = -1;

	foreach (lc, all_kernels(&proposal->kernels))
	{
		ListCell *cell;

		foreach (cell, ((const LevelAggregate *) lfirst(lc))->arguments)
			if (lfirst_int(cell) >= 0)
				used = bms_add_member(used, lfirst_int(cell));
	}
	while ((v = bms_next_member(used, v)) >= 0)
	{
		const LevelValue *value = list_nth(proposal->kernels.values, v);

		if (value->operand < 0)
			constants++;
		else if (++counts[value->operand] > NEST_MAX_VALUES)
			return false;
	}
	return level->noperands + (constants + NEST_MAX_VALUES - 1) / NEST_MAX_VALUES <=
		   NEST_MAX_OPERANDS;
}

Proposal *
new_proposal(Level *level)
{
	Proposal *proposal = palloc0(sizeof(Proposal));

	proposal->level = proposal->kernels.level = level;
	proposal->nprocesses = 1;
	for (int o = 0; o < level->noperands; o++)
		proposal->scans[o] = level->operands[o].path;
	return proposal;
}

/* Proposes to compute a query level by a loop nest; NULL if that is impossible. */
static Proposal *
make_proposal(PlannerInfo *root, RelOptInfo *output, List *having)
{
	Level *level = find_level(root);
	Proposal *proposal;

	if (level == NULL)
		return NULL;
	proposal = new_proposal(level);
	proposal->kernels.computes = true;
	proposal->having = having;
	proposal->outputs = find_outputs(output->reltarget->exprs, having);
	if (!find_group_columns(proposal) || !find_output_places(proposal) ||
		!number_join_labels(proposal->level) || !values_fit(proposal))
		return NULL;
	proposal->divided = proposal->groups;
	proposal->result_bytes = result_bytes(proposal);
	return proposal;
}

/* Returns the level's cheapest path that returns the level's own target. */
static Path *
relational_path(const RelOptInfo *output)
{
	Path *best = NULL;
	ListCell *lc;

	foreach (lc, output->pathlist)
	{
		Path *path = lfirst(lc);

		if (path->param_info == NULL && path->pathtarget == output->reltarget &&
			(best == NULL || path->total_cost < best->total_cost))
			best = path;
	}
	return best;
}

/*
 * The limit of nesting. A subquery with a nest is planned twice, for its operand and for
 * the relational plan, and so is each nest inside it: with deeper nesting, planning would
 * take too long.
 */
#define MOST_NESTED 3

/*
 * The number of paths that the search for nested nodes visits; more count as nested too
 * deep.
 */
#define MOST_PATHS 1000

/*
 * Returns how deep nodes of this kind are nested in a path, through subqueries. *left
 * counts the paths that may still be visited.
 */
static int
nested_nodes(const Path *path, int *left)
{
	int most = 0;
	ListCell *lc;

	enter_recursion();
	if (--*left < 0)
		return MOST_NESTED;
	/*
	 * such a node has stored its depth: visiting its children, each of which is planned
	 * twice, would take time that doubles with each nested node
	 */
	if (IsA(path, CustomPath) &&
		((const CustomPath *) path)->methods == &aggregate_join_path_methods)
		return intVal(llast(((const CustomPath *) path)->custom_private));
	foreach (lc, path_children((Path *) path))
	{
		/* not inside Max(), which would evaluate it twice */
		int below = nested_nodes(*(Path **) lfirst(lc), left);

		most = Max(most, below);
	}
	return most;
}

/* Returns how deep nodes are nested below the operands. */
static int
nested_below(const Proposal *proposal)
{
	const Level *level = proposal->level;
	int left = MOST_PATHS;
	int most = 0;

	for (int o = 0; o < level->noperands; o++)
		if (level->operands[o].range == NIL)
			most = Max(most, nested_nodes(proposal->scans[o], &left));
	return most;
}

/*
 * May all subqueries, at any depth, be planned a second time? Not if one reads the first or
 * last entry of an index, which uses subplans of its level; nor if one has grouping sets,
 * whose columns a level notes only once, as an assertion demands.
 */
static bool
may_be_planned_again(const PlannerInfo *root)
{
	enter_recursion();
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		const RelOptInfo *rel = root->simple_rel_array[i];
		ListCell *lc;

		if (rel == NULL || rel->subroot == NULL)
			continue;
		if (rel->subroot->parse->groupingSets)
			return false;
		foreach (lc, fetch_upper_rel(rel->subroot, UPPERREL_GROUP_AGG, NULL)->pathlist)
			if (IsA(lfirst(lc), MinMaxAggPath))
				return false;
		if (!may_be_planned_again(rel->subroot))
			return false;
	}
	return true;
}

/*
 * Are all subplans of a level in conditions? Scans check the conditions of one operand
 * (level.c); target lists and FROM functions may not have subplans.
 */
static bool
only_conditions_have_subplans(Query *query)
{
	ListCell *lc;

	foreach (lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		/* Citus numbers tables in their values_lists */
		if (contain_subplans((Node *) list_make2(rte->functions, rte->tablefunc)) ||
			(rte->rtekind == RTE_VALUES && contain_subplans((Node *) rte->values_lists)))
			return false;
	}
	return !contain_subplans((Node *) query->targetList) &&
		   !contain_subplans(query->havingQual);
}

bool
may_be_nest(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output)
{
	Query *query = root->parse;

	/* a partition has the jointree of the whole level */
	if (IS_OTHER_REL(input) || IS_OTHER_REL(output))
		return false;
	return CUSTOM_SCANS_MAY_NOT_PROJECT && query->rowMarks == NIL &&
		   query->groupingSets == NIL && query->setOperations == NULL &&
		   !query->hasTargetSRFs && !IS_DUMMY_REL(input) && level_computes(root) &&
		   is_repeatable(root) && only_conditions_have_subplans(query) &&
		   may_be_planned_again(root);
}

bool
is_cheaper_than_nest(const Path *relational)
{
	return enable_aggregate_join != NODES_FORCE &&
		   relational->total_cost < least_nest_cost();
}

CustomPath *
nest_path(Proposal *proposal, PathTarget *target, double tuples, Path *relational)
{
	Level *level = proposal->level;
	CustomPath *path;
	int nested = nested_below(proposal);

	if (nested >= MOST_NESTED)
		return NULL;
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	/* EXPLAIN names the relations of this parent */
	path->path.parent =
		fetch_upper_rel(level->root, UPPERREL_FINAL, level->root->all_baserels);
	path->path.pathtarget = target;
	path->path.rows = clamp_row_est(relational->rows / proposal->nprocesses);
	path->path.parallel_aware = path->path.parallel_safe = proposal->nprocesses > 1;
	path->methods = &aggregate_join_path_methods;
	for (int o = 0; o < level->noperands; o++)
		if (level->operands[o].range == NIL)
			path->custom_paths = lappend(path->custom_paths, proposal->scans[o]);
	path->custom_paths = lappend(path->custom_paths, relational);
	cost_aggregate_join(path, proposal, tuples, relational);
	path->custom_private =
		list_make5(proposal->outputs, proposal->having, level->gates,
				   plan_description(proposal), makeInteger(nested + 1));
	return path;
}

void
add_aggregate_join(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
				   const GroupPathExtraData *extra)
{
	Path *relational;
	Proposal *proposal;
	CustomPath *path;

	if (root->parse->commandType != CMD_SELECT || !may_be_nest(root, input, output))
		return;
	relational = relational_path(output);
	if (relational == NULL ||
		(bms_num_members(root->all_baserels) <= STAGE_MAX_OPERANDS &&
		 is_cheaper_than_nest(relational)))
		return;
	relational = copy_path(relational);
	if (relational == NULL)
		return;
	proposal = make_proposal(root, output, (List *) extra->havingQual);
	if (proposal == NULL ||
		(add_parallel_nest(proposal, output, input->rows, relational) &&
		 enable_aggregate_join == NODES_FORCE))
		return;
	path = nest_path(proposal, output->reltarget, input->rows, relational);
	if (path)
		add_path(output, &path->path);
}
