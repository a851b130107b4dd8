/*-------------------------------------------------------------------------
 *
 * replace.h
 *	  Relations of programs that give way to others, and dropping them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_REPLACE_H
#define CODEGEN_REPLACE_H

#include "catalog/locks.h"
#include "codegen/source.h"

/* A utility statement as the current user. To be called within SPI. */
extern void execute_utility(const char *statement);

/*
 * Adds the names that making a program locks: its own, those of the tensors that its text defines, and
 * with replace those of the tensors whose relations give way.
 */
extern void add_locks_to_make(Locks *locks, Oid schema, const char *program,
							  const char *text, bool replace);

/*
 * Locks these names until the transaction ends: one session at a time makes a program or a tensor of
 * a name. To be called before the program is planned, which locks what it reads, and may read what it
 * replaces.
 */
extern void lock_program_to_make(const char *schema, const char *program,
								 const char *text, bool replace);

/*
 * Prepares that a plan's relations replace those of the program and whatever
 * programs' relations have their names: drops what the plan has no relation
 * for, and empties views, so that none depends on another of them. Returns the
 * OIDs of what is left. To be called within SPI. Errors: 2BP01 if others depend
 * on what is dropped. The caller has locked the names (lock_program_to_make).
 */
extern List *clear_for_replacement(const CodegenContext *context, const char *program);

/*
 * Empties views, which the caller has locked, so that none reads another: until they are
 * replaced, within this transaction. To be called within SPI.
 */
extern void empty_views(const List *relations);

/*
 * The view of that name with this SELECT. One that is there must be among
 * replaceable; it stays the same object if its columns are the same, and if
 * nothing depends on it or same_meaning says that this is no matter. To be
 * called within SPI. Errors: 42P07 if a relation is in the way; 2BP01 if others
 * depend on what is dropped.
 */
extern Oid put_view(const char *schema, const char *name, const char *query,
					bool security_invoker, const List *replaceable, bool same_meaning);

/* Errors (42P07) if there is a relation of that name that is not replaceable. */
extern Oid replaceable_relation(const char *schema, const char *name,
								const List *replaceable);

/* Drops a relation that something else will replace. Errors: 2BP01. */
extern void drop_for_replacement(Oid relation);

/* Has the relation these columns, by name, type and collation? */
extern bool relation_has_columns(Oid relation, TupleDesc columns);

/* The columns of a SELECT, in the current memory context. Within SPI. */
extern TupleDesc query_columns(const char *query);

/*
 * Drops the views and tables of a program. Returns their number. Errors: 2BP01
 * if others depend on them.
 */
extern int drop_program(Oid schema, const char *program);

#endif
