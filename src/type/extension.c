/*-------------------------------------------------------------------------
 *
 * extension.c
 *	  Where this extension lives: its schema and the OID of type tensor.
 *
 * Both are looked up by the extension's name, never through search_path, and
 * kept until a type or schema changes anywhere: DROP EXTENSION and CREATE
 * EXTENSION in one session give new OIDs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "type/tensor.h"

static Oid cached_schema = InvalidOid;
static Oid cached_type = InvalidOid;

static void
forget(Datum arg, int cacheid, uint32 hashvalue)
{
	cached_schema = InvalidOid;
	cached_type = InvalidOid;
}

/* The schema in the extension's pg_extension row, InvalidOid without one. */
static Oid
lookup_schema(void)
{
	Oid schema = InvalidOid;
	Relation extensions = table_open(ExtensionRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ,
				CStringGetDatum("sparseeinsum"));
	scan = systable_beginscan(extensions, ExtensionNameIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		schema = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	systable_endscan(scan);
	table_close(extensions, AccessShareLock);
	return schema;
}

static void
refresh(void)
{
	static bool registered = false;
	Oid schema;
	Oid type;

	if (!registered)
	{
		CacheRegisterSyscacheCallback(TYPEOID, forget, (Datum) 0);
		CacheRegisterSyscacheCallback(NAMESPACEOID, forget, (Datum) 0);
		registered = true;
	}

	/* the look-ups may process invalidations: store only when both are done */
	schema = lookup_schema();
	type = OidIsValid(schema)
			   ? GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("tensor"),
								 ObjectIdGetDatum(schema))
			   : InvalidOid;
	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("extension \"sparseeinsum\" is not installed in this database"),
				 errhint("Run CREATE EXTENSION sparseeinsum.")));
	cached_schema = schema;
	cached_type = type;
}

bool
extension_installed(void)
{
	return OidIsValid(cached_type) || OidIsValid(lookup_schema());
}

/* The OID of type tensor. Errors: 42704 without the extension. */
Oid
tensor_type_oid(void)
{
	if (!OidIsValid(cached_type))
		refresh();
	return cached_type;
}

/* The OID of the extension's schema. Errors: 42704 without the extension. */
Oid
extension_schema_oid(void)
{
	if (!OidIsValid(cached_schema))
		refresh();
	return cached_schema;
}

char *
extension_function_name(Oid function)
{
	if (get_func_namespace(function) != extension_schema_oid())
		return NULL;
	return get_func_name(function);
}

/* The name of the extension's schema, unquoted, in the current context. */
char *
extension_schema_name(void)
{
	return get_namespace_name(extension_schema_oid());
}
