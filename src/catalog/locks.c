/*-------------------------------------------------------------------------
 *
 * locks.c
 *	  The locks of commands that make, change, fill and drop tensors and programs.
 *
 * Sessions do not wait for each other in a circle, since all take their locks here, in
 * one order: names of programs, names of tensors, relations; names by schema and hash,
 * relations in the order in which readers lock them, views before the relations that they
 * read. A session that finds, after waiting, that there is more to lock releases its
 * locks and begins again.
 *
 * No catalog has the names. A name is locked as a part of its schema, as an object of a
 * class that has no other parts; part 0 is the schema itself. The relations that a
 * program makes for inner results are called t__1, t__2 and so on. They are only known
 * after planning, when the tables that the program reads are locked already: so they
 * share one lock with t.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"

#include "catalog/label.h"
#include "catalog/locks.h"
#include "catalog/tensor_storage.h"
#include "catalog/view_reads.h"
#include "compat.h"

/*
 * The bytes of a name that count: they are the same where "__1" or the like is appended
 * and the name is truncated.
 */
#define STEM_LENGTH 48

typedef enum LockKind
{
	LOCK_PROGRAM,
	LOCK_TENSOR,
	LOCK_RELATION
} LockKind;

typedef struct Lock
{
	LockKind kind;
	Oid oid;       /* schema or relation */
	uint16 hash;   /* of a name */
	int depth;     /* of a relation: views above the deepest one that it reads */
	LOCKMODE mode; /* of a relation */
} Lock;

static uint16
hash_of_name(const char *name, int length)
{
	return (uint16) (hash_bytes((const unsigned char *) name, length) | 1);
}

static uint16
program_hash(const char *name)
{
	return hash_of_name(name, (int) strlen(name));
}

/*
 * Returns the same hash for a tensor and for the inner results that a program names after
 * it.
 */
static uint16
tensor_hash(const char *name)
{
	int length = (int) strlen(name);
	int digits = length;

	/* removes "__1" and the like repeatedly: inner results may have inner results */
	for (;;)
	{
		while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
			digits--;
		if (digits == length || digits <= 2 || strncmp(name + digits - 2, "__", 2) != 0)
			break;
		length = digits = digits - 2;
	}
	return hash_of_name(name, Min(length, STEM_LENGTH));
}

/* Compares the objects of two locks, whatever their modes. */
static int
compare_objects(const ListCell *one, const ListCell *other)
{
	const Lock *a = lfirst(one);
	const Lock *b = lfirst(other);

	if (a->kind != b->kind)
		return (int) a->kind - (int) b->kind;
	if (a->oid != b->oid)
		return a->oid < b->oid ? -1 : 1;
	return (int) a->hash - (int) b->hash;
}

/* Compares two locks by the order in which locks are taken. */
static int
compare_locks(const ListCell *one, const ListCell *other)
{
	const Lock *a = lfirst(one);
	const Lock *b = lfirst(other);

	if (a->kind == b->kind && a->depth != b->depth)
		return b->depth - a->depth;
	return compare_objects(one, other);
}

static void
add_lock(Locks *locks, LockKind kind, Oid oid, uint16 hash, LOCKMODE mode)
{
	Lock *lock = palloc0(sizeof(Lock));

	lock->kind = kind;
	lock->oid = oid;
	lock->hash = hash;
	lock->mode = mode;
	locks->locks = lappend(locks->locks, lock);
}

/* Sorts the locks by object and merges those of one object. */
static List *
each_object_once(List *locks)
{
	List *result = NIL;
	ListCell *lc;

	list_sort(locks, compare_objects);
	foreach (lc, locks)
	{
		ListCell *last = result ? list_last_cell(result) : NULL;

		if (last && compare_objects(last, lc) == 0)
			/*
			 * among the modes that we use, a stronger one conflicts with all that a
			 * weaker one does
			 */
			((Lock *) lfirst(last))->mode =
				Max(((Lock *) lfirst(last))->mode, ((Lock *) lfirst(lc))->mode);
		else
			result = lappend(result, lfirst(lc));
	}
	return result;
}

/*
 * Are all wanted locks held, in a mode that is as strong? Both lists are sorted by
 * object.
 */
static bool
holds_all(const List *held, const List *wanted)
{
	int next = 0;
	ListCell *lc;

	foreach (lc, wanted)
	{
		while (next < list_length(held) &&
			   compare_objects(list_nth_cell(held, next), lc) < 0)
			next++;
		if (next == list_length(held) ||
			compare_objects(list_nth_cell(held, next), lc) != 0 ||
			((Lock *) list_nth(held, next))->mode < ((Lock *) lfirst(lc))->mode)
			return false;
	}
	return true;
}

/* May the user change or drop a relation? False if it no longer exists. */
static bool
may_lock(Oid relid)
{
	Oid schema = get_rel_namespace(relid);

	return OidIsValid(schema) &&
		   (owns_relation(relid) || schema_ownercheck(schema, GetUserId()));
}

