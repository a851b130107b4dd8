/*-------------------------------------------------------------------------
 *
 * registry.h
 *	  Which relations' labels name a tensor or a program, from memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_REGISTRY_H
#define CATALOG_REGISTRY_H

#include "postgres.h"

#include "nodes/pg_list.h"

typedef enum RegistryKind
{
	REGISTRY_TENSOR,
	REGISTRY_PROGRAM,
} RegistryKind;

/*
 * Returns the OIDs, ascending, of relations whose labels may name this tensor or program:
 * all that do, in any schema, perhaps some others, and those whose label cannot be read.
 * The caller reads the labels.
 */
extern List *registry_relations(RegistryKind kind, const char *name);

/* Reads labels that have changed. Else that is done when a name is next looked up. */
extern void bring_registry_up_to_date(void);

/*
 * Returns the name of a program that makes this tensor, as far as the session knows
 * without a look at a catalog: for use where that is not possible. Only relations of this
 * schema count, unless it is NULL, and only those that this transaction has locked if
 * `locked`. NULL if it knows of none.
 */
extern const char *registry_program_known(const char *schema, const char *tensor,
										  bool locked);

/*
 * To be called when the label of a relation changes. Other sessions read it again once
 * the change is committed; this one at the end of the command, or when the change is
 * rolled back.
 */
extern void registry_changed(Oid relid);

#endif
