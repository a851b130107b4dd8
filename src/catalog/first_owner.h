/*-------------------------------------------------------------------------
 *
 * first_owner.h
 *	  Whose relations the name of a tensor or a program means.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_FIRST_OWNER_H
#define CATALOG_FIRST_OWNER_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * The owner whose relations count among these (of OIDs, in ascending order):
 * the current user, else a role that the user is a member of, else one that
 * has the rights of the relation's schema's owner, else whoever owns the first.
 * InvalidOid if none of the relations exists.
 */
extern Oid first_owner(const List *relations);

/*
 * Returns the relations that the owner has; raises a WARNING for each other that exists.
 * purpose is what the others are not: "a storage of tensor \"a\""; NULL: no warning.
 */
extern List *relations_of_owner(const List *relations, Oid owner, const char *purpose);

#endif
