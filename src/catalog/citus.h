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

/* Where Citus has the rows of a table. */
typedef enum CitusKind
{
	CITUS_HASHED,    /* in shards, by the hash of a column */
	CITUS_OTHERWISE, /* in shards, of which two may have rows of one key */
	CITUS_ONE_SHARD,
	CITUS_REFERENCE, /* a copy on each node */
	CITUS_LOCAL,     /* in one shard, on the node that has the table */
	CITUS_SHARD,     /* the relation is a shard */
} CitusKind;

/* A table of Citus, or a shard. */
typedef struct CitusTable
{
	Oid relid;
	CitusKind kind;
} CitusTable;

/* Is the relation a table of Citus? Then it has no rows itself. */
extern bool is_citus_table(Oid relid);

/*
 * Returns the rows of a table of Citus, as ANALYZE found them in its shards; -1 if that is
 * not known.
 */
extern double citus_table_rows(Oid relid);

/*
 * Lets statements that create or change relations have no effect on other nodes, until
 * the GUC nesting level ends: views and tables of programs are where they are made.
 */
extern void keep_statements_here(void);

/* Does a function return the rows of a part of a query that Citus has computed before? */
extern bool is_intermediate_result(Oid function);

/*
 * Is the relation a shard of a Citus table? A shard has a part of the table's rows, and
 * the table's label. False if the extension citus is not installed.
 */
extern bool is_citus_shard(Oid relid);

/*
 * Returns the first table of Citus, or shard, among the relation itself, tables that
 * inherit from it, and the tables that it reads if it is a view; NULL if there is no such
 * table.
 */
extern const CitusTable *citus_table_read(Oid relid);

#endif
