/*-------------------------------------------------------------------------
 *
 * schema.c
 *	  Schemas that a call or a program names.
 *
 * Each of them is checked, also where nothing is created in it: a name that is misspelt
 * is an error, whatever is done with it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "utils/builtins.h"

#include "catalog/schema.h"
#include "parser/near_names.h"
#include "parser/syntax.h"

/* Returns the name of a schema that is like a misspelt one, or NULL. */
static const char *
similar_schema(const char *name)
{
	NearNames names = {.name = name};
	Relation schemas = table_open(NamespaceRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(schemas, InvalidOid, false, NULL, 0, NULL);
	HeapTuple tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		offer_name(&names,
				   pstrdup(NameStr(((Form_pg_namespace) GETSTRUCT(tuple))->nspname)));
	systable_endscan(scan);
	table_close(schemas, AccessShareLock);
	return nearest_name(&names);
}

void
require_schema(const char *name, const char *text, int location)
{
	const char *similar;

	if (strcmp(name, "pg_temp") == 0 || OidIsValid(get_namespace_oid(name, true)))
		return;
	similar = similar_schema(name);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_SCHEMA),
			 errmsg("schema \"%s\" does not exist", name),
			 *name == '\0' ? errhint("Leave it out: the current schema is the default.")
			 : similar     ? errhint("Perhaps you meant %s.", quote_identifier(similar))
						   : errhint("Create it with CREATE SCHEMA %s, or leave it out: "
										 "the current schema is the default.",
									 quote_identifier(name)),
			 text ? program_errposition(text, location) : 0));
}
