/*-------------------------------------------------------------------------
 *
 * extension.c
 *	  What is ours: the extension in this database, and its members.
 *
 * The extension is looked up by its name, which is unique in a database, never
 * through search_path; its members, by their dependency on it. So a user's
 * function is not taken for ours because it is in our schema or has a name of ours.
 *
 * Both are kept until a function is created, altered or dropped anywhere in the
 * database: CREATE, DROP and ALTER EXTENSION ... UPDATE or SET SCHEMA do that.
 * ALTER EXTENSION ... ADD and DROP change pg_depend alone, of which PostgreSQL sends
 * no invalidation, so an event trigger has one sent. PostgreSQL itself sees
 * to it that invalidations come at the end of a command to the session, at its
 * commit to others, and at a rollback, of a subtransaction too, to the session again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "type/extension.h"

PG_FUNCTION_INFO_V1(forget_extension_members);

#define EXTENSION_NAME "sparseeinsum"

/* The extension as it was at an invalidation; all invalid where it is not installed. */
typedef struct ExtensionState
{
	uint64 as_of; /* invalidations until then, 0: never looked up */
	Oid extension;
	Oid schema;
	Oid tensor;
	uint32 tensor_hash;
} ExtensionState;

/* The key of a member, and all that is kept of it. */
typedef struct Member
{
	Oid catalog;
	Oid object;
} Member;

static uint64 invalidations = 1;
static ExtensionState state;
static HTAB *members = NULL; /* NULL: not read */
static uint64 members_as_of = 0;

static void
forget(Datum arg, int cacheid, uint32 hashvalue)
{
	invalidations++;
}

/* Other types come and go with every table, temporary ones too. */
static void
forget_with_type(Datum arg, int cacheid, uint32 hashvalue)
{
	if (hashvalue == 0 || hashvalue == state.tensor_hash)
		invalidations++;
}

/* Reads the extension's row of pg_extension into the state. */
static void
look_up_extension(ExtensionState *found)
{
	Relation extensions = table_open(ExtensionRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ,
				CStringGetDatum(EXTENSION_NAME));
	scan = systable_beginscan(extensions, ExtensionNameIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		found->extension = ((Form_pg_extension) GETSTRUCT(tuple))->oid;
		found->schema = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	}
	systable_endscan(scan);
	table_close(extensions, AccessShareLock);
}

/* True if this session runs the script that creates or updates the extension. */
static bool
runs_script_of(Oid extension)
{
	return creating_extension && CurrentExtensionObject == extension;
}

/*
 * The state as it is. Looking it up may process invalidations: then it is used now, and
 * looked up again the next time. So it is while the extension's script runs, which
 * has created some of its objects.
 */
static const ExtensionState *
current_state(void)
{
	static bool registered = false;
	ExtensionState found = {0};

	if (state.as_of == invalidations)
		return &state;
	if (!registered)
	{
		CacheRegisterSyscacheCallback(PROCOID, forget, (Datum) 0);
		CacheRegisterSyscacheCallback(TYPEOID, forget_with_type, (Datum) 0);
		registered = true;
	}
	found.as_of = invalidations;
	look_up_extension(&found);
	if (OidIsValid(found.extension))
	{
		found.tensor =
			GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("tensor"),
							ObjectIdGetDatum(found.schema));
		found.tensor_hash =
			GetSysCacheHashValue1(TYPEOID, ObjectIdGetDatum(found.tensor));
		if (runs_script_of(found.extension))
			found.as_of = 0;
	}
	state = found;
	return &state;
}

