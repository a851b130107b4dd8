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
 * Returns the owner whose relations count, among relations (OIDs in ascending order) that
 * claim one name: the current user; else a role of which the user is a member; else one
 * that has the rights of the schema's owner; else the owner of the first relation.
 * InvalidOid if none of the relations exists.
 */
extern Oid first_owner(const List *relations);

/*
 * Returns the relations of this owner. Raises a WARNING for each other relation that
 * exists; purpose completes "... is not", as in "a storage of tensor \"a\"". NULL: no
 * warnings.
 */
extern List *relations_of_owner(const List *relations, Oid owner, const char *purpose);

#endif
