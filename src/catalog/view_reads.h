/*-------------------------------------------------------------------------
 *
 * view_reads.h
 *	  What a view reads, and what reads a relation.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_VIEW_READS_H
#define CATALOG_VIEW_READS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/hsearch.h"

/* Returns the OIDs of the relations that a view reads directly. */
extern List *relations_of_view(Oid view);

/* Returns the OIDs of the tables that a view reads, directly or through other views. */
extern List *tables_of_view(Oid view);

/*
 * Returns these relations with all views and materialized views that read one of them,
 * directly or through others: what DROP of a relation locks.
 */
extern List *with_readers(const List *relations);

/*
 * Returns these relations with all that views among them read, directly or through
 * others: what a query locks.
 */
extern List *with_what_they_read(const List *relations);

/*
 * Returns the number of views between a relation and the deepest relation that it reads,
 * itself included; 0 if it is not a view. known, made by new_view_depths, keeps the
 * depths found so far.
 */
extern int depth_of_relation(Oid relid, HTAB *known);
extern HTAB *new_view_depths(void);

#endif
