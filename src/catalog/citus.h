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
 * Is the relation a shard of a Citus table? A shard has a part of the table's rows, and
 * the table's label. False if the extension citus is not installed.
 */
extern bool is_citus_shard(Oid relid);

/*
 * Returns a table of Citus among the relation itself, tables that inherit from it, and
 * the tables that it reads if it is a view; InvalidOid if there is no such table.
 */
extern Oid citus_table_read(Oid relid);

#endif
