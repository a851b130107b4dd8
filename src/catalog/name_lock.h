/*-------------------------------------------------------------------------
 *
 * name_lock.h
 *	  Locks on the names of tensors and programs, which no catalog has.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_NAME_LOCK_H
#define CATALOG_NAME_LOCK_H

#include "postgres.h"

/* What a lock has room for of a name. */
extern uint16 lock_hash(const char *name);

/*
 * Locks the name of a tensor, or of a program, in a schema until the end of the
 * transaction: who registers a tensor, and who makes a program that defines it,
 * wait for each other. Names with one hash do too, which is rare and no harm.
 * To be taken before any relation is locked, several in the order of schemas and
 * hashes, programs before tensors.
 */
extern void lock_tensor_name(Oid schema, uint16 hash);
extern void lock_program_name(Oid schema, uint16 hash);

/*
 * Locks the name of a program beyond the transaction, until it is released or the session
 * ends: for what commits on its way.
 */
extern void hold_program_name(Oid schema, uint16 hash);
extern void release_program_name(Oid schema, uint16 hash);

#endif
