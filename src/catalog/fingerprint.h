/*-------------------------------------------------------------------------
 *
 * fingerprint.h
 *	  Numbers that change when relations are made anew.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_FINGERPRINT_H
#define CATALOG_FINGERPRINT_H

#include "postgres.h"

#include "access/htup.h"
#include "utils/snapshot.h"

/* Makes a number part of a fingerprint. */
extern void add_to_fingerprint(uint64 *fingerprint, uint64 number);

/* Makes a version of a row of a catalog part of a fingerprint. */
extern void add_version(uint64 *fingerprint, HeapTuple tuple);

/*
 * Adds the versions of a relation's rows in pg_class and pg_attribute, as a snapshot sees
 * them. TRUNCATE, VACUUM FULL and ALTER TABLE make new ones, even if they only rename the
 * relation; ANALYZE does not.
 */
extern void add_storage_fingerprint(uint64 *fingerprint, Oid relid, Snapshot snapshot);

/*
 * Adds the query of a view, which CREATE OR REPLACE VIEW replaces, as a snapshot sees it.
 */
extern void add_view_fingerprint(uint64 *fingerprint, Oid view, Snapshot snapshot);

#endif
