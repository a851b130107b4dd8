/*-------------------------------------------------------------------------
 *
 * view_reads.c
 *	  What a view reads, and what reads a relation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_rewrite.h"
#include "miscadmin.h"
#include "rewrite/rewriteSupport.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"

#include "catalog/view_reads.h"
#include "recursion.h"

List *
relations_of_view(Oid view)
{
	Oid rule = get_rewrite_oid(view, "_RETURN", true);
	Relation depend;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple tuple;
	List *read = NIL;

	/* the view was dropped meanwhile */
	if (!OidIsValid(rule))
		return NIL;
	depend = table_open(DependRelationId, AccessShareLock);
	ScanKeyInit(&key[0], Anum_pg_depend_classid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RewriteRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_objid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(rule));
	scan = systable_beginscan(depend, DependDependerIndexId, true, NULL, 2, key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend dependency = (Form_pg_depend) GETSTRUCT(tuple);

		if (dependency->refclassid == RelationRelationId)
			read = list_append_unique_oid(read, dependency->refobjid);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return list_delete_oid(read, view);
}

/* Adds the tables that a view reads, directly or through other views. */
static List *
add_tables_read(List *tables, Oid view, List **seen)
{
	ListCell *lc;

	enter_recursion();
	if (list_member_oid(*seen, view))
		return tables;
	*seen = lappend_oid(*seen, view);
	foreach (lc, relations_of_view(view))
	{
		if (get_rel_relkind(lfirst_oid(lc)) == RELKIND_VIEW)
			tables = add_tables_read(tables, lfirst_oid(lc), seen);
		else
			tables = list_append_unique_oid(tables, lfirst_oid(lc));
	}
	return tables;
}

List *
tables_of_view(Oid view)
{
	List *seen = NIL;

	return add_tables_read(NIL, view, &seen);
}

/* Returns the relation of a rule; InvalidOid if it has been dropped. */
static Oid
relation_of_rule(Oid rule)
{
	Relation rewrite = table_open(RewriteRelationId, AccessShareLock);
	Oid relation = InvalidOid;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_rewrite_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(rule));
	scan = systable_beginscan(rewrite, RewriteOidIndexId, true, NULL, 1, &key);
	if (HeapTupleIsValid(tuple = systable_getnext(scan)))
		relation = ((Form_pg_rewrite) GETSTRUCT(tuple))->ev_class;
	systable_endscan(scan);
	table_close(rewrite, AccessShareLock);
	return relation;
}

/* Returns the rules that read a relation, including its own. */
static List *
rules_reading(Oid relid)
{
	Relation depend = table_open(DependRelationId, AccessShareLock);
	List *rules = NIL;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 2, key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend dependency = (Form_pg_depend) GETSTRUCT(tuple);

		if (dependency->classid == RewriteRelationId)
			rules = lappend_oid(rules, dependency->objid);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	/* a rule that reads several columns has a dependency for each */
	list_sort(rules, list_oid_cmp);
	list_deduplicate_oid(rules);
	return rules;
}

static bool
is_view(Oid relid)
{
	char kind = OidIsValid(relid) ? get_rel_relkind(relid) : '\0';

	return kind == RELKIND_VIEW || kind == RELKIND_MATVIEW;
}

/* A list of relations, each once, in the order in which they were found. */
typedef struct FoundRelations
{
	List *list;
	HTAB *members; /* of OIDs */
} FoundRelations;

static void
add_found(FoundRelations *found, const List *relations)
{
	const ListCell *lc;

	if (found->members == NULL)
	{
		HASHCTL control = {.keysize = sizeof(Oid),
						   .entrysize = sizeof(Oid),
						   .hcxt = CurrentMemoryContext};

		found->members = hash_create("relations found", 64, &control,
									 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	foreach (lc, relations)
	{
		Oid relid = lfirst_oid(lc);
		bool is_known;

		hash_search(found->members, &relid, HASH_ENTER, &is_known);
		if (!is_known)
			found->list = lappend_oid(found->list, relid);
	}
}

static List *
list_of_found(FoundRelations *found)
{
	hash_destroy(found->members);
	return found->list;
}

List *
with_readers(const List *relations)
{
	FoundRelations all = {NIL, NULL};

	add_found(&all, relations);
	/* the list grows while the loop runs */
	for (int i = 0; i < list_length(all.list); i++)
	{
		ListCell *lc;

		CHECK_FOR_INTERRUPTS();
		foreach (lc, rules_reading(list_nth_oid(all.list, i)))
		{
			Oid reader = relation_of_rule(lfirst_oid(lc));

			if (is_view(reader))
				add_found(&all, list_make1_oid(reader));
		}
	}
	return list_of_found(&all);
}

List *
with_what_they_read(const List *relations)
{
	FoundRelations all = {NIL, NULL};

	add_found(&all, relations);
	for (int i = 0; i < list_length(all.list); i++)
	{
		Oid relid = list_nth_oid(all.list, i);

		CHECK_FOR_INTERRUPTS();
		if (get_rel_relkind(relid) == RELKIND_VIEW)
			add_found(&all, relations_of_view(relid));
	}
	return list_of_found(&all);
}

/* The depth of a view that was computed already. */
typedef struct ViewDepth
{
	Oid view;
	int depth;
} ViewDepth;

HTAB *
new_view_depths(void)
{
	HASHCTL control = {.keysize = sizeof(Oid),
					   .entrysize = sizeof(ViewDepth),
					   .hcxt = CurrentMemoryContext};

	return hash_create("depths of views", 64, &control,
					   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

int
depth_of_relation(Oid relid, HTAB *known)
{
	ViewDepth *result;
	int depth = 0;
	bool found;
	ListCell *lc;

	enter_recursion();
	if (!is_view(relid))
		return 0;
	result = hash_search(known, &relid, HASH_ENTER, &found);
	if (found)
		return result->depth;
	/* ends the recursion for a view that reads itself, which cannot be run */
	result->depth = 0;
	foreach (lc, relations_of_view(relid))
	{
		int below = depth_of_relation(lfirst_oid(lc), known);

		depth = Max(depth, 1 + below);
	}
	result->depth = depth;
	return depth;
}
