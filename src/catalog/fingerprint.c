/*-------------------------------------------------------------------------
 *
 * fingerprint.c
 *	  Numbers that change when relations are made anew.
 *
 * Rows of catalogs are known by the transaction that wrote them: an altered one is a new version.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_rewrite.h"
#include "common/hashfn.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "catalog/fingerprint.h"

void
add_to_fingerprint(uint64 *fingerprint, uint64 number)
{
	*fingerprint = hash_bytes_extended((const unsigned char *) &number, sizeof(number),
									   *fingerprint);
}

void
add_version(uint64 *fingerprint, HeapTuple tuple)
{
	add_to_fingerprint(fingerprint, HeapTupleHeaderGetRawXmin(tuple->t_data));
	/* one transaction may alter it twice */
	add_to_fingerprint(fingerprint, ItemPointerGetBlockNumber(&tuple->t_self));
	add_to_fingerprint(fingerprint, ItemPointerGetOffsetNumber(&tuple->t_self));
}

/* Adds the columns of a relation, which are altered where it inherits, or a column is NOT NULL for a while. */
static void
add_columns(uint64 *fingerprint, Oid relid, Snapshot snapshot)
{
	Relation columns = table_open(AttributeRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_attribute_attrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(columns, AttributeRelidNumIndexId, true, snapshot, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		add_version(fingerprint, tuple);
	systable_endscan(scan);
	table_close(columns, AccessShareLock);
}

void
add_storage_fingerprint(uint64 *fingerprint, Oid relid, Snapshot snapshot)
{
	Relation relations = table_open(RelationRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_class_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(relations, ClassOidIndexId, true, snapshot, 1, &key);
	tuple = systable_getnext(scan);
	add_to_fingerprint(fingerprint, relid);
	if (HeapTupleIsValid(tuple))
	{
		add_to_fingerprint(fingerprint, ((Form_pg_class) GETSTRUCT(tuple))->relfilenode);
		add_version(fingerprint, tuple);
	}
	systable_endscan(scan);
	table_close(relations, AccessShareLock);
	add_columns(fingerprint, relid, snapshot);
}

void
add_view_fingerprint(uint64 *fingerprint, Oid view, Snapshot snapshot)
{
	Relation rules = table_open(RewriteRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	add_to_fingerprint(fingerprint, view);
	ScanKeyInit(&key, Anum_pg_rewrite_ev_class, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(view));
	scan = systable_beginscan(rules, RewriteRelRulenameIndexId, true, snapshot, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		add_to_fingerprint(fingerprint, ((Form_pg_rewrite) GETSTRUCT(tuple))->oid);
		add_version(fingerprint, tuple);
	}
	systable_endscan(scan);
	table_close(rules, AccessShareLock);
}
