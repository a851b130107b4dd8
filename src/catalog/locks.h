/*-------------------------------------------------------------------------
 *
 * locks.h
 *	  The locks of what makes, changes, fills and drops tensors and programs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_LOCKS_H
#define CATALOG_LOCKS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "storage/lockdefs.h"

/*
 * A set of locks. To lock objects that are found by reading what others may change:
 *
 *	Locks held = {NIL};
 *	Locks wanted;
 *
 *	do
 *	{
 *		wanted = (Locks) {NIL};
 *		... read, and add to wanted what is found ...
 *	} while (!take_locks(&wanted, &held));
 *
 * After the loop, nothing that was found changes until the transaction ends.
 */
typedef struct Locks
{
	List *locks; /* of Lock * (locks.c) */
} Locks;

/*
 * Adds the name of a program, or of a tensor, in a schema. Does nothing if the
 * user may neither create in the schema nor owns one of the relations: such a user
 * changes nothing there, and others need not wait.
 */
extern void add_program_lock(Locks *locks, Oid schema, const char *program,
							 const List *relations);
extern void add_tensor_lock(Locks *locks, Oid schema, const char *tensor,
							const List *relations);

/*
 * Adds the names of all tensors that these relations hold. A session locks these names
 * before it locks a relation in a stronger mode than ACCESS SHARE. Relations that the
 * user does not own are left out, here and below except for readers, and cause an error
 * later.
 */
extern void add_tensor_locks_of(Locks *locks, const List *relations);

/* Adds relations, to be locked in this mode. */
extern void add_relation_locks(Locks *locks, const List *relations, LOCKMODE mode);

/*
 * Adds relations that are dropped or made again, and all views that read them, whoever
 * owns those: the names of their tensors, and themselves in ACCESS EXCLUSIVE mode. DROP
 * would lock the views after the relations, but sessions that read or drop a view lock it
 * first.
 */
extern void add_locks_to_drop(Locks *locks, const List *relations);

/*
 * Adds relations that are read, and all that views among them read, in ACCESS SHARE mode.
 */
extern void add_locks_to_read(Locks *locks, const List *relations);

/*
 * Returns true if *held has all wanted locks. Otherwise releases *held, which this
 * function has taken earlier, takes all wanted locks in order until the end of the
 * transaction, and sets *held to them. Then the caller must collect wanted again: while
 * the session waited, others may have changed what it depends on.
 */
extern bool take_locks(Locks *wanted, Locks *held);

/*
 * Locks the name of a program beyond the transaction, until it is released or the session
 * ends, for commands that commit. False if the user may not create in the schema.
 */
extern bool hold_program_lock(Oid schema, const char *program);
extern void release_program_lock(Oid schema, const char *program);

#endif
