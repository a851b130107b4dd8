/*-------------------------------------------------------------------------
 *
 * kept.c
 *	  What a session keeps of the refreshes of a table.
 *
 * A refresh after few changes takes less time than to plan its queries, and the next one
 * runs the same queries. So their plans stay, and so does what the algebra has made of
 * the table's statement (added.c).
 *
 * It stays until something is altered that the table reads: PostgreSQL tells the session
 * of relations that are altered, analyzed or registered anew, before it can lock them.
 * Beside that, the states of what is read are compared, which are those of positions.
 * What a refresh uses is forgotten only when the next one begins: a trigger may refresh
 * tables within a refresh.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "access/transam.h"
#include "common/hashfn.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

#include "catalog/fingerprint.h"
#include "catalog/position.h"
#include "catalog/query_run.h"
#include "optimizer/settings.h"
#include "planner/time_cost.h"
#include "rows/kept.h"
#include "type/extension.h"

/* More tables are not kept at a time, nor more queries of one. */
#define MOST_TABLES 256
#define MOST_QUERIES 64

/* Numbers of rows up to this are all as good as equal. */
#define FEW_ROWS 100.0

/* A query, its plan, and the number of rows that it was planned for. */
typedef struct KeptPlan
{
	char *query;
	double rows;
	SPIPlanPtr plan;
} KeptPlan;

static List *tables = NIL;   /* of KeptTable * */
static List *replaced = NIL; /* of SPIPlanPtr */

static void
forget_relation(Datum arg, Oid relid)
{
	ListCell *lc;

	foreach (lc, tables)
	{
		KeptTable *kept = lfirst(lc);

		if (!OidIsValid(relid) || list_member_oid(kept->relations, relid))
			kept->valid = false;
	}
}

/* A type or a schema was altered: forgets the kept queries, which have its name. */
static void
forget_names(Datum arg, int cache, uint32 hash)
{
	ListCell *lc;

	foreach (lc, tables)
	{
		KeptTable *kept = lfirst(lc);

		if (hash == 0 || cache != TYPEOID || list_member_int(kept->types, (int) hash))
			kept->valid = false;
	}
}

static void
forget_plan(KeptPlan *kept)
{
	MemoryContext old = MemoryContextSwitchTo(CacheMemoryContext);

	if (kept->plan)
		replaced = lappend(replaced, kept->plan);
	kept->plan = NULL;
	MemoryContextSwitchTo(old);
}

void
forget_invalid(void)
{
	bool all = list_length(tables) > MOST_TABLES;
	ListCell *lc;

	foreach (lc, tables)
	{
		KeptTable *kept = lfirst(lc);
		ListCell *plan;

		if (kept->valid && !all)
			continue;
		foreach (plan, kept->plans)
			forget_plan(lfirst(plan));
		tables = foreach_delete_current (tables, lc);
		MemoryContextDelete(kept->memory);
	}
	foreach (lc, replaced)
		SPI_freeplan(lfirst(lc));
	list_free(replaced);
	replaced = NIL;
}

/* Notes the types of a relation's columns that may be renamed. */
static void
add_types(KeptTable *kept, Oid relid)
{
	Relation relation = relation_open(relid, AccessShareLock);
	TupleDesc columns = RelationGetDescr(relation);

	for (int c = 0; c < columns->natts; c++)
	{
		Oid type = TupleDescAttr(columns, c)->atttypid;

		if (type >= FirstNormalObjectId)
			kept->types = list_append_unique_int(
				kept->types,
				(int) GetSysCacheHashValue1(TYPEOID, ObjectIdGetDatum(type)));
	}
	relation_close(relation, NoLock);
}

