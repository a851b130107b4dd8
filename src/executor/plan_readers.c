/*-------------------------------------------------------------------------
 *
 * plan_readers.c
 *	  Finds which node of a finished plan reads another node's rows.
 *
 * A plan node only knows the nodes below it. Nodes of this extension ask, when they
 * begin, how their rows will be used, which depends on the nodes above.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/plannodes.h"
#include "utils/memutils.h"

#include "executor/plan_readers.h"
#include "executor/children.h"
#include "recursion.h"

/*
 * The readers that were made last, and their executor state; NULL once their memory is
 * freed.
 */
static const PlanReaders *current = NULL;
static const EState *current_run = NULL;

static void
add_places(PlanReaders *readers, Plan *node, Plan *above, int tree)
{
	PlanPlace *place = hash_search(readers->places, &node, HASH_ENTER, NULL);
	List *below = plan_children(node);
	ListCell *lc;

	enter_recursion();
	place->above = above;
	place->tree = tree;
	if (IsA(node, CteScan))
	{
		List **scans = &readers->cte_scans[((CteScan *) node)->ctePlanId];

		*scans = lappend(*scans, node);
	}
	foreach (lc, below)
		add_places(readers, lfirst(lc), node, tree);
	list_free(below);
}

static PlanReaders *
find_readers(const PlannedStmt *statement)
{
	PlanReaders *readers = palloc0(sizeof(PlanReaders));
	HASHCTL control = {.keysize = sizeof(Plan *),
					   .entrysize = sizeof(PlanPlace),
					   .hcxt = CurrentMemoryContext};
	int tree = 1;
	ListCell *lc;

	readers->places =
		hash_create("plan readers", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	readers->ntrees = list_length(statement->subplans) + 1;
	readers->cte_scans = palloc0(sizeof(List *) * readers->ntrees);
	readers->prefetch_rules = palloc(sizeof(int) * readers->ntrees);
	for (int t = 0; t < readers->ntrees; t++)
		readers->prefetch_rules[t] = -1;
	add_places(readers, statement->planTree, NULL, 0);
	foreach (lc, statement->subplans)
	{
		/* a parallel worker's statement only has the subplans that it needs */
		if (lfirst(lc))
			add_places(readers, lfirst(lc), NULL, tree);
		tree++;
	}
	return readers;
}

static void
forget_readers(void *readers)
{
	if (current == readers)
	{
		current = NULL;
		current_run = NULL;
	}
}

const PlanReaders *
plan_readers(EState *estate)
{
	MemoryContext old;
	MemoryContextCallback *callback;

	if (current != NULL && current_run == estate)
		return current;
	old = MemoryContextSwitchTo(AllocSetContextCreate(
		estate->es_query_cxt, "plan readers", ALLOCSET_DEFAULT_SIZES));
	callback = palloc(sizeof(MemoryContextCallback));
	callback->func = forget_readers;
	callback->arg = find_readers(estate->es_plannedstmt);
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	current = callback->arg;
	current_run = estate;
	MemoryContextSwitchTo(old);
	return current;
}

const PlanPlace *
plan_place(const PlanReaders *readers, const Plan *node)
{
	return hash_search(readers->places, &node, HASH_FIND, NULL);
}
