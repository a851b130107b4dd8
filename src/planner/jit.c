/*-------------------------------------------------------------------------
 *
 * jit.c
 *	  Whether a statement that computes with this extension is compiled.
 *
 * PostgreSQL compiles the expressions of a statement (jit) if it expects the statement to
 * cost much, whatever there is to compile and however often that will be evaluated.
 * Statements of this extension have hundreds of expressions over few rows, and spend
 * their time in kernels, which are compiled already. So before such a statement begins,
 * two times are compared: the time to compile its expressions, which cannot be
 * interrupted, and the time that this saves. The saving is computed from the rows that
 * tables have now: the estimated rows of joins are a guess, and often the reason of a
 * high cost.
 *
 * This is decided when a statement begins, and not after planning: a session's first
 * statement loads the library during planning, too late for a hook around the planner.
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
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/query_label.h"
#include "compat.h"
#include "executor/aggregate_join/aggregate_join.h"
#include "executor/children.h"
#include "executor/entries/entries.h"
#include "planner/jit.h"
#include "planner/query_level.h"
#include "recursion.h"
#include "type/extension.h"

/*
 * Microseconds, measured with LLVM 14, to compile a function, without and with
 * optimization, and for each further node of its expression.
 */
#define FUNCTION_TIME 2000.0
#define OPTIMIZED_FUNCTION_TIME 12000.0
#define NODE_TIME 100.0
#define OPTIMIZED_NODE_TIME 1000.0

/*
 * Microseconds that a compiled function saves for each row, and for each node of its
 * expression and row.
 */
#define SAVED_BY_FUNCTION 0.01
#define SAVED_BY_NODE 0.003

/*
 * The longest compilation in microseconds: it cannot be interrupted, and a statement
 * should be cancelled within a second.
 */
#define LONGEST_COMPILATION 500000.0

static ExecutorStart_hook_type prev_ExecutorStart = NULL;

/* What compiling a statement would take and save. */
typedef struct CompiledParts
{
	const PlannedStmt *statement;
	double functions;   /* functions that would be compiled */
	double nodes;       /* nodes of their expressions */
	double saved;       /* microseconds saved */
	double *rows_below; /* rows of each subplan's tables; -1 until computed */
} CompiledParts;

/* Expressions */

/* Does an expression call a function of this extension? */
static bool
calls_function(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return calls_extension(node) || expression_tree_walker(node, calls_function, context);
}

static bool
count_node(Node *node, void *context)
{
	int *nodes = context;

	if (node == NULL)
		return false;
	if (!IsA(node, List) && !IsA(node, TargetEntry))
		(*nodes)++;
	return expression_tree_walker(node, count_node, context);
}

/* Counts a function that evaluates these expressions for some number of rows. */
static void
add_function(CompiledParts *parts, const List *expressions, double rows)
{
	int nodes = 0;

	count_node((Node *) expressions, &nodes);
	if (nodes == 0)
		return;
	parts->functions++;
	parts->nodes += nodes;
	parts->saved += rows * (SAVED_BY_FUNCTION + nodes * SAVED_BY_NODE);
}

/* Plans */

/*
 * Returns the number of rows that a table has now; PostgreSQL assumes ten pages for a new
 * table.
 */
static double
table_rows(const CompiledParts *parts, Index rti)
{
	const RangeTblEntry *rte = rt_fetch(rti, parts->statement->rtable);
	Relation relation;
	BlockNumber pages;
	double rows = 0.0;
	double all_visible;

	/* the statement holds the lock already, or will take it anyway */
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

/* Returns the number of rows that a node without children reads. */
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
		case T_TidScan:
		case T_TidRangeScan:
			return Min(plan->plan_rows, table_rows(parts, ((Scan *) plan)->scanrelid));
		case T_BitmapHeapScan:
			/* the node below reads rows of the index */
			return Min(outerPlan(plan)->plan_rows,
					   table_rows(parts, ((Scan *) plan)->scanrelid));
		case T_CteScan:
			return Min(plan->plan_rows,
					   rows_of_tree(parts, ((CteScan *) plan)->ctePlanId));
		default:
			return plan->plan_rows;
	}
}

/* Returns the expressions of a node besides its target list and its conditions. */
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

/* Is one of these operators a member of the extension? */
static bool
has_operator(int noperators, const Oid *operators)
{
	for (int i = 0; i < noperators; i++)
		if (operators[i] >= FirstNormalObjectId &&
			extension_has_function(get_opcode(operators[i])))
			return true;
	return false;
}

/* Does a node group or sort by operators of the extension? They are in no expression. */
static bool
groups_or_sorts(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Agg:
			return has_operator(((Agg *) plan)->numCols, ((Agg *) plan)->grpOperators);
		case T_Group:
			return has_operator(((Group *) plan)->numCols,
								((Group *) plan)->grpOperators);
		case T_Unique:
			return has_operator(((Unique *) plan)->numCols,
								((Unique *) plan)->uniqOperators);
		case T_SetOp:
			return has_operator(((SetOp *) plan)->numCols,
								SETOP_OPERATORS((SetOp *) plan));
		case T_RecursiveUnion:
			return has_operator(((RecursiveUnion *) plan)->numCols,
								((RecursiveUnion *) plan)->dupOperators);
		case T_Sort:
		case T_IncrementalSort:
			return has_operator(((Sort *) plan)->numCols, ((Sort *) plan)->sortOperators);
		case T_WindowAgg:
			return has_operator(((WindowAgg *) plan)->partNumCols,
								((WindowAgg *) plan)->partOperators) ||
				   has_operator(((WindowAgg *) plan)->ordNumCols,
								((WindowAgg *) plan)->ordOperators);
		default:
			return false;
	}
}

