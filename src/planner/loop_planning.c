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
 * A plan names the rows that stay by numbers of the loop (operand_rows.c), by which later
 * rounds find them. All queries are analysed before the first one runs, so the columns
 * that each will read are known by then: the first query that reads a table reads those
 * of all. Whether a column will be a key or a value, and under which conditions rows are
 * read, is guessed. If the guess is wrong, a later query does not find its columns, and
 * reads the table again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "parser/parse_relation.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/resowner.h"

#include "catalog/tensor_storage.h"
#include "compat.h"
#include "planner/aggregate_join/operand_rows.h"
#include "planner/loop_planning.h"

/* The columns of a table that queries of a loop read. */
typedef struct LoopTable
{
	Oid table;
	int queries;      /* number of queries that read the table */
	const void *last; /* the query that was counted last */
	/* attribute numbers of the columns, as in RangeTblEntry.selectedCols */
	Bitmapset *columns;
} LoopTable;

struct LoopPlanning
{
	RowNumbers numbers;
	List *names; /* of char *: the names of rows that stay */
	MemoryContext expecting;
	List *tables; /* of LoopTable *, in the context expecting */
};

/* What is known of the query that is being planned. */
typedef struct LoopQuery
{
	const List *rows;
	LoopPlanning *loop;
	bool again; /* each round will run it */
} LoopQuery;

static const LoopQuery *planned = NULL;

/* The number of loops that have begun. */
static int loops = 0;

static planner_hook_type prev_planner = NULL;

/* Finds the description of named rows; NULL if nothing is known of them. */
static const LoopRows *
find_named_rows(const RangeTblEntry *rte)
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
set_row_counts(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const LoopRows *rows = find_named_rows((RangeTblEntry *) node);

		if (rows)
			((RangeTblEntry *) node)->enrtuples = rows->relation->enrtuples;
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, set_row_counts, context,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, set_row_counts, context);
}

static PlannedStmt *
sparseeinsum_planner(PLANNER_PARAMETERS)
{
	if (planned)
		(void) set_row_counts((Node *) query, NULL);
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
plan_query_of_loop(SPIPlanPtr plan, const List *rows, LoopPlanning *loop, bool again)
{
	const LoopQuery *outer = planned;
	LoopQuery query = {.rows = rows, .loop = loop, .again = again};
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

LoopPlanning *
begin_loop_planning(MemoryContext context)
{
	MemoryContext memory =
		AllocSetContextCreate(context, "planning of a loop", ALLOCSET_SMALL_SIZES);
	LoopPlanning *loop = MemoryContextAllocZero(memory, sizeof(LoopPlanning));

	loop->numbers.memory = memory;
	loop->numbers.loop = ++loops;
	loop->expecting =
		AllocSetContextCreate(memory, "columns of a loop", ALLOCSET_SMALL_SIZES);
	return loop;
}

int
number_of_loop(const LoopPlanning *loop)
{
	return loop->numbers.loop;
}

void
keep_named_rows(LoopPlanning *loop, const char *name)
{
	MemoryContext old = MemoryContextSwitchTo(loop->numbers.memory);

	loop->names = lappend(loop->names, pstrdup(name));
	MemoryContextSwitchTo(old);
}

bool
runs_again(void)
{
	return planned && planned->again;
}

RowNumbers *
row_numbers_of_loop(void)
{
	return planned ? &planned->loop->numbers : NULL;
}

bool
named_rows_stay(const char *name)
{
	ListCell *lc;

	if (planned == NULL)
		return false;
	foreach (lc, planned->loop->names)
		if (strcmp(lfirst(lc), name) == 0)
			return true;
	return false;
}

/* Columns */

static void
add_read_table(LoopPlanning *loop, const void *query, Oid table, const Bitmapset *columns)
{
	LoopTable *entry = NULL;
	ListCell *lc;

	foreach (lc, loop->tables)
		if (((LoopTable *) lfirst(lc))->table == table)
			entry = lfirst(lc);
	if (entry == NULL)
	{
		entry = palloc0(sizeof(LoopTable));
		entry->table = table;
		loop->tables = lappend(loop->tables, entry);
	}
	entry->queries += entry->last != query;
	entry->last = query;
	entry->columns = bms_add_members(entry->columns, columns);
}

/* A query whose tables are being collected. */
typedef struct FoundTables
{
	LoopPlanning *loop;
	const void *query;
} FoundTables;

static bool
find_tables(Node *node, void *context)
{
	const FoundTables *found = context;
	const Query *query = (const Query *) node;
	ListCell *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, find_tables, context);
	foreach (lc, query->rtable)
	{
		const RangeTblEntry *rte = lfirst(lc);
		const Bitmapset *columns;

		if (rte->rtekind != RTE_RELATION || rte->relkind != RELKIND_RELATION)
			continue;
		columns = selected_columns(query, rte);
		if (columns)
			add_read_table(found->loop, found->query, rte->relid, columns);
	}
	return query_tree_walker((Query *) query, find_tables, context, 0);
}

void
expect_queries(LoopPlanning *loop, const List *queries)
{
	FoundTables found = {.loop = loop};
	MemoryContext old;
	ListCell *lc;

	MemoryContextReset(loop->expecting);
	loop->tables = NIL;
	old = MemoryContextSwitchTo(loop->expecting);
	foreach (lc, queries)
	{
		found.query = lfirst(lc);
		(void) find_tables(lfirst(lc), &found);
	}
	MemoryContextSwitchTo(old);
}

/* Appends a column of a table to a list, if its type can be a key or a value. */
static List *
add_usable_column(List *columns, Oid table, AttrNumber attribute)
{
	Oid type;
	int32 typmod;
	Oid collation;

	get_atttypetypmodcoll(table, attribute, &type, &typmod, &collation);
	/*
	 * the column may have been dropped; the rows of a scan have no virtual generated
	 * columns
	 */
	if (!OidIsValid(type) || is_computed_column(table, attribute))
		return columns;
	if (!is_integer_type(getBaseType(type)) && getBaseType(type) != FLOAT8OID &&
		getBaseType(type) != FLOAT4OID)
		return columns;
	return lappend(columns, makeVar(1, attribute, type, typmod, collation, 0));
}

List *
columns_of_loop(Oid table)
{
	List *columns = NIL;
	ListCell *lc;

	if (planned == NULL)
		return NIL;
	foreach (lc, planned->loop->tables)
	{
		const LoopTable *entry = lfirst(lc);
		int number = -1;

		if (entry->table != table || entry->queries < 2)
			continue;
		while ((number = bms_next_member(entry->columns, number)) >= 0)
		{
			AttrNumber attribute = number + FirstLowInvalidHeapAttributeNumber;

			/* whole rows and system columns are left out */
			if (attribute > 0)
				columns = add_usable_column(columns, table, attribute);
		}
	}
	return columns;
}

double
distinct_in_loop(const RangeTblEntry *rte, AttrNumber attno)
{
	const LoopRows *rows = find_named_rows(rte);

	return rows && attno >= 1 && attno <= rows->nkeys ? rows->distinct[attno - 1] : 0.0;
}

bool
shape_in_loop(const RangeTblEntry *rte, AttrNumber attno, ShapeEstimate *shape)
{
	const LoopRows *rows = find_named_rows(rte);

	if (rows == NULL || !rows->has_shape || attno != rows->nkeys + 1)
		return false;
	*shape = rows->shape;
	return true;
}
