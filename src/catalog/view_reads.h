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

/* OIDs of the relations that a view reads itself. */
extern List *relations_of_view(Oid view);

/* OIDs of what a view reads that is not a view, itself or through other views. */
extern List *tables_of_view(Oid view);

/*
 * These relations, and the views and materialized views that read one of them, themselves
 * or through others: what DROP of one locks.
 */
extern List *with_readers(const List *relations);

/*
 * These relations, and what views among them read, themselves or through others: what a
 * query locks.
 */
extern List *with_what_they_read(const List *relations);

/*
 * How many views are above the deepest relation that a view reads; 0 for what is no view.
 * known has the depths that have been found, and is made by new_view_depths.
 */
extern int depth_of_relation(Oid relid, HTAB *known);
extern HTAB *new_view_depths(void);

#endif
