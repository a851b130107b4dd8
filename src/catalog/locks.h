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
 * A set of locks. To lock what is only found by looking at
 * what others may change:
 *
 *	Locks held = {NIL};
 *	Locks wanted;
 *
 *	do
 *	{
 *		wanted = (Locks) {NIL};
 *		... add to wanted what there is now ...
 *	} while (!take_locks(&wanted, &held));
 *
 * Then all that was found is as it was found until the transaction ends.
 */
typedef struct Locks
{
	List *locks; /* of Lock * (locks.c) */
} Locks;

/*
 * Adds the name of a program, or of a tensor, in a schema. Not if the user neither may
 * create in the schema nor owns one of the relations: he changes nothing there, and
 * nothing waits for him.
 */
extern void add_program_lock(Locks *locks, Oid schema, const char *program,
							 const List *relations);
extern void add_tensor_lock(Locks *locks, Oid schema, const char *tensor,
							const List *relations);

/*
 * Adds the names of all tensors that these relations hold. Whoever locks a relation by
 * more than ACCESS SHARE has these before. Relations that the user does not own are left
 * out, here and below but for readers, and cause an error later.
 */
extern void add_tensor_locks_of(Locks *locks, const List *relations);

/* Adds relations, to be locked in this mode. */
extern void add_relation_locks(Locks *locks, const List *relations, LOCKMODE mode);

/*
 * Adds relations that are dropped or made again, with what reads them, whoever owns it:
 * DROP locks that after them, and who reads or drops it locks it before. These are their
 * tensors' names, and themselves in ACCESS EXCLUSIVE mode.
 */
extern void add_locks_to_drop(Locks *locks, const List *relations);

/* Adds relations that are read, with what views among them read, in ACCESS SHARE mode. */
extern void add_locks_to_read(Locks *locks, const List *relations);

/*
 * True if *held has all that is wanted. Otherwise it releases *held, which the same
 * function has taken, locks all that is wanted in order until the end of the transaction,
 * and makes that *held: waiting may have made it old, and it is to be collected again.
 */
extern bool take_locks(Locks *wanted, Locks *held);

/*
 * Locks the name of a program beyond the transaction, until it is released or the session
 * ends: for what commits on its way. False if the user may not create in the schema.
 */
extern bool hold_program_lock(Oid schema, const char *program);
extern void release_program_lock(Oid schema, const char *program);

#endif
