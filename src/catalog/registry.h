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
 * OIDs, ascending, of the relations whose labels may name this: at least those
 * that do, wherever they are, and those whose label cannot be read. The caller
 * reads the labels.
 */
extern List *registry_relations(RegistryKind kind, const char *name);

/*
 * To be called when the label of a relation changes: all sessions read it again
 * once that is committed, and this one at the end of the command or, if it is
 * rolled back, then.
 */
extern void registry_changed(Oid relid);

#endif
