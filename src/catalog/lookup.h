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
 * Returns the registrations of a tensor in a schema, whoever owns the relations, in the
 * order of their OIDs. No function of this file resolves registrations.
 */
extern List *registrations_in_schema(Oid schema, const char *name);

/*
 * Returns the registration of a tensor on a relation; NULL if it has none, or is not in
 * this schema.
 */
extern Storage *registration_on(Oid relid, Oid schema, const char *name);

/*
 * Returns those registrations, of one schema, that a tensor's name means: the ones of its
 * first owner (first_owner.h). warn: raises a WARNING for each other.
 */
extern List *storages_of_first_owner(List *storages, const char *name, bool warn);

/*
 * Returns the schema whose tensor a name means; schema NULL means the first in the search
 * path that has one. InvalidOid if not found.
 */
extern Oid schema_of_tensor(const char *schema, const char *name);

/*
 * Returns a hint for a user who named a dimension that does not exist, for a tensor in
 * this schema.
 */
extern char *unknown_dimension_hint(Oid schema, const char *name);

/* Returns a hint for the name of a program that a schema does not have. */
extern char *unknown_program_hint(Oid schema, const char *name);

/*
 * If a tensor that has just been registered in this schema is also registered in other
 * schemas that the user may use, raises a NOTICE that says which one the name means.
 */
extern void notice_namesakes(const char *name, Oid schema);

/*
 * Raises a NOTICE if a tensor of that name is stored: a statement of a program hides it
 * from the statements after it. schema: of the statement's result, or NULL.
 */
extern void notice_hidden_tensor(const char *schema, const char *name);

#endif
