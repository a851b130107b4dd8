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
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/citus.h"
#include "catalog/query_scan.h"
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

bool
is_intermediate_result(Oid function)
{
	char *name = get_func_name(function);
	Oid extension;

	if (name == NULL || strcmp(name, "read_intermediate_result") != 0)
		return false;
	extension = getExtensionOfObject(ProcedureRelationId, function);
	return OidIsValid(extension) && extension == get_extension_oid("citus", true);
}

void
keep_statements_here(void)
{
	const char *setting = "citus.enable_ddl_propagation";

	if (OidIsValid(citus_catalog("pg_dist_partition")) &&
		GetConfigOption(setting, true, false))
		(void) set_config_option(setting, "off", PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
}

/* Returns a copy of the row of a catalog in which a column has a value, or NULL. */
static HeapTuple
catalog_row(Relation catalog, const char *index, const char *column, RegProcedure equal,
			Datum value)
{
	Oid index_oid = get_relname_relid(index, PG_CATALOG_NAMESPACE);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, get_attnum(RelationGetRelid(catalog), column),
				BTEqualStrategyNumber, equal, value);
	scan = systable_beginscan(catalog, index_oid, OidIsValid(index_oid), NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		tuple = heap_copytuple(tuple);
	systable_endscan(scan);
	return tuple;
}

/* Returns a column of a row of a catalog, which Citus declares NOT NULL. */
static Datum
column_of(Relation catalog, HeapTuple tuple, const char *column)
{
	bool isnull;

	return heap_getattr(tuple, get_attnum(RelationGetRelid(catalog), column),
						RelationGetDescr(catalog), &isnull);
}

/* Returns the table of which a number is that of a shard, or InvalidOid. */
static Oid
table_of_shard(Oid catalog, int64 shard)
{
	Relation relation = table_open(catalog, AccessShareLock);
	HeapTuple tuple = catalog_row(relation, "pg_dist_shard_shardid_index", "shardid",
								  F_INT8EQ, Int64GetDatum(shard));
	Oid table = HeapTupleIsValid(tuple)
					? DatumGetObjectId(column_of(relation, tuple, "logicalrelid"))
					: InvalidOid;

	table_close(relation, AccessShareLock);
	return table;
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
	table = table_of_shard(catalog, (int64) shard);
	if (!OidIsValid(table) || get_rel_namespace(table) != get_rel_namespace(relid))
		return false;
	table_name = get_rel_name(table);
	return table_name != NULL &&
		   strcmp(shard_name(table_name, psprintf("_%llu", shard)), name) == 0;
}

static CitusKind
kind_of_table(Relation catalog, HeapTuple tuple)
{
	char method = DatumGetChar(column_of(catalog, tuple, "partmethod"));

	if (method != 'n')
		return method == 'h' ? CITUS_HASHED : CITUS_OTHERWISE;
	if (DatumGetChar(column_of(catalog, tuple, "repmodel")) == 't')
		return CITUS_REFERENCE;
	return DatumGetInt32(column_of(catalog, tuple, "colocationid")) == 0
			   ? CITUS_LOCAL
			   : CITUS_ONE_SHARD;
}

static const CitusTable *
new_citus_table(Oid relid, CitusKind kind)
{
	CitusTable *table = palloc(sizeof(CitusTable));

	*table = (CitusTable){relid, kind};
	return table;
}

/* Returns what Citus has of a relation; NULL if it knows nothing of it. */
static const CitusTable *
citus_table(Oid catalog, Oid relid)
{
	Relation relation = table_open(catalog, AccessShareLock);
	HeapTuple tuple = catalog_row(relation, "pg_dist_partition_logical_relid_index",
								  "logicalrelid", F_OIDEQ, ObjectIdGetDatum(relid));
	const CitusTable *table = NULL;

	if (HeapTupleIsValid(tuple))
		table = new_citus_table(relid, kind_of_table(relation, tuple));
	else if (is_citus_shard(relid))
		table = new_citus_table(relid, CITUS_SHARD);
	table_close(relation, AccessShareLock);
	return table;
}

bool
is_citus_table(Oid relid)
{
	Oid catalog = citus_catalog("pg_dist_partition");
	const CitusTable *table = OidIsValid(catalog) ? citus_table(catalog, relid) : NULL;

	return table && table->kind != CITUS_SHARD;
}

static bool
add_rows(TupleTableSlot *slot, void *state)
{
	double *rows = state;

	if (!slot->tts_isnull[0])
		*rows = Max(*rows, 0) + DatumGetFloat8(slot->tts_values[0]);
	return true;
}

/* The number of tables whose rows are remembered within a statement of the user's. */
#define REMEMBERED 16

/*
 * The nodes are asked, by other connections, for what their catalogs say, which waits for
 * no lock. All copies of a reference table have the same rows.
 */
static double
ask_for_rows(Oid relid)
{
	Oid catalog = citus_catalog("pg_dist_partition");
	const CitusTable *table = citus_table(catalog, relid);
	double rows = -1;
	char *on_node;

	on_node = psprintf(
		"SELECT pg_catalog.sum(c.reltuples) FROM pg_catalog.pg_dist_shard s JOIN "
		"pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) "
		"pg_catalog.to_regclass(pg_catalog.shard_name(s.logicalrelid, s.shardid)) WHERE "
		"s.logicalrelid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(%s) AND "
		"c.reltuples OPERATOR(pg_catalog.>=) 0",
		quote_literal_cstr(quote_qualified_identifier(
			get_namespace_name(get_rel_namespace(relid)), get_rel_name(relid))));
	scan_query_as_caller(
		psprintf("SELECT pg_catalog.%s(CAST(n.result AS pg_catalog.float8)) FROM "
				 "pg_catalog.run_command_on_all_nodes(%s) n WHERE n.success AND n.result "
				 "OPERATOR(pg_catalog.<>) ''",
				 table->kind == CITUS_REFERENCE ? "max" : "sum",
				 quote_literal_cstr(on_node)),
		add_rows, &rows);
	return rows;
}

/* Connections take a millisecond and more: a table is asked for once in a statement. */
double
citus_table_rows(Oid relid)
{
	static struct
	{
		TimestampTz statement;
		Oid relid;
		double rows;
	} known[REMEMBERED];
	static int next = 0;
	TimestampTz statement = GetCurrentStatementStartTimestamp();
	double rows;

	for (int i = 0; i < REMEMBERED; i++)
	{
		if (known[i].relid == relid && known[i].statement == statement)
			return known[i].rows;
	}
	rows = ask_for_rows(relid);
	known[next].statement = statement;
	known[next].relid = relid;
	known[next].rows = rows;
	next = (next + 1) % REMEMBERED;
	return rows;
}

const CitusTable *
citus_table_read(Oid relid)
{
	Oid catalog = citus_catalog("pg_dist_partition");
	List *read;
	ListCell *cell;

	if (!OidIsValid(catalog))
		return NULL;
	read = get_rel_relkind(relid) == RELKIND_VIEW ? tables_of_view(relid)
												  : list_make1_oid(relid);
	foreach (cell, read)
	{
		ListCell *inner;

		foreach (inner, find_all_inheritors(lfirst_oid(cell), NoLock, NULL))
		{
			const CitusTable *table = citus_table(catalog, lfirst_oid(inner));

			if (table)
				return table;
		}
	}
	return NULL;
}
