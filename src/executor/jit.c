/*-------------------------------------------------------------------------
 *
 * jit.c
 *	  Whether a statement that computes with this extension is compiled.
 *
 * PostgreSQL compiles the expressions of a statement (jit) if it expects the statement
 * to cost much, whatever there is to compile and however often that will be evaluated.
 * Our statements have hundreds of expressions over few rows, and their time is in
 * kernels, which are compiled already. So both are compared before such a statement
 * begins: the time to compile its expressions, which cannot be interrupted, and the time
 * that this saves. What is saved is a matter of the rows that its tables have now: what
 * joins make of them is a guess, and of a high cost mostly the reason.
 *
 * It is asked when a statement begins, and not when it has been planned: a session's
 * first statement loads the library in the midst of planning, too late for a hook around
 * the planner.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "executor/executor.h"
#include "jit/jit.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "catalog/query_label.h"
#include "compat.h"
#include "executor/aggregate_join/aggregate_join.h"
#include "executor/jit.h"
#include "executor/subpaths.h"
#include "recursion.h"
#include "type/extension.h"

/* Microseconds to compile a function, a plain one and an optimized one, as measured
 * with LLVM 14, and to add a node of an expression to it. */
#define FUNCTION_TIME 2000.0
#define OPTIMIZED_FUNCTION_TIME 12000.0
#define NODE_TIME 100.0
#define OPTIMIZED_NODE_TIME 1000.0

/* Microseconds that a compiled function saves for a row, and a node of its expression. */
#define SAVED_BY_FUNCTION 0.01
#define SAVED_BY_NODE 0.003

/* Microseconds of compiling at most: a statement can be cancelled within a second. */
#define LONGEST_COMPILATION 500000.0

static ExecutorStart_hook_type prev_ExecutorStart = NULL;

/* What is known of a statement. */
typedef struct CompiledParts
{
	const PlannedStmt *statement;
	bool computes;      /* with this extension */
	double functions;   /* that would be compiled */
	double nodes;       /* of their expressions */
	double saved;       /* microseconds */
	double *rows_below; /* of each subplan's tables; -1 until it has been looked at */
} CompiledParts;

/* Expressions */

typedef struct ExpressionParts
{
	bool computes;
	int nodes;
} ExpressionParts;

static bool
has_function(Oid function, void *context)
{
	return extension_has_function(function);
}

static bool
count_node(Node *node, void *context)
{
	ExpressionParts *parts = context;

	if (node == NULL)
		return false;
	if (!IsA(node, List) && !IsA(node, TargetEntry))
		parts->nodes++;
	if (!parts->computes)
		parts->computes = check_functions_in_node(node, has_function, NULL);
	return expression_tree_walker(node, count_node, context);
}

/* Counts a function of these expressions, which is evaluated for some rows. */
static void
add_function(CompiledParts *parts, const List *expressions, double rows)
{
	ExpressionParts found = {0};

	count_node((Node *) expressions, &found);
	if (found.nodes == 0)
		return;
	parts->computes |= found.computes;
	parts->functions++;
	parts->nodes += found.nodes;
	parts->saved += rows * (SAVED_BY_FUNCTION + found.nodes * SAVED_BY_NODE);
}

/* A node of ours computes what PostgreSQL's would, and that is not compiled. */
static void
add_computed_by_node(CompiledParts *parts, const CustomScan *node)
{
	ExpressionParts found = {0};

	count_node((Node *) node->custom_scan_tlist, &found);
	parts->computes |= found.computes;
}

/* Plans */

/* The rows that a table has now; PostgreSQL counts ten pages for one that is new. */
static double
table_rows(const CompiledParts *parts, Index rti)
{
	const RangeTblEntry *rte = rt_fetch(rti, parts->statement->rtable);
	Relation relation;
	BlockNumber pages;
	double rows = 0.0;
	double all_visible;

	/* the statement's lock is there already, or is about to be taken */
	relation = table_open(rte->relid, AccessShareLock);
	if (RELKIND_HAS_STORAGE(relation->rd_rel->relkind))
	{
		estimate_rel_size(relation, NULL, &pages, &rows, &all_visible);
		if (pages > 0)
			rows *= Min(1.0, (double) RelationGetNumberOfBlocks(relation) / pages);
	}
	else
		rows = relation->rd_rel->reltuples;
	table_close(relation, AccessShareLock);
	return Max(rows, 0.0);
}

static double rows_of_tree(CompiledParts *parts, int plan_id);

/* Rows that a node which reads no other node's rows gets from where it reads. */
static double
rows_read(CompiledParts *parts, const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
			return table_rows(parts, ((Scan *) plan)->scanrelid);
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
			return Min(plan->plan_rows, table_rows(parts, ((Scan *) plan)->scanrelid));
		case T_CteScan:
			return Min(plan->plan_rows,
					   rows_of_tree(parts, ((CteScan *) plan)->ctePlanId));
		default:
			return plan->plan_rows;
	}
}

