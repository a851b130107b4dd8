/*-------------------------------------------------------------------------
 *
 * extension.c
 *	  Looks up the extension in this database, and its members.
 *
 * The extension is looked up by its name, which is unique in a database, and never
 * through search_path; its members are looked up by their dependency on it. So a user's
 * function is not taken for the extension's because it has such a name or is in such a
 * schema.
 *
 * Both are kept until a function is created, altered or dropped anywhere in the database:
 * CREATE, DROP and ALTER EXTENSION ... UPDATE or SET SCHEMA do that. ALTER EXTENSION ...
 * ADD and DROP change only pg_depend, for which PostgreSQL sends no invalidation, so an
 * event trigger has one sent. PostgreSQL itself makes the invalidation arrive at the end
 * of a command in the session, at its commit in others, and again in the session at a
 * rollback, of a subtransaction too.
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

/*
 * The extension as it was found after some number of invalidations; all OIDs are invalid
 * if it is not installed.
 */
typedef struct ExtensionState
{
	uint64 as_of; /* invalidations seen by then; 0: never looked up */
	Oid extension;
	Oid schema;
	NameData schema_name;
	Oid tensor;
	uint32 tensor_hash;
} ExtensionState;

/* A member of the extension: the key of the hash table, and its whole entry. */
typedef struct Member
{
	Oid catalog;
	Oid object;
} Member;

static uint64 invalidations = 1;
static ExtensionState state;
static HTAB *members = NULL; /* NULL: not read yet */
static uint64 members_as_of = 0;

static void
count_invalidation(Datum arg, int cacheid, uint32 hashvalue)
{
	invalidations++;
}

/*
 * Invalidation callback for types: ignores other types, which are created and dropped
 * with every table, temporary ones included.
 */
static void
forget_with_type(Datum arg, int cacheid, uint32 hashvalue)
{
	if (hashvalue == 0 || hashvalue == state.tensor_hash)
		invalidations++;
}

/* Finds the extension, by its name in pg_extension. */
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

/* Is this session running the script that creates or updates the extension? */
static bool
runs_script_of(Oid extension)
{
	return creating_extension && CurrentExtensionObject == extension;
}

/*
 * Returns the present state. If looking it up processes further invalidations, the state
 * is returned now and looked up again the next time. That also happens while the
 * extension's script runs, which creates its objects one by one.
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
		CacheRegisterSyscacheCallback(PROCOID, count_invalidation, (Datum) 0);
		CacheRegisterSyscacheCallback(TYPEOID, forget_with_type, (Datum) 0);
		registered = true;
	}
	found.as_of = invalidations;
	look_up_extension(&found);
	if (OidIsValid(found.extension))
	{
		char *schema = get_namespace_name(found.schema);

		if (schema)
			namestrcpy(&found.schema_name, schema);
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

const char *
extension_schema_known(void)
{
	bool installed = state.as_of != 0 && OidIsValid(state.extension);

	return installed || state.as_of == invalidations ? NameStr(state.schema_name) : NULL;
}

/* Reads all objects that depend on the extension as its members do. */
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

	/* smaller OIDs are those of the system's own objects, never of an extension's */
	if (object < FirstNormalObjectId || !extension_installed())
		return false;
	if (members == NULL || members_as_of != invalidations)
	{
		as_of = state.as_of;
		/* in the current context until all members are read, for there may be an error */
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

/* Returns the state, or raises 42704 if the extension is not installed. */
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
 * Finds the function among the members, whatever schema it is in: a library that is newer
 * than the database's catalogs finds functions where these have them.
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
 * Makes all sessions forget the members at the end of the transaction, and this one at
 * the end of the command: as if this function had been altered. An event trigger on ALTER
 * EXTENSION calls it; in catalogs of 0.2.0 it is the trigger's function itself.
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
	/*
	 * marks the command as one that writes: only then does its end process invalidations
	 */
	(void) GetCurrentCommandId(true);
	CommandCounterIncrement();
	PG_RETURN_VOID();
}