/* Does a plan node, or one below it, call a function of this extension? */
static bool
plan_computes(Plan *plan)
{
	List *below;
	ListCell *lc;
	bool found;

	enter_recursion();
	if (calls_function((Node *) plan->targetlist, NULL) ||
		calls_function((Node *) plan->qual, NULL) ||
		calls_function((Node *) other_expressions(plan), NULL) || groups_or_sorts(plan))
		return true;
	/*
	 * A node of ours computes functions that are in its scan tuple; the one that reads
	 * entries in place of a function has none in its expressions.
	 */
	if (IsA(plan, CustomScan) &&
		(is_plan_of(plan, &entries_node) ||
		 calls_function((Node *) ((CustomScan *) plan)->custom_scan_tlist, NULL)))
		return true;
	below = plan_children(plan);
	/* further grouping sets are in nodes of their own */
	if (IsA(plan, Agg))
		below = list_concat(below, ((Agg *) plan)->chain);
	found = false;
	foreach (lc, below)
		if ((found = plan_computes(lfirst(lc))))
			break;
	list_free(below);
	return found;
}

/* Does a statement compute with this extension? */
static bool
statement_computes(const QueryDesc *query)
{
	ListCell *lc;

	if (query->sourceText && is_labelled_query(query->sourceText))
		return true;
	if (plan_computes(query->plannedstmt->planTree))
		return true;
	foreach (lc, query->plannedstmt->subplans)
		if (lfirst(lc) && plan_computes(lfirst(lc)))
			return true;
	return false;
}

/*
 * Adds the functions that are compiled for a node and those below it, with the rows that
 * each of nprocesses processes evaluates them for. Returns the most rows that the node
 * has, if a join has as many as its inputs together.
 */
static double
add_compiled(CompiledParts *parts, Plan *plan, double nprocesses)
{
	List *below = IsA(plan, BitmapHeapScan) ? NIL : plan_children(plan);
	double rows = 0.0;
	ListCell *lc;

	enter_recursion();
	/* the last child, the relational plan, is only started if the nest cannot run */
	if (is_plan_of(plan, &aggregate_join_node))
		below = list_truncate(below, list_length(below) - 1);
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
		rows += add_compiled(parts, lfirst(lc), nprocesses);
	list_free(below);
	/* a ProjectSet makes several rows of one */
	if (IsA(plan, ProjectSet))
		rows = plan->plan_rows;
	add_function(parts, plan->qual, rows);
	add_function(parts, other_expressions(plan), rows);
	/*
	 * an Agg has its aggregates in the target list, and evaluates them for each row below
	 */
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
		*rows = 0.0; /* in case it reads its own rows */
		if (plan)
			*rows = add_compiled(parts, plan, 1.0);
	}
	return *rows;
}

/* Does compiling a statement take longer than it saves? */
static bool
compiles_in_vain(const QueryDesc *query)
{
	const PlannedStmt *statement = query->plannedstmt;
	bool optimized = (statement->jitFlags & (PGJIT_OPT3 | PGJIT_INLINE)) != 0;
	CompiledParts parts = {.statement = statement};
	int ntrees = list_length(statement->subplans);
	double time;

	parts.rows_below = palloc(sizeof(double) * Max(ntrees, 1));
	for (int i = 0; i < ntrees; i++)
		parts.rows_below[i] = -1.0;
	for (int i = 0; i < ntrees; i++)
		rows_of_tree(&parts, i + 1);
	add_compiled(&parts, statement->planTree, 1.0);
	pfree(parts.rows_below);
	time = parts.functions * (optimized ? OPTIMIZED_FUNCTION_TIME : FUNCTION_TIME) +
		   parts.nodes * (optimized ? OPTIMIZED_NODE_TIME : NODE_TIME);
	return time > LONGEST_COMPILATION || time > parts.saved;
}

static void
sparseeinsum_ExecutorStart(QueryDesc *query, int eflags)
{
	ExecutorStart_hook_type start =
		prev_ExecutorStart ? prev_ExecutorStart : standard_ExecutorStart;
	PlannedStmt *statement = query->plannedstmt;
	int flags = statement->jitFlags;

	/* a limit of 0 asks to compile at any cost; a worker does what its leader does */
	if (flags == PGJIT_NONE || jit_above_cost <= 0.0 || IsParallelWorker() ||
		!extension_installed() || !statement_computes(query))
	{
		start(query, eflags);
		return;
	}
	if (!compiles_in_vain(query))
	{
		/* if PostgreSQL alone decides, there is no message (test/bench/jit.py) */
		ereport(DEBUG1, (errmsg_internal("a statement that computes with tensors is "
										 "compiled")));
		start(query, eflags);
		return;
	}
	statement->jitFlags = PGJIT_NONE;
	PG_TRY();
	{
		start(query, eflags);
	}
	PG_FINALLY();
	{
		/* a cached plan may run again after its tables have grown */
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