/* The expressions of a node beside its target list and its conditions. */
static List *
other_expressions(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_NestLoop:
			return ((NestLoop *) plan)->join.joinqual;
		case T_MergeJoin:
			return list_concat_copy(((MergeJoin *) plan)->join.joinqual,
									((MergeJoin *) plan)->mergeclauses);
		case T_HashJoin:
			return list_concat_copy(((HashJoin *) plan)->join.joinqual,
									((HashJoin *) plan)->hashclauses);
		case T_FunctionScan:
			return ((FunctionScan *) plan)->functions;
		case T_IndexScan:
			return ((IndexScan *) plan)->indexqualorig;
		case T_BitmapHeapScan:
			return ((BitmapHeapScan *) plan)->bitmapqualorig;
		case T_CustomScan:
			return ((CustomScan *) plan)->custom_exprs;
		default:
			return NIL;
	}
}

/*
 * Adds what is compiled for a node and those below it, and the rows it works on in each of
 * nprocesses. Returns how many rows it has at most, as joins with a row for each row of the
 * larger side make them.
 */
static double
add_plan(CompiledParts *parts, Plan *plan, double nprocesses)
{
	List *below = plans_below(plan);
	double rows = 0.0;
	ListCell *lc;

	enter_recursion();
	if (IsA(plan, CustomScan))
	{
		add_computed_by_node(parts, (CustomScan *) plan);
		/* the plan that runs if a nest cannot is begun only then */
		if (((CustomScan *) plan)->methods == &aggregate_join_scan_methods)
			below = list_truncate(below, list_length(below) - 1);
	}
	if (IsA(plan, Gather))
		nprocesses = ((Gather *) plan)->num_workers + 1;
	else if (IsA(plan, GatherMerge))
		nprocesses = ((GatherMerge *) plan)->num_workers + 1;
	if (below == NIL)
	{
		rows = rows_read(parts, plan);
		if (plan->parallel_aware)
			rows /= nprocesses;
	}
	foreach (lc, below)
		rows += add_plan(parts, lfirst(lc), nprocesses);
	list_free(below);
	add_function(parts, plan->qual, rows);
	add_function(parts, other_expressions(plan), rows);
	/* aggregates are in the target list, and take each row below */
	add_function(parts, plan->targetlist,
				 IsA(plan, Agg) ? rows : Min(rows, plan->plan_rows));
	return Min(rows, plan->plan_rows);
}

static double
rows_of_tree(CompiledParts *parts, int plan_id)
{
	double *rows = &parts->rows_below[plan_id - 1];
	Plan *plan = list_nth(parts->statement->subplans, plan_id - 1);

	if (*rows < 0.0)
	{
		*rows = 0.0; /* for a reader of its own rows */
		if (plan)
			*rows = add_plan(parts, plan, 1.0);
	}
	return *rows;
}

/* Does compiling a statement take longer than what it saves, and is it ours? */
static bool
compiles_in_vain(const QueryDesc *query)
{
	const PlannedStmt *statement = query->plannedstmt;
	bool optimized = (statement->jitFlags & (PGJIT_OPT3 | PGJIT_INLINE)) != 0;
	CompiledParts parts = {.statement = statement};
	int ntrees = list_length(statement->subplans);
	double time;

	parts.computes = query->sourceText && is_labelled_query(query->sourceText);
	parts.rows_below = palloc(sizeof(double) * Max(ntrees, 1));
	for (int i = 0; i < ntrees; i++)
		parts.rows_below[i] = -1.0;
	for (int i = 0; i < ntrees; i++)
		rows_of_tree(&parts, i + 1);
	add_plan(&parts, statement->planTree, 1.0);
	pfree(parts.rows_below);
	time = parts.functions * (optimized ? OPTIMIZED_FUNCTION_TIME : FUNCTION_TIME) +
		   parts.nodes * (optimized ? OPTIMIZED_NODE_TIME : NODE_TIME);
	return parts.computes && (time > LONGEST_COMPILATION || time > parts.saved);
}

static void
sparseeinsum_ExecutorStart(QueryDesc *query, int eflags)
{
	PlannedStmt *statement = query->plannedstmt;
	int flags = statement->jitFlags;

	/* a limit of 0 asks for it whatever it costs; a worker does as its leader */
	if (flags != PGJIT_NONE && jit_above_cost > 0.0 && !IsParallelWorker() &&
		extension_installed() && compiles_in_vain(query))
		statement->jitFlags = PGJIT_NONE;
	PG_TRY();
	{
		if (prev_ExecutorStart)
			prev_ExecutorStart(query, eflags);
		else
			standard_ExecutorStart(query, eflags);
	}
	PG_FINALLY();
	{
		/* a plan that is kept may run again when its tables have grown */
		statement->jitFlags = flags;
	}
	PG_END_TRY();
}

void
jit_init(void)
{
	prev_ExecutorStart = ExecutorStart_hook;
	ExecutorStart_hook = sparseeinsum_ExecutorStart;
}
