/*-------------------------------------------------------------------------
 *
 * program_locks.c
 *	  Locks of those who make, change, fill and drop programs.
 *
 * Nobody waits in a circle, since all lock in one order: the program's name,
 * the names of the tensors it defines, the tables that there are, the views.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "codegen/program_locks.h"
#include "compat.h"

/* The name of a tensor: its schema, and what a lock has room for. */
typedef struct TensorName
{
	Oid schema;
	uint16 hash;
} TensorName;

/*
 * Locks a name in a schema. A lock has room for 16 bits of it: names that agree
 * in these wait for each other, which is rare and no harm. class tells programs
 * from tensors.
 */
static void
lock_name(Oid class, Oid schema, uint16 name)
{
	if (schema_aclcheck(schema, GetUserId(), ACL_CREATE) == ACLCHECK_OK)
		LockDatabaseObject(class, schema, name, ShareUpdateExclusiveLock);
}

static uint16
hash_name(const char *name)
{
	return (uint16) hash_bytes((const unsigned char *) name, strlen(name));
}

void
lock_program(Oid schema, const char *program)
{
	lock_name(NamespaceRelationId, schema, hash_name(program));
}

static int
compare_tensor_names(const void *one, const void *other)
{
	const TensorName *a = one;
	const TensorName *b = other;

	if (a->schema != b->schema)
		return a->schema < b->schema ? -1 : 1;
	return (int) a->hash - (int) b->hash;
}

void
lock_tensors(const CodegenContext *context)
{
	List *stages = context->plan->graph->stages;
	TensorName *names = palloc(sizeof(TensorName) * Max(list_length(stages), 1));
	int count = 0;
	ListCell *lc;

	foreach (lc, stages)
	{
		const Stage *stage = lfirst(lc);

		names[count].schema = LookupExplicitNamespace(
			stage->schema ? stage->schema : context->schema, false);
		names[count++].hash = hash_name(stage->name);
	}
	qsort(names, count, sizeof(TensorName), compare_tensor_names);
	for (int i = 0; i < count; i++)
		lock_name(RelationRelationId, names[i].schema, names[i].hash);
}

/* Tables before views, each by their OIDs. */
static int
compare_for_locks(const ListCell *one, const ListCell *other)
{
	bool view = get_rel_relkind(lfirst_oid(one)) == RELKIND_VIEW;
	bool other_view = get_rel_relkind(lfirst_oid(other)) == RELKIND_VIEW;

	return view != other_view ? (int) view - (int) other_view : list_oid_cmp(one, other);
}

static bool
may_lock(Oid relid)
{
	Oid schema = get_rel_namespace(relid);

	return OidIsValid(schema) && (relation_ownercheck(relid, GetUserId()) ||
								  schema_ownercheck(schema, GetUserId()));
}

bool
lock_relations(const List *relations, LOCKMODE mode, List **locked)
{
	List *sorted = NIL;
	ListCell *lc;

	foreach (lc, relations)
	{
		if (may_lock(lfirst_oid(lc)))
			sorted = list_append_unique_oid(sorted, lfirst_oid(lc));
	}
	if (list_difference_oid(sorted, *locked) == NIL)
		return true;
	/* in order from the beginning: nothing has been done yet under the locks */
	foreach (lc, *locked)
		UnlockRelationOid(lfirst_oid(lc), mode);
	list_sort(sorted, compare_for_locks);
	foreach (lc, sorted)
		LockRelationOid(lfirst_oid(lc), mode);
	*locked = sorted;
	return false;
}
