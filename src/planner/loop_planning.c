/*-------------------------------------------------------------------------
 *
 * loop_planning.c
 *	  What the planner is told of a loop's queries.
 *
 * PostgreSQL passes the environment of a query to its executor only: the planner sees columns and the
 * number of rows. It does not know what tensors there are in them, nor that the query runs in each
 * round and finds what it has read before (kept_operands.c). So this is known here for as long as the query
 * is planned, which is why that is done ahead of its execution.
 *
 * Estimates depend on it, and results do not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "utils/plancache.h"
#include "utils/resowner.h"

#include "compat.h"
#include "executor/operand/kept_operands.h"
#include "planner/loop_planning.h"

/* The query that is being planned. */
typedef struct LoopQuery
{
	const List *rows;
	const KeptOperands *kept;
} LoopQuery;

static const LoopQuery *planned = NULL;

static planner_hook_type prev_planner = NULL;

/* Rows by their name; NULL if nothing is known of them. */
static const LoopRows *
find_rows(const RangeTblEntry *rte)
{
	ListCell *lc;

	if (planned == NULL || rte->rtekind != RTE_NAMEDTUPLESTORE)
		return NULL;
	foreach (lc, planned->rows)
	{
		const LoopRows *rows = lfirst(lc);

		if (strcmp(rows->relation->name, rte->enrname) == 0)
			return rows;
	}
	return NULL;
}

/*
 * A query is analysed before the first of its loop runs, when there are no rows yet: analysis
 * notes how many, and planning believes it. So the number is noted anew in the planner's copy of the query.
 */
static bool
count_rows(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const LoopRows *rows = find_rows((RangeTblEntry *) node);

		if (rows)
			((RangeTblEntry *) node)->enrtuples = rows->relation->enrtuples;
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, count_rows, context,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, count_rows, context);
}

static PlannedStmt *
sparseeinsum_planner(PLANNER_PARAMETERS)
{
	if (planned)
		(void) count_rows((Node *) query, NULL);
	return prev_planner ? prev_planner(PLANNER_ARGUMENTS)
						: standard_planner(PLANNER_ARGUMENTS);
}

void
loop_planning_init(void)
{
	prev_planner = planner_hook;
	planner_hook = sparseeinsum_planner;
}

/* The rows in memory that a query returns as they are, or NULL. */
static MemoryRows *
rows_of_query(const PlannedStmt *query)
{
	const char *name = rows_of_plan(query->planTree);
	ListCell *lc;

	if (name == NULL || query->planTree->qual != NIL || query->planTree->initPlan != NIL)
		return NULL;
	foreach (lc, query->planTree->targetlist)
	{
		const TargetEntry *target = lfirst_node(TargetEntry, lc);
		const Var *column = (const Var *) target->expr;

		if (!IsA(column, Var) || column->varattno != foreach_current_index(lc) + 1)
			return NULL;
	}
	return find_memory_rows(name);
}

MemoryRows *
plan_query_of_loop(SPIPlanPtr plan, const List *rows, KeptOperands *kept)
{
	const LoopQuery *outer = planned;
	LoopQuery query = {.rows = rows, .kept = kept};
	MemoryRows *volatile copied = NULL;

	planned = &query;
	PG_TRY();
	{
		CachedPlan *cached = SPI_plan_get_cached_plan(plan);

		if (cached)
		{
			copied = rows_of_query(linitial_node(PlannedStmt, cached->stmt_list));
			ReleaseCachedPlan(cached, CurrentResourceOwner);
		}
	}
	PG_FINALLY();
	{
		planned = outer;
	}
	PG_END_TRY();
	return copied;
}

bool
stays_in_loop(const RangeTblEntry *rte)
{
	if (planned == NULL || planned->kept == NULL)
		return false;
	if (rte->rtekind == RTE_NAMEDTUPLESTORE)
		return named_rows_stay(planned->kept, rte->enrname);
	return rte->rtekind == RTE_RELATION && rte->relid >= FirstNormalObjectId;
}

double
distinct_in_loop(const RangeTblEntry *rte, AttrNumber attno)
{
	const LoopRows *rows = find_rows(rte);

	return rows && attno >= 1 && attno <= rows->nkeys ? rows->distinct[attno - 1] : 0.0;
}

bool
shape_in_loop(const RangeTblEntry *rte, AttrNumber attno, ShapeEstimate *shape)
{
	const LoopRows *rows = find_rows(rte);

	if (rows == NULL || !rows->has_shape || attno != rows->nkeys + 1)
		return false;
	*shape = rows->shape;
	return true;
}
