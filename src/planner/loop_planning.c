/*-------------------------------------------------------------------------
 *
 * loop_planning.c
 *	  What the planner is told of a loop's queries.
 *
 * PostgreSQL passes the environment of a query only to its executor: the planner sees the
 * columns of named rows and their number. It does not know the shapes of tensors in them,
 * nor that the query runs in each round and finds what earlier rounds have read
 * (kept_operands.c). So this file holds that knowledge while the query is planned; that
 * is why queries of a loop are planned before they are executed.
 *
 * Only estimates depend on it; results do not.
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

/* What is known of the query that is being planned. */
typedef struct LoopQuery
{
	const List *rows;
	const KeptOperands *kept;
} LoopQuery;

static const LoopQuery *planned = NULL;

static planner_hook_type prev_planner = NULL;

/* Finds the description of named rows; NULL if nothing is known of them. */
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
 * Sets the number of rows in the planner's copy of a query. The query was analysed before
 * the first query of its loop ran, when there were no rows yet; analysis noted that
 * number, and planning would believe it.
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

/* Returns the rows in memory that a query returns unchanged, or NULL. */
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
