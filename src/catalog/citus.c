/*-------------------------------------------------------------------------
 *
 * citus.c
 *	  Tables that Citus distributes, and their shards.
 *
 * The rows of a table of Citus are in tables of their own, its shards, on any node, also
 * on one where programs run; and each shard has the table's label. Two of Citus's
 * catalogs, of which every node has a copy since Citus 11, tell which tables these are.
 * They are read only if they exist as members of the extension citus; if they do not, the
 * system's caches tell that.
 *
 * The name of a shard follows from the name of the table and the number of the shard
 * (AppendShardIdToName in Citus).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "commands/extension.h"
#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/citus.h"
#include "catalog/view_reads.h"

/* Returns one of Citus's catalogs, or InvalidOid without Citus. */
static Oid
citus_catalog(const char *name)
{
	Oid catalog = get_relname_relid(name, PG_CATALOG_NAMESPACE);
	Oid extension;

	if (!OidIsValid(catalog))
		return InvalidOid;
	extension = getExtensionOfObject(RelationRelationId, catalog);
	return OidIsValid(extension) && extension == get_extension_oid("citus", true)
			   ? catalog
			   : InvalidOid;
}

/*
 * Returns the column logicalrelid of the row of a catalog in which another column has
 * this value, or InvalidOid.
 */
static Oid
logical_relation(Oid catalog, const char *index, const char *column, RegProcedure equal,
				 Datum value)
{
	Relation relation = table_open(catalog, AccessShareLock);
	AttrNumber result_column = get_attnum(catalog, "logicalrelid");
	Oid index_oid = get_relname_relid(index, PG_CATALOG_NAMESPACE);
	Oid result = InvalidOid;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, get_attnum(catalog, column), BTEqualStrategyNumber, equal, value);
	scan = systable_beginscan(relation, index_oid, OidIsValid(index_oid), NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		bool isnull;
		Datum found =
			heap_getattr(tuple, result_column, RelationGetDescr(relation), &isnull);

		if (!isnull)
			result = DatumGetObjectId(found);
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return result;
}

/* Returns the name of a shard of a table. */
static char *
shard_name(const char *table, const char *suffix)
{
	int length = strlen(table);
	int kept;

	if (length + strlen(suffix) < NAMEDATALEN)
		return psprintf("%s%s", table, suffix);
	kept = pg_mbcliplen(table, length, NAMEDATALEN - (int) strlen(suffix) - 10);
	return psprintf("%.*s_%.8x%s", kept, table,
					hash_bytes((const unsigned char *) table, length), suffix);
}

bool
is_citus_shard(Oid relid)
{
	Oid catalog = citus_catalog("pg_dist_shard");
	char *name;
	char *table_name;
	char *suffix;
	char *end;
	unsigned long long shard;
	Oid table;

	if (!OidIsValid(catalog))
		return false;
	name = get_rel_name(relid);
	suffix = name ? strrchr(name, '_') : NULL;
	if (suffix == NULL || suffix[1] < '0' || suffix[1] > '9')
		return false;
	errno = 0;
	shard = strtoull(suffix + 1, &end, 10);
	if (errno != 0 || *end != '\0' || shard > PG_INT64_MAX)
		return false;
	table = logical_relation(catalog, "pg_dist_shard_shardid_index", "shardid", F_INT8EQ,
							 Int64GetDatum((int64) shard));
	if (!OidIsValid(table) || get_rel_namespace(table) != get_rel_namespace(relid))
		return false;
	table_name = get_rel_name(table);
	return table_name != NULL &&
		   strcmp(shard_name(table_name, psprintf("_%llu", shard)), name) == 0;
}

static bool
is_citus_table(Oid catalog, Oid relid)
{
	return OidIsValid(logical_relation(catalog, "pg_dist_partition_logical_relid_index",
									   "logicalrelid", F_OIDEQ, ObjectIdGetDatum(relid)));
}

Oid
citus_table_read(Oid relid)
{
	Oid catalog = citus_catalog("pg_dist_partition");
	List *read;
	ListCell *cell;

	if (!OidIsValid(catalog))
		return InvalidOid;
	read = get_rel_relkind(relid) == RELKIND_VIEW ? tables_of_view(relid)
												  : list_make1_oid(relid);
	foreach (cell, read)
	{
		ListCell *inner;

		foreach (inner, find_all_inheritors(lfirst_oid(cell), NoLock, NULL))
		{
			if (is_citus_table(catalog, lfirst_oid(inner)) ||
				is_citus_shard(lfirst_oid(inner)))
				return lfirst_oid(inner);
		}
	}
	return InvalidOid;
}
