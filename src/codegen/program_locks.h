/*-------------------------------------------------------------------------
 *
 * program_locks.h
 *	  Locks of those who make, change, fill and drop programs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_PROGRAM_LOCKS_H
#define CODEGEN_PROGRAM_LOCKS_H

#include "codegen/deparse.h"
#include "storage/lockdefs.h"

/*
 * One at a time makes a program of that name, until its transaction ends; to be
 * called before it is planned, as it may read what it replaces. A user without
 * CREATE on the schema makes nothing, and takes no lock.
 */
extern void lock_program(Oid schema, const char *program);

/* Locks the names of a plan's tensors, which other programs may define, too. */
extern void lock_tensors(const CodegenContext *context);

/* Locks the names of all tensors that these relations hold now. */
extern void lock_tensors_of(const List *relations);

/*
 * Locks relations of programs until the transaction ends. False if they were not
 * in *locked before: the wait may have made the list old, and it is to be made
 * again, and passed again with *locked. Begins with *locked empty. Relations of
 * others are left out, and will cause an error.
 */
extern bool lock_relations(const List *relations, LOCKMODE mode, List **locked);

#endif
