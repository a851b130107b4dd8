/*-------------------------------------------------------------------------
 *
 * first_owner.c
 *	  Whose relations the name of a tensor or a program means.
 *
 * The owner of any table can label it, and so claim any name for it, even a name that
 * other owners' tables in the schema have. A new claim must not stop those who have used
 * the name before, and its rows must not be read in place of theirs. Nothing tells
 * reliably which label came first. So the owner is chosen by which roles the user has
 * reason to trust: the user's own role; roles of which the user is a member; roles that
 * could replace the other tables of the schema anyway. Only between two other owners does
 * age decide, by OID.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/first_owner.h"
#include "catalog/tensor_storage.h"

static Oid
schema_owner(Oid schema)
{
	HeapTuple tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));
	Oid owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_namespace) GETSTRUCT(tuple))->nspowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

/*
 * Returns how little reason the user has to trust the owner of a relation: 0 is the most.
 */
static int
owner_rank(Oid owner, Oid relid)
{
	Oid user = GetUserId();
	Oid of_schema;

	if (owner == user)
		return 0;
	/* a superuser has everybody's rights, which is no reason to trust everybody */
	if (is_member_of_role_nosuper(user, owner))
		return 1;
	of_schema = schema_owner(get_rel_namespace(relid));
	if (OidIsValid(of_schema) && has_privs_of_role(owner, of_schema))
		return 2;
	return 3;
}

Oid
first_owner(const List *relations)
{
	Oid first = InvalidOid;
	int first_rank = 0;
	ListCell *cell;

	foreach (cell, relations)
	{
		Oid owner = relation_owner(lfirst_oid(cell));
		int rank;

		if (!OidIsValid(owner) || owner == first)
			continue;
		rank = owner_rank(owner, lfirst_oid(cell));
		if (OidIsValid(first) && rank >= first_rank)
			continue;
		first = owner;
		first_rank = rank;
	}
	return first;
}

List *
relations_of_owner(const List *relations, Oid owner, const char *purpose)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, relations)
	{
		Oid relid = lfirst_oid(cell);
		Oid other = relation_owner(relid);

		if (other == owner)
			result = lappend_oid(result, relid);
		else if (OidIsValid(other) && purpose != NULL)
			ereport(WARNING,
					(errcode(ERRCODE_WARNING),
					 errmsg("relation \"%s\" is not %s", get_rel_name(relid), purpose),
					 errdetail("It is labelled so, but owned by %s; the others are owned "
							   "by %s.",
							   GetUserNameFromId(other, true),
							   GetUserNameFromId(owner, true)),
					 errhint("Its owner can remove the label with einsum_unregister.")));
	}
	return result;
}