/* Reads what depends on the extension as its members do. */
static HTAB *
read_members(Oid extension, MemoryContext context)
{
	HASHCTL control = {
		.keysize = sizeof(Member), .entrysize = sizeof(Member), .hcxt = context};
	HTAB *table = hash_create("members of " EXTENSION_NAME, 1024, &control,
							  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	Relation depends = table_open(DependRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData keys[2];
	HeapTuple tuple;

	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(ExtensionRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(extension));
	scan = systable_beginscan(depends, DependReferenceIndexId, true, NULL, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend row = (Form_pg_depend) GETSTRUCT(tuple);
		Member member = {row->classid, row->objid};

		if (row->deptype == DEPENDENCY_EXTENSION)
			(void) hash_search(table, &member, HASH_ENTER, NULL);
	}
	systable_endscan(scan);
	table_close(depends, AccessShareLock);
	return table;
}

static bool
is_member(Oid catalog, Oid object)
{
	static MemoryContext context = NULL;
	Member member = {catalog, object};
	MemoryContext fresh;
	uint64 as_of;
	HTAB *table;

	/* extensions have no OIDs of the system's own objects */
	if (object < FirstNormalObjectId || !extension_installed())
		return false;
	if (members == NULL || members_as_of != invalidations)
	{
		as_of = state.as_of;
		/* until all are read, an error may come */
		fresh = AllocSetContextCreate(CurrentMemoryContext, "members of " EXTENSION_NAME,
									  ALLOCSET_DEFAULT_SIZES);
		table = read_members(state.extension, fresh);
		MemoryContextSetParent(fresh, CacheMemoryContext);
		if (context)
			MemoryContextDelete(context);
		context = fresh;
		members = table;
		members_as_of = as_of;
	}
	return hash_search(members, &member, HASH_FIND, NULL) != NULL;
}

bool
extension_installed(void)
{
	const ExtensionState *now = current_state();

	return OidIsValid(now->tensor) && !runs_script_of(now->extension);
}

bool
extension_has_function(Oid function)
{
	return is_member(ProcedureRelationId, function);
}

char *
extension_function_name(Oid function)
{
	return extension_has_function(function) ? get_func_name(function) : NULL;
}

uint64
extension_changes(void)
{
	return current_state()->as_of;
}

bool
is_tensor_type(Oid type)
{
	return type >= FirstNormalObjectId && type == current_state()->tensor;
}

/* The state, in which the extension is installed. */
static const ExtensionState *
installed_state(void)
{
	const ExtensionState *now = current_state();

	if (!OidIsValid(now->tensor))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("extension \"" EXTENSION_NAME
							   "\" is not installed in this database"),
						errhint("Run CREATE EXTENSION " EXTENSION_NAME ".")));
	return now;
}

Oid
tensor_type_oid(void)
{
	return installed_state()->tensor;
}

const char *
tensor_type_name(void)
{
	return quote_qualified_identifier(extension_schema_name(), "tensor");
}

Oid
extension_schema_oid(void)
{
	return installed_state()->schema;
}

char *
extension_schema_name(void)
{
	return get_namespace_name(extension_schema_oid());
}

/*
 * By membership, as all that is ours: a library that is newer than the catalogs of a database
 * finds functions where those have them.
 */
const char *
extension_function(const char *name)
{
	Oid schema = InvalidOid;
	CatCList *functions;

	(void) installed_state();
	functions = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
	for (int i = 0; i < functions->n_members; i++)
	{
		Form_pg_proc function = (Form_pg_proc) GETSTRUCT(&functions->members[i]->tuple);

		if (extension_has_function(function->oid) &&
			(!OidIsValid(schema) || function->pronamespace != extension_schema_oid()))
			schema = function->pronamespace;
	}
	ReleaseSysCacheList(functions);
	if (!OidIsValid(schema))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("extension \"" EXTENSION_NAME
							   "\" has no function \"%s\" in this database",
							   name),
						errhint("Run ALTER EXTENSION " EXTENSION_NAME " UPDATE.")));
	return quote_qualified_identifier(get_namespace_name(schema), name);
}

/*
 * Has all sessions forget the members at the end of the transaction, and this one at
 * the end of the command: as if this function had been altered. An event trigger on
 * ALTER EXTENSION calls it; in catalogs of 0.2.0 it is the trigger's function itself.
 */
Datum
forget_extension_members(PG_FUNCTION_ARGS)
{
	HeapTuple tuple;
	Relation functions;

	PreventCommandDuringRecovery("ALTER EXTENSION");
	functions = table_open(ProcedureRelationId, AccessShareLock);
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	if (HeapTupleIsValid(tuple))
	{
		CacheInvalidateHeapTuple(functions, tuple, NULL);
		ReleaseSysCache(tuple);
	}
	table_close(functions, AccessShareLock);
	/* nothing was written by which the end of the command would be one for invalidations */
	(void) GetCurrentCommandId(true);
	CommandCounterIncrement();
	PG_RETURN_VOID();
}
