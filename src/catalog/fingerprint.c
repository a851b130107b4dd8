/*-------------------------------------------------------------------------
 *
 * fingerprint.c
 *	  Numbers that change when relations are made anew.
 *
 * A row of a catalog that is altered is a new version, written by another transaction or
 * at another place.
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
	/* one transaction may alter a row twice */
	add_to_fingerprint(fingerprint, ItemPointerGetBlockNumber(&tuple->t_self));
	add_to_fingerprint(fingerprint, ItemPointerGetOffsetNumber(&tuple->t_self));
}

/* Adds the rows of a catalog, by an index, that have an OID in a column. */
static void
add_catalog_rows(uint64 *fingerprint, Oid catalog, Oid index, AttrNumber column, Oid oid,
				 Snapshot snapshot)
{
	Relation relation = table_open(catalog, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(oid));
	scan = systable_beginscan(relation, index, true, snapshot, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		add_version(fingerprint, tuple);
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
}

void
add_storage_fingerprint(uint64 *fingerprint, Oid relid, Snapshot snapshot)
{
	add_to_fingerprint(fingerprint, relid);
	add_catalog_rows(fingerprint, RelationRelationId, ClassOidIndexId, Anum_pg_class_oid,
					 relid, snapshot);
	/*
	 * columns change where the relation comes to inherit, or one is NOT NULL for a while
	 */
	add_catalog_rows(fingerprint, AttributeRelationId, AttributeRelidNumIndexId,
					 Anum_pg_attribute_attrelid, relid, snapshot);
}

void
add_view_fingerprint(uint64 *fingerprint, Oid view, Snapshot snapshot)
{
	add_to_fingerprint(fingerprint, view);
	add_catalog_rows(fingerprint, RewriteRelationId, RewriteRelRulenameIndexId,
					 Anum_pg_rewrite_ev_class, view, snapshot);
}