static bool
may_lock_name(Oid schema, const List *relations)
{
	ListCell *lc;

	foreach (lc, relations)
	{
		if (may_lock(lfirst_oid(lc)))
			return true;
	}
	return schema_aclcheck(schema, GetUserId(), ACL_CREATE) == ACLCHECK_OK;
}

void
add_program_lock(Locks *locks, Oid schema, const char *program, const List *relations)
{
	if (may_lock_name(schema, relations))
		add_lock(locks, LOCK_PROGRAM, schema, program_hash(program),
				 ShareUpdateExclusiveLock);
}

void
add_tensor_lock(Locks *locks, Oid schema, const char *tensor, const List *relations)
{
	if (may_lock_name(schema, relations))
		add_lock(locks, LOCK_TENSOR, schema, tensor_hash(tensor),
				 ShareUpdateExclusiveLock);
}

void
add_tensor_locks_of(Locks *locks, const List *relations)
{
	ListCell *lc;

	foreach (lc, relations)
	{
		Oid schema = get_rel_namespace(lfirst_oid(lc));
		ListCell *inner;

		if (!may_lock(lfirst_oid(lc)))
			continue;
		foreach (inner, relation_registrations(lfirst_oid(lc)))
			add_lock(locks, LOCK_TENSOR, schema,
					 tensor_hash(((Storage *) lfirst(inner))->tensor),
					 ShareUpdateExclusiveLock);
	}
}

void
add_relation_locks(Locks *locks, const List *relations, LOCKMODE mode)
{
	ListCell *lc;

	foreach (lc, relations)
	{
		if (may_lock(lfirst_oid(lc)))
			add_lock(locks, LOCK_RELATION, lfirst_oid(lc), 0, mode);
	}
}

void
add_locks_to_drop(Locks *locks, const List *relations)
{
	List *dropped = NIL;
	List *all;
	ListCell *lc;

	foreach (lc, relations)
	{
		if (may_lock(lfirst_oid(lc)))
			dropped = lappend_oid(dropped, lfirst_oid(lc));
	}
	all = with_readers(dropped);
	add_tensor_locks_of(locks, all);
	/*
	 * views that read them, whoever owns these: DROP locks them without asking for a
	 * right
	 */
	foreach (lc, all)
		add_lock(locks, LOCK_RELATION, lfirst_oid(lc), 0, AccessExclusiveLock);
}

void
add_locks_to_read(Locks *locks, const List *relations)
{
	add_relation_locks(locks, with_what_they_read(relations), AccessShareLock);
}

static void
set_tag(LOCKTAG *tag, const Lock *lock)
{
	if (lock->kind == LOCK_PROGRAM)
		SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, NamespaceRelationId, lock->oid,
						   lock->hash);
	else
		SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, RelationRelationId, lock->oid, lock->hash);
}

static void
lock_or_release(const Lock *lock, bool take)
{
	LOCKTAG tag;

	if (lock->kind == LOCK_RELATION && take)
		LockRelationOid(lock->oid, lock->mode);
	else if (lock->kind == LOCK_RELATION)
		UnlockRelationOid(lock->oid, lock->mode);
	else
	{
		set_tag(&tag, lock);
		if (take)
			(void) LockAcquire(&tag, lock->mode, false, false);
		else
			(void) LockRelease(&tag, lock->mode, false);
	}
}

/* Computes the present depths of the relations, visiting each view once. */
static void
set_depths(Locks *locks)
{
	HTAB *known = new_view_depths();
	ListCell *lc;

	foreach (lc, locks->locks)
	{
		Lock *lock = lfirst(lc);

		if (lock->kind == LOCK_RELATION)
			lock->depth = depth_of_relation(lock->oid, known);
	}
	hash_destroy(known);
}

bool
take_locks(Locks *wanted, Locks *held)
{
	List *ordered;
	ListCell *lc;

	wanted->locks = each_object_once(wanted->locks);
	if (holds_all(held->locks, wanted->locks))
		return true;
	/* begin again, in order: nothing has been done under the old locks yet */
	foreach (lc, held->locks)
		lock_or_release(lfirst(lc), false);
	held->locks = NIL;
	set_depths(wanted);
	ordered = list_copy(wanted->locks);
	list_sort(ordered, compare_locks);
	foreach (lc, ordered)
	{
		CHECK_FOR_INTERRUPTS();
		lock_or_release(lfirst(lc), true);
	}
	held->locks = wanted->locks;
	/* lets this session see what others changed before it got the locks */
	AcceptInvalidationMessages();
	return false;
}

bool
hold_program_lock(Oid schema, const char *program)
{
	Lock lock = {LOCK_PROGRAM, schema, program_hash(program)};
	LOCKTAG tag;

	if (!may_lock_name(schema, NIL))
		return false;
	set_tag(&tag, &lock);
	(void) LockAcquire(&tag, ShareUpdateExclusiveLock, true, false);
	return true;
}

void
release_program_lock(Oid schema, const char *program)
{
	Lock lock = {LOCK_PROGRAM, schema, program_hash(program)};
	LOCKTAG tag;

	set_tag(&tag, &lock);
	(void) LockRelease(&tag, ShareUpdateExclusiveLock, true);
}
