/*-------------------------------------------------------------------------
 *
 * lookup.h
 *	  Finding registrations by the name of the tensor.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_LOOKUP_H
#define CATALOG_LOOKUP_H

#include "catalog/registration.h"

/*
 * The registrations of a tensor in a schema, whoever owns the relations, in
 * order of their OIDs. As of all functions here, they are not yet resolved.
 */
extern List *registrations_in_schema(Oid schema, const char *name);

/* The registration of a tensor on a relation of this schema; NULL if it has none. */
extern Storage *registration_on(Oid relid, Oid schema, const char *name);

/*
 * What a tensor's name means among registrations of one schema: those of its
 * first owner (first_owner.h). With warn a WARNING for each other.
 */
extern List *storages_of_first_owner(List *storages, const char *name, bool warn);

/*
 * The schema whose tensor a name means; schema NULL is the first of the search
 * path that has one. InvalidOid if not found.
 */
extern Oid schema_of_tensor(const char *schema, const char *name);

/* What to tell who named a dimension that does not exist, for a tensor in a schema. */
extern char *unknown_dimension_hint(Oid schema, const char *name);

/* A hint for the name of a program that a schema does not have. */
extern char *unknown_program_hint(Oid schema, const char *name);

/*
 * Raises a NOTICE if the tensor, which has just been registered in this schema, is
 * also registered in others that the user may look into: it says which of them the name
 * means.
 */
extern void notice_namesakes(const char *name, Oid schema);

/*
 * Says so if a tensor of that name is stored, which a statement of a program hides from
 * those behind it.
 */
extern void notice_hidden_tensor(const char *name);

#endif
