/*-------------------------------------------------------------------------
 *
 * program_locks.c
 *	  Locks of those who make, change, fill and drop programs.
 *
 * There are no deadlocks, since all lock in one order: the program's name,
 * the names of the tensors it defines, the tables that there are, the views.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "catalog/label.h"
#include "catalog/name_lock.h"
#include "codegen/materialize.h"
#include "codegen/program_locks.h"
#include "compat.h"

/* The name of a tensor: its schema, and what a lock has room for. */
typedef struct TensorName
{
	Oid schema;
	uint16 hash;
} TensorName;

/*
 * May the user create in a schema? If not, a later check raises the error, and nothing is
 * locked.
 */
static bool
may_create(Oid schema)
{
	return schema_aclcheck(schema, GetUserId(), ACL_CREATE) == ACLCHECK_OK;
}

void
lock_program(Oid schema, const char *program)
{
	if (may_create(schema))
		lock_program_name(schema, lock_hash(program));
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

static void
lock_tensor_names(TensorName *names, int count)
{
	qsort(names, count, sizeof(TensorName), compare_tensor_names);
	for (int i = 0; i < count; i++)
	{
		if (may_create(names[i].schema))
			lock_tensor_name(names[i].schema, names[i].hash);
	}
}

void
lock_tensors_of(const List *relations)
{
	TensorName *names = NULL;
	int count = 0;
	int room = 0;
	ListCell *lc;

	foreach (lc, relations)
	{
		List *storages = relation_registrations(lfirst_oid(lc));
		ListCell *inner;

		room += list_length(storages);
		if (storages != NIL)
			names = names ? repalloc(names, sizeof(TensorName) * room)
						  : palloc(sizeof(TensorName) * room);
		foreach (inner, storages)
		{
			names[count].schema = get_rel_namespace(lfirst_oid(lc));
			names[count++].hash = lock_hash(((Storage *) lfirst(inner))->tensor);
		}
	}
	lock_tensor_names(names, count);
}

void
lock_tensors(const CodegenContext *context)
{
	List *stages = context->plan->graph->stages;
	/* a relation, and a view that shows it */
	TensorName *names = palloc(sizeof(TensorName) * Max(2 * list_length(stages), 1));
	int count = 0;
	ListCell *lc;

	foreach (lc, stages)
	{
		const Stage *stage = lfirst(lc);
		Oid schema = LookupExplicitNamespace(
			stage->schema ? stage->schema : context->schema, false);

		if (!stage_has_relation(context, stage))
			continue;
		names[count].schema = schema;
		names[count++].hash = lock_hash(stage_relname(context, stage));
		if (!is_shown_apart(context, stage))
			continue;
		names[count].schema = schema;
		names[count++].hash = lock_hash(stage->name);
	}
	lock_tensor_names(names, count);
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
