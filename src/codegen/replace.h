/*-------------------------------------------------------------------------
 *
 * replace.h
 *	  Replaces and drops the relations of programs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_REPLACE_H
#define CODEGEN_REPLACE_H

#include "catalog/locks.h"
#include "codegen/source.h"

/* Executes a utility statement as the current user. Call it within SPI. */
extern void execute_utility(const char *statement);

/*
 * Adds the locks that making a program takes: on its name, on the tensors that its text
 * defines, and with replace on the tensors whose relations are replaced.
 */
extern void add_locks_to_make(Locks *locks, Oid schema, const char *program,
							  const char *text, bool replace);

/*
 * Takes these locks until the transaction ends, so that one session at a time makes a
 * program or tensor of a name. Call it before the program is planned: planning locks what
 * the program reads, which may be relations that it replaces.
 */
extern void lock_program_to_make(const char *schema, const char *program,
								 const char *text, bool replace);

/*
 * Prepares to replace the relations of the program, and other programs' relations that
 * have the names of a plan's relations: drops those without a successor in the plan, and
 * empties views, so that no view depends on another one. Returns the OIDs of the
 * remaining relations. Call it within SPI, with the names locked (lock_program_to_make).
 * Errors: 2BP01 if others depend on what is dropped.
 */
extern List *clear_for_replacement(const CodegenContext *context, const char *program);

/*
 * Empties views, which the caller has locked, so that none reads another until they are
 * replaced in the same transaction. Call it within SPI.
 */
extern void empty_views(const List *relations);

/*
 * Creates or replaces the view of that name, with this SELECT, and returns its OID. An
 * existing view must be in replaceable. It stays the same object if its columns stay the
 * same, and if nothing depends on it or same_meaning is true. Call it within SPI. Errors:
 * 42P07 if another relation has the name; 2BP01 if others depend on what is dropped.
 */
extern Oid put_view(const char *schema, const char *name, const char *query,
					bool security_invoker, const List *replaceable, bool same_meaning);

/*
 * Returns the relation of that name, or InvalidOid. Errors: 42P07 if it is not in
 * replaceable.
 */
extern Oid replaceable_relation(const char *schema, const char *name,
								const List *replaceable);

/* Drops a relation that will be replaced. Errors: 2BP01 if others depend on it. */
extern void drop_for_replacement(Oid relation);

/* Has the relation these columns, by name, type and collation? */
extern bool relation_has_columns(Oid relation, TupleDesc columns);

/* Returns the columns of a SELECT, in the current memory context. Call it within SPI. */
extern TupleDesc query_columns(const char *query);

/*
 * Drops the views and tables of a program. Returns their number. Errors: 2BP01
 * if others depend on them.
 */
extern int drop_program(Oid schema, const char *program);

#endif
