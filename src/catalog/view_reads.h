/*-------------------------------------------------------------------------
 *
 * view_reads.h
 *	  The tables that a view reads.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_VIEW_READS_H
#define CATALOG_VIEW_READS_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* OIDs of the relations that a view reads itself. */
extern List *relations_of_view(Oid view);

/* OIDs of what a view reads that is not a view, itself or through other views. */
extern List *tables_of_view(Oid view);

#endif
