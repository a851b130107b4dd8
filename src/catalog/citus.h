/*-------------------------------------------------------------------------
 *
 * citus.h
 *	  Tables that Citus distributes, and their shards.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_CITUS_H
#define CATALOG_CITUS_H

#include "postgres.h"

/*
 * Is the relation a shard of a Citus table? It holds a part of the rows, and the
 * table's label. False where the extension citus is not installed.
 */
extern bool is_citus_shard(Oid relid);

/*
 * A table of Citus among what a relation reads: itself, a table that inherits
 * from it, or what a view reads. InvalidOid if not found.
 */
extern Oid citus_table_read(Oid relid);

#endif