static KeptTable *
new_kept(Oid table, int64 state, const List *states)
{
	static bool listening = false;
	MemoryContext memory = AllocSetContextCreate(
		CurrentMemoryContext, "sparseeinsum refreshes of a table", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	KeptTable *kept = palloc0(sizeof(KeptTable));
	ListCell *lc;

	if (!listening)
	{
		CacheRegisterRelcacheCallback(forget_relation, (Datum) 0);
		CacheRegisterSyscacheCallback(TYPEOID, forget_names, (Datum) 0);
		CacheRegisterSyscacheCallback(NAMESPACEOID, forget_names, (Datum) 0);
	}
	listening = true;
	kept->table = table;
	kept->state = state;
	kept->valid = true;
	kept->memory = memory;
	kept->relations = list_make1_oid(table);
	foreach (lc, states)
	{
		Oid relid = ((const RelationState *) lfirst(lc))->relid;

		kept->relations = list_append_unique_oid(kept->relations, relid);
		add_types(kept, relid);
	}
	MemoryContextSetParent(memory, CacheMemoryContext);
	MemoryContextSwitchTo(CacheMemoryContext);
	tables = lappend(tables, kept);
	MemoryContextSwitchTo(old);
	return kept;
}

KeptTable *
kept_of_table(Oid table, const List *states)
{
	const char *schema = extension_schema_name();
	uint64 state = hash_bytes_extended((const unsigned char *) schema, strlen(schema), 0);
	ListCell *lc;

	foreach (lc, states)
	{
		const RelationState *read = lfirst(lc);

		add_to_fingerprint(&state, read->relid);
		add_to_fingerprint(&state, (uint64) read->fingerprint);
	}
	foreach (lc, tables)
	{
		KeptTable *kept = lfirst(lc);

		if (kept->table != table || !kept->valid)
			continue;
		if (kept->state == (int64) state)
			return kept;
		kept->valid = false;
	}
	return new_kept(table, (int64) state, states);
}

bool
has_left(double rows, double planned)
{
	double now = Max(rows, FEW_ROWS);
	double then = Max(planned, FEW_ROWS);

	return now > then * replan_factor || then > now * replan_factor;
}

/* Returns the plan of a query; NULL if it is not kept. */
static SPIPlanPtr
plan_of_query(KeptTable *kept, const char *query, double rows)
{
	KeptPlan *found = NULL;
	MemoryContext old;
	SPIPlanPtr plan;
	ListCell *lc;

	foreach (lc, kept->plans)
	{
		found = lfirst(lc);
		if (strcmp(found->query, query) == 0)
			break;
		found = NULL;
	}
	if (found && found->plan && !has_left(rows, found->rows))
		return found->plan;
	if (found == NULL && list_length(kept->plans) >= MOST_QUERIES)
	{
		kept->valid = false;
		return NULL;
	}
	plan = prepare_sql(query, 0, NULL);
	if (plan == NULL || SPI_keepplan(plan) != 0)
		elog(ERROR, "a query could not be prepared (%s)",
			 SPI_result_code_string(SPI_result));
	old = MemoryContextSwitchTo(kept->memory);
	if (found == NULL)
	{
		found = palloc0(sizeof(KeptPlan));
		found->query = pstrdup(query);
		kept->plans = lappend(kept->plans, found);
	}
	MemoryContextSwitchTo(old);
	forget_plan(found);
	found->plan = plan;
	found->rows = rows;
	return plan;
}

double
time_of_plan(KeptTable *kept, const char *query, double rows)
{
	SPIPlanPtr plan = plan_of_query(kept, query, rows);
	CachedPlan *cached = plan ? SPI_plan_get_cached_plan(plan) : NULL;
	double result;

	if (cached == NULL)
		return INFINITY;
	result =
		time_of_cost(linitial_node(PlannedStmt, cached->stmt_list)->planTree->total_cost);
	ReleaseCachedPlan(cached, CurrentResourceOwner);
	return result;
}

int
run_kept_reading(KeptTable *kept, const char *query, double rows,
				 SPIExecuteOptions *options, Snapshot snapshot)
{
	SPIPlanPtr plan = kept ? plan_of_query(kept, query, rows) : NULL;

	return plan ? run_prepared_reading_at(plan, options, snapshot)
				: run_reading_at(query, options, snapshot);
}

int
run_kept_writing(KeptTable *kept, const char *query, double rows, Snapshot snapshot)
{
	SPIPlanPtr plan = kept ? plan_of_query(kept, query, rows) : NULL;

	return plan ? run_prepared_writing_at(plan, snapshot)
				: run_writing_at(query, snapshot);
}
